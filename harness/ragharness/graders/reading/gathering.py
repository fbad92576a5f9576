"""The values of an answer, sentence by sentence, each with where it stands to the question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.graders.reading.beside import NAME, declined_words, is_anothers, is_wider, speaks_of_another
from ragharness.graders.reading.candidates import find_candidates
from ragharness.graders.reading.choosing import Entry
from ragharness.graders.reading.owners import is_neighbours, is_other_entity
from ragharness.graders.reading.silence import verdicts
from ragharness.graders.reading.slots import place_candidates
from ragharness.language import acts
from ragharness.language.patterns import regex
from ragharness.language.words import content

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.graders.reading.answer import AnswerSentence
    from ragharness.graders.reading.attributes import Slot
    from ragharness.graders.reading.candidate import Candidate
    from ragharness.graders.reading.profile import Profile
    from ragharness.records import Question

_ACT = regex(r"\b(?:Act|Law|Statute|Code|Regulations?)(?:,|\s+of)\s+$")


def gather(
    parts: Sequence[AnswerSentence], question: Question, profile: Profile, *, declined: bool
) -> list[Entry]:
    """Return the values of all sentences in order; ``declined``: the text declines the question."""
    entries: list[Entry] = []
    carried = False
    left_out = declined_words(parts, profile) if declined else frozenset()
    # The same sentence over and over is read once.
    read: dict[tuple[str, str, bool], tuple[list[tuple[Candidate, Slot]], bool]] = {}
    for part in parts:
        key = (part.text, part.context, carried)
        if key in read:
            entries += [Entry(part, candidate, slot) for candidate, slot in read[key][0]]
            carried = read[key][1]
            continue
        first = len(entries)
        if part.text.rstrip(" \"'*").endswith("?"):
            # "Do you mean Borealis Oy? It was founded in 1987": what follows is of what was asked back about.
            carried = acts.asks_back(part.text) and _names_another(part.text, profile)
            continue
        found = find_candidates(part.text, question, question.kind)
        slots = place_candidates(
            part.text, found, profile, context=part.context, carried=carried, dates=question.kind == "date"
        )
        rest = _beside_declines(part, profile) if declined else ""
        pointing = declined and acts.is_pointer(rest)
        mere = declined and acts.is_mere_pointer(rest)
        for candidate, slot in zip(found, slots, strict=True):
            asked = pointing and _names_the_asked(rest.replace(candidate.written, " "), profile)
            away = (
                mere or (pointing and not (slot == "in" and asked)) or (declined and candidate.foreign_unit)
            )
            if declined and not away:
                away = (
                    _names_an_act(part.text, candidate)
                    or is_neighbours(part.text, candidate, profile, question.unit)
                    or (slot == "weak" and speaks_of_another(part.text, candidate, profile))
                    or (candidate.relation != "match" and is_anothers(part.text, candidate, profile))
                    or (candidate.relation != "match" and is_wider(part.text, candidate, profile, left_out))
                )
            entries.append(Entry(part, candidate, "out" if away else slot))
        carried = is_other_entity(part.text, profile) or (carried and not found)
        read[key] = [(each.candidate, each.slot) for each in entries[first:]], carried
    return entries


def _names_an_act(text: str, candidate: Candidate) -> bool:
    """Say whether a year belongs to the name of a law ("the Consolidated Appropriations Act, 2021")."""
    return candidate.written.isdigit() and _ACT.search(text, 0, candidate.start) is not None


def _names_the_asked(text: str, profile: Profile) -> bool:
    return bool(frozenset(content(text)) & (profile.focus | profile.kindred))


def _names_another(text: str, profile: Profile) -> bool:
    names = {found[0].casefold().rstrip(".'’") for found in NAME.finditer(text)}
    return bool(profile.names) and bool(names - profile.names) and not profile.names <= names


def _beside_declines(part: AnswerSentence, profile: Profile) -> str:
    """What a sentence says beside declining: "the passages do not say" points to nothing."""
    if part.decline is None:
        return part.text
    return "; ".join(clause for clause, verdict in verdicts(part.text, profile) if verdict is None)
