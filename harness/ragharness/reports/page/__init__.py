"""The page: one self-contained HTML file of one run or of several, and its pieces for notebooks."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import msgspec

from ragharness.analysis.compare import LETTERS, OUTCOMES, Against, compare
from ragharness.analysis.gate import judge
from ragharness.analysis.intervals import sign_test
from ragharness.analysis.metrics import Metric, Share, YesNoAxis
from ragharness.analysis.rules import Gates
from ragharness.analysis.scores import ROW_NAMES, RunOnDisk, Scores
from ragharness.records import BUCKETS, Evidence, Passage, Question, Record
from ragharness.reports import text, words
from ragharness.reports.compare import gate_sections
from ragharness.reports.rubric import rubrics_of
from ragharness.reports.show import gold_fields, sentence_lines, verdict_fields
from ragharness.reports.text import limits, milliseconds, one_line, p_value
from ragharness.runner.grading import GradingContext

_HOME = Path(__file__).parent


def page(runs: Sequence[RunOnDisk], gates: Gates | None = None) -> str:
    """One HTML file that needs no other, and that no browser lets load or send anything.

    Several runs are compared with the first: raises NotComparable for other questions or another corpus. Of
    two the verdict of the gate stands first.
    """
    comparison = compare([run.folder for run in runs]) if len(runs) > 1 else None
    lettered = dict(zip(LETTERS, runs, strict=False))
    content = held(runs, comparison.against if comparison else ())
    content["letters"] = list(lettered)
    folders = [run.folder for run in runs]
    verdict = gate_sections(judge(folders[0], folders[1], gates or Gates())[2]) if len(runs) == 2 else []
    names = {question.id for question in folders[0].questions()} if verdict else set()
    script, style = _file("page.js"), _file("pieces.css") + _file("page.css")
    return _rendered(
        "page.html",
        runs={letter: run.scores for letter, run in lettered.items()},
        rubrics={letter: rubrics_of(run.folder, "text") for letter, run in lettered.items()},
        found=comparison,
        verdict=verdict,
        linked=lambda cell: _linked(cell, names),
        policy=f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'",
        script=_raw(script),
        style=_raw(style),
        # Nothing within it can end it: "<" is written as its escape.
        data=_raw(msgspec.json.encode(content).replace(b"<", b"\\u003c").decode()),
    )


def _linked(cell: str, names: Collection[str]) -> Any:
    """Text with a link to each question that it names."""
    parts = re.split(r"([\s,()]+)", text.clean(cell))
    links = (
        f'<a href="#q={quote(part)}">{escape(part)}</a>' if part in names else escape(part) for part in parts
    )
    return _raw("".join(links))


def notebook(scores: Scores) -> str:
    """Verdict, pictures and tables of a run as HTML without a script."""
    return _rendered("notebook.html", runs={"A": scores}, style=_raw(_file("pieces.css")))


def _rendered(template: str, **values: object) -> str:
    return str(_templates().get_template(template).render(**values))


@lru_cache
def _templates() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(_HOME),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: text.clean(value) if type(value) is str else value,
    )
    functions = (plane, bar_of, share_of, limits, p_value, sign_test)
    made.globals.update({function.__name__: function for function in functions}, words=words, text=text)
    keys = {name: key for key, name in ROW_NAMES.items()}
    made.globals.update(BUCKETS=BUCKETS, OUTCOMES=OUTCOMES, ROW_NAMES=ROW_NAMES, KEYS=keys)
    return made


def _raw(content: str) -> Any:
    from markupsafe import Markup

    return Markup(content)  # noqa: S704 (files of ours, and JSON without a "<")


@lru_cache
def _file(name: str) -> str:
    return (_HOME / name).read_text(encoding="utf-8")


def _hash(content: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}"


_AROUND = 300  # characters of a document on either side of gold evidence


def held(runs: Sequence[RunOnDisk], against: Sequence[Against]) -> dict[str, Any]:
    """Questions, records (in each list one of each run) and passages, with texts where the corpus is here."""
    base = runs[0]
    questions = base.folder.questions()
    numbers = {question.id: number for number, question in enumerate(questions)}
    passages: dict[str, Any] = {}
    rows: dict[tuple[int, int], list[Any]] = {}
    for number, run in enumerate(runs):
        same = run.folder.run.settings.passage_words == base.folder.run.settings.passage_words
        grading = base.grading if same else run.grading
        for record in (*run.folder.records(), *run.folder.waiting()):
            key = numbers[record.question], record.epoch
            row = rows.setdefault(key, [None] * len(runs))
            row[number] = _record(questions[key[0]], record, grading, passages if same else None)
    for number in range(len(questions)):
        rows.setdefault((number, 0), [None] * len(runs))
    flips: dict[str, int] = {}
    for flip in (flip for pair in against for flip in pair.flips):
        flips[flip.question] = max(flips.get(flip.question, 0), int(flip.worse))
    return {
        "questions": [_question(question, base.grading) for question in questions],
        "records": [[number, epoch, *rows[number, epoch]] for number, epoch in sorted(rows)],
        "passages": passages,
        "epochs": max(run.folder.run.settings.epochs for run in runs),
        # Questions that came out otherwise, worse first: 1 worse, 0 better.
        "flips": dict(sorted(flips.items(), key=lambda flip: -flip[1])),
    }


def _question(question: Question, grading: GradingContext | None) -> msgspec.Raw:
    documents = dict.fromkeys((question.document, *(span.document for span in question.evidence)))
    facts = {
        "id": question.id,
        "text": question.text,
        "row": ROW_NAMES[question.row],
        "desired": question.wanted,
        "gold": gold_fields(question),
        "documents": list(filter(None, documents)),
        "evidence": [_evidence(span, grading) for span in question.evidence],
    }
    return msgspec.Raw(msgspec.json.encode(facts))


def _evidence(span: Evidence, grading: GradingContext | None) -> list[Any]:
    """Gold span with its place, and with its text and what stands around it if there is any."""
    location = [span.document, span.start, span.end]
    if grading is None:
        return location
    document = grading.corpus.document(span.document)
    text, start = document.text, max(0, span.start - _AROUND)
    around = text[start : span.start], text[span.start : span.end], text[span.end : span.end + _AROUND]
    return [*location, document.title, *around]


def _record(
    question: Question, record: Record, grading: GradingContext | None, passages: dict[str, Any] | None
) -> msgspec.Raw:
    """Record as JSON; its passages are added to ``passages``, or kept with it where that is None."""
    retrieved = {passage.id: passage for passage in grading.passages_of(record)} if grading else {}
    if grading:
        gold = grading.evidence.supporting(question, retrieved.values())
    else:  # the passages that were the first to hold a gold span
        ranks = set(record.evidence_ranks)
        gold = frozenset(hit.id for rank, hit in enumerate(record.retrieved, start=1) if rank in ranks)
    brought = (record.answer and record.answer.passages) or ()
    of_answer = {passage.id: _passage(passage) for passage in brought}
    common = of_answer if passages is None else passages
    for name, passage in retrieved.items():
        if name not in of_answer and name not in common:
            common[name] = _passage(passage)
    verdict, answer, failure = record.verdict, record.answer, record.failure
    facts = {
        "out": (verdict and verdict.bucket) or record.status,
        "reason": verdict.reason if verdict else failure.type if failure else "",
        "text": answer.text if answer else "",
        "had": [[hit.id, hit.score, int(hit.id in gold)] for hit in record.retrieved],
        "answered": int(answer is not None),
        "cited": sorted(record.cited),
        "told": [*verdict_fields(record), ("took", milliseconds(record.seconds))],
        "read": sentence_lines(verdict.sentences) if verdict else [],
        "apart": answer.citations if answer else None,
        "own": of_answer,
        "positional": int("positional_citations" in verdict.flags) if verdict else 0,
        "problems": record.problems,
        "failure": [f"{failure.type}: {failure.message}", failure.traceback] if failure else None,
    }
    # As bytes it takes a fraction of the memory.
    return msgspec.Raw(msgspec.json.encode({name: value for name, value in facts.items() if value}))


def _passage(passage: Passage) -> list[Any]:
    return [passage.document, passage.title, passage.start, passage.text]


class Bar(NamedTuple):
    """A rate and its interval in percent; no interval: None."""

    rate: float
    low: float | None
    high: float | None


class Point(NamedTuple):
    """A run on the plane: how much it answers, and how much of all is acceptable, in percent."""

    letter: str
    answered: Bar
    acceptable: Bar


def share_of(count: int, n: int) -> Bar:
    """Count out of n, without an interval."""
    return Bar(100 * count / n if n else 0, None, None)


def bar_of(value: object, metric: Metric | None = None) -> Bar | None:
    """Bar of a metric's value; None where it has no rate."""
    if isinstance(value, (Share, YesNoAxis)):
        if not value.n or value.low is None or value.high is None:
            return None
        count = value.count if isinstance(value, Share) else value.yes
        return Bar(100 * count / value.n, 100 * value.low, 100 * value.high)
    limit = metric.range[1] if metric else None
    if limit and isinstance(value, float):
        return Bar(100 * value / limit, None, None)
    return None


def plane(runs: Mapping[str, Scores]) -> list[Point]:
    """Runs as points: answered is neither refused nor ungraded, acceptable correct or refused."""
    points = []
    for letter, scores in runs.items():
        counts, n, intervals = scores.buckets, scores.questions, scores.intervals
        answered = counts["correct"] + counts["wrong"] + counts["unsupported"]
        acceptable = counts["correct"] + counts["refused"]
        shares = _rest(answered, n, intervals.refused), _rest(acceptable, n, intervals.unacceptable)
        points.append(Point(letter, *shares))
    return points


def _rest(count: int, n: int, others: Share) -> Bar:
    """Count with what the interval of all others leaves."""
    if not n or others.low is None or others.high is None:
        return Bar(0, None, None)
    return Bar(100 * count / n, 100 * (1 - others.high), 100 * (1 - others.low))


_COLOURS = {
    "correct": "#3a8f5c", "refused": "#9fb4c7", "unsupported": "#e0a13c", "wrong": "#c0392b",
    "ungraded": "#dddddd",
}  # fmt: skip
_WIDTH, _LABEL, _HEIGHT = 720, 220, 26


def bars(runs: Mapping[str, Mapping[str, int]]) -> str:
    """SVG picture with a bar for each run, parted by bucket."""
    drawn = []
    for number, (name, counts) in enumerate(runs.items()):
        top, total, x = number * _HEIGHT, sum(counts.values()) or 1, float(_LABEL)
        drawn.append(f'<text x="0" y="{top + 16}">{escape(one_line(name, 32))}</text>')
        for bucket, colour in _COLOURS.items():
            width = (_WIDTH - _LABEL) * counts.get(bucket, 0) / total
            if width:
                title = f"{bucket.replace('_', ' ')} {counts[bucket]}"
                drawn.append(
                    f'<rect x="{x:.1f}" y="{top + 2}" width="{width:.1f}" height="{_HEIGHT - 6}"'
                    f' fill="{colour}"><title>{title}</title></rect>'
                )
                x += width
    key = "".join(
        f'<tspan fill="{colour}" dx="{10 if number else 0}">&#9632;</tspan> {bucket.replace("_", " ")}'
        for number, (bucket, colour) in enumerate(_COLOURS.items())
    )
    height = (len(runs) + 1) * _HEIGHT
    drawn.append(f'<text x="{_LABEL}" y="{height - 8}">{key}</text>')
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}"'
    return f'{head} font-family="sans-serif" font-size="13">{"".join(drawn)}</svg>'
