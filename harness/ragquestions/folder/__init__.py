"""The recipe of every folder of the user's: figures, dates and short definitions of unknown documents.

A statement is worded as a question where the grammar of that is certain, else quoted with a gap; it is asked
about only where nothing else in its document says the same or might be meant instead. What wants a refusal
(``refusals.py``) is something that its document speaks of, and does not say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from msgspec.structs import replace

from ragharness.corpus.loading import Corpus
from ragharness.corpus.passages import PassageSet, build_passages, withhold
from ragharness.language.dates import find_dates, iso
from ragharness.language.units import is_duration
from ragharness.language.words import words
from ragharness.records import Distractor, Document, Evidence, Passage, Question
from ragquestions.folder.facts import AGREEMENT_FORMS, content_words
from ragquestions.folder.refusals import Refusals, worded
from ragquestions.folder.rows import AMOUNT
from ragquestions.folder.statements import SHARED, Statement, amounts, statements
from ragquestions.recipes import ways

VERSION = 8  # raised whenever the candidates change; kept with every frozen set
NOTE = "Made from your own documents: the questions repeat words of theirs."

PER_QUESTION = 8  # statements looked at for one question of the set: enough to choose from


def candidates(corpus: Corpus, size: int) -> list[Question]:
    """What can be asked for a set of ``size`` questions, in two wordings each."""
    return candidates_about(statements(corpus.documents, PER_QUESTION * size), corpus)


def candidates_about(found: Iterable[Statement], corpus: Corpus) -> list[Question]:
    """What can be asked about some statements, and of what the folder lacks."""
    # A quotation of two documents asks for neither.
    once = (each for each in found if not (each.elsewhere and each.asked.left))
    found = sorted(once, key=lambda each: each.document.id)
    contracts = 3 * sum(each.form in AGREEMENT_FORMS for each in found) > len(found)
    refusals, withholding = Refusals(found, corpus, contracts=contracts), Withholding(corpus)
    questions = [question for each in found for question in _stated(each, withholding)]
    questions += (question for each in found for question in refusals.about(each))
    questions += refusals.of_documents()
    return [each for each in questions if not _names_the_answer(each)]


def _stated(statement: Statement, withholding: Withholding) -> Iterator[Question]:
    """Yield a statement as a question to be answered, withheld, and asked of an empty retrieval."""
    document = statement.document
    false = tuple(
        Distractor(value, "another of its kind near by", (Evidence(document.id, start, end),))
        for value, start, end in dict.fromkeys(statement.tempting)
    )
    by_document = not statement.elsewhere and withholding.of_document(statement)
    by_clause = by_document and withholding.of_clause(statement)
    for plain in worded(document, statement.topic, statement.asked):
        known = replace(plain, answerable=True, answers=_spellings(statement), evidence=statement.evidence)
        if false:
            note = "tempting: another of its kind near by"
            yield replace(known, target="wrong", distractors=false[:3], note=note)
        yield from ways(known, document=by_document, clause=known.evidence if by_clause else ())


def _spellings(statement: Statement) -> tuple[str, ...]:
    """Answer as the document writes it, then as others do: 1_000 is 1000, version 3.1 is 3.1.0."""
    answer = statement.asked.answer
    if re.fullmatch(r"\d+(?:_\d{3})+", answer):
        return answer, answer.replace("_", ""), answer.replace("_", ",")
    if statement.form.startswith("version") and re.fullmatch(r"\d+\.\d+", answer):
        return answer, f"{answer}.0"
    return (answer,)


def _names_the_answer(question: Question) -> bool:
    """Whether the wording holds the answer, or the false one: in the document's name, say."""
    text = f" {' '.join(words(question.text))} "
    values = (*question.answers, *(each.value for each in question.distractors))
    if any(f" {' '.join(words(value))} " in text for value in values):
        return True
    # "10-K 20240928" holds a date, too.
    named = [iso(date) for date in find_dates(question.text) if date.year]
    return question.kind == "date" and any(
        (len(value) > len("2024") and value.replace("-", "") in text)
        or any(date.startswith(value) for date in named)
        for value in values
    )


_PROPERTIES: dict[str, tuple[str, ...]] = {
    "default": ("default", "enabl", "disabl"),
    "version": ("version", "added", "introduc"),
    "release": (),
    "requirement": (),
    AMOUNT: (),
}  # forms that ask for a property of a name, with the words that tell it beside the name, as its value does
_OF_NAMES = frozenset({*_PROPERTIES, "organised", "row"})
_IN_WORDS = frozenset({"gap", "subject", "change"})
"""Forms that ask for a name by what is said of it: elsewhere it tells nothing beside other words."""


class Withholding:
    """Looks through a folder for what would still tell an answer; letters and digits alone are compared."""

    def __init__(self, corpus: Corpus) -> None:
        self._letters = {each.id: _letters(each.text) for each in corpus.documents}
        self._corpus = corpus

    def of_document(self, statement: Statement) -> bool:
        """Whether no other document tells what a name, or its property, is."""
        if statement.form.split(" ")[0] not in _OF_NAMES | _IN_WORDS:
            return True
        wanted = _letters(_name(statement)), _letters(_value(statement))
        return not any(
            _tells(each, statement)
            for name, text in self._letters.items()
            if name != statement.document.id and any(each in text for each in wanted)
            for each in _set_of(self._corpus.document(name)).passages
        )

    def of_clause(self, statement: Statement) -> bool:
        """Whether neither another document nor the rest of its own tells it.

        The rest must lack a content word of the question, and the same period of time, or the name.
        """
        if not self.of_document(statement):
            return False
        left = withhold(_set_of(statement.document), (), statement.evidence).passages
        asked, wanted = statement.asked, content_words(statement.asked.about)
        if statement.form.split(" ")[0] in _PROPERTIES:
            return not any(_tells(each, statement) for each in left)
        if asked.kind != "text":
            periods = left if is_duration(asked.unit) else ()
            again = any(asked.answer in amounts(asked, each.text) for each in periods)
            return not again and all(len(wanted & _content(each)) < len(wanted) for each in left)
        key = _letters(_name(statement))
        return not any(key in _letters_of(each) for each in left)


def _tells(passage: Passage, statement: Statement) -> bool:
    """Whether a passage lets one know an answer: by its value, or by its name beside words of the question."""
    form, text, key = statement.form.split(" ")[0], _letters_of(passage), _letters(_name(statement))
    if form == "release":
        told = re.search(rf"(?<![\d.]){statement.turns_on}(?!\.?\d)", passage.text)
        month = statement.asked.answer[: len("2024-03")]
        dates = (iso(each) for each in find_dates(passage.text if told else "") if each.year)
        return any(date.startswith(month) for date in dates)
    if form in _PROPERTIES:
        value = _letters(_value(statement))
        alone = form == "default" and len(value) > _LONGEST_FLAG
        # A list of changes names what came ("Add jitter"), and the version far above it.
        words_for = (value, *_PROPERTIES[form], *([f"add{key}"] if form == "version" else ()))
        named = key in text and any(each in text for each in words_for)
        return named or (alone and value in text and form in text)
    beside = content_words(statement.asked.about) & _content(passage)
    return key in text and (form not in _IN_WORDS or len(beside) >= SHARED)


def _value(statement: Statement) -> str:
    """What a passage that tells an answer has: of a dotted name its last part."""
    is_value = statement.form.split(" ")[0] in _PROPERTIES
    return re.sub(r".*\.(?=[A-Za-z])", "", statement.asked.answer) if is_value else _name(statement)


_LONGEST_FLAG = 5  # letters of "False": a longer value is known by itself


def _name(statement: Statement) -> str:
    """Name that tells an answer: the answer itself, or what it is a property of."""
    if statement.form.split(" ")[0] in _OF_NAMES:
        return re.sub(r"\\(.)", r"\1", statement.turns_on)
    return statement.asked.answer.rsplit(".", 0 if statement.form == "change" else 1)[-1]


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.lower())


@lru_cache(maxsize=256)
def _set_of(document: Document) -> PassageSet:
    return build_passages([document])


@lru_cache(maxsize=8192)
def _letters_of(passage: Passage) -> str:
    return _letters(passage.text)


@lru_cache(maxsize=8192)
def _content(passage: Passage) -> frozenset[str]:
    return content_words(passage.text)
