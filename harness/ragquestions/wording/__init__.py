"""Natural questions about the figures and dates of plain statements, made without a model.

Only shapes whose question is certain to be grammatical are used; everything else is passed over:

    SSA obligated $612 million for benefits in 2024.     How much did SSA obligate for benefits in 2024?
    The office employed 57 inspectors in 2020.           How many inspectors did the office employ in 2020?
    About 14 percent of the staff retired in 2024.       What percentage of the staff retired in 2024?
    The total cost of the repair was $5 million.         What was the total cost of the repair?
    The Road Fund was established in 1994.               When was the Road Fund established?
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from ragharness.language.tables import regex
from ragquestions.wording.dates import dates, iso, precision
from ragquestions.wording.figures import figures, plain, unit
from ragquestions.wording.statement import Asked, by_author, clean, is_bare, statement

__all__ = ["Asked", "ask", "common_words"]

_CAPITAL = regex(r"(?<=[a-z,] )[A-Z][a-z]+\b")
_SMALL = regex(r"(?<=[a-z,] )[a-z]+\b")
_FIGURE = regex(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|fifty|"
    r"sixty|seventy|eighty|ninety|hundred)\b",
)


def _holds_its_year(asked: Asked) -> bool:
    """Whether a question for a year, or a month of it, names that year."""
    return asked.precision in {"year", "month"} and asked.answer[:4] in asked.question


def common_words(text: str) -> Callable[[str], bool]:
    """Return what says of a word, in lower case, that a document mostly writes it so inside sentences."""
    capital = Counter(found.lower() for found in _CAPITAL.findall(text))
    small = Counter(_SMALL.findall(text))
    return lambda word: small[word] > 2 * capital[word]


def ask(sentence: str, known_lower: Callable[[str], bool] = str.islower, *, author: str = "") -> list[Asked]:
    """Return the questions that a sentence answers.

    ``known_lower`` says whether a word may begin in lower case.
    ``author`` is who says "we" in it; empty: a sentence that says so is passed over.
    Nothing comes back where a figure is a bound or one of several, where the question would hold the year
    that it asks for, where the statement points to another sentence, or where its grammar is
    not one of a few plain shapes.
    """
    if not _FIGURE.search(sentence) and not _FIGURE.search(sentence[:1].lower() + sentence[1:]):
        return []
    plain_one = clean(sentence)
    said = statement(by_author(plain_one, author) if author else plain_one)
    if said is None:
        return []
    asked = [
        *(Asked(text, "number", plain(amount), unit(amount)) for text, amount in figures(said, known_lower)),
        *(Asked(text, "date", iso(date), "", precision(date)) for text, date in dates(said, known_lower)),
    ]
    return [each for each in asked if not is_bare(each.question) and not _holds_its_year(each)]
