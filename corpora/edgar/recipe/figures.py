"""Facts of filings: what their pages tag with Inline XBRL, and where else they state a figure.

What is withheld is withheld everywhere.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from decimal import Decimal
from itertools import chain
from pathlib import Path

from ragharness.corpus.download.obtaining import pages_in
from ragharness.corpus.filings import Context, filing_of, read_page
from ragharness.corpus.loading import Corpus
from ragharness.records import Document, Evidence, Kind
from ragharness.support.concurrency import map_on_cores
from ragquestions.filings import Tagged, tagged_facts
from ragquestions.recipes import Fact, Facts

from ..parse import name_of

_SCALES = {3: "thousand", 6: "million", 9: "billion", 12: "trillion"}
_COVER = {
    "dei:EntityIncorporationStateCountryCode",
    "dei:EntityTaxIdentificationNumber",
    "dei:EntityAddressCityOrTown",
    "dei:AuditorName",
    "dei:AuditorLocation",
    "dei:EntityFileNumber",
}  # what the cover and the auditor's page say in words
_NUMBERS_OF_THE_COVER = {"dei:EntityPublicFloat", "dei:EntityCommonStockSharesOutstanding"}
_A_YEAR = range(350, 381)  # days from one fiscal year's end to the next: 52 or 53 weeks, or a calendar year
_SLACK = 0.006  # two tagged values of one thing that differ by less were only rounded differently


def read_facts(corpus: Corpus) -> Facts:
    """Tagged figures and words of the filings that are pages, in the order of the documents."""
    folder = corpus.files
    pages = {path.relative_to(folder).as_posix() for path in pages_in(folder)} if folder else frozenset()
    documents = [each for each in corpus.documents if each.source in pages]
    filings = [(each.id, each.source, folder / each.source) for each in documents if folder]
    return Facts(tuple(chain.from_iterable(map_on_cores(_of_filing, filings))))


def _of_filing(located: tuple[str, str, Path]) -> list[Fact]:
    """What is tagged for the whole company, its year and the year before."""
    document, file, path = located
    page = read_page(path.read_bytes())
    filing = filing_of(page)
    period, name = filing.period, name_of(file, filing)
    about = {
        "company": name.company,
        "short": name.short,
        "cik": name.cik,
        "period": period.end if period else "",
    }
    groups: dict[tuple[str, str, str], list[Tagged]] = defaultdict(list)
    for tag in tagged_facts(page):
        if tag.row and not tag.context.dimensions and _is_wanted(tag, period):
            groups[tag.concept, tag.context.start, tag.context.end].append(tag)
    facts = (
        _fact(document, concept, tags, {"start": start, "end": end, **about})
        for (concept, start, end), tags in groups.items()
    )
    return list(filter(None, facts))


def _is_wanted(each: Tagged, period: Context | None) -> bool:
    if each.concept.startswith("dei:"):
        return each.concept in (_NUMBERS_OF_THE_COVER if each.value is not None else _COVER)
    if each.value is None or period is None:
        return False
    start, end = each.context.start, each.context.end
    if start and abs(_days(start, end) - _days(period.start, period.end)) > _A_YEAR[-1] - 365:
        return False
    return end == period.end or _days(end, period.end) in _A_YEAR


def _days(start: str, end: str) -> int:
    try:
        return (date.fromisoformat(end) - date.fromisoformat(start)).days
    except ValueError:
        return -1


def _fact(document: str, concept: str, tags: list[Tagged], details: dict[str, str]) -> Fact | None:
    """Fact, a figure in the scale of its most exact place; None where the page contradicts itself."""
    kind: Kind = "text" if tags[0].value is None else "number"
    answer, unit = tags[0].text.strip(" ,;"), ""
    if kind == "number":
        exact = max(tags, key=lambda tag: (len(tag.text.strip()), -tag.scale))
        value = exact.value
        if value is None or any(tag.value is None or not _same(tag.value, value) for tag in tags):
            return None
        answer, unit = _shown(value, exact)
        tags = [exact, *(tag for tag in tags if tag is not exact)]
        details = details | {"value": f"{value:f}", "text": exact.text}
    elif not answer or any(tag.text.strip(" ,;").casefold() != answer.casefold() for tag in tags):
        return None
    rows = dict.fromkeys(tag.row for tag in tags if tag.row)
    evidence = tuple(Evidence(document, *row) for row in rows)
    return Fact(
        document=document,
        topic=concept,
        kind=kind,
        answers=(answer,),
        evidence=evidence,
        unit=unit,
        details=details,
    )


def _same(one: Decimal, other: Decimal) -> bool:
    return one == other or float(abs(one - other)) <= _SLACK * float(max(abs(one), abs(other)))


def _shown(value: Decimal, exact: Tagged) -> tuple[str, str]:
    """Value as the page counts it, and in what: ("391035", "USD million")."""
    if exact.unit == "pure" and exact.scale == -2:
        return plain(value.scaleb(2)), "percent"
    scale = _SCALES.get(exact.scale, "")
    shown = plain(value.scaleb(-exact.scale) if scale else value)
    if exact.unit == "shares":
        return shown, f"{scale} shares".strip()
    unit = "" if exact.unit == "pure" else exact.unit
    return shown, f"{unit} {scale}".strip()


_POWERS = {"trillion": 12, "billion": 9, "million": 6, "thousand": 3}
_FIGURE = re.compile(r"(\d[\d,.]*)(?:\s+(trillion|billion|million))?")
_SHAPE = re.compile(r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?")
_WORD = re.compile(r"[a-z]{4,}")
_EMPTY = frozenset(
    re.findall(
        r"\w+",
        """total other from with year years ended balance million billion company were which that this does
        report according what much have fiscal during balances consolidated january february march april
        june july august september october november december""",
    )
)  # words that rows about different things share
CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SHORTEST = 4  # digits below which a figure stands for too many things to be looked for
_DIGITS = 3  # significant digits from which a figure with its scale word stands for one thing only
_CLOSE = 0.005  # a rounded figure that is off by more is no answer
_ROUNDED = 2  # significant digits below which a rounded figure says too little to be looked for
_ALIKE = 2  # words that a line must share with the tagged row when its figure alone says too little
_FIRM = r"/s/|registered|accounting firm|auditor|consent"
_SAYS_SO = {
    "dei:AuditorName": _FIRM,
    "dei:EntityAddressCityOrTown": r"headquarter|executive offices",
    "dei:EntityIncorporationStateCountryCode": (
        r"incorporated (?:in|under)\b[^.]{{0,60}}\b{said}|{said} corporation\b(?! law)"
    ),
}  # what a line must say, beside the words of the cover, to state the same as the cover


class Places:
    """The figures of all filings by their leading digits."""

    def __init__(self, corpus: Corpus, filers: Mapping[str, tuple[str, str]]) -> None:
        self._documents = {each.id: each for each in corpus.documents}
        self._filers = filers
        self._figures: dict[str, dict[str, list[tuple[int, int]]]] = {}
        self._begins: dict[str, list[int]] = {}

    def own(self, fact: Fact, about: Iterable[str] = ()) -> tuple[Evidence, ...] | None:
        """All lines of the fact's filing that give its value away; None where it is too short."""
        sure, vague = _written(fact)
        if not sure:
            return None
        # Rounded to two digits or more with a scale word ("$53 billion"), it hardly can be withheld.
        rounded = {
            f"{text} {word}"
            for value, _, word in _in_words(abs(Decimal(fact.details["value"])))
            if _significant(str(value)) >= _ROUNDED
            for text in (str(value), plain(value))
        }
        return self._lines(fact, sure, vague | rounded - sure, words_of(" ".join(about)), everything=True)

    def stating(self, fact: Fact, about: Iterable[str] = ()) -> tuple[Evidence, ...]:
        """Tagged rows, and others with the same figure that speak of the same thing.

        Nothing where a row with a short figure may speak of it or not. ``about``: further words for it, other
        than those of the row and of the tag.
        """
        if fact.kind == "text":
            return self._saying(fact)
        sure, vague = _written(fact)
        return self._lines(fact, sure, vague, words_of(" ".join(about)), everything=False)

    def _lines(
        self, fact: Fact, sure: set[str], vague: set[str], about: frozenset[str], *, everything: bool
    ) -> tuple[Evidence, ...]:
        document = self._documents[fact.document]
        text = document.text
        # Words of the tag and its rows speak of the fact; those of a whole sentence fit too many lines.
        rows = (row for row in (text[span.start : span.end] for span in fact.evidence) if "|" in row)
        known = words_of(CAMEL.sub(" ", fact.topic)).union(about, *map(words_of, rows))
        found = list(fact.evidence)
        rounded = set() if everything else {each for each in sure if " " in each}
        # Rounded to three digits, it may be about anything: leases, or losses that are carried forward.
        for forms, least in (
            (sure - rounded, 0 if everything else 1),
            (rounded, _ALIKE),
            (vague, 1 if everything else _ALIKE),
        ):
            for start, _ in sorted(self._stated(document, forms)):
                line = Evidence(document.id, *self._line(document, start))
                own = words_of(text[line.start : line.end])
                if not own and forms is not vague:
                    # "Balance at December 31": what it is the balance of stands above.
                    first, last = document.segments[self._segment(document, start)]
                    above = words_of(text[first:last])
                    own = above if len(known & above) >= _ALIKE else own
                if len(known & own) < least or line in found:
                    continue
                if forms is vague and not everything and "|" in text[line.start : line.end] and own - known:
                    return ()
                found.append(line)
        return tuple(dict.fromkeys(found))

    def _saying(self, fact: Fact) -> tuple[Evidence, ...]:
        """Tagged places of a text, and lines that say the same of the company."""
        document = self._documents[fact.document]
        text, said = document.text, fact.answers[0]
        wanted = _SAYS_SO.get(fact.topic, "")
        fits = re.compile(wanted.format(said=re.escape(said)), re.IGNORECASE) if wanted else None
        found = list(fact.evidence)
        place = text.find(said)
        while place >= 0:
            start, end = self._line(document, place)
            if text[start:end].strip() == said or (fits and fits.search(text[start:end])):
                found.append(Evidence(document.id, start, end))
            place = text.find(said, max(end, place + 1))
        return tuple(dict.fromkeys(found))

    def _segment(self, document: Document, place: int) -> int:
        if document.id not in self._begins:
            self._begins[document.id] = [first for first, _ in document.segments]
        return max(0, bisect_right(self._begins[document.id], place) - 1)

    def _line(self, document: Document, place: int) -> tuple[int, int]:
        """Line of a document around a place: the row of its table, or its paragraph's sentence."""
        first, last = document.segments[self._segment(document, place)]
        start = document.text.rfind("\n", first, place) + 1
        end = document.text.find("\n", place, last)
        return max(first, start), last if end < 0 else end

    def elsewhere(self, fact: Fact) -> bool:
        """Whether another filing of the same company states the value too, or lets it be added up.

        A later filing repeats the figures of the year before, in other lines perhaps.
        """
        written, _ = _written(fact)
        filer, period = self._filers[fact.document]
        filings = {name: end for name, (cik, end) in self._filers.items() if cik == filer}
        others = filings.keys() - {fact.document}
        if not written or any(filings[name] > period for name in others):
            return bool(others)
        return any(self._stated(self._documents[name], written) for name in others)

    def _stated(self, document: Document, written: set[str]) -> list[tuple[int, int]]:
        if document.id not in self._figures:
            self._figures[document.id] = defaultdict(list)
            for figure, span in _figures(document.text):
                self._figures[document.id][figure].append(span)
        figures = self._figures[document.id]
        return [span for figure in sorted(written) for span in figures.get(figure, ())]


def words_of(text: str) -> frozenset[str]:
    """Words of a text that tell what it is about."""
    return frozenset(_WORD.findall(text.casefold())) - _EMPTY


def _figures(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield each figure of a text by its digits ("391035"), with a scale word behind it ("391 billion")."""
    for found in _FIGURE.finditer(text):
        shown, start = found[1].rstrip(",."), found.start()
        if _SHAPE.fullmatch(shown) and text[start - 1 : start] not in {".", ","}:
            bare = shown.replace(",", "")
            yield (f"{bare} {found[2]}" if found[2] else bare), (start, start + len(shown))


def _written(fact: Fact) -> tuple[set[str], set[str]]:
    """How a filing may write a value: ways that mean this value only, and ways that others share.

    Sure are many digits as they are, and rounded to three or more with a scale word; vague is all else that
    is near enough to be an answer.
    """
    if fact.kind != "number":
        return set(), set()
    shown = fact.answers[0]
    value = abs(Decimal(fact.details["value"]))
    exact = {plain(abs(Decimal(shown))), shown.lstrip("-"), fact.details["text"].replace(",", "")}
    sure, vague = set[str](), exact
    if _significant(shown.lstrip("-")) >= _SHORTEST:
        exact = exact | {plain(value.scaleb(-power)) for power in (0, 3, 6, 9)}
        sure = {each for each in exact if _significant(each) >= _SHORTEST}
        vague = vague - sure
    for rounded, scaled, word in _in_words(value):
        if not rounded or abs(rounded - scaled) > Decimal(str(_CLOSE)) * scaled:
            continue
        for text in (str(rounded), plain(rounded)):
            digits = _significant(text)
            if digits >= _DIGITS and sure:
                sure.add(f"{text} {word}")
            elif digits >= _ROUNDED or rounded == scaled:
                vague.add(f"{text} {word}")
    return sure, vague - sure


def _in_words(value: Decimal) -> Iterator[tuple[Decimal, Decimal, str]]:
    """Yield a value rounded to up to three decimals, and exactly, in each scale that has a word."""
    for word, power in _POWERS.items():
        scaled = value.scaleb(-power)
        yield from ((scaled.quantize(Decimal(1).scaleb(-places)), scaled, word) for places in range(4))


def _significant(text: str) -> int:
    return len(text.replace(".", "").lstrip("0"))


def plain(value: Decimal) -> str:
    """Value without an exponent or zeros at its end."""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
