"""Whether a withheld figure follows from figures that are left: by a sum or difference, or a stated change.

The figures tried are those of the withheld tables themselves, near the withheld row and in its column, so far
as passages of the index still state them beside words of their labels; and the row's figures of other years.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import chain, combinations, product
from typing import NamedTuple

from ragharness.language import units
from ragharness.language.numbers import find_quantities
from ragharness.language.tables import any_of, regex
from ragharness.language.units import is_duration, read_unit
from ragharness.language.words import concepts_of, content
from ragharness.records import Passage, Question

_WORDED = regex(
    rf"[½¼¾]| [1-9]/[1-9]|\b(?:{any_of(sorted(units.TRIGGERS - units.AFTER_ARTICLE))}"
    rf"|a\s{any_of(sorted(units.AFTER_ARTICLE))})\b",
    re.IGNORECASE,
)
_STEM = 4  # letters that a name begins with in whatever number it stands
IN_WORDS = (
    "in words"  # numbers that are not, or not only, written in digits: their beginning is not looked at
)


def heads_of_answer(question: Question) -> frozenset[str]:
    """How numbers begin that may be the answer; nothing where any may, or it is no number."""
    measure = read_unit(question.unit)
    scaled = measure.factor.normalize().as_tuple().digits != (1,)
    if question.kind != "number" or is_duration(measure.unit) or scaled:
        return frozenset()
    return frozenset((*heads_of(question.answers[0]), IN_WORDS))


def stems_of_answer(question: Question) -> frozenset[str]:
    """How the names begin that are the answer; nothing where some name is short or has digits."""
    spelled = [*question.answers, *chain.from_iterable(question.aliases.values())]
    stems = {each[:_STEM] for each in spelled}
    # "USA" stands for "U.S.A." too, and "3 Main Street" for "three".
    plain = all(each.isascii() and each.isalpha() and not each.isupper() for each in stems)
    if question.kind != "text" or not plain or re.search(r"\d", " ".join(spelled)):
        return frozenset()
    return frozenset(map(str.casefold, stems))


def heads_in(text: str) -> frozenset[str]:
    """How the numerals of a text begin, and whether it has numbers in words or fractions."""
    found = set(chain.from_iterable(map(heads_of, {each[0] for each in units.DIGITS.finditer(text)})))
    return frozenset(found | {IN_WORDS} if _WORDED.search(text) else found)


def heads_of(written: str) -> tuple[str, ...]:
    """First two digits of a numeral, cut off and rounded up: "3" and "30" begin alike."""
    digits = "".join(filter(str.isdigit, written)).lstrip("0")
    head = int(digits[:2].ljust(2, "0"))
    return (str(head), str(head + 1)[:2]) if digits[2:3] >= "5" else (str(head),)


ABOVE, BELOW = 14, 6  # rows around the withheld one whose figures are tried
MOST = 4  # figures that a sum or difference is made of
SHOWN = 3
_TELLING, _ABOUT = 1000, 2  # figure from which a multiple is none by chance; words of the question beside it
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_CELL = re.compile(r"\$?\s*\(?\$?\s*(\d[\d,]*(?:\.\d+)?)\)?\s*")


class Term(NamedTuple):
    """A figure that is left, with the label of its row and the passage that states it."""

    value: Decimal
    label: str
    passage: str


def derived(question: Question, text: str, left: Sequence[Passage]) -> Iterator[tuple[str, str]]:
    """Yield how a withheld figure follows and from what, the fewest figures first."""
    if question.kind != "number":
        return
    gold = Decimal(question.answers[0].replace(",", ""))
    asked = concepts_of(question.text)
    stated = _stated(left)
    tables = [_terms(gold, asked, *row, stated) for row in _rows(question, text, gold)]
    shown: set[frozenset[Decimal]] = set()
    for terms, _, column in tables:
        for found in (*_sums(gold, terms), *_totals(gold, column)):
            values = frozenset(abs(term.value) for term in found)
            if values not in shown and len(shown) < SHOWN:
                shown.add(values)
                parts = (f"{term.label} {term.value} [{term.passage}]" for term in found)
                yield "derivable", " and ".join(parts)
    for times in range(2, MOST + 1) if gold >= _TELLING else ():
        for passage, words in stated.get(gold * times, ()):
            if len(words & asked) >= _ABOUT:
                yield "derivable", f"{times} times the figure is {gold * times} [{passage}]"
    earlier = {each.value: each for _, own, _ in tables for each in own}
    yield from _changes(gold, asked, list(earlier.values()), left)


def _rows(question: Question, text: str, gold: Decimal) -> Iterator[tuple[list[list[str]], int, int]]:
    """Yield the rows of the table around each withheld row with the gold figure, its place and its column."""
    for span in question.evidence:
        start, end = text.rfind("\n", 0, span.start) + 1, text.find("\n", span.end)
        for line in re.compile(r"[^\n]+").finditer(text, start, end if end > 0 else len(text)):
            column = next(
                (place for place, cell in enumerate(line[0].split("|")) if value_of(cell) == gold), None
            )
            if column is not None:
                before = text[: line.start()].split("\n")[-ABOVE - 1 : -1]
                after = text[line.end() :].split("\n")[1 : BELOW + 1]
                rows = (row.split("|") for row in (*before, line[0], *after))
                # A subtotal without a label has an empty one.
                table = [cells if value_of(cells[0]) is None else ["", *cells] for cells in rows]
                yield table, len(before), column


def value_of(cell: str) -> Decimal | None:
    """Figure that a cell of a table holds and nothing else; None: none."""
    match = _CELL.fullmatch(cell.strip())
    return Decimal(match[1].replace(",", "")) if match else None


def _stated(left: Sequence[Passage]) -> dict[Decimal, list[tuple[str, frozenset[str]]]]:
    """Figures of three digits or more that are left, with passage and words of the line."""
    lines: defaultdict[Decimal, list[tuple[str, frozenset[str]]]] = defaultdict(list)
    for passage in left:
        for line in passage.text.split("\n"):
            figures = (each for each in _NUMBER.findall(line) if sum(map(str.isdigit, each)) > 2)
            values = {Decimal(figure.replace(",", "")) for figure in figures}
            words = concepts_of(line) if values else frozenset()
            for value in values:
                lines[value].append((passage.id, words))
    return lines


def _terms(
    gold: Decimal,
    asked: frozenset[str],
    table: list[list[str]],
    place: int,
    column: int,
    stated: dict[Decimal, list[tuple[str, frozenset[str]]]],
) -> tuple[list[Term], list[Term], list[Term | None]]:
    """Figures left of the column of the gold, those left of its row, and the column in order."""
    named = [
        (row[0].strip(), value_of(row[column]))
        for number, row in enumerate(table)
        if number != place and len(row) > column
    ]
    own = [(table[place][0].strip(), value_of(cell)) for cell in table[place][1:]]

    def left(cells: list[tuple[str, Decimal | None]]) -> list[Term]:
        terms: dict[Decimal, Term] = {}
        for label, value in cells:
            if not value or value == gold:
                continue
            words = concepts_of(label) | asked
            if where := next((passage for passage, said in stated.get(value, ()) if said & words), ""):
                terms.setdefault(value, Term(value, label, where))
        return list(terms.values())

    ordered: list[Term | None] = []
    for number, row in enumerate(table):
        there = left([(row[0].strip(), value_of(row[column]))]) if len(row) > column else []
        ordered += [Term(gold, "", "")] if number == place else [next(iter(there), None)]
    return left([*named, *own]), left(own), ordered


def _sums(gold: Decimal, terms: Sequence[Term]) -> Iterator[tuple[Term, ...]]:
    """Yield the fewest figures that make the gold one, each added or taken away."""
    for count in range(2, MOST + 1):
        found = [
            chosen
            for chosen in combinations(terms, count)
            for signs in product((1, -1), repeat=count)
            if sum(sign * each.value for sign, each in zip(signs, chosen, strict=True)) == gold
        ]
        yield from found
        if found:
            return


def _totals(gold: Decimal, column: Sequence[Term | None]) -> Iterator[tuple[Term, ...]]:
    """Yield rows in a row that make a total, the gold one among them or their total, however many they are."""
    place = next(number for number, each in enumerate(column) if each and not each.passage)
    for last in range(place, len(column)):
        rows: list[Term] = []
        for each in reversed(column[:last]):
            if each is None:
                break
            rows.append(each)
            total = column[last]
            concerned = len(rows) > 1 and (last == place or gold in [row.value for row in rows])
            if total and concerned and sum(row.value for row in rows) == total.value:
                yield tuple(row for row in (*rows, total) if row.passage)


def _changes(
    gold: Decimal, asked: frozenset[str], earlier: Sequence[Term], left: Sequence[Passage]
) -> Iterator[tuple[str, str]]:
    """Yield sentences that state by how much the figure changed, where the earlier figure is left too."""
    scales = (1, 1000, 1_000_000)
    heads = {IN_WORDS, *(head for each in earlier for head in heads_of(f"{abs(gold - each.value):f}"))}
    for passage in left if earlier else ():
        for line in passage.text.split("\n"):
            if "|" in line or heads.isdisjoint(heads_in(line)) or len(asked & set(content(line))) < _ABOUT:
                continue
            for quantity in (each for each in find_quantities(line) if not each.year):
                for each in earlier:
                    change = abs(gold - each.value)
                    if quantity.unit != "percent" and quantity.value in [change * scale for scale in scales]:
                        told = line[max(0, quantity.start - 80) : quantity.end + 60]
                        yield "change", f"{each.value} [{each.passage}] and “{told}” [{passage.id}]"
