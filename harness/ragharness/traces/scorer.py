"""Scorer of traces against a gold set: precision, citations, refusals, recall@k.

Needs the standard library alone, and runs by itself::

    python scorer.py --gold gold.jsonl --trace trace.jsonl [--k 5] [--gates precision=0.8,...] [--compat]

A line of gold has ``qid``, ``question``, ``answerable``, ``gold_claim_substr``, ``gold_citations``; a line of
traces ``qid``, ``retrieved_ids`` and ``answer_json`` with ``claim`` and ``citations``. The last trace of a
question counts. Exit codes: 0 all gates hold, 1 one does not, 2 no result, 3 what cannot be read.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

TOKEN = "not in context"  # noqa: S105 (what a pipeline says when it refuses)
GATES = "precision=0.80,chr=0.75,under=0.05,over=0.10"
_UPPER_LIMITS = ("under", "over")  # rates that a gate limits from above
_SHORTEST = 5  # characters of a gold substring below which it is not looked for
_EXIT = {"pass": 0, "fail": 1, "open": 2}
_DENOMINATORS = {  # denominator of each rate of the page's scorer, and the rate if that is 0
    "precision": ("answered", 1.0),
    "chr": ("answered", 1.0),
    "under": ("unanswerable", 0.0),
    "over": ("answerable", 0.0),
    "recall": ("sought", 0.0),
}
_SUFFIXES = {"under": "_refusal", "over": "_refusal", "recall": "@k"}

Line = dict[str, Any]
Ways = set[tuple[int, int]]  # what a question may add to numerator and denominator; several where it is open


class TraceError(ValueError):
    """A file of gold or traces, or a gate, that cannot be read."""


@dataclass(frozen=True)
class Rate:
    """A share, and its bounds over the questions that are open."""

    count: int
    n: int
    low: float | None
    high: float | None

    @property
    def value(self) -> float | None:
        """The share of what is decided; None without any."""
        return self.count / self.n if self.n else None


@dataclass(frozen=True)
class Gate:
    """A limit and whether it holds, however the open questions turn out."""

    name: str
    sign: str
    limit: float
    state: str  # ``pass``, ``fail`` or ``open``


@dataclass(frozen=True)
class TraceScores:
    """Counts, rates and gates of a file of traces."""

    k: int
    answered: int
    refused: int
    answerable: int
    unanswerable: int
    rates: dict[str, Rate]  # ``precision``, ``chr``, ``under``, ``over`` and ``recall@k``
    gates: tuple[Gate, ...]
    missing: tuple[str, ...]  # questions without a trace
    unread: tuple[str, ...]  # questions whose claim is empty or cannot be read: neither answer nor refusal
    unchecked: tuple[str, ...]  # answers that the gold gives nothing to check by: no substring or citation
    unknown: int  # traces of questions that the gold does not have

    @property
    def verdict(self) -> str:
        """``fail`` if a gate fails however the open questions turn out, ``open`` if they would decide."""
        states = {gate.state for gate in self.gates}
        if "fail" in states:
            return "fail"
        return "open" if "open" in states or self.missing or self.unread else "pass"


def refuses(claim: str) -> bool:
    """Whether a claim is the refusal token, whatever its case, quotes and full stop."""
    return claim.strip(" \t\n\"'“”.").casefold() == TOKEN


def score(
    gold: Iterable[Line],
    traces: Iterable[Line],
    *,
    k: int = 5,
    gates: str = GATES,
    reads_refusal: Callable[[str, str], bool | None] | None = None,
) -> TraceScores:
    """Scores of traces; what is missing or cannot be checked is bounded, never counted as right.

    ``reads_refusal`` gets the question and the claim and says whether the claim refuses, None if it cannot
    tell; without it only the token is a refusal. Raises TraceError for gold or gates that cannot be read.
    """
    questions = _checked_gold(gold)
    last = {str(qid): trace for trace in traces if (qid := trace.get("qid") or trace.get("q_id"))}
    shipped: dict[str, bool | None] = {}
    ways: dict[str, list[Ways]] = {name: [] for name in ("precision", "chr", "under", "over", f"recall@{k}")}
    unchecked: list[str] = []
    for qid, line in questions.items():
        trace, answerable = last.get(qid, {}), line["answerable"]
        shipped[qid] = _ships_answer(line, trace, reads_refusal)
        right, hit, recalled = _checks(line, trace, k)
        if shipped[qid] is None:
            right, hit = (None if answerable else False), None
        if shipped[qid] and None in (right, hit):
            unchecked.append(qid)
        # False decides whatever the other is; None leaves it open.
        good = False if False in (right, hit) else None if None in (right, hit) else True
        ways["precision"].append(_among_answers(shipped[qid], good))
        ways["chr"].append(_among_answers(shipped[qid], hit))
        answers = _counted(shipped[qid])
        ways["over" if answerable else "under"].append(
            {(1 - count, 1) for count, _ in answers} if answerable else answers
        )
        if answerable and line.get("gold_citations"):
            ways[f"recall@{k}"].append(_counted(recalled if trace else None))
    rates = {name: _rate(options) for name, options in ways.items()}
    answered = list(shipped.values())
    return TraceScores(
        k=k,
        answered=answered.count(True),
        refused=answered.count(False),
        answerable=sum(line["answerable"] for line in questions.values()),
        unanswerable=sum(not line["answerable"] for line in questions.values()),
        rates=rates,
        gates=tuple(_gate(name, limit, rates) for name, limit in _limits(gates).items()),
        missing=tuple(qid for qid in questions if qid not in last),
        unread=tuple(qid for qid in questions if shipped[qid] is None and qid in last),
        unchecked=tuple(unchecked),
        unknown=len(last.keys() - questions.keys()),
    )


def _ships_answer(gold: Line, trace: Line, reads: Callable[[str, str], bool | None] | None) -> bool | None:
    """Whether the trace has an answer, False for a refusal; None without a readable claim."""
    claim = _answer(trace).get("claim")
    if not isinstance(claim, str) or not claim.strip():
        return None
    if refuses(claim):
        return False
    refused = reads(str(gold.get("question", "")), claim) if reads else False
    return None if refused is None else not refused


def _checks(gold: Line, trace: Line, k: int) -> tuple[bool | None, bool | None, bool]:
    """Whether the claim holds a gold substring, whether its citations hit, and whether all gold is in k.

    None where the gold has nothing to check by; both False where no answer is right.
    """
    retrieved, relevant = _ids(trace.get("retrieved_ids")), set(_ids(gold.get("gold_citations")))
    cited = set(_ids(_answer(trace).get("citations")))
    recalled = relevant <= set(retrieved[:k])
    hit = cited <= set(retrieved) and bool(cited & relevant)
    if not gold["answerable"]:
        return False, hit, recalled
    claim = str(_answer(trace).get("claim", "")).casefold()
    parts = [part.casefold() for part in _ids(gold.get("gold_claim_substr")) if len(part) >= _SHORTEST]
    right = any(part in claim for part in parts) if parts else None
    return right, hit if relevant else None, recalled


def _answer(trace: Line) -> Line:
    answer = trace.get("answer_json")
    return answer if isinstance(answer, dict) else {}


def _ids(value: object) -> list[str]:
    return [str(name) for name in value] if isinstance(value, list) else []


def _counted(yes: bool | None) -> Ways:
    return {(0, 1), (1, 1)} if yes is None else {(int(yes), 1)}


def _among_answers(shipped: bool | None, good: bool | None) -> Ways:
    """What a question may add to a share of the answers; a refusal adds nothing."""
    return ({(0, 0)} if not shipped else set()) | (_counted(good) if shipped is not False else set())


def _rate(options: Sequence[Ways]) -> Rate:
    """Share of what is decided, with its bounds over all ways in which open questions may turn out."""
    sure = [next(iter(ways)) for ways in options if len(ways) == 1]
    # A question that is right, one that counts in no way, one that is not: in this order.
    low, high = (
        [pick(ways, key=lambda way: (way[0] - way[1], way[0])) for ways in options] for pick in (min, max)
    )
    bounds = [sum(count for count, _ in ways) / (sum(n for _, n in ways) or math.nan) for ways in (low, high)]
    worst, best = (None if math.isnan(bound) else bound for bound in bounds)
    return Rate(sum(count for count, _ in sure), sum(n for _, n in sure), worst, best)


def _gate(name: str, limit: float, rates: Mapping[str, Rate]) -> Gate:
    if name not in rates:
        raise TraceError(f"there is no gate {name!r}; choose among {', '.join(rates)}")
    sign = -1 if name in _UPPER_LIMITS else 1
    bounds = (rates[name].low, rates[name].high)
    holds = [bound is None or sign * bound >= sign * limit for bound in bounds]
    if None in bounds:
        holds.append(False)
    state = "pass" if all(holds) else "open" if any(holds) else "fail"
    return Gate(name, "<=" if name in _UPPER_LIMITS else ">=", limit, state)


def _limits(text: str) -> dict[str, float]:
    try:
        return {name.strip(): float(limit) for name, limit in (part.split("=") for part in text.split(","))}
    except ValueError:
        raise TraceError(f"cannot read --gates {text!r}; write them as {GATES}") from None


def _checked_gold(gold: Iterable[Line]) -> dict[str, Line]:
    questions: dict[str, Line] = {}
    for number, line in enumerate(gold, 1):
        qid, answerable = line.get("qid"), json.dumps(line.get("answerable"))
        if not qid:
            raise TraceError(f"line {number} of the gold has no qid")
        if str(qid) in questions:
            raise TraceError(f"duplicate qid {qid!r} on line {number} of the gold")
        if answerable not in ("true", "false"):
            raise TraceError(f"answerable of {qid} must be true or false, not {answerable}")
        questions[str(qid)] = line
    if not questions:
        raise TraceError("the gold set has no question")
    return questions


def compat(gold: Iterable[Line], traces: Iterable[Line], k: int, gates: str) -> dict[str, Any]:
    """What the scorer of the rag-eval page prints, its quirks included: docs/traces.md lists them."""
    questions = {line["qid"]: line for line in gold}
    last = {qid: trace for trace in traces if (qid := trace.get("qid") or trace.get("q_id"))}
    n: Counter[str] = Counter()
    for qid, line in questions.items():
        trace = last.get(qid, {})
        answer = trace.get("answer_json") or {}
        claim = (answer.get("claim") or "").strip()
        cited, retrieved = answer.get("citations") or [], trace.get("retrieved_ids") or []
        relevant, answerable = line.get("gold_citations") or [], line.get("answerable")
        shipped = claim.lower() != TOKEN
        n["answerable" if answerable else "unanswerable"] += 1
        n["answered" if shipped else "refused"] += 1
        if shipped:
            right = _holds(claim, line.get("gold_claim_substr"))
            hit = _hits(cited, relevant, retrieved)
            if answerable == False:  # noqa: E712 (0 counts as false there)
                n["under"] += 1
            else:
                n["chr"] += hit
                n["precision"] += right and hit
        if answerable == True:  # noqa: E712
            n["over"] += not shipped
            n["sought"] += 1
            n["recall"] += set(relevant).issubset(retrieved[:k])
    rates = {name: n[name] / n[of] if n[of] else empty for name, (of, empty) in _DENOMINATORS.items()}
    limits = dict(part.split("=") for part in gates.split(","))
    passes = all(
        rates[name] <= float(limits[name]) if name in _UPPER_LIMITS else rates[name] >= float(limits[name])
        for name in ("precision", "chr", "under", "over")
    )
    return {
        **{name: n[name] for name in ("answered", "refused", "answerable", "unanswerable")},
        **{f"{name}{_SUFFIXES.get(name, '')}": round(rate, 4) for name, rate in rates.items()},
        "k": k,
        "gates": limits,
        "pass": passes,
    }


def _holds(claim: str, parts: Any) -> bool:
    text = claim.lower()
    return any(len(low := part.lower()) >= _SHORTEST and low in text for part in parts or []) or parts == []


def _hits(cited: Any, relevant: Any, retrieved: Any) -> bool:
    sound = isinstance(cited, list) and set(cited).issubset(retrieved)
    return sound and (bool(set(cited) & set(relevant)) if relevant else not cited)


def read(path: Path) -> Iterator[Line]:
    """Yield the objects of a JSON Lines file; raises TraceError with the line that is none."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise TraceError(f"cannot read {path} as JSON Lines: {error}") from error
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            content = json.loads(line)
        except (ValueError, RecursionError):
            content = None
        if not isinstance(content, dict):
            raise TraceError(f"line {number} of {path} is no JSON object: {line.strip()[:40]!r}")
        yield content


def json_of(scores: TraceScores) -> dict[str, Any]:
    """The report as JSON: ``result`` is false where open questions would decide."""
    report = asdict(scores)
    for name, rate in scores.rates.items():
        report["rates"][name]["value"] = rate.value
    return {"verdict": scores.verdict, "result": scores.verdict != "open", **report}


def exit_code(scores: TraceScores) -> int:
    """0 where all gates hold, 1 where one does not, 2 where there is no result."""
    return _EXIT[scores.verdict]


def run_compat(gold: Path, trace: Path, k: int, gates: str) -> int:
    """Print what the scorer of the rag-eval page prints; its errors are one line, with its exit code."""
    try:
        report = compat(_loaded(gold), _loaded(trace), k, gates)
    except Exception as error:  # noqa: BLE001 (whatever it meets, the page's scorer exits with 1)
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    print(json.dumps(report, indent=2))
    return 0


def _loaded(path: Path) -> Iterator[Line]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, filter(None, map(str.strip, file)))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run as a program of its own; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--gold", type=Path, required=True)
    parser.add_argument("--trace", type=Path, required=True)
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--gates", default=GATES)
    parser.add_argument("--compat", action="store_true", help="as the scorer of the rag-eval page prints it")
    options = parser.parse_args(arguments)
    if options.compat:
        return run_compat(options.gold, options.trace, options.k, options.gates)
    try:
        scores = score(read(options.gold), read(options.trace), k=options.k, gates=options.gates)
    except TraceError as error:
        print(f"error: {error}", file=sys.stderr)
        return 3
    print(json.dumps(json_of(scores), indent=2))
    return exit_code(scores)


if __name__ == "__main__":
    sys.exit(main())
