"""Passages named by their place: ``document@start-end``, several places joined by ``+``.

Whoever knows the corpus knows such a passage from its id alone, as a record keeps it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragharness.records import Evidence, Passage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.corpus import Corpus

_NAME = re.compile(r"(?P<document>.+)@(?P<places>\d{1,12}-\d{1,12}(?:\+\d{1,12}-\d{1,12}){0,15})", re.DOTALL)


def place_name(places: Sequence[Evidence]) -> str:
    """Return the id of the passage at some places of one document."""
    return f"{places[0].document}@" + "+".join(f"{place.start}-{place.end}" for place in places)


def at_places(name: str, corpus: Corpus) -> Passage | None:
    """Return the passage that is named by its places, in the corpus's own words; None for any other name."""
    found = _NAME.fullmatch(name)
    document = found and next((each for each in corpus.documents if each.id == found["document"]), None)
    if not found or not document:
        return None
    pairs = (place.split("-") for place in found["places"].split("+"))
    places = [Evidence(document.id, int(start), int(end)) for start, end in pairs]
    if not all(place.start < place.end <= len(document.text) for place in places):
        return None
    # A wording that is repeated is told once.
    texts = {" ".join(text.split()): text for text in (document.text[p.start : p.end] for p in places)}
    first, *others = places
    return Passage(
        name, document.id, document.title, first.start, first.end, "\n".join(texts.values()), tuple(others)
    )
