"""Loads a corpus for a command: with download progress, or only if it is on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragharness.corpus import Corpus


def load(
    name: str, split: str, source: str, *, offline: bool, notices: bool = True, complete: bool = False
) -> Corpus:
    """Return a corpus; what is fetched for it, and ``notices`` about its files, go to standard error."""
    from ragharness.console import Live
    from ragharness.corpus import load_corpus

    live = Live()
    listener = live.fetching if notices else live.working
    try:
        return load_corpus(
            name, split=split, source=source, offline=offline, complete=complete, on_progress=listener
        )
    finally:
        live.clear()


def part(split: str, subset: str) -> str:
    """Return a split and how much of it as the one name that a corpus knows it by."""
    return f"{split}:{subset}" if subset else split


def load_if_here(name: str, split: str, source: str, *, notices: bool = True) -> Corpus | None:
    """Return a corpus that is on this machine, else None; raises where a named or a damaged one is not."""
    from ragharness.errors import CorpusUnavailable, CorruptDownload

    try:
        return load(name, split, source, offline=True, notices=notices)
    except CorruptDownload:
        raise
    except CorpusUnavailable:
        if source:
            raise
        return None
