"""Score any RAG pipeline in four buckets: correct, wrong, unsupported, refused."""

from __future__ import annotations

__all__ = ["__version__"]

__version__ = "0.1.0"
