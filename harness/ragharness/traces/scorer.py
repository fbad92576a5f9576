"""Scores a pipeline's traces against a gold set: precision, citations, refusals, recall@k.

Needs the standard library alone, and runs by itself::

    python traces.py --gold gold.jsonl --trace trace.jsonl [--k 5] [--gates precision=0.8,...] [--compat]

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
_MOST = ("under", "over")
"""Rates that a gate limits from above."""
_SHORTEST = 5
"""Characters of a gold substring below which it is not looked for."""
_EXIT = {"pass": 0, "fail": 1, "open": 2}
_OF = {
    "precision": ("answered", 1.0),
    "chr": ("answered", 1.0),
    "under": ("unanswerable", 0.0),
    "over": ("answerable", 0.0),
    "recall": ("sought", 0.0),
}
"""Of what the page's scorer takes each rate, and its rate of nothing."""
_PRINTED = {"under": "_refusal", "over": "_refusal", "recall": "@k"}

Line = dict[str, Any]
Ways = set[tuple[int, int]]
"""What a question may add to a share: counted, and counted of; several where it is open."""


class TraceError(ValueError):
    """A file of gold or traces, or a gate, that cannot be read."""


@dataclass(frozen=True)
class Rate:
    """A share, and how far the questions that are open could move it."""

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
    state: str
    """``pass``, ``fail`` or ``open``."""


@dataclass(frozen=True)
class TraceScores:
    """What the traces come to."""

    k: int
    answered: int
    refused: int
    answerable: int
    unanswerable: int
    rates: dict[str, Rate]
    """``precision``, ``chr``, ``under``, ``over`` and ``recall@k``."""
    gates: tuple[Gate, ...]
    missing: tuple[str, ...]
    """Questions without a trace."""
    unread: tuple[str, ...]
    """Questions whose claim is empty or cannot be read: neither an answer nor a refusal."""
    unchecked: tuple[str, ...]
    """Answers that the gold gives nothing to check by: no substring, or no citation."""
    unknown: int
    """Traces of questions that the gold does not have."""

    @property
    def verdict(self) -> str:
        """``fail`` if a gate fails however the open questions turn out, ``open`` if they would decide."""
        states = {each.state for each in self.gates}
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
    """Return the scores; what is missing or cannot be checked is bounded, never counted as right.

    ``reads_refusal`` gets the question and the claim and says whether the claim refuses, None if it cannot
    tell; without it only the token is a refusal. Raises TraceError for gold or gates that cannot be read.
    """
    asked = _checked(gold)
    last = {str(qid): each for each in traces if (qid := each.get("qid") or each.get("q_id"))}
    shipped: dict[str, bool | None] = {}
    ways: dict[str, list[Ways]] = {name: [] for name in ("precision", "chr", "under", "over", f"recall@{k}")}
    unchecked: list[str] = []
    for qid, line in asked.items():
        trace = last.get(qid, {})
        shipped[qid] = _shipped(line, trace, reads_refusal)
        held, hit, found = _checks(line, trace, k)
        if shipped[qid] is None:
            held, hit = (None if line["answerable"] else False), None
        answerable = line["answerable"]
        if shipped[qid] and None in (held, hit):
            unchecked.append(qid)
        ways["precision"].append(_of_answers(shipped[qid], _both(held, hit)))
        ways["chr"].append(_of_answers(shipped[qid], hit))
        answers = _counted(shipped[qid])
        ways["over" if answerable else "under"].append(
            {(1 - one, 1) for one, _ in answers} if answerable else answers
        )
        if answerable and line.get("gold_citations"):
            ways[f"recall@{k}"].append(_counted(found if trace else None))
    rates = {name: _rate(each) for name, each in ways.items()}
    answered = list(shipped.values())
    return TraceScores(
        k=k,
        answered=answered.count(True),
        refused=answered.count(False),
        answerable=sum(line["answerable"] for line in asked.values()),
        unanswerable=sum(not line["answerable"] for line in asked.values()),
        rates=rates,
        gates=tuple(_gate(name, limit, rates) for name, limit in _limits(gates).items()),
        missing=tuple(qid for qid in asked if qid not in last),
        unread=tuple(qid for qid in asked if shipped[qid] is None and qid in last),
        unchecked=tuple(unchecked),
        unknown=len(last.keys() - asked.keys()),
    )


def _shipped(gold: Line, trace: Line, reads: Callable[[str, str], bool | None] | None) -> bool | None:
    """Whether the trace has an answer, False for a refusal; None where there is neither."""
    claim = _answer(trace).get("claim")
    if not isinstance(claim, str) or not claim.strip():
        return None
    if refuses(claim):
        return False
    refused = reads(str(gold.get("question", "")), claim) if reads else False
    return None if refused is None else not refused


def _checks(gold: Line, trace: Line, k: int) -> tuple[bool | None, bool | None, bool]:
    """Say whether the claim holds a gold substring, whether its citations hit, and whether all gold is in k.

    None where the gold has nothing to check by; both False where no answer is right.
    """
    retrieved, wanted = _ids(trace.get("retrieved_ids")), set(_ids(gold.get("gold_citations")))
    cited = set(_ids(_answer(trace).get("citations")))
    found = wanted <= set(retrieved[:k])
    hit = cited <= set(retrieved) and bool(cited & wanted)
    if not gold["answerable"]:
        return False, hit, found
    claim = str(_answer(trace).get("claim", "")).casefold()
    parts = [each.casefold() for each in _ids(gold.get("gold_claim_substr")) if len(each) >= _SHORTEST]
    held = any(each in claim for each in parts) if parts else None
    return held, hit if wanted else None, found


def _answer(trace: Line) -> Line:
    answer = trace.get("answer_json")
    return answer if isinstance(answer, dict) else {}


def _ids(value: object) -> list[str]:
    return [str(each) for each in value] if isinstance(value, list) else []


def _both(one: bool | None, other: bool | None) -> bool | None:
    if False in (one, other):
        return False
    return None if None in (one, other) else True


def _counted(yes: bool | None) -> Ways:
    return {(0, 1), (1, 1)} if yes is None else {(int(yes), 1)}


def _of_answers(shipped: bool | None, good: bool | None) -> Ways:
    """Return what a question may add to a share of the answers; a refusal adds nothing."""
    return ({(0, 0)} if not shipped else set()) | (_counted(good) if shipped is not False else set())


def _rate(options: Sequence[Ways]) -> Rate:
    """Return a share of what is decided, with its bounds over all ways in which the rest may turn out."""
    sure = [next(iter(each)) for each in options if len(each) == 1]
    # A question that is right, one that counts in no way, one that is not: in this order.
    low, high = (
        [pick(each, key=lambda way: (way[0] - way[1], way[0])) for each in options] for pick in (min, max)
    )
    bounds = [sum(count for count, _ in each) / (sum(n for _, n in each) or math.nan) for each in (low, high)]
    worst, best = (None if math.isnan(each) else each for each in bounds)
    return Rate(sum(count for count, _ in sure), sum(n for _, n in sure), worst, best)


def _gate(name: str, limit: float, rates: Mapping[str, Rate]) -> Gate:
    if name not in rates:
        raise TraceError(f"expected a gate on one of {', '.join(rates)}, found {name!r}")
    sign = -1 if name in _MOST else 1
    bounds = (rates[name].low, rates[name].high)
    holds = [each is None or sign * each >= sign * limit for each in bounds]
    if rates[name].low is None or rates[name].high is None:
        holds.append(False)
    return Gate(
        name,
        "<=" if name in _MOST else ">=",
        limit,
        "pass" if all(holds) else "open" if any(holds) else "fail",
    )


def _limits(text: str) -> dict[str, float]:
    try:
        return {name.strip(): float(limit) for name, limit in (part.split("=") for part in text.split(","))}
    except ValueError:
        raise TraceError(f"expected --gates {GATES}, found {text!r}") from None


def _checked(gold: Iterable[Line]) -> dict[str, Line]:
    found: dict[str, Line] = {}
    for number, line in enumerate(gold, 1):
        qid, told = line.get("qid"), json.dumps(line.get("answerable"))
        if not qid or str(qid) in found:
            raise TraceError(f"expected another qid in each line of the gold, found {qid!r} in line {number}")
        if told not in ("true", "false"):
            raise TraceError(f"expected true or false as answerable of {qid}, found {told}")
        found[str(qid)] = line
    if not found:
        raise TraceError("expected a gold set of at least one question, found none")
    return found


def compat(gold: Iterable[Line], traces: Iterable[Line], k: int, gates: str) -> dict[str, Any]:
    """Return what the scorer of the rag-eval page prints, its quirks included: docs/traces.md lists them."""
    asked = {line["qid"]: line for line in gold}
    last = {qid: each for each in traces if (qid := each.get("qid") or each.get("q_id"))}
    n: Counter[str] = Counter()
    for qid, line in asked.items():
        trace = last.get(qid, {})
        answer = trace.get("answer_json") or {}
        claim = (answer.get("claim") or "").strip()
        cited, retrieved = answer.get("citations") or [], trace.get("retrieved_ids") or []
        wanted, answerable = line.get("gold_citations") or [], line.get("answerable")
        shipped = claim.lower() != TOKEN
        n["answerable" if answerable else "unanswerable"] += 1
        n["answered" if shipped else "refused"] += 1
        if shipped:
            held = _holds(claim, line.get("gold_claim_substr"))
            hit = _hits(cited, wanted, retrieved)
            if answerable == False:  # noqa: E712 (0 counts as false there)
                n["under"] += 1
            else:
                n["chr"] += hit
                n["precision"] += held and hit
        if answerable == True:  # noqa: E712
            n["over"] += not shipped
            n["sought"] += 1
            n["recall"] += set(wanted).issubset(retrieved[:k])
    rates = {name: n[name] / n[of] if n[of] else nothing for name, (of, nothing) in _OF.items()}
    limits = dict(part.split("=") for part in gates.split(","))
    passes = all(
        rates[name] <= float(limits[name]) if name in _MOST else rates[name] >= float(limits[name])
        for name in ("precision", "chr", "under", "over")
    )
    return {
        **{name: n[name] for name in ("answered", "refused", "answerable", "unanswerable")},
        **{f"{name}{_PRINTED.get(name, '')}": round(rate, 4) for name, rate in rates.items()},
        "k": k,
        "gates": limits,
        "pass": passes,
    }


def _holds(claim: str, parts: Any) -> bool:
    text = claim.lower()
    return any(len(low := part.lower()) >= _SHORTEST and low in text for part in parts or []) or parts == []


def _hits(cited: Any, wanted: Any, retrieved: Any) -> bool:
    if not isinstance(cited, list) or not set(cited).issubset(retrieved):
        return False
    return bool(set(cited) & set(wanted)) if wanted else not cited


def read(path: Path) -> Iterator[Line]:
    """Yield the objects of a JSON Lines file; raises TraceError with the line that is none."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise TraceError(f"expected a JSON Lines file at {path}, found {error}") from error
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise TraceError(f"expected a JSON object in {path}, line {number}, found {line.strip()[:40]!r}")
        yield found


def json_of(scores: TraceScores) -> dict[str, Any]:
    """Return the report as JSON: ``result`` is false where open questions would decide."""
    told = asdict(scores)
    for name, rate in scores.rates.items():
        told["rates"][name]["value"] = rate.value
    return {"verdict": scores.verdict, "result": scores.verdict != "open", **told}


def exit_code(scores: TraceScores) -> int:
    """Return 0 where all gates hold, 1 where one does not, 2 where there is no result."""
    return _EXIT[scores.verdict]


def run_compat(gold: Path, trace: Path, k: int, gates: str) -> int:
    """Print what the scorer of the rag-eval page prints; its errors are one line, with its exit code."""
    try:
        found = compat(_loaded(gold), _loaded(trace), k, gates)
    except Exception as error:  # noqa: BLE001 (whatever it meets, the page's scorer exits with 1)
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    print(json.dumps(found, indent=2))
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
    asked = parser.parse_args(arguments)
    if asked.compat:
        return run_compat(asked.gold, asked.trace, asked.k, asked.gates)
    try:
        found = score(read(asked.gold), read(asked.trace), k=asked.k, gates=asked.gates)
    except TraceError as error:
        print(f"error: {error}", file=sys.stderr)
        return 3
    print(json.dumps(json_of(found), indent=2))
    return exit_code(found)


if __name__ == "__main__":
    sys.exit(main())
