# ruff: noqa: E501 (a pattern reads better with one group of alternatives a line)
"""Yes or no: the words that answer, what the clauses say of the proposition, and whether the two agree."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from ragharness.graders.reading.echoes import echoed
from ragharness.graders.reading.silence import speaks_of_question
from ragharness.language import acts
from ragharness.language.coverage import coverage_of, read_coverage
from ragharness.language.patterns import regex
from ragharness.language.polarity import Statement, read_frame, read_statement
from ragharness.language.propositions import Frame, question_frame
from ragharness.language.sentences import clauses
from ragharness.language.special import CONSENT
from ragharness.language.verdicts import verdict
from ragharness.language.words import content, generic_concepts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.graders.reading.answer import AnswerSentence
    from ragharness.graders.reading.profile import Profile
    from ragharness.language.modality import Modality

Word = Literal["yes", "no"]

_YES = r"yes|yep|yeah|correct|affirmative|indeed|absolutely|certainly|true|that(?:['’]s|\s+is)\s+(?:correct|right|true|so|the\s+case)|it\s+is\s+(?:true|correct|the\s+case)|s[ií]|ja|jawohl|oui|si|of\s+course|definitely"
_NO = r"no|nope|negative|i\s+(?:do\s+not|don['’]t)\s+(?:think|believe)\s+so|(?:most\s+)?(?:probably|likely|presumably|apparently|usually|generally|typically)\s+not|incorrect|false|(?:absolutely|certainly|definitely|of\s+course|clearly|plainly)\s+not|by\s+no\s+means|far\s+from\s+it|not\s+necessarily|not\s+really|not\s+at\s+all|not\s+quite|not\s+(?:from|for|in|to|of|without|unless|until|by\s+default)\b[^,.:;]{0,60}|not\s+(?:always|automatically)|not\s+all(?:\s+of\s+(?:them|it|these|those))?|that(?:['’]s|\s+is)\s+(?:incorrect|wrong|false|not\s+(?:correct|right|true|so|the\s+case))|it\s+is\s+not\s+(?:true|correct|the\s+case)|nein|non|not\s+exactly"
_LEAD_IN = (
    r"^[\W_]*(?:(?:well|so|thus|therefore|hence|overall|ultimately|basically|essentially|in\s+(?:short|brief|summary|conclusion|essence|other\s+words|general|principle)|short|to\s+summari[sz]e|put\s+simply|simply\s+put|"
    r"generally|probably|likely|most\s+likely|presumably|apparently|technically|strictly\s+speaking|broadly|i\s+(?:think|believe|would\s+say)|it\s+(?:seems|appears)(?:\s+(?:that|so))?|"
    r"(?:based|relying|going)\s+on[^,.:;]{0,80}|according\s+to[^,.:;]{0,80}|under\s+[^,.:;]{0,80}|per\s+[^,.:;]{0,80}|from\s+[^,.:;]{0,80}|as\s+(?:per|stated)[^,.:;]{0,60}|from\s+what[^,.:;]{0,60}|given[^,.:;]{0,60}|sure|en\s+(?:resumen|bref)|kurz\s+gesagt)\s*[,:;—–-]*\s*)?"
)
_TO_YOU = regex(r"^\W*(?:you|please|i\s+(?:recommend|suggest))\b", re.IGNORECASE)
_THEREFORE = regex(
    r"\b(?:so|therefore|thus|hence|consequently|meaning|which\s+means|por\s+lo\s+tanto|por\s+tanto|as[ií]\s+que|daher|deshalb|also|donc)\b",
    re.IGNORECASE,
)
_ONLY_IF = regex(r"^\W*(?:but\s+)?only\s+(?:if|when|with|where|after|under|to|for)\s+\w", re.IGNORECASE)
_LEADING = regex(
    rf"{_LEAD_IN}(?:(?P<no>{_NO})|(?P<yes>{_YES}))\b(?P<after>[\"”'’)*]*\s*(?:[,.;:!—–(]|\s[-–—]|$|\n)|\s+(?=(?:it|they|there|this|that|he|she|we|you|i|under|because|as|since|according|neither|nothing|per|the|but|and|in|for|with|subject|provided|only|if)\b))",
    re.IGNORECASE,
)
_INNER = regex(
    r"""
      \b(?:answer|response|conclusion|verdict|result|respuesta|antwort|r[eé]ponse)(?:\s+(?:to|for|here)\b[^.;]{0,80}?)?\s+(?:is|would\s+be|must\s+be|seems\s+to\s+be|appears\s+to\s+be|es|lautet|ist|est)\s+(?:therefore\s+|thus\s+|that\s+|clearly\s+|likely\s+|probably\s+|a\s+)?[\"“'‘]?(?:(?:clear|simple|qualified|definite|plain|firm|resounding)\s+)?(?:(?P<yes1>yes|s[ií]|ja|oui)|(?P<no1>no|nein|non))\b
    | \b(?:but|so|then|hence|therefore|thus|think|say|short|brief)[,:]?\s+(?:(?P<yes2>yes)|(?P<no2>no))\s*(?:[,.;:!—–]|$)
    | (?:[,:—–]|\s-)\s+(?:(?P<yes3>yes)|(?P<no3>no))\s*(?:[.;!—–]|$)
    | \bi(?:\s+would|['’]d)?\s+(?:think|assume|guess|believe|suspect|expect|suppose|presume|say)\s+(?:that\s+)?(?:(?P<yes4>so|yes)|(?P<no4>not|no))\s*(?:[,.;:!—–]|$)
    | \b(?:but|though|so|however),?\s+(?:it\s+is\s+|most\s+)?(?:probably|likely|presumably|generally|usually|typically|normally|apparently),?\s+(?:(?P<yes5>yes|so)|(?P<no5>not|no))\s*(?:[,.;:!—–]|$)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_BOTH = regex(r"\b(?:yes\s+and\s+no|no\s+and\s+yes|both\s+yes\s+and\s+no|yes/no)\b", re.IGNORECASE)
_GUESSES = regex(
    r"\b(?:yes\W{1,4}(?:\w+\W+){0,3}?or\s+(?:possibly\s+|perhaps\s+)?no|no\W{1,4}(?:\w+\W+){0,3}?or\s+(?:possibly\s+|perhaps\s+)?yes"
    r"|yes[.,;!\s]{1,3}no(?=\s*(?:[.,;!]|$))|no[.,;!\s]{1,3}yes(?=\s*(?:[.,;!]|$)))\b",
    re.IGNORECASE,
)
_ELLIPSIS = regex(
    r"^\W*(?:it|they|this|that|he|she|one|(?:the|this|these|that|either|each|neither)\s+(?:\w+\s+){0,2}\w+)\s+"
    r"(?:(?P<fact>does|do|did|is|are|was|were|has|have|will|would)|(?P<permit>may|can|could|might)|(?P<require>must|shall|should|(?P<need>need(?:s)?|has\s+to|have\s+to)))(?P<not>\s*(?:not|never)|n?['’]t)?"
    r"(?:\s+so|\s+do\s+so)?(?:,?\s+(?:indeed|too|either|so))?(?:\W*$|\s*[.:;!—–](?=\s)|,\s+(?=(?:because|since|provided|so\s+long|but|and|though|although)\b))",
    re.IGNORECASE,
)
_ELLIPTIC: tuple[Modality, ...] = ("fact", "permit", "require")
_QUOTATION = regex(r"[\"“«„][^\"”»“]{40,}")
_ITEM = regex(r"\W*\(?[a-z0-9.]{1,5}\)\s|\W*[a-z0-9]\.\s", re.IGNORECASE)
_DENIED_THAT = regex(r"\bit\s+is\s+not\s+(?:true|correct|right|the\s+case)\W*$", re.IGNORECASE)
_DENIES_THAT = regex(r"\s*that\b[^:;]*?(?=[:;]|,\s+(?:as|since|because|for)\b|[.!]?\s*$)", re.IGNORECASE)
LONGEST_PLAIN = 30
"""Words; a longer sentence explains its yes or no and never overrules it."""
SHORT = 20
"""Words; a sentence this short overrules its yes or no even if it names its object by another word."""
LONGEST_READ = 45
"""Words; of a longer sentence the rules do not say what it means for the question."""


class Voice(NamedTuple):
    """What one sentence says to a yes/no question."""

    part: AnswerSentence
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
    only = _ONLY_IF.match(text)
    if only:
        return "yes", only.end() - 1
    return None, 0


def inner_word(text: str) -> Word | None:
    """Return a yes or no given further on ("but yes, it may", "the answer is no")."""
    found = _INNER.search(text)
    if not found:
        return None
    return "yes" if any(found[f"yes{place}"] for place in range(1, 6)) else "no"


def is_guesses(text: str) -> bool:
    """Say whether a text names both answers ("either yes or no")."""
    return _GUESSES.search(text) is not None


def elliptic_word(text: str, profile: Profile) -> tuple[Word | None, int]:
    """Return the answer of a clause that leans on the question ("It does.", "They may not:"), and where the rest begins."""
    found = _ELLIPSIS.match(text)
    if not found:
        return None, 0
    asked = question_frame(profile.question)
    if asked is None:
        return None, 0
    modality: Modality = next(name for name in _ELLIPTIC if found[name])  # the groups are alternatives
    if modality != "fact":
        if found["not"]:
            modality = "optional" if found["need"] else "forbid"
        fitting = verdict(modality, asked.modality)
        if fitting not in ("affirms", "denies"):
            return None, 0
        return ("yes" if fitting == "affirms" else "no"), found.end()
    return ("no" if found["not"] else "yes"), found.end()


def is_both(text: str) -> bool:
    """Say whether a text answers yes and no in one breath."""
    return _BOTH.search(text) is not None


def hear(part: AnswerSentence, profile: Profile) -> Voice:
    """Read one sentence of an answer to a yes/no question."""
    word, rest = leading_word(part.text)
    if word == "yes" and _ONLY_IF.match(part.text) and _is_the_condition(part.text, profile):
        word = "no"
    leaning, end = elliptic_word(part.text[rest:], profile)
    if word is not None and leaning not in (None, word):
        return Voice(part, word, leaning, strong=True, torn=False)
    if word is None:
        word, rest = leaning, end
    if word is None:
        word, rest = inner_word(part.text), 0
    said: list[tuple[Word, bool]] = []
    body = part.text[rest:]
    if word is not None and word == echoed(body, profile):
        return Voice(part, word, word, strong=True, torn=False)
    outer = _DENIES_THAT.match(body) if word is not None else None
    if outer and _DENIED_THAT.search(part.text, 0, rest):
        # "It is not the case that it may": what the clause would say is denied.
        denied: list[tuple[Word, bool]] = []
        _hear_clause(outer[0], profile, denied)
        word = _contrary(denied[0][0]) if denied else word
        body = body[outer.end() :]
    if part.decline is None:
        _hear_clause(body, profile, said)
    if part.decline is not None or not said:
        before = 0
        for start, end in clauses(body):
            clause = body[start:end]
            if speaks_of_question(clause, profile) is None:
                heard = len(said)
                _hear_clause(clause, profile, said)
                if _THEREFORE.search(body, before, start):
                    # "It does not say, so it is allowed" commits, however short the conclusion.
                    said[heard:] = [(word_, True) for word_, _ in said[heard:]]
            before = end
    strong = [each for each, strength in said if strength]
    chosen = strong or [each for each, _ in said]
    # Among readings that are not sure the first counts: what follows it mostly explains.
    torn = len(set(strong)) > 1
    sure = bool(strong)
    if word is not None:
        agreed = len({each for each, _ in said}) == 1
        sure = _is_plain(body, LONGEST_PLAIN if strong else SHORT) and (bool(strong) or agreed)
    if word is None and len(body.split()) > LONGEST_READ:
        chosen = []
    return Voice(part, word, chosen[0] if chosen and not torn else None, sure, torn and sure)


def _is_the_condition(text: str, profile: Profile) -> bool:
    """Say whether "only with consent" names what the question asks to do without."""
    asked = question_frame(profile.question)
    without = asked is not None and asked.unconditional and asked.modality in ("permit", "fact")
    return without and CONSENT.search(text) is not None


def _contrary(word: Word) -> Word:
    return "no" if word == "yes" else "yes"


def _is_plain(text: str, longest: int) -> bool:
    """Say whether a text is short and in the answer's own words, so that it can overrule a yes or no.

    Clauses of contracts, quoted at length or in pieces, are misread too often for that.
    """
    return len(text.split()) <= longest and not _QUOTATION.search(text) and not _ITEM.match(text)


def _hear_clause(text: str, profile: Profile, said: list[tuple[Word, bool]]) -> None:
    if _TO_YOU.match(text) and acts.is_advice(text):
        return
    heard = _two_ways(text, profile)
    if heard:
        said.append(heard)


def _two_ways(text: str, profile: Profile) -> tuple[Word, bool] | None:
    """Read a clause against the proposition and against the question itself; where both speak, they must agree."""
    covered = coverage_of(profile.proposition) if profile.stated else None
    affirmed = read_coverage(text, covered) if covered else None
    if affirmed is not None:
        return _as_word(affirmed, profile), True
    heard: list[tuple[Word, bool]] = []
    stated = read_statement(text, profile.proposition) if profile.stated else Statement("silent")
    if stated.polarity in ("affirms", "denies"):
        heard.append((_as_word(stated.polarity == "affirms", profile), stated.strong))
    asked, sure = _asked(profile.question, profile.proposition if profile.stated else "", profile.yes_means)
    pointed = len(frozenset(content(text)) - generic_concepts()) <= 2
    if asked is not None and (sure or pointed):
        answered = read_frame(text, asked)
        if answered.polarity in ("affirms", "denies"):
            heard.append(("yes" if answered.polarity == "affirms" else "no", answered.strong and sure))
    if not heard:
        return None
    if len({word for word, _ in heard}) == 1:
        return heard[0][0], any(strong for _, strong in heard)
    strong = [each for each in heard if each[1]]
    return strong[0] if strong else None


@lru_cache(maxsize=1024)
def _asked(question: str, proposition: str, yes_means: bool) -> tuple[Frame | None, bool]:
    """Return a question's frame, and whether it is to be trusted.

    The proposition is the measure: a frame in which it does not read as it should was not understood.
    """
    asked = question_frame(question)
    if asked is None or not proposition:
        return asked, True
    polarity = read_frame(proposition, asked).polarity
    return asked, polarity == ("affirms" if yes_means else "denies")


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
