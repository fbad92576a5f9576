"""Runs side by side, the verdict of the gate, and the cells and axes of a matrix, as tables."""

from __future__ import annotations

from collections.abc import Sequence

from ragharness.analysis.compare import OUTCOMES, Against, Change, Comparison
from ragharness.analysis.gate import Decision
from ragharness.analysis.matrix import Effect, Matrix, MatrixCell
from ragharness.analysis.metrics import PARTS
from ragharness.analysis.rules import Limits, RuleResult, Statistics
from ragharness.analysis.scores import ROW_NAMES, Scores
from ragharness.records import BUCKETS
from ragharness.reports import text, words
from ragharness.reports.text import Section, Tone

_SHOWN = 40  # flips that are listed; JSON has all
_WITH_INTERVALS = 2  # runs that are shown with their intervals; the JSON has them for all
_NONE = "not reported"


def compare_sections(found: Comparison) -> list[Section]:
    """Runs, what differs, what came out, and each run against the first."""
    runs, letters = list(found.runs.values()), list(found.runs)
    named = [(letter, run.run, ", ".join(words.setting(run))) for letter, run in found.runs.items()]
    settings = [(name, *values) for name, values in found.settings.items()]
    outcomes = [
        ("questions", *(str(run.questions) for run in runs)),
        *((bucket, *(str(run.buckets[bucket]) for run in runs)) for bucket in BUCKETS),
        ("ungraded", *(str(run.ungraded) for run in runs)),
        ("as desired", *(_cell(text.counted(run.desired.total), runs) for run in runs)),
        ("unacceptable", *(_cell(text.counted(run.intervals.unacceptable), runs) for run in runs)),
    ]
    warnings = [f"DIFFERENT GRADING OR EPOCHS, so read with care: {warning}." for warning in found.warnings]
    return [
        Section("Runs", warnings, ("", "run", "setting"), named, frozenset({0, 1, 2})),
        *([Section("Settings that differ", (), ("", *letters), settings)] if settings else []),
        Section("What came out", (), ("", *letters), outcomes),
        Section("As desired, by question type", (), ("", *letters), _rows(runs)),
        Section("Metrics", (), ("", *letters, "better"), _metrics(runs)),
        Section("Time and cost", (), ("", *letters), _effort(runs)),
        *(section for pair in found.against for section in _against(pair)),
    ]


def _cell(figure: str, runs: Sequence[Scores]) -> str:
    """Figure with its interval, where there are few enough runs for both to fit a line."""
    return figure if len(runs) <= _WITH_INTERVALS else figure.split(maxsplit=1)[0]


def _rows(runs: Sequence[Scores]) -> list[Sequence[str]]:
    rows: list[Sequence[str]] = []
    for name in (name for name, row in runs[0].rows.items() if row.n):
        shares = (run.rows[name].desired for run in runs)
        rows.append((name, *(f"{share.count}/{share.n} {text.rate(share)}" for share in shares)))
    return rows


def _metrics(runs: Sequence[Scores]) -> list[Sequence[str]]:
    rows: list[Sequence[str]] = []
    for part in PARTS:
        for metric, _ in words.measured(runs[0], part):
            name = (metric.short or metric.name.replace("_", " ")).format(top="retrieved", at_k="")
            figures = (words.figure(metric, getattr(run, part).get(metric.name)) for run in runs)
            values = [_cell(figure.partition(",")[0], runs) for figure in figures]
            rows.append((name, *values, "higher" if metric.higher_is_better else "lower"))
    return rows


def _effort(runs: Sequence[Scores]) -> list[Sequence[str]]:
    def tokens(run: Scores) -> str:
        counts = [run.spending.prompt_tokens, run.spending.completion_tokens]
        return _NONE if counts == [None, None] else f"{sum(filter(None, counts)):,}"

    medians = (run.timing.median for run in runs)
    return [
        ("wall time", *(text.duration(run.seconds) for run in runs)),
        ("median call", *("n/a" if median is None else text.milliseconds(median) for median in medians)),
        ("cost", *(text.money(run.spending.cost) or _NONE for run in runs)),
        ("tokens", *map(tokens, runs)),
    ]


def _against(found: Against) -> list[Section]:
    pair = f"{found.letter} against A"
    changes = [
        (*_shift(change), text.limits(change.newcombe), text.p_value(change.p)) for change in found.changes
    ]
    head = ("share of", "gained", "lost", "points", "95% CI", "p")
    flows = [(was, *(str(found.flows[was][now] or "") for now in OUTCOMES)) for was in OUTCOMES]
    flips = [
        ("worse" if flip.worse else "", flip.question, ROW_NAMES[flip.row], flip.was, flip.now)
        for flip in found.flips[:_SHOWN]
    ]
    more = len(found.flips) - len(flips)
    note = f"Questions that came out otherwise: {len(found.flips)}{f', {more} not shown' if more else ''}."
    heads = ("", "question", "type", "A", found.letter)
    return [
        Section(f"{pair}: paired, over questions graded in both", (), head, changes),
        Section(f"{pair}: from (rows) to (columns)", (), ("", *OUTCOMES), flows),
        Section(f"{pair}: flips, worse first", (note,), heads, flips, frozenset(range(5))),
    ]


def _shift(change: Change) -> tuple[str, str, str, str]:
    """Outcome, questions gained and lost, and the difference in points."""
    points = "n/a" if change.difference is None else f"{100 * change.difference:+.1f}"
    return change.outcome, str(change.gained), str(change.lost), points


def plan_sections(found: Matrix) -> list[Section]:
    """What is left to ask of each cell and what that costs at most."""
    axes = list(found.axes)
    rows = [
        (
            str(number),
            *(cell.values[axis] for axis in axes),
            "cannot begin" if cell.calls is None else str(cell.calls),
            (text.money(cell.cost) or "not known") if cell.calls else "",
        )
        for number, cell in enumerate(found.cells, 1)
    ]
    open_cells = [cell for cell in found.cells if cell.calls]
    calls = sum(cell.calls or 0 for cell in open_cells)
    costs = [cell.cost for cell in open_cells if cell.cost is not None]
    cost = f"at most {text.money(sum(costs))}" if costs else "cost not known"
    if costs and len(costs) < len(open_cells):
        cost += f" for {len(costs)} of {len(open_cells)} cells; of the others it is not known"
    note = f"{len(open_cells)} of {len(found.cells)} cells are left to ask: {calls} calls, {cost}."
    if not open_cells:
        note = "Nothing is left to ask."
    heads = ("", *axes, "calls", "cost at most")
    return [Section("Cells", (note,), heads, rows, frozenset(range(1, len(axes) + 1))), *_errors(found)]


def matrix_sections(found: Matrix) -> list[Section]:
    """How far each axis moves the buckets, every cell, each effect, and the cells without a result."""
    axes = list(found.axes)
    numbered = [(str(number), cell) for number, cell in enumerate(found.cells, 1)]
    cells = [(number, *(cell.values[axis] for axis in axes)) for number, cell in numbered]
    missing = sum(not cell.result for cell in found.cells)
    warning = [f"{missing} of {len(found.cells)} cells have no result: see the end."]
    runs = [(number, cell.run) for number, cell in numbered if cell.run]
    untested = [number for number, cell in numbered if cell.scores and cell.scores.citations == "retrieved"]
    mixed = 0 < len(untested) < sum(bool(cell.scores) for cell in found.cells)
    unlike = f"Attribution was not tested in the cells {', '.join(untested)}, and was in the others."
    return [
        Section(told=(matrix_headline(found),)),
        *([Section(told=warning, tone="bad")] if missing else []),
        *([Section(told=(unlike,), tone="unclear")] if mixed else []),
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
    largest = found.effects[0]
    axis = f"{largest.axis[:1].upper()}{largest.axis[1:]}"
    sentence = (
        f"{axis} moves the buckets most: {_points(largest.moved)} points ({largest.base} to {largest.value})"
    )
    others = {effect.axis: effect for effect in reversed(found.effects) if effect.axis != largest.axis}
    if not others:
        return f"{sentence}."
    second = max(others.values(), key=lambda effect: effect.moved)
    sentence += f", {second.axis} {_points(second.moved)} ({second.base} to {second.value})"
    low = second.less_interval[0] if second.less_interval else 0.0
    return f"{sentence}; the difference {'is clear' if low > 0 else 'may be chance'}."


def _moves(effects: Sequence[Effect]) -> Section:
    rows = [
        (
            *(effect.axis, effect.base, effect.value, _points(effect.moved)),
            f"[{_points(effect.interval[0])},{_points(effect.interval[1])}]",
            _points(effect.less) if effect.less_interval else "",
            text.limits(effect.less_interval),
        )
        for effect in effects
    ]
    note = (
        "Points: answers of 100 that are in another bucket on balance, all other axes being equal. A"
        " distance is never below 0, so its interval is no test; those of the single buckets are."
    )
    heads = ("axis", "from", "to", "points", "95% CI", "less by", "95% CI")
    return Section("How far each axis moves the buckets", (note,), heads, rows, frozenset({0, 1, 2}))


def _cells_came_out(cells: Sequence[MatrixCell]) -> Section:
    rows = []
    for number, cell in enumerate(cells, 1):
        scores = cell.scores
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
                text.money(scores.spending.cost),
                "" if cell.result else "no result",
            )
        )
    heads = ("", *BUCKETS, "ungraded", "desired", "unaccept.", "cost", "")
    return Section("What came out", (), heads, rows, frozenset({0, len(heads) - 1}))


def _effect(found: Effect) -> Section:
    rows = [
        (
            change.bucket,
            f"{100 * change.difference:+.1f}",
            text.limits(change.interval),
            text.p_value(change.p),
        )
        for change in found.changes
    ]
    pairs = f"{found.pairs} {'pair' if found.pairs == 1 else 'pairs'} of cells"
    note = f"{pairs}, {found.n} pairs of answers about {found.documents} documents."
    title = f"{found.axis}: {found.value} against {found.base}"
    return Section(title, (note,), ("share of", "points", "95% CI by document", "p"), rows)


def _errors(found: Matrix) -> list[Section]:
    cells: dict[str, list[str]] = {}
    for number, cell in enumerate(found.cells, 1):
        if reason := cell.error or (cell.scores.sentence if cell.scores and not cell.result else ""):
            cells.setdefault(reason, []).append(str(number))
    sentences = [f"Cell{'s' * (len(ns) > 1)} {', '.join(ns)}: {reason}" for reason, ns in cells.items()]
    return [Section("Without a result", sentences, tone="bad")] if sentences else []


def _points(share: float) -> str:
    return f"{100 * share:.1f}"


_NAMED = 6  # questions that are named of each rule, so that they fit a line; JSON has all
_LISTED = 40  # newly wrong questions, and answers that would settle it, that are listed; JSON has all
_SENTENCES = {
    "ship": "SHIP: {candidate} may replace {base}.",
    "reject": "REJECT: {candidate} may not replace {base}.",
    "incomplete": "INCOMPLETE: whether {candidate} may replace {base} depends on answers without a bucket.",
    "not comparable": "NOT COMPARABLE: {candidate} with {base}.",
}
_UNDECIDED = "INCOMPLETE: whether {0.candidate} may replace {0.base} cannot be decided from so few answers."
_LUCK = (
    "Each question was asked once, so this may be luck. Ask both again: ragharness run --epochs 3; or declare"
    " that the pipeline repeats itself: --gates deterministic=yes."
)
_UNCALIBRATED = "INCOMPLETE: {0.candidate} may replace {0.base} once the grader is calibrated: {reasons}."
_TONES: dict[str, Tone] = {"ship": "good", "reject": "bad"}


def headline(decision: Decision) -> str:
    """Verdict as one sentence, with the rules that decided it."""
    sentence = _SENTENCES[decision.verdict].format(base=decision.base, candidate=decision.candidate)
    if decision.verdict == "not comparable":
        return f"{sentence} {'; '.join(decision.reasons)}."
    if decision.verdict == "ship":
        return sentence
    failing = [rule for rule in decision.rules if rule.passes is False]
    if decision.verdict == "incomplete" and all(rule.passes or rule.rule == "C" for rule in decision.rules):
        reasons = "; ".join(decision.reasons).removeprefix("C calibrated: ")
        return _UNCALIBRATED.format(decision, reasons=reasons)
    noisy = [rule for rule in decision.rules if rule.passes is None and rule.margin and not rule.undecided]
    if decision.verdict == "incomplete" and noisy and not decision.settles:
        return f"{_UNDECIDED.format(decision)} {_not_excluded(noisy, decision.statistics)}"
    moved = "; ".join(f"{rule.name} {_moved(rule)}" for rule in failing or decision.rules if not rule.passes)
    alone = ""
    if decision.statistics is not None and decision.statistics.confirmed_reject:
        names = text.ids(decision.statistics.confirmed, _NAMED)
        alone = f" In every epoch, and before in none: {names}."
    return f"{sentence} {moved[:1].upper()}{moved[1:]}.{alone}"


def _not_excluded(rules: Sequence[RuleResult], statistics: Statistics | None) -> str:
    """What the answers do not rule out, and how many would."""
    parts = ", ".join(f"{rule.name} {_amount(rule, rule.largest)} {_unit(rule)}" for rule in rules)
    sentence = f"A change for the worse is not excluded ({parts})."
    if statistics is None or statistics.questions_needed is None:
        return sentence
    epochs = f"{statistics.epochs_needed} epochs, or " if statistics.epochs_needed else ""
    return f"{sentence} {epochs}about {statistics.questions_needed} questions would decide."


def _amount(rule: RuleResult, value: float | None) -> str:
    """Change a question, in the rule's own unit."""
    if value is None:
        return ""
    return f"{100 * value:.1f}" if _unit(rule) == "points" else f"{value:.2f}"


def _unit(rule: RuleResult) -> str:
    return {"refusal quality": "grades", "uncited claims": "an answer"}.get(rule.name, "points")


def gate_sections(decision: Decision, *, detail: bool = False) -> list[Section]:
    """Verdict, the rules, the questions that changed, and with ``detail`` the statistics."""
    tone = _TONES.get(decision.verdict, "unclear")
    if decision.verdict == "not comparable":
        allow = "To compare them anyway: --gates allow=NAME+NAME, with the names before the colons."
        return [Section(told=(headline(decision), allow), tone=tone)]
    times = f" x {decision.epochs} epochs, by {decision.judged_by}" if decision.epochs > 1 else ""
    banner = [f"ALLOWED DIFFERENCE, so read with care: {name}." for name in decision.allowed]
    head, rules = ("", "rule", "base", "candidate", "change", "result"), list(map(_rule, decision.rules))
    notes = [_LUCK] if decision.asked_once else []
    if decision.statistics is not None:
        wavering = len({name for names in decision.wavering.values() for name in names})
        rules_seen = [rule for rule in decision.rules if rule.margin and rule.seen]
        seen = (f"{rule.name} {_amount(rule, rule.seen)} {_unit(rule)}" for rule in rules_seen)
        notes.append(
            f"Epochs of {wavering} questions differ, so rates are compared: of candidates that equal the base"
            f" {100 * decision.statistics.error:g} in 100 are rejected, by all rules together. A change for"
            f" the worse is seen in 4 of 5 cases from: {', '.join(seen)}."
        )
    return [
        Section(told=(headline(decision), *notes), tone=tone),
        *([Section(told=banner, tone="unclear")] if banner else []),
        Section(f"Rules, {decision.questions} questions{times}", (), head, rules, frozenset({0, 1, 5})),
        *_changed(decision),
        *_settling(decision),
        *_attempts(decision, detail=detail),
        *(_statistics(decision) if detail else []),
    ]


def threshold_section(rules: Sequence[RuleResult]) -> Section:
    """Limits that a run was to keep to, and whether it does."""
    tone: Tone = "bad" if any(rule.passes is False for rule in rules) else "unclear"
    rows = [(f"{rule.name} {rule.text}", _range(rule, rule.candidate), _rule(rule)[-1]) for rule in rules]
    note = [] if all(rule.passes for rule in rules) else ["A limit was missed or is undecided: see below."]
    return Section("Gates", note, ("limit", "found", "result"), rows, frozenset({0, 2}), tone)


def _rule(rule: RuleResult) -> Sequence[str]:
    result = {True: "pass", False: "FAIL", None: "open"}[rule.passes]
    if not rule.evaluated:
        result += ", nothing to compare" if rule.rule != "T" else ", nothing to count"
    name = f"{rule.name} {rule.text}" if rule.rule == "T" else rule.name
    change = "" if rule.difference is None else _range(rule, rule.difference, sign=True)
    base = "" if rule.base is None else _range(rule, rule.base)
    return rule.rule, name, base, _range(rule, rule.candidate), change, result


def _moved(rule: RuleResult) -> str:
    if rule.rule in ("A", "C"):
        return rule.text
    candidate = _range(rule, rule.candidate)
    if rule.base is None:
        return f"{candidate}, wanted {rule.text}"
    return f"{_range(rule, rule.base)} -> {candidate}"


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
    if rule.name == "citation supports" or (
        rule.rule == "T" and abs(value) <= 1 and not float(value).is_integer()
    ):
        return f"{100 * value:{'+' if sign else ''}.1f}%"
    if float(value).is_integer() and rule.name != "refusal quality":
        return f"{int(value):{'+' if sign and value else ''}d}"
    return f"{value:{'+' if sign else ''}.2f}"


def _changed(decision: Decision) -> list[Section]:
    rows = []
    for rule in (rule for rule in decision.rules if rule.name != "unacceptable"):
        for how, names in (("worse", rule.worse), ("better", rule.better)):
            if names:
                rows.append((rule.rule, rule.name, how, str(len(names)), text.ids(names, _NAMED)))
    sections = []
    if decision.newly_wrong:
        columns = 5 if decision.epochs > 1 else 2
        stable = {True: "stable", False: "flaky", None: ""}
        newly = [
            (answer.question, answer.was, answer.candidate, answer.base, stable[answer.stable])[:columns]
            for answer in decision.newly_wrong[:_LISTED]
        ]
        head = ("question", "was", "wrong in epochs", "of the base", "")[:columns]
        sections = [Section("Newly wrong", (), head, newly, frozenset({0, 1, 4}))]
    if rows:
        head = ("", "rule", "", "n", "questions")
        sections.append(Section("Questions that changed", (), head, rows, frozenset({0, 1, 2, 4})))
    worse = [answer.question for answer in decision.newly_wrong]
    worse += [name for rule in decision.rules if rule.passes is False for name in rule.worse]
    if worse:
        sections.append(Section(told=(f"Look at one: ragharness show {worse[0]} {decision.candidate}",)))
    return sections


def _settling(decision: Decision) -> list[Section]:
    if not decision.settles:
        return []
    answers = decision.settles[:_LISTED]
    rows = [(answer.question, answer.run, answer.status.replace("_", " ")) for answer in answers]
    more = len(decision.settles) - len(rows)
    note = (
        "Whatever the others become, the verdict depends on these answers alone. ragharness show prints one;"
        " ragharness run --retry-errors asks again what failed."
        f"{f' {more} more are not shown.' if more else ''}"
    )
    head = ("question", "run", "status")
    return [Section("Answers that would settle it", (note,), head, rows, frozenset({0, 1, 2}))]


def _attempts(decision: Decision, *, detail: bool) -> list[Section]:
    if (attempts := decision.attempts) is None:
        return []
    same = f", {attempts.same_settings} of them with the same settings" if attempts.same_settings > 1 else ""
    begin = f"Attempt {attempts.number} at this pipeline on these questions"
    lines = [f"{begin}{same}: of many, one passes by luck."] if detail or attempts.number > 1 else []
    lines += [f"Overridden by {entry.who} on {entry.when}: {entry.why}" for entry in attempts.overrides]
    lines += [attempts.note] if attempts.note else []
    return [Section(told=lines)] if lines else []


def _statistics(decision: Decision) -> list[Section]:
    """The joint test in plain words; nothing applies to counts of runs that repeat themselves."""
    if (statistics := decision.statistics) is None:
        why = "Each question was asked once" if decision.epochs == 1 else "Epochs agree, or are taken to"
        return [Section("Statistics", (f"{why}: the rules are literal, and no test applies.",))]
    rows = [
        (
            f"{rule.name}, {_unit(rule)}",
            _amount(rule, rule.change),
            text.p_value(rule.p),
            *(_amount(rule, value) for value in (rule.largest, rule.margin, rule.seen)),
        )
        for rule in decision.rules
        if rule.p is not None
    ]
    meaning = (
        "Worse: the change for the worse. p: how often a candidate that equals the base looks as bad by"
        " any rule. Up to: had it become worse by more, 4 of 5 trials would look worse than this one; a ship"
        " needs that below the margin. Seen: the change that is seen in 4 of 5 trials."
    )
    names = text.ids(statistics.confirmed, _NAMED) or "none"
    confirmed = (
        f"Wrong or unsupported in every epoch, and before in none: {names}."
        f" By noise alone: {statistics.by_noise:.2g}."
    )
    notes = [meaning, f"What varies independently: {statistics.units} {statistics.unit}s.", confirmed]
    for run, wavering in decision.wavering.items():
        listed = text.ids(wavering, _NAMED) or "none"
        notes.append(f"Epochs differ, {run}: {len(wavering)} questions ({listed}).")
    head = ("", "worse", "p", "up to", "margin", "seen")
    return [Section("Statistics", (), head, rows), Section(told=notes)]
