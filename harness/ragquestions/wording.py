"""Natural questions about the figures and dates of plain statements, made without a model.

Only shapes whose question is certain to be grammatical are used; everything else is passed over:

    SSA obligated $612 million for benefits in 2024.     How much did SSA obligate for benefits in 2024?
    The office employed 57 inspectors in 2020.           How many inspectors did the office employ in 2020?
    About 14 percent of the staff retired in 2024.       What percentage of the staff retired in 2024?
    The total cost of the repair was $5 million.         What was the total cost of the repair?
    The Road Fund was established in 1994.               When was the Road Fund established?
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator

from ragharness.language.dates import DateMention, find_dates, iso
from ragharness.language.numbers import Quantity, find_quantities
from ragharness.language.tables import regex
from ragharness.language.units import is_currency, is_duration
from ragquestions.grammar import (
    CLAUSE,
    HEDGE,
    SECOND_VERB,
    Asked,
    PlainStatement,
    Precision,
    Verb,
    base_of_past,
    by_author,
    clean,
    first_predicate,
    is_bare,
    is_participle,
    is_rest,
    is_subject,
    joined,
    lowered,
    order,
    statement,
)

_CAPITAL = regex(r"(?<=[a-z,] )[A-Z][a-z]+\b")
_SMALL = regex(r"(?<=[a-z,] )[a-z]+\b")
_FIGURE = regex(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|fifty|"
    r"sixty|seventy|eighty|ninety|hundred)\b"
)


def common_words(text: str) -> Callable[[str], bool]:
    """What says of a word, in lower case, that a document mostly writes it so inside sentences."""
    capital = Counter(found.lower() for found in _CAPITAL.findall(text))
    small = Counter(_SMALL.findall(text))
    return lambda word: small[word] > 2 * capital[word]


def ask(sentence: str, known_lower: Callable[[str], bool] = str.islower, *, author: str = "") -> list[Asked]:
    """Questions that a sentence answers.

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
    return [
        each
        for each in asked
        if not is_bare(each.question)
        if each.precision not in {"year", "month"} or each.answer[:4] not in each.question
    ]


_PASSIVE = regex(
    r"(?P<subject>.+?)\s+(?P<be>was|were)\s+(?:first\s+|originally\s+|initially\s+)?(?P<verb>[a-z]+)(?P<middle>(?:\s+\S+){0,8}?)\s+(?:in|on)\s+$"
)
_ACTIVE = regex(
    r"(?P<subject>.+?)\s+(?:first\s+)?(?P<verb>[a-z]+)(?P<middle>(?:\s+\S+){1,10}?)\s+(?:in|on)\s+$"
)
_LED = regex(
    r"(?P<subject>(?:\S+\s+){0,11}?\S+)\s+(?:(?P<be>was|were)\s+)?(?P<verb>[a-z]+)(?P<rest>(?:,?\s[\w.'’&/-]+){1,22})$"
)
_SAYING = regex(r"\b(?:that|which|who)\b")
_AND_VERB = regex(
    r",|\band\s+(?:\w+ly\s+)?(?:\w+ed|was|were|is|are|has|had|made|took|began|gave)\b|\b(?:but|while|because|although)\b"
)
_FRONT_DATE = regex(r"(?:in|on)\s+[A-Z0-9][\w ,.]*")
_AFTER_DATE = regex(r"(?:\s+(?:by|under|as|to|through|with|at|for)\s[^;]+)?")
_NAME_WITH_YEAR = regex(
    r"(?<=Act of )\d{4}|(?<=Act, )\d{4}|(?<=Amendments of )\d{4}|(?<=Plan of )\d{4}|(?<=Year )\d{4}|(?<=FY)\d{4}|(?<=fiscal year )\d{4}"
    r"|(?<=[Tt]he )\d{4}(?=\s[A-Za-z]+)"
)  # years that are part of a name
_ODD_MIDDLE = regex(
    r"\b(?:about|approximately|roughly|nearly|estimated|in|average|twice|\w+ly)\b|[$%,]|\bpercent\b|\d\s"
)
_LASTING = frozenset(
    "have be remain average need consist total contain represent account include increase decrease decline fall grow rise cost vary range own use employ receive".split()  # noqa: SIM905
)  # verbs of states and of whole years: nobody asks when they happened


def dates(said: PlainStatement, lower: Callable[[str], bool]) -> Iterator[tuple[str, DateMention]]:
    """Yield questions with the dates that answer them."""
    if said.when:
        found = _dates_in(said.when)
        other = find_dates(without_named_years(said.text))
        fits = _FRONT_DATE.fullmatch(said.when) and len(found) == 1 and not other
        if fits and (question := joined(_when_led(said.text, lower), said._replace(when=""))):
            yield question, found[0]
        return
    text = without_named_years(said.text)
    found = _dates_in(text)
    if len(found) != 1 or len(find_dates(text)) != 1:
        return
    before, after = said.text[: found[0].start], said.text[found[0].end :]
    fits = _AFTER_DATE.fullmatch(after) and is_rest(after)
    if fits and (question := joined(_when(before, after, lower), said)):
        yield question, found[0]


def precision(date: DateMention) -> Precision:
    """How precise a date was written."""
    return "day" if date.day else "month" if date.month else "year"


def without_named_years(text: str) -> str:
    """Text of the same length in which the years of names are no years: "the Act of xxxx"."""
    return _NAME_WITH_YEAR.sub("xxxx", text)


def _dates_in(text: str) -> list[DateMention]:
    dates = (date for date in find_dates(text) if date.year)
    return [date for date in dates if not (date.fiscal or date.quarter or date.ambiguous)]


def _when_led(text: str, lower: Callable[[str], bool]) -> str:
    """Word "In 1994, X established Y ...": all behind the verb may stay as it is."""
    found = _LED.match(text)
    if not found or not is_subject(found["subject"]) or _ODD_MIDDLE.search(found["rest"]):
        return ""
    if SECOND_VERB.search(_SAYING.split(found["rest"], maxsplit=1)[0]):
        return ""
    subject = lowered(found["subject"], lower)
    if found["be"]:
        fits = _is_passive(found["verb"]) and not _AND_VERB.search(found["rest"])
        return f"When {found['be']} {subject} {found['verb']}{found['rest']}" if fits else ""
    base = base_of_past(found["verb"])
    asks = base and base not in _LASTING and not _AND_VERB.search(found["rest"])
    return f"When did {subject} {base}{found['rest']}" if asks else ""


def _when(before: str, after: str, lower: Callable[[str], bool]) -> str:
    if passive := _PASSIVE.fullmatch(before):
        middle = passive["middle"]
        fits = _is_passive(passive["verb"]) and is_subject(passive["subject"]) and not _second_thought(middle)
        subject = lowered(passive["subject"], lower)
        return f"When {passive['be']} {subject} {passive['verb']}{middle}{after}" if fits else ""
    active = _ACTIVE.fullmatch(before)
    if active and is_subject(active["subject"]) and not _second_thought(active["middle"]):
        base = base_of_past(active["verb"])
        if base and base not in _LASTING:
            return f"When did {lowered(active['subject'], lower)} {base}{active['middle']}{after}"
    return ""


def _is_passive(word: str) -> bool:
    return is_participle(word) or (word.endswith("ed") and len(word) > len("seed"))


def _second_thought(words: str) -> bool:
    return bool(SECOND_VERB.search(words) or CLAUSE.search(words) or _ODD_MIDDLE.search(words))


_BOUND = regex(
    r"\b(?:at\s+least|at\s+most|up\s+to|more\s+than|less\s+than|fewer\s+than|over|under|above|below|exceed\w*|as\s+(?:many|much|few|little|low|high)\s+as|or\s+(?:more|less|fewer|lower|higher|greater|above)|between|ranging|minimum|maximum|each|every|per)\b",
    re.IGNORECASE,
)  # a bound or a figure that holds for each of many is no single right answer
_OR_MORE = regex(
    r"\s+or\s+(?:more|less|fewer|lower|higher|greater|above|below)\b|\s+(?:each|every|per|apiece)\b|-"
)
_FRONT = regex(rf"{HEDGE}$", re.IGNORECASE)
_VERB_BEFORE = regex(
    rf"(?P<subject>.+?)\s+(?:(?P<helper>(?:would|will)\s+have|has|have|had|will|would|is|are|was|were)\s+)?(?:(?P<manner>(?!only)\w+ly)\s+)?(?P<verb>[a-z]+)(?:\s+and\s+(?P<second>[a-z]+))?(?P<by>\s+(?:by|to|for|of))?\s+{HEDGE}$"
)
_BE_BEFORE = regex(rf"(?P<subject>.+?)\s+(?P<be>was|were|is|are)\s+{HEDGE}$")
_THERE_BEFORE = regex(rf"There\s+(?P<be>was|were|is|are)\s+{HEDGE}$")
_PLACED = regex(r"\s+(?:in|on|for|at|within|across|under)\s")
_NOUNS = regex(
    r"\s+(?P<nouns>(?:(?!of\b|in\b|for\b|to\b|and\b|or\b|by\b|with\b|from\b|different\b|various\b|separate\b|more\b|key\b|main\b|types\b|times\b|points\b|such\b)[A-Za-z][\w'’-]*\s+){0,4}?"
    r"(?!times\b|points\b|ways\b|degrees\b|types\b|kinds\b|categories\b|is\b|was\b|has\b|this\b|as\b|its\b|years\b|months\b|days\b|weeks\b|hours\b|minutes\b|barrels\b|gallons\b|tons\b|miles\b|acres\b|feet\b|gigawatts\b|megawatts\b|percentage\b)[a-z][\w'’-]*(?:(?<!s)s|people|men|women|children|staff|personnel))(?P<rest>(?:\s.*)?)$"
)
_OF = regex(r"\s+of\s+(?P<rest>.+)$")
_OUT_OF = regex(r"\s+(?:out\s+)?of\s+(?:the\s+)?(?P<all>\d+|[a-z]+)(?P<rest>\s+.+)$")
_FINITE = regex(
    r"\s(?:was|were|is|are|had|has|have|will|would|can|could|may|did|do|does|made|took|gave|held|came|went|left|spent|paid|met|ran|rose|fell|grew|lost|kept|sent|won|led|said|told|\w{2,}ed)\b"
)
_MONEY_VERB = regex(r"\s+(?:was|were|is|has been|had been|will be|would be)\s+[a-z]+ed\b")
_COUNTED = regex(r"(?:The|the)\s+(?:\w+\s+){0,2}(?:number|count|total)\b")
_ASKABLE = regex(
    r"(?:The|the)\s+(?:[\w’'-]+\s+){0,4}(?:number|count|total|amount|cost|costs|value|rate|share|percentage|budget|funding|price|limit|level|average|median|estimate|appropriation|request|deficit|debt|population|threshold|ceiling|balance|revenue|spending|size)\b|.*\b(?:appropriations?|outlays|receipts|obligations|expenditures|spending|revenues?|costs?|budget|funding|rate|exports|imports|debt|deficit|population|enrollment|employment|production|consumption|price|income|holdings|capacity|share)\b"
)  # subjects whose figure "What was ...?" asks for
_MOVING = frozenset(
    "increase increased increases decrease decreased decreases decline declined declines fall fell grow grew rise rose reduce reduced reduces".split()  # noqa: SIM905
)
_SHARE = regex(
    r"\s+of\s+(?P<whole>(?:the\s+|all\s+)?(?:[\w'’.-]+\s+){0,4}?[\w'’-]+)(?P<rest>(?:\s+(?:in|for|from|during|by|at|to|on)\s.*)?)$"
)
_ODD_REST = regex(
    r"^\s+(?:of|that|which|who|and|or|as(?!\s+of)|per|each|more|fewer|less|including|\w+ing|\w+ed)\b"
)
_MILLION = 1_000_000
# Words that "employ" says once more.
_EMPLOYED = frozenset({"How many employees", "How many staff", "How many personnel", "How many workers"})
_TOTALS = {"totaled": "total", "totalled": "total", "cost": "cost", "averaged": "average"}


def figures(said: PlainStatement, lower: Callable[[str], bool]) -> Iterator[tuple[str, Quantity]]:
    """Yield questions with the amounts that answer them."""
    amounts = [each for each in find_quantities(said.text) if not each.year]
    for amount in amounts:
        counted = amount.value == amount.value.to_integral_value() and amount.value > 1
        fits = amount.value > 0 and (amount.unit or counted) and not is_duration(amount.unit)
        bound = _BOUND.search(said.text[: amount.start]) or _OR_MORE.match(said.text[amount.end :])
        if not fits or bound or amount.bound or amount.range:
            continue
        same = [each for each in amounts if each.unit == amount.unit and (amount.unit or each.value > 1)]
        asked = _about(said, amount, lower) if len(same) == 1 else _of_all(said, amounts, amount)
        if asked and said.text[amount.start : amount.end] not in asked:
            yield asked, amount


def plain(amount: Quantity) -> str:
    """Amount as a question keeps it; large sums in millions."""
    value = amount.value.normalize()
    if is_currency(amount.unit) and abs(value) >= _MILLION:
        value = (value / _MILLION).normalize()
    return f"{value:f}"


def unit(amount: Quantity) -> str:
    """Unit that belongs to ``plain``."""
    if is_currency(amount.unit) and abs(amount.value) >= _MILLION:
        return f"{amount.unit} million"
    return amount.unit


def _of_all(said: PlainStatement, amounts: list[Quantity], amount: Quantity) -> str:
    """Word "12 of the 17 recipients said ...": the first figure is asked for."""
    if amount is not amounts[0] or amount.unit or len([each for each in amounts if not each.unit]) != 2:
        return ""
    if not _FRONT.fullmatch(said.text[: amount.start]):
        return ""
    of = _OUT_OF.fullmatch(said.text[amount.end :])
    second = amounts[1]
    if not of or said.text[second.start : second.end] != of["all"] or second.value <= amount.value:
        return ""
    nouns = _NOUNS.fullmatch(of["rest"])
    fits = nouns and _plain_predicate(nouns["rest"])
    return joined(f"How many of the {of['all']}{of['rest']}", said) if fits else ""


def _plain_predicate(words: str) -> bool:
    """Whether words begin with their verb and hold nothing that a question could not."""
    return bool(_FINITE.match(words)) and "," not in words and not _ODD_REST.match(words)


def _about(said: PlainStatement, amount: Quantity, lower: Callable[[str], bool]) -> str:
    before, after = said.text[: amount.start], said.text[amount.end :]
    if _FRONT.fullmatch(before):
        return _as_subject(said, amount, after)
    if there := _THERE_BEFORE.fullmatch(before):
        nouns = _NOUNS.fullmatch(after) if not amount.unit else None
        if not nouns or not is_rest(nouns["rest"]) or not _PLACED.match(nouns["rest"]):
            return ""
        return joined(f"How many {nouns['nouns']} {there['be']} there{nouns['rest']}", said)
    be = _BE_BEFORE.fullmatch(before)
    if be and is_subject(be["subject"]):
        measured = (_ASKABLE if amount.unit else _COUNTED).match(be["subject"])
        if not measured or not is_rest(after) or _ODD_REST.match(after):
            return ""
        return joined(f"What {be['be']} {lowered(be['subject'], lower)}{after}", said)
    return _as_object(said, amount, before, after, lower)


def _as_subject(said: PlainStatement, amount: Quantity, after: str) -> str:
    """The figure begins the statement: only its own words change."""
    if not _FINITE.search(after) or "," in after:
        return ""
    if amount.unit == "percent":
        of = _OF.fullmatch(after)
        return joined(f"What percentage of {of['rest']}", said) if of else ""
    if is_currency(amount.unit):
        fits = _MONEY_VERB.match(after) and not CLAUSE.search(after)
        return joined(f"How much{after}", said) if fits else ""
    if amount.unit:
        return ""
    of = _OF.fullmatch(after)
    if of and of["rest"].startswith("the "):
        return joined(f"How many of {of['rest']}", said)
    nouns = _NOUNS.fullmatch(after)
    return joined(f"How many{after}", said) if nouns and _plain_predicate(nouns["rest"]) else ""


def _as_object(
    said: PlainStatement, amount: Quantity, before: str, after: str, lower: Callable[[str], bool]
) -> str:
    found = _VERB_BEFORE.fullmatch(before)
    after = first_predicate(after)
    if not found or not is_subject(found["subject"]) or not is_rest(after):
        return ""
    subject = lowered(found["subject"], lower)
    if found["verb"] in _TOTALS and not found["helper"] and not found["by"] and not found["second"]:
        if not is_currency(amount.unit) or _ODD_REST.match(after):
            return ""
        return joined(f"How much did {subject} {_TOTALS[found['verb']]}{after}", said)
    asked, rest = _slot(amount, after)
    if asked in _EMPLOYED and found["verb"].startswith("employ"):
        asked = "How many people"
    by = (found["by"] or "").strip()
    if by:
        asked, rest = _led_by(by, found["verb"], asked, amount, rest)
    ordered = order(Verb(found["helper"] or "", found["verb"], found["second"] or ""), subject)
    if not asked or not ordered or _ODD_REST.match(rest):
        return ""
    if found["manner"]:
        ordered = f"{ordered.rpartition(' ')[0]} {found['manner']} {ordered.rpartition(' ')[2]}"
    tail = f" {by}" if by in {"for", "of"} else ""
    return joined(f"{asked} {ordered}{tail}{rest}", said)


def _slot(amount: Quantity, after: str) -> tuple[str, str]:
    """Words that ask for the amount, and what follows them behind the verb."""
    if is_currency(amount.unit):
        return "How much", after
    if amount.unit == "percent":
        of = _SHARE.fullmatch(after)
        return (f"What percentage of {of['whole']}", of["rest"]) if of else ("", "")
    nouns = _NOUNS.fullmatch(after) if not amount.unit else None
    return (f"How many {nouns['nouns']}", nouns["rest"]) if nouns else ("", "")


def _led_by(by: str, verb: str, asked: str, amount: Quantity, rest: str) -> tuple[str, str]:
    """Word "increased by 14 percent" and "accounted for 14 percent of sales"; anything else is passed over."""
    percent = amount.unit == "percent"
    fits = {
        "for": verb in {"account", "accounted", "accounts"} and percent,
        "of": verb in {"consist", "consists", "consisted"} and not amount.unit,
        "by": verb in _MOVING and (percent or is_currency(amount.unit)),
    }
    if not fits.get(by):
        return "", ""
    return (f"By what {'percentage' if percent else 'amount'}" if by == "by" else asked), rest
