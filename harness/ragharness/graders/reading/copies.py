"""Passages copied into an answer: the answer is what it says besides."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.graders.reading.answer import AnswerSentence
    from ragharness.records import Passage

LONG_COPY = 120
"""Words copied from the passages: the answer is what is said besides."""
_LEAST_SENTENCE = 5


def own_sentences(sentences: Sequence[AnswerSentence], passages: Sequence[Passage]) -> list[AnswerSentence]:
    """Return the sentences of an answer; where it copies passages at length, those of its own."""
    if sum(len(each.text) for each in sentences) < LONG_COPY * 4:
        return list(sentences)
    texts = [_squeezed(passage.text) for passage in passages]
    copied = {each.text for each in sentences if _is_copied(each.text, texts)}
    if sum(len(text.split()) for text in copied) < LONG_COPY:
        return list(sentences)
    return [each for each in sentences if each.text not in copied]


def _is_copied(text: str, texts: Sequence[str]) -> bool:
    return len(text.split()) >= _LEAST_SENTENCE and any(_squeezed(text) in each for each in texts)


@lru_cache(maxsize=512)
def _squeezed(text: str) -> str:
    """The letters and digits of a text, so that markup and line breaks make no difference."""
    return "".join(filter(str.isalnum, text)).casefold()
