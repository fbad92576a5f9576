"""Shared utilities: atomic files, HTTP retries, rate limiting."""
