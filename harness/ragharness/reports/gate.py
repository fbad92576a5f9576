"""The verdict of the gate as tables and sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ragharness.analysis.gate import Decision
from ragharness.analysis.information import Change, Information, NewlyWrong, Noise, Quality
from ragharness.analysis.rules import Limits, RuleResult
from ragharness.reports.text import Section, Tone, ids, limits, p_value

_SHOWN = 6
"""Questions that are named of each rule, so that they fit a line; JSON has all."""

_SHOWN_OF_TWO = 2
"""The same where two lists stand side by side."""

_LISTED = 40
"""Newly wrong questions, and answers that would settle it, that are listed; JSON has all."""

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
    """Return the verdict as one sentence, with the rules that decided it."""
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
    """Return the verdict, the rules, the questions that changed, and the information below them."""
    tone = _TONES[found.verdict]
    if found.verdict == "not comparable":
        allow = "To compare them anyway: --gates allow=NAME+NAME, with the names before the colons."
        return [Section(told=(headline(found), allow), tone=tone)]
    times = f" x {found.epochs} epochs, {found.gates.epochs}" if found.epochs > 1 else ""
    banner = [f"ALLOWED DIFFERENCE, so read with care: {each}." for each in found.allowed]
    sections = [
        Section(told=(headline(found),), tone=tone),
        *([Section(told=banner, tone="unclear")] if banner else []),
        Section(
            title=f"Rules, {found.questions} questions{times}",
            head=("", "rule", "base", "candidate", "change", "result"),
            rows=[_rule(each) for each in found.rules],
            left=frozenset({0, 1, 5}),
        ),
        *_changed(found),
        *_settling(found),
        *_attempts(found),
    ]
    if found.information is not None:
        sections += _information(found.information)
    return [*sections, Section(told=(headline(found),), tone=tone)]


def threshold_section(found: Sequence[RuleResult]) -> Section:
    """Return the limits that a run was to keep to, and whether it does."""
    tone: Tone = "bad" if any(each.passes is False for each in found) else "unclear"
    return Section(
        title="Gates",
        head=("limit", "found", "result"),
        rows=[(f"{each.name} {each.text}", _span(each, each.candidate), _rule(each)[-1]) for each in found],
        left=frozenset({0, 2}),
        told=()
        if all(each.passes for each in found)
        else ("A limit was missed or is undecided: see below.",),
        tone=tone,
    )


def _rule(each: RuleResult) -> Sequence[str]:
    result = {True: "pass", False: "FAIL", None: "open"}[each.passes]
    if not each.evaluated:
        result += ", nothing to compare" if each.rule != "T" else ", nothing to count"
    name = f"{each.name} {each.text}" if each.rule == "T" else each.name
    change = "" if each.difference is None else _span(each, each.difference, sign=True)
    base = "" if each.base is None else _span(each, each.base)
    return each.rule, name, base, _span(each, each.candidate), change, result


def _moved(each: RuleResult) -> str:
    if each.rule == "C":
        return each.text
    if each.base is None:
        return f"{_span(each, each.candidate)}, wanted {each.text}"
    return f"{_span(each, each.base)} -> {_span(each, each.candidate)}"


def _span(rule: RuleResult, span: Limits, *, sign: bool = False) -> str:
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
                rows.append((each.rule, each.name, how, str(len(names)), ids(names, _SHOWN)))
    sections = []
    if found.newly_wrong:
        told = () if found.epochs > 1 else ("Each was asked once, so their stability is unknown.",)
        columns = 5 if found.epochs > 1 else 2
        newly = [_newly(each)[:columns] for each in found.newly_wrong[:_LISTED]]
        head = ("question", "was", "wrong in epochs", "of the base", "")[:columns]
        sections = [Section("Newly wrong", told, head, newly, frozenset({0, 1, 4}))]
    if rows:
        sections.append(
            Section(
                "Questions that changed",
                (),
                ("", "rule", "", "n", "questions"),
                rows,
                frozenset({0, 1, 2, 4}),
            )
        )
    return sections


def _newly(each: NewlyWrong) -> Sequence[str]:
    stable = {True: "stable", False: "flaky", None: ""}[each.stable]
    return each.question, each.was, each.candidate, each.base, stable


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
    return [
        Section(
            "Answers that would settle it", (told,), ("question", "run", "status"), rows, frozenset({0, 1, 2})
        )
    ]


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
        rows.append(_quality(quality))
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
    return [
        Section(
            "Information, does not change the verdict",
            (f"{found.n} questions graded in both runs, about {found.documents} documents.",),
            ("share of", "+", "-", "change", "95% CI", "by document", "p", "Holm"),
            rows,
        ),
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


def _quality(each: Quality) -> Sequence[str]:
    change = "n/a" if each.difference is None else f"{each.difference:+.2f}"
    return "quality", "", "", change, "", limits(each.cluster, 1), p_value(each.p), p_value(each.p_holm)


def _noise(found: Noise) -> Section:
    unstable = [
        ids(names, _SHOWN_OF_TWO) or "none" for names in (found.base_unstable, found.candidate_unstable)
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
