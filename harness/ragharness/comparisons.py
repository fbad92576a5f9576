"""The gate, a comparison, a matrix and a calibration as Python sees them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec
from msgspec import Struct

from ragharness.analysis.calibration.note import Note
from ragharness.analysis.comparison.compare import Comparison
from ragharness.analysis.comparison.gate import Decision
from ragharness.analysis.comparison.matrix import Matrix
from ragharness.reports.compare import compare_sections, matrix_sections
from ragharness.reports.gate import gate_sections
from ragharness.reports.page.content import bars
from ragharness.reports.people import people_sections
from ragharness.reports.tables import render

if TYPE_CHECKING:
    from ragharness.analysis.calibration.note import BucketFigures
    from ragharness.analysis.comparison.matrix import Effect, MatrixCell
    from ragharness.analysis.comparison.rules import RuleResult
    from ragharness.analysis.scores.schema import Scores
    from ragharness.reports.tables import Section

Found = TypeVar("Found", bound=Struct)


class _Result(Generic[Found]):
    """What is printed as text, shown in notebooks as tables with a picture, and turned into JSON."""

    def __init__(self, found: Found) -> None:
        self.found = found
        """Everything that the command prints with ``--json``."""

    def _sections(self) -> Sequence[Section]:
        raise NotImplementedError

    def _buckets(self) -> dict[str, dict[str, int]]:
        """Return what the picture shows, a bar for each run; without any there is none."""
        return {}

    def to_dict(self) -> dict[str, Any]:
        """Return what the command prints with ``--json``."""
        found: dict[str, Any] = msgspec.to_builtins(self.found)
        return found

    def to_latex(self) -> str:
        """Return the tables for a paper."""
        return render(self._sections(), "latex")

    def __repr__(self) -> str:
        return render(self._sections(), "text")

    def _repr_html_(self) -> str:
        counts = self._buckets()
        return (bars(counts) if counts else "") + _html_of(render(self._sections(), "markdown"))


class GateResult(_Result[Decision]):
    """Whether a change may ship."""

    @property
    def ships(self) -> bool:
        """Whether the verdict is ``ship``."""
        return self.found.ships

    @property
    def verdict(self) -> str:
        """One of ship, reject, incomplete, not comparable."""
        return self.found.verdict

    @property
    def reasons(self) -> list[str]:
        """Why it does not ship; empty if it does."""
        return self.found.reasons

    @property
    def rules(self) -> dict[str, RuleResult]:
        """The rules by name: ``rules["wrong"].passes``."""
        return {each.name: each for each in self.found.rules}

    @property
    def newly_wrong(self) -> list[str]:
        """The questions that are wrong in the candidate and were not in the base."""
        return [each.question for each in self.found.newly_wrong]

    def _sections(self) -> Sequence[Section]:
        return gate_sections(self.found)

    def _buckets(self) -> dict[str, dict[str, int]]:
        names = {"base": f"base {self.found.base}", "candidate": f"candidate {self.found.candidate}"}
        return {names[side]: counts for side, counts in self.found.buckets.items()}


class RunComparison(_Result[Comparison]):
    """Runs side by side."""

    @property
    def flips(self) -> dict[str, tuple[str, str]]:
        """The questions that came out otherwise in the second run, worse first, with both outcomes."""
        return {each.question: (each.was, each.now) for each in self.found.against[0].flips}

    @property
    def worse(self) -> list[str]:
        """The questions that came out worse in the second run, worst first."""
        return [each.question for each in self.found.against[0].flips if each.worse]

    def _sections(self) -> Sequence[Section]:
        return compare_sections(self.found)

    def _buckets(self) -> dict[str, dict[str, int]]:
        return {f"{letter} {each.run}": _counts(each) for letter, each in self.found.runs.items()}


class MatrixResult(_Result[Matrix]):
    """The cells of a matrix and the effects of its axes."""

    @property
    def cells(self) -> list[MatrixCell]:
        """The cells in the order of the file: values, run folder, scores, or the error."""
        return self.found.cells

    @property
    def effects(self) -> list[Effect]:
        """What each value of an axis changes against its first, the strongest first."""
        return self.found.effects

    @property
    def result(self) -> bool:
        """Whether every cell has a result."""
        return all(each.result for each in self.found.cells)

    def _sections(self) -> Sequence[Section]:
        return matrix_sections(self.found)

    def _buckets(self) -> dict[str, dict[str, int]]:
        return {
            f"{number} {' '.join(each.values.values())}": _counts(each.scores)
            for number, each in enumerate(self.found.cells, 1)
            if each.scores
        }


def _counts(scores: Scores) -> dict[str, int]:
    return {**scores.buckets, "ungraded": scores.ungraded}


class RunCalibration(_Result[Note]):
    """How far a run's verdicts can be believed, by people's labels of its answers."""

    @property
    def calibrated(self) -> bool:
        """Whether the counts could be corrected."""
        return self.found.calibrated

    @property
    def reasons(self) -> list[str]:
        """Why they could not; empty if they could."""
        return self.found.reasons

    @property
    def buckets(self) -> dict[str, BucketFigures]:
        """Recall, precision and corrected count by bucket: ``buckets["wrong"].recall.rate``."""
        return self.found.buckets

    def _sections(self) -> Sequence[Section]:
        return people_sections(self.found)


def _html_of(markdown: str) -> str:
    """Return Markdown as HTML for notebooks; HTML within it is escaped."""
    from markdown_it import MarkdownIt

    return str(MarkdownIt("commonmark", {"html": False}).enable("table").render(markdown))
