"""Runs side by side, the verdict of the gate, and the cells and axes of a matrix, as tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from ragharness.analysis.compare import OUTCOMES, Against, Comparison
from ragharness.analysis.gate import Change, Decision, Information, Noise
from ragharness.analysis.matrix import Effect, Matrix, MatrixCell
from ragharness.analysis.metrics import PARTS
from ragharness.analysis.rules import Limits, RuleResult
from ragharness.analysis.scores import ROW_NAMES, Scores
from ragharness.records import BUCKETS
from ragharness.reports import words
from ragharness.reports.text import (
    Section,
    Tone,
    counted,
    duration,
    ids,
    limits,
    milliseconds,
    money,
    p_value,
    rate,
)

_SHOWN = 40  # flips that are listed; JSON has all
_WITH_INTERVALS = 2  # runs that are shown with their intervals; the JSON has them for all
_NONE = "not reported"


def compare_sections(found: Comparison) -> list[Section]:
    """Runs, what differs, what came out, and each run against the first."""
    runs, letters = list(found.runs.values()), list(found.runs)
    named = [(letter, each.run, ", ".join(words.setting(each))) for letter, each in found.runs.items()]
    settings = [(name, *values) for name, values in found.settings.items()]
    outcomes = [
        _each("questions", runs, lambda each: str(each.questions)),
        *((bucket, *(str(each.buckets[bucket]) for each in runs)) for bucket in BUCKETS),
        _each("ungraded", runs, lambda each: str(each.ungraded)),
        _each("as desired", runs, lambda each: _cell(counted(each.desired.total), runs)),
        _each("unacceptable", runs, lambda each: _cell(counted(each.intervals.unacceptable), runs)),
    ]
    warnings = [f"DIFFERENT GRADING OR EPOCHS, so read with care: {each}." for each in found.warnings]
    return [
        Section("Runs", warnings, ("", "run", "setting"), named, frozenset({0, 1, 2})),
        *([Section("Settings that differ", (), ("", *letters), settings)] if settings else []),
        Section("What came out", (), ("", *letters), outcomes),
        Section("As desired, by question type", (), ("", *letters), _rows(runs)),
        Section("Metrics", (), ("", *letters, "better"), _metrics(runs)),
        Section("Time and cost", (), ("", *letters), _effort(runs)),
        *(section for each in found.against for section in _against(each)),
    ]


def _cell(told: str, runs: Sequence[Scores]) -> str:
    """Figure with its interval, where there are few enough runs for both to fit a line."""
    return told if len(runs) <= _WITH_INTERVALS else told.split(maxsplit=1)[0]


def _each(name: str, runs: Sequence[Scores], cell: Callable[[Scores], str]) -> Sequence[str]:
    return name, *map(cell, runs)


def _rows(runs: Sequence[Scores]) -> list[Sequence[str]]:
    first, *_ = runs
    return [
        (
            name,
            *(
                f"{share.count}/{share.n} {rate(share)}"
                for share in (each.rows[name].desired for each in runs)
            ),
        )
        for name, row in first.rows.items()
        if row.n
    ]


def _metrics(runs: Sequence[Scores]) -> list[Sequence[str]]:
    rows: list[Sequence[str]] = []
    for part in PARTS:
        for metric, _ in words.measured(runs[0], part):
            name = (metric.short or metric.name.replace("_", " ")).format(top="retrieved", at_k="")
            values = [
                _cell(words.figure(metric, getattr(scores, part).get(metric.name)).partition(",")[0], runs)
                for scores in runs
            ]
            rows.append((name, *values, "higher" if metric.higher_is_better else "lower"))
    return rows


def _effort(runs: Sequence[Scores]) -> list[Sequence[str]]:
    def median(each: Scores) -> str:
        return "n/a" if each.timing.median is None else milliseconds(each.timing.median)

    def tokens(each: Scores) -> str:
        known = [each.spending.prompt_tokens, each.spending.completion_tokens]
        return _NONE if known == [None, None] else f"{sum(filter(None, known)):,}"

    return [
        _each("wall time", runs, lambda each: duration(each.seconds)),
        _each("median call", runs, median),
        _each("cost", runs, lambda each: money(each.spending.cost) or _NONE),
        _each("tokens", runs, tokens),
    ]


def _against(found: Against) -> list[Section]:
    pair = f"{found.letter} against A"
    changes = [
        (
            each.outcome,
            str(each.gained),
            str(each.lost),
            "n/a" if each.difference is None else f"{100 * each.difference:+.1f}",
            limits(each.newcombe),
            p_value(each.p),
        )
        for each in found.changes
    ]
    head = ("share of", "gained", "lost", "points", "95% CI", "p")
    flows = [(was, *(str(found.flows[was][now] or "") for now in OUTCOMES)) for was in OUTCOMES]
    flips = [
        ("worse" if each.worse else "", each.question, ROW_NAMES[each.row], each.was, each.now)
        for each in found.flips[:_SHOWN]
    ]
    more = len(found.flips) - len(flips)
    told = f"Questions that came out otherwise: {len(found.flips)}{f', {more} not shown' if more else ''}."
    heads = ("", "question", "type", "A", found.letter)
    return [
        Section(f"{pair}: paired, over questions graded in both", (), head, changes),
        Section(f"{pair}: from (rows) to (columns)", (), ("", *OUTCOMES), flows),
        Section(f"{pair}: flips, worse first", (told,), heads, flips, frozenset(range(5))),
    ]


def plan_sections(found: Matrix) -> list[Section]:
    """What is left to ask of each cell and what that costs at most."""
    axes = list(found.axes)
    rows = [
        (
            str(number),
            *(each.values[axis] for axis in axes),
            "cannot begin" if each.calls is None else str(each.calls),
            (money(each.cost) or "not known") if each.calls else "",
        )
        for number, each in enumerate(found.cells, 1)
    ]
    left = [each for each in found.cells if each.calls]
    calls = sum(each.calls or 0 for each in left)
    known = [each.cost for each in left if each.cost is not None]
    cost = f"at most {money(sum(known))}" if known else "cost not known"
    if known and len(known) < len(left):
        cost += f" for {len(known)} of {len(left)} cells; of the others it is not known"
    told = f"{len(left)} of {len(found.cells)} cells are left to ask: {calls} calls, {cost}."
    if not left:
        told = "Nothing is left to ask."
    heads = ("", *axes, "calls", "cost at most")
    return [Section("Cells", (told,), heads, rows, frozenset(range(1, len(axes) + 1))), *_errors(found)]


def matrix_sections(found: Matrix) -> list[Section]:
    """How far each axis moves the buckets, every cell, each effect, and the cells without a result."""
    axes = list(found.axes)
    cells = [
        (str(number), *(each.values[axis] for axis in axes)) for number, each in enumerate(found.cells, 1)
    ]
    missing = sum(not each.result for each in found.cells)
    told = [f"{missing} of {len(found.cells)} cells have no result: see the end."] if missing else []
    runs = [(str(number), each.run) for number, each in enumerate(found.cells, 1) if each.run]
    return [
        Section(told=(matrix_headline(found),)),
        *([Section(told=told, tone="bad")] if missing else []),
        *([_moves(found.effects)] if found.effects else []),
        Section("Cells", (), ("", *axes), cells, frozenset(range(1, len(axes) + 1))),
        _cells_came_out(found.cells),
        *map(_effect, found.effects),
        *([Section("Runs", (), ("", "folder"), runs, frozenset({0, 1}))] if runs else []),
        *_errors(found),
        Section(told=(matrix_headline(found),)),
    ]


def matrix_headline(found: Matrix) -> str:
    """In a sentence which axis moves the buckets most, and how far the next one does."""
    if not found.effects:
        return "Nothing to compare: no two cells that differ in one axis have graded answers."
    first = found.effects[0]
    told = f"{first.axis[:1].upper()}{first.axis[1:]} moves the buckets most: {_points(first.moved)} points"
    told += f" ({first.base} to {first.value})"
    others = {each.axis: each for each in reversed(found.effects) if each.axis != first.axis}
    if not others:
        return f"{told}."
    second = max(others.values(), key=lambda each: each.moved)
    told += f", {second.axis} {_points(second.moved)} ({second.base} to {second.value})"
    low = second.less_interval[0] if second.less_interval else 0.0
    return f"{told}; the difference {'is clear' if low > 0 else 'may be chance'}."


def _moves(effects: Sequence[Effect]) -> Section:
    rows = [
        (
            each.axis,
            each.base,
            each.value,
            _points(each.moved),
            f"[{100 * each.interval[0]:.1f},{100 * each.interval[1]:.1f}]",
            _points(each.less) if each.less_interval else "",
            limits(each.less_interval),
        )
        for each in effects
    ]
    told = (
        "Points: answers of 100 that are in another bucket on balance, all other axes being equal. A"
        " distance is never below 0, so its interval is no test; those of the single buckets are."
    )
    heads = ("axis", "from", "to", "points", "95% CI", "less by", "95% CI")
    return Section("How far each axis moves the buckets", (told,), heads, rows, frozenset({0, 1, 2}))


def _cells_came_out(cells: Sequence[MatrixCell]) -> Section:
    rows = []
    for number, each in enumerate(cells, 1):
        scores = each.scores
        if scores is None:
            rows.append((str(number), *[""] * (len(BUCKETS) + 4), "no run"))
            continue
        unacceptable = scores.intervals.unacceptable
        most = "" if unacceptable.most == unacceptable.count else f" to {unacceptable.most}"
        rows.append(
            (
                str(number),
                *(str(scores.buckets[bucket]) for bucket in BUCKETS),
                str(scores.ungraded),
                f"{scores.desired.total.count}/{scores.desired.total.n}",
                f"{unacceptable.count}{most}",
                money(scores.spending.cost),
                "" if each.result else "no result",
            )
        )
    heads = ("", *BUCKETS, "ungraded", "desired", "unaccept.", "cost", "")
    return Section("What came out", (), heads, rows, frozenset({0, len(heads) - 1}))


def _effect(found: Effect) -> Section:
    rows = [
        (each.bucket, f"{100 * each.difference:+.1f}", limits(each.interval), p_value(each.p))
        for each in found.changes
    ]
    told = (
        f"{found.pairs} {'pair' if found.pairs == 1 else 'pairs'} of cells, {found.n} pairs of answers about"
        f" {found.documents} documents."
    )
    title = f"{found.axis}: {found.value} against {found.base}"
    return Section(title, (told,), ("share of", "points", "95% CI by document", "p"), rows)


def _errors(found: Matrix) -> list[Section]:
    cells: dict[str, list[str]] = {}
    for number, each in enumerate(found.cells, 1):
        if told := each.error or (each.scores.sentence if each.scores and not each.result else ""):
            cells.setdefault(told, []).append(str(number))
    sentences = [f"Cell{'s' * (len(ns) > 1)} {', '.join(ns)}: {each}" for each, ns in cells.items()]
    return [Section("Without a result", sentences, tone="bad")] if sentences else []


def _points(share: float) -> str:
    return f"{100 * share:.1f}"


_NAMED = 6  # questions that are named of each rule, so that they fit a line; JSON has all
_NAMED_OF_TWO = 2  # the same where two lists stand side by side
_LISTED = 40  # newly wrong questions, and answers that would settle it, that are listed; JSON has all

_SENTENCES = {
    "ship": "SHIP: {candidate} may replace {base}.",
    "reject": "REJECT: {candidate} may not replace {base}.",
    "incomplete": "INCOMPLETE: whether {candidate} may replace {base} depends on answers without a bucket.",
    "not comparable": "NOT COMPARABLE: {candidate} with {base}.",
}
_UNCALIBRATED = "INCOMPLETE: {0.candidate} may replace {0.base} once the grader is calibrated: {reasons}."
_TONES: dict[str, Tone] = {
    "ship": "good",
    "reject": "bad",
    "incomplete": "unclear",
    "not comparable": "unclear",
}
_RATES = ("citation supports",)
_DECIMAL = 2


def headline(found: Decision) -> str:
    """Verdict as one sentence, with the rules that decided it."""
    told = _SENTENCES[found.verdict].format(base=found.base, candidate=found.candidate)
    if found.verdict == "not comparable":
        return f"{told} {'; '.join(found.reasons)}."
    if found.verdict == "ship":
        return told
    failing = [each for each in found.rules if each.passes is False]
    if found.verdict == "incomplete" and all(each.passes or each.rule == "C" for each in found.rules):
        return _UNCALIBRATED.format(found, reasons="; ".join(found.reasons).removeprefix("C calibrated: "))
    moved = "; ".join(f"{each.name} {_moved(each)}" for each in failing or found.rules if not each.passes)
    return f"{told} {moved[:1].upper()}{moved[1:]}."


def gate_sections(found: Decision) -> list[Section]:
    """Verdict, the rules, the questions that changed, and the information below them."""
    tone = _TONES[found.verdict]
    if found.verdict == "not comparable":
        allow = "To compare them anyway: --gates allow=NAME+NAME, with the names before the colons."
        return [Section(told=(headline(found), allow), tone=tone)]
    times = f" x {found.epochs} epochs, {found.gates.epochs}" if found.epochs > 1 else ""
    banner = [f"ALLOWED DIFFERENCE, so read with care: {each}." for each in found.allowed]
    head, rules = ("", "rule", "base", "candidate", "change", "result"), list(map(_rule, found.rules))
    sections = [
        Section(told=(headline(found),), tone=tone),
        *([Section(told=banner, tone="unclear")] if banner else []),
        Section(f"Rules, {found.questions} questions{times}", (), head, rules, frozenset({0, 1, 5})),
        *_changed(found),
        *_settling(found),
        *_attempts(found),
    ]
    if found.information is not None:
        sections += _information(found.information)
    return [*sections, Section(told=(headline(found),), tone=tone)]


def threshold_section(found: Sequence[RuleResult]) -> Section:
    """Limits that a run was to keep to, and whether it does."""
    tone: Tone = "bad" if any(each.passes is False for each in found) else "unclear"
    rows = [(f"{each.name} {each.text}", _range(each, each.candidate), _rule(each)[-1]) for each in found]
    missed = ["A limit was missed or is undecided: see below."]
    told = [] if all(each.passes for each in found) else missed
    return Section("Gates", told, ("limit", "found", "result"), rows, frozenset({0, 2}), tone)


def _rule(each: RuleResult) -> Sequence[str]:
    result = {True: "pass", False: "FAIL", None: "open"}[each.passes]
    if not each.evaluated:
        result += ", nothing to compare" if each.rule != "T" else ", nothing to count"
    name = f"{each.name} {each.text}" if each.rule == "T" else each.name
    change = "" if each.difference is None else _range(each, each.difference, sign=True)
    base = "" if each.base is None else _range(each, each.base)
    return each.rule, name, base, _range(each, each.candidate), change, result


def _moved(each: RuleResult) -> str:
    if each.rule == "C":
        return each.text
    if each.base is None:
        return f"{_range(each, each.candidate)}, wanted {each.text}"
    return f"{_range(each, each.base)} -> {_range(each, each.candidate)}"


def _range(rule: RuleResult, span: Limits, *, sign: bool = False) -> str:
    if span.low is None and span.high is None:
        return "open" if rule.passes is None else "n/a"
    ends = [None if end is None else _number(rule, end, sign=sign) for end in (span.low, span.high)]
    if ends[0] == ends[1]:
        return str(ends[0])
    if ends[1] is None:
        return f"{ends[0]} or more"
    return f"{ends[1]} or less" if ends[0] is None else f"{ends[0]} to {ends[1]}"


def _number(rule: RuleResult, value: float, *, sign: bool) -> str:
    if rule.name in _RATES or (rule.rule == "T" and abs(value) <= 1 and not float(value).is_integer()):
        return f"{100 * value:{'+' if sign else ''}.1f}%"
    if float(value).is_integer() and rule.name != "refusal quality":
        return f"{int(value):{'+' if sign and value else ''}d}"
    return f"{value:{'+' if sign else ''}.{_DECIMAL}f}"


def _changed(found: Decision) -> list[Section]:
    rows = []
    for each in found.rules:
        for how, names in (("worse", each.worse), ("better", each.better)):
            if names:
                rows.append((each.rule, each.name, how, str(len(names)), ids(names, _NAMED)))
    sections = []
    if found.newly_wrong:
        told = () if found.epochs > 1 else ("Each was asked once, so their stability is unknown.",)
        columns = 5 if found.epochs > 1 else 2
        stable = {True: "stable", False: "flaky", None: ""}
        newly = [
            (each.question, each.was, each.candidate, each.base, stable[each.stable])[:columns]
            for each in found.newly_wrong[:_LISTED]
        ]
        head = ("question", "was", "wrong in epochs", "of the base", "")[:columns]
        sections = [Section("Newly wrong", told, head, newly, frozenset({0, 1, 4}))]
    if rows:
        head = ("", "rule", "", "n", "questions")
        sections.append(Section("Questions that changed", (), head, rows, frozenset({0, 1, 2, 4})))
    return sections


def _settling(found: Decision) -> list[Section]:
    if not found.settles:
        return []
    rows = [(each.question, each.run, each.status.replace("_", " ")) for each in found.settles[:_LISTED]]
    more = len(found.settles) - len(rows)
    told = (
        "Whatever the others become, the verdict depends on these answers alone. ragharness show prints one;"
        " ragharness run --retry-errors asks again what failed."
        f"{f' {more} more are not shown.' if more else ''}"
    )
    head = ("question", "run", "status")
    return [Section("Answers that would settle it", (told,), head, rows, frozenset({0, 1, 2}))]


def _attempts(found: Decision) -> list[Section]:
    if found.attempts is None:
        return []
    tried = found.attempts
    same = f", {tried.same_settings} of them with the same settings" if tried.same_settings > 1 else ""
    told = [f"Attempt {tried.number} at this pipeline on these questions{same}."]
    told += [f"Overridden by {each.who} on {each.when}: {each.why}" for each in tried.overrides]
    return [Section(told=[*told, *([tried.note] if tried.note else [])])]


def _information(found: Information) -> list[Section]:
    quality = found.refusal_quality
    rows = [_change(each) for each in found.changes]
    if quality.n:
        change = "n/a" if quality.difference is None else f"{quality.difference:+.2f}"
        ends = limits(quality.cluster, 1), p_value(quality.p), p_value(quality.p_holm)
        rows.append(("quality", "", "", change, "", *ends))
    first = found.changes[0]
    told = [
        found.policy,
        f"With {first.lost} fixed, {found.needed} newly wrong answers would be significant.",
        f"For wrong, mid-p is {p_value(first.mid_p)}.",
        f"p that is valid however often one looks at a growing run: {p_value(first.always_valid_p)}.",
    ]
    if found.smallest_rise is None:
        told.append(f"{found.n} questions are too few to show any rise of the wrong rate (power 80%).")
    else:
        told.append(
            f"The smallest rise of the wrong rate that {found.n} questions show (power 80%):"
            f" {100 * found.smallest_rise:.1f} points, {math.ceil(found.smallest_rise * found.n)} questions."
        )
    if quality.smallest is not None:
        told.append(
            f"Of refusal quality, which is ordinal, {quality.n} common refusals show {quality.smallest:.2f}."
        )
    both = f"{found.n} questions graded in both runs, about {found.documents} documents."
    head = ("share of", "+", "-", "change", "95% CI", "by document", "p", "Holm")
    return [
        Section("Information, does not change the verdict", (both,), head, rows),
        Section(told=told),
        *([_noise(found.noise)] if found.noise else []),
    ]


def _change(each: Change) -> Sequence[str]:
    return (
        each.outcome,
        str(each.gained),
        str(each.lost),
        "n/a" if each.difference is None else f"{100 * each.difference:+.1f}",
        limits(each.newcombe, 100),
        limits(each.cluster, 100),
        p_value(each.p),
        "primary" if each.p_holm is None else p_value(each.p_holm),
    )


def _noise(found: Noise) -> Section:
    unstable = [
        ids(names, _NAMED_OF_TWO) or "none" for names in (found.base_unstable, found.candidate_unstable)
    ]
    rows = [
        ("two epochs disagree", f"{100 * found.base_flips:.1f}%", f"{100 * found.candidate_flips:.1f}%"),
        ("questions that waver", *unstable),
    ]
    alarm, once = (f"{100 * chance:.0f}%" for chance in (found.false_alarm, found.false_alarm_once))
    told = (
        f"The base against itself would show more wrong in {alarm} of cases ({once} if asked once):"
        " that explains a result and does not excuse it."
    )
    return Section("Noise", (told,), ("", "base", "candidate"), rows, frozenset(range(3)))
