"""Cloze questions: statements with one figure or date left out.

They need no grammar of their own, so that far more statements can be asked about than can be turned into a
question. The statement is quoted, so that nothing else can be meant; what stands in the gap must not follow
from the rest of it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from ragharness.language.dates import DateMention, find_dates, iso
from ragharness.language.numbers import Quantity, find_quantities
from ragharness.language.tables import phrases
from ragharness.language.units import is_currency, is_duration
from ragharness.language.words import words
from ragharness.questions.questionset import GAP
from ragquestions.folder.facts import Fact
from ragquestions.grammar import Asked, clean, is_bare, is_known
from ragquestions.wording import plain, precision, unit

SHORTEST, LONGEST = 9, 38  # words of a statement: fewer say too little of what is meant, more nobody reads
_SMALLEST = 3  # a bare count below it is a turn of phrase: "one of", "two sides"
_COMMAS = 5
_WHOLE = 100  # percent that need not be looked up
_FIGURES = 2  # figures of a statement: from more of them the one that is missing may be worked out
_ODD = re.compile(
    r" ,|,,|[|•▪●→<>{}\\^~_=`#*§†‡@]|https?:|www\.|\b(?:et al|ibid|supra|infra|P\.L|U\.S\.C|C\.F\.R|Stat|Fed|Reg|vol|pp|No|Nos|ed|eds|Rept|Sec|Art|cf)\.|\.\.\.|…|\b(\w+)\s+\1\b|\.[A-Za-z]|[a-z]\.\s[A-Z]|[a-z]%"
)  # what plain running text does not have: notes, references, a table's rules, two sentences in one
_PARTED = re.compile(r"[\"“”?;:!()\[\]—–]|\s-\s|\s\d{1,2}\.\d{1,2}\.?\s+[A-Z]")  # what is not quoted
_NUMBER = re.compile(r"(?:\d{1,2}(?:\.\d{1,3}){1,8}\.?|\d{1,2}\.|\(?[a-z0-9]{1,3}\))\s+(?=[A-Z])")
"""The number of a section."""
_GLUED = re.compile(r"\w\(\w")  # an aside that is part of a name: "401(k)"
_POINTING = re.compile(
    r"(?:thereafter|it|its|they|their|them|he|she|his|her|this(?!\s+(?:agreement|letter|contract|report|document|policy)\b)|these|those|that|such|both|another|other|others|some|also|so|then|there(?!\s+(?:is|are|was|were)\b)|here|see|and|or|but|which|who|source|note|table|figure|exhibit|chart|(?:since|until|by)\s+then|the\s+(?:former|latter|following|above|same|first|second|third|other|remaining|rest|latter|two|three|four|five))\b",
    re.IGNORECASE,
)  # a beginning that only the sentence before it explains
_POINTING_LATER = re.compile(r"[^,]{3,60},\s+(?:it|they|he|she|this|these|those|such)\b")
# What a contract or a filing says of itself: nobody asks which one.
_NAMED_THING = re.compile(r"\b[Tt]he [A-Z]\w+|\b(?:the|this) [Aa]greement\b")
_VAGUE = re.compile(
    r"^(?:The|Both|All|An?) [a-z][\w-]*(?: [a-z][\w-]*)?,? (?:is|was|were|are|has|have|had|will|would|must|shall|may|can|could|should|[a-z]+ed)\b"
    r"|\b(?:that|same|another|other|such)\s(?!the\b|of\b)[a-z]+(?= (?:is|was|were|are|has|have|had|will)\b)|[a-z] (?:There|The|We|In|It|As|For|On|These|If)\s[a-z]|\b[Bb]oth\b|\b(?:[Uu]sing|[Uu]nder|[Bb]y|of|for|[Ww]ith|to) (?:that|those|such) [a-z]"
)  # a subject of which another sentence says which one it is, or a heading that the sentence has swallowed
_TITLE = re.compile(r"\b(?:Ms|Mr|Mrs|Dr|Inc|Ltd|Co|Corp|Jr|St|vs?)\.$")  # no end: an abbreviation

_INSIDE = re.compile(
    r"\b(?:this|these|those)\s+(?!agreement|report|letter|contract|document|policy|plan\b)\w+|\b(?:above|below|aforesaid|respectively|previously|aforementioned|as\s+follows|footnote|appendix|page|pages)\b|\b(?:that|such|the\s+same)\s+(?:year|date|time|period|amount|month|day)\b",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|will|would|shall|may|must|can|could|does|do|did|became|fell|rose|grew|made|took|gave|held|spent|paid|met|ran|lost|kept|sent|won|led|includes?|remains?|represents?|requires?|provides?|contains?|consists?|employs?|operates?|owns?|equals?|totals?|expires?)\b"
)
_CONNECTIVE = re.compile(
    r"(?:However|Moreover|In addition|Additionally|Further|Furthermore|For example|For instance|Specifically|In particular|Overall|Similarly|In total|Notably|Meanwhile|Consequently|Therefore|Thus|Accordingly|In fact|Finally),\s+"
)
_LABEL = re.compile(
    r"(?:\b(?:section|sections|level|class|form|phase|stage|step|title|chapter|part|article|table|figure|item|note|page|paragraph|clause|appendix|exhibit|schedule|version|type|tier|grade|group|series|rule|room|suite|floor|box|line|number|no|nos|category|act|day|top|age|ages|aged|division|volume|issue|act\s+of|amendments\s+of|in\s+the|of\s+the|the|a|an|each|every|per|least|most|only)\.?|[A-Z][\w.&'’-]*|[^\w\s,])\s*$",
    re.IGNORECASE,
)  # what stands before a figure that is the name of something, or a figure that many share
_LABEL_CASED = re.compile(r"(?:^|\s)[A-Z][\w.&'’-]*\s+$")
_COUNTED = re.compile(
    r"\s(?!of\b|or\b|and\b|to\b|in\b|percent|times\b|points?\b|st\b|nd\b|rd\b|th\b)[a-z][a-z'’-]+"
)
# Of money or of beef no rule can say; points are asked for as such, not as a percentage.
_DOUBTFUL = re.compile(r"[\w.,-]+ (?:pounds?|basis|percentage points?)\b", re.IGNORECASE)

_PART_OF = re.compile(r"\b(?:half|thirds?|quarters?|fourths?|fifths?|tenths?)\s+of\s+$", re.IGNORECASE)
_MANY = re.compile(
    r"\b(?:each|every|per|least|most|than|or\s+(?:more|less|fewer)|annually|apiece)\b", re.IGNORECASE
)
_WHEN = re.compile(
    r"\b(?:in|on|since|by|until|during|from|before|after|through|dated|effective|as\s+of|ended|ending)\s+$",
    re.IGNORECASE,
)
_AFTER_DATE = re.compile(
    r"(?:$|,|\.|\s(?:by|to|and|for|with|the|as|at|in|from|under|through|when|after|because|but|that|which|while|is|are|was|were|has|had|have|will|a|an|of|on)\b)"
)
_BEFORE_YEAR = re.compile(
    r"\b(?:Act|Amendments|Code|Plan|Law|Regulations?|Order|Resolution|Bill|Agreement|FY|fiscal\s+year|year|fiscal)\b,?\s*(?:of\s*)?$"
)

_KINDS = {"year": "Which year", "month": "Which month and year", "day": "Which date"}


def cloze(sentence: str) -> Asked | None:
    """Question for the one figure or date of a statement that can be left out of it, or None.

    Money, shares and periods of time come before dates, dates before bare counts.
    """
    if not (said := _plain(sentence)) or not _is_quotable(said):
        return None
    amounts = [each for each in find_quantities(said) if not each.year]
    dates = [each for each in find_dates(said) if each.year]
    for amount in sorted(amounts, key=lambda each: not each.unit):
        if len(amounts) <= _FIGURES and amount.unit and _asks_amount(said, amount, amounts):
            return _with_gap(said, amount, _word(amount), Asked("", "number", plain(amount), unit(amount)))
    if len(dates) == 1 and _asks_date(said, dates[0]):
        exact = precision(dates[0])
        return _with_gap(said, dates[0], _KINDS[exact], Asked("", "date", iso(dates[0]), "", exact))
    if len(amounts) == 1 and not amounts[0].unit and _asks_count(said, amounts[0]):
        return _with_gap(said, amounts[0], "Which number", Asked("", "number", plain(amounts[0])))
    return None


def _plain(sentence: str) -> str:
    """Sentence on one line without its stop and what leads to it; empty where it is no running text."""
    if sentence[:1].islower() or _GLUED.search(sentence) or _TITLE.search(sentence):
        return ""
    said = _CONNECTIVE.sub("", _NUMBER.sub("", clean(sentence), count=1), count=1)
    said = said[:1].upper() + said[1:]
    if not said.endswith((".", ";")) or not said[0].isalpha() or _ODD.search(said):
        return ""
    has_verb = _VERB.search(said) or any(map(is_known, said.split()[1:]))
    return said[:-1] if has_verb else ""


def _is_quotable(said: str) -> bool:
    """Whether a sentence is short and plain enough to be quoted as a whole."""
    fits = SHORTEST <= len(said.split()) <= LONGEST and said.count(",") <= _COMMAS
    clear = fits and not (_PARTED.search(said) or _POINTING.match(said) or _INSIDE.search(said))
    named = _NAMED_THING.sub("X", said)
    return clear and not (_POINTING_LATER.match(said) or _VAGUE.search(named) or is_bare(named))


def _asks_amount(said: str, amount: Quantity, amounts: list[Quantity]) -> bool:
    same = [each for each in amounts if each.unit == amount.unit or each.value == amount.value]
    return (
        len(same) == 1
        and not amount.range
        and amount.value > 0
        and not (amount.unit == "percent" and amount.value == _WHOLE)
        and not _DOUBTFUL.match(said[amount.start :])
        and _free(said, amount.start, amount.end)
        and not _MANY.search(said[max(0, amount.start - 24) : amount.start])
        and not _PART_OF.search(said[: amount.start])
        and not re.match(r"\s(?:or\s+(?:more|less|fewer|greater)|points?\b)", said[amount.end :])
    )


def _asks_count(said: str, amount: Quantity) -> bool:
    return (
        not (amount.bound or amount.range)
        and not said[: amount.start].rstrip().endswith(",")
        and amount.value == amount.value.to_integral_value()
        and amount.value >= _SMALLEST
        and _free(said, amount.start, amount.end)
        and not _MANY.search(said)
        and not _LABEL.search(said[: amount.start])
        and not _LABEL_CASED.search(said[: amount.start])
        and _COUNTED.match(said[amount.end :]) is not None
    )


def _asks_date(said: str, date: DateMention) -> bool:
    before = said[: date.start]
    return (
        not (date.fiscal or date.quarter or date.ambiguous or _BEFORE_YEAR.search(before))
        and _free(said, date.start, date.end)
        and _AFTER_DATE.match(said[date.end :]) is not None
        and _WHEN.search(before) is not None
    )


def _free(said: str, start: int, end: int) -> bool:
    """Whether a mention stands by itself, not inside a word, a range or a name."""
    return (start == 0 or said[start - 1] == " ") and (end == len(said) or said[end] in " ,.")


def _word(amount: Quantity) -> str:
    if is_currency(amount.unit):
        return "Which amount of money"
    if amount.unit == "percent":
        return "Which percentage"
    return "Which period of time" if is_duration(amount.unit) else "Which figure"


def _with_gap(said: str, gap: Quantity | DateMention, which: str, asked: Asked) -> Asked:
    """Question for what is left of a statement without the mention."""
    left = f"{said[: gap.start]}{GAP}{said[gap.end :]}"
    return asked._replace(question=f"{which} completes the statement “{left}”?", left=left)


_BAR = " | "
_HEADER = re.compile(r"(?!(?:Yes|No|Total)\b)[A-Z][A-Za-z][\w /()-]{1,40}")
_LABELS_A_ROW = re.compile(r"[\w“-][\w .,’'()/&:=-]{2,50}")
_CELL = re.compile(r"(?=.*[A-Za-z])[\w“‘'-][\w .,’'()/&:%+-]{0,60}")
_NO_VALUE = re.compile(r"(?:yes|no|none|n/?a|not \w+|same|see\b.*|total|x)$", re.IGNORECASE)
_FEWEST, _MOST_WORDS = 3, 6
_HEADER_WORDS = 2  # a longer one is a cell: the table has no header


def rows(text: str) -> Iterator[Fact]:
    """Yield a question for each short text of a table, where no other row of the document might be meant."""
    facts = list(_short_texts(text))
    asked = Counter(fact.asked.question for fact in facts)
    yield from (fact for fact in facts if asked[fact.asked.question] == 1)


def _short_texts(text: str) -> Iterator[Fact]:
    for (_, header), *body in _tables(text):
        labels = Counter(cells[0].casefold() for _, cells in body)
        short = all(len(head.split()) <= _HEADER_WORDS for head in header[1:])
        if not short or len(set(header)) < len(header) or not all(map(_HEADER.fullmatch, header[1:])):
            continue
        if any(len(cells) != len(header) for _, cells in body):
            continue  # which column a cell stands in is not certain
        for column, head in enumerate(header[1:], start=1):
            values = Counter(cells[column].casefold() for _, cells in body)
            for start, cells in body:
                label, value = cells[0], cells[column]
                if labels[label.casefold()] == 1 and _fits(label, value, values):
                    end, marks = start + len(_BAR.join(cells)), (label.casefold(), value.casefold())
                    asked = Asked(f"What does the table list under “{head}” for “{label}”?", "text", value)
                    yield Fact(asked, start, end, f"row {head}", label, marks)


def _fits(label: str, value: str, values: Counter[str]) -> bool:
    return (
        _LABELS_A_ROW.fullmatch(label) is not None
        and _CELL.fullmatch(value) is not None
        and not _NO_VALUE.fullmatch(value)
        and len(value.split()) <= _MOST_WORDS
        and any(letter.isalpha() for letter in label)
        and frozenset(words(label)).isdisjoint(words(value))
        and values[value.casefold()] * 2 <= max(2, sum(values.values()))
    )


def _tables(text: str) -> Iterator[list[tuple[int, list[str]]]]:
    """Yield tables as rows with their places: lines one below the other whose cells are parted by bars."""
    table: list[tuple[int, list[str]]] = []
    last = -1
    for line in (*re.finditer(r"[^\n]+", text), None):
        cells = [cell.strip() for cell in line[0].split(_BAR)] if line else []
        if line is None or len(cells) < 2 or line.start() != last + 1:
            if len(table) >= _FEWEST:
                yield table
            table = []
        if line and len(cells) > 1:
            table.append((line.start(), cells))
        last = line.end() if line else last


AMOUNT = "amount"  # the form of these facts
_SCALE = re.compile(r"\((?:[a-z.]+ ){0,3}in (thousands|millions|billions)\b", re.IGNORECASE)
_IN_MILLIONS = {"thousands": Decimal("0.001"), "millions": Decimal(1), "billions": Decimal(1000)}
_YEAR = re.compile(r"(?P<fiscal>Fiscal )?(?:Year )?(?P<year>(?:19|20)\d\d)")
_DAY = re.compile(r"[A-Z][a-z]+ \d{1,2}, (?:19|20)\d\d")
_DAY_ABOVE = re.compile(r"^(?:As of |At )?(?P<day>[A-Z][a-z]+ \d{1,2}),?$", re.MULTILINE)
_ENDED = re.compile(r"\bended\b", re.IGNORECASE)
_AT = re.compile(r"\b(?:[Aa]s of|[Aa]t) [A-Z][a-z]+ \d|[Aa]s of\b")
_PART = re.compile(r"\b(?:months|quarters?|weeks|days)\b|%", re.IGNORECASE)
_FIGURE = re.compile(r"\$? ?(?P<value>\d[\d,]*(?:\.\d+)?)")
_ROW_LABEL = re.compile(r"[A-Z][a-z][A-Za-z ,’'&/-]+(?: \([a-z][a-z -]+\))?(?:, net)?")
_NOTE = re.compile(r"\s*\(\d{1,2}\)$")
_NAMED = re.compile(rf"\b{phrases('questions', 'accounts')}\b", re.IGNORECASE)
_VAGUE_LABEL = re.compile(
    r"(?:Other|Total (?:deferred|other|non-?current|net|gross|assets and|liabilities and)|Increases?|Decreases?|Charges|Balance|Additions"
    r"|Foreign|State|Federal|Current|Gross|Initial|Carrying|Amortized|Fair|Estimated)\b|.*\b(?:shares?|beginning|ending?)\b",
    re.IGNORECASE,
)  # a label that only its table explains, or that of no amount of money
_OF_TAXES = re.compile(r"gross deferred|valuation allowance|unrecognized tax|statutory", re.IGNORECASE)
"""A row of a table on taxes: its other rows are shares of an amount that bears their name."""
_CHANGES = re.compile(r"\W*(?:Net )?(?:changes? in|increases?|decreases?|deferred tax)\b", re.IGNORECASE)
"""The head of rows that are named like what they change."""
_LEAST, _MOST = 2, 9  # words of a label
_LEAD = 300  # characters above a table that say what it is in
_TABLES = 3  # tables that share their columns: what is listed once for other dates may be of somebody else


class _Row(NamedTuple):
    table: int
    label: str
    start: int
    cells: list[str]
    periods: tuple[str, ...] = ()
    factor: Decimal | None = None


def amounts_listed(text: str) -> Iterator[Fact]:
    """Yield the amounts of labels that mean one thing in all tables of a text."""
    found = list(_rows(text))
    listed: dict[str, list[_Row]] = {}
    for each in found:
        listed.setdefault(each.label.casefold(), []).append(each)
    columns = {(each.table, each.periods) for each in found}
    usual = Counter(period for _, periods in columns for period in periods)
    of_taxes = {each.table for each in found if _OF_TAXES.search(each.label)}
    seen: set[tuple[str, str]] = set()
    for row in found:
        known = row.table not in of_taxes and all(usual[each] >= _TABLES for each in row.periods if each)
        if not known or not _is_told(row):
            continue
        label = row.label.casefold()
        for period, cell in zip(row.periods, row.cells, strict=True):
            figure = cell.strip("$ ")
            again = all(figure in [other.strip("$ ") for other in each.cells] for each in listed[label])
            value = _value(cell, row)
            if period and value and again and (label, figure) not in seen:
                seen.add((label, figure))
                question = f"What amount is reported for “{row.label}” {period}?"
                asked = Asked(question, "number", value, "USD million")
                marks = (row.label.lower(), figure, period.split()[-1])
                end = text.find("\n", row.start)
                yield Fact(asked, row.start, end if end > 0 else len(text), AMOUNT, row.label, marks)


def _is_told(row: _Row) -> bool:
    """Whether the label of a row says by itself what is listed, and each cell belongs to one column."""
    fits = _ROW_LABEL.fullmatch(row.label) and _LEAST <= len(row.label.split()) <= _MOST
    named = fits and _NAMED.search(row.label) and not _VAGUE_LABEL.match(row.label)
    return bool(named and row.factor and len(row.cells) == len(row.periods))


def _value(cell: str, row: _Row) -> str:
    found = _FIGURE.fullmatch(cell)
    value = Decimal(found["value"].replace(",", "")) * (row.factor or 0) if found else Decimal(0)
    return f"{value.normalize():f}" if value >= 1 else ""


def _rows(text: str) -> Iterator[_Row]:
    """Yield the rows of all tables, with what their columns are of where those are plain years or dates."""
    periods: tuple[str, ...] = ()
    factor: Decimal | None = None
    table = lead = start = 0
    of_changes = False
    for line in text.splitlines(keepends=True):
        cells = [each.strip() for each in line.split(_BAR)]
        above = text[max(lead, start - _LEAD) : start]
        if not line.strip():
            table, lead, periods, of_changes = table + 1, start if periods else lead, (), False
        elif len(cells) == 1:
            of_changes = _CHANGES.match(line) is not None
        elif len(cells) > 1 and (heads := _periods(cells, above)):
            scales = _SCALE.findall(f"{above}{text[start : start + len(line) + _LEAD // 4]}")
            in_dollars = scales and "$" in text[start : start + 2 * _LEAD]
            factor = _IN_MILLIONS[scales[-1].lower()] if in_dollars else None
            periods = heads
        elif len(cells) > 1:
            of_money = None if of_changes else factor
            yield _Row(table, _NOTE.sub("", cells[0]), start, cells[1:], periods, of_money)
        start += len(line)


def _periods(cells: list[str], above: str) -> tuple[str, ...]:
    """What the columns under a line are of, "" for no period; nothing where it heads no such columns."""
    found = tuple(_period(each, above) for each in cells[1 if _SCALE.search(cells[0]) else 0 :])
    dated = [each for each in found if each]
    near = above.rpartition("\n\n")[2]
    at_years = any(each.startswith("in ") for each in dated) and _AT.search(above) and not _ENDED.search(near)
    plain = len(dated) > 1 and len(set(dated)) == len(dated) and not at_years
    return found if plain and "Thereafter" not in cells and not _PART.search(near) else ()


def _period(cell: str, above: str) -> str:
    near = above.rpartition("\n\n")[2]
    ended = _ENDED.search(near)
    if _DAY.fullmatch(cell):
        return f"for the year ended {cell}" if ended else f"as of {cell}"
    year = _YEAR.fullmatch(cell)
    if not year:
        return ""
    if not ended and (day := _DAY_ABOVE.search(near)):
        return f"as of {day['day']}, {year['year']}"
    fiscal = year["fiscal"] or near.strip().endswith("Fiscal")
    return f"in {'fiscal ' if fiscal else ''}{year['year']}"
