"""Names for contracts that come without any: curated ones first, else made from file name and first lines."""

from __future__ import annotations

import re
import sys
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import capwords
from typing import TYPE_CHECKING
from urllib.parse import unquote

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Sequence

CURATED = Path(__file__).with_name("handles.toml")
"""Names that people checked, by document id; documents that it does not list are named by rule."""

_FILING = re.compile(r"\d+_\d{10}-\d\d-\d{6}_")
"""File names of SEC filings are a register number and an accession number: no name that a person says."""

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z][a-z])|(?<=[A-Z]{2})(?=[A-Z][a-z])")
_EXTENSION = re.compile(r"\.(?:pdf|txt|html?|docx?)$", re.IGNORECASE)
_SEPARATORS = re.compile(r"[\s_+\-–—]+")
_LONG_NUMBER = re.compile(r"\b(?=(?:\w*?\d){5})\w{9,}\b")
_GENERIC = frozenset(
    re.findall(
        r"\w+",
        """a agreement agreements and annex appendix attachment basic bilateral business buyer clause
        client confid confidential confidentiality confidentialityandnondisclosureagreement
        contractor data disclosure doc document en exhibit fill final for form general generic
        in information intent mutual nda non nondisclosure of one page patent pdf profile
        propose rev sale sample secrecy signed standard template the to two unilateral v v1 v2
        v3 version way""",
    )
)
"""Words that any such contract may carry: a name of nothing else is no handle."""

_PARTIES = re.compile(
    r"\b(?:between|among)\b[\s,:]*(?:and among\s+)?(?P<first>[A-Z][\w&.,'’\- ]{2,60}?)"
    r"(?:\s*[(,;“\"]|\s+(?:a|an|having|with|and)\b)"
)
_HEAD = 1500
"""Characters from the start in which a contract names its parties."""


@dataclass(frozen=True)
class Name:
    """How a document is called: ``title`` always and uniquely, the others only when they are usable."""

    title: str
    handle: str = ""
    paraphrase: str = ""


def name_documents(documents: Sequence[tuple[str, str, str]]) -> list[Name]:
    """Return a name for each (id, file name, text); titles are unique among them.

    A rule's name that others share gets the document's id behind it, and is no handle any more.
    """
    curated = _curated()
    ruled = [curated.get(id_) or _name(file_name, text) for id_, file_name, text in documents]
    often = Counter(name.title.casefold() for name in ruled)
    names: list[Name] = []
    taken = set(often)
    for (id_, _, _), name in zip(documents, ruled, strict=True):
        names.append(name if often[name.title.casefold()] == 1 else _told_apart(name, id_, taken))
    return names


@cache
def _curated() -> dict[str, Name]:
    if not CURATED.is_file():
        return {}
    rows = tomllib.loads(CURATED.read_text(encoding="utf-8"))["documents"]
    return {
        id_: Name(row["title"], row.get("handle", ""), row.get("paraphrase", "")) for id_, row in rows.items()
    }


def _told_apart(name: Name, id_: str, taken: set[str]) -> Name:
    title = f"{name.title} ({id_})"
    while title.casefold() in taken:
        title += "'"
    taken.add(title.casefold())
    return Name(title)


def _name(file_name: str, text: str) -> Name:
    if _FILING.match(file_name):
        return _name_from_text(text)
    title = _readable(file_name)
    telling = [
        word for word in title.split() if word.casefold().strip(".,()") not in _GENERIC and not word.isdigit()
    ]
    if not telling:
        return _name_from_text(text)
    return Name(title, handle=title if any(len(word) > 2 for word in telling) else "")


def _readable(file_name: str) -> str:
    bare = _EXTENSION.sub("", unquote(file_name).strip())
    spaced = _CAMEL.sub(" ", _SEPARATORS.sub(" ", bare))
    return " ".join(_LONG_NUMBER.sub(" ", spaced).split()).strip(" .")


def _name_from_text(text: str) -> Name:
    heading = _heading(text)
    party = _PARTIES.search(" ".join(text[:_HEAD].split()))
    if party is None:
        return Name(heading)
    title = f"{heading} of {party['first'].strip(' ,.')}"
    return Name(title, handle=title)


def _heading(text: str) -> str:
    lines = [" ".join(line.split()) for line in text[:_HEAD].splitlines()]
    told = [line for line in lines if "agreement" in line.casefold() and len(line) <= 90]
    line = told[0] if told else next((line for line in lines if line), "Agreement")
    return (capwords(line) if line.isupper() else line)[:90].strip(" .,:")
