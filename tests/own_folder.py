"""Folders of invented reports: plain statements whose figures and dates are known, in every format."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

PLACES = (
    "Aldermere", "Brackwater", "Corvale", "Dunholt", "Eastmarsh", "Farrowby", "Glenmoor", "Hartsea",
    "Ivelport", "Jarrowick", "Kestrelby", "Lindholm", "Marrowfen", "Netherby", "Orrinsay", "Pentlow",
)  # fmt: skip
OFFICES = ("Harbor Office", "Water Board", "Forest Service", "School Council", "Road Agency", "Library Trust")
WORK = (
    ("employed", "inspectors"), ("hired", "carpenters"), ("trained", "pilots"), ("received", "complaints"),
    ("approved", "licenses"), ("sold", "tickets"), ("issued", "permits"), ("planted", "saplings"),
)  # fmt: skip
MONEY = (("spent", "dredging"), ("paid", "timber"), ("spent", "paving"), ("paid", "lanterns"))
_BEGINS = (
    "bar",
    "cor",
    "del",
    "fen",
    "gar",
    "hol",
    "jun",
    "kel",
    "lor",
    "mar",
    "nor",
    "pel",
    "ros",
    "tam",
    "vel",
)
_ENDS = ("by", "dale", "fold", "gate", "ham", "ing", "ley", "mere", "ness", "stow", "thorpe", "wick")
WORDS = tuple(begin + middle + end for begin in _BEGINS for middle in ("a", "e", "o") for end in _ENDS)


def place_of(number: int) -> str:
    """Return the place that a report is about; each has its own."""
    if number < len(PLACES):
        return PLACES[number]
    return (WORDS[(17 * number) % len(WORDS)] + WORDS[number % 97]).capitalize()


def filler(number: int, paragraph: int) -> str:
    """Return two sentences that state nothing and stand nowhere else."""
    draw = Random(1000 * number + paragraph)
    first, second = ([draw.choice(WORDS) for _ in range(12)] for _ in range(2))
    return f"Its members met in the hall and heard of {' '.join(first)}. Nobody spoke of {' '.join(second)}."


def sentences_of(number: int) -> list[str]:
    """Return the statements of one report; no two reports share one."""
    place = place_of(number)
    said = []
    for turn, office in enumerate(OFFICES[: 3 + number % 3]):
        verb, things = WORK[(number + turn) % len(WORK)]
        said.append(
            f"The {place} {office} {verb} {31 + 7 * number + 13 * turn} {things} in {1980 + number % 40}."
        )
        paid, goods = MONEY[(number + turn) % len(MONEY)]
        amount = f"{2 + number % 7}.{1 + turn} million"
        said.append(f"The {place} {office} {paid} ${amount} on {goods} in {1980 + (number + turn) % 40}.")
        said.append(f"The {place} {office} was founded in {1850 + 5 * number % 120 + turn}.")
    return said


def write_folder(folder: Path, reports: int = 16) -> Path:
    """Write reports as Markdown, text, web pages and JSON Lines, in turn, some of them in a folder below."""
    rows = []
    for number in range(reports):
        title = f"Annual Account of {place_of(number)}"
        said = sentences_of(number)
        paragraphs = [
            f"{' '.join(said[first : first + 3])} {filler(number, first)}" for first in range(0, len(said), 3)
        ]
        paragraphs += [filler(number, 100 + each) for each in range(9)]
        place = folder / ("below" if number % 5 == 0 else ".")
        place.mkdir(parents=True, exist_ok=True)
        name = f"account-{number:04}"
        kind = number % 4
        if kind == 0:
            (place / f"{name}.md").write_text(f"# {title}\n\n" + "\n\n".join(paragraphs), "utf-8")
        elif kind == 1:
            text = f"---\ntitle: {title}\n---\n\n" + "\n\n".join(f"- {each}" for each in paragraphs)
            (place / f"{name}.md").write_text(text, "utf-8")
        elif kind == 2:
            body = "".join(f"<p>{each}</p>" for each in paragraphs)
            head = f"<!DOCTYPE html><html><head><title>{title}</title></head>"
            page = f"{head}<body><nav>Home</nav>{body}</body></html>"
            (place / f"{name}.html").write_text(page, "utf-8")
        else:
            rows.append({"id": name, "title": title, "text": "\n\n".join(paragraphs)})
    (folder / "more.jsonl").write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
    return folder
