"""Metrics of others, over a run on disk or outputs of another system, and what logs of production show.

``ragchecker`` gives its figures from which claims follow from which texts (Ru et al. 2024).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from ragharness.analysis.derived import (
    WEIGHTS,
    Answerable,
    Answers,
    Item,
    Measured,
    MetricOptions,
    derived,
    derived_metric,
    harmonic,
    items,
    measure,
    ratio,
    wrong,
)
from ragharness.analysis.intervals import difference_interval
from ragharness.analysis.metrics import Share, share
from ragharness.analysis.trust_eval import Entails, Mode, Output, item_of, outputs
from ragharness.errors import CodeNotUsable, UnknownName, UsageError
from ragharness.graders.rules import declines, read_alone
from ragharness.pipelines.adapters import described, find
from ragharness.records import BUCKETS, Answer
from ragharness.runner.run_folder import RunFolder
from ragharness.support.files import json_rows
from ragharness.support.options import read_toml
from ragharness.traces.logs import Log
from ragharness.traces.scorer import refuses

_EXAMPLE = "--metrics trust_score,utility, --metrics all, or --metrics metrics.toml: docs/metrics.md"


class Wanted(Struct, frozen=True, kw_only=True):
    """Which metrics are wanted, and what they are told; the keys of a ``metrics.toml``."""

    metrics: list[str] = []  # their names; empty: all
    answerable: Answerable = "retrieval"
    weights: dict[str, float] = {}  # what an answer in each bucket is worth; the others keep their own
    judge: str = ""  # ``FILE.py:NAME`` of what says whether an answer refuses; empty: the grader
    claims: Mode = "em"  # how gold claims are looked for in outputs of other systems


class Metrics(Struct, frozen=True, kw_only=True):
    """What ``metrics.json`` holds."""

    run: str  # its name, or the file of outputs
    questions: list[str]  # the question of each graded answer: the order of the rows of every metric
    ungraded: int  # answers without a bucket: in no figure
    undecided: list[str]  # questions whose answers the judge left to a person: in no figure either
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
    """What a list of names, ``all`` or a TOML file asks for; raises UsageError, UnknownName."""
    if text.endswith(".toml"):
        return wanted_of(read_toml(text, _EXAMPLE), text)
    names = [name.strip() for name in text.split(",") if name.strip()]
    return wanted_of({"metrics": [] if names == ["all"] else names}, "--metrics")


def wanted_of(values: Any, where: str = "metrics") -> Wanted:
    """Settings as checked; raises UsageError, UnknownName."""
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
    """Metrics over graded answers, by ``judge`` or the named one; raises RunNotUsable, CodeNotUsable."""
    found = items(folder.questions(), folder.records(), folder.run.settings.epochs)
    return _metrics(folder.name, found, wanted, wanted.metrics or list(derived()), judge)


def metrics_of_outputs(
    path: Path, wanted: Wanted, judge: object = None, *, entails: Entails | None = None
) -> Metrics:
    """Metrics over outputs of another system; raises UsageError for a metric that needs buckets.

    Without ``entails`` a passage supports what it contains word for word. Outputs of which the grader cannot
    tell whether they refuse are ungraded, unless there is a judge.
    """
    texts = [name for name, metric in derived().items() if metric.from_texts]
    for name in wanted.metrics:
        if name not in texts:
            known = f"they give {', '.join(texts)}"
            raise UsageError(f"expected a metric that texts give, found {name}", help=known)
    read = read_outputs(path, wanted.claims, entails)
    judge = judge or wanted.judge
    told = [item_of(each, (lambda *_: False) if judge else declines) for each in read]
    unread = [one for one, item in zip(read, told, strict=True) if item is None]
    ungraded = [wrong(output.question, bool(output.answers), any(output.recoverable)) for output in unread]
    found = Answers([item for item in told if item is not None], ungraded)
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
    options = MetricOptions(wanted.answerable, {**WEIGHTS, **wanted.weights})
    return Metrics(
        run=name,
        questions=[each.question for each in graded],
        ungraded=len(found.ungraded),
        undecided=[each.question for each in undecided],
        answerable=options.answerable,
        weights=options.weights,
        judge=judge if isinstance(judge, str) else described(judge) if judge else "",
        metrics=measure(names, graded, options, ungraded=[*found.ungraded, *lost]),
    )


ATTEMPTS = 2  # calls for one judgement before it is left to a person
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
    """What answers a prompt: a function, an object with ``invoke``, or their name; raises CodeNotUsable."""
    found: Any = find(judge).value
    call = getattr(found, "invoke", found)
    if not callable(call):
        message = f"expected a function or an object with invoke as the judge, found {described(found)}"
        raise CodeNotUsable(message, help="it takes a prompt and returns the reply: docs/metrics.md")

    def ask(prompt: str) -> str:
        reply = call(prompt)
        return str(getattr(reply, "content", reply))

    return ask


def judged(found: Sequence[Item], ask: Callable[[str], str]) -> tuple[list[Item], list[Item]]:
    """Answers as the judge has them, and those that it leaves to a person."""
    read, left = [], []
    for item in found:
        prompt = PROMPT.format(question=item.asked, answer=item.text)
        said = next((each for _ in range(ATTEMPTS) if (each := judgement(ask(prompt))) is not None), None)
        if said is None:
            left.append(item)
        else:
            read.append(replace(item, refused=said))
    return read, left


Matrix = Sequence[Sequence[bool]]  # for each claim, whether each passage entails it


def ragchecker(
    right: Sequence[bool], told: Sequence[bool], of_answer: Matrix, of_gold: Matrix
) -> dict[str, float]:
    """RAGChecker's eleven figures; 0 where there is nothing to count.

    ``right``: for each claim of the answer, whether the gold answer entails it; ``told``: for each gold
    claim, whether the answer does; ``of_answer`` and ``of_gold``: whether each passage entails these claims.
    """
    relevant = [any(column) for column in zip(*of_gold, strict=True)]
    recalled, faithful = list(map(any, of_gold)), list(map(any, of_answer))
    claims = list(zip(right, faithful, of_answer, strict=True))

    def misled(kind: bool) -> float:
        """Share of false claims that a passage of this kind of relevance entails."""
        held = (
            [row and is_ == kind for row, is_ in zip(rows, relevant, strict=True)] for _, _, rows in claims
        )
        return ratio(sum(any(each) and not good for each, good in zip(held, right, strict=True)), len(claims))

    precision, recall = ratio(sum(right), len(right)), ratio(sum(told), len(told))
    return {
        "precision": precision,
        "recall": recall,
        "f1": harmonic(precision, recall),
        "claim_recall": ratio(sum(recalled), len(recalled)),
        "context_precision": ratio(sum(relevant), len(relevant)),
        "context_utilization": ratio(sum(map(all, zip(recalled, told, strict=True))), sum(recalled)),
        "hallucination": ratio(sum(not held and not good for good, held, _ in claims), len(claims)),
        "self_knowledge": ratio(sum(not held and good for good, held, _ in claims), len(claims)),
        "faithfulness": ratio(sum(faithful), len(faithful)),
        "noise_sensitivity_in_relevant": misled(True),
        "noise_sensitivity_in_irrelevant": misled(False),
    }


class LogScores(Struct, frozen=True, kw_only=True):
    """What a log comes to; the rates are of answers, never of the sentences in them."""

    format: str
    answers: int
    left_out: int  # rows and traces without a question
    empty: int  # questions without an answer
    unread: int  # answers of which it is not certain whether they refuse
    refused: Share  # of the answers that are read
    cited: Share  # of those that are no refusal: with a citation
    citations_exist: Share  # of answers with citations where retrieval is logged: all were retrieved
    citations_support: Share  # of answers with citations of known texts: all support their sentences
    undetermined_support: int  # of those, the ones where it is open for a citation and denied for none
    uncited_claims: Share  # of those that are no refusal: with a claim that cites nothing
    unknown_texts: int  # answers that cite a passage of which the log has no text: their support is not known
    unknown_retrieval: int  # answers of which retrieval is not logged, or not by the ids that they cite


RATES = ("refused", "cited", "citations_exist", "citations_support", "uncited_claims")


class Drift(Struct, frozen=True, kw_only=True):
    """A rate of one log beside that of an earlier one."""

    name: str
    before: Share
    after: Share
    low: float | None  # 95 % interval of the difference (Newcombe 1998); None: nothing to count
    high: float | None

    @property
    def moved(self) -> bool:
        """Whether the interval leaves no room for no change."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)


def score_log(log: Log) -> LogScores:
    """What a log shows; an answer that cannot be read is counted and in no rate."""
    empty = unread = unknown = unretrieved = refused = given = cited = uncited = 0
    exist: list[bool] = []
    support: list[bool | None] = []
    for entry in log.entries:
        if not entry.answer:
            empty += 1
            continue
        answer = Answer(text=entry.answer, citations=entry.citations)
        read = read_alone(entry.question, answer, entry.passages or ())
        declines = refuses(entry.answer) or read.declines
        if declines is None:
            unread += 1
            continue
        refused += declines
        texts = {passage.id: bool(passage.text) for passage in entry.passages or ()}
        if entry.passages is None or (entry.numbered and not all(map(str.isdigit, read.citations))):
            unretrieved += 1
        elif read.citations:
            exist.append(all(each in texts for each in read.citations))
            if any(not texts.get(each, True) for each in read.citations):
                unknown += 1
            else:
                alone = [stated for each in read.sentences for stated in each.citation_support]
                support.append(False if False in alone else None if None in alone else True)
        if not declines:
            given += 1
            cited += bool(read.citations)
            uncited += any(each.is_claim and not each.citations for each in read.sentences)
    n = len(log.entries)
    return LogScores(
        format=log.format,
        answers=n,
        left_out=log.left_out,
        empty=empty,
        unread=unread,
        refused=share(refused, n - empty - unread),
        cited=share(cited, given),
        citations_exist=share(sum(exist), len(exist)),
        citations_support=share(support.count(True), len(support)),
        undetermined_support=support.count(None),
        uncited_claims=share(uncited, given),
        unknown_texts=unknown,
        unknown_retrieval=unretrieved,
    )


def drift(before: LogScores, after: LogScores) -> list[Drift]:
    """How each rate moved from one log to another of other questions."""
    moves = []
    for name in RATES:
        old, new = getattr(before, name), getattr(after, name)
        known = old.n and new.n
        low, high = difference_interval(new.count, new.n, old.count, old.n) if known else (None, None)
        moves.append(Drift(name=name, before=old, after=new, low=low, high=high))
    return moves
