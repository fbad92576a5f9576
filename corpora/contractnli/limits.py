"""What a part of a clause states of a rule with limits: "only ...", "except ..."."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.language.modality import find_cues, negations, verdict
from ragharness.language.polarity import modality_at, place_of, polarity_of, says
from ragharness.language.words import content

from . import words

if TYPE_CHECKING:
    from ragharness.language.modality import Polarity
    from ragharness.language.polarity import Frame


def without_exception(text: str) -> tuple[str, str]:
    """Return a rule and its exception, empty where it has none."""
    found = says("exception").search(text)
    return (text[: found.start()], text[found.end() :]) if found else (text, "")


def narrows(text: str) -> bool:
    """Return whether a text confines a rule to something ("only for the purpose")."""
    return words.says("limits", "only").search(text) is not None


def widens(text: str) -> bool:
    """Return whether a text extends a rule beyond something ("not only for the purpose")."""
    return words.says("limits", "not_only").search(text) is not None


def read(part: str, said: Frame, *, only: bool, exception: bool) -> Polarity:
    """Return what a part states of a proposition, which itself has a limit, an exception or neither."""
    limited = _read_only(part, said, only=only, exception=exception)
    if limited:
        return limited
    main, excepted = without_exception(part)
    read_so = _read_exception(main, excepted, said) if excepted and not exception else None
    return read_so or polarity_of(main, said)


def _read_only(part: str, said: Frame, *, only: bool, exception: bool) -> Polarity | None:
    concepts = frozenset(content(part))
    if only:
        relevant = (said.predicates | said.objects) & concepts
        if widens(part):
            return "denies"
        if narrows(part) and relevant:
            return "denies" if len(negations(part)) % 2 else "affirms"
        return "unclear" if relevant else None
    if narrows(part) and exception and said.modality == "forbid" and said.predicates & concepts:
        return "unclear" if widens(part) else "affirms"
    return None


def _read_exception(main: str, exception: str, said: Frame) -> Polarity | None:
    """Read "not ... except X": what X names is permitted."""
    held = frozenset(content(exception))
    inside, outside = said.objects & held, said.objects & frozenset(content(main))
    place = place_of(main, said)
    if place is None:
        if said.predicates & held:
            return polarity_of(exception, said)
        banned = any(cue.modality == "forbid" for cue in find_cues(main))
        return verdict("permit", said.modality) if inside and not outside and banned else None
    if not inside or modality_at(main, place) not in ("forbid", "not_fact"):
        return None
    return "unclear" if outside else verdict("permit", said.modality)
