"""A pipeline behind a URL, as in ``http``, over an encrypted connection."""

from ragharness.pipelines.http import build_encrypted as build

__all__ = ["build"]
