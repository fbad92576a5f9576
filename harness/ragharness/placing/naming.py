"""Folded text, and the names of documents compared in it: letters and digits without layout, case or accents.

Line breaks, hyphens at line ends, typographic quotes and ligatures, accents in either Unicode form, and the
stars and bars of Markdown leave no trace, so that a text can be found again however it was wrapped.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy import int32
    from numpy.typing import NDArray

    from ragharness.corpus import Corpus
    from ragharness.records import Document

SHARE = 0.5
"""The share of a text's folded characters that must be found; the rest is a heading, a summary, a footer."""

_OTHERS = re.compile(r"[\W_]+")


def fold(text: str) -> str:
    """Return the folded letters and digits of a text."""
    if text.isascii():
        return _OTHERS.sub("", text).lower()
    return "".join(map(_folded, text))


def fold_with_places(text: str) -> tuple[str, NDArray[int32]]:
    """Return the folded text and the offset of the character that each one comes from."""
    import numpy as np

    letters = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    used = sorted(set(text))
    folded = [_folded(each) for each in used]
    lengths = np.zeros(ord(used[-1]) + 1 if used else 1, dtype=np.uint8)
    lengths[[ord(each) for each in used]] = [len(each) for each in folded]
    places = np.repeat(np.arange(len(text), dtype=np.int32), lengths[letters])
    # ``translate`` is as fast as the array operations and knows characters that become several.
    return text.translate(dict(zip(map(ord, used), folded, strict=True))), places


def _folded(letter: str) -> str:
    return "".join(each for each in unicodedata.normalize("NFKD", letter).casefold() if each.isalnum())


_ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9]{1,5}$")


class DocumentNames:
    """The documents of a corpus by all their names; a name that two of them bear means none."""

    def __init__(self, corpus: Corpus) -> None:
        self._ids = frozenset(each.id for each in corpus.documents)
        self._known: dict[str, str] = {}
        for document in corpus.documents:
            for name in _names(document):
                known = self._known.setdefault(name, document.id)
                if corpus.canonical(known) != corpus.canonical(document.id):
                    self._known[name] = ""

    def find(self, *names: str) -> str:
        """Return the id of the document that the first known of these names means; empty: of none."""
        for name in names:
            if name in self._ids:
                return name
            found = next(filter(None, (self._known.get(each, "") for each in _forms(name))), "")
            if found:
                return found
        return ""


def _names(document: Document) -> Iterator[str]:
    for name in (document.id, document.title, document.handle, document.source):
        yield from dict.fromkeys(_forms(name))


def _forms(name: str) -> list[str]:
    """Return how a name is compared: whole, as the last part of a path or URL, and without a file ending."""
    path = unquote(urlsplit(name).path) if "://" in name else name
    last = re.split(r"[/\\]", path.rstrip("/\\"))[-1]
    forms = (fold(each) for each in (name, last, _ENDING.sub("", last), _ENDING.sub("", name)))
    return [each for each in forms if each]
