"""Yes or no: the words that answer, what the sentences say of the question, and whether they agree."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from ragharness.corpus.propositions import read
from ragharness.graders.reading.acts import ANSWERING
from ragharness.graders.reading.records import AnswerSentence, Outcome, Profile
from ragharness.graders.reading.refusal import find_decline, is_question, speaks_of_question
from ragharness.language.polarity import FACTS, YEAR, Modality, Polarity, frame, verb_at, verdict
from ragharness.language.tables import WHOLE, pattern, phrases, regex
from ragharness.language.words import clauses, concepts_of, content, raw_words
from ragharness.questions.values import interrogative
from ragharness.records import Match, Question

Word = Literal["yes", "no"]

_WORDS: dict[Polarity, Word] = {"affirms": "yes", "denies": "no"}
_AUXILIARY = regex(
    r"(?:^|,\s+|\bthat\s+)(?:and\s+|so\s+)?"
    r"(?P<aux>may|might|can|could|must|shall|should|will|would|is|are|was|were|does|do|did|has|have|had)\s+",
    re.IGNORECASE,
)
_ASIDE = regex(r"\s*\([^()]*\)")
_ANY = regex(r"\b(?:any|an?|either)\s+(?:[\w-]+\s+){0,2}", re.IGNORECASE)
_MODALS = ("may", "might", "can", "could", "must", "shall", "should", "will")
_COPULAS = ("is", "are", "was", "were")
_DOCUMENT = regex(
    r"\s+(?:under|according\s+to|pursuant\s+to|based\s+on)\s+"
    r"(?=[^?]*(?:[A-Z]|\d{4}|\b(?:agreement|nda|contract|form|letter|report)\b)).*$",
    re.DOTALL,
)
"""Where a question names its document at its end."""
_LEADING = regex(
    rf"^[\W_]*(?:so\s+)?(?:{phrases('yesno', 'lead_ins')}\s*[,:;—–-]*\s*)?"
    rf"(?:(?P<no>{phrases('yesno', 'no')})|(?P<yes>{phrases('yesno', 'yes')}))\b"
    rf"(?:[\"”'’)*]*\s*(?:[,.;:!—–([]|\s[-–—]|$|\n)|\s+(?={phrases('yesno', 'goes_on')}\b))",
    re.IGNORECASE,
)
"""The answering word at the head of a sentence, behind a lead-in or none."""
LONGEST_READ = 45  # words; of a longer sentence the rules do not say what it means for the question
LONGEST_DENIAL = 20  # words behind a leading yes or no that may take it back; more of them give reasons
_UNFINISHED = regex(r"\b(?:(?:which|who|whose|if|unless)\W*|that:?\s*)$", re.IGNORECASE)
"""The end of a passage cut off: what it says depends on the rest."""


class Voice(NamedTuple):
    """What one sentence says to a yes/no question."""

    part: AnswerSentence
    word: Word | None = None
    clause: Word | None = None  # what its clauses say, mapped to the question
    strong: bool = False  # whether the clause names the action and its object


def read_yesno(
    parts: Sequence[AnswerSentence], question: Question, profile: Profile, *, declined: bool
) -> Outcome:
    """What the sentences of an answer commit to; ``declined``: one of them declines what was asked."""
    voices: list[Voice] = []
    heard: dict[str, Voice] = {}  # the same sentence over and over is read once
    for part in parts:
        if is_question(part.text) or (part.heading and not leading_word(part.text)[0]):
            continue
        if _says("both").search(part.text):
            return Outcome(unreadable="it answers yes and no")
        if _says("guesses").search(part.text):
            # Two incompatible values in the same slot.
            return Outcome(
                committed=True, match="mismatch", contradiction=True, value="yes and no", parts=[part]
            )
        voice = heard.setdefault(part.text, heard.get(part.text) or interpret_sentence(part, profile))
        unsaid = declined or not ANSWERING.isdisjoint(content(part.text))
        if unsaid and not (voice.strong or voice.word):
            voice = voice._replace(clause=None)
        voices.append(voice._replace(part=part))
    word, why = settle(voices)
    if word is None:
        return Outcome(unreadable=why)
    return Outcome(committed=True, value=word, match=_match(word, question), parts=_carriers(voices, word))


def leading_word(text: str) -> tuple[Word | None, int]:
    """Word that answers at the head of a sentence, and where the rest begins."""
    found = _LEADING.match(text)
    if found:
        return ("yes" if found["yes"] else "no"), found.end()
    only = _begins("only_if").match(text)
    return ("yes", only.end() - 1) if only else (None, 0)


def interpret_sentence(part: AnswerSentence, profile: Profile) -> Voice:
    """What one sentence of an answer says to a yes/no question."""
    word, rest = leading_word(part.text)
    without = _says("without").search(profile.question)
    named = without and not concepts_of(without[1]).isdisjoint(content(part.text))
    if named and _begins("only_if").match(part.text):
        # "Only with consent" names what the question asks to do without.
        word = "no"
    leaning, end = _elliptic_word(part.text[rest:], profile)
    if word and leaning and leaning != word:
        return Voice(part, word, leaning, strong=True)
    if leaning and not word:
        word, rest = leaning, end
    word, body = (word, part.text[rest:]) if word else _announced_word(part.text)
    if word and (_begins("concedes").match(body) or len(body.split()) > LONGEST_DENIAL):
        # "No. Although disclosure needs consent, ..." gives reasons.
        return Voice(part, word)
    said = _hear_clauses(part, body, profile)
    strong = [each for each, strength in said if strength]
    # Among readings that are not sure the first counts: what follows it mostly explains.
    chosen = strong or [each for each, _ in said]
    about_it = word or strong or profile.modality not in FACTS
    # "A fee applies to any prepayment" does not say that it is free.
    aside = without and not named and "yes" in chosen and frame(part.text).modality == "fact"
    if not chosen or aside or not about_it or len(set(strong)) > 1 or len(body.split()) > LONGEST_READ:
        return Voice(part, word)
    return Voice(part, word, chosen[0], bool(strong))


def _hear_clauses(part: AnswerSentence, body: str, profile: Profile) -> list[tuple[Word, bool]]:
    """What a sentence says as a whole, or else each of its clauses that does not decline."""
    if _UNFINISHED.search(body) or (_says("conditional").search(body) and profile.modality in FACTS):
        return []
    if profile.modality in FACTS and any(
        _begins("undone").match(body[low:high]) for low, high in clauses(body)
    ):
        return [("no", True)]
    whole = _read_both_ways(body, profile) if find_decline(part.text) is None else None
    if whole:
        return [whole]
    said: list[tuple[Word, bool]] = []
    before = 0
    for start, end in clauses(body):
        if speaks_of_question(body[start:end], profile) is None:
            heard = _read_both_ways(body[start:end], profile)
            # "It does not say, so it is allowed" commits, however short the conclusion.
            concludes = _says("therefore").search(body, before, start) is not None
            said += [(heard[0], heard[1] or concludes)] if heard else []
        before = end
    return said


def _read_both_ways(text: str, profile: Profile) -> tuple[Word, bool] | None:
    """What a clause answers, read against proposition and question, and whether it surely is about them."""
    # A proposition may be the question again, as in tables of questions.
    repeats = profile.proposition.rstrip("? ") == profile.question.rstrip("? ")
    proposition = "" if repeats else profile.proposition
    asked = _asked(profile.question, proposition, profile.yes_means)
    heard: list[tuple[Word, bool]] = []
    for statement, yes_means in ((proposition, profile.yes_means), (asked, True)):
        stated = read(text, statement) if statement else None
        if stated and stated.polarity in _WORDS:
            heard.append(("yes" if (stated.polarity == "affirms") == yes_means else "no", stated.strong))
    agreed = len({word for word, _ in heard}) == 1
    return (heard[0][0], any(strong for _, strong in heard)) if agreed else None


@lru_cache(maxsize=1024)
def _asked(question: str, proposition: str, yes_means: bool) -> str:
    """What "yes" to a question states; empty where the proposition does not agree: it was not understood."""
    asked = statement_of(question)
    wanted = "affirms" if yes_means else "denies"
    return asked if not proposition or not asked or read(proposition, asked).polarity == wanted else ""


def _elliptic_word(text: str, profile: Profile) -> tuple[Word | None, int]:
    """The answer of a clause that leans on the question ("They may not: ..."), and where the rest begins."""
    found, asked = _begins("leans").match(text), statement_of(profile.question)
    known = concepts_of(profile.question)
    if not found or not asked or not known.issuperset(content(found["who"] or "")):
        return None, 0
    if found["fact"]:
        return ("no" if found["not"] or found["none"] else "yes"), found.end()
    modality: Modality = "permit" if found["permit"] else "require"
    if found["not"]:
        modality = "optional" if found["need"] else "forbid"
    return _WORDS.get(verdict(modality, frame(asked).modality)), found.end()


def _announced_word(text: str) -> tuple[Word | None, str]:
    """A yes or no given further on ("but yes, it may", "the answer is no"), and the text around it."""
    found = pattern("yesno", "announced").search(text)
    if not found:
        return None, text
    yes = raw_words(found[0])[-1] in ("yes", "so")
    return ("yes" if yes else "no"), f"{text[: found.start()]}; {text[found.end() :]}"


def settle(voices: Sequence[Voice]) -> tuple[Word | None, str]:
    """Answer that the sentences together give, or why it cannot be read."""
    words = [voice.word for voice in voices if voice.word]
    if words:
        # What follows gives reasons and exceptions; only the word itself, or its own sentence, withdraws it.
        said = {*words, *(voice.clause for voice in voices if voice.word and voice.strong and voice.clause)}
        return (words[0], "") if len(said) == 1 else (None, f"it says {words[0]!r} and then the contrary")
    heard = [voice for voice in voices if voice.clause]
    strong = [voice for voice in heard if voice.strong] or heard
    if len({voice.clause for voice in strong}) > 1:
        return None, "its sentences contradict each other"
    return (strong[0].clause if strong else None), ""


def _match(word: str, question: Question) -> Match:
    if question.answers:
        return "match" if word in {answer.casefold() for answer in question.answers} else "mismatch"
    if question.world_answers:
        return "world" if word in {each.casefold() for each in question.world_answers} else "mismatch"
    return "distractor" if word in {each.value.casefold() for each in question.distractors} else "none"


def _carriers(voices: Sequence[Voice], word: str) -> list[AnswerSentence]:
    """The parts that carry the answer, with those whose citations are the answer's."""
    carriers = [voice.part for voice in voices if word in (voice.word, voice.clause)]
    # "Yes, with conditions:" and a list below it: the explanation's citations are the answer's.
    cited = [voice.part for voice in voices if voice.part.citations and find_decline(voice.part.text) is None]
    alone = any(part.citations for part in carriers)
    return carriers if alone else [*carriers, *(part for part in cited if part not in carriers)]


def _says(key: str) -> re.Pattern[str]:
    return pattern("yesno", key, WHOLE)


def _begins(key: str) -> re.Pattern[str]:
    return pattern("yesno", key, r"^\W*{}")


@lru_cache(maxsize=1024)
def statement_of(question: str) -> str:
    """Statement that "yes" to a question affirms; empty when it is no yes/no question."""
    question = interrogative(_ASIDE.sub("", question))
    found = _AUXILIARY.search(question)
    if not found:
        return ""
    asked = question[found.end() :].rstrip("? ")
    rest = _DOCUMENT.sub("", asked)
    rest = " ".join([rest, *YEAR.findall(asked[len(rest) :])])
    aux = found["aux"].casefold()
    if aux not in _MODALS:
        # Here even a first word with a capital is a name.
        return f"that {'is ' if aux in _COPULAS else ''}{rest}"
    verb = verb_at(rest)
    return "" if verb is None else f"{rest[:verb]}{found['aux'].casefold()} {rest[verb:]}"
