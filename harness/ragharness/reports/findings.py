"""What stands under the table of the terminal's report: axes, retrieval, misses, errors, notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.reports import words
from ragharness.reports.text import counted, flow, fraction, ids, labelled, one_line, paragraph, yes_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.scores import Scores

_GROUPS = 5
"""Kinds of errors that are listed; the rest is counted."""

_LONGEST_PROBLEM = 2100
"""Characters of an error's message: more than a record keeps of one."""

_INDENT = 11
_NAME = 17


def findings(scores: Scores, width: int, *, wide: bool) -> list[str]:
    """Return the lines; ``wide`` puts two short figures on one."""
    return [
        *_grid("EPOCHS", words.stability(scores), wide=False),
        *_grid("AXES", _figures(scores), wide=wide),
        *_explained(_refusals(scores), width),
        *_grid("RETRIEVAL", _retrieval(scores), wide=wide),
        *_why(scores, width),
        *_worst(scores, width, 5 if wide else 3),
        *_errors(scores, width),
        *(line for note in scores.notes for line in labelled("NOTE", note, width, _INDENT)),
    ]


def _figures(scores: Scores) -> list[tuple[str, str]]:
    axes = scores.axes
    quality = axes.refusal_quality
    return [
        ("citation exists", yes_of(axes.citation_exists)),
        ("citation supports", yes_of(axes.citation_supports)),
        ("no citation", f"{axes.citation_exists.null} answers"),
        ("uncited claims", f"{axes.extra_claim_count.sum} in {axes.extra_claim_count.answers} answers"),
        (
            "refusal quality",
            "n/a" if quality.mean is None else f"{quality.mean:.2f} of 3, mean of {quality.n}",
        ),
    ]


def _refusals(scores: Scores) -> list[tuple[str, str]]:
    axes = scores.axes
    return [
        ("over-refusal", f"{counted(axes.over_refusal)} with the evidence retrieved"),
        ("under-refusal", f"{counted(axes.under_refusal)} that want a refusal were answered"),
        ("hedged", f"{axes.hedged} declined and answered at once"),
        ("mixed", f"{axes.mixed} partly from outside knowledge"),
    ]


def _explained(cells: Sequence[tuple[str, str]], width: int) -> list[str]:
    size = _INDENT + _NAME + 1
    return [
        line
        for name, text in cells
        for line in labelled(f"{'':<{_INDENT}}{name:<{_NAME}} ", text, width, size)
    ]


def _retrieval(scores: Scores) -> list[tuple[str, str]]:
    found, top = scores.retrieval, words.top(scores)
    return [
        (f"gold {top}", counted(found.any_evidence)),
        ("gold first", counted(found.evidence_first)),
        (f"all gold {top}", counted(found.all_evidence)),
        ("right document", counted(found.document)),
        ("mean 1/rank (MRR)", fraction(found.mrr)),
        ("gold within it", counted(found.evidence_in_document)),
        (words.gain(scores), fraction(found.ndcg)),
        ("gold is", "known evidence"),
    ]


def _grid(label: str, cells: Sequence[tuple[str, str]], *, wide: bool) -> list[str]:
    per_line = 2 if wide else 1
    longest = max((len(name) for name, _ in cells[::per_line]), default=0)
    # What the names of the first column need more, those of the second have to spare.
    more = max(0, longest - _NAME)
    sizes = (_NAME + more, _NAME - more)
    lines = []
    for first in range(0, len(cells), per_line):
        pairs = zip(cells[first : first + per_line], sizes, strict=False)
        texts = [f"{name:<{size}} {value:<17}" for (name, value), size in pairs]
        head = label if first == 0 else ""
        lines.append(f"{head:<{_INDENT}}{''.join(texts)}".rstrip())
    return lines


def _why(scores: Scores, width: int) -> list[str]:
    missed = scores.questions - scores.wanted.total.count
    if not missed:
        return []
    items = [
        f"{name} {count}"
        for field, name in words.FAILURE_NAMES.items()
        if (count := getattr(scores.failures, field))
    ]
    return flow(items, width, f"WHY {missed} MISSED   ")


def _worst(scores: Scores, width: int, most: int) -> list[str]:
    return flow(
        [f"{kind} {ids(names, most)}" for kind, names in words.worst(scores)[:3]], width, "WORST      "
    )


def _errors(scores: Scores, width: int) -> list[str]:
    lines: list[str] = []
    groups = words.oddities(scores)
    for text, questions in groups[:_GROUPS]:
        told = f"{len(questions)}x {one_line(text, _LONGEST_PROBLEM)}"
        lines += labelled("" if lines else "ERRORS", told, width, _INDENT)
        lines += paragraph(ids(questions), width, " " * (_INDENT + 3))
    if len(groups) > _GROUPS:
        lines.append(f"{'':<{_INDENT}}and {len(groups) - _GROUPS} other kinds (see --json)")
    return lines
