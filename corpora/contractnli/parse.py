"""Reads ContractNLI's JSON: contracts become named documents."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from string import capwords
from urllib.parse import unquote

import msgspec

from ragharness.errors import CorruptDownload
from ragharness.records import Document

_FILING = re.compile(r"\d+_\d{10}-\d\d-\d{6}_")  # register and accession number of an SEC filing: no name
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
)  # words that any such contract may carry: a name of nothing else is no handle
_PARTIES = re.compile(
    r"\b(?:between|among)\b[\s,:]*(?:and among\s+)?(?P<first>[A-Z][\w&.,'’\- ]{2,60}?)"
    r"(?:\s*[(,;“\"]|\s+(?:a|an|having|with|and)\b)"
)
_HEAD = 1500  # characters from the start in which a contract names its parties


@dataclass(frozen=True)
class Name:
    """How a document is called: ``title`` always and uniquely, the others only when they are usable."""

    title: str
    handle: str = ""
    paraphrase: str = ""


_HANDLES = Path(__file__).with_name("handles.toml").read_bytes()
CURATED = msgspec.toml.decode(_HANDLES, type=dict[str, dict[str, Name]])["documents"]  # by document id


def name_documents(documents: Sequence[tuple[str, str, str]]) -> list[Name]:
    """Name for each (id, file name, text); titles are unique among them.

    A rule's name that others share gets the document's id behind it, and is no handle any more.
    """
    ruled = [CURATED.get(id_) or _name(file_name, text) for id_, file_name, text in documents]
    often = Counter(name.title.casefold() for name in ruled)
    names: list[Name] = []
    taken = set(often)
    for (id_, _, _), name in zip(documents, ruled, strict=True):
        title = f"{name.title} ({id_})"
        while title.casefold() in taken:
            title += "'"
        unique = often[name.title.casefold()] == 1
        names.append(name if unique else Name(title))
        taken.add(names[-1].title.casefold())
    return names


def _name(file_name: str, text: str) -> Name:
    if _FILING.match(file_name):
        return _name_from_text(text)
    title = _readable(file_name)
    words = (word for word in title.split() if not word.isdigit())
    telling = [word for word in words if word.casefold().strip(".,()") not in _GENERIC]
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
    title = f"{heading} of {party['first'].strip(' ,.')}" if party else ""
    return Name(title or heading, handle=title)


def _heading(text: str) -> str:
    lines = [" ".join(line.split()) for line in text[:_HEAD].splitlines()]
    titles = (line for line in lines if "agreement" in line.casefold() and len(line) <= 90)
    line = next(chain(titles, filter(None, lines), ["Agreement"]))
    return (capwords(line) if line.isupper() else line)[:90].strip(" .,:")


CHOICES = ("Entailment", "Contradiction", "NotMentioned")


class Annotation(msgspec.Struct):
    """Label of one hypothesis in one contract, with the numbers of the spans that show it."""

    choice: str
    spans: list[int]


class Annotations(msgspec.Struct):
    """Labels of one annotator by hypothesis."""

    annotations: dict[str, Annotation]


class Contract(msgspec.Struct):
    """One document as ContractNLI publishes it."""

    id: int
    file_name: str
    text: str
    spans: list[tuple[int, int]]
    annotation_sets: list[Annotations]
    url: str = ""


class Label(msgspec.Struct):
    """Wording of a hypothesis."""

    hypothesis: str
    short_description: str = ""


class Split(msgspec.Struct):
    """Content of ``<split>.json``."""

    documents: list[Contract]
    labels: dict[str, Label]


def parse(folder: Path, split: str) -> tuple[list[Document], list[str]]:
    """Contracts of ``<split>.json``; raises CorruptDownload."""
    contracts = read_split(folder, split).documents
    rows = [(document_id(contract), contract.file_name, contract.text) for contract in contracts]
    return list(map(_document, contracts, name_documents(rows))), []


def read_split(folder: Path, split: str) -> Split:
    """Content of ``<split>.json``; raises CorruptDownload."""
    path = folder / f"{split}.json"
    try:
        content = msgspec.json.decode(path.read_bytes(), type=Split)
        for contract in content.documents:
            for topic in content.labels:
                _check(contract, topic)
    except (msgspec.DecodeError, ValueError) as error:
        raise CorruptDownload(
            f"{path} does not hold ContractNLI's documents, spans and annotations: {error}",
            help="ragharness corpus fetch contractnli",
        ) from error
    return content


def document_id(contract: Contract) -> str:
    """Id of a contract in the corpus."""
    return f"cnli-{contract.id}"


def _document(contract: Contract, name: Name) -> Document:
    return Document(
        id=document_id(contract),
        title=name.title,
        handle=name.handle,
        paraphrase=name.paraphrase,
        text=contract.text,
        segments=tuple(contract.spans),
        genre="non-disclosure agreement",
        source=contract.url,
    )


def _check(contract: Contract, topic: str) -> None:
    # The data holds one set of annotations a document; its format allows more.
    annotation = contract.annotation_sets[0].annotations.get(topic) if contract.annotation_sets else None
    if annotation is None:
        raise ValueError(f"document {contract.id} has no annotation of {topic}")
    if annotation.choice not in CHOICES:
        raise ValueError(f"document {contract.id} has the unknown choice {annotation.choice!r} for {topic}")
    if any(not 0 <= number < len(contract.spans) for number in annotation.spans):
        raise ValueError(f"document {contract.id} names a span that it does not have for {topic}")
