"""Rubrics as versioned files, and outputs scored by them."""
