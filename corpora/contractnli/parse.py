"""Reads ContractNLI's JSON: contracts become documents, labelled hypotheses become facts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ragharness.errors import CorruptDownload
from ragharness.records import Document, Evidence, Fact

from .titles import Name, name_documents

if TYPE_CHECKING:
    from collections.abc import Iterator

_ANSWERS: dict[str, tuple[str, ...]] = {"Entailment": ("yes",), "Contradiction": ("no",), "NotMentioned": ()}


class _Annotation(msgspec.Struct):
    choice: str
    spans: list[int]


class _Annotations(msgspec.Struct):
    annotations: dict[str, _Annotation]


class _Contract(msgspec.Struct):
    id: int
    file_name: str
    text: str
    spans: list[tuple[int, int]]
    annotation_sets: list[_Annotations]
    url: str = ""


class _Label(msgspec.Struct):
    hypothesis: str
    short_description: str = ""


class _Split(msgspec.Struct):
    documents: list[_Contract]
    labels: dict[str, _Label]


def parse(folder: Path, split: str) -> tuple[list[Document], list[Fact]]:
    """Return the contracts of ``<split>.json`` and one fact for each contract and hypothesis.

    A fact's topic is the hypothesis' key; its wording is in ``details``. Raises CorruptDownload.
    """
    path = folder / f"{split}.json"
    try:
        found = msgspec.json.decode(path.read_bytes(), type=_Split)
        names = name_documents([(_id(each), each.file_name, each.text) for each in found.documents])
        facts = [fact for contract in found.documents for fact in _facts(contract, found.labels)]
    except (msgspec.DecodeError, ValueError) as error:
        raise CorruptDownload(
            f"expected ContractNLI's documents, spans and annotations in {path}, found otherwise: {error}",
            help="ragharness corpus fetch contractnli",
        ) from error
    return [_document(each, name) for each, name in zip(found.documents, names, strict=True)], facts


def _id(contract: _Contract) -> str:
    return f"cnli-{contract.id}"


def _document(contract: _Contract, name: Name) -> Document:
    return Document(
        id=_id(contract),
        title=name.title,
        handle=name.handle,
        paraphrase=name.paraphrase,
        text=contract.text,
        segments=tuple(contract.spans),
        genre="non-disclosure agreement",
        source=contract.url,
    )


def _facts(contract: _Contract, labels: dict[str, _Label]) -> Iterator[Fact]:
    document = _id(contract)
    for topic, label in labels.items():
        annotation = _annotation(contract, topic)
        spans = [contract.spans[number] for number in sorted(annotation.spans)]
        yield Fact(
            document=document,
            topic=topic,
            kind="yesno",
            answers=_ANSWERS[annotation.choice],
            evidence=tuple(Evidence(document, start, end) for start, end in spans),
            details={"hypothesis": label.hypothesis, "short_description": label.short_description},
        )


def _annotation(contract: _Contract, topic: str) -> _Annotation:
    # The data holds one set of annotations a document; its format allows more.
    found = contract.annotation_sets[0].annotations.get(topic) if contract.annotation_sets else None
    if found is None:
        raise ValueError(f"document {contract.id} has no annotation of {topic}")
    if found.choice not in _ANSWERS:
        raise ValueError(f"document {contract.id} has the unknown choice {found.choice!r} for {topic}")
    if any(not 0 <= number < len(contract.spans) for number in found.spans):
        raise ValueError(f"document {contract.id} names a span that it does not have for {topic}")
    return found
