"""Composes the sample corpus: ``python tools/compose_sample [FOLDER]`` writes the two committed files.

The same script gives the same bytes on every machine; nothing is drawn at random.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import annual
import nda
import report
from msgspec import Struct, json


def main(folder: Path) -> None:
    """Write documents.jsonl and facts.jsonl into a folder."""
    composed = [*nda.compose(), *report.compose(), *annual.compose()]
    _write(folder / "documents.jsonl", (document for document, _ in composed))
    _write(folder / "facts.jsonl", (fact for _, facts in composed for fact in facts))


def _write(path: Path, records: Iterable[Struct]) -> None:
    path.write_bytes(b"".join(json.encode(record) + b"\n" for record in records))


if __name__ == "__main__":
    home = Path(__file__).resolve().parents[2] / "corpora" / "sample"
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else home)
