"""Reads question files line by line; every mistake in the user's own is reported with its line."""

from __future__ import annotations

import codecs
import difflib
import re
import shlex
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ragharness.errors import QuestionsNotUsable
from ragharness.records import Distractor, Evidence, Question

EXAMPLE = "ragharness questions build --out FILE writes one to compare with"

_SHOWN = 5  # problems of a malformed file that are named one by one
_DERIVED = ("row", "wanted")  # what ``questions show --json`` tells beside the fields: it follows from them
_DATE = re.compile(r"\d{4}(?:-\d\d(?:-\d\d)?)?")


class NumberedQuestions(NamedTuple):
    """Questions, and the lines of the file in which they stand."""

    questions: tuple[Question, ...]
    places: tuple[int, ...]


def read_file(path: Path) -> bytes:
    """Bytes of a question file; raises QuestionsNotUsable where they cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise QuestionsNotUsable(
            f"expected a question file or the folder of a frozen set, found no {path} that can be read:"
            f" {error.strerror}",
            help=EXAMPLE,
        ) from error


def read_lines(content: bytes, path: Path, *, examine: bool) -> NumberedQuestions:
    """Questions of a JSON Lines file; raises QuestionsNotUsable with the bad lines' numbers.

    ``examine`` looks at the values too, which a frozen set has behind it.
    """
    decoder = msgspec.json.Decoder(Question)
    numbered: list[tuple[int, Question]] = []
    problems: list[str] = []
    # Some editors begin a file with a byte order mark.
    for number, line in enumerate(content.removeprefix(codecs.BOM_UTF8).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            question = decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            problems.append(f"line {number}: {error}")
            continue
        numbered.append((number, question))
        if examine:
            problems += (
                f"line {number}: {mistake}" for mistake in _mistakes(question, msgspec.json.decode(line))
            )
    if problems:
        raise _malformed(content, path, problems, len(numbered))
    if not numbered:
        raise QuestionsNotUsable(f"expected questions in {path}, found none", help=EXAMPLE)
    return NumberedQuestions(
        tuple(question for _, question in numbered), tuple(number for number, _ in numbered)
    )


def _malformed(content: bytes, path: Path, problems: list[str], good: int) -> QuestionsNotUsable:
    """Error for lines that are no questions; a file of another kind is named, not its lines."""
    begin = content.removeprefix(codecs.BOM_UTF8).lstrip()[:1]
    if begin == b"[":
        content_kind, advice = "a JSON array", f"jq -c '.[]' {shlex.quote(str(path))} > questions.jsonl"
    elif not good and begin != b"{":
        content_kind, advice = "a file of another kind", EXAMPLE
    else:
        more = f"; and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
        content_kind, advice = "; ".join(problems[:_SHOWN]) + more, EXAMPLE
    return QuestionsNotUsable(
        f"expected one question a line (JSON Lines, UTF-8) in {path}, found {content_kind}", help=advice
    )


def _mistakes(question: Question, written: dict[str, Any]) -> Iterator[str]:
    """Yield what would make a question count for something else than its writer meant."""
    yield from _strange(written, (*Question.__struct_fields__, *_DERIVED), "")
    for name in _DERIVED:
        follows = getattr(question, name)
        if written.get(name, follows) != follows:
            yield f"{name!r} follows from the other fields: expected {follows}, found {written[name]}"
    for distractor in written.get("distractors", ()):
        yield from _strange(distractor, Distractor.__struct_fields__, " of a distractor")
    spans = [*written.get("evidence", ()), *_spans(written.get("distractors", ()))]
    for span in spans:
        yield from _strange(span, Evidence.__struct_fields__, " of evidence")
    yield from _values(question)
    if question.answerable and not question.answers:
        yield "expected answers, as it is answerable, found none"
    if question.answers and not question.answerable:
        yield "expected no answers (but perhaps world_answers), as it is not answerable, found some"
    if question.wanted == "correct" and not question.evidence:
        yield "expected evidence, without which no answer can be correct, found none"


def _spans(distractors: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for distractor in distractors:
        yield from distractor.get("evidence", ())


def _strange(written: dict[str, Any], known: tuple[str, ...], of: str) -> Iterator[str]:
    for name in written:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
            yield f"no field{of} is named {name!r}" + (f", did you mean {near[0]}?" if near else "")


def _values(question: Question) -> Iterator[str]:
    """Yield every gold or false answer that is none of the question's kind."""
    if question.kind not in _READABLE:
        return
    fits, expected = _READABLE[question.kind]
    tempting = tuple(distractor.value for distractor in question.distractors)
    for value in (*question.answers, *question.world_answers, *tempting):
        if not fits(value):
            yield f"expected {expected}, found {value!r}"
    if question.kind == "yesno" and len(set(question.answers)) > 1:
        yield "the answer is yes or no, not both"


def _is_number(value: str) -> bool:
    try:
        number = Decimal(value.replace(",", ""))
        # With an exponent it can have a billion digits.
        return number.is_finite() and abs(number.adjusted()) < 400
    except InvalidOperation:
        return False


_READABLE: dict[str, tuple[Callable[[str], object], str]] = {
    "yesno": (lambda value: value in {"yes", "no"}, "the answer yes or no"),
    "number": (_is_number, "a plain decimal like 391035 or 21.4"),
    "date": (_DATE.fullmatch, "a date like 2024, 2024-03 or 2024-03-01"),
}
