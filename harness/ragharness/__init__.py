"""Score any RAG pipeline in four buckets: correct, wrong, unsupported, refused.

The names below are the public surface; everything else may change between versions.
"""

from __future__ import annotations

from importlib import import_module

_HOMES = {
    "Answer": "records",
    "Document": "records",
    "Evidence": "records",
    "Passage": "records",
    "Question": "records",
    "Record": "records",
    "RagharnessError": "errors",
    "Usage": "records",
    "Verdict": "records",
}
"""Each public name and the module that defines it: loaded at first use, so that importing stays cheap."""

__all__ = ["__version__", *_HOMES]  # noqa: PLE0604 (the keys are strings)

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
