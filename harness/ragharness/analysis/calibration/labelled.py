"""Reads labelled answers from JSON Lines or CSV; an error names every bad line."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast, get_args

from msgspec import Struct

from ragharness.corpus.folders.decoding import decode
from ragharness.errors import UnknownName, UsageError
from ragharness.questions.values import typed, undecidable
from ragharness.records import Answer, Passage, Question

Label = Literal["correct", "incorrect", "refusal"]
"""What people say of an answer."""

LABELS: tuple[str, ...] = get_args(Label)
_NAMED = 5
"""Bad lines that are named; the rest is counted."""
_HELP = "docs/calibration.md shows the columns, and --map for files that name them otherwise"
_NEEDED = ("question", "answers", "answer", "label")

Row = dict[str, Any]


class Labelled(Struct, frozen=True):
    """One answer with what people say of it."""

    question: Question
    answer: Answer
    label: Label
    golds: tuple[str, ...]
    """As written, before they were read by kind."""
    shape: str
    """The kind of gold; ``sentence`` for texts that the rules cannot decide."""
    passages: tuple[Passage, ...] = ()
    supporting: frozenset[str] = frozenset()
    """Ids of the passages that hold the evidence."""
    judged_alone: bool = True
    """No passages were given: the answer is judged, and its support taken as given."""


def read_labelled(path: Path, mapping: Mapping | None = None) -> list[Labelled]:
    """Return the labelled answers of a file in order; raises UsageError with the bad lines' numbers."""
    mapping = mapping or Mapping.parse()
    text = _text(path)
    as_csv = path.suffix.lower() in {".csv", ".tsv"}
    found: list[Labelled] = []
    problems: list[str] = []
    for number, row in _csv_rows(text, path) if as_csv else _json_rows(text, path):
        read = row if isinstance(row, str) else _tried(row, number, mapping)
        if isinstance(read, str):
            problems.append(f"line {number}: {read}")
        else:
            found.append(read)
    if problems:
        more = f"; and {len(problems) - _NAMED} more" if len(problems) > _NAMED else ""
        raise UsageError(f"{path}: {'; '.join(problems[:_NAMED])}{more}", help=_HELP)
    if not found:
        raise UsageError(f"expected labelled answers in {path}, found none", help=_HELP)
    return found


def _tried(row: Row, number: int, mapping: Mapping) -> Labelled | str:
    """Return the answer of a row, or what is wrong with it."""
    try:
        return labelled_answer(row, number, mapping)
    except ValueError as error:
        return str(error)


def _text(path: Path) -> str:
    try:
        return decode(path.read_bytes())[0]
    except OSError as error:
        raise UsageError(f"expected labelled answers in {path}, found: {error.strerror or error}") from error
    except ValueError as error:
        raise UsageError(f"expected labelled answers in {path}, found: {error}", help=_HELP) from error


def _json_rows(text: str, path: Path) -> Iterator[tuple[int, Row | str]]:
    if text.lstrip()[:1] == "[":
        raise UsageError(
            f"expected one JSON object a line in {path}, found a JSON array",
            help=f"jq -c '.[]' {path} > answers.jsonl",
        )
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                row = None
            yield number, row if isinstance(row, dict) else f"expected a JSON object, found {line[:60]!r}"


def _csv_rows(text: str, path: Path) -> Iterator[tuple[int, Row | str]]:
    head = text.partition("\n")[0]
    delimiter = "\t" if path.suffix.lower() == ".tsv" else max(",;\t|", key=head.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    begin = 1
    try:
        names = [name.strip() for name in next(reader, [])]
        begin = reader.line_num + 1
        for cells in reader:
            if any(map(str.strip, cells)):
                row: Row | str = dict(zip(names, cells, strict=False))
                if any(map(str.strip, cells[len(names) :])):
                    row = f"expected {len(names)} columns, found {len(cells)}"
                yield begin, row
            begin = reader.line_num + 1
    except csv.Error as error:
        yield begin, f"expected a row of {path.suffix[1:].upper()}, found: {error}"


def labelled_answer(row: Row, number: int = 1, mapping: Mapping | None = None) -> Labelled:
    """Return the labelled answer of one row; raises ValueError with what is wrong."""
    mapping = mapping or Mapping.parse()
    values = {name: row[theirs] for name, theirs in mapping.columns.items() if theirs in row}
    if mapping.columns["answers"] == NONE:
        values["answers"] = []
    for name in _NEEDED:
        if name not in values:
            theirs = mapping.columns[name]
            raise ValueError(f"expected a field {theirs!r}, found {', '.join(map(str, row))[:120] or 'none'}")
    label = cast("Label", mapping.label(values["label"]))
    golds = _texts(values["answers"], "answers", mapping.separator)
    question = _question(values, number, golds)
    passages = _passages(values.get("passages"))
    holding = frozenset(passage.id for passage, holds in passages if holds)
    shape = "sentence" if undecidable(question) == "sentence" else question.kind
    return Labelled(
        question,
        Answer(text=_one(values, "answer"), citations=_citations(values.get("citations"), mapping.separator)),
        label,
        golds,
        shape if golds else "no gold",
        tuple(passage for passage, _ in passages),
        holding,
        judged_alone=not passages,
    )


def _question(values: Row, number: int, golds: tuple[str, ...]) -> Question:
    text = _one(values, "question")
    if not any(map(str.isalpha, text)):
        raise ValueError(f"expected a question, found {text[:40]!r}")
    read = typed(_one(values, "kind").lower(), list(golds), _one(values, "unit"), text)
    return Question(
        id=_one(values, "id") or f"line {number}",
        text=text,
        stratum="grounded" if golds else "unanswerable",
        kind=read.kind,
        answerable=bool(golds),
        answers=read.answers,
        aliases=read.reasons,
        unit=read.unit,
        date_precision=read.precision,
        proposition=read.proposition,
    )


def _one(values: Row, name: str) -> str:
    value = values.get(name)
    if isinstance(value, (list, dict)):
        raise ValueError(f"expected a text as {name}, found {json.dumps(value)[:60]}")  # noqa: TRY004
    return word_of(value)


def _texts(value: object, name: str, separator: str) -> tuple[str, ...]:
    given = value.split(separator) if isinstance(value, str) else [value]
    if isinstance(value, list):
        given = value
    if any(isinstance(each, (list, dict)) for each in given):
        raise ValueError(f"expected texts as {name}, found {json.dumps(value)[:60]}")
    return tuple(dict.fromkeys(filter(None, map(word_of, given))))


def _citations(value: object, separator: str) -> tuple[str, ...] | None:
    return None if value is None else _texts(value, "citations", separator)


def _passages(value: object) -> list[tuple[Passage, bool]]:
    """Return the passages that the answer was made from, and whether each holds the evidence."""
    if value in (None, "", []):
        return []
    if not isinstance(value, list):
        raise ValueError(f"expected a list of passages, found {json.dumps(value)[:60]}")  # noqa: TRY004
    found = []
    for place, each in enumerate(value, start=1):
        given = {"text": each} if isinstance(each, str) else each
        if not isinstance(given, dict) or not isinstance(given.get("text"), str):
            raise ValueError(f"expected passages with a text, found {json.dumps(each)[:60]}")  # noqa: TRY004
        name, text = str(given.get("id") or f"p{place}"), given["text"]
        passage = Passage(
            name, name.rpartition("#")[0] or name, str(given.get("title") or ""), 0, len(text), text
        )
        found.append((passage, given.get("evidence", True) is not False))
    return found


COLUMNS = (
    "id", "question", "answers", "answer", "label", "kind", "unit", "passages", "citations",
)  # fmt: skip
_LABEL = "label."
_SEPARATOR = "answers.separator"
_SHOWN = "--map NAME=THEIRS"
NONE = "-"
"""``answers=-``: a file without golds, whose labels tell refusals apart and nothing else."""


class Mapping(NamedTuple):
    """Their name of each column, their words for each label, and what stands between several golds."""

    columns: dict[str, str]
    words: dict[str, str]
    """A word in small letters -> the label that it means."""
    separator: str = "|"

    @classmethod
    def parse(cls, texts: Iterable[str] = ()) -> Mapping:
        """Read ``answer=response``, ``label.correct=1,true`` and the like; raises UsageError."""
        columns = dict(zip(COLUMNS, COLUMNS, strict=True))
        words: dict[str, str] = {}
        separator, seen = "|", set[str]()
        for text in texts:
            name, equals, theirs = text.partition("=")
            name = name.strip().lower()
            if not equals or not theirs.strip():
                raise UsageError(f"expected {_SHOWN}, found {text!r}")
            if name in seen:
                raise UsageError(f"expected {name!r} once in --map, found it twice")
            seen.add(name)
            if name == _SEPARATOR:
                separator = theirs
            elif name.removeprefix(_LABEL) in LABELS and name.startswith(_LABEL):
                _add(words, name.removeprefix(_LABEL), theirs)
            elif name in columns:
                columns[name] = theirs.strip()
            else:
                raise UnknownName("column", name, [*COLUMNS, *(_LABEL + each for each in LABELS), _SEPARATOR])
        for label in LABELS:
            words.setdefault(label, label)
        return cls(columns, words, separator)

    def label(self, value: object) -> str:
        """Return the label that a value means; raises ValueError for one that means none."""
        written = word_of(value)
        label = self.words.get(written.casefold(), "")
        if not label:
            raise ValueError(f"expected the label {', '.join(self.words)}, found {written[:40]!r}")
        return label


def word_of(value: object) -> str:
    """Return a value as the word that a mapping names: true, 1, yes."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    # Half of a character, which JSON can hold, cannot be written anywhere.
    return "" if value is None else str(value).encode("utf-8", "replace").decode().strip()


def _add(words: dict[str, str], label: str, theirs: str) -> None:
    for word in filter(None, (each.strip().casefold() for each in theirs.split(","))):
        if words.setdefault(word, label) != label:
            raise UsageError(f"expected {word!r} to mean one label, found {words[word]} and {label}")
