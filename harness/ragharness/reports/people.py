"""What people say beside the grader: labels, agreement, answers to review, calibrations of grader and run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ragharness.analysis.agreement import Rate
from ragharness.analysis.calibrating import LEAST_GOLD, BucketFigures, Disagreement, Note
from ragharness.analysis.labelled import OUTCOMES, AxisAgreement, Calibration, Confusion, Difference, rates
from ragharness.analysis.labels import answered, labels_folder, read_design, read_people
from ragharness.analysis.metrics import Share, share
from ragharness.records import BUCKETS, Opinion, Record, Verdict
from ragharness.reports.text import Section, aligned, ids, labelled, one_line, paragraph, rate
from ragharness.runner.run_folder import RunFolder

_ORDER = ("wrong", "unsupported", "correct", "refused")  # a missed wrong answer costs the most
_METHODS = {
    "difference": "finite-population difference: the grader's count and its errors in the sample, scaled up",
    "rogan-gladen": "Rogan-Gladen, from labels of another run",
}


def people_sections(note: Note, *, show: int | None = None) -> list[Section]:
    """Verdict on a run's calibration, recall and precision, counts, agreement, ``show`` disagreements."""
    by = "" if note.strata in ("none", "unknown") else f", drawn from each {note.strata}"
    who = ", ".join(note.annotators) or "nobody"
    how = f"{note.labelled} answers of {note.labels_of} labelled by {who}{by}; grader {note.bound.grader}"
    return [
        Section(told=[note.sentence, *note.reasons[1:]], tone="good" if note.calibrated else "unclear"),
        Section(told=[how, *(f"{remark[:1].upper()}{remark[1:]}." for remark in note.notes)]),
        _recall_and_precision(note),
        _counts(note),
        _confusion_of_run(note),
        _agreement(note),
        _next(note),
        *_disagreements(note.disagreements, len(note.disagreements) if show is None else show),
    ]


def _recall_and_precision(note: Note) -> Section:
    buckets = ((bucket, note.buckets[bucket]) for bucket in _ORDER)
    rows = [(bucket, *_share(figures.recall), *_share(figures.precision)) for bucket, figures in buckets]
    meaning = "Recall: of those that people put there. Precision: of those that the grader put there."
    head = ("bucket", "recall", "95% CI", "", "precision", "95% CI", "")
    return Section("Does the grader find what people find?", (meaning,), head, rows, frozenset({0, 2, 5}))


def _share(share: Rate) -> tuple[str, str, str]:
    if share.rate is None or share.low is None or share.high is None:
        return "n/a", "", "none"
    limits = f"[{100 * share.low:.0f}-{100 * share.high:.0f}]"
    return f"{100 * share.rate:.0f}%", limits, f"{share.count}/{share.n}"


def _counts(note: Note) -> Section:
    remarks = [f"By {_METHODS[note.method]}."] if note.method else []
    if any(figures.why_not.startswith("too few") for figures in note.buckets.values()):
        remarks.append(f"Too few: under {LEAST_GOLD} labelled answers.")
    buckets = ((bucket, note.buckets[bucket]) for bucket in _ORDER)
    rows = [(bucket, str(figures.grader), *_corrected(figures)) for bucket, figures in buckets]
    title = f"How many there are, of {note.questions} questions"
    head = ("bucket", "grader", "corrected", "95% CI", "long run", "+-5 needs")
    return Section(title, remarks, head, rows, frozenset({0, 3, 4}))


def _corrected(figures: BucketFigures) -> tuple[str, str, str, str]:
    needed = "" if figures.needed is None else str(figures.needed)
    if figures.corrected is None:
        return figures.why_not.partition(":")[0], "", "", needed
    corrected, share = figures.corrected, figures.long_run
    percent = share and f"{100 * share.value:.0f}% [{100 * share.low:.0f}-{100 * share.high:.0f}]"
    return f"{corrected.value:.1f}", f"[{corrected.low:.1f}-{corrected.high:.1f}]", percent or "", needed


def _confusion_of_run(note: Note) -> Section:
    head, *rows = _confusion_of_file(note.confusion, "people", [*BUCKETS, "needs_review"])
    return Section("Confusion", (), head, rows)


def _agreement(note: Note) -> Section:
    agreement = note.agreement
    rows = [("accuracy", *_share(agreement.accuracy)[:2])]
    for name, value, limits in (
        ("Cohen's kappa", agreement.kappa, agreement.kappa_interval),
        ("Gwet's AC1", agreement.ac1, agreement.ac1_interval),
        ("Krippendorff's alpha", agreement.alpha, None),
    ):
        figure = "n/a" if value is None else f"{value:.2f}"
        rows.append((name, figure, f"[{limits[0]:.2f}-{limits[1]:.2f}]" if limits else ""))
    title = f"Agreement, {agreement.n} answers with a bucket"
    return Section(title, (), ("", "", "95% CI"), rows, frozenset({0, 2}))


def _next(note: Note) -> Section:
    steps = []
    if note.more:
        command = f"ragharness label {note.labels_of} --sample {note.labelled + note.more}"
        steps.append(f"{note.more} more labels for +-5 points in every bucket: {command}")
    elif note.more == 0:
        steps.append("Enough labels for +-5 points in every bucket of this run.")
    if note.next:
        steps.append(f"Next: {', '.join(note.next)}")
    return Section("Labels" if steps else "", steps)


def _disagreements(disagreements: Sequence[Disagreement], show: int) -> list[Section]:
    if not disagreements:
        return []
    title = f"{len(disagreements)} answers on which people and the grader differ"
    head = ("question", "people", "grader", "reason")
    rows = [(row.question, row.people, row.grader.replace("_", " "), row.reason) for row in disagreements]
    sections = [Section(title, (), head, rows, frozenset(range(4)))]
    for answer in disagreements[:show]:
        lines = [
            f"people: {answer.people}" + (f": {answer.comment}" if answer.comment else ""),
            f"grader: {answer.grader.replace('_', ' ')} ({answer.reason}): {answer.why}",
            f"question: {answer.asked}",
            f"gold: {answer.gold}",
            f"answer: {answer.answer}",
        ]
        sections.append(Section(answer.question, lines))
    return sections


_RATES = {
    "false_correct": ("false correct", "of our corrects"),
    "false_wrong": ("false wrong", "of people's corrects"),
    "needs_review": ("needs review", "of all answers"),
    "refusal_recall": ("refusal recall", "of people's refusals"),
    "refusal_precision": ("refusal precision", "of our refusals"),
    "agreement_all": ("agreement, all", "review counts against it"),
    "agreement_graded": ("agreement, graded", "without review"),
}
_KINDS = ("yesno", "number", "date", "text", "list", "sentence", "no gold")
_HEADS = {"needs_review": "review", "no_answer": "none"}
_SELDOM = ("unsupported", "no_answer")
_ANSWER = 400  # characters of an answer that are shown
_LABEL = 10


def calibration_lines(calibration: Calibration, name: str, width: int) -> list[str]:
    """Confusion of the grader with a file of labels, its rates, both by kind of gold, and differences."""
    lines = [f"{calibration.n:,} answers of {name}   grader {calibration.grader}", ""]
    lines += aligned(_confusion_of_file(calibration.confusion))
    shares = [_rate(*_RATES[key], share) for key, share in rates(calibration.confusion)._asdict().items()]
    if calibration.buckets:
        lines += ["", *aligned(_confusion_of_file(calibration.buckets, "BUCKET"))]
        same = sum(row[bucket] for bucket, row in calibration.buckets.items())
        same_bucket = share(same, sum(sum(row.values()) for row in calibration.buckets.values()))
        shares.append(_rate("same bucket", "review counts against it", same_bucket))
    lines += ["", *_fitted((shares, [row[:-1] for row in shares]), width, left=(0, 3, 4))]
    if calibration.axes:
        head = ("AXIS", "both", "agree", "", "not read")
        lines += ["", *aligned([head, *map(_axis, calibration.axes.items())])]
    lines += ["", *_fitted((_by_kind(calibration, _half_width), _by_kind(calibration)), width)]
    note = "in brackets: 95% confidence intervals, assuming one answer per question"
    lines += ["", *paragraph(note, width)]
    for difference in calibration.differences:
        lines += ["", *_difference(difference, width)]
    return lines


def calibration_facts(calibration: Calibration, *, show: bool = False) -> dict[str, Any]:
    """The same as a JSON value; rates are fractions, null where nothing was counted."""
    facts = {"grader": calibration.grader, **_facts(calibration.confusion)}
    facts["buckets"] = {
        label: {"review" if outcome == "needs_review" else outcome: n for outcome, n in row.items()}
        for label, row in calibration.buckets.items()
    }
    facts["axes"] = {name: axis._asdict() for name, axis in calibration.axes.items()}
    facts["by_kind"] = {kind: _facts(calibration.by_kind[kind]) for kind in _sorted(calibration)}
    if show:
        facts["differences"] = [
            {
                "id": case.question.id,
                "question": case.question.text,
                "answers": list(case.golds),
                "kind": case.shape,
                "answer": case.answer.text,
                "label": case.label,
                "bucket": case.bucket,
                "verdict": verdict.bucket or verdict.status,
                "reason": verdict.reason,
                "why": verdict.why,
            }
            for case, verdict in calibration.differences
        ]
    return facts


def _facts(confusion: Confusion) -> dict[str, Any]:
    shares = rates(confusion)._asdict()
    return {
        "n": sum(sum(row.values()) for row in confusion.values()),
        "confusion": confusion,
        **{key: share.count / share.n if share and share.n else None for key, share in shares.items()},
        "intervals": {
            key: share and {"count": share.count, "n": share.n, "low": share.low, "high": share.high}
            for key, share in shares.items()
        },
    }


def _axis(entry: tuple[str, AxisAgreement]) -> Sequence[str]:
    name, axis = entry
    agreed = rate(share(axis.agree, axis.n))
    return name.replace("_", " "), str(axis.n), str(axis.agree), agreed, str(axis.unread)


def _confusion_of_file(
    confusion: Confusion, head: str = "PEOPLE", outcomes: Sequence[str] = ()
) -> list[Sequence[str]]:
    """People's labels against outcomes; what no answer came out as is left out if it is seldom."""
    if not outcomes:
        seldom = [name for name in _SELDOM if not any(row[name] for row in confusion.values())]
        outcomes = [outcome for outcome in OUTCOMES if outcome not in seldom]
    rows: list[Sequence[str]] = [(head, *(_HEADS.get(outcome, outcome) for outcome in outcomes), "all")]
    for label, row in confusion.items():
        rows.append((label, *(str(row[outcome]) for outcome in outcomes), str(sum(row.values()))))
    return rows


def _rate(label: str, what: str, share: Share | None) -> Sequence[str]:
    if share is None:
        return label, "", "n/a", "", "no such human label"
    limits = ""
    if share.low is not None and share.high is not None:
        limits = f"[{100 * share.low:.1f}-{100 * share.high:.1f}]"
    return label, f"{share.count}/{share.n}", rate(share, 1), limits, what


def _by_kind(calibration: Calibration, more: Callable[[Share], str] = lambda _: "") -> list[Sequence[str]]:
    """Rates for each kind of gold, under headings of two lines; ``more`` stands beside each."""
    rows: list[Sequence[str]] = [
        ("", "", "false", "false", "", "agreed", "agreed"),
        ("GOLD", "N", "correct", "wrong", "review", "of all", "graded"),
    ]
    for kind in _sorted(calibration):
        shares = rates(calibration.by_kind[kind])
        columns = shares.false_correct, shares.false_wrong, shares.needs_review, shares.agreement_all
        cells = [f"{rate(share, 1)}{more(share)}" for share in (*columns, shares.agreement_graded)]
        rows.append((kind, str(shares.needs_review.n), *cells))
    return rows


def _half_width(share: Share) -> str:
    return "" if share.low is None or share.high is None else f" +-{50 * (share.high - share.low):.0f}"


def _fitted(tables: Sequence[Sequence[Sequence[str]]], width: int, left: tuple[int, ...] = (0,)) -> list[str]:
    """The first of some tables that fits, or the last."""
    laid_out = [aligned(rows, left) for rows in tables]
    return next((lines for lines in laid_out if max(map(len, lines)) <= width), laid_out[-1])


def _sorted(calibration: Calibration) -> list[str]:
    return sorted(calibration.by_kind, key=_KINDS.index)


def _difference(difference: Difference, width: int) -> list[str]:
    case, verdict = difference.labelled, difference.verdict
    outcome = verdict.bucket or verdict.status.replace("_", " ")
    rows = [
        ("", f"people: {case.bucket or case.label}   grader: {outcome} ({verdict.reason})"),
        ("question", one_line(case.question.text, _ANSWER)),
        ("gold", one_line(" | ".join(case.golds) or "none", _ANSWER)),
        ("answer", _cut(case.answer.text)),
        ("because", one_line(verdict.why, _ANSWER)),
    ]
    lines = [line for label, text in rows for line in labelled(label, text, width, _LABEL)]
    return [one_line(case.question.id, width - 2), *lines]


def _cut(text: str) -> str:
    """Beginning and end of a long answer: what it concludes stands at either."""
    flat = one_line(text, len(text) + 1)
    if len(flat) <= _ANSWER:
        return flat
    half = _ANSWER // 2
    return f"{flat[:half].rsplit(' ', 1)[0]} [...] {flat[-half:].partition(' ')[2]}"


_REVIEW_LABEL = 14
_WHY = 300  # characters of a reason that are shown


def review_facts(records: Iterable[Record]) -> dict[str, Any]:
    """How many answers each grader decided, and those that are open or on which graders differ."""
    decided: Counter[str] = Counter()
    answers = []
    for record in records:
        if (verdict := record.verdict) is None:
            continue
        if verdict.bucket is not None:
            decided[_name(verdict.grader)] += 1
        differ = "disagreement" in verdict.flags
        if verdict.status == "needs_review" or differ:
            answers.append(
                {
                    "question": record.question,
                    "epoch": record.epoch,
                    "reason": "graders differ" if differ else "nobody decided",
                    "answer": record.answer.text if record.answer else "",
                    "said": _opinions(verdict),
                }
            )
    return {"decided": dict(sorted(decided.items())), "answers": answers}


def review_lines(facts: dict[str, Any], width: int) -> list[str]:
    """The same as text."""
    decided = ", ".join(f"{name} {count}" for name, count in facts["decided"].items())
    lines = paragraph(f"decided by: {decided or 'nobody'}", width)
    if not facts["answers"]:
        return [*lines, "nothing is open, and no graders differ"]
    reasons = Counter(answer["reason"] for answer in facts["answers"])
    lines += paragraph("; ".join(f"{reason}: {count}" for reason, count in sorted(reasons.items())), width)
    for answer in facts["answers"]:
        lines += ["", f"{answer['question']}   {answer['reason']}"]
        lines += labelled("  answer", one_line(answer["answer"], _WHY), width, _REVIEW_LABEL)
        for opinion in answer["said"]:
            outcome = opinion["bucket"] or opinion["status"].replace("_", " ")
            label = f"  {_name(opinion['grader'])[: _REVIEW_LABEL - 4]}"
            lines += labelled(label, one_line(f"{outcome}: {opinion['why']}", _WHY), width, _REVIEW_LABEL)
    return lines


def _opinions(verdict: Verdict) -> list[dict[str, Any]]:
    """What each grader said; where none decided, they are all among the others."""
    nobody = verdict.bucket is None and verdict.others
    opinions: list[Verdict | Opinion] = [*([] if nobody else [verdict]), *verdict.others]
    return [
        {
            "grader": opinion.grader,
            "bucket": opinion.bucket,
            "status": opinion.status,
            "why": opinion.why,
            "labels": {judgement.decision: judgement.label for judgement in opinion.judgements},
        }
        for opinion in opinions
    ]


def _name(grader: str) -> str:
    return grader.partition("@")[0]


def labelling_facts(folder: RunFolder) -> dict[str, Any]:
    """Sample, annotators, agreement and open disagreements of a run's labels; raises UsageError."""
    path = labels_folder(folder)
    people, stale = read_people(path, {answer.key: answer.digest for answer in answered(folder.records())})
    design = read_design(path)
    return {
        "run": folder.name,
        "sample": design
        and {
            "n": len(design.items),
            "of": sum(design.sizes.values()),
            "strata": design.strata,
            "seed": design.seed,
            "sizes": design.sizes,
            "drawn": design.drawn,
        },
        "annotators": {name: len(labels) for name, labels in people.by_annotator.items()},
        "adjudicated": len(people.adjudicated),
        "changed_since": stale,
        "alpha": people.alpha(),
        "pairs": [
            {
                "annotators": [pair.one, pair.other],
                "n": pair.n,
                "agreed": pair.agreed,
                "kappa": pair.kappa.value if pair.kappa else None,
                "ac1": pair.ac1.value if pair.ac1 else None,
            }
            for pair in people.pairs()
        ],
        "disagreements": [
            {
                "question": key[0],
                "epoch": key[1],
                "labels": {
                    name: labels[key].bucket for name, labels in people.by_annotator.items() if key in labels
                },
                "adjudicated": people.adjudicated[key].bucket if key in people.adjudicated else None,
            }
            for key in people.disputed()
        ],
    }


def labelling_lines(facts: dict[str, Any], width: int) -> list[str]:
    """The same as text."""
    sample = facts["sample"]
    lines: list[str] = []
    if sample is not None:
        by = "" if sample["strata"] == "none" else f", drawn from each {sample['strata']}"
        lines.append(f"{sample['n']} of {sample['of']} answers{by}, seed {sample['seed']}")
    rows = [(name, f"{count} labelled") for name, count in facts["annotators"].items()]
    lines += ["", *aligned(rows)] if rows else []
    lines += ["", *_pairs(facts)] if facts["pairs"] else []
    disputed = [answer["question"] for answer in facts["disagreements"] if answer["adjudicated"] is None]
    if disputed:
        lines += ["", *paragraph(f"to be settled: {ids(disputed)}", width)]
        lines.append(f"ragharness label {facts['run']} --adjudicate")
    return lines


def _pairs(facts: dict[str, Any]) -> list[str]:
    rows: list[tuple[str, ...]] = [("ANNOTATORS", "N", "agreed", "kappa", "AC1")]
    for pair in facts["pairs"]:
        figures = ("n/a" if pair[name] is None else f"{pair[name]:.2f}" for name in ("kappa", "ac1"))
        rows.append((" and ".join(pair["annotators"]), str(pair["n"]), str(pair["agreed"]), *figures))
    if facts["alpha"] is not None:
        rows.append(("all: Krippendorff's alpha", "", "", f"{facts['alpha']:.2f}", ""))
    return aligned(rows)
