"""Two or more runs side by side: what differs, what came out, and which questions flipped."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from msgspec import Struct, to_builtins

from ragharness.comparing.gate import differences
from ragharness.comparing.gates import Gates
from ragharness.comparing.information import Change, inform
from ragharness.comparing.sides import Side, read_side, settle
from ragharness.errors import NotComparable, UsageError
from ragharness.records import BUCKETS
from ragharness.scores import score_folder
from ragharness.scores.metrics import metrics
from ragharness.scores.values import Share

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.scores import Scores
    from ragharness.store import RunFolder

FORMAT = 1
UNGRADED = "not graded"
OUTCOMES = (*BUCKETS, UNGRADED)

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_BADNESS = {"correct": 1, "refused": 1, UNGRADED: 2, "unsupported": 3, "wrong": 4}
"""How bad an outcome is where it is not the desired one."""

_HASH = 12
"""Characters of a hash that are shown."""


class Column(Struct, frozen=True, kw_only=True):
    """One run."""

    letter: str
    run: str
    pipeline: str
    retriever: str
    tags: list[str]
    questions: int
    """Questions times epochs."""
    buckets: dict[str, int]
    not_graded: int
    as_desired: Share
    unacceptable: Share
    rows: dict[str, Share]
    """As desired, by row."""
    metrics: dict[str, float | None]
    seconds: float
    median_seconds: float | None
    """Of a call."""
    cost: float | None
    """US dollars; null: not reported."""
    tokens: int | None


class Flip(Struct, frozen=True):
    """A question that came out otherwise."""

    question: str
    row: str
    wanted: str
    was: str
    now: str
    worse: bool


class Against(Struct, frozen=True, kw_only=True):
    """One run against the first."""

    letter: str
    changes: list[Change]
    flips: list[Flip]
    """Worse first."""
    flows: dict[str, dict[str, int]]
    """Questions by their outcome in the first run, then in this one."""


class Comparison(Struct, frozen=True, kw_only=True):
    """Runs side by side: the JSON of ``ragharness compare``."""

    format: int = FORMAT
    columns: list[Column]
    settings: dict[str, list[str]]
    """Settings that differ, a value for each run."""
    warnings: list[str]
    against: list[Against]


def compare(folders: Sequence[RunFolder]) -> Comparison:
    """Return the runs side by side, the others against the first.

    Raises NotComparable for other questions or another corpus, UsageError for fewer than two runs.
    """
    if not 2 <= len(folders) <= len(_LETTERS):
        raise UsageError(
            f"expected 2 to {len(_LETTERS)} runs, found {len(folders)}", help="ragharness compare RUN RUN"
        )
    first, warnings = folders[0], []
    for letter, folder in zip(_LETTERS[1:], folders[1:], strict=False):
        differing = differences(first.run.settings, folder.run.settings)
        fatal = [differing[name] for name in ("question_set", "corpus") if name in differing]
        if fatal:
            told = "; ".join(fatal).replace("the base", first.name).replace("the candidate", folder.name)
            raise NotComparable(
                f"expected runs on the same questions, found {told}",
                help="run both pipelines with the same --corpus, --questions and --size",
            )
        warnings += [
            f"{differing[name].replace('the base', 'A').replace('the candidate', letter)}"
            for name in ("grader", "epochs")
            if name in differing
        ]
    base = read_side(first)
    against = []
    for letter, folder in zip(_LETTERS[1:], folders[1:], strict=False):
        against.append(_against(letter, base, read_side(folder, base)))
    return Comparison(
        columns=[_column(letter, folder) for letter, folder in zip(_LETTERS, folders, strict=False)],
        settings=_differing([folder.run.settings for folder in folders]),
        warnings=warnings,
        against=against,
    )


def _column(letter: str, folder: RunFolder) -> Column:
    scores = score_folder(folder)
    spent = scores.spending
    tokens = [each for each in (spent.prompt_tokens, spent.completion_tokens) if each is not None]
    return Column(
        letter=letter,
        run=scores.run,
        pipeline=scores.pipeline,
        retriever=f"{scores.retriever} k={scores.retrieval.k}" if scores.retrieval.k else scores.retriever,
        tags=scores.tags,
        questions=scores.questions,
        buckets=scores.buckets,
        not_graded=scores.not_graded,
        as_desired=scores.wanted.total,
        unacceptable=scores.intervals.unacceptable,
        rows={row: share for row, share in scores.wanted.rows.items() if share.n},
        metrics=_metrics(scores),
        seconds=scores.seconds,
        median_seconds=scores.timing.median,
        cost=spent.cost,
        tokens=sum(tokens) if tokens else None,
    )


def _metrics(scores: Scores) -> dict[str, float | None]:
    return {
        each.name: value_of(getattr(getattr(scores, part), each.name))
        for part in ("axes", "retrieval")
        for each in metrics(part)
    }


def value_of(found: Any) -> float | None:
    """Return the value of a metric as one number: a rate, a sum, or a mean; None of nothing."""
    if isinstance(found, Share):
        return found.count / found.n if found.n else None
    if hasattr(found, "yes"):
        return found.yes / (found.yes + found.no) if found.yes + found.no else None
    if hasattr(found, "sum"):
        return float(found.sum)
    value = getattr(found, "mean", found)
    return None if value is None else float(value)


def _against(letter: str, base: Side, other: Side) -> Against:
    flips, flows = [], Counter[tuple[str, str]]()
    for name, asked in base.asked.items():
        was, now = _outcome(base, name), _outcome(other, name)
        flows[was, now] += 1
        if was != now:
            before, after = _badness(was, asked.wanted), _badness(now, asked.wanted)
            flips.append(
                (before - after, -after, Flip(name, asked.row, asked.wanted, was, now, after > before))
            )
    return Against(
        letter=letter,
        changes=inform(base, other, Gates()).changes,
        flips=[flip for _, _, flip in sorted(flips, key=lambda each: each[:2])],
        flows={was: {now: flows[was, now] for now in OUTCOMES} for was in OUTCOMES},
    )


def _outcome(side: Side, name: str) -> str:
    buckets = settle(side.marks[name], "majority").buckets
    return next(iter(buckets)) if len(buckets) == 1 else UNGRADED


def _badness(outcome: str, wanted: str) -> int:
    return 0 if outcome == wanted else _BADNESS[outcome]


def _differing(settings: Sequence[Any]) -> dict[str, list[str]]:
    """Return the settings that are not the same in all runs, those of pipelines and retrievers one by one."""
    flat = []
    for each in settings:
        values: dict[str, str] = {}
        for name, value in to_builtins(each).items():
            inner = value if isinstance(value, dict) else {"": value}
            values |= {f"{name} {key}".strip().replace("_", " "): str(one) for key, one in inner.items()}
        flat.append(values)
    names = dict.fromkeys(name for values in flat for name in values)
    return {
        name: [_short(values.get(name, "")) for values in flat]
        for name in names
        if len({values.get(name, "") for values in flat}) > 1
    }


def _short(text: str) -> str:
    is_hash = len(text) >= 32 and all(each in "0123456789abcdef" for each in text)
    return text[:_HASH] if is_hash else text
