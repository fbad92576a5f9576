"""Resolves a document name: id, title, handle, or the file or page it came from."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from ragharness.placing.folding import fold

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragharness.corpus import Corpus
    from ragharness.records import Document

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
