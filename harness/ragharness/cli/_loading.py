"""Loads a corpus for a command, with download progress or only if it is on this machine; and frozen sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from ragharness.corpus import Corpus
    from ragharness.questions.questionset import QuestionSet


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


def stored(corpus: str, path: Path | None, size: int, seed: int) -> QuestionSet:
    """Return the questions of a file, else the frozen set of a corpus or of a folder of the user's."""
    from ragharness.manifests import is_own
    from ragharness.questions.freezing import frozen_set
    from ragharness.questions.loading import stored_set

    if path is None and is_own(corpus):
        return _kept_own(corpus, size, seed)
    return frozen_set(corpus) if path is None else stored_set(path, corpus)


def _kept_own(corpus: str, size: int, seed: int) -> QuestionSet:
    from ragharness.errors import QuestionsNotUsable
    from ragharness.folders.paths import folder_name
    from ragharness.questions.freezing import CARD, frozen_in, own_place

    place = own_place(folder_name(corpus), size, seed)
    if not (place / CARD).is_file():
        raise QuestionsNotUsable(
            f"expected a frozen set about {corpus} in {place}, found none",
            help=f"ragharness questions freeze --corpus {corpus}",
        )
    return frozen_in(place)
