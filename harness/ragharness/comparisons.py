"""The gate, a comparison and a calibration as Python sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from ragharness.reports import bars, compare_sections, gate_sections, people_sections, render
from ragharness.results import html_of

if TYPE_CHECKING:
    from ragharness.calibration import Note
    from ragharness.calibration.note import BucketFigures
    from ragharness.comparing import Comparison, Decision
    from ragharness.comparing.rules import RuleResult


class GateResult:
    """Whether a change may ship; notebooks show it with the buckets of both runs."""

    def __init__(self, decision: Decision) -> None:
        self.decision = decision
        """Everything that ``ragharness gate --json`` prints."""

    @property
    def ships(self) -> bool:
        """Whether the verdict is ``ship``."""
        return self.decision.ships

    @property
    def verdict(self) -> str:
        """One of ship, reject, incomplete, not comparable."""
        return self.decision.verdict

    @property
    def reasons(self) -> list[str]:
        """Why it does not ship; empty if it does."""
        return self.decision.reasons

    @property
    def rules(self) -> dict[str, RuleResult]:
        """The rules by name: ``rules["wrong"].passes``."""
        return {each.name: each for each in self.decision.rules}

    @property
    def newly_wrong(self) -> list[str]:
        """The questions that are wrong in the candidate and were not in the base."""
        return [each.question for each in self.decision.newly_wrong]

    def to_dict(self) -> dict[str, Any]:
        """Return what ``ragharness gate --json`` prints."""
        found: dict[str, Any] = msgspec.to_builtins(self.decision)
        return found

    def __repr__(self) -> str:
        return render(gate_sections(self.decision), "text")

    def _repr_html_(self) -> str:
        found = self.decision
        named = {"base": f"base {found.base}", "candidate": f"candidate {found.candidate}"}
        counts = {named[side]: counts for side, counts in found.buckets.items()}
        return (bars(counts) if counts else "") + html_of(render(gate_sections(found), "markdown"))


class RunComparison:
    """Runs side by side; notebooks show them with their buckets."""

    def __init__(self, found: Comparison) -> None:
        self.comparison = found
        """Everything that ``ragharness compare --json`` prints."""

    @property
    def flips(self) -> dict[str, tuple[str, str]]:
        """The questions that came out otherwise in the second run, worse first, with both outcomes."""
        return {each.question: (each.was, each.now) for each in self.comparison.against[0].flips}

    @property
    def worse(self) -> list[str]:
        """The questions that came out worse in the second run, worst first."""
        return [each.question for each in self.comparison.against[0].flips if each.worse]

    def to_dict(self) -> dict[str, Any]:
        """Return what ``ragharness compare --json`` prints."""
        found: dict[str, Any] = msgspec.to_builtins(self.comparison)
        return found

    def to_latex(self) -> str:
        """Return the tables for a paper."""
        return render(compare_sections(self.comparison), "latex")

    def __repr__(self) -> str:
        return render(compare_sections(self.comparison), "text")

    def _repr_html_(self) -> str:
        runs = self.comparison.runs
        picture = bars(
            {f"{key} {each.run}": {**each.buckets, "ungraded": each.ungraded} for key, each in runs.items()}
        )
        return picture + html_of(render(compare_sections(self.comparison), "markdown"))


class RunCalibration:
    """How far a run's verdicts can be believed, by people's labels of its answers."""

    def __init__(self, note: Note) -> None:
        self.note = note
        """Everything that ``ragharness calibrate RUN --json`` prints."""

    @property
    def calibrated(self) -> bool:
        """Whether the counts could be corrected."""
        return self.note.calibrated

    @property
    def reasons(self) -> list[str]:
        """Why they could not; empty if they could."""
        return self.note.reasons

    @property
    def buckets(self) -> dict[str, BucketFigures]:
        """Recall, precision and corrected count by bucket: ``buckets["wrong"].recall.rate``."""
        return self.note.buckets

    def to_dict(self) -> dict[str, Any]:
        """Return what ``ragharness calibrate RUN --json`` prints."""
        found: dict[str, Any] = msgspec.to_builtins(self.note)
        return found

    def __repr__(self) -> str:
        return render(people_sections(self.note, show=0), "text")

    def _repr_html_(self) -> str:
        return html_of(render(people_sections(self.note), "markdown"))
