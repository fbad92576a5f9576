"""The records that describe a run folder: ``run.json`` and ``sessions.jsonl``."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Annotated, NamedTuple

from msgspec import Meta, Struct, to_builtins

from ragharness.records import MOST_EPOCHS

FORMAT = 1
"""The version of the folder's layout; a folder of another one is refused."""


class Settings(Struct, frozen=True, kw_only=True):
    """What makes two runs the same: a run is continued only under equal settings.

    How it is asked (concurrency, timeout, retries, limits, isolation) is not among them.
    """

    corpus: str
    split: str
    corpus_hash: str
    question_set: str
    """The hash of the question set."""
    questions: int
    retriever: str
    retriever_settings: dict[str, str | int | float]
    k: int
    passage_words: int
    pipeline: str
    """As it was given: ``pkg.mod:attr``, a file, or the name of a reference generator."""
    pipeline_fingerprint: str
    pipeline_settings: dict[str, str | int | float] = {}
    grader: str
    """Name and version."""
    epochs: Annotated[int, Meta(ge=1, le=MOST_EPOCHS)] = 1
    """How often each question is asked."""

    @property
    def records(self) -> int:
        """How many records a finished run has."""
        return self.questions * self.epochs


class Run(Struct, frozen=True, kw_only=True):
    """``run.json``: written before the first question is asked, anew only when all is graded again."""

    format: int
    ragharness: str
    python: str
    platform: str
    created: str
    command: tuple[str, ...]
    settings: Settings
    pipeline_name: str
    takes: str
    """How the pipeline gets passages: ``passages``, ``retrieve`` or ``own``."""
    tags: tuple[str, ...] = ()
    """What the user calls it, for finding it again."""
    notes: tuple[str, ...] = ()
    """What the reader of a report must know about the question set."""
    shortfall: str = ""
    """Why its question set can carry no result, and what to do; empty: it can."""
    source: str = ""
    """Where the corpus was read from (``--from``); empty: from where it always is."""


class Session(Struct, frozen=True, kw_only=True):
    """One line of ``sessions.jsonl``: a start or a continuation."""

    started: str
    command: tuple[str, ...]
    concurrency: int
    timeout: float
    answered: int
    """Records that were on disk before and stand."""
    asked_again: int = 0
    """Failed records among those on disk before whose questions were asked again."""


class Call(NamedTuple):
    """When the pipeline was called, and how long that took in seconds."""

    started: str
    seconds: float


def moment(written: str) -> datetime | None:
    """Return a time that stands in a run folder; None where somebody wrote another thing there."""
    try:
        found = datetime.fromisoformat(written)
        if found.tzinfo is timezone.utc:
            return found
        return (found if found.tzinfo else found.replace(tzinfo=timezone.utc)).astimezone(timezone.utc)
    except (ValueError, OverflowError):
        return None


def differences(ours: Settings, theirs: Settings) -> list[str]:
    """Return one phrase for each setting that differs: its name, ours, theirs."""
    mine, other = to_builtins(ours), to_builtins(theirs)
    return [
        f"{name.replace('_', ' ')} {_short(mine[name])} instead of {_short(other[name])}"
        for name in mine
        if mine[name] != other[name]
    ]


def _short(value: object) -> str:
    text = str(value)
    is_hash = len(text) >= 32 and all(letter in "0123456789abcdef" for letter in text)
    return text[:8] if is_hash else text or "(none)"
