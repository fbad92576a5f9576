"""How a filing is called: company, form and period, so that no two filings share a name."""

from __future__ import annotations

import re
import sys
from collections import Counter
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from string import capwords
from typing import TYPE_CHECKING

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.filings import Filing

_CURATED = Path(__file__).with_name("companies.toml")
"""Names that people use, by register number (CIK); others are named by rule."""

_ANNUAL = frozenset({"10-K", "10-K405", "10-KT", "10-K/A", "10-KT/A", "20-F", "40-F"})
_SUFFIX = re.compile(
    r"[\s,]+(?:incorporated|inc|corporation|corp|company|co|limited|ltd|plc|llc|lp|n\.?v|s\.?a|ag|se|holdings?)\.?$",
    re.IGNORECASE,
)
_STATE = re.compile(r"\s*/[A-Za-z ]{2,12}/?\s*$")
_UNSAFE = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True)
class Name:
    """The names of one filing."""

    id: str
    title: str
    paraphrase: str
    company: str
    """As a person writes it: "Apple Inc."."""
    short: str
    """As a person says it: "Apple"."""
    cik: str
    annual: bool
    """Whether it is an annual report, about which questions are asked."""


def name_filings(filings: Sequence[tuple[str, Filing]]) -> list[Name]:
    """Return a name for each filing; what would repeat gets a number behind it and is not asked about."""
    names = [_name(file, filing) for file, filing in filings]
    ids = Counter(name.id for name in names)
    titles = Counter(name.title.casefold() for name in names)
    seen: Counter[str] = Counter()
    told: list[Name] = []
    for name in names:
        seen[name.id] += 1
        number = seen[name.id]
        id_ = name.id if ids[name.id] == 1 else f"{name.id}-{number}"
        doubled = titles[name.title.casefold()] > 1
        title = f"{name.title} ({id_})" if doubled else name.title
        annual = name.annual and not doubled
        told.append(Name(id_, title, name.paraphrase, name.company, name.short, name.cik, annual))
    return told


def spoken(iso: str) -> str:
    """Return a date as it is written in English: September 28, 2024."""
    day = date.fromisoformat(iso)
    return f"{day:%B} {day.day}, {day.year}"


def _name(file: str, filing: Filing) -> Name:
    told = {each.concept: each.text for each in reversed(filing.facts) if each.concept.startswith("dei:")}
    cik = told.get("dei:EntityCentralIndexKey", "").lstrip("0")
    registrant = told.get("dei:EntityRegistrantName", "") or file.rpartition(".")[0]
    company, short = _curated().get(cik) or _readable(registrant)
    form = told.get("dei:DocumentType", "").upper() or "filing"
    end = filing.period.end if filing.period else ""
    symbols = [
        each.text for each in filing.facts if each.concept == "dei:TradingSymbol" and each.text.isascii()
    ]
    key = _UNSAFE.sub("-", (symbols[0] if symbols else short).casefold()).strip("-")
    try:
        period = spoken(end)
    except ValueError:
        period = end
    annual = form in _ANNUAL
    year = f"fiscal year ended {period}" if annual else f"period ended {period}"
    possessive = f"{short}'" if short.endswith("s") else f"{short}'s"
    return Name(
        id=f"{key or 'filing'}-{end[:7]}",
        title=f"{short} {form} for the {year}",
        paraphrase=f"{possessive} {year}",
        company=company,
        short=short,
        cik=cik,
        annual=annual,
    )


@cache
def _curated() -> dict[str, tuple[str, str]]:
    if not _CURATED.is_file():
        return {}
    rows = tomllib.loads(_CURATED.read_text(encoding="utf-8"))
    return {cik: (row["company"], row["short"]) for cik, row in rows.items()}


def _readable(registrant: str) -> tuple[str, str]:
    """Return a registered name and its short form: "ADOBE INC." is Adobe Inc., and Adobe."""
    company = _STATE.sub("", " ".join(registrant.split())).strip(" ,")
    if company.isupper():
        company = capwords(company)
    short = company
    while (shorter := _SUFFIX.sub("", short).strip(" ,.&")) != short and shorter:
        short = shorter
    return company, short.removeprefix("The ") or company
