"""Small annual reports in Inline XBRL, written for tests: invented companies, figures that a test names."""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

HEAD = (
    '<?xml version="1.0" encoding="ASCII"?>\n'
    '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:ix="http://www.xbrl.org/2013/inlineXBRL"'
    ' xmlns:xbrli="http://www.xbrl.org/2003/instance" xmlns:xbrldi="http://xbrl.org/2006/xbrldi">'
)


class Line(NamedTuple):
    """One line of a statement with its figures for this year and the last, in millions."""

    label: str
    concept: str
    now: str
    before: str
    instant: bool = False


LINES = (
    ("Total revenue", "us-gaap:Revenues", 7.31, False),
    ("Total cost of revenue", "us-gaap:CostOfRevenue", 4.17, False),
    ("Gross profit", "us-gaap:GrossProfit", 3.14, False),
    ("Research and development", "us-gaap:ResearchAndDevelopmentExpense", 0.83, False),
    ("Operating income", "us-gaap:OperatingIncomeLoss", 1.61, False),
    ("Provision for income taxes", "us-gaap:IncomeTaxExpenseBenefit", 0.29, False),
    ("Cash paid for income taxes", "us-gaap:IncomeTaxesPaidNet", 0.21, False),
    ("Net income", "us-gaap:NetIncomeLoss", 1.32, False),
    ("Total comprehensive income", "us-gaap:ComprehensiveIncomeNetOfTax", 1.19, False),
    ("Cash from operating activities", "us-gaap:NetCashProvidedByUsedInOperatingActivities", 1.73, False),
    ("Total current assets", "us-gaap:AssetsCurrent", 5.27, True),
    ("Total assets", "us-gaap:Assets", 11.93, True),
    ("Total current liabilities", "us-gaap:LiabilitiesCurrent", 2.39, True),
    ("Total liabilities", "us-gaap:Liabilities", 4.79, True),
    ("Total stockholders&#8217; equity", "us-gaap:StockholdersEquity", 7.13, True),
)  # fmt: skip
"""Label, concept, share of the size of the company, whether it is a point in time."""


def annual_report(
    company: str, cik: str, end: str, size: int, *, auditor: str = "Vance & Orrin LLP"
) -> bytes:
    """Return an invented company's annual report; ``end`` is its year's last day, ``size`` its scale."""
    last = date.fromisoformat(end)
    before = last.replace(year=last.year - 1)
    statement = [
        Line(label, concept, f"{size * share * 1.09:,.0f}", f"{size * share:,.0f}", instant)
        for label, concept, share, instant in LINES
    ]
    rows = "".join(_row(line) for line in statement)
    body = (
        f"<p>{_cover('dei:DocumentType', '10-K')}</p>"
        f"<p>For the fiscal year ended {_cover('dei:DocumentPeriodEndDate', _spoken(last))}</p>"
        f"<p>{_cover('dei:EntityRegistrantName', company.replace('&', '&amp;'))}</p>"
        "<table><tr><td>"
        f"{_cover('dei:EntityIncorporationStateCountryCode', 'Oregon')}</td><td>"
        f"{_cover('dei:EntityTaxIdentificationNumber', f'93-{size:07d}')}</td></tr></table>"
        "<p>The aggregate market value of the stock held by non-affiliates was $"
        + _figure("dei:EntityPublicFloat", f"{size * 31:,}", "now-instant", scale="6", unit="usd")
        + " million.</p>"
        + _prose(company)
        + '<hr style="page-break-after:always"/>'
        + "<p>Item 8. Financial Statements</p><p>(in millions)</p>"
        + f"<table><tr><td/><td>{_spoken(last)}</td><td>{_spoken(before)}</td></tr>{rows}</table>"
        + f"<p>/s/ {_cover('dei:AuditorName', auditor.replace('&', '&amp;'))}</p>"
        + f"<p>{_cover('dei:AuditorLocation', 'Portland, Oregon')}</p>"
    )
    hidden = (
        "<ix:header><ix:hidden>"
        f"{_cover('dei:EntityCentralIndexKey', cik.zfill(10))}</ix:hidden><ix:resources>"
        f"{_contexts(cik, last, before)}"
        "<xbrli:unit id='usd'><xbrli:measure>iso4217:USD</xbrli:measure></xbrli:unit>"
        "</ix:resources></ix:header>"
    )
    hidden = f'<div style="display:none">{hidden}</div>'
    page = f"{HEAD}<head><title>filing</title></head><body>{hidden}{body}</body></html>"
    return page.encode("ascii", "xmlcharrefreplace")


def _prose(company: str) -> str:
    name = company.replace("&", "&amp;")
    topics = (
        "customers",
        "suppliers",
        "people",
        "competition",
        "weather",
        "regulation",
        "property",
        "outlook",
    )
    return "".join(
        f"<h3>About our {topic}</h3><p>{name} describes here what its {topic} may mean to the business"
        f" and why that may change. Management of {name} reviews its {topic} every quarter."
        f" Nothing in this section states an amount.</p>"
        for topic in topics
    )


def _row(line: Line) -> str:
    kind = "instant" if line.instant else "duration"
    return (
        f"<tr><td>{line.label}</td><td>$</td><td>{_figure(line.concept, line.now, f'now-{kind}')}</td>"
        f"<td>$</td><td>{_figure(line.concept, line.before, f'before-{kind}')}</td></tr>"
    )


def _figure(concept: str, text: str, context: str, scale: str = "6", unit: str = "usd") -> str:
    return (
        f'<ix:nonFraction name="{concept}" contextRef="{context}" unitRef="{unit}" decimals="-6"'
        f' scale="{scale}" format="ixt:num-dot-decimal">{text}</ix:nonFraction>'
    )


def _cover(concept: str, text: str) -> str:
    return f'<ix:nonNumeric name="{concept}" contextRef="now-duration">{text}</ix:nonNumeric>'


def _contexts(cik: str, last: date, before: date) -> str:
    identifier = f'<xbrli:identifier scheme="http://www.sec.gov/CIK">{cik}</xbrli:identifier>'
    entity = f"<xbrli:entity>{identifier}</xbrli:entity>"
    found = []
    for name, end in (("now", last), ("before", before)):
        start = end.replace(year=end.year - 1)
        found.append(
            f'<xbrli:context id="{name}-duration">{entity}<xbrli:period>'
            f"<xbrli:startDate>{start}</xbrli:startDate><xbrli:endDate>{end}</xbrli:endDate></xbrli:period></xbrli:context>"
            f'<xbrli:context id="{name}-instant">{entity}<xbrli:period><xbrli:instant>{end}</xbrli:instant>'
            "</xbrli:period></xbrli:context>"
        )
    return "".join(found)


def _spoken(day: date) -> str:
    return f"{day:%B} {day.day}, {day.year}"
