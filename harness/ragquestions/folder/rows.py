"""Rows of tables: what stands in a column beside a label, and what an account lists for a year or a date."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from ragharness.language.tables import phrases
from ragharness.language.words import words
from ragquestions.folder.facts import Fact
from ragquestions.wording.statement import Asked

_LINE = re.compile(r"[^\n]+")
_HEADER = re.compile(r"(?!(?:Yes|No|Total)\b)[A-Z][A-Za-z][\w /()-]{1,40}")
_LABELS_A_ROW = re.compile(r"[\w“-][\w .,’'()/&:=-]{2,50}")
_CELL = re.compile(r"(?=.*[A-Za-z])[\w“‘'-][\w .,’'()/&:%+-]{0,60}")
_NO_VALUE = re.compile(r"(?:yes|no|none|n/?a|not \w+|same|see\b.*|total|x)$", re.IGNORECASE)
_FEWEST, _MOST_WORDS = 3, 6
_HEADER_WORDS = 2
"""A longer one is a cell: the table has no header."""


def rows(text: str) -> Iterator[Fact]:
    """Yield a question for each short text of a table, where no other row of the document might be meant."""
    found = list(_short_texts(text))
    asked = Counter(each.asked.question for each in found)
    yield from (each for each in found if asked[each.asked.question] == 1)


def _short_texts(text: str) -> Iterator[Fact]:
    for table in _tables(text):
        (_, header), *body = table
        labels = Counter(cells[0].casefold() for _, cells in body)
        short = all(len(each.split()) <= _HEADER_WORDS for each in header[1:])
        if not short or len(set(header)) < len(header) or not all(map(_HEADER.fullmatch, header[1:])):
            continue
        if any(len(cells) != len(header) for _, cells in body):
            continue  # which column a cell stands in is not certain
        for column in range(1, len(header)):
            values = Counter(cells[column].casefold() for _, cells in body)
            for start, cells in body:
                label, value = cells[0], cells[column]
                if labels[label.casefold()] == 1 and _fits(label, value, values):
                    asked = Asked(
                        f"What does the table list under “{header[column]}” for “{label}”?", "text", value
                    )
                    marks = (label.casefold(), value.casefold())
                    yield Fact(
                        asked, start, start + len(" | ".join(cells)), f"row {header[column]}", label, marks
                    )


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
    for found in _LINE.finditer(text):
        cells = found[0].split(" | ")
        if len(cells) > 1 and found.start() == last + 1:
            table.append((found.start(), [each.strip() for each in cells]))
        else:
            if len(table) >= _FEWEST:
                yield table
            table = [(found.start(), [each.strip() for each in cells])] if len(cells) > 1 else []
        last = found.end()
    if len(table) >= _FEWEST:
        yield table


AMOUNT = "amount"
"""The form of these facts."""

_CELLS = " | "
_SCALE = re.compile(r"\((?:[a-z.]+ ){0,3}in (thousands|millions|billions)\b", re.IGNORECASE)
_IN_MILLIONS = {"thousands": Decimal("0.001"), "millions": Decimal(1), "billions": Decimal(1000)}
_YEAR = re.compile(r"(?P<fiscal>Fiscal )?(?:Year )?(?P<year>(?:19|20)\d\d)")
_DAY = re.compile(r"[A-Z][a-z]+ \d{1,2}, (?:19|20)\d\d")
_DAY_ABOVE = re.compile(r"^(?:As of |At )?(?P<day>[A-Z][a-z]+ \d{1,2}),?$", re.MULTILINE)
_ENDED = re.compile(r"\bended\b", re.IGNORECASE)
_AT = re.compile(r"\b(?:[Aa]s of|[Aa]t) [A-Z][a-z]+ \d|[Aa]s of\b")
_PART = re.compile(r"\b(?:months|quarters?|weeks|days)\b|%", re.IGNORECASE)
_FIGURE = re.compile(r"\$? ?(?P<value>\d[\d,]*(?:\.\d+)?)")
_LABEL = re.compile(r"[A-Z][a-z][A-Za-z ,’'&/-]+(?: \([a-z][a-z -]+\))?(?:, net)?")
_NOTE = re.compile(r"\s*\(\d{1,2}\)$")
_NAMED = re.compile(rf"\b{phrases('questions', 'accounts')}\b", re.IGNORECASE)
_VAGUE = re.compile(
    r"(?:Other|Total (?:deferred|other|non-?current|net|gross|assets and|liabilities and)|Increases?|Decreases?|Charges|Balance|Additions"
    r"|Foreign|State|Federal|Current|Gross|Initial|Carrying|Amortized|Fair|Estimated)\b|.*\b(?:shares?|beginning|ending?)\b",
    re.IGNORECASE,
)
"""A label that only its table explains, or that of no amount of money."""
_OF_TAXES = re.compile(r"gross deferred|valuation allowance|unrecognized tax|statutory", re.IGNORECASE)
"""A row of a table on taxes: its other rows are shares of an amount that bears their name."""
_CHANGES = re.compile(r"\W*(?:Net )?(?:changes? in|increases?|decreases?|deferred tax)\b", re.IGNORECASE)
"""The head of rows that are named like what they change."""
_LEAST, _MOST = 2, 9
"""Words of a label."""
_LEAD = 300
"""Characters above a table that say what it is in."""
_TABLES = 3
"""Tables that share their columns: what is listed once for other dates may be of somebody else."""


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
    usual = Counter(
        period for _, periods in {(each.table, each.periods) for each in found} for period in periods
    )
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
                told = f"What amount is reported for “{row.label}” {period}?"
                end = text.find("\n", row.start)
                marks = (row.label.lower(), figure, period.split()[-1])
                asked = Asked(told, "number", value, "USD million")
                yield Fact(asked, row.start, end if end > 0 else len(text), AMOUNT, row.label, marks)


def _is_told(row: _Row) -> bool:
    """Whether the label of a row says by itself what is listed, and each cell belongs to one column."""
    fits = _LABEL.fullmatch(row.label) and _LEAST <= len(row.label.split()) <= _MOST
    named = fits and _NAMED.search(row.label) and not _VAGUE.match(row.label)
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
        cells = [each.strip() for each in line.split(_CELLS)]
        above = text[max(lead, start - _LEAD) : start]
        if not line.strip():
            table, lead, periods, of_changes = table + 1, start if periods else lead, (), False
        elif len(cells) == 1:
            of_changes = _CHANGES.match(line) is not None
        elif len(cells) > 1 and (heads := _periods(cells, above)):
            scales = _SCALE.findall(f"{above}{text[start : start + len(line) + _LEAD // 4]}")
            factor = (
                _IN_MILLIONS[scales[-1].lower()]
                if scales and "$" in text[start : start + 2 * _LEAD]
                else None
            )
            periods = heads
        elif len(cells) > 1:
            told = None if of_changes else factor
            yield _Row(table, _NOTE.sub("", cells[0]), start, cells[1:], periods, told)
        start += len(line)


def _periods(cells: list[str], above: str) -> tuple[str, ...]:
    """Return what the columns under a line are of, "" for no period; nothing where it heads no such columns."""
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
