"""What people are asked and how they agree: answers that need review, annotators, as text and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from ragharness.analysis.labels.labels import People
from ragharness.records import Opinion, Record, Verdict
from ragharness.reports.text import aligned, ids, labelled, one_line, paragraph
from ragharness.runner.run_folder import RunFolder

_LABEL = 14
_WHY = 300
"""Characters of a reason that are shown."""


def review_facts(records: Iterable[Record]) -> dict[str, Any]:
    """Return who decided how many answers, and the answers that are open or on which graders differ."""
    decided: Counter[str] = Counter()
    answers = []
    for record in records:
        verdict = record.verdict
        if verdict is None:
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
                    "said": _said(verdict),
                }
            )
    return {"decided": dict(sorted(decided.items())), "answers": answers}


def review_lines(facts: dict[str, Any], width: int) -> list[str]:
    """Return the same as text."""
    told = ", ".join(f"{name} {count}" for name, count in facts["decided"].items())
    lines = paragraph(f"decided by: {told or 'nobody'}", width)
    if not facts["answers"]:
        return [*lines, "nothing is open, and no graders differ"]
    reasons = Counter(each["reason"] for each in facts["answers"])
    lines += paragraph("; ".join(f"{reason}: {count}" for reason, count in sorted(reasons.items())), width)
    for each in facts["answers"]:
        lines += ["", f"{each['question']}   {each['reason']}"]
        lines += labelled("  answer", one_line(each["answer"], _WHY), width, _LABEL)
        for one in each["said"]:
            outcome = one["bucket"] or one["status"].replace("_", " ")
            lines += labelled(
                f"  {_short(one['grader'])}", one_line(f"{outcome}: {one['why']}", _WHY), width, _LABEL
            )
    return lines


def _said(verdict: Verdict) -> list[dict[str, Any]]:
    """Return what each grader said; where none decided, they are all among the others."""
    open_to_all = verdict.bucket is None and verdict.others
    asked: list[Verdict | Opinion] = [*([] if open_to_all else [verdict]), *verdict.others]
    return [
        {
            "grader": each.grader,
            "bucket": each.bucket,
            "status": each.status,
            "why": each.why,
            "scores": {made.decision: made.mean for made in each.judgements},
        }
        for each in asked
    ]


def _name(grader: str) -> str:
    return grader.partition("@")[0]


def _short(grader: str) -> str:
    return _name(grader)[: _LABEL - 4]


def labelling_facts(folder: RunFolder) -> dict[str, Any]:
    """Return sample, annotators, agreement and open disagreements of a run's labels; raises UsageError."""
    from ragharness.analysis.labels.labels import answered, labels_folder, read_people
    from ragharness.analysis.labels.sampling import read_design

    place = labels_folder(folder)
    digests = {each.key: each.digest for each in answered(folder.records())}
    people, stale = read_people(place, digests)
    design = read_design(place)
    return {
        "run": folder.name,
        "sample": None
        if design is None
        else {
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
        **agreement_facts(people),
    }


def agreement_facts(people: People) -> dict[str, Any]:
    """Return how annotators agree."""
    return {
        "alpha": people.alpha(),
        "pairs": [
            {
                "annotators": [each.one, each.other],
                "n": each.n,
                "agreed": each.agreed,
                "kappa": each.kappa.value if each.kappa else None,
                "ac1": each.ac1.value if each.ac1 else None,
            }
            for each in people.pairs()
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
    """Return the same as text."""
    sample = facts["sample"]
    lines: list[str] = []
    if sample is not None:
        by = "" if sample["strata"] == "none" else f", drawn from each {sample['strata']}"
        lines.append(f"{sample['n']} of {sample['of']} answers{by}, seed {sample['seed']}")
    rows = [(name, f"{count} labelled") for name, count in facts["annotators"].items()]
    lines += ["", *aligned(rows)] if rows else []
    lines += ["", *agreement_lines(facts)] if facts["pairs"] else []
    waiting = [each["question"] for each in facts["disagreements"] if each["adjudicated"] is None]
    if waiting:
        lines += ["", *paragraph(f"to be settled: {ids(waiting)}", width)]
        lines.append(f"ragharness label {facts['run']} --adjudicate")
    return lines


def agreement_lines(facts: dict[str, Any]) -> list[str]:
    """Return the agreement of each two annotators as a table."""
    rows: list[tuple[str, ...]] = [("ANNOTATORS", "N", "agreed", "kappa", "AC1")]
    for each in facts["pairs"]:
        told = ("n/a" if each[name] is None else f"{each[name]:.2f}" for name in ("kappa", "ac1"))
        rows.append((" and ".join(each["annotators"]), str(each["n"]), str(each["agreed"]), *told))
    if facts["alpha"] is not None:
        rows.append(("all: Krippendorff's alpha", "", "", f"{facts['alpha']:.2f}", ""))
    return aligned(rows)
