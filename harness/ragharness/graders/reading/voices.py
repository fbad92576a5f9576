"""The answer to a yes/no question as a whole: what each sentence says, settled into one word or none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.graders.reading import yesno
from ragharness.graders.reading.outcome import Outcome
from ragharness.graders.reading.silence import speaks_of_question
from ragharness.language import acts
from ragharness.language.sentences import clauses

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.graders.reading.answer import AnswerSentence
    from ragharness.graders.reading.profile import Profile
    from ragharness.records import Match, Question


def read_yesno(
    parts: Sequence[AnswerSentence], question: Question, profile: Profile, *, declined: bool
) -> Outcome:
    """Return what the sentences of an answer commit to; ``declined``: one of them declines what was asked."""
    voices: list[yesno.Voice] = []
    # The same sentence over and over is read once.
    heard: dict[str, yesno.Voice] = {}
    for part in parts:
        if part.text.rstrip(" \"'*").endswith("?"):
            continue
        if (part.heading or _only_points(part, declined)) and not yesno.leading_word(part.text)[0]:
            continue
        if yesno.is_both(part.text):
            return Outcome(unreadable="it answers yes and no")
        if yesno.is_guesses(part.text):
            return _both([part])
        voice = heard.get(part.text)
        if voice is None:
            voice = yesno.hear(part, profile)
            word, rest = yesno.leading_word(part.text)
            if word and voice.clause is None and _is_silence(part.text[rest:], profile):
                voice = voice._replace(word=None)
            heard[part.text] = voice
        voices.append(voice._replace(part=part))
    if declined:
        voices = [
            voice if voice.strong or voice.word else voice._replace(clause=None, torn=False)
            for voice in voices
        ]
    return _settled(voices, question)


def _settled(voices: Sequence[yesno.Voice], question: Question) -> Outcome:
    word, why = yesno.settle(voices)
    if why == "both":
        return _both([voice.part for voice in voices if voice.word])
    outcome = Outcome(unreadable=why)
    if word is not None:
        outcome.committed, outcome.value = True, word
        outcome.parts = _carriers(voices, word)
        outcome.match = _match_word(word, question)
    return outcome


def _only_points(part: AnswerSentence, declined: bool) -> bool:
    """Say whether a sentence names passages instead of an answer, as "The nearest are [x]." does."""
    bare = part.text.rstrip(" .:;,").endswith((" are", " is", " were", " was"))
    return acts.is_mere_pointer(part.text) and (bare or declined)


def _both(parts: list[AnswerSentence]) -> Outcome:
    """An answer that says yes and no: two incompatible values in the same slot."""
    outcome = Outcome(committed=True, match="mismatch", contradiction=True, value="yes and no")
    outcome.parts = parts
    return outcome


def _is_silence(text: str, profile: Profile) -> bool:
    """Say whether "No." is followed by silence or a corrected premise and nothing else that answers."""
    return any(
        speaks_of_question(text[start:end], profile) in ("about", "near")
        or acts.corrects_premise(text[start:end])
        for start, end in clauses(text)
    )


def _match_word(word: str, question: Question) -> Match:
    golds = {answer.casefold() for answer in question.answers}
    if word in golds:
        return "match"
    if golds:
        return "mismatch"
    if question.world_answers:
        return "world" if word in {each.casefold() for each in question.world_answers} else "mismatch"
    return "distractor" if word in {each.value.casefold() for each in question.distractors} else "none"


def _carriers(voices: Sequence[yesno.Voice], word: str) -> list[AnswerSentence]:
    """Return the parts that carry the answer, with those whose citations are the answer's."""
    carriers = [voice.part for voice in voices if voice.word == word or voice.clause == word]
    if any(part.citations for part in carriers):
        return carriers
    # "Yes, with conditions:" and a list below it: the explanation's citations are the answer's.
    explains = any(
        voice.part.citations and voice.part.decline is None and voice.clause is None and not voice.torn
        for voice in voices
    )
    cited = [voice.part for voice in voices if voice.part.citations and voice.part.decline is None]
    return [*carriers, *(part for part in cited if part not in carriers)] if explains else carriers
