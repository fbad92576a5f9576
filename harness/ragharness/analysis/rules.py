"""The rules of the gate: the five of the rubric, those that ``gate.toml`` adds, and thresholds of figures.

They are literal, on counts, where runs repeat themselves, and a joint test of rates over epochs where not.
Ungraded answers make a range of every figure: a rule passes if it does however they turn out,
fails if it does however they turn out, and is undecided between.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from ragharness.analysis.calibrating import standing
from ragharness.analysis.intervals import Z80, chance_of_flips, joint_test, poisson_tail
from ragharness.analysis.metrics import PARTS, Outcome, Share, Tally, YesNoAxis, metrics, rate, share
from ragharness.analysis.sides import BEST_QUALITY, DIFFERENCES, UNLIMITED, Ends, Pair, Pairs, Side
from ragharness.errors import UnknownName, UsageError
from ragharness.records import Citations
from ragharness.runner.run_folder import RunFolder
from ragharness.support.options import read_toml

_SHAPE = re.compile(r"\s*([A-Za-z][\w-]*)\s*(<=|>=|=)\s*(.*?)\s*")
_LIMIT = re.compile(r"\s*(<=|>=)?\s*([-+]?\d*\.?\d+(?:[eE][-+]?\d+)?)\s*(%?)\s*")
_SWITCHES = ("no_new_wrong", "allow_refusal_shift", "citation_supports", "calibrated", "deterministic")
_SHARES = ("margin", "error")
_YES = {"yes": True, "true": True, "no": False, "false": False}
_EXAMPLE = "--gates 'no_new_wrong=yes,over_refusal<=0.1', or a gate.toml (docs/gate.md)"


class Gates(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of the gate; the five rules always hold."""

    no_new_wrong: bool = False  # reject if any question is newly wrong, also if as many others were fixed
    allow_refusal_shift: bool = False
    """A correct answer that becomes a refusal does not count against the change."""
    citation_supports: bool = False  # the rate of answers whose citations all support may not fall
    calibrated: bool = False  # both runs must be calibrated by people's labels (``ragharness calibrate RUN``)
    citations: Citations | None = None  # what must have supported the answers of both runs; null: anything
    epochs: Literal["rates", "majority", "any"] = "rates"
    """How epochs that differ are judged: a test of rates, or literally, by the majority or the worst."""
    deterministic: bool = False  # the pipeline repeats itself: counts are judged, and no luck is warned of
    quality: Literal["common", "all"] = "common"
    """Which refusals have their quality compared: of questions refused in both runs, or all of each run."""
    margin: Annotated[float, Meta(gt=0, lt=1)] = 0.035
    """Rise of wrong or unsupported, as a share of the questions, that rates must exclude before a ship."""
    error: Annotated[float, Meta(gt=0, le=0.5)] = 0.05
    """How often the rules, all together, may reject an equal candidate whose epochs differ."""
    allow: tuple[str, ...] = ()  # differences between the runs that are accepted, by name
    thresholds: dict[str, float | str] = {}
    """Limits of the candidate's own figures: a number, or a text such as ``"<= 0.1"``."""


class Limit(Struct, frozen=True):
    """A limit of one figure; without a sign it is meant in the figure's own direction."""

    sign: Literal["", "<=", ">="]
    value: float


def read_gates(text: str) -> Gates:
    """Gates from a file's path or from ``name=value,...``; raises UsageError."""
    if not text.strip():
        return Gates()
    if text.endswith(".toml") or Path(text).is_file():
        return _checked(read_toml(text, _EXAMPLE), text)
    values: dict[str, Any] = {"thresholds": {}}
    for part in filter(str.strip, text.split(",")):
        found = _SHAPE.fullmatch(part)
        if found is None:
            raise UsageError(f"expected name=value, found {part.strip()!r}", help=_EXAMPLE)
        name, sign, value = found[1].replace("-", "_"), found[2], found[3]
        if name in values or name in values["thresholds"]:
            raise UsageError(f"expected {name} once, found it twice", help=_EXAMPLE)
        if name in _SWITCHES:
            if value.lower() not in _YES:
                raise UsageError(f"expected {name}=yes or no, found {value!r}", help=_EXAMPLE)
            values[name] = _YES[value.lower()]
        elif name in ("allow", "epochs", "citations", "quality"):
            values[name] = value.split("+") if name == "allow" else value
        elif name in _SHARES and (share := _LIMIT.fullmatch(value)) and not share[1]:
            values[name] = float(share[2]) / (100 if share[3] else 1)
        else:
            values["thresholds"][name] = value if sign == "=" else f"{sign}{value}"
    return _checked(values, "--gates")


def limit_of(name: str, given: float | str) -> Limit:
    """Threshold as it was given; raises UsageError."""
    found = _LIMIT.fullmatch(str(given))
    if found is None:
        raise UsageError(f"expected {name} with a limit such as 0.1, <= 0.1 or >= 90%, found {given!r}")
    sign: Any = found[1] or ""
    return Limit(sign, float(found[2]) / (100 if found[3] else 1))


def _checked(values: Any, where: str) -> Gates:
    for name in values:
        if name not in Gates.__struct_fields__:
            raise UnknownName("setting of the gate", name, Gates.__struct_fields__)
    try:
        gates = msgspec.convert(values, Gates)
    except msgspec.ValidationError as error:
        raise UsageError(f"expected gates in {where}, found: {error}", help=_EXAMPLE) from error
    for name in gates.allow:
        if name not in DIFFERENCES:
            raise UnknownName("difference to allow", name, DIFFERENCES)
    for name, given in gates.thresholds.items():
        limit_of(name, given)
    return gates


_TINY = 1e-9  # means of epochs are not exact in binary
_FEWEST_DOCUMENTS = 10  # documents from which they, and not the questions, are what differs independently
_MOST_EPOCHS = 15  # epochs that are still proposed; beyond, only more questions are
_POWER = 0.8
About: TypeAlias = tuple[str, str, str]  # rule, name and text
Count: TypeAlias = tuple[int, int]  # of one question in base and candidate, or the least and the most
Moves: TypeAlias = Mapping[Pair, Ends]


class Limits(Struct, frozen=True):
    """A figure, or the limits between which it lies; None: no limit, or nothing to count."""

    low: float | None
    high: float | None


class RuleResult(Struct, frozen=True):
    """One rule with both runs' figures and the questions that changed."""

    rule: str  # G1 to G5 of the rubric; N1 and N2 were added; T: a threshold; A: attribution; C: calibration
    name: str
    text: str
    base: Limits | None
    candidate: Limits
    difference: Limits | None
    passes: bool | None  # None: it depends on ungraded answers, or the answers are too few to tell
    evaluated: bool = True  # false: there is nothing to compare, so it passes
    worse: list[str] = []
    better: list[str] = []
    undecided: list[str] = []  # questions with an ungraded answer on which the rule depends
    p: float | None = None  # chance that any rule would look as bad if the candidate equalled the base
    change: float | None = None  # for the worse, a question
    largest: float | None = None  # change for the worse, a question, that is not excluded with power 0.8
    margin: float | None = None  # above it the rule is not passed; null: it passes if it does not fail
    seen: float | None = None  # smallest change for the worse, a question, that is seen with power 0.8


class Statistics(Struct, frozen=True, kw_only=True):
    """The joint test of the rules, which decides where epochs differ."""

    n: int  # questions of both runs
    unit: Literal["document", "question"]  # what varies independently
    units: int
    error: float  # how often an equal candidate is rejected, all rules together
    confirmed: list[str] = []
    """Questions that are wrong (or unsupported) in every epoch of the candidate and in none of the base."""
    by_noise: float = 0.0  # how many of them are to be expected of an equal candidate
    confirmed_reject: bool = False  # whether they alone reject
    epochs_needed: int | None = None  # that would decide what is open; null: nothing is, or epochs do not
    questions_needed: int | None = None  # the same at the present epochs


class Measure(NamedTuple):
    """What one rule compares: the figures of both runs, and what each pair of results adds to the change."""

    about: About
    before: Moves
    after: Moves
    moves: Moves
    n: int  # questions with something to compare
    at_most: bool = True
    mean: bool = False  # whether the figures are means over the questions, else sums
    margin: float | None = None
    buckets: tuple[str, ...] = ()  # whose share it is; empty: of something else


def check_counts(pairs: Pairs, gates: Gates) -> list[RuleResult]:
    """The five rules, and those that the gates add, on the counts of runs that repeat themselves."""
    measures = _measures(pairs, gates)
    if gates.allow_refusal_shift:
        measures[4] = _counted(pairs, measures[4].about, _correct_or_refused, at_most=False)
    if gates.no_new_wrong:
        about = ("N1", "newly wrong", "no question may be newly wrong")
        measures.insert(5, _counted(pairs, about, lambda was, now: (0, int(now == "wrong" != was))))
    results = []
    for measure in measures:
        low, high = _total(pairs, measure.moves)
        worst, best = (high, low) if measure.at_most else (-low, -high)
        passes = True if worst <= _TINY else False if best > _TINY else None
        results.append(_result(pairs, measure, passes, depends=passes is None))
    return results


def _correct_or_refused(base: str, candidate: str) -> Count:
    retained = ("correct", "refused") if base == "correct" else ("correct",)
    return int(base == "correct"), int(candidate in retained)


def _result(pairs: Pairs, measure: Measure, passes: bool | None, *, depends: bool) -> RuleResult:
    """Rule with its figures and questions, those that changed most first."""
    moves = measure.moves
    sizes = {pair: max(map(abs, ends)) for pair, ends in moves.items()}
    up = pairs.where(lambda pair: moves[pair][0] > _TINY)
    down = pairs.where(lambda pair: moves[pair][1] < -_TINY)
    for names in (up, down):
        names.sort(key=lambda name: -sizes[pairs.by_question[name]])
    n = measure.n if measure.mean else 1
    totals = (_total(pairs, ends) for ends in (measure.before, measure.after, moves))
    before, after, change = (
        _limits((low / n, high / n)) if n else Limits(None, None) for low, high in totals
    )
    return RuleResult(
        *measure.about,
        before,
        after,
        change,
        passes,
        evaluated=measure.n > 0 or passes is None,
        worse=up if measure.at_most else down,
        better=down if measure.at_most else up,
        undecided=pairs.where(lambda pair: moves[pair][0] < moves[pair][1]) if depends else [],
    )


def _measures(pairs: Pairs, gates: Gates) -> list[Measure]:
    shifts, margin = gates.allow_refusal_shift, gates.margin
    text = "correct may not decrease, but for refusals" if shifts else "correct may not decrease"
    retained = ("correct", "refused") if shifts else ("correct",)
    measures = [
        _shared(pairs, ("G1", "wrong", "wrong may not increase, for any reason"), ("wrong",), margin),
        _shared(pairs, ("G2", "unsupported", "unsupported may not increase"), ("unsupported",), margin),
        _all_quality(pairs) if gates.quality == "all" else _quality(pairs),
        _claims(pairs, 3 * margin),
        _shared(pairs, ("G5", "correct", text), retained, 2 * margin, at_most=False),
    ]
    if gates.citation_supports:
        about = ("N2", "citation supports", "the rate may not fall where both runs cite")
        ends = {pair: (pair.base.supports, pair.candidate.supports) for pair in pairs.counts}
        measures.append(_paired(pairs, about, ends, at_most=False))
    return measures


def _counted(
    pairs: Pairs, about: About, count: Callable[[str, str], Count], *, at_most: bool = True
) -> Measure:
    """Count of questions by what they come to in both runs."""
    before, after, moves = {}, {}, {}
    for pair in pairs.counts:
        outcomes = product(pair.base.buckets, pair.candidate.buckets)
        counts = [count(was, now) for was, now in outcomes if was == now or not pair.tied]
        before[pair] = _ends(was for was, _ in counts)
        after[pair] = _ends(now for _, now in counts)
        moves[pair] = _ends(now - was for was, now in counts)
    return Measure(about, before, after, moves, len(pairs.by_question), at_most)


def _shared(
    pairs: Pairs, about: About, buckets: tuple[str, ...], margin: float, *, at_most: bool = True
) -> Measure:
    """Share of epochs in some buckets, or whether a question comes to one, summed over the questions."""
    ends = {pair: (pair.base.share(*buckets), pair.candidate.share(*buckets)) for pair in pairs.counts}
    return _paired(pairs, about, ends, at_most=at_most)._replace(mean=False, margin=margin, buckets=buckets)


def _quality(pairs: Pairs) -> Measure:
    """Refusal quality where both runs refuse."""
    about = ("G3", "refusal quality", "the mean over questions refused in both runs may not fall")
    ends = {pair: (pair.base.quality, pair.candidate.quality) for pair in pairs.counts}
    unsure = {pair for pair in pairs.counts if any(run.share("refused")[0] == 0 for run in pair[:2])}
    return _paired(pairs, about, ends, unsure, at_most=False)


def _claims(pairs: Pairs, margin: float) -> Measure:
    """Uncited claims where both runs answer: who answers more is not blamed for saying more."""
    about = ("G4", "uncited claims", "claims without a citation may not increase where both runs answer")
    ends = {pair: (pair.base.claims, pair.candidate.claims) for pair in pairs.counts}
    unsure = {pair for pair in pairs.counts if any(run.share("refused")[1] == 1 for run in pair[:2])}
    return _paired(pairs, about, ends, unsure)._replace(mean=False, margin=margin)


def _paired(
    pairs: Pairs,
    about: About,
    values: Mapping[Pair, tuple[Ends | None, Ends | None]],
    unsure: Collection[Pair] = (),
    *,
    at_most: bool = True,
) -> Measure:
    """Values of questions that have one in both runs; of an unsure pair this depends on ungraded answers."""
    before, after, moves = {}, {}, {}
    for pair, (was, now) in values.items():
        moves[pair] = (0.0, 0.0)
        if was is None or now is None:
            continue
        low, high = (0.0, 0.0) if pair.tied else _move(was, now)
        if pair in unsure:
            moves[pair] = min(0.0, low), max(0.0, high)
        else:
            before[pair], after[pair], moves[pair] = was, now, (low, high)
    n = sum(pairs.counts[pair] for pair in before)
    return Measure(about, before, after, moves, n, at_most, mean=True)


def _move(before: Ends, after: Ends) -> Ends:
    return after[0] - before[1], after[1] - before[0]


def _ends(values: Iterable[int]) -> Count:
    counts = list(values)
    return min(counts), max(counts)


def _total(pairs: Pairs, ends: Moves) -> Ends:
    low = math.fsum(least * pairs.counts[pair] for pair, (least, _) in ends.items())
    return low, math.fsum(most * pairs.counts[pair] for pair, (_, most) in ends.items())


def _limits(ends: Ends) -> Limits:
    low, high = ends
    return Limits(None if low == -UNLIMITED else low, None if high == UNLIMITED else high)


def _all_quality(pairs: Pairs) -> Measure:
    """Mean quality of all refusals of each run, as what each question adds to the difference of the means."""
    about = ("G3", "refusal quality", "the mean of all refusals may not fall")
    sides = [{pair: pair.base for pair in pairs.counts}, {pair: pair.candidate for pair in pairs.counts}]
    shares = [{pair: side.share("refused")[1] for pair, side in run.items() if side.quality} for run in sides]
    totals = [sum(pairs.counts[pair] * share for pair, share in run.items()) for run in shares]
    if not all(totals):
        still = dict.fromkeys(pairs.counts, (0.0, 0.0))
        return Measure(about, {}, {}, still, 0, at_most=False, mean=True)
    parts = [
        {
            pair: (ends[0] * share / total, ends[1] * share / total)
            for pair, share in weights.items()
            if (ends := run[pair].quality)
        }
        for run, weights, total in zip(sides, shares, totals, strict=True)
    ]
    middle = sum(_total(pairs, part)[0] for part in parts) / 2
    moves = {}
    for pair in pairs.counts:
        before, after = (middle * run.get(pair, 0.0) / n for run, n in zip(shares, totals, strict=True))
        low, high = _move(*(part.get(pair, (0.0, 0.0)) for part in parts))
        shift = before - after
        # An ungraded answer may become a refusal of any quality, or none.
        more = BEST_QUALITY * (pair.base.unknown + pair.candidate.unknown) / min(totals)
        moves[pair] = low + shift - more, high + shift + more
    return Measure(about, parts[0], parts[1], moves, 1, at_most=False)


class _Confirmed(NamedTuple):
    """Questions that are bad in every epoch of the candidate and in none of the base."""

    names: list[str]
    expected: float  # of them by noise alone
    rejects: tuple[bool, bool]  # whether they do, at the best and at the worst of the ungraded answers
    chance: float  # that an equal candidate is rejected by them


def _confirmed(pairs: Pairs, bucket: str, allowed: float) -> _Confirmed:
    """Net rise of surely bad questions that noise explains with chance ``allowed`` at most."""
    epochs = pairs.base.epochs, pairs.candidate.epochs
    shares = {pair: (pair.base.share(bucket), pair.candidate.share(bucket)) for pair in pairs.counts}
    counts = [
        round(shares[pair][0][0] * epochs[0] + shares[pair][1][0] * epochs[1])
        for pair in pairs.by_question.values()
    ]
    expected = chance_of_flips(counts, sum(epochs), *epochs)
    fewest = 1
    while (chance := poisson_tail(fewest, expected)) > allowed:
        fewest += 1

    def bad_in_one(run: int, end: int) -> list[str]:
        return pairs.where(
            lambda pair: shares[pair][run][end] > 1 - _TINY and shares[pair][1 - run][1 - end] < _TINY
        )

    best, worst = (len(bad_in_one(1, end)) - len(bad_in_one(0, 1 - end)) for end in (0, 1))
    return _Confirmed(bad_in_one(1, 0), expected, (best >= fewest, worst >= fewest), chance)


def check_rates(pairs: Pairs, gates: Gates) -> tuple[list[RuleResult], Statistics]:
    """The rules as one joint test of rates over epochs, for runs that do not repeat themselves.

    A rule fails where the joint test says so or, of wrong and unsupported, questions that are confirmed do;
    it passes where the largest change for the worse that is not excluded is below its margin.
    """
    measures = _measures(pairs, gates)
    about = ("G5", "unacceptable", "wrong and unsupported together may not increase")
    measures.insert(5, _shared(pairs, about, ("wrong", "unsupported"), gates.margin))
    wrong = _confirmed(pairs, "wrong", gates.error / 2)
    unsupported = _confirmed(pairs, "unsupported", max(0.0, gates.error / 2 - wrong.chance))
    level = gates.error - wrong.chance - unsupported.chance
    alone = {"wrong": wrong.rejects, "unsupported": unsupported.rejects}
    unit, units = _units(pairs)
    best, worst = (_tested(pairs, measures, end, level, units) for end in (0, 1))
    rules = []
    for measure, kind, harsh in zip(measures, best, worst, strict=True):
        confirmed = alone.get(measure.about[1], (False, False))
        fails, failing = kind["p"] <= level or confirmed[0], harsh["p"] <= level or confirmed[1]
        endless = any(UNLIMITED in map(abs, ends) for ends in measure.moves.values())
        clear = not measure.n or measure.margin is None or harsh["largest"] < measure.margin
        passes = False if fails and failing else True if clear and not failing and not endless else None
        depends = passes is None and (endless or kind != harsh)
        result = _result(pairs, measure, passes, depends=depends)
        rules.append(replace(result, margin=measure.margin, **(kind if measure.n else {})))
    epochs, questions = _needed(pairs, measures, rules)
    if gates.no_new_wrong:
        count = len(wrong.names)
        rejects = count > 0 and poisson_tail(count, wrong.expected) <= gates.error / 2
        text = "no question may be wrong in every epoch that was wrong in none"
        figures = Limits(0, 0), Limits(count, count), Limits(count, count)
        rules.insert(6, RuleResult("N1", "newly wrong", text, *figures, not rejects, worse=wrong.names))
    return rules, Statistics(
        n=len(units),
        unit=unit,
        units=len(set(units.values())),
        error=gates.error,
        confirmed=[*wrong.names, *unsupported.names],
        by_noise=wrong.expected + unsupported.expected,
        confirmed_reject=wrong.rejects[0] or unsupported.rejects[0],
        epochs_needed=epochs,
        questions_needed=questions,
    )


def _units(pairs: Pairs) -> tuple[Literal["document", "question"], dict[str, str]]:
    """What varies independently, and which unit each question is of; sorted, whatever the records' order."""
    names = sorted(pairs.by_question)
    documents = {name: pairs.base.asked[name].document or name for name in names}
    if len(set(documents.values())) < _FEWEST_DOCUMENTS:
        return "question", dict(zip(names, names, strict=True))
    return "document", documents


def _tested(
    pairs: Pairs, measures: Sequence[Measure], end: int, level: float, units: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Every measure under the joint test, where ungraded answers turn out best (0) or worst (1)."""
    import numpy as np

    kinds = {pair: number for number, pair in enumerate(pairs.counts)}
    changes = np.zeros((len(kinds), len(measures)))
    for at, measure in enumerate(measures):
        for pair, number in kinds.items():
            low, high = measure.moves[pair]
            change = (low, high)[end] if measure.at_most else (-high, -low)[end]
            changes[number, at] = change if math.isfinite(change) else 0.0
    numbers = {unit: number for number, unit in enumerate(sorted(set(units.values())))}
    lines = changes[[kinds[pairs.by_question[name]] for name in units]]
    test = joint_test(lines, np.array([numbers[unit] for unit in units.values()], dtype=int), level)
    epochs, reach = min(pairs.base.epochs, pairs.candidate.epochs), test.critical + Z80
    rows = []
    for at, measure in enumerate(measures):
        n, shares = max(1, measure.n), bool(measure.buckets)
        # New bad answers add to the noise by which they are seen, and none of them excludes none.
        added = shares * reach * reach / epochs
        seen = (added + math.sqrt(added * added + 4 * reach * reach * test.null_errors[at] ** 2)) / 2
        largest = max((test.totals[at] + Z80 * test.errors[at]) / n, shares * (1 - (1 - _POWER) ** (1 / n)))
        change = test.totals[at] / n
        rows.append({"p": test.p[at], "change": change, "largest": largest, "seen": seen / n or None})
    return rows


def _needed(
    pairs: Pairs, measures: Sequence[Measure], rules: Sequence[RuleResult]
) -> tuple[int | None, int | None]:
    """How many epochs or questions would decide what noise leaves open, were the candidate equal."""
    epochs = questions = 0.0
    now = min(pairs.base.epochs, pairs.candidate.epochs)
    for measure, rule in zip(measures, rules, strict=True):
        if rule.passes is not None or rule.undecided or rule.largest is None or rule.change is None:
            continue
        margin = rule.margin or 1.0
        variance, aim = ((rule.largest - rule.change) / Z80) ** 2, (margin / (2 * Z80)) ** 2
        within = _within(pairs, measure) if measure.buckets and now > 1 else variance
        between = max(0.0, variance - within)
        epochs = max(epochs, now * within / (aim - between) if aim > between else UNLIMITED, now + 2)
        fewest = math.log(1 - _POWER) / math.log(1 - margin)
        questions = max(questions, 1.25 * len(pairs.by_question), measure.n * variance / aim, fewest)
    if not questions:
        return None, None
    return math.ceil(epochs) if epochs <= _MOST_EPOCHS else None, math.ceil(questions / 10) * 10


def _within(pairs: Pairs, measure: Measure) -> float:
    """Variance of a mean change that comes from asking again, from the epochs of each question."""
    parts = []
    for pair, times in pairs.counts.items():
        for side, run in ((pair.base, pairs.base), (pair.candidate, pairs.candidate)):
            share = side.share(*measure.buckets)[0]
            parts.append(times * share * (1 - share) / max(1, run.epochs - 1))
    return math.fsum(parts) / measure.n**2


class Figure(NamedTuple):
    """A figure that can have a limit."""

    sentence: str
    compute: Callable[[Sequence[Outcome], int | None], Any]
    higher_is_better: bool | None  # None: neither, so that a limit needs a sign
    range: tuple[int, int | None] = (0, 1)
    of_evidence: bool = False  # over the questions whose evidence is in reach; grading changes nothing of it


def figures() -> dict[str, Figure]:
    """Every figure by its name in gates."""
    of_metrics = {
        metric.name: Figure(
            metric.sentence, metric.compute, metric.higher_is_better, metric.range, part == "retrieval"
        )
        for part in PARTS
        for metric in metrics(part)
    }
    higher = {"correct": True, "wrong": False, "unsupported": False, "refused": None}
    return {
        **of_metrics,
        **{
            bucket: _of_all(f"Answers in the bucket {bucket}", better, _in_bucket(bucket))
            for bucket, better in higher.items()
        },
        "unacceptable": _of_all("Wrong or unsupported", False, _in_bucket("wrong", "unsupported")),
        "as_desired": _of_all("In the desired bucket", True, lambda outcome: outcome.as_wanted),
        "ungraded": _of_all("Without a bucket", False, lambda outcome: not outcome.bucket),
        "precision": _of_answered("Correct", _in_bucket("correct")),
        "chr": _of_answered(
            "Citations all retrieved, one of them with gold evidence",
            lambda outcome: outcome.evidence_cited and outcome.citation_exists == "yes",
        ),
        "under": of_metrics["under_refusal"],
        "over": of_metrics["over_refusal"],
    }


def _of_all(sentence: str, higher_is_better: bool | None, hit: Callable[[Outcome], bool]) -> Figure:
    return Figure(f"{sentence}, of all.", lambda outcomes, _: rate(outcomes, hit), higher_is_better)


def _of_answered(sentence: str, hit: Callable[[Outcome], bool]) -> Figure:
    def compute(outcomes: Sequence[Outcome], _: int | None) -> Share:
        return rate(outcomes, hit, lambda outcome: outcome.answered)

    return Figure(f"{sentence}, of those answered.", compute, True)


def _in_bucket(*buckets: str) -> Callable[[Outcome], bool]:
    return lambda outcome: outcome.bucket in buckets


def check_thresholds(gates: Gates, folder: RunFolder) -> list[RuleResult]:
    """Each threshold with the candidate's figure; raises UnknownName, UsageError, RunNotUsable."""
    limits = limits_of(gates)
    if not limits:
        return []
    run = folder.run
    tally = Tally(folder.checked_questions(), run.settings.epochs).add(folder.records())
    k = run.settings.k if run.takes == "passages" else None
    return [_held(name, limit, tally, k) for name, limit in limits.items()]


def check_citations(gates: Gates, *sides: Side) -> list[RuleResult]:
    """Whether the answers of the runs had to be supported as the gates ask for; open where not."""
    wanted = gates.citations
    if wanted is None:
        return []
    others = [f"{side.name} by {side.run.citations}" for side in sides if side.run.citations != wanted]
    text = f"both runs are graded by {wanted}"
    if others:
        text = f"{', '.join(others)}, wanted {wanted}: ragharness grade RUN --citations {wanted}"
    return [RuleResult("A", "citations", text, None, Limits(None, None), None, None if others else True)]


def check_calibration(gates: Gates, *runs: RunFolder) -> list[RuleResult]:
    """Whether the grader is calibrated on the runs, where the gates ask for it; open where not."""
    if not gates.calibrated:
        return []
    standings = [(run.name, *standing(run)) for run in runs]
    lacking = [f"{name} is {sentence}" for name, calibrated, sentence in standings if not calibrated]
    text = "; ".join(lacking) or "both runs are calibrated"
    return [RuleResult("C", "calibrated", text, None, Limits(None, None), None, None if lacking else True)]


def limits_of(gates: Gates) -> dict[str, Limit]:
    """Thresholds with their signs by the name of their figure; raises UnknownName, UsageError."""
    limits, known = {}, figures() if gates.thresholds else {}
    for name, text in gates.thresholds.items():
        if name not in known:
            raise UnknownName("figure for a threshold", name, known, help="docs/gate.md lists them")
        limit, figure = limit_of(name, text), known[name]
        least, most = figure.range
        if limit.value < least or (most is not None and limit.value > most):
            to = f" to {most}" if most is not None else " up"
            raise UsageError(f"expected the limit of {name} to be a number from {least}{to}, found {text}")
        if not limit.sign and figure.higher_is_better is None:
            raise UsageError(f"expected {name}<=... or {name}>=..., found {name}={text}")
        limits[name] = Limit(limit.sign or (">=" if figure.higher_is_better else "<="), limit.value)
    return limits


def _held(name: str, limit: Limit, tally: Tally, k: int | None) -> RuleResult:
    figure = figures()[name]
    within = tally.outcomes
    if figure.of_evidence:
        within = [outcome for outcome in within if outcome.wanted == "correct" and outcome.located]
    value = figure.compute(within, k)
    closed = figure.of_evidence or name == "ungraded"
    open_ones = [] if closed else tally.named(lambda outcome: not outcome.bucket)
    span = _figure_span(value, len(open_ones), figure.range, len(tally.outcomes))
    keeps = operator.le if limit.sign == "<=" else operator.ge
    ends = [end is not None and keeps(end, limit.value) for end in (span.low, span.high)]
    if span.high is None and limit.sign == ">=" and span.low is not None:
        ends[1] = True
    counted, about = span != Limits(None, None), ("T", name, f"{limit.sign} {limit.value:g}")
    passes = ends[0] if counted and ends[0] == ends[1] else None
    undecided = list(dict.fromkeys(question for question, _ in open_ones)) if passes is None else []
    return RuleResult(*about, None, span, None, passes, evaluated=counted, undecided=undecided)


def _figure_span(value: Any, open_ones: int, limits: tuple[int, int | None], n: int) -> Limits:
    """Limits of a figure over n answers; each ungraded one counts for it or against it."""
    if isinstance(value, YesNoAxis):
        value = share(value.yes, value.n)
    if isinstance(value, Share):
        if not value.n + open_ones:
            return Limits(None, None)
        # Of all answers, or of those of one kind, to which more may come.
        most = value.n if value.n == n else value.n + open_ones
        return Limits(value.count / most, min(1.0, (value.count + open_ones) / max(value.n, 1)))
    if hasattr(value, "sum"):
        return Limits(float(value.sum), None if open_ones else float(value.sum))
    if hasattr(value, "mean"):
        total, of = (value.mean or 0.0) * value.n, value.n + open_ones
        ends = [(total + (end or 0) * open_ones) / of for end in limits] if of else [None, None]
        return Limits(*ends)
    if isinstance(value, int):
        return Limits(value, value + open_ones)
    return Limits(value, value)
