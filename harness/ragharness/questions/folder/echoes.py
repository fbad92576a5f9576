"""Finds statements that another document also makes: withholding one of them withholds nothing."""

from __future__ import annotations

from collections import Counter
from math import ceil
from typing import TYPE_CHECKING

from ragharness.language.sentences import sentences
from ragharness.questions.folder.telling import FIGURE, states_figure, telling_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ragharness.questions.folder.statements import Statement
    from ragharness.records import Document

FIGURES_EACH = 8
"""Figures and dates that are asked for one short definition: what letters stand for is soon guessed."""

SAME = 0.6
"""Share of a question's telling words from which another sentence may be saying the same."""

ALIKE = 0.8
"""The same where that sentence has other figures: it may state another fact in like words."""


def with_echoes(found: list[Statement], documents: Iterable[Document]) -> list[Statement]:
    """Mark the statements that another document makes too; every text is read once.

    What shares enough words with a statement has one of its rarest words, what has its figures the rarest
    of them: only such pairs are compared.
    """
    wanted = [telling_words(each.asked.about) for each in found]
    figures = [set(FIGURE.findall(each.document.text[each.start : each.end])) for each in found]
    watched: dict[str, list[int]] = {}
    common = Counter(word for words_of in (*wanted, *figures) for word in words_of)
    for number, (words_of, figures_of) in enumerate(zip(wanted, figures, strict=True)):
        rare = sorted(words_of, key=lambda word: (common[word], word))
        few = len(rare) - ceil(ALIKE * len(rare)) + 1
        rarest = sorted(figures_of, key=lambda figure: (common[figure], figure))[:1]
        for key in (*rare[:few], *rarest):
            watched.setdefault(key, []).append(number)
    heard: set[int] = set()
    for document in documents:
        for start, end in sentences(document.text):
            said = document.text[start:end]
            if not states_figure(said):
                continue
            telling, theirs = telling_words(said), set(FIGURE.findall(said))
            near = {number for key in watched.keys() & (telling | theirs) for number in watched[key]}
            for number in near - heard:
                share = SAME if figures[number] and figures[number] <= theirs else ALIKE
                if (
                    len(wanted[number] & telling) >= share * len(wanted[number])
                    and found[number].document.id != document.id
                ):
                    heard.add(number)
    marked = [each._replace(elsewhere=number in heard) for number, each in enumerate(found)]
    # What many documents call by the same letters is known without any of them.
    plain = [each for each in marked if each.asked.kind != "text"]
    named = [each for each in marked if each.asked.kind == "text" and not _common(each, documents)]
    return [*plain, *named[: 1 + len(plain) // FIGURES_EACH]]


def _common(statement: Statement, documents: Iterable[Document]) -> bool:
    return any(statement.asked.answer in each.text for each in documents if each.id != statement.document.id)
