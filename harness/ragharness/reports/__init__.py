"""Reports: scores and records in, text out; nothing here prints."""
