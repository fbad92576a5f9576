"""Metrics of others over a run on disk: which are wanted, with which settings, and what they come to."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from ragharness.analysis.derived import WEIGHTS, How, Measured, derived, derived_metric, measure
from ragharness.analysis.scores.items import Answerable, Answers, Item, items, wrong
from ragharness.analysis.scores.trust_eval import Entails, Mode, Output, item_of, outputs
from ragharness.errors import CodeNotUsable, UnknownName, UsageError
from ragharness.graders.rules import declines
from ragharness.pipelines.adapters import described, find
from ragharness.records import BUCKETS
from ragharness.runner.run_folder import RunFolder
from ragharness.support.options import read_toml
from ragharness.support.rows import json_rows

_EXAMPLE = "--metrics trust_score,utility, --metrics all, or --metrics metrics.toml: docs/metrics.md"


class Wanted(Struct, frozen=True, kw_only=True):
    """Which metrics are wanted, and what they are told; the keys of a ``metrics.toml``."""

    metrics: list[str] = []
    """Their names; empty: all."""
    answerable: Answerable = "retrieval"
    weights: dict[str, float] = {}
    """What an answer in each bucket is worth; the others keep their usual weight."""
    judge: str = ""
    """``FILE.py:NAME`` of what says whether an answer refuses; empty: the grader's own reading."""
    claims: Mode = "em"
    """How gold claims are looked for in outputs of other systems."""


class Metrics(Struct, frozen=True, kw_only=True):
    """What ``metrics.json`` holds."""

    run: str
    """Its name, or the file of outputs."""
    questions: list[str]
    """The question of each graded answer: the order of the rows of every metric."""
    ungraded: int
    """Answers without a bucket: in no figure."""
    undecided: list[str]
    """Questions whose answers the judge left to a person: in no figure either."""
    answerable: Answerable
    weights: dict[str, float]
    judge: str
    metrics: list[Measured]

    def __getitem__(self, name: str) -> Measured:
        for each in self.metrics:
            if each.name == name:
                return each
        raise UnknownName("metric of this result", name, [each.name for each in self.metrics])


def read_wanted(text: str) -> Wanted:
    """Return what a list of names, ``all`` or a TOML file asks for; raises UsageError, UnknownName."""
    if text.endswith(".toml"):
        return wanted_of(read_toml(text, _EXAMPLE), text)
    names = [name.strip() for name in text.split(",") if name.strip()]
    return wanted_of({"metrics": [] if names == ["all"] else names}, "--metrics")


def wanted_of(values: Any, where: str = "metrics") -> Wanted:
    """Return settings as checked; raises UsageError, UnknownName."""
    for name in values:
        if name not in Wanted.__struct_fields__:
            raise UnknownName("setting of metrics", name, Wanted.__struct_fields__, help=_EXAMPLE)
    try:
        wanted = msgspec.convert(values, Wanted)
    except msgspec.ValidationError as error:
        raise UsageError(f"expected settings of metrics in {where}, found: {error}", help=_EXAMPLE) from error
    for name in wanted.metrics:
        derived_metric(name, _EXAMPLE)
    for name in wanted.weights:
        if name not in BUCKETS:
            raise UnknownName("bucket", name, BUCKETS, help=_EXAMPLE)
    return wanted


def metrics_of(folder: RunFolder, wanted: Wanted, judge: object = None) -> Metrics:
    """Return metrics over a run's graded answers; ``judge`` takes the place of the one that is named.

    Raises RunNotUsable where the run is damaged, CodeNotUsable for a judge that cannot be called.
    """
    epochs = folder.run.settings.epochs
    asked = folder.questions()
    found = items(asked, folder.records(), epochs)
    return _metrics(folder.name, found, wanted, wanted.metrics or list(derived()), judge)


def metrics_of_outputs(
    path: Path, wanted: Wanted, judge: object = None, *, entails: Entails | None = None
) -> Metrics:
    """Return metrics over outputs of another system; raises UsageError for a metric that needs buckets.

    Without ``entails`` a passage supports what it contains word for word. Outputs of which the grader cannot
    tell whether they refuse are ungraded, unless there is a judge.
    """
    texts = [name for name, metric in derived().items() if metric.from_texts]
    for name in wanted.metrics:
        if name not in texts:
            raise UsageError(
                f"expected a metric that texts give, found {name}", help=f"they give {', '.join(texts)}"
            )
    read = read_outputs(path, wanted.claims, entails)
    judge = judge or wanted.judge
    told = [item_of(each, (lambda *_: False) if judge else declines) for each in read]
    unread = [one for one, item in zip(read, told, strict=True) if item is None]
    found = Answers(
        [each for each in told if each is not None],
        [wrong(each.question, bool(each.answers), any(each.recoverable)) for each in unread],
    )
    return _metrics(path.name, found, wanted, wanted.metrics or texts, judge)


def read_outputs(path: Path, claims: Mode = "em", entails: Entails | None = None) -> list[Output]:
    """Read outputs: a JSON array, an object with ``data``, or an object a line; raises UsageError."""
    return outputs(json_rows(path, "outputs of a system"), entails=entails, mode=claims)


def _metrics(name: str, found: Answers, wanted: Wanted, names: list[str], judge: object) -> Metrics:
    graded = found.graded
    undecided: list[Item] = []
    judge = judge or wanted.judge
    if judge:
        graded, undecided = judged(graded, load_judge(judge))
    lost = [wrong(each.question, each.in_corpus, each.in_retrieval) for each in undecided]
    how = How(wanted.answerable, {**WEIGHTS, **wanted.weights})
    return Metrics(
        run=name,
        questions=[each.question for each in graded],
        ungraded=len(found.ungraded),
        undecided=[each.question for each in undecided],
        answerable=how.answerable,
        weights=how.weights,
        judge=judge if isinstance(judge, str) else described(judge) if judge else "",
        metrics=measure(names, graded, how, ungraded=[*found.ungraded, *lost]),
    )


ATTEMPTS = 2
"""Calls for one judgement before it is left to a person."""

PROMPT = """Does this answer refuse the question?

It is REFUSED if any part of it says that the question cannot be answered, even if an answer follows.
It is NOT REFUSED if it answers, rightly or wrongly, and says nothing of the kind.

Question: {question}
Answer: {answer}

Write three lines:
Reasoning: one sentence
Span: the words of the answer that decide, or none
Judgement: REFUSED or NOT REFUSED
"""

_DECORATION = str.maketrans("", "", '*_[]"`')
_JUDGEMENT = re.compile(r"\bjudge?ment\s*:\s*(NOT\s+REFUSED|REFUSED)\b", re.IGNORECASE)


def judgement(reply: str) -> bool | None:
    """Whether a reply's last judgement is REFUSED; None where it has none: free text is not guessed at."""
    found = _JUDGEMENT.findall(reply.translate(_DECORATION))
    return found[-1].upper() == "REFUSED" if found else None


def load_judge(judge: object) -> Callable[[str], str]:
    """Return what answers a prompt: a function, an object with ``invoke``, or ``FILE.py:NAME`` of either.

    Raises CodeNotUsable.
    """
    found: Any = find(judge).value
    call = getattr(found, "invoke", found)
    if not callable(call):
        raise CodeNotUsable(
            f"expected a function or an object with invoke as the judge, found {described(found)}",
            help="it takes a prompt and returns the reply: docs/metrics.md",
        )

    def ask(prompt: str) -> str:
        reply = call(prompt)
        return str(getattr(reply, "content", reply))

    return ask


def judged(found: Sequence[Item], ask: Callable[[str], str]) -> tuple[list[Item], list[Item]]:
    """Return the answers as the judge has them, and those that it leaves to a person."""
    read, left = [], []
    for item in found:
        prompt = PROMPT.format(question=item.asked, answer=item.text)
        said = next((each for _ in range(ATTEMPTS) if (each := judgement(ask(prompt))) is not None), None)
        if said is None:
            left.append(item)
        else:
            read.append(replace(item, refused=said))
    return read, left
