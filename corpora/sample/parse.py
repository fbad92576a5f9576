"""Reads the composed documents."""

from __future__ import annotations

from pathlib import Path

from msgspec import json

from ragharness.records import Document


def parse(folder: Path, split: str) -> tuple[list[Document], list[str]]:
    """Documents of the folder; the corpus has no splits, so ``split`` is empty."""
    if split:
        raise ValueError(f"the sample corpus has no splits, but {split!r} was asked for")
    return json.Decoder(Document).decode_lines((folder / "documents.jsonl").read_bytes()), []
