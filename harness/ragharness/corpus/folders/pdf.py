"""PDF files to plain text, with pypdf (extra ``folders``); page headers, footers and numbers are left out."""

from __future__ import annotations

import io
import logging
import re
from collections import Counter

from ragharness.corpus.folders.decoding import one_line, plain_lines, unwrapped

MOST_PAGES = 5_000
"""Pages of one file that are read."""

_REPEATED = 0.6
"""Share of pages on whose edge the same line stands: a running head, not what the page says."""

_HEAD = 1024
_EDGE = 2
_FEWEST = 4
_DIGITS = re.compile(r"\d+")


def is_pdf(content: bytes) -> bool:
    """Whether the mark of a PDF file stands where it must: within the first kilobyte."""
    return b"%PDF-" in content[:_HEAD]


def read_pdf(content: bytes) -> tuple[str, str]:
    """Return the title of the file's own properties ("" without) and its text.

    Raises ValueError with the reason where it cannot be read.
    """
    if not is_pdf(content):
        raise ValueError("it is no PDF file")
    import pypdf

    # It reports every oddity of a file to the log.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = pypdf.PdfReader(io.BytesIO(content))
        if reader.is_encrypted and not reader.decrypt(""):
            raise ValueError("it is encrypted and needs a password")  # noqa: TRY301
        if len(reader.pages) > MOST_PAGES:
            raise ValueError(f"it has {len(reader.pages)} pages, more than {MOST_PAGES}")  # noqa: TRY301
        pages = [plain_lines(page.extract_text() or "") for page in reader.pages]
        title = one_line(str((reader.metadata and reader.metadata.title) or ""))
    except ValueError as error:
        raise ValueError(one_line(str(error))[:200] or "it is damaged") from error
    except Exception as error:
        reason = one_line(str(error))[:200] or type(error).__name__
        raise ValueError(f"it is damaged or needs a password: {reason}") from error
    text = unwrapped("\n".join(line for page in _without_heads(pages) for line in page))
    if not text:
        raise ValueError("it holds no text (scanned pages need text recognition first)")
    return title, text


def _without_heads(pages: list[list[str]]) -> list[list[str]]:
    filled = [[line.strip() for line in page if line.strip()] for page in pages]
    edges = Counter(
        each for page in filled for each in {_masked(line) for line in (*page[:_EDGE], *page[-_EDGE:])}
    )
    common = {line for line, count in edges.items() if count >= max(_FEWEST, _REPEATED * len(filled))}
    return [
        [
            line
            for place, line in enumerate(page)
            if _EDGE <= place < len(page) - _EDGE or _masked(line) not in common
        ]
        for page in filled
    ]


def _masked(line: str) -> str:
    return _DIGITS.sub("#", line)
