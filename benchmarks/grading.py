"""How far the grader agrees with people, beside plain baselines; writes ``grading.json`` and drawings.

    python benchmarks/grading.py evouna=FILE [more=FILE ...] [--part seen|unseen|all] [--knock-out 500]

Each FILE is what ``ragharness calibrate --answers`` reads. A question is of the unseen part where the number
that the first eight hexadecimal digits of its sha256 make is divisible by four. The result holds rates and
counts, no text of an answer. Intervals are drawn over questions: answers to one are not independent.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import sys
from collections import Counter
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import grading_baselines as baselines
import grading_knockouts as knockouts
import grading_risk as risk
from ragharness import __version__
from ragharness.analysis.calibration.labelled import LABELS, Labelled, read_labelled
from ragharness.analysis.calibration.measuring import OUTCOMES, agrees, judge, outcome_of, rates
from ragharness.graders import load_grader
from ragharness.graders.verdicts.buckets import grade
from ragharness.graders.verdicts.labelled_cases import differences, load_cases

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from ragharness.graders import Grader
    from ragharness.graders.verdicts.labelled_cases import Case

    Measure = Callable[[NDArray[np.int64]], float]

HERE = Path(__file__).parent
RESULT = HERE / "grading.json"
CASES = HERE.parent / "tests" / "cases"
DRAWS = 400
"""Samples of questions from which an interval is read."""
_EVEN = 0.5
_FOLDS = 5
_SCORED = ("correct", "wrong", "needs_review")
"""Outcomes that the probability of a score speaks of."""
_RATES = ("false_correct", "false_wrong", "needs_review", "agreement_all", "agreement_graded")


def unseen(question: str) -> bool:
    """Whether a question belongs to the quarter that is kept for the end."""
    return int(_digest(question)[:8], 16) % 4 == 0


def _digest(question: str) -> str:
    return sha256(question.encode()).hexdigest()


def opinion(grader: Grader, each: Labelled) -> baselines.Opinion:
    """Return what the grader says of an answer as the baselines say it."""
    verdict = judge(grader, each)
    outcome, ground = outcome_of(verdict), f"{each.shape} {verdict.reason}"
    if verdict.score is None or outcome not in _SCORED:
        return baselines.Opinion(outcome, None, ground)
    right = verdict.score.probability
    sure = right if outcome == "correct" else 1 - right if outcome == "wrong" else max(right, 1 - right)
    return baselines.Opinion(outcome, sure, ground, leaning=right >= _EVEN)


class Board:
    """What every system says of the answers of one file."""

    def __init__(
        self, answers: Sequence[Labelled], systems: dict[str, Callable[[Labelled], baselines.Opinion]]
    ) -> None:
        self.labels = [each.label for each in answers]
        self._folds = [int(_digest(each.question.text)[8:16], 16) % _FOLDS for each in answers]
        self.said = {name: [system(each) for each in answers] for name, system in systems.items()}
        self.columns = {name: self._column(said) for name, said in self.said.items()}
        rows: dict[str, list[int]] = {}
        for row, each in enumerate(answers):
            rows.setdefault(each.question.text, []).append(row)
        self._rows = [np.array(each) for each in rows.values()]

    def _column(self, said: Sequence[baselines.Opinion]) -> risk.Column:
        # Forced to decide, a system says what it leans to, which is "not correct" where it does not say.
        errs = [
            (label == "correct")
            != (each.leaning if each.outcome == "needs_review" else each.outcome == "correct")
            for label, each in zip(self.labels, said, strict=True)
        ]
        return risk.Column(
            np.array(errs, dtype=float),
            self._confidences(said, errs),
            np.array([each.outcome != "needs_review" for each in said]),
        )

    def _confidences(self, said: Sequence[baselines.Opinion], errs: Sequence[bool]) -> NDArray[np.float64]:
        """Return how sure a system is, or how often the same ground was right in other folds."""
        right: Counter[tuple[str, int]] = Counter()
        every: Counter[tuple[str, int]] = Counter()
        for each, fold, wrong in zip(said, self._folds, errs, strict=True):
            for other in set(range(_FOLDS)) - {fold}:
                every[each.ground, other] += 1
                right[each.ground, other] += not wrong
        return np.array(
            [
                (right[each.ground, fold] + 1) / (every[each.ground, fold] + 2)
                if each.confidence is None
                else each.confidence
                for each, fold in zip(said, self._folds, strict=True)
            ]
        )

    def figures(self, name: str, grader: str) -> dict[str, Any]:
        """Return the rates of a system, its area, and how it and the grader err at each other's coverage."""
        own, other = self.columns[name], self.columns[grader]
        codes = self._codes(name)
        confusion = {
            label: {outcome: int((codes == _code(label, outcome)).sum()) for outcome in OUTCOMES}
            for label in LABELS
        }
        found = {key: value for key, value in rates(confusion)._asdict().items() if value is not None}
        measures: dict[str, Measure] = {key: partial(_rate, codes, key) for key in _RATES}
        measures["area"] = lambda rows: risk.area(own.of(rows))
        measures["ahead"] = lambda rows: _ahead(own.of(rows), other.of(rows))
        low, high = self._drawn(measures)
        told = {key: each.count / each.n if each.n else None for key, each in found.items()}
        told |= {"area": risk.area(own), "ahead": _ahead(own, other)}
        return {
            "confusion": confusion,
            **{key: None if value is None else round(value, 4) for key, value in told.items()},
            "intervals": {key: [_round(low[key]), _round(high[key])] for key in measures},
            "coverage": round(risk.coverage_of(own), 4),
            "error_at_grader_coverage": round(risk.risk_at(own, risk.coverage_of(other)), 4),
            "grader_error_at_its_coverage": round(risk.risk_at(other, risk.coverage_of(own)), 4),
            "grader_behind_at_most": [round(each, 4) for each in risk.behind(other, own)],
            "curve": risk.curve(own),
        }

    def _codes(self, name: str) -> NDArray[np.int64]:
        pairs = zip(self.labels, self.said[name], strict=True)
        return np.array([_code(label, each.outcome) for label, each in pairs])

    def _drawn(self, measures: dict[str, Measure]) -> tuple[dict[str, float], dict[str, float]]:
        """Return 95 % limits of each measure over samples of the questions."""
        draw = np.random.default_rng(0)
        values: dict[str, list[float]] = {key: [] for key in measures}
        for _ in range(DRAWS):
            rows = np.concatenate(
                [self._rows[place] for place in draw.integers(0, len(self._rows), len(self._rows))]
            )
            for key, measure in measures.items():
                values[key].append(measure(rows))
        limits = {key: np.nanpercentile(each, (2.5, 97.5)) if not np.isnan(each).all() else (np.nan, np.nan)
                  for key, each in values.items()}  # fmt: skip
        return {key: float(each[0]) for key, each in limits.items()}, {
            key: float(each[1]) for key, each in limits.items()
        }


def _ahead(own: risk.Column, other: risk.Column) -> float:
    """Return by how much the grader errs less than a baseline at the smaller coverage of the two."""
    at = min(risk.coverage_of(own), risk.coverage_of(other))
    return risk.risk_at(own, at) - risk.risk_at(other, at)


def _code(label: str, outcome: str) -> int:
    return LABELS.index(label) * len(OUTCOMES) + OUTCOMES.index(outcome)


def _rate(every: NDArray[np.int64], key: str, rows: NDArray[np.int64]) -> float:
    codes = every[rows]
    counts = np.bincount(codes, minlength=len(LABELS) * len(OUTCOMES)).reshape(len(LABELS), len(OUTCOMES))
    confusion = {
        label: {outcome: int(counts[i, j]) for j, outcome in enumerate(OUTCOMES)}
        for i, label in enumerate(LABELS)
    }
    found = getattr(rates(confusion), key)
    return found.count / found.n if found.n else float("nan")


def _round(value: float) -> float | None:
    return None if np.isnan(value) else round(value, 4)


def knock_outs(grader: str, answers: list[Labelled], cases: list[Case]) -> list[dict[str, Any]]:
    """Return what each rule earns, the most first, printed as it is found."""
    found = []
    for each in knockouts.earned(
        lambda: load_grader(grader),
        answers,
        cases,
        lambda reader, one: outcome_of(judge(reader, one)),
        _as_expected,
        _worth,
    ):
        told = f"{each.changed} changed, {each.better} better, {each.worse} worse"
        print(f"  without {each.rule}: {told}; cases -{each.lost} +{each.gained}", flush=True)
        found.append(each._asdict())
    return sorted(
        found, key=lambda each: (each["better"] - each["worse"], each["gained"] - each["lost"], each["rule"])
    )


def _worth(label: str, outcome: str) -> int:
    """How well an outcome suits a label, with review between; a refusal is not well called wrong."""
    if outcome == "needs_review":
        return 1
    return 2 if agrees(label, outcome) and (label != "refusal" or outcome == "refused") else 0


def _as_expected(grader: Grader, case: Case) -> bool:
    verdict = grade(grader, case.question, case.answer, case.retrieved, case.supporting, case.status)
    return not differences(verdict, case.expected)


def _table(figures: dict[str, dict[str, Any]]) -> str:
    head = ("", "false correct", "false wrong", "review", "graded right", "area", "at ours", "ours at its",
            "behind", "at share")  # fmt: skip
    keys = ("false_correct", "false_wrong", "needs_review", "agreement_graded", "area",
            "error_at_grader_coverage", "grader_error_at_its_coverage")  # fmt: skip
    rows = [head] + [
        (
            name,
            *("n/a" if each[key] is None else f"{100 * each[key]:.1f} %" for key in keys),
            *(f"{100 * value:.1f} %" for value in each["grader_behind_at_most"]),
        )
        for name, each in figures.items()
    ]
    return "\n".join("  ".join(f"{cell:>14}" for cell in row) for row in rows)


def main() -> None:
    """Measure the grader and the baselines on every file, draw, and write the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "files", nargs="+", metavar="NAME=FILE", help="labelled answers, and what to call them"
    )
    parser.add_argument("--part", choices=("seen", "unseen", "all"), default="seen")
    parser.add_argument("--grader", default="rules")
    parser.add_argument(
        "--knock-out",
        type=int,
        default=0,
        metavar="N",
        help="try each rule on N answers, all cases and the labelled ones beside them",
    )
    parser.add_argument("--cases", type=Path, nargs="*", default=sorted(CASES.glob("*.json")))
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    grader = load_grader(asked.grader)
    result: dict[str, Any] = {
        "made_with": {"ragharness": __version__, "python": platform.python_version()},
        "grader": f"{grader.name}@{grader.version}",
        "part": asked.part,
        "sets": {},
    }
    every: list[Labelled] = []
    for name, _, place in (each.partition("=") for each in asked.files):
        answers = [
            each
            for each in read_labelled(Path(place))
            if asked.part == "all" or unseen(each.question.text) == (asked.part == "unseen")
        ]
        systems = {asked.grader: lambda each: opinion(grader, each), **baselines.SYSTEMS}
        board = Board(answers, systems)
        figures = {system: board.figures(system, asked.grader) for system in systems}
        print(f"{name}: {len(answers)} answers, {asked.part}\n{_table(figures)}\n", flush=True)
        curves = {system: each.pop("curve") for system, each in figures.items()}
        (HERE.parent / "docs" / f"grading-{name}.svg").write_text(risk.svg(name, curves))
        questions = len({each.question.text for each in answers})
        result["sets"][name] = {"answers": len(answers), "questions": questions, "systems": figures}
        every += answers
    if asked.knock_out:
        drawn = random.Random(asked.seed).sample(every, min(asked.knock_out, len(every)))
        drawn += [each for path in sorted(CASES.glob("*.jsonl")) for each in read_labelled(path)]
        cases = [case for path in asked.cases for case in load_cases(path)]
        print(f"each rule in turn, on {len(drawn)} answers and {len(cases)} cases", file=sys.stderr)
        found = knock_outs(asked.grader, drawn, cases)
        idle = sum(not (each["changed"] or each["lost"] or each["gained"]) for each in found)
        result["knock_outs"] = {"answers": len(drawn), "cases": len(cases), "idle": idle, "rules": found}
        print(f"{idle} of {len(found)} rules change nothing")
    RESULT.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
