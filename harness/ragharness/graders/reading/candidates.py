"""Values of a question's kind in a sentence, each compared with what the question knows."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from ragharness.graders.reading.figures import family_of, find_figures, in_range
from ragharness.graders.reading.records import Candidate, Relation
from ragharness.language.dates import DateMention, compare_date, find_dates
from ragharness.language.matching import find_alias, is_code
from ragharness.language.modality import negated
from ragharness.language.numbers import find_quantities
from ragharness.language.tables import phrases, regex, words_of
from ragharness.language.words import STOPWORDS, content, raw_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ragharness.records import Question

_MOST_NAMES = 40
_NEGATION = regex(r"\b(?:not|never|cannot)\b|n['’]t\b", re.IGNORECASE)
_DENIED = regex(
    rf"(?:\b{phrases('values', 'auxiliary')}(?:\s+not|n['’]t|\s+never)|\bnever)\b"
    rf"(?:[ ](?!{phrases('values', 'states_anyway')}\b)[\w'’-]+){{0,7}}[ ]*(?:[$€£(]\s?)?$",
    re.IGNORECASE,
)
"""A denial by the verb, further from the value than a plain "not"."""
_RANGE_AFTER = regex(r"\s?[-–—/]\s?(?:(?:19|20)?\d\d)\b")
_RANGE_BEFORE = regex(r"(?:19|20)\d\d\s?[-–—/]\s?$")
_BETWEEN = regex(r"\bbetween\b[^.;]*$", re.IGNORECASE)

_NAME = r"[A-ZÀ-Ý][\w&'’-]*(?:\.(?=\s+[A-Z]))?(?:\s+(?:of\s+(?:the\s+)?)?[A-ZÀ-Ý][\w&'’-]*\.?)*"
_LEAD = rf"(?i:(?:{phrases('values', 'before_a_name')}\s+){{0,6}})"
_JOINT = r"(?P<joint>\band/or\b|\bor\b|\band\b|/|\bas\s+well\s+as\b|\bjointly\s+with\b)"
_AFTER = regex(rf"(?:\s+laws?|\s+courts?)?\s*,?\s*[(]?{_JOINT}\s*{_LEAD}(?P<name>{_NAME})")
_EXCLUSIVE = ("or", "and/or", "/")
_RELATIVE = phrases("values", "relatives")
_POSSESSED = regex(rf"(?:(?<=s)['’]?|['’]s?)\s+(?:\w+\s+)?{_RELATIVE}\b", re.IGNORECASE)
_OF_WHOM = regex(
    rf"\b(?:{_RELATIVE}\s+(?:of|to)|{phrases('values', 'succeeds')})\s+(?:(?:the|mr\.?|ms\.?|director)\s+)?$",
    re.IGNORECASE,
)
_DOES_NOT = r"(?:does|do|did|is|was|are|were|has|have|will|shall)(?:\s+not|n['’]t)"
_RELATION_WORD = regex(rf"\b(?:{_RELATIVE}|succe\w+|replac\w+|follow\w*|took\s+over)\b", re.IGNORECASE)
_DENIED_AFTER = regex(rf"(?:\s+[a-z]+){{0,3}}?\s+{_DOES_NOT}\b(?P<rest>[^,;.]*)")
REACH = 160
"""So far from a name a second one is looked for, so that endless lists stay cheap."""


def find_candidates(text: str, question: Question) -> list[Candidate]:
    """Return the values of the question's kind that a sentence states, in order of place."""
    finders = {"number": find_figures, "date": _dates}
    found = finders.get(question.kind, _texts)(text, question)
    denied_already = _NEGATION.search(question.text) is not None
    for each in found:
        denied = negated(text, each.start) or _DENIED.search(text[max(0, each.start - 120) : each.start])
        each.negated = each.negated or bool(denied and not denied_already)
        each.elsewhere = tuple(
            other.about
            for other in question.distractors
            if other.about and (each.relation == "match" or other.value == each.equals)
        )
    return found


def accepted(question: Question) -> list[str]:
    """Return every spelling of the gold answers."""
    return [*question.answers, *(name for names in question.aliases.values() for name in names)]


def value_kinds(answers: Sequence[str]) -> frozenset[str]:
    """Return the sorts of amount that text answers are ("three years": a duration); empty for names."""
    return frozenset(map(_value_kind, answers)) - {"", "plain"}


@lru_cache(maxsize=8192)
def _value_kind(answer: str) -> str:
    amounts = find_quantities(answer)
    whole = len(amounts) == 1 and amounts[0].end - amounts[0].start >= 0.6 * len(answer)
    return family_of(amounts[0].unit) if whole else ""


def _dates(text: str, question: Question) -> list[Candidate]:
    found: list[Candidate] = []
    for mention in find_dates(text):
        written = text[mention.start : mention.end]
        relation, equals = _compare_date(mention, question)
        if relation == "match" and _is_bound(text, mention):
            relation = "ambiguous"
        found.append(Candidate(mention.start, mention.end, relation, written, equals))
    return found


def _is_bound(text: str, mention: DateMention) -> bool:
    """Say whether a date is one end of a range; the start of "from ... to ..." may be what was asked."""
    low = max(0, mention.start - 8)
    if _RANGE_AFTER.match(text, mention.end) or _RANGE_BEFORE.search(text, low, mention.start):
        return not mention.month
    between = _BETWEEN.search(text, 0, mention.start)
    return between is not None and sum(each.start > between.start() for each in find_dates(text)) > 1


def _compare_date(mention: DateMention, question: Question) -> tuple[Relation, str]:
    """How a date compares, and the distractor that it equals."""
    golds = [gold for gold in question.answers if gold[:4].isdigit()]
    # Where the question asks for no day, a month of the right year that fits is right.
    precision = question.date_precision or ("month" if mention.month and not mention.day else "")
    relations = [compare_date(gold, precision, mention) for gold in golds]
    if "match" in relations:
        # "1976 / 14 July 1976": another day of that year is neither right nor wrong.
        exact = [gold for gold in golds if len(gold) > 4 and gold[:4] == str(mention.year)]
        other_day = {compare_date(gold, "", mention) for gold in exact} == {"mismatch"}
        return ("ambiguous" if other_day else "match"), ""
    if any(compare_date(value, "", mention) == "match" for value in question.world_answers):
        return "world", ""
    for distractor in question.distractors:
        if compare_date(distractor.value, "", mention) == "match":
            return "distractor", distractor.value
    if "ambiguous" in relations:
        return "ambiguous", ""
    return ("imprecise" if "coarser" in relations else "mismatch"), ""


def _texts(text: str, question: Question) -> list[Candidate]:
    gold = accepted(question)
    kinds = value_kinds(gold)
    found: list[Candidate] = []
    _put(found, text, "match", find_alias(text, gold))
    _put(found, text, "world", find_alias(text, question.world_answers))
    for distractor in question.distractors:
        _put(found, text, "distractor", find_alias(text, [distractor.value]), distractor.value)
    amounts = find_quantities(text) if found or kinds else []
    ends = [each for each in amounts if in_range(text, each) and not any(map(is_code, gold))]
    for each in found:
        if each.relation == "match" and any(one.start < each.end and each.start < one.end for one in ends):
            each.relation = "mismatch"
    if not kinds:
        _look_beside(text, found, gold, question)
    alike = (each for each in amounts if family_of(each.unit) in kinds and not each.year)
    _put(found, text, "mismatch", alike)
    return sorted(found, key=lambda each: each.start)


class _Span(Protocol):
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


def _put(
    found: list[Candidate], text: str, relation: Relation, places: Iterable[_Span], equals: str = ""
) -> None:
    """Add values unless better ones cover their places."""
    taken = list(found)
    found += (
        Candidate(each.start, each.end, relation, text[each.start : each.end], equals)
        for each in places
        if all(each.start >= other.end or each.end <= other.start for other in taken)
    )


def _look_beside(text: str, found: Sequence[Candidate], gold: Sequence[str], question: Question) -> None:
    """Look at what stands beside names: a second name, a relation, a denial."""
    words = frozenset(word for each in gold for word in raw_words(each))
    for candidate in found[:_MOST_NAMES]:
        place = (text, candidate.start, candidate.end)
        candidate.named = True
        candidate.related = _is_relation_only(*place, question.text)
        if candidate.relation == "match":
            candidate.rival, candidate.either = _rival_of(*place, words, question.text)
            candidate.negated = _is_denied_after(text, candidate.end, question.text)
            if _is_namesake(text[: candidate.start], candidate.written, gold):
                candidate.relation = "mismatch"


# What stands beside a name and makes it another answer: "A or B", "A's deputy, B", "B succeeded A".


def _rival_of(text: str, start: int, end: int, gold: frozenset[str], question: str) -> tuple[str, bool]:
    """Return a second name joined to the one at ``start:end``, and whether by "or"; empty when there is none.

    ``gold`` are the words of all accepted spellings: a shorter or longer form of the same name is no rival.
    """
    if not any(letter.isupper() for letter in text[start:end]) or "respectively" in text:
        return "", False
    found = _AFTER.match(text, end, end + REACH)
    if found and _differs(found["name"], gold, question):
        return found["name"], found["joint"] in _EXCLUSIVE
    return "", False


def _differs(name: str, gold: frozenset[str], question: str) -> bool:
    words = [word.strip(".'’").removesuffix("'s") for word in raw_words(name)]
    kept = [word for word in words if word not in words_of("values", "no_name") and len(word) > 1]
    return not (gold.issuperset(kept) or frozenset(content(" ".join(kept))) <= frozenset(content(question)))


def _is_relation_only(text: str, start: int, end: int, question: str) -> bool:
    """Say whether a name only says whose deputy, parent or successor the answer is."""
    bare = re.sub(r"['’]s?$", "", text[start:end])
    related = _POSSESSED.match(text, start + len(bare)) or _OF_WHOM.search(text, max(0, start - 60), start)
    return related is not None and not _RELATION_WORD.search(question)


def _is_namesake(before: str, written: str, gold: Sequence[str]) -> bool:
    """Say whether a short form has another first word than the long one ("House", not "Senate")."""
    word = "".join(before.split()[-1:])
    longer = [each for each in gold if each.casefold().endswith(f" {written.casefold()}")]
    named = word.istitle() and word.isalpha() and word.casefold() not in STOPWORDS
    return named and bool(longer) and not any(word in each for each in longer)


def _is_denied_after(text: str, end: int, question: str) -> bool:
    """Say whether what follows a name denies of it what was asked ("Delaware law does not govern it")."""
    found = _DENIED_AFTER.match(text, end)
    return found is not None and frozenset(content(found["rest"])) <= frozenset(content(question))
