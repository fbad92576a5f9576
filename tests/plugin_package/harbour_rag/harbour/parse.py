"""Reads the notes."""

from __future__ import annotations

from pathlib import Path

from ragharness.records import Document


def parse(folder: Path, split: str) -> tuple[list[Document], list[str]]:
    notes = sorted(folder.glob("*.txt"))
    texts = [(path.stem, path.read_text(encoding="utf-8").strip()) for path in notes]
    return [Document(id=name, title=name.capitalize(), text=text) for name, text in texts], []
