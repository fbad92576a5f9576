"""The kind of value that a question asks for, and the document it names: enough for a reference pipeline.

A yes/no question as a plain sentence ("May the tenant sublet?" is "the tenant may sublet"), any other as the
kind of value that would answer it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from ragharness.corpus.loading import Corpus
from ragharness.language.tables import regex
from ragharness.language.words import content, generic_concepts, words
from ragharness.records import Passage

NAMED = 0.5  # share of a title that names its document in a question; a word of n titles weighs 1/n
OPENING = 45  # words at the beginning of a document that name it: a cover, the parties of a contract
PAGE = 300  # words of a document's first page, which says in full what its title abbreviates
CODE = regex(r"\b(?:[A-Z]{3,}|\w*\d{3,}\w*)\b")  # an abbreviation, or a word with a number
NAME = regex(r"(?<=[a-z,] )[A-Z][a-z]\w+")
_ROUNDING = 1e-9  # more than sums in another order differ by
_AUXILIARY = r"(?:is|are|was|were|can|could|may|might|must|shall|should|will|would|do|does|did|has|have|had)"
_OPENING = (
    rf"(?:(?:at|by|for|from|in|on|to|until|up\ to)\s+)?(?:{_AUXILIARY}|wh(?:at|en|ere|ich|om?|ose|y)|how)"
)
_LEAD = regex(rf"^(?:according to|under|in|by|per|as for)\s.*?,\s+(?={_OPENING}\b)", re.IGNORECASE)
_MIDDLE = regex(rf",\s+(?:under|according to)\s[^?]*?,\s+(?={_AUXILIARY}\b)", re.IGNORECASE)
_TAIL = regex(r",?\s+(?:under(?! (?:its|their|his|her|our)\b)|according to)\s[^?]*$", re.IGNORECASE)
_REPORTS = regex(  # a clause that asks for the words of a document: "does the report say that"
    r"\s*\b(?:does|do|did)\s[^?]*\b(?:say|state|find|give|(?<!the )(?:report|name|list))\b(?: that\b| as\b)?",
    re.IGNORECASE,
)
_REPORTS_THAT = regex(rf"^{_REPORTS.pattern}(?<=that)\s+(?=\w)", re.IGNORECASE)
_YES_NO = regex(rf"^({_AUXILIARY})\s+(.+)$", re.IGNORECASE | re.DOTALL)
_SUBJECT = regex(  # the first noun with what stands before it
    r"""(?:(?:at\ least|there|the|an?|any|some|all|every|each|both|either|its|their|only)\s+)*
        (?:(?:receiving|disclosing|other|third|outside|confidential|express|independently|orally)\s+)*
        (?:[A-Z][\w.&’'-]*\s+)*
        [\w’'-]+
        (?:\s+(?:of|by)\s+(?:the\s+)?(?:receiving|disclosing|other)\s+\w+)?""",
    re.VERBOSE,
)
_CUES = {  # the words of a question that ask for each kind of value, the more telling ones first
    "date": regex(
        r"\bwhen\b|\b(?:what|which) (?:\w+ )?(?:date|day|month|year)\b|\bdate\b.*\bof\b", re.IGNORECASE
    ),
    "percent": regex(r"\b(?:percentage|percent|rate|(?<!per )share of|ratio)\b", re.IGNORECASE),
    "count": regex(r"\b(?:how many|number of)\b", re.IGNORECASE),
    "money": regex(
        r"""\b(?:what|how)\b.*\b(?:cost|price|value|worth|cash|income|revenues?|sales|expenses?|earn(?:ed|ings)?
            |profits?|debts?|assets|liabilit(?:y|ies)|equity|payable|receivable|inventor(?:y|ies)|goodwill
            |dividends?|allowance|authorization|reserve|benefits|provision|property|spen[dt]|pa(?:y|id)|owe)\b""",
        re.IGNORECASE | re.VERBOSE | re.DOTALL,
    ),
    "amount": regex(
        r"""\bhow\s+(?:much|long|high|large|big|often|soon|old|far)\b
            |\b(?:amount|number|total|term\ of|what\ (?:period|time))\b""",
        re.IGNORECASE | re.VERBOSE,
    ),
    "list": regex(r"^(?:which|what)\s+(?:(?:two|three|four|five|six)\s+)?[a-z]{4,}s\b", re.IGNORECASE),
    "place": regex(
        r"\b(?:where|(?:which|what) (?:city|state|country|town|places?|locations?))\b", re.IGNORECASE
    ),
    "name": regex(r"\b(?:who|whom|whose|which)\b", re.IGNORECASE),
}
_ENUMERATION = regex(r",[^.;]*\band\b|\b[A-Z]\w+ and (?:the )?[A-Z]")
_LOCATION = regex(r"\b(?:in|at|to|of|is|are|:) (?:the )?[A-Z][a-z]")
_SUM = regex(r"what (?!is\b|are\b).*\bdoes\b.*\breport\?$|.*\bat (?:fiscal )?year-end\b", re.IGNORECASE)
_CHANGE = regex(r"\b(?:in|de)creased?\b(?!.*\bto \$)", re.IGNORECASE)
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_DATED = regex(rf"(?:{_MONTHS})|.*(?<!\d)(?:19|20)\d\d(?!\d).*")
_NAMES = r"(?:the\s+)?[A-Z][\w&.-]*(?:(?:\s+(?:and|of|the|&))*\s+[A-Z][\w&.-]*)*"
_WORD = r"(?![a-z]+ed\b)[a-z]+"
_PLAIN = rf"(?:the\s+)?(?:{_WORD}\s+){{0,2}}{_WORD}(?=\s+(?:at|of|with)\s|\s*$)"
_THE_DOCUMENT = regex(  # a phrase that speaks of a document, as "the May 2021 review of the Pension Office"
    rf"""\bthe\s+(?P<phrase>
        (?:(?!(?:{_AUXILIARY}|the|an?|of|in|to|by|for|on|at|that|which|and|or|with|under|from|its?|as)\b)
            [\w’'-]+\s+){{0,6}}?
        (?:agreement|report|review|audit|letter|deed|undertaking|contract|filing|study|brief|10-K|NDA)\b
        (?:\s+\([^)]*\d[^)]*\))?
        (?:\s+(?:of|between|with|at|on)\s+(?:{_NAMES}(?:['’]s(?:\s+{_WORD}){{0,2}})?|{_PLAIN}))*
    )""",
    re.VERBOSE,
)
_NAMING = regex(r"[A-Z\d]")  # a name or a number, which such a phrase has if it says which document
_APPLIES = regex(r"^from (?:which|what) (?=day|date)(.*) appl(?:y|ies)$", re.IGNORECASE)
_POST_OF = regex(r"\b((?:title|post|position|office|rank)\b.*) hold$", re.IGNORECASE)


def subject(question: str) -> str:
    """The core of a question without a phrase that names a document by a name or a number."""
    text = _APPLIES.sub(r"start \1", _POST_OF.sub(r"\1", core(question)))
    text = _THE_DOCUMENT.sub(lambda match: "" if _NAMING.search(match["phrase"]) else match[0], text)
    return " ".join(text.split())


def names_in(question: str) -> frozenset[str]:
    """The words of a question that name one thing alone: abbreviations, numbers, proper names."""
    names = [*CODE.findall(question), *NAME.findall(question)]
    return frozenset(word for name in names if not _DATED.fullmatch(name) for word in words(name))


def core(question: str) -> str:
    """The question without its question mark and without the name of the document it is about."""
    text = _MIDDLE.sub(" ", _LEAD.sub("", question.strip().rstrip("?").strip()))
    text = _TAIL.sub("", text)
    return text if _REPORTS.match(text) else _REPORTS.sub("", text)


def proposition(question: str) -> str:
    """The statement that "yes" to the question would make; empty when it is not a yes/no question."""
    text = core(question)
    if reported := _REPORTS_THAT.match(text):
        return text[reported.end() :]
    inverted = _YES_NO.match(text)
    if inverted is None:
        return ""
    auxiliary, clause = inverted[1].lower(), inverted[2]
    noun = _SUBJECT.match(clause)
    parts = (noun[0], clause[noun.end() :].strip()) if noun else ("", clause)
    verb = "" if auxiliary in ("do", "does", "did") else auxiliary
    return " ".join(filter(None, (parts[0], verb, parts[1])))


def kind_asked(question: str) -> str:
    """A key of ``_CUES``; claim for a yes/no question; "" for anything else."""
    if proposition(question):
        return "claim"
    text = core(question)
    default = "amount" if _SUM.match(question) else ""
    return next((kind for kind, cue in _CUES.items() if cue.search(text)), default)


def holds(sentence: str, kind: str, question: str) -> bool:
    """Whether a sentence holds a value of a kind that the question does not; any can be a claim."""
    from ragharness.language.numbers import find_quantities
    from ragharness.language.units import is_currency

    if kind in ("", "claim", "name"):
        return True
    if kind == "list":
        return bool(_ENUMERATION.search(sentence))
    if kind == "place":
        return bool(_LOCATION.search(sentence))
    if kind == "date":
        return not _dates_of(sentence) <= _dates_of(question)
    repeated = {quantity.value for quantity in find_quantities(question)}
    quantities = (quantity for quantity in find_quantities(sentence) if not quantity.year)
    amounts = [quantity for quantity in quantities if quantity.value not in repeated]
    if kind == "money":
        # By how much something changed is not how much it was.
        is_change = _CHANGE.search(sentence)
        return not is_change and any(amount.scaled or is_currency(amount.unit) for amount in amounts)
    if kind == "count":
        # "One national administration" counts nothing.
        counts = (amount for amount in amounts if sentence[amount.start : amount.end].lower() != "one")
        return any(count.unit != "percent" and not is_currency(count.unit) for count in counts)
    return any(kind == "amount" or amount.unit == kind for amount in amounts)


def _dates_of(text: str) -> frozenset[tuple[int | None, ...]]:
    from ragharness.language.dates import find_dates

    return frozenset((date.year, date.month, date.day) for date in find_dates(text))


class Titles:
    """The titles of a corpus."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._words = {document.title: naming_words(document.title) for document in corpus.documents}
        self._counts = Counter(word for title in self._words.values() for word in title)
        self._titles = list(self._words)
        rows: dict[str, list[int]] = {}
        for row, title_words in enumerate(self._words.values()):
            for word in title_words:
                rows.setdefault(word, []).append(row)
        self._rows = {word: np.array(titles) for word, titles in rows.items()}
        self._weights = np.array([self._weight(title_words) or 1 for title_words in self._words.values()])

    def named(self, question: str, passages: Sequence[Passage]) -> frozenset[str]:
        """The titles that the question may mean: the one that it names, or those nearest to that."""
        sought = naming_words(question)
        numbers = {word for word in names_in(question) if self._counts[word] == 1 and CODE.fullmatch(word)}
        titles = {title: self._words[title] for title in self._nearest(sought, numbers)}
        titles |= {passage.title: naming_words(passage.title) for passage in passages}
        shares = {
            title: 1.0 if numbers & title_words else self._share(title_words, sought)
            for title, title_words in titles.items()
        }
        best = max(shares.values(), default=0.0)
        if best >= NAMED:
            named = frozenset(title for title, share in shares.items() if share == best)
            text = question.casefold()
            return frozenset(title for title in named if title.casefold() in text) or named
        # Where the question is vague about the name: those of the passages that have most of its words.
        weights = {}
        for passage in passages:
            opening = naming_words(self._beginning(passage, OPENING))
            weights[passage.title] = self._weight((titles[passage.title] | opening) & sought)
        return frozenset(title for title, weight in weights.items() if weight == max(weights.values()))

    def fits(self, names: frozenset[str], passage: Passage) -> bool:
        """Whether the title or the first page of a document holds the names by which it is called."""
        missing = names.difference(words(passage.title)) if names else names
        page = f"{self._beginning(passage, PAGE)} {passage.heading} {passage.text}" if missing else ""
        return missing.issubset(words(page))

    def _beginning(self, passage: Passage, count: int) -> str:
        text = self._corpus.document(passage.document).text[: count * 20]
        return " ".join(text.split()[:count])

    def _nearest(self, sought: frozenset[str], numbers: set[str]) -> set[str]:
        """The titles with the largest share, to the last bits, and those with one of the numbers."""
        shares = np.zeros(len(self._titles))
        for word in sought & self._rows.keys():
            shares[self._rows[word]] += 1 / self._counts[word]
        shares /= self._weights
        near = shares >= max(NAMED, shares.max(initial=0.0)) - _ROUNDING
        rows = near.nonzero()[0].tolist()
        return {self._titles[row] for row in (*rows, *(int(self._rows[word][0]) for word in numbers))}

    def _weight(self, title_words: frozenset[str]) -> float:
        return sum(1 / (self._counts[word] or 1) for word in sorted(title_words))

    def _share(self, title_words: frozenset[str], sought: frozenset[str]) -> float:
        return self._weight(title_words & sought) / (self._weight(title_words) or 1)


def naming_words(text: str) -> frozenset[str]:
    """The words of a text without those that any document goes by: "the company" names none."""
    return frozenset(word for word in words(text) if not generic_concepts().issuperset(content(word)))
