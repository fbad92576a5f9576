"""Invented government reports, written in every layout in which such reports come."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple


class Invented(NamedTuple):
    """One report of an office that does not exist."""

    number: str
    title: str
    summary: str
    paragraphs: list[str]


_OFFICES = [
    ("Fernleigh", "Road", "roads", "inspectors"),
    ("Dunmere", "Harbor", "harbors", "pilots"),
    ("Ostrava", "Canal", "canals", "lockkeepers"),
    ("Quillhaven", "Slate", "quarries", "surveyors"),
    ("Marrowick", "Orchard", "orchards", "growers"),
    ("Tessaly", "Ferry", "ferries", "captains"),
    ("Brambleton", "Bridge", "bridges", "engineers"),
    ("Kestrel", "Meadow", "meadows", "rangers"),
    ("Larkspur", "Tunnel", "tunnels", "wardens"),
    ("Wexcombe", "Signal", "signals", "operators"),
    ("Yarrow", "Kiln", "kilns", "potters"),
    ("Zennor", "Gauge", "gauges", "readers"),
    ("Ivelchester", "Market", "markets", "stewards"),
    ("Norhaven", "Reservoir", "reservoirs", "divers"),
]


def invented(count: int = len(_OFFICES)) -> list[Invented]:
    """Return the first reports; each states eight figures and dates, two of them in its summary too."""
    return [_report(number, *_OFFICES[number]) for number in range(count)]


def _report(number: int, place: str, thing: str, things: str, people: str) -> Invented:
    short = f"{place[0]}{thing[0]}{'TNVRWK'[number % 6]}{'XYZQ'[number % 4]}"
    law = f"{place} {thing} Act"
    year = 1950 + 3 * number
    filler = (
        f"People in {place} have long argued over {things}, and over who should look after them then. "
        f"Some {people} prefer older habits, while visitors praise the quiet of {things} in winter."
    )
    facts = [
        f"The {law} provided ${41 + 7 * number} million for repairs of {things} in FY2021.",
        f"The {law} provided ${230 + 9 * number} million for construction of {things} in FY2021.",
        f"{short} employed {310 + 13 * number} {people} in 2019.",
        f"{short} paid ${5 + number}.4 million to {people} of {place} in 2020.",
        f"The {place} {thing} Board was established in {year}.",
        f"On March {3 + number}, 2018, Representative {place} Hale introduced the {law}.",
        f"In 2022, {short} collected ${61 + number} million in {thing.lower()} fees.",
        f"About {11 + number} percent of the {people} in {place} retired in 2017.",
    ]
    opening = f"The {short} looks after {things}. " + filler
    body = [
        opening,
        *(line for fact in facts for line in (f"{filler} {fact}", f"{filler} Little else is known.")),
    ]
    summary = f"{facts[0]} {facts[2]}"
    return Invented(f"R9{number:04}", f"{thing}s of {place}: Repair and Staffing", summary, body)


def as_congress_page(report: Invented) -> str:
    """Return Markdown as a converter writes a page of congress.gov."""
    link = f"[{report.number}](https://example.org/{report.number}(1).pdf)"
    return "\n".join(
        [
            f"# {report.title}",
            "",
            f"**Report No.:** {report.number}",
            "**Version:** 4",
            "**Publication Date:** 04/22/2025",
            "",
            "---",
            f"[Home](https://example.org/) > {link}",
            "",
            f"# {report.title}",
            "",
            "[Listen](https://example.org/listen)",
            "",
            "# Contents",
            "",
            *(f"- [Part {place} of what follows](https://example.org#{place})" for place in range(9)),
            "",
            "Summary",
            "",
            f"{report.summary}1",
            "",
            "---",
            "",
            "Introduction",
            "",
            *(
                f"{paragraph}[{place}](https://example.org#n)\n"
                for place, paragraph in enumerate(report.paragraphs, 1)
            ),
            "# Footnotes",
            "",
            "| 1. | Nobody spent $999 million for repairs in FY2021.",
        ]
    )


def as_audit(report: Invented) -> str:
    """Return Markdown as a converter writes an audit office's wrapped pages."""
    number = report.number.replace("R9", "GAO-25-1")
    return "\n".join(
        [
            f"# {report.title}",
            "",
            f"**Report:** {number} | **Published:** 2025-03-09 | **Source:** nowhere",
            "",
            "---",
            "",
            "## Highlights",
            "",
            "### What GAO Found",
            "",
            *_wrapped(report.summary),
            "",
            "---",
            "",
            *(
                line
                for paragraph in report.paragraphs
                for line in (*_wrapped(paragraph), "", "3 See the note.", "")
            ),
            "#### GAO’s Mission",
            "",
            "Nobody spent $999 million for repairs in FY2021.",
        ]
    )


def _wrapped(text: str) -> list[str]:
    lines, line = [], ""
    for word in text.split():
        if len(line) + len(word) > 70:
            lines.append(line)
            line = ""
        line = f"{line} {word}".strip()
    return [*lines, line]


def write_archive(folder: Path, reports: list[Invented]) -> None:
    """Write the original archive: nested sections, lists of ids."""
    (folder / "gov-report/crs").mkdir(parents=True)
    (folder / "gov-report/split_ids").mkdir()
    for report in reports:
        half = len(report.paragraphs) // 2
        inner = {"section_title": "More", "paragraphs": report.paragraphs[half:], "subsections": []}
        outer = {"section_title": "", "paragraphs": report.paragraphs[:half], "subsections": [inner]}
        content = {
            "id": report.number,
            "title": report.title,
            "released_date": "2025-04-22T00:00:00",
            "summary": [report.summary],
            "reports": outer,
        }
        (folder / f"gov-report/crs/{report.number}.json").write_text(json.dumps(content), encoding="utf-8")
    ids = [each.number for each in reports]
    (folder / "gov-report/split_ids/crs_test.ids").write_text("\n".join(ids[1:]), encoding="utf-8")
    (folder / "gov-report/split_ids/crs_train.ids").write_text(ids[0], encoding="utf-8")


def as_row(report: Invented, *, columns: tuple[str, str, str] = ("id", "document", "summary")) -> str:
    """Return a row of a data set as a line of JSON."""
    name, body, summary = columns
    row = {name: f"CRS_{report.number}", body: "\n".join(report.paragraphs), summary: report.summary}
    return json.dumps({key: value for key, value in row.items() if key})


def real_reports(shared: Path, folder: Path) -> Path:
    """Lay the folders of real reports beside one another, as a reader of the frozen set has them."""
    for name in ("crs-reports", "gao-reports", "govreport-leval"):
        (folder / name).symlink_to(shared / "data" / name, target_is_directory=True)
    return folder
