"""How far the grader agrees with people, beside plain baselines; writes ``grading.json``.

    python benchmarks/grading.py evouna=FILE [more=FILE ...] [--part seen|unseen|all] [--knock-out 500]

Each FILE is what ``ragharness calibrate --answers`` reads. A question is of the unseen part where the number
that the first eight hexadecimal digits of its sha256 make is divisible by four. The result holds rates and
counts, no text of an answer. Intervals are drawn over questions: answers to one are not independent.
"""

from __future__ import annotations

import platform
import random
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import grading_baselines as baselines
from bench import HERE, fold_of, is_unseen, parser, write_result
from grading_knockouts import earned
from ragharness import __version__
from ragharness.analysis.labelled import LABELS, OUTCOMES, Labelled, judge, outcome_of, rates, read_labelled
from ragharness.graders import Grader, load_grader
from ragharness.graders.verdicts import load_cases

RESULT = HERE / "grading.json"
CASES = HERE.parent / "tests" / "cases"
DRAWS = 400
"""Samples of questions from which an interval is read."""
_FOLDS = 5
_SCORED = ("correct", "wrong", "needs_review")
"""Outcomes that the probability of a score speaks of."""
_RATES = ("false_correct", "false_wrong", "needs_review", "agreement_graded")
POINTS = 40
"""Coverages are compared from the share of one answer in so many on."""

Numbers = NDArray[np.float64]
Rows = NDArray[np.int64]


def opinion(grader: Grader, answer: Labelled) -> baselines.Opinion:
    """Verdict of the grader on an answer in the form of the baselines."""
    verdict = judge(grader, answer)
    outcome, ground = outcome_of(verdict), f"{answer.shape} {verdict.reason}"
    if verdict.score is None or outcome not in _SCORED:
        return baselines.Opinion(outcome, None, ground)
    right = verdict.score.probability
    sure = right if outcome == "correct" else 1 - right if outcome == "wrong" else max(right, 1 - right)
    return baselines.Opinion(outcome, sure, ground, leaning=right >= 0.5)


class Column(NamedTuple):
    """Errors and confidences of a system over the answers of a file."""

    errs: Numbers
    """1 where its outcome, or the one that it leans to, is not what people say; else 0."""
    confidence: Numbers
    graded: NDArray[np.bool_]
    """False for the answers that it leaves to review."""

    def at(self, rows: Rows) -> Column:
        """Column of some of the answers."""
        return Column(self.errs[rows], self.confidence[rows], self.graded[rows])

    @property
    def coverage(self) -> float:
        """Share of the answers that the system grades."""
        return float(self.graded.mean())

    @property
    def area(self) -> float:
        """Area under risk against coverage: the mean error over every coverage, 0 the best."""
        return float(risks(self).mean())


def risks(column: Column) -> Numbers:
    """Error rate among the surest 1, 2, ... n answers; equally sure ones share their errors.

    What a system leaves to review comes last, whatever its confidence.
    """
    order = np.lexsort((-column.confidence, ~column.graded))
    errs = column.errs[order]
    keys = np.stack((column.graded[order].astype(float), column.confidence[order]))
    starts = np.flatnonzero(np.r_[True, (np.diff(keys) != 0).any(axis=0)])
    sizes = np.diff(np.r_[starts, len(errs)])
    even = np.repeat(np.add.reduceat(errs, starts) / sizes, sizes)
    return np.asarray(np.cumsum(even) / np.arange(1, len(errs) + 1))


def risk_at(column: Column, coverage: float) -> float:
    """Error rate among the surest share of the answers."""
    return float(risks(column)[max(1, round(coverage * len(column.errs))) - 1])


def behind(column: Column, baseline: Column) -> tuple[float, float]:
    """Most by which a system errs more than a baseline at shares from a fortieth on, and that share."""
    least = len(column.errs) // POINTS
    excess = (risks(column) - risks(baseline))[least:]
    worst = int(excess.argmax())
    return float(excess[worst]), (least + worst + 1) / len(column.errs)


class Board:
    """Opinions of every system on the answers of one file."""

    def __init__(self, answers: Sequence[Labelled], systems: dict[str, baselines.System]) -> None:
        self.labels = [answer.label for answer in answers]
        self._folds = [fold_of(answer.question.text, _FOLDS) for answer in answers]
        self.opinions = {name: [system(answer) for answer in answers] for name, system in systems.items()}
        self.columns = {name: self._column(opinions) for name, opinions in self.opinions.items()}
        rows: dict[str, list[int]] = {}
        for row, answer in enumerate(answers):
            rows.setdefault(answer.question.text, []).append(row)
        self._rows = [np.array(group) for group in rows.values()]

    def _column(self, opinions: Sequence[baselines.Opinion]) -> Column:
        # Forced to decide, a system says what it leans to, which is "not correct" where it does not say.
        errs = [
            (label == "correct")
            != (view.leaning if view.outcome == "needs_review" else view.outcome == "correct")
            for label, view in zip(self.labels, opinions, strict=True)
        ]
        graded = np.array([view.outcome != "needs_review" for view in opinions])
        return Column(np.array(errs, dtype=float), self._confidences(opinions, errs), graded)

    def _confidences(self, opinions: Sequence[baselines.Opinion], errs: Sequence[bool]) -> Numbers:
        """How sure a system is, or how often the same ground was right in other folds."""
        right: Counter[tuple[str, int]] = Counter()
        total: Counter[tuple[str, int]] = Counter()
        for view, fold, wrong in zip(opinions, self._folds, errs, strict=True):
            for other_fold in set(range(_FOLDS)) - {fold}:
                total[view.ground, other_fold] += 1
                right[view.ground, other_fold] += not wrong
        return np.array(
            [
                (right[view.ground, fold] + 1) / (total[view.ground, fold] + 2)
                if view.confidence is None
                else view.confidence
                for view, fold in zip(opinions, self._folds, strict=True)
            ]
        )

    def figures(self, name: str, grader: str) -> dict[str, Any]:
        """Rates of a system, its area, and how it and the grader err at each other's coverage."""
        column, ours = self.columns[name], self.columns[grader]
        pairs = zip(self.labels, self.opinions[name], strict=True)
        codes = np.array([_code(label, view.outcome) for label, view in pairs])
        measures: dict[str, Callable[[Rows], float]] = {key: partial(_rate, codes, key) for key in _RATES}
        measures["area"] = lambda rows: column.at(rows).area
        confusion = _confusion(codes)
        shares = {key: share for key, share in rates(confusion)._asdict().items() if share is not None}
        values = {key: share.count / share.n if share.n else np.nan for key, share in shares.items()}
        values["area"] = column.area
        return {
            "confusion": confusion,
            **{key: _round(value) for key, value in values.items()},
            "intervals": {key: list(map(_round, limits)) for key, limits in self._limits(measures).items()},
            "error_at_grader_coverage": round(risk_at(column, ours.coverage), 4),
            "grader_error_at_its_coverage": round(risk_at(ours, column.coverage), 4),
            "grader_behind_at_most": [round(value, 4) for value in behind(ours, column)],
        }

    def _limits(self, measures: dict[str, Callable[[Rows], float]]) -> dict[str, Numbers]:
        """95 % limits of each measure over samples of the questions."""
        draw = np.random.default_rng(0)
        samples = []
        for _ in range(DRAWS):
            groups = draw.integers(0, len(self._rows), len(self._rows))
            rows = np.concatenate([self._rows[group] for group in groups])
            samples.append([measure(rows) for measure in measures.values()])
        columns = dict(zip(measures, np.array(samples).T, strict=True))
        nowhere = np.array([np.nan, np.nan])
        return {
            key: nowhere if np.isnan(values).all() else np.nanpercentile(values, (2.5, 97.5))
            for key, values in columns.items()
        }


def _code(label: str, outcome: str) -> int:
    return LABELS.index(label) * len(OUTCOMES) + OUTCOMES.index(outcome)


def _confusion(codes: Rows) -> dict[str, dict[str, int]]:
    counts = np.bincount(codes, minlength=len(LABELS) * len(OUTCOMES)).reshape(len(LABELS), len(OUTCOMES))
    return {
        label: dict(zip(OUTCOMES, row, strict=True))
        for label, row in zip(LABELS, counts.tolist(), strict=True)
    }


def _rate(codes: Rows, key: str, rows: Rows) -> float:
    share = getattr(rates(_confusion(codes[rows])), key)
    return share.count / share.n if share.n else float("nan")


def _round(value: float) -> float | None:
    return None if np.isnan(value) else round(float(value), 4)


def main() -> None:
    """Measure the grader and the baselines on every file, and write the result."""
    arguments = parser(__doc__)
    arguments.add_argument("files", nargs="+", metavar="NAME=FILE", help="labelled answers by a name")
    arguments.add_argument("--part", choices=("seen", "unseen", "all"), default="seen")
    arguments.add_argument("--grader", default="rules")
    arguments.add_argument(
        "--knock-out", type=int, default=0, metavar="N", help="try each rule on N answers and all cases"
    )
    options = arguments.parse_args()
    grader = load_grader(options.grader)
    result: dict[str, Any] = {
        "made_with": {"ragharness": __version__, "python": platform.python_version()},
        "grader": f"{grader.name}@{grader.version}",
        "part": options.part,
        "sets": {},
    }
    pool: list[Labelled] = []
    for name, _, path in (file.partition("=") for file in options.files):
        answers = [
            answer
            for answer in read_labelled(Path(path))
            if options.part == "all" or is_unseen(answer.question.text) == (options.part == "unseen")
        ]
        systems: dict[str, baselines.System] = {options.grader: partial(opinion, grader), **baselines.SYSTEMS}
        board = Board(answers, systems)
        figures = {system: board.figures(system, options.grader) for system in systems}
        for system, row in figures.items():
            print(name, system, {key: row[key] for key in _RATES}, flush=True)
        questions = len({answer.question.text for answer in answers})
        result["sets"][name] = {"answers": len(answers), "questions": questions, "systems": figures}
        pool += answers
    if options.knock_out:
        sample = random.Random(0).sample(pool, min(options.knock_out, len(pool)))
        sample += [answer for path in sorted(CASES.glob("*.jsonl")) for answer in read_labelled(path)]
        cases = [case for path in sorted(CASES.glob("*.json")) for case in load_cases(path)]
        rows = earned(options.grader, sample, cases)
        idle = sum(not (row["changed"] or row["lost"] or row["gained"]) for row in rows)
        result["knock_outs"] = {"answers": len(sample), "cases": len(cases), "idle": idle, "rules": rows}
    write_result(RESULT, result)


if __name__ == "__main__":
    main()
