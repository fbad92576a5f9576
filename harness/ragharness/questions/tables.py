"""A user's questions and answers as a table, CSV or JSON Lines; every bad row is named.

Columns: question, answer; if wanted kind, evidence, document, answerable, distractors, unit, id, note.
"""

from __future__ import annotations

import csv
import io
import json
import re
from typing import TYPE_CHECKING, Any

from ragharness.errors import QuestionsNotUsable
from ragharness.folders.decoding import decode
from ragharness.questions.columns import column_of, folded, lacking_of, misnamed
from ragharness.questions.own import EXAMPLE, Lines
from ragharness.questions.phrasing import interrogative
from ragharness.questions.values import false_answers, kind_of, typed
from ragharness.records import Distractor, Evidence, Question

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ragharness.corpus import Corpus
    from ragharness.questions.locating import Locator

_HEADER = 'the first line names the columns, at least "question" and "answer"; see docs/own.md'
_NONE = frozenset({"", "unanswerable", "not answerable", "n/a", "none", "not stated", "no answer"})
_FALSE = frozenset({"no", "false", "0", "n"})
_TRUE = frozenset({"yes", "true", "1", "y", ""})
_MOST = 200
"""Bad rows that are named in one message; the rest is counted."""

Row = dict[str, Any]


def is_table(content: bytes, path: Path) -> bool:
    """Whether a question file is a table of questions and answers, and no file of complete questions."""
    if path.suffix.lower() in {".csv", ".tsv"}:
        return True
    first = next((line for line in content.removeprefix(b"\xef\xbb\xbf").splitlines() if line.strip()), b"")
    try:
        row = json.loads(first)
    except (ValueError, RecursionError):
        return False
    return (
        isinstance(row, dict) and "stratum" not in row and "question" in {folded(str(name)) for name in row}
    )


def read_table(content: bytes, path: Path, corpus: Corpus | None = None) -> Lines:
    """Return the questions of a table with the lines in which they stand.

    With a corpus evidence is found in its documents. Raises QuestionsNotUsable with every bad row.
    """
    try:
        text, _ = decode(content)
    except ValueError as error:
        raise QuestionsNotUsable(
            f"expected a table of questions in {path}, found: {error}",
            help="save it as CSV in UTF-8; docs/own.md shows the columns",
        ) from error
    as_csv = path.suffix.lower() in {".csv", ".tsv"}
    problems: list[str] = []
    rows = list(_csv_rows(text, path, problems) if as_csv else _json_rows(text, problems))
    locator = _locator(corpus)
    questions: list[Question] = []
    for number, row in rows:
        question = _tried(row, number, locator, problems)
        questions += [question] if question else []
    if problems:
        told = sorted(problems, key=_line)
        more = f"; and {len(told) - _MOST} more" if len(told) > _MOST else ""
        good = f"{len(questions)} of {len(questions) + len(told)} rows can be asked"
        raise QuestionsNotUsable(
            f"expected a question and its answer in every row of {path}; {good}: "
            + "; ".join(told[:_MOST])
            + more,
            help="mend these rows; docs/own.md shows the columns",
        )
    if not questions:
        raise QuestionsNotUsable(
            f"expected questions below the first line of {path}, found none"
            if as_csv
            else f"expected questions in {path}, found none",
            help=EXAMPLE,
        )
    return Lines(tuple(questions), tuple(number for number, _ in rows))


def _tried(row: Row, number: int, locator: Locator | None, problems: list[str]) -> Question | None:
    try:
        return _question(row, number, locator)
    except ValueError as error:
        problems.append(f"line {number}: {error}")
        return None


def _locator(corpus: Corpus | None) -> Locator | None:
    if corpus is None:
        return None
    from ragharness.questions.locating import Locator

    return Locator(corpus)


def _line(problem: str) -> int:
    found = re.match(r"line (\d+)", problem)
    return int(found[1]) if found else 0


def _csv_rows(text: str, path: Path, problems: list[str]) -> Iterator[tuple[int, Row]]:
    first, _, rest = text.partition("\n")
    skipped = 0
    delimiter = ""
    if first.strip().lower().startswith("sep=") and len(first.strip()) > 4:  # a hint of Excel's
        delimiter, text, skipped = first.strip()[4], rest, 1
    head = text.partition("\n")[0]
    delimiter = delimiter or max(",;\t|", key=head.count)
    begin = 1 + skipped
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        head_cells = next(reader, [])
        names = [column_of(name) for name in head_cells]
        strange = misnamed(head_cells)
        if strange:
            raise QuestionsNotUsable(
                f"expected the columns of a table of questions in {path}, found: "
                + "; ".join(f"{each} in line {1 + skipped}" for each in strange[:_MOST]),
                help=_HEADER,
            )
        for needed in lacking_of(names):
            found = ", ".join(filter(None, head.split(delimiter)))[:200]
            raise QuestionsNotUsable(
                f'expected a column "{needed}" in {path}, found: {found or "nothing"}', help=_HEADER
            )
        begin = reader.line_num + 1 + skipped
        for cells in reader:
            if any(cell.strip() for cell in cells):
                if len(cells) > len(names):
                    told = f"expected {len(names)} columns, found {len(cells)}"
                    problems.append(f"line {begin}: {told} (put cells with {delimiter!r} in quotes)")
                elif any(cell.strip() for name, cell in zip(head_cells, cells, strict=False) if not name):
                    problems.append(f"line {begin}: a cell stands in a column without a name")
                else:
                    yield (
                        begin,
                        {name: cell.strip() for name, cell in zip(names, cells, strict=False) if name},
                    )
            begin = reader.line_num + 1 + skipped
    except csv.Error as error:
        unclosed = "a cell begins with a quotation mark that is never closed"
        told = unclosed if "end of data" in str(error) else str(error)
        problems.append(f"line {begin}: {told}")


def _json_rows(text: str, problems: list[str]) -> Iterator[tuple[int, Row]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            problems.append(f"line {number}: expected a JSON object, found {line.strip()[:60]!r}")
            continue
        if not isinstance(row, dict):
            problems.append(f"line {number}: expected an object, found {type(row).__name__}")
            continue
        strange = misnamed(list(row))
        known = {column_of(name): value for name, value in row.items()}
        lacking = [f'expected a field "{needed}", found none' for needed in lacking_of(known)]
        if strange or lacking:
            problems.append(f"line {number}: {'; '.join(strange or lacking)}")
            continue
        yield number, known


def _question(row: Row, number: int, locator: Locator | None) -> Question:
    """Return the question of a row; raises ValueError with what is wrong."""
    text = _cell(row, "question")
    if not any(map(str.isalpha, text)):
        raise ValueError("no question")
    document = _document(_cell(row, "document"), locator)
    given = [each for each in _cells(row, "answer", "|") if each.lower() not in _NONE]
    flag = _cell(row, "answerable").lower()
    if flag not in _TRUE | _FALSE:
        raise ValueError(f"expected answerable yes or no, found {flag!r}")
    if flag in _FALSE or not given:
        if given:
            raise ValueError("it has an answer and is said not to be answerable")
        if flag in _TRUE - {""}:
            raise ValueError("it is said to be answerable and has no answer")
        return _unanswerable(row, number, text, document)
    read = typed(_cell(row, "kind").lower(), given, _cell(row, "unit"), text)
    tempting = _cells(row, "distractors", "|")
    false = tuple(Distractor(each) for each in false_answers(read.kind, tempting, read.unit, read.answers))
    evidence = _evidence(row, text, given, document, locator)
    return Question(
        id=_cell(row, "id") or f"r{number}",
        text=text,
        stratum="grounded",
        target="wrong" if false else "correct",
        kind=read.kind,
        answerable=True,
        document=document,
        answers=read.answers,
        unit=read.unit,
        date_precision=read.precision,
        evidence=evidence,
        distractors=false,
        proposition=read.proposition,
        note=_cell(row, "note"),
    )


def _unanswerable(row: Row, number: int, text: str, document: str) -> Question:
    kind = _cell(row, "kind").lower() or "text"
    return Question(
        id=_cell(row, "id") or f"r{number}",
        text=text,
        stratum="unanswerable",
        kind=kind_of(kind, [], text),
        answerable=False,
        document=document,
        unit=_cell(row, "unit"),
        proposition=interrogative(text).rstrip("? ") if kind == "yesno" else "",
        note=_cell(row, "note"),
    )


def _cell(row: Row, name: str) -> str:
    value = row.get(name)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, dict)):
        raise ValueError(f"expected one {name}, found {json.dumps(value)[:80]}")  # noqa: TRY004
    return "" if value is None else str(value).strip()


def _cells(row: Row, name: str, separator: str) -> list[str]:
    value = row.get(name)
    if isinstance(value, list):
        if not all(isinstance(each, (str, int, float)) for each in value):
            raise ValueError(f"expected texts or numbers as {name}, found {json.dumps(value)[:80]}")
        return [str(each).strip() for each in value if str(each).strip()]
    return [each.strip() for each in _cell(row, name).split(separator) if each.strip()]


def _document(name: str, locator: Locator | None) -> str:
    if not name or locator is None:
        return name
    found = locator.document(name)
    if not found:
        raise ValueError(f"no document is named {name[:80]!r}")
    return found


def _evidence(
    row: Row, text: str, given: list[str], document: str, locator: Locator | None
) -> tuple[Evidence, ...]:
    if locator is None:
        return ()
    quotes = _cells(row, "evidence", "||")
    if quotes:
        return tuple(_quoted(each, document, locator) for each in quotes)
    if all(each.lower() in {"yes", "no", "true", "false"} for each in given):
        raise ValueError("a yes or no needs its evidence: a quote of the document that decides it")
    found = locator.stated(text, given, document)
    if found is None:
        raise ValueError(
            f"no sentence of {document or 'the documents'} with the answer {given[0][:60]!r} shares half of"
            " the question's words: give the evidence, a quote"
        )
    return (found,)


def _quoted(quote: str, document: str, locator: Locator) -> Evidence:
    place = locator.quoted(quote, document)
    if place is None:
        where = document or "any document, or in several: name the document"
        raise ValueError(f"the evidence {quote[:60]!r} is not found in {where}")
    return place
