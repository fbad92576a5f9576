"""What a sentence does by its phrases (decline, advise), and whether a decline is about the question."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from ragharness.language.dates import find_dates
from ragharness.language.polarity import frame, negations
from ragharness.language.tables import finds, holds, pattern, words_of
from ragharness.language.words import clauses, concept, concepts_of, content, generic_concepts, remembered

if TYPE_CHECKING:
    from ragharness.graders.reading.records import Profile

Family = Literal["inability", "absence", "missing_input", "silence"]
"""The speaker cannot; there is nothing to answer from; the speaker needs more; the documents do not say."""


class Decline(NamedTuple):
    """Where a text declines or says that something is not addressed (offsets into that text)."""

    start: int
    end: int
    kind: Family


@remembered
def find_decline(text: str) -> Decline | None:
    """Return the first decline or statement of silence in a clause, or None."""
    if not tells("signs", text):
        return None
    for family in get_args(Family):
        for found in finds("declines", family, text):
            start, end = found.span()
            excused = (each for key in ("excused", "disclaimer") for each in finds("declines", key, text))
            belongs = any(start < each.end() and each.start() < end for each in excused)
            if not (belongs or _anothers_lack(text, start)):
                return Decline(start, end, family)
    return None


def _anothers_lack(text: str, start: int) -> bool:
    """Say whether what is missing is missing to somebody else than the speaker and the documents."""
    found = pattern("declines", "had").search(text, 0, start + 8)
    speaks = found and pattern("declines", "speaker").search(text, 0, found.start())
    return found is not None and found.end() >= start and not speaks


@lru_cache(maxsize=16384)
def does(act: str, text: str) -> bool:
    """Say whether a text does what an entry of the table of acts tells ("pointer", "advice", ...)."""
    return holds("acts", act, text)


tells = lru_cache(maxsize=16384)(partial(holds, "declines"))
ANSWERING = frozenset(map(concept, words_of("declines", "answering")))
"""Words for answering and for finding what answers, which say nothing of what is asked."""
_EMPTY = ANSWERING.union(map(concept, words_of("declines", "empty"))) | generic_concepts()
"""The same and words for what documents hold: a sentence of them alone states nothing."""
_SENTENCE = 4
"""Words; fewer may be a name, which answers ("The Search")."""
Verdict = Literal["about", "near", "other"]
"""A decline of the question, of what may be another attribute of the same thing, of something else."""


def denies_premise(text: str, profile: Profile) -> bool:
    """Say whether a sentence denies, in the question's own words, what an open question takes for granted."""
    if asks_whether(profile) or negations(profile.question):
        return False
    for start, end in clauses(text):
        clause = text[start:end]
        words = concepts_of(clause) - generic_concepts()
        shared = words & profile.words
        said = shared and len(shared) * 5 >= len(words) * 4 and negations(clause) and not find_decline(clause)
        if said and (len(shared) > 1 or (shared == words and tells("never_done", clause))):
            return True
        apart = (concepts_of(clause[slice(*found.span(1))]) for found in finds("declines", "rather", clause))
        if words - profile.words and any(
            each and each - generic_concepts() - {"one"} <= profile.words for each in apart
        ):
            return True
    return False


def verdicts(text: str, profile: Profile) -> list[tuple[str, Verdict | None]]:
    """Return the clauses of a sentence, each with whether it declines the question asked."""
    found: list[tuple[str, Verdict | None]] = []
    before = ""
    for start, end in clauses(text):
        clause = text[start:end]
        verdict = speaks_of_question(clause, profile)
        if verdict is None and before and _falls_silent(before, clause, profile):
            verdict = "about"
        found.append((clause, verdict))
        before = clause
    return found


def _falls_silent(before: str, clause: str, profile: Profile) -> bool:
    """Say whether a clause takes back what a pointer has named ("the figure for 2022, but not for 2023")."""
    if not pattern("declines", "elliptical").match(clause):
        return False
    given = not asks_whether(profile) and pattern("declines", "gives").search(before)
    if not (given or does("pointer", before)):
        return False
    words = concepts_of(clause) | frozenset(str(date.year) for date in find_dates(clause))
    return bool(words & (profile.words | profile.kindred | frozenset(map(str, profile.years))))


@lru_cache(maxsize=4096)
def speaks_of_question(clause: str, profile: Profile) -> Verdict | None:
    """Say whether a clause declines the question asked or something else; None: it is no decline."""
    decline = find_decline(clause)
    if decline is None:
        absent = tells("signs", clause) and not asks_whether(profile) and _denies_existence(clause, profile)
        return "about" if absent else None
    if profile.kind == "yesno" and decline.kind == "silence":
        # What is said not to be so is what the question asks whether it is ("is not covered").
        said = content(clause[decline.start : decline.end])
        if not frame(profile.proposition).predicates.isdisjoint(said):
            return None
    if profile.kind == "yesno" and tells("plain_no", clause) and not tells("of_documents", clause):
        return None
    cut = pattern("declines", "afterthought").search(clause, decline.end)
    clause = clause[: cut.start()] if cut else clause
    words = frozenset(word for word in _object(clause) if not word.isdigit())
    known = profile.words | profile.kindred
    if len(words & known) * 5 >= len(words) * 2:
        return "near" if _other_head(clause, known) else "about"
    searched = (
        decline.kind == "inability" and tells("first_person", clause) and tells("hedged_search", clause)
    )
    return "about" if searched else "other"


def _object(clause: str) -> frozenset[str]:
    """Return the words of a decline that say what is declined."""
    return concepts_of(clause) - _EMPTY


def _other_head(clause: str, known: frozenset[str]) -> bool:
    """Say whether what is declined is another attribute of the same thing ("the age of ...")."""
    heads = (_object(found[1] or found[2]) for found in pattern("declines", "head").finditer(clause))
    return any(head and not head & known for head in heads)


def _denies_existence(clause: str, profile: Profile) -> bool:
    """Say whether a clause says that there is no such thing as was asked for ("sets no penalty")."""
    found = next(finds("declines", "absent", clause), None)
    if not found:
        return False
    words = _object(
        clause if clause.casefold().startswith("no ") else clause[found.start() : found.end() + 80]
    )
    return (
        bool(words & profile.focus) and len(words & (profile.words | profile.kindred)) * 5 >= len(words) * 2
    )


def says_nothing(text: str) -> bool:
    """Say whether a sentence has no words but those for documents and for answering ("More is needed.")."""
    words = content(text)
    return len(text.split()) >= _SENTENCE and len(words) > 0 and _EMPTY.issuperset(words)


def is_question(text: str) -> bool:
    """Say whether a sentence ends with a question mark."""
    return text.rstrip(" \"'*").endswith("?")


@lru_cache(maxsize=1024)
def asks_whether(profile: Profile) -> bool:
    """Say whether yes or no answers a question."""
    return profile.kind == "yesno" or tells("asks_whether", profile.question)


def is_guess(clause: str) -> bool:
    """Say whether a clause calls itself a guess, or outside knowledge."""
    return tells("guess", clause) or does("outside", clause)
