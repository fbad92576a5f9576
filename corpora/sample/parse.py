"""Reads the composed documents and their facts."""

from __future__ import annotations

from pathlib import Path

from msgspec import json

from ragharness.records import Document, Fact


def parse(folder: Path, split: str) -> tuple[list[Document], list[Fact]]:
    """Return the documents and facts of the folder; the corpus has no splits, so ``split`` is empty."""
    if split:
        raise ValueError(f"the sample corpus has no splits, but {split!r} was asked for")
    documents = json.Decoder(Document).decode_lines((folder / "documents.jsonl").read_bytes())
    facts = json.Decoder(Fact).decode_lines((folder / "facts.jsonl").read_bytes())
    return documents, facts
