"""Which statements another document makes too: withholding them keeps nothing back."""

from __future__ import annotations

from collections import Counter
from math import ceil
from typing import TYPE_CHECKING

from ragharness.language.sentences import sentences
from ragharness.questions.folder.content_words import FIGURE, content_words, states_figure
from ragharness.questions.folder.definitions import LETTERS
from ragharness.questions.folder.sentence_index import ALIKE, SAME

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ragharness.questions.folder.statements import Statement
    from ragharness.records import Document

MOST_LETTERS = 5
"""Abbreviations that are asked about: what letters stand for is soon guessed."""


def with_echoes(found: list[Statement], documents: Iterable[Document]) -> list[Statement]:
    """Mark the statements that another document makes too; every text is read once.

    What shares enough words with a statement has one of its rarest words, what has its figures the rarest
    of them: only such pairs are compared.
    """
    wanted = [content_words(each.asked.about) for each in found]
    figures = [set(FIGURE.findall(each.document.text[each.start : each.end])) for each in found]
    watched: dict[str, list[int]] = {}
    common = Counter(word for words_of in (*wanted, *figures) for word in words_of)
    for number, (words_of, figures_of) in enumerate(zip(wanted, figures, strict=True)):
        rare = sorted(words_of, key=lambda word: (common[word], word))
        few = len(rare) - ceil(ALIKE * len(rare)) + 1
        rarest = sorted(figures_of, key=lambda figure: (common[figure], figure))[:1]
        for key in (*rare[:few], *rarest):
            watched.setdefault(key, []).append(number)
    in_words = {number for number, each in enumerate(found) if each.form}
    heard: set[int] = set()
    for document in documents:
        for start, end in sentences(document.text):
            said = document.text[start:end]
            figured = states_figure(said)
            if not (figured or in_words):
                continue
            content, theirs = content_words(said), set(FIGURE.findall(said))
            near = {number for key in watched.keys() & (content | theirs) for number in watched[key]}
            near = near if figured else near & in_words
            for number in near - heard:
                share = SAME if figures[number] and figures[number] <= theirs else ALIKE
                if (
                    len(wanted[number] & content) >= share * len(wanted[number])
                    and found[number].document.id != document.id
                ):
                    heard.add(number)
    marked = [each._replace(elsewhere=number in heard) for number, each in enumerate(found)]
    # What many documents call by the same letters is known without any of them.
    plain = [each for each in marked if each.form != LETTERS]
    named = [each for each in marked if each.form == LETTERS and not _common(each, documents)]
    return [*plain, *named[:MOST_LETTERS]]


def _common(statement: Statement, documents: Iterable[Document]) -> bool:
    return any(statement.asked.answer in each.text for each in documents if each.id != statement.document.id)
