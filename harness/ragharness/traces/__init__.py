"""Traces of any system, scored against a gold set, and the logs of production systems they come from."""
