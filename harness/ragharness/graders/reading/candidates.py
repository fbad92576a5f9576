"""Amounts and dates in a sentence, each compared with the gold, the distractors and the world's answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Literal, cast

from msgspec.structs import replace

from ragharness.graders.reading.records import Candidate, Relation
from ragharness.language.dates import DateMention, compare_date, find_dates
from ragharness.language.matching import AliasHit, compare_quantity, find_alias, is_code
from ragharness.language.numbers import Quantity, find_quantities
from ragharness.language.polarity import contrary
from ragharness.language.tables import phrases, regex, table, words_of
from ragharness.language.units import in_base, is_currency, is_duration, read_unit
from ragharness.language.words import STOPWORDS, clause_at, concepts_of, content, raw_words
from ragharness.records import Question

_RANGE_AFTER = regex(r"\s?[-–—/]\s?(?:(?:19|20)?\d\d)\b")
_RANGE_BEFORE = regex(r"(?:19|20)\d\d\s?[-–—/]\s?$")
_BETWEEN = regex(r"\bbetween\b[^.;]*$", re.IGNORECASE)


def accepted(question: Question) -> list[str]:
    """Every spelling of the gold answers."""
    return [*question.answers, *(name for names in question.aliases.values() for name in names)]


def value_kinds(answers: Sequence[str]) -> frozenset[str]:
    """Sorts of amount that text answers are ("three years": a duration); empty for names."""
    return frozenset(map(_value_kind, answers)) - {"", "plain"}


@lru_cache(maxsize=8192)
def _value_kind(answer: str) -> str:
    amounts = find_quantities(answer)
    whole = len(amounts) == 1 and amounts[0].end - amounts[0].start >= 0.6 * len(answer)
    family = family_of(amounts[0].unit) if whole else ""
    return family if family in _ASKS else ""


def find_days(text: str, question: Question) -> list[Candidate]:
    """Dates of a sentence, each compared."""
    found: list[Candidate] = []
    for mention in find_dates(text):
        written = text[mention.start : mention.end]
        relation, equals = _compare_date(mention, question)
        clause = concepts_of(text[slice(*clause_at(text, mention.start))])
        otherwise = contrary(concepts_of(question.text), clause)
        if relation == "match" and (otherwise or _is_bound(text, mention)):
            relation = "ambiguous"
        found.append(Candidate(mention.start, mention.end, relation, written, equals))
    return found


def _is_bound(text: str, mention: DateMention) -> bool:
    """Whether a date is one end of a range; the start of "from ... to ..." may be what was asked."""
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


_LOSS = regex(rf"\b{phrases('values', 'loss')}\b", re.IGNORECASE)
_EITHER_SIGN = regex(r"\(\s*loss(?:es)?\s*\)|(?<=[a-z])\s?(?:/|or|and)\s?\(?loss(?:es)?\b\)?", re.IGNORECASE)
_OUTFLOW = regex(rf"\b{phrases('values', 'outflow')}\b", re.IGNORECASE)
_ASKS_DROP = regex(rf"\b{phrases('values', 'dropping')}\b", re.IGNORECASE)
_DOWN = regex(rf"\b(?:down|{phrases('values', 'dropping')})\b", re.IGNORECASE)
_PARENTHESES = regex(r"\([^()]*\)")
_JOINT_AFTER = regex(r"\s?(-|–|—|to\b|through\b|and\b)")
_JOINT_BEFORE = regex(r"(-|–|—|\bto|\bthrough|\band)\s?$")
_MOVED = regex(
    rf"\b(?:{phrases('values', 'changing')}|up|down)\w*|\b(?!rang|vari|span|pric)[a-z]+ed(?: \w+)? from\b",
    re.IGNORECASE,
)
_YEAR_LABEL = regex(r"\b(?:19|20)\d\d\s*[-–—]\s*\W?$")
_OR_BARE = regex(r"[\s\W]*\bor\s+(?:\w+\s+)?(?=\S+\s*(?:[.,;:!?…)\n]|$))", re.IGNORECASE)
_ASKS = {
    each: regex(rf"[$€£%]|\b{phrases('values', f'asks_{each}')}\b", re.IGNORECASE)
    for each in ("money", "percent", "duration")
}  # what a question says that wants a value of such a family, where its gold carries no unit
_PART_OF = regex(
    r"\s+(?:out\s+)?of\s+(?:(?:the|its|all|our|their|these|those|a|total|of)\s+)*", re.IGNORECASE
)  # between a part and its whole: of "47 of the 59 sites" 47 is what is counted
_RATIO = regex(r"\d-for-\d", re.IGNORECASE)  # a split of shares: neither of its figures is an amount
_ASKS_COUNT = regex(rf"\b{phrases('values', 'asks_count')}\b", re.IGNORECASE)
_COUNTED = regex(r"\s([a-z]{3,})\b")
_RATE = regex(r"(?:\b(?:per|each|every|an?)\s+|/\s?)([a-z]+)|\b([a-z]+ly|annual)\b", re.IGNORECASE)
_PERIODS = {
    word: period
    for period, words in cast("dict[str, str]", table("values")["rates"]).items()
    for word in words.split()
}
_MILLIONS = regex(r"(?<=\d)mm?$")
_RATE_ENDS = 24  # characters behind a figure in which its rate is named
_COARSE, _NEAR = Decimal("0.2"), Decimal("0.005")


def find_figures(text: str, question: Question) -> list[Candidate]:
    """Amounts of a sentence, each compared; figures of the question itself are none."""
    if not find_quantities(text):
        return _in_names(text, question)
    wanted = read_unit(question.unit).unit
    given = {(abs(each.value), each.unit) for each in find_quantities(question.text)}
    found: list[Candidate] = []
    before: Quantity | None = None
    for quantity in _signed(text, question):
        whole = before is not None and _PART_OF.fullmatch(text, before.end, quantity.start) is not None
        before = quantity
        offered = bool(found) and _OR_BARE.match(text, found[-1].end, quantity.end + 8) is not None
        measured = _in_unit_asked(quantity, text[quantity.start : quantity.end], question)
        relation, implied, equals = _compare(measured, question)
        if relation == "match" and _is_otherwise(text, quantity, question):
            relation = "ambiguous"
        if relation != "match":
            if whole or (quantity.year and not offered) or (abs(quantity.value), quantity.unit) in given:
                continue
            if _RATIO.search(text, quantity.start, quantity.end + 6):
                continue
            if relation == "foreign" and family_of(measured.unit) != family_of(wanted):
                continue
        elif in_range(text, quantity):
            # "3 to 7 characters" may hold the count asked for; of years or money it leaves open which.
            relation = "mismatch" if quantity.unit or quantity.scaled else "ambiguous"
        bare = relation == "mismatch" and not (quantity.unit or quantity.scaled or offered)
        found.append(
            Candidate(
                quantity.start, quantity.end, "mismatch" if relation == "foreign" else relation,
                text[quantity.start : quantity.end], equals, scale_implied=implied,
                loose=bare and family_of(wanted) != "plain", foreign_unit=relation == "foreign",
                of_another=relation != "match" and _counts_another(text, quantity, question),
                near=any(_is_near(gold, question.unit, measured) for gold in question.answers),
            )
        )  # fmt: skip
    if any(each.relation == "match" for each in found):
        return found
    return sorted([*found, *_in_names(text, question)], key=lambda each: each.start)


def _rates(text: str) -> set[str]:
    named = ((found[1] or found[2]).casefold() for found in _RATE.finditer(text))
    return {_PERIODS[word] for word in named if word in _PERIODS}


def _is_otherwise(text: str, quantity: Quantity, question: Question) -> bool:
    """Whether the right figure is said of another rate ("$3,000 per month"), or of a change the other way."""
    low, high = clause_at(text, quantity.start)
    wanted = _rates(f"{question.text} {question.unit}")
    stated = _rates(text[quantity.start : quantity.end + _RATE_ENDS])
    if wanted and stated and wanted.isdisjoint(stated):
        return True
    return contrary(concepts_of(question.text), concepts_of(text[low:high]))


def _counts_another(text: str, quantity: Quantity, question: Question) -> bool:
    """Whether a bare count has another noun behind it than a question about a count ("in 21 states")."""
    noun = _COUNTED.match(text, quantity.end)
    if not noun or quantity.unit or quantity.scaled or not _ASKS_COUNT.search(question.text):
        return False
    plural = noun[1] in words_of("values", "plurals") or (noun[1][-1] == "s" != noun[1][-2])
    named = noun[1] not in STOPWORDS | words_of("values", "of_anything") and (plural or quantity.value == 1)
    return named and concepts_of(noun[1]).isdisjoint(content(f"{question.text} {question.unit}"))


def _in_names(text: str, question: Question) -> list[Candidate]:
    """The gold as part of a name or a rank ("Highway 61", "the 5th"): it counts when nothing else does."""
    golds = [each for each in question.answers if each in text and each.isdecimal() and not question.unit]
    asked = raw_words(question.text) if golds else []
    return [
        Candidate(hit.start(), hit.end(), "match", hit[0], loose=True)
        for gold in golds
        for hit in re.finditer(rf"(?<![\w.,-]){gold}(?:st|nd|rd|th)?(?!\w|[.,-]\d)", text)
        if hit[0] not in asked
    ]


def family_of(unit: str) -> str:
    """Kind of value that a unit makes: duration, money, percent or plain."""
    return "duration" if is_duration(unit) else "money" if is_currency(unit) else unit or "plain"


def in_range(text: str, quantity: Quantity) -> bool:
    """Whether an amount is one end of a range ("three to five"), not of a movement ("from 3 to 5")."""
    before = text[max(0, quantity.start - 60) : quantity.start]
    if not quantity.range or _YEAR_LABEL.search(before):
        return False
    low = quantity.range == "low"
    joint = _JOINT_AFTER.match(text, quantity.end) if low else _JOINT_BEFORE.search(before)
    moved = joint and joint[1].isalpha() and _MOVED.search(text, 0, quantity.start)
    return joint is not None and not moved


def _signed(text: str, question: Question) -> list[Quantity]:
    """The amounts of a sentence: a loss is negative, and money that went out is not."""
    signs = _EITHER_SIGN.sub(lambda found: " " * len(found[0]), text)
    asked = _PARENTHESES.sub("", question.text)
    negative = [gold.startswith("-") for gold in question.answers]
    # Where a decline is asked for, the sign says nothing: a loss of "$0.47" is one of "$(0.47)".
    if _ASKS_DROP.search(asked) and len(set(negative)) == 1:
        sign = -1 if negative[0] else 1
        return [replace(amount, value=sign * abs(amount.value)) for amount in find_quantities(text)]
    # A row subtracts what it puts in brackets, where the gold is no loss.
    row = "|" in text and not any(negative)
    paid = row or _OUTFLOW.search(question.text) is not None
    losing = _LOSS.search(asked) is None
    fell = bool(negative) and all(negative)
    found = []
    for each in find_quantities(text):
        lost = losing and each.value > 0 and _LOSS.search(signs, max(0, each.start - 40), each.end)
        lost = lost or (fell and each.value > 0 and _DOWN.search(text, max(0, each.start - 40), each.end))
        bracketed = paid and each.value < 0 and text[each.start : each.end].lstrip("$€£ ").startswith("(")
        found.append(replace(each, value=-each.value) if lost or bracketed else each)
    return found


def _in_unit_asked(quantity: Quantity, written: str, question: Question) -> Quantity:
    """Take "56 years" as the bare 56 of the gold where the question asks for years; 1.4% as .014."""
    family = family_of(quantity.unit)
    glued = None if quantity.unit else _MILLIONS.search(written)
    # "10mm" is ten millions beside money, and ten millimetres beside lengths.
    if glued and in_base(Decimal(1), read_unit(question.unit).unit)[1] == "metres":
        unit = "millimetres" if glued[0] == "mm" else "metres"
        return replace(quantity, value=quantity.value / 1_000_000, unit=unit)
    if question.unit or family == "plain":
        return quantity
    if family == "percent" and all(each.lstrip("-").startswith(("0.", ".")) for each in question.answers):
        return replace(quantity, value=quantity.value / 100, unit="")
    asked = family not in _ASKS or _ASKS[family].search(question.text)
    return replace(quantity, unit="") if asked else quantity


def _compare(quantity: Quantity, question: Question) -> tuple[Relation | Literal["foreign"], bool, str]:
    """How an amount compares, whether its scale is the question's, and the distractor that it equals."""
    compared = [compare_quantity(gold, question.unit, quantity) for gold in question.answers]
    if matches := [implied for relation, implied in compared if relation == "match"]:
        return "match", matches[0], ""
    foreign = all(relation == "other_unit" for relation, _ in compared)
    if not compared:
        same = not (question.unit and quantity.unit)
        foreign = not same and compare_quantity("1", question.unit, quantity)[0] == "other_unit"
    if not foreign and any(_is_coarse(gold, question.unit, quantity) for gold in question.answers):
        return "imprecise", False, ""
    world = (compare_quantity(value, question.unit, quantity) for value in question.world_answers)
    if any(relation == "match" for relation, _ in world):
        return "world", False, ""
    for distractor in question.distractors:
        if compare_quantity(distractor.value, question.unit, quantity)[0] == "match":
            return "distractor", False, distractor.value
    return ("foreign" if foreign else "mismatch"), False, ""


def _is_near(gold: str, unit: str, quantity: Quantity) -> bool:
    """Whether an amount is within half a percent of the gold, or within its last decimal."""
    try:
        wanted = Decimal(gold.replace(",", ""))
    except ArithmeticError:
        return False
    exponent = wanted.as_tuple().exponent
    step = Decimal(1).scaleb(exponent) if isinstance(exponent, int) and exponent < 0 else Decimal(0)
    return abs(quantity.value / read_unit(unit).factor - wanted) <= max(step, _NEAR * abs(wanted))


def _is_coarse(gold: str, unit: str, quantity: Quantity) -> bool:
    """Whether a value is the gold rounded further than the tolerance allows ("about 400" for 391)."""
    measure = read_unit(unit)
    try:
        wanted = Decimal(gold.replace(",", "")) * measure.factor
    except ArithmeticError:
        return False
    if not wanted or not quantity.value or quantity.significant > 2 or is_duration(measure.unit):
        return False
    if not (quantity.approximate or quantity.scaled):
        return False
    rounded = wanted.quantize(Decimal(1).scaleb(quantity.value.adjusted() - quantity.significant + 1))
    return rounded == quantity.value and abs(wanted - quantity.value) <= _COARSE * abs(wanted)


_MOST_NAMES = 40
_NAME = r"[A-ZÀ-Ý][\w&'’-]*(?:\.(?=\s+[A-Z]))?(?:\s+(?:of\s+(?:the\s+)?)?[A-ZÀ-Ý][\w&'’-]*\.?)*"
_LEAD = rf"(?i:(?:{phrases('values', 'before_a_name')}\s+){{0,6}})"
_JOINT = r"(?P<joint>\band/or\b|\bor\b|\band\b|/|\bas\s+well\s+as\b|\bjointly\s+with\b)"
_AFTER = regex(rf"(?:\s+laws?|\s+courts?)?\s*,?\s*[(]?{_JOINT}\s*{_LEAD}(?P<name>{_NAME})")
_RELATIVE = phrases("values", "relatives")
_POSSESSED = regex(rf"(?:(?<=s)['’]?|['’]s?)\s+(?:\w+\s+)?{_RELATIVE}\b", re.IGNORECASE)
_OF_WHOM = regex(
    rf"\b(?:{_RELATIVE}\s+(?:of|to)|{phrases('values', 'succeeds')})\s+(?:(?:the|mr\.?|ms\.?|director)\s+)?$",
    re.IGNORECASE,
)
_DOES_NOT = r"(?:does|do|did|is|was|are|were|has|have|will|shall)(?:\s+not|n['’]t)"
_RELATION_WORD = regex(rf"\b(?:{_RELATIVE}|succe\w+|replac\w+|follow\w*|took\s+over)\b", re.IGNORECASE)
_DENIED_AFTER = regex(rf"(?:\s+[a-z]+){{0,3}}?\s+{_DOES_NOT}\b(?P<rest>[^,;.]*)")
REACH = 160  # so far from a name a second one is looked for, so that endless lists stay cheap


def find_names(text: str, question: Question) -> list[Candidate]:
    """Golds and distractors that a sentence names, and amounts of the golds' kind, in order."""
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
    if found and not kinds:
        _look_beside(text, found, gold, question)
    alike = (amount for amount in amounts if family_of(amount.unit) in kinds and not amount.year)
    _put(found, text, "mismatch", alike)
    return sorted(found, key=lambda each: each.start)


def _put(
    found: list[Candidate],
    text: str,
    relation: Relation,
    places: Iterable[AliasHit | Quantity],
    equals: str = "",
) -> None:
    """Add values unless better ones cover their places."""
    taken = list(found)
    found += (
        Candidate(each.start, each.end, relation, text[each.start : each.end], equals)
        for each in places
        if all(each.start >= other.end or each.end <= other.start for other in taken)
    )


def _look_beside(text: str, found: Sequence[Candidate], gold: Sequence[str], question: Question) -> None:
    words = frozenset(word for each in gold for word in raw_words(each))
    asked = concepts_of(question.text)
    for candidate in found[:_MOST_NAMES]:
        place = (text, candidate.start, candidate.end)
        candidate.related = _is_relation_only(*place, question.text)
        if candidate.relation == "match":
            candidate.rival, candidate.either = _rival_of(*place, words, question.text)
            denied = _DENIED_AFTER.match(text, candidate.end)
            candidate.negated = denied is not None and concepts_of(denied["rest"]) <= asked
            if _is_namesake(text[: candidate.start], candidate.written, gold):
                candidate.relation = "mismatch"


def _rival_of(text: str, start: int, end: int, gold: frozenset[str], question: str) -> tuple[str, bool]:
    """Second name joined to the one at ``start:end``, and whether by "or"; another form of a gold is none."""
    if not any(letter.isupper() for letter in text[start:end]) or "respectively" in text:
        return "", False
    match = _AFTER.match(text, end, end + REACH)
    words = [word.strip(".'’").removesuffix("'s") for word in raw_words(match["name"])] if match else []
    named = [word for word in words if word not in words_of("values", "no_name") and len(word) > 1]
    if not match or gold.issuperset(named) or concepts_of(" ".join(named)) <= concepts_of(question):
        return "", False
    return match["name"], match["joint"] in ("or", "and/or", "/")


def _is_relation_only(text: str, start: int, end: int, question: str) -> bool:
    """Whether a name only says whose deputy, parent or successor the answer is."""
    bare = re.sub(r"['’]s?$", "", text[start:end])
    related = _POSSESSED.match(text, start + len(bare)) or _OF_WHOM.search(text, max(0, start - 60), start)
    return related is not None and not _RELATION_WORD.search(question)


def _is_namesake(before: str, written: str, gold: Sequence[str]) -> bool:
    """Whether a short form has another first word than the long one ("House", not "Senate")."""
    word = "".join(before.split()[-1:])
    longer = [each for each in gold if each.casefold().endswith(f" {written.casefold()}")]
    named = word.istitle() and word.isalpha() and word.casefold() not in STOPWORDS
    return named and bool(longer) and not any(word in each for each in longer)
