"""The text-only probe of a question set as lines of text or JSON values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ragharness.questions.probe import verdict
from ragharness.reports.text import aligned, paragraph

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.questions.probe import Probed


def probe_facts(probed: Sequence[Probed]) -> list[dict[str, Any]]:
    """Return the probe as JSON values."""
    return [{**each._asdict(), "tells": each.tells} for each in probed]


def probe_lines(probed: Sequence[Probed], width: int) -> list[str]:
    """Return the probe as a table, and in a sentence what the text gives away."""
    if not any(each.auc is not None for each in probed):
        return paragraph("text-only probe: too few questions that want a refusal, or an answer", width)
    head = ("TEXT-ONLY PROBE", "N", "AUC", "TOPICS OUT", "SHUFFLED", "95%")
    rows = [
        (each.row, str(each.refusals), *map(_rounded, (each.auc, each.topics_out, each.shuffled, each.noise)))
        for each in probed
    ]
    return [*aligned([head, *rows]), *paragraph(verdict(probed), width)]


def _rounded(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.2f}"
