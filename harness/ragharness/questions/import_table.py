"""Imports a user's table of questions and answers: each row as a question with its gold evidence.

Every row that cannot be asked is named with its line. The evidence is found in the corpus, by its quote, else
by its answer.
"""

from __future__ import annotations

import csv
import difflib
import io
import json
import re
from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ragharness.corpus.alignment import Aligner
from ragharness.corpus.folders.text import decode
from ragharness.corpus.loading import Corpus
from ragharness.corpus.passages import PassageSet
from ragharness.errors import QuestionsNotUsable
from ragharness.language.dates import find_dates, iso
from ragharness.language.numbers import find_quantities
from ragharness.language.words import sentences, words
from ragharness.questions.questionset import EXAMPLE, NumberedQuestions
from ragharness.questions.values import Typed, interrogative, kind_of, read_amount, read_date, typed
from ragharness.records import Distractor, Document, Evidence, Passage, Question

_NONE = frozenset({"", "unanswerable", "not answerable", "n/a", "none", "not stated", "no answer"})
_FALSE = frozenset({"no", "false", "0", "n"})
_TRUE = frozenset({"yes", "true", "1", "y", ""})


def read_table(content: bytes, path: Path, corpus: Corpus | None = None) -> NumberedQuestions:
    """Questions of a table with the lines in which they stand.

    With a corpus evidence is found in its documents. Raises QuestionsNotUsable with every bad row.
    """
    rows, problems = read_rows(content, path)
    locator = None if corpus is None else Locator(corpus)
    questions: list[Question] = []
    for number, cells in rows:
        try:
            questions.append(_question(cells, number, locator))
        except ValueError as error:  # noqa: PERF203 (each bad row is named)
            problems.append((number, str(error)))
    if problems:
        lines = [f"line {number}: {problem}" for number, problem in sorted(problems, key=itemgetter(0))]
        more = [f"and {len(lines) - MOST} more"] if len(lines) > MOST else []
        good = f"{len(questions)} of {len(questions) + len(lines)} rows can be asked"
        raise QuestionsNotUsable(
            "\n".join(
                (f"expected a question and its answer in every row of {path}; {good}:", *lines[:MOST], *more)
            ),
            help="fix these rows; docs/own.md shows the columns",
        )
    if not questions:
        below = " below the first line of" if is_csv(path) else " in"
        raise QuestionsNotUsable(f"expected questions{below} {path}, found none", help=EXAMPLE)
    return NumberedQuestions(tuple(questions), tuple(number for number, _ in rows))


def _question(cells: Cells, number: int, locator: Locator | None) -> Question:
    """Question of a row; raises ValueError with what is wrong."""
    text = _cell(cells, "question")
    if not any(map(str.isalpha, text)):
        raise ValueError("no question")
    name = _cell(cells, "document")
    document = locator.document(name) if name and locator else name
    if name and not document:
        raise ValueError(f"no document is named {name[:80]!r}")
    golds = [gold for gold in _cells(cells, "answer", "|") if gold.lower() not in _NONE]
    flag = _cell(cells, "answerable").lower()
    if flag not in _TRUE | _FALSE:
        raise ValueError(f"expected answerable yes or no, found {flag!r}")
    if flag in _FALSE and golds:
        raise ValueError("it has an answer and is said not to be answerable")
    if flag in _TRUE - {""} and not golds:
        raise ValueError("it is said to be answerable and has no answer")
    named, unit = _cell(cells, "kind").lower(), _cell(cells, "unit")
    plain = Question(
        id=_cell(cells, "id") or f"r{number}",
        text=text,
        stratum="unanswerable",
        kind="text",
        answerable=False,
        document=document,
        unit=unit,
        note=_cell(cells, "note"),
    )
    if not golds:
        kind = kind_of(named, [], text)
        proposition = interrogative(text).rstrip("? ") if kind == "yesno" else ""
        return replace(plain, kind=kind, proposition=proposition)
    read = typed(named, golds, unit, text)
    false = tuple(map(Distractor, _false_answers(read, _cells(cells, "distractors", "|"))))
    return replace(
        plain,
        stratum="grounded",
        target="wrong" if false else "correct",
        kind=read.kind,
        answerable=True,
        answers=read.answers,
        aliases=read.reasons,
        unit=read.unit,
        date_precision=read.precision,
        evidence=_evidence(cells, text, golds, document, locator),
        distractors=false,
        proposition=read.proposition,
    )


def _false_answers(golds: Typed, texts: list[str]) -> Iterator[str]:
    """Yield false answers as they are compared; raises ValueError for others' kinds and accepted ones."""
    kind, unit = golds.kind, golds.unit
    for text in texts:
        amount = read_amount(text, unit) if kind == "number" else None
        value = amount[0] if amount and amount[1] == unit else read_date(text) if kind == "date" else text
        if kind == "number" and not (amount and amount[1] == unit):
            raise ValueError(f"expected a false answer in {unit or 'plain numbers'}, found {text[:80]!r}")
        if kind == "date" and not value:
            raise ValueError(f"expected a date as false answer, found {text[:80]!r}")
        if value in golds.answers:
            raise ValueError(f"the false answer {text[:80]!r} is an accepted one")
        yield value.lower() if kind == "yesno" else value


def _cell(cells: Cells, name: str) -> str:
    value = cells.get(name)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, dict)):
        raise ValueError(f"expected one {name}, found {json.dumps(value)[:80]}")  # noqa: TRY004
    return "" if value is None else str(value).strip()


def _cells(cells: Cells, name: str, separator: str) -> list[str]:
    value = cells.get(name)
    if isinstance(value, list):
        if not all(isinstance(cell, (str, int, float)) for cell in value):
            raise ValueError(f"expected texts or numbers as {name}, found {json.dumps(value)[:80]}")
        return [text for cell in value if (text := str(cell).strip())]
    return [text for part in _cell(cells, name).split(separator) if (text := part.strip())]


def _evidence(
    cells: Cells, text: str, golds: list[str], document: str, locator: Locator | None
) -> tuple[Evidence, ...]:
    if locator is None:
        return ()
    if quotes := _cells(cells, "evidence", "||"):
        return tuple(_quoted(quote, text, document, locator) for quote in quotes)
    if all(gold.lower() in {"yes", "no", "true", "false"} for gold in golds):
        raise ValueError("a yes or no needs its evidence: a quote of the document that decides it")
    span = locator.stated(text, golds, document)
    if span is None:
        raise ValueError(
            f"no sentence of {document or 'the documents'} with the answer {golds[0][:60]!r} shares half of"
            " the question's words: give the evidence, a quote"
        )
    return (span,)


def _quoted(quote: str, question: str, document: str, locator: Locator) -> Evidence:
    span = locator.quoted(quote, document) or locator.holding(question, quote, document)
    if span is None:
        where = document or "any document, or in several: name the document"
        raise ValueError(f"the evidence {quote[:60]!r} is not found in {where}")
    return span


ENOUGH = 0.5  # share of a question's words that the sentence with its answer must have, to be what was meant
_SHORTEST = 3
_ASKING = frozenset(
    "what when how many much which who where does did was were the according and for".split()  # noqa: SIM905
)


class Locator:
    """Finds places in one corpus; the texts are indexed at the first quote."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._aligner = Aligner(corpus, PassageSet((), 0))
        # Tables repeat rows, and each looks through every sentence.
        self._stated = cache(self._find)

    def document(self, name: str) -> str:
        """Id of the document that a name means; empty: of none."""
        return self._aligner.names.find(name)

    def quoted(self, quote: str, document: str) -> Evidence | None:
        """Where a quote stands, however it was wrapped; None: nowhere, or in several documents."""
        brought = Passage("", document, "", 0, 0, quote)
        placed = self._aligner.align(brought)
        if placed.outcome != "text" or (document and placed.passage.document != document):
            return None
        return placed.passage.places[0]

    def holding(self, question: str, quote: str, document: str) -> Evidence | None:
        """Sentence that holds a quote too short to be placed by itself; None: several documents."""
        search, terms = _search(quote), _terms(question)
        places = [
            (len(terms & frozenset(words(sentence))), -start, Evidence(candidate.id, start, end))
            for candidate in self._candidates(document)
            if search.search(candidate.text)
            for start, end in sentences(candidate.text)
            if search.search(sentence := candidate.text[start:end])
        ]
        if len({span.document for _, _, span in places}) != 1:
            return None
        return max(places, key=itemgetter(0, 1))[2]

    def _candidates(self, document: str) -> Sequence[Document]:
        return [self._corpus.document(document)] if document else self._corpus.documents

    def stated(self, question: str, spellings: Sequence[str], document: str) -> Evidence | None:
        """Sentence with one spelling of the answer that shares most words with the question."""
        return self._stated(question, tuple(spellings), document)

    def _find(self, question: str, spellings: Sequence[str], document: str) -> Evidence | None:
        terms = _terms(question)
        answer = Answer(spellings)
        best: tuple[float, Evidence] | None = None
        for candidate in self._candidates(document):
            if not answer.may_stand_in(candidate.text):
                continue
            sought = terms - frozenset(words(candidate.title)) or terms
            for start, end in sentences(candidate.text):
                sentence = candidate.text[start:end]
                share = len(sought & frozenset(words(sentence))) / max(1, len(sought))
                # Reading figures takes far longer than comparing words.
                if share >= ENOUGH and (best is None or share > best[0]) and answer.stands_in(sentence):
                    best = share, Evidence(candidate.id, start, end)
        return best[1] if best else None


class Answer:
    """Finds an answer in a text as it is written, or as another spelling of the same number or date."""

    def __init__(self, spellings: Sequence[str]) -> None:
        self._searches = [_search(spelling) for spelling in spellings if spelling]
        amounts = [amount for spelling in spellings if (amount := read_amount(spelling, ""))]
        self._values = {Decimal(value) for value, unit in amounts if not unit}
        self._dates = {date for text in spellings if (date := read_date(text)) and not text.isdecimal()}

    def may_stand_in(self, text: str) -> bool:
        """Whether it is worth looking at each sentence of a text."""
        return bool(self._values or self._dates) or self._written(text)

    def stands_in(self, sentence: str) -> bool:
        """Whether a sentence holds it."""
        if self._written(sentence):
            return True
        if self._values and any(quantity.value in self._values for quantity in find_quantities(sentence)):
            return True
        return bool(self._dates) and any(
            iso(date) in self._dates for date in find_dates(sentence) if date.year
        )

    def _written(self, text: str) -> bool:
        return any(search.search(text) for search in self._searches)


def _terms(question: str) -> frozenset[str]:
    return frozenset(word for word in words(question) if len(word) >= _SHORTEST) - _ASKING


def _search(spelling: str) -> re.Pattern[str]:
    inner = r"\s+".join(map(re.escape, spelling.split()))
    return re.compile(rf"(?<![\w.,]){inner}(?![\w]|[.,]\d)", re.IGNORECASE)


Cells = dict[str, Any]  # the cells of a row by their columns
Problems = list[tuple[int, str]]  # the lines that cannot be read, and why
_HEADER = 'the first line names the columns, at least "question" and "answer"; see docs/own.md'
_CSV = frozenset({".csv", ".tsv"})

_COLUMNS = {
    "question": "question text query prompt q",
    "answer": "answer answers expected expectedanswer expectedanswers gold goldanswer reference"
    " groundtruth a",
    "kind": "kind type",
    "evidence": "evidence quote context passage",
    "document": "document doc source file title",
    "answerable": "answerable",
    "distractors": "distractors distractor falseanswers wronganswers",
    "unit": "unit",
    "id": "id qid",
    "note": "note notes comment",
}  # what a column is called, in small letters without blanks and dashes
_NAMES = {name: column for column, names in _COLUMNS.items() for name in names.split()}
_UNREAD = "unread"  # a column whose name begins with note, and is none of them: the user's own
MOST = 200  # bad rows or columns that are named in one message; the rest is counted


def is_csv(path: Path) -> bool:
    """Whether a file is named as a table with columns, and not as one of objects."""
    return path.suffix.lower() in _CSV


def is_table(content: bytes, path: Path) -> bool:
    """Whether a question file is a table of questions and answers, and no file of complete questions."""
    if is_csv(path):
        return True
    line = next((text for text in content.removeprefix(b"\xef\xbb\xbf").splitlines() if text.strip()), b"")
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return (
        isinstance(row, dict) and "stratum" not in row and "question" in {_folded(str(name)) for name in row}
    )


def read_rows(content: bytes, path: Path) -> tuple[list[tuple[int, Cells]], Problems]:
    """Rows of a table with their lines, and what is wrong with others.

    Raises QuestionsNotUsable for what is no such table.
    """
    try:
        text, _ = decode(content)
    except ValueError as error:
        raise QuestionsNotUsable(
            f"expected a table of questions in {path}, found: {error}",
            help="save it as CSV in UTF-8; docs/own.md shows the columns",
        ) from error
    problems: Problems = []
    return list(_csv_rows(text, path, problems) if is_csv(path) else _json_rows(text, problems)), problems


def _csv_rows(text: str, path: Path, problems: Problems) -> Iterator[tuple[int, Cells]]:
    head, _, below = text.partition("\n")
    hint = head.strip()
    skipped = int(hint.lower().startswith("sep=") and len(hint) > len("sep="))  # a hint of Excel's
    text = below if skipped else text
    head = text.partition("\n")[0]
    delimiter = hint[4] if skipped else max(",;\t|", key=head.count)
    begin = 1 + skipped
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        head_cells = next(reader, [])
        names = [_column_of(name) for name in head_cells]
        if strange := _misnamed(head_cells):
            raise QuestionsNotUsable(
                f"expected the columns of a table of questions in {path}, found: "
                + "; ".join(f"{problem} in line {begin}" for problem in strange[:MOST]),
                help=_HEADER,
            )
        if lacking := _lacking(names):
            columns = ", ".join(filter(None, head.split(delimiter)))[:200]
            raise QuestionsNotUsable(
                f'expected a column "{lacking[0]}" in {path}, found: {columns or "nothing"}', help=_HEADER
            )
        begin = reader.line_num + 1 + skipped
        for cells in reader:
            if any(cell.strip() for cell in cells):
                if len(cells) > len(names):
                    problem = f"expected {len(names)} columns, found {len(cells)}"
                    problems.append((begin, f"{problem} (put cells with {delimiter!r} in quotes)"))
                elif any(cell.strip() for name, cell in zip(head_cells, cells, strict=False) if not name):
                    problems.append((begin, "a cell stands in a column without a name"))
                else:
                    pairs = zip(names, cells, strict=False)
                    yield begin, {name: cell.strip() for name, cell in pairs if name}
            begin = reader.line_num + 1 + skipped
    except csv.Error as error:
        unclosed = "a cell begins with a quotation mark that is never closed"
        problems.append((begin, unclosed if "end of data" in str(error) else str(error)))


def _json_rows(text: str, problems: Problems) -> Iterator[tuple[int, Cells]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            problems.append((number, f"expected a JSON object, found {line.strip()[:60]!r}"))
            continue
        if not isinstance(row, dict):
            problems.append((number, f"expected an object, found {type(row).__name__}"))
            continue
        cells = {_column_of(name): value for name, value in row.items()}
        lacking = [f'expected a field "{needed}", found none' for needed in _lacking(cells)]
        if wrong := _misnamed(list(row)) or lacking:
            problems.append((number, "; ".join(wrong)))
        else:
            yield number, cells


def _misnamed(names: Sequence[str]) -> list[str]:
    """What is wrong with the names of columns: one unknown, or two that mean the same."""
    problems: list[str] = []
    seen: dict[str, str] = {}
    every = [alias for alias in _NAMES if len(alias) > 1]
    for name in names:
        column = _column_of(name)
        if name.strip() and not column:
            near = difflib.get_close_matches(_folded(name), every, n=1, cutoff=0.6)
            meant = f"did you mean {near[0]!r}?" if near else f"name it {'note ' + name.strip()!r} to keep it"
            problems.append(f"unknown column {name.strip()[:80]!r} ({meant})")
        elif column in seen and column != _UNREAD:
            problems.append(f"the columns {seen[column]!r} and {name.strip()!r} both mean {column!r}")
        elif column:
            seen[column] = name.strip()
    return problems


def _folded(name: str) -> str:
    """Name in small letters without blanks and dashes."""
    return re.sub(r"[\s_-]+", "", name.strip().lower())


def _column_of(name: str) -> str:
    """Column that a name means; empty: none."""
    plain = _folded(name)
    return _NAMES.get(plain) or (_UNREAD if plain.startswith("note") else "")


def _lacking(columns: Collection[str]) -> list[str]:
    """Columns without which nothing can be asked and which are not there."""
    needed = {"question": {"question"}, "answer": {"answer", "answerable"}}
    return [name for name, names in needed.items() if names.isdisjoint(columns)]
