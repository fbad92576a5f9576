# ruff: noqa: E501 (a pattern reads better with one group of alternatives a line)
"""Yes or no: the words that answer, what the clauses say of the proposition, and whether the two agree."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from ragharness.graders.reading.foreign import hear_foreign
from ragharness.graders.reading.languages import language_of
from ragharness.graders.reading.silence import speaks_of_question
from ragharness.language import acts
from ragharness.language.clauses import clauses
from ragharness.language.polarity import Statement, read_frame, read_statement
from ragharness.language.propositions import question_frame

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.graders.reading.parts import Part
    from ragharness.graders.reading.profile import Profile

Word = Literal["yes", "no"]

_YES = r"yes|yep|yeah|correct|affirmative|indeed|absolutely|certainly|true|that(?:['’]s|\s+is)\s+(?:correct|right|true|so|the\s+case)|it\s+is\s+(?:true|correct|the\s+case)|s[ií]|ja|jawohl|oui|si|of\s+course|definitely"
_NO = r"no|nope|negative|incorrect|false|(?:absolutely|certainly|definitely|of\s+course|clearly|plainly)\s+not|by\s+no\s+means|far\s+from\s+it|not\s+necessarily|not\s+really|not\s+at\s+all|not\s+quite|that(?:['’]s|\s+is)\s+(?:incorrect|wrong|false|not\s+(?:correct|right|true|so|the\s+case))|it\s+is\s+not\s+(?:true|correct|the\s+case)|nein|non|not\s+exactly"
_LEAD_IN = (
    r"^[\W_]*(?:(?:well|so|thus|therefore|hence|overall|ultimately|basically|essentially|in\s+(?:short|brief|summary|conclusion|essence|other\s+words|general|principle)|short|to\s+summari[sz]e|put\s+simply|simply\s+put|"
    r"generally|probably|likely|most\s+likely|presumably|apparently|technically|strictly\s+speaking|broadly|i\s+(?:think|believe|would\s+say)|it\s+(?:seems|appears)(?:\s+(?:that|so))?|"
    r"(?:based|relying|going)\s+on[^,.:;]{0,80}|according\s+to[^,.:;]{0,80}|under\s+[^,.:;]{0,80}|per\s+[^,.:;]{0,80}|from\s+[^,.:;]{0,80}|as\s+(?:per|stated)[^,.:;]{0,60}|from\s+what[^,.:;]{0,60}|given[^,.:;]{0,60}|sure|en\s+(?:resumen|bref)|kurz\s+gesagt)\s*[,:;—–-]*\s*)?"
)
_TO_YOU = re.compile(r"^\W*(?:you|please|i\s+(?:recommend|suggest))\b", re.IGNORECASE)
_ONLY_IF = re.compile(r"^\W*(?:but\s+)?only\s+(?:if|when|with|where|after|under|to|for)\s+\w", re.IGNORECASE)
_LEADING = re.compile(
    rf"{_LEAD_IN}(?:(?P<no>{_NO})|(?P<yes>{_YES}))\b(?P<after>[\"”'’)*]*\s*(?:[,.;:!—–(]|\s[-–—]|$|\n)|\s+(?=(?:it|they|there|this|that|he|she|we|you|i|under|because|as|since|according|neither|nothing|per|the|but|and|in|for|with|subject|provided|only|if)\b))",
    re.IGNORECASE,
)
_INNER = re.compile(
    r"""
      \b(?:answer|response|conclusion|verdict|result|respuesta|antwort|r[eé]ponse)(?:\s+(?:to|for|here)\b[^.;]{0,80}?)?\s+(?:is|would\s+be|must\s+be|seems\s+to\s+be|appears\s+to\s+be|es|lautet|ist|est)\s+(?:therefore\s+|thus\s+|that\s+|clearly\s+|likely\s+|probably\s+|a\s+)?[\"“'‘]?(?:(?:clear|simple|qualified|definite|plain|firm|resounding)\s+)?(?:(?P<yes1>yes|s[ií]|ja|oui)|(?P<no1>no|nein|non))\b
    | \b(?:but|so|then|hence|therefore|thus|think|say|short|brief)[,:]?\s+(?:(?P<yes2>yes)|(?P<no2>no))\s*(?:[,.;:!—–]|$)
    | (?:[,:—–]|\s-)\s+(?:(?P<yes3>yes)|(?P<no3>no))\s*(?:[.;!—–]|$)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_BOTH = re.compile(r"\b(?:yes\s+and\s+no|no\s+and\s+yes|both\s+yes\s+and\s+no|yes/no)\b", re.IGNORECASE)
_GUESSES = re.compile(
    r"\b(?:yes\W{1,4}(?:\w+\W+){0,3}?or\s+(?:possibly\s+|perhaps\s+)?no|no\W{1,4}(?:\w+\W+){0,3}?or\s+(?:possibly\s+|perhaps\s+)?yes"
    r"|yes[.,;!\s]{1,3}no(?=\s*(?:[.,;!]|$))|no[.,;!\s]{1,3}yes(?=\s*(?:[.,;!]|$)))\b",
    re.IGNORECASE,
)
_ELLIPSIS = re.compile(
    r"^\W*(?:it|they|this|that|he|she|(?:the|this|these)\s+(?:\w+\s+){0,2}\w+)\s+(?P<aux>does|do|is|are|has|have|will|did|was|were)(?P<not>\s+not|n['’]t)?(?:\s+so)?(?:,?\s+(?:indeed|too|either))?\W*$",
    re.IGNORECASE,
)
_MODAL_ELLIPSIS = re.compile(
    r"^\W*(?:it|they|he|she|(?:the|this|that)\s+(?:\w+\s+){0,2}\w+)\s+(?P<modal>may|can|could|must|shall|should|will)(?P<not>\s*not|n?['’]t)?\W*$",
    re.IGNORECASE,
)


class Voice(NamedTuple):
    """What one sentence says to a yes/no question."""

    part: Part
    word: Word | None
    """An answering word of its own."""
    clause: Word | None
    """What its clauses say, mapped to the question."""
    strong: bool
    """Whether the clause names the action and its object."""
    torn: bool
    """Whether its clauses contradict each other."""


def leading_word(text: str) -> tuple[Word | None, int]:
    """Return the word that answers at the head of a sentence, and where the rest begins."""
    found = _LEADING.match(text)
    if found:
        return ("yes" if found["yes"] else "no"), found.end()
    if _ONLY_IF.match(text):
        return "yes", 0
    return None, 0


def inner_word(text: str) -> Word | None:
    """Return a yes or no given further on ("but yes, it may", "the answer is no")."""
    found = _INNER.search(text)
    if not found:
        return None
    return "yes" if found["yes1"] or found["yes2"] or found["yes3"] else "no"


def is_guesses(text: str) -> bool:
    """Say whether a text names both answers ("either yes or no")."""
    return _GUESSES.search(text) is not None


def is_both(text: str) -> bool:
    """Say whether a text answers yes and no in one breath."""
    return _BOTH.search(text) is not None


def hear(part: Part, profile: Profile, language: str) -> Voice:
    """Read one sentence of an answer to a yes/no question."""
    word, rest = leading_word(part.text)
    if word is None:
        word, rest = inner_word(part.text), 0
    said: list[tuple[Word, bool]] = []
    body = part.text[rest:]
    if part.decline is None:
        _hear_clause(body, profile, language, said)
    if part.decline is not None or not said:
        for start, end in clauses(body):
            clause = body[start:end]
            if speaks_of_question(clause, profile) is None:
                _hear_clause(clause, profile, language, said)
    strong = [each for each, strength in said if strength]
    chosen = strong or [each for each, _ in said]
    # Among readings that are not sure the first counts: what follows it mostly explains.
    torn = len(set(strong)) > 1
    return Voice(part, word, chosen[0] if chosen and not torn else None, bool(strong), torn)


def _hear_clause(text: str, profile: Profile, language: str, said: list[tuple[Word, bool]]) -> None:
    ellipsis = _ELLIPSIS.match(text)
    if ellipsis:
        said.append(("no" if ellipsis["not"] else "yes", False))
        return
    modal = _MODAL_ELLIPSIS.match(text)
    asked = question_frame(profile.question)
    if (
        modal
        and asked is not None
        and asked.modality
        == ("permit" if modal["modal"].casefold() in ("may", "can", "could") else "require")
    ):
        said.append(("no" if modal["not"] else "yes", True))
        return
    if _TO_YOU.match(text) and acts.is_advice(text):
        return
    if language != "en":
        answered = hear_foreign(text, profile.question, language, profile.modality)
        if answered is not None:
            # An English question is measured by its proposition, another one by itself.
            affirmed = answered[0] == (profile.yes_means or language_of(profile.question) != "en")
            said.append(("yes" if affirmed else "no", answered[1]))
        return
    heard = _two_ways(text, profile)
    if heard:
        said.append(heard)


def _two_ways(text: str, profile: Profile) -> tuple[Word, bool] | None:
    """Read a clause against the proposition and against the question itself; where both speak, they must agree."""
    heard: list[tuple[Word, bool]] = []
    stated = read_statement(text, profile.proposition) if profile.stated else Statement("silent")
    if stated.polarity in ("affirms", "denies"):
        heard.append((_as_word(stated.polarity == "affirms", profile), stated.strong))
    asked = question_frame(profile.question)
    if asked is not None:
        answered = read_frame(text, asked)
        if answered.polarity in ("affirms", "denies"):
            heard.append(("yes" if answered.polarity == "affirms" else "no", answered.strong))
    if not heard:
        return None
    if len({word for word, _ in heard}) == 1:
        return heard[0][0], any(strong for _, strong in heard)
    strong = [each for each in heard if each[1]]
    return strong[0] if len(strong) == 1 else None


def _as_word(affirmed: bool, profile: Profile) -> Word:
    return "yes" if affirmed == profile.yes_means else "no"


def settle(voices: Sequence[Voice]) -> tuple[Word | None, str]:
    """Return the answer that the sentences together give, and why it cannot be read (empty: it can, or there is none)."""
    words = {voice.word for voice in voices if voice.word}
    if len(words) > 1:
        return None, "both"
    if words:
        return _with_word(next(voice for voice in voices if voice.word), voices)
    heard = [voice for voice in voices if voice.clause or voice.torn]
    strong = [voice for voice in heard if voice.strong] or heard
    if any(voice.torn for voice in strong):
        return None, "its clauses contradict each other"
    answers = {voice.clause for voice in strong}
    if len(answers) > 1:
        return None, "its sentences contradict each other"
    return (strong[0].clause if strong else None), ""


def _with_word(leader: Voice, voices: Sequence[Voice]) -> tuple[Word | None, str]:
    if leader.strong and leader.clause and leader.clause != leader.word:
        return None, f"it says {leader.word!r} and then the contrary"
    if not leader.strong:
        against = [voice for voice in voices if voice.strong and voice.clause and voice.clause != leader.word]
        if against and not any(voice.strong and voice.clause == leader.word for voice in voices):
            return None, f"it says {leader.word!r} and then the contrary"
        if against:
            return None, f"it says {leader.word!r} and elsewhere the contrary"
    return leader.word, ""
