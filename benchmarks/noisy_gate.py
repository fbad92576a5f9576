"""How often the gate ships, rejects and leaves open pipelines that draw their errors anew at every run.

    python benchmarks/noisy_gate.py [--pairs 200] [--real 200]

Writes ``noisy_gate.json`` beside this file. Every kind of answer is graded once, by real runs over the sample
corpus; each run is then drawn from these verdicts, so that all pairs are independent. ``--real`` runs the
pipelines themselves, two runs for each pair. Three epochs unless a cell says otherwise.
"""

from __future__ import annotations

import random
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

import ragharness as rh
from bench import HERE, parser, read_result, show_progress, write_result
from ragharness import Passage, Question
from ragharness.analysis.gate import decide
from ragharness.analysis.rules import Gates
from ragharness.analysis.sides import Mark, Side, read_side

RESULT = HERE / "noisy_gate.json"
REFUSAL = "I don't have evidence for that in the passages."


class Rates(NamedTuple):
    """How often a pipeline errs, each time that it is asked."""

    wrong: float = 0.05  # answers that are not so, to questions that can be answered
    invented: float | None = None  # answers to questions that should be refused; None: as often as wrong
    refused: float = 0.2  # needless refusals
    claims: float = 0.0  # right answers with a further claim that cites nothing
    flat: float = 0.0  # refusals that explain nothing
    among: int = 0  # only the first so many questions vary, all others never; 0: all vary
    broken: int = 0  # questions after them that are wrong each time


class Cell(NamedTuple):
    """One comparison: what it is, the pipelines, and what should come of it."""

    name: str
    base: Rates
    candidate: Rates
    expected: str
    epochs: int = 3


BAD = Rates(wrong=0.12)
CLAIMING = Rates(refused=0.1, claims=0.1)
FEW = Rates(wrong=0.5, refused=0.0, among=10)
CALM = FEW._replace(wrong=0.1)
NOISY = Rates(wrong=0.05, claims=0.1, flat=0.2)
CELLS = (
    Cell("equal, 5 % wrong", Rates(), Rates(), "ship"),
    Cell("5 % to 12 % wrong", Rates(), BAD, "reject"),
    Cell("12 % to 5 % wrong", BAD, Rates(), "ship"),
    Cell("equal, 2 % wrong", Rates(wrong=0.02), Rates(wrong=0.02), "ship"),
    Cell("equal, 10 % wrong", Rates(wrong=0.1), Rates(wrong=0.1), "ship"),
    Cell("equal, 20 % wrong", Rates(wrong=0.2), Rates(wrong=0.2), "ship"),
    Cell("2 % to 9 % wrong", Rates(wrong=0.02), Rates(wrong=0.09), "reject"),
    Cell("20 % to 30 % wrong", Rates(wrong=0.2), Rates(wrong=0.3), "reject"),
    Cell("invented, where it should refuse, 5 % to 15 %", Rates(), Rates(invented=0.15), "reject"),
    Cell("invented, where it should refuse, 15 % to 5 %", Rates(invented=0.15), Rates(), "ship"),
    Cell("needless refusals become right answers", Rates(refused=0.3), Rates(refused=0.1), "ship"),
    Cell("the same, 10 % with an uncited claim", CLAIMING._replace(refused=0.3), CLAIMING, "ship"),
    Cell("right answers become refusals", Rates(refused=0.1), Rates(refused=0.3), "reject"),
    Cell("uncited claims in 5 % to 20 % of right answers", Rates(claims=0.05), Rates(claims=0.2), "reject"),
    Cell("flat refusals, 10 % to 40 %", Rates(flat=0.1), Rates(flat=0.4), "reject"),
    Cell("everything noisy, equal", NOISY, NOISY, "ship"),
    Cell("everything noisy, 12 % wrong", NOISY, NOISY._replace(wrong=0.12), "reject"),
    Cell("everything noisy, from 12 % wrong", NOISY._replace(wrong=0.12), NOISY, "ship"),
    Cell("ten questions wrong half of the time, equal", FEW, FEW, "ship"),
    Cell("ten questions wrong one time in ten, equal", CALM, CALM, "ship"),
    Cell("the same, and one more is always wrong", CALM, CALM._replace(broken=1), "reject"),
    Cell("the same, and three more are always wrong", CALM, CALM._replace(broken=3), "reject"),
    Cell("equal, 5 % wrong", Rates(), Rates(), "ship", 5),
    Cell("5 % to 12 % wrong", Rates(), BAD, "reject", 5),
    Cell("equal, 20 % wrong", Rates(wrong=0.2), Rates(wrong=0.2), "ship", 5),
    Cell("equal, 5 % wrong (literal: asked once)", Rates(), Rates(), "ship", 1),
    Cell("5 % to 12 % wrong (literal: asked once)", Rates(), BAD, "reject", 1),
)  # fmt: skip


def right(question: Question) -> str:
    """Gold answer as a pipeline words it."""
    if question.kind == "list":
        return ", ".join(question.answers[:-1]) + " and " + question.answers[-1]
    if question.kind == "yesno":
        return question.answers[0].capitalize() + "."
    if question.kind == "number":
        dollars = question.unit.startswith("USD")
        return (
            f"${question.answers[0]}{question.unit[3:]}"
            if dollars
            else f"{question.answers[0]} {question.unit}"
        )
    return question.answers[0]


def wrong(question: Question) -> str:
    """Answer of the right kind that is not so."""
    if question.kind == "yesno":
        return "No." if question.answers and question.answers[0] == "yes" else "Yes."
    if question.kind == "date":
        return "It was on 7 July 1911."
    return f"It is 987,654 {question.unit}." if question.kind == "number" else "It is Grobnik Sturmwald."


def worded(question: Question, kind: str, passages: Sequence[Passage]) -> str:
    """Answer of one kind, with a citation where it answers."""
    cited = f" [{passages[0].id}]" if passages else ""
    if kind in ("refused", "flat"):
        return REFUSAL if kind == "refused" else "I don't know."
    if kind == "wrong":
        return wrong(question) + cited
    return right(question) + cited


def drawn_kind(question: Question, rates: Rates, draw: random.Random) -> str:
    """Kind of answer that a pipeline gives this time."""
    answers = question.wanted == "correct"
    if rates.among and (rank := int(question.id.lstrip("q"))) > rates.among:
        return "wrong" if rank <= rates.among + rates.broken else "right" if answers else "refused"
    invented = rates.wrong if rates.invented is None else rates.invented
    number, error = draw.random(), rates.wrong if answers else invented
    if number < error:
        return "wrong"
    if not answers or number < error + rates.refused:
        return "flat" if draw.random() < rates.flat else "refused"
    return "claims" if draw.random() < rates.claims else "right"


def run_of(questions: dict[str, Question], choose: Callable[[Question], str], epochs: int = 1) -> Side:
    """Real run of a pipeline that gives the chosen kind of answer, as the gate reads it."""

    def answer(question: str, passages: list[Passage]) -> str:
        asked = questions[question]
        return worded(asked, choose(asked), passages)

    with tempfile.TemporaryDirectory() as folder:
        run = rh.run(
            answer, retriever="oracle", progress=False, out=f"{folder}/run", epochs=epochs, concurrency=1
        )
        return read_side(run.folder)


def graded(questions: dict[str, Question]) -> tuple[Side, dict[str, dict[str, Mark]]]:
    """A run, and for each kind of answer what the grader makes of it; a claim is added to a right answer."""
    marks = {}
    for kind in ("flat", "refused", "wrong", "right"):

        def choose(question: Question, kind: str = kind) -> str:
            return "refused" if kind == "right" and question.wanted != "correct" else kind

        side = run_of(questions, choose)
        marks[kind] = {name: answers[0] for name, answers in side.marks.items()}
    marks["claims"] = {name: mark._replace(claims=1) for name, mark in marks["right"].items()}
    return side, marks


def main() -> None:
    """Draw, judge, print and store."""
    arguments = parser(__doc__)
    arguments.add_argument("--pairs", type=int, default=200, help="of each cell")
    arguments.add_argument("--real", type=int, default=0, help="pairs of real runs of the first three cells")
    options = arguments.parse_args()
    questions = {question.text: question for question in rh.load_questions("sample").questions}
    side, marks = graded(questions)

    def simulated(rates: Rates, epochs: int, draw: random.Random) -> Side:
        drawn = {
            question.id: tuple(marks[drawn_kind(question, rates, draw)][question.id] for _ in range(epochs))
            for question in questions.values()
        }
        settings = replace(side.run.settings, epochs=epochs)
        return side._replace(marks=drawn, run=replace(side.run, settings=settings))

    def real(rates: Rates, epochs: int, draw: random.Random) -> Side:
        return run_of(questions, lambda question: drawn_kind(question, rates, draw), epochs)

    result = read_result(RESULT)
    result["pairs"] = options.pairs
    result["cells"] = [judged(cell, options.pairs, simulated) for cell in CELLS]
    if options.real:
        result["real"] = {
            "pairs": options.real,
            "cells": [judged(cell, options.real, real) for cell in CELLS[:3]],
        }
    write_result(RESULT, result)


def judged(cell: Cell, pairs: int, run: Callable[[Rates, int, random.Random], Side]) -> dict[str, Any]:
    """Verdicts on independent pairs of runs of one cell."""
    draw = random.Random(zlib.crc32(f"{cell.name} {cell.epochs}".encode()))
    verdicts: Counter[str] = Counter()
    for number in range(pairs):
        base, candidate = (run(rates, cell.epochs, draw) for rates in (cell.base, cell.candidate))
        verdicts[decide(base, candidate, Gates()).verdict] += 1
        show_progress(cell.name, number + 1, pairs)
    print(f"\r{cell.name}, {cell.epochs} epochs: {dict(verdicts)}, should {cell.expected}", flush=True)
    return {"name": cell.name, "epochs": cell.epochs, "expected": cell.expected, **verdicts}


if __name__ == "__main__":
    main()
