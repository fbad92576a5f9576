"""Documents, and everything that is read from them or located in them, before any question exists."""
