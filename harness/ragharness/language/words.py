"""Words, sentences and clauses of a text, content words under one name each, and whether it is English."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar, cast

from ragharness.language.tables import phrases, regex, table, words_of

Result = TypeVar("Result")

_TABLE = cast("dict[str, str]", table("words"))
_FOREIGN = words_of("words", "foreign")
_UNMISTAKABLE = words_of("words", "unmistakable")
_UNSTEMMED = words_of("words", "unstemmed")
STOPWORDS = words_of("words", "stop") | words_of("words", "name_particles")  # they tell no subject
_UNAMBIGUOUS = STOPWORDS - words_of("words", "name_particles") - words_of("words", "ambiguous")

_WORD = regex(r"[^\W_]+(?:['’][^\W_]+)?")
_TOKEN = regex(r"\w+")
_SEPARATORS = regex(r"[\W_]+")
_MOST = 2000  # characters that tell the language; results on longer texts are not cached, to save memory
_FEW = 10  # words in small letters; fewer may do without a function word, as labels and lists do


def remembered(function: Callable[[str], Result]) -> Callable[[str], Result]:
    """Function with its last results on short texts kept; results must be immutable."""
    cached = lru_cache(maxsize=4096)(function)

    @wraps(function)
    def recall(text: str) -> Result:
        return cached(text) if len(text) <= _MOST else function(text)

    vars(recall)["cache_clear"] = cached.cache_clear
    return recall


def words(text: str) -> list[str]:
    r"""Case-folded runs of word characters (``\w+``) of the NFKC-normalised text.

    The one tokenizer that retrieval, evidence overlap and matching share.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return _TOKEN.findall(text.casefold())


def squeeze(text: str) -> str:
    """Letters and digits of a text without layout, case or accents.

    Line breaks, hyphens at line ends, typographic quotes and ligatures, accents in either Unicode form, and
    the stars and bars of Markdown leave no trace, so that a text is found again however it was wrapped.
    """
    return _SEPARATORS.sub("", text).lower() if text.isascii() else text.translate(FOLDED)


class _FoldedLetters(dict[int, "str | None"]):
    """What each letter becomes, found when it is first met; None: nothing."""

    def __missing__(self, letter: int) -> str | None:
        folded = unicodedata.normalize("NFKD", chr(letter)).casefold()
        self[letter] = "".join(filter(str.isalnum, folded)) or None
        return self[letter]


FOLDED = _FoldedLetters()


def raw_words(text: str) -> list[str]:
    """Case-folded words of a text, apostrophes inside words kept."""
    return _WORD.findall(text.casefold())


@remembered
def content(text: str) -> tuple[str, ...]:
    """Concepts of a text's content words, in order, stop words left out."""
    text = text.replace("R&D", "research development")
    return tuple(filter(None, map(_meaning, raw_words(text))))


@remembered
def concepts_of(text: str) -> frozenset[str]:
    """Concepts of a text's content words."""
    return frozenset(content(text))


@lru_cache(maxsize=16384)
def _meaning(word: str) -> str:
    # "couldn't", "it's"
    before, apostrophe, after = word.replace("’", "'").partition("'")
    stops = before in STOPWORDS and (
        not apostrophe or after in frozenset(("t", "s", "re", "ve", "ll", "m", "d"))
    )
    return "" if stops else concept(word)


@lru_cache(maxsize=16384)
def concept(word: str) -> str:
    """Name under which a case-folded word is compared: its synonym group, or its stem."""
    word = word.removesuffix("'s").removesuffix("’s")
    if word.removesuffix("s") in _UNSTEMMED:
        return word.removesuffix("s")
    stem = _stem(word)
    return _synonyms().get(stem, stem)


def _stem(word: str) -> str:
    for ending in _TABLE["endings"].split():
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            if ending != "y" or word[-2] not in "aeiou":
                word = word[: -len(ending)]
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls":
        word = word[:-1]
    if len(word) > 3 and word[-1] == "e":
        word = word[:-1]
    # "appropriated" and "appropriation" are one word.
    return word[:-2] if len(word) > 7 and word.endswith("at") else word


@lru_cache(maxsize=1)
def _synonyms() -> dict[str, str]:
    names: dict[str, str] = {}
    for name, members in cast("dict[str, str]", table("words")["synonyms"]).items():
        for member in members.split():
            names[_stem(member)] = name
            for ending in ("s", "ed", "ing"):
                # "reveal" loses its ending, "revealing" only the last one.
                names.setdefault(_stem(member + ending), name)
    return names


@lru_cache(maxsize=1)
def generic_concepts() -> frozenset[str]:
    """Concepts of the words that name any document or a part of one."""
    return frozenset(map(concept, words_of("words", "generic")))


def is_english(text: str) -> bool:
    """Whether a text is English enough to be read; a short text without any sign counts as English."""
    text = text[:_MOST]
    beyond = [] if text.isascii() else [char for char in text if char > "\u024f" and char.isalpha()]
    if beyond and len(beyond) * 3 > sum(map(str.isalpha, text)):
        return False
    tokens = [word.strip('.,;:!?()[]"“”*_') for word in text.replace("'", " ").replace("’", " ").split()]
    folded = [word.casefold() for word in tokens]
    if not _UNMISTAKABLE.isdisjoint(folded):
        return False
    # Names keep their language ("Il Divo", "Universidade de São Paulo").
    small = [word for word in tokens if word[:1].islower()]
    if tokens and not tokens[0][:1].islower() and not "".join(tokens[1:2])[:1].isupper():
        small.append(folded[0])
    foreign = len([word for word in small if word in _FOREIGN])
    english = len([word for word in folded if word in _UNAMBIGUOUS])
    return foreign <= english and (len(small) < _FEW or not STOPWORDS.isdisjoint(folded))


Span = tuple[int, int]

_OPENING = "`«»‘“„「『《‹"
_UNQUOTED = dict.fromkeys(map(ord, _OPENING), " ")
_MOST_LOOKED_AT = 10**8  # characters: sentencex looks for the end of each quotation all along the line

_LINE = regex(r"[^\n]+")
_INSIDE = regex(r"[^\w\s,;()'’\"“”$%&/\ue000-\uf8ff-].")
"""A sentence can end only at a mark that is none of these and no citation, with more behind it."""
_UNFINISHED = regex(
    rf"\b{phrases('sentences', 'unfinished')}\.$"
    r"|^(?:\W?(?:\d{1,3}(?:\.\d{1,3})*|[A-Za-z]|[ivxlc]{1,5})?[.):]?|[-*\u2022\u2013\u2014]+)$"
)  # an abbreviation, or a list item's number, letter or bullet: what follows on the line goes on with it
_INITIAL = regex(r"\b[A-Z]\.$")
_COMPOUND = regex(r"(?:[A-Z]\.)+|[-–]\w")
"""What goes on with an initial before it, or with any abbreviation ("non-U.|S.", "Inc.|-owned")."""
_NUMBER = regex(r"\W?(?:\d{1,3}(?:\.\d{1,3})*|[A-Za-z]|[ivxlc]{1,5})[.):]{1,2}\s+(?=\S)")

_ABBREVIATED = "".join(rf"(?<!\b{word})" for word in sorted(words_of("sentences", "abbreviations")))
_BOUNDARY = regex(
    rf"""
      [;:]\s+ | (?=[.!?]\s)(?<!\b[a-z]){_ABBREVIATED}[.!?]\s+ | \n+ | \s+[—–]\s*|\s+--?\s+|—
    | ,?\s+\b{phrases("sentences", "contrasts")}\b,?\s+
    | ,\s+(?:and\s+)?{phrases("sentences", "conclusions")}\b(?:\s+that)?,?\s+
    | ,\s+and\s+(?={phrases("sentences", "subjects")}\b)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SUBORDINATE = regex(rf"^\W*{phrases('sentences', 'subordinators')}\b[^,;]{{3,200}},\s+", re.IGNORECASE)
_LABEL_END = regex(r"\s*[:—–-]")
_ANSWERS = regex(rf"\W*{phrases('sentences', 'answering')}\b", re.IGNORECASE)
_YEAR_ENDS = regex(r"(?<!\bin )(?<!\bof )\b(?:19|20)\d\d$")


def without_number(sentence: str) -> str:
    """Sentence without the list number or letter before it ("5. ", "(a) ")."""
    return sentence[number.end() :] if (number := _NUMBER.match(sentence)) else sentence


def sentences(text: str) -> list[Span]:
    """(start, end) of each sentence in order, trimmed; a line break always ends one."""
    return [span for line in _LINE.finditer(text) for span in _of_line(line[0], line.start())]


def _of_line(line: str, offset: int) -> list[Span]:
    spans: list[Span] = []
    for low, high in _boundaries(line):
        core = line[low:high].strip()
        start = low + line[low:high].find(core)
        if core and spans and _UNFINISHED.search(line[slice(*spans[-1])]):
            spans[-1] = (spans[-1][0], start + len(core))
        elif core:
            spans.append((start, start + len(core)))
    return [(offset + start, offset + end) for start, end in spans]


def whole_sentences(text: str) -> list[Span]:
    """Sentences of a text, compounds with a point in them kept whole ("non-U.S. holders", "Inc.-owned")."""
    spans: list[Span] = []
    for low, high in sentences(text):
        glued = spans and low == spans[-1][1] and _COMPOUND.match(text, low)
        if glued and (text[low] in "-–" or _INITIAL.search(text[slice(*spans[-1])])):
            spans[-1] = (spans[-1][0], high)
        else:
            spans.append((low, high))
    return spans


def _boundaries(line: str) -> list[Span]:
    if not _INSIDE.search(line):
        return [(0, len(line))]
    from sentencex import get_sentence_boundaries

    if len(line) ** 2 > _MOST_LOOKED_AT and max(map(line.count, _OPENING)) * len(line) > _MOST_LOOKED_AT:
        line = line.translate(_UNQUOTED)
    return [(span["start_index"], span["end_index"]) for span in get_sentence_boundaries("en", line)]


@remembered
def clauses(text: str) -> tuple[Span, ...]:
    """(start, end) of the clauses of a text in order; together they hold all of it but the joints."""
    spans: list[Span] = []
    start = 0
    for boundary in _BOUNDARY.finditer(text):
        # "CEO: ..." and "2018 - ..." name what follows.
        if not (_LABEL_END.match(boundary[0]) and _is_label(text, start, boundary.start())):
            spans += _with_lead(text, start, boundary.start())
            start = boundary.end()
    return (*spans, *_with_lead(text, start, len(text)))


def clause_at(text: str, position: int) -> Span:
    """(start, end) of the clause that a place stands in; of the whole text where it is in a joint."""
    return next(((low, high) for low, high in clauses(text) if low <= position < high), (0, len(text)))


def _is_label(text: str, start: int, end: int) -> bool:
    named = len(text[start:end].split()) <= 4 and not _ANSWERS.match(text, start)
    return named or _YEAR_ENDS.search(text, max(start, end - 12), end) is not None


def _with_lead(text: str, start: int, end: int) -> list[Span]:
    """The clause at a place, in two where it begins with a subordinate one ("Although it ended, ...")."""
    lead = _SUBORDINATE.match(text[start:end])
    middle = start + lead.end() if lead else start
    return [(low, high) for low, high in ((start, middle), (middle, end)) if text[low:high].strip()]
