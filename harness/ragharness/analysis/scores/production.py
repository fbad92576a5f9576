"""What logs show without gold: refusals, citations that exist and support, uncited claims."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from ragharness.analysis.metrics import Share, share
from ragharness.analysis.statistics.intervals import difference_interval
from ragharness.config import DEFAULT_SEED
from ragharness.graders.rules import read_alone
from ragharness.records import Answer
from ragharness.traces.logs import Log
from ragharness.traces.logs.assembling import Entry
from ragharness.traces.scorer import refuses


class LogScores(Struct, frozen=True, kw_only=True):
    """What a log comes to; the rates are of answers, never of the sentences in them."""

    format: str
    answers: int
    left_out: int
    """Rows and traces without a question."""
    empty: int
    """Questions without an answer."""
    unread: int
    """Answers of which it is not certain whether they refuse."""
    refused: Share
    """Of the answers that are read."""
    cited: Share
    """Of those that are no refusal: with a citation."""
    citations_exist: Share
    """Of answers with citations where the log says what was retrieved: all of them were."""
    citations_support: Share
    """Of answers with citations to passages whose text is known: all support their sentences."""
    uncited_claims: Share
    """Of those that are no refusal: with a sentence that claims something and cites nothing."""
    unknown_texts: int
    """Answers that cite a passage of which the log has no text: their support is not known."""
    unknown_retrieval: int
    """Answers of which the log does not say what was retrieved, or not by the ids that they cite."""


RATES = ("refused", "cited", "citations_exist", "citations_support", "uncited_claims")


class Drift(Struct, frozen=True, kw_only=True):
    """A rate of one log beside that of an earlier one."""

    name: str
    before: Share
    after: Share
    low: float | None
    """95 % interval of the difference (Newcombe 1998); None where a log has nothing to count."""
    high: float | None

    @property
    def moved(self) -> bool:
        """Whether the interval leaves no room for no change."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)


def score_log(log: Log) -> LogScores:
    """Return what a log shows; an answer that cannot be read is counted and in no rate."""
    empty = unread = unknown = unretrieved = refused = given = cited = uncited = 0
    exist: list[bool] = []
    support: list[bool] = []
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
                support.append(all(all(each.citation_support) for each in read.sentences))
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
        citations_support=share(sum(support), len(support)),
        uncited_claims=share(uncited, given),
        unknown_texts=unknown,
        unknown_retrieval=unretrieved,
    )


def drift(before: LogScores, after: LogScores) -> list[Drift]:
    """Return how each rate moved from one log to another of other questions."""
    found = []
    for name in RATES:
        old, new = getattr(before, name), getattr(after, name)
        known = old.n and new.n
        low, high = difference_interval(new.count, new.n, old.count, old.n) if known else (None, None)
        found.append(Drift(name=name, before=old, after=new, low=low, high=high))
    return found


def sample(entries: Sequence[Entry], n: int, seed: int = DEFAULT_SEED) -> list[dict[str, Any]]:
    """Return answers drawn at random as ``calibrate`` takes them, ``answers`` and ``label`` to be filled."""
    answered = sorted((each for each in entries if each.answer), key=lambda each: each.id)
    drawn = random.Random(seed).sample(answered, min(n, len(answered)))
    return [
        {
            "id": each.id,
            "question": each.question,
            "answers": [],
            "answer": each.answer,
            "label": "",
            **({} if each.citations is None else {"citations": list(each.citations)}),
            "passages": [{"id": one.id, "title": one.title, "text": one.text} for one in each.passages or ()],
        }
        for each in drawn
    ]
