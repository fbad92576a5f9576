"""Refusals: whether an answer declines the question, and whether it offers an answer all the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

from ragharness.graders.reading.declining import (
    Verdict,
    asks_whether,
    denies_premise,
    does,
    find_decline,
    is_question,
    tells,
    verdicts,
)
from ragharness.graders.reading.records import Profile, profile_of
from ragharness.language.dates import find_dates
from ragharness.language.numbers import find_quantities
from ragharness.language.polarity import negations
from ragharness.language.tables import pattern, regex
from ragharness.language.words import concepts_of, content, generic_concepts, raw_words
from ragharness.records import Question

Act = Literal[
    "decline", "premise", "statement", "aside", "method", "advice", "pointer", "background", "courtesy"
]
"""What a clause does; a sentence that offers no answer does the first of these that it holds."""
_ORDER: tuple[Act, ...] = get_args(Act)
_BRACKETS = regex(r"\[[^\[\]]*\]")
_DIGIT = regex(r"\d")
_NAME = regex(r"(?<!^)(?<![.!?]\s)\b[A-ZÀ-Ý][\w'’.-]+")


class Refusal(NamedTuple):
    """What an answer declines, and whether it offers an answer beside it."""

    declined: bool = False
    """It declines what was asked."""
    beside: bool = False
    """It declines what was asked or another attribute of the same, whatever it goes on to say."""
    declines: bool = False
    """It is a decline where it commits to nothing that can be read."""
    limited: bool = False
    """It declines something, or names limits of its author, whatever it goes on to say."""
    sure: bool = False
    """It declines, and offers no answer beside it."""
    unable: bool = False
    """Its author says of something that he cannot tell."""
    closes: bool = False
    """It ends by saying what is missing, and has come to no answer before."""
    premise_corrected: bool = False
    """It denies what the question takes for granted."""
    clarification: bool = False
    elsewhere: bool = False
    """It declines, and answers from another document than the one asked about."""

    @property
    def refuses(self) -> bool:
        """Whether it is a refusal of any sort where it commits to nothing that can be read."""
        return self.declines or self.premise_corrected or self.clarification


def read_refusal(sentences: Sequence[str], question: Question, *, cited: bool = False) -> Refusal:
    """Return whether an answer declines the question; ``cited``: it cites a passage."""
    profile = profile_of(question)
    bare = [_BRACKETS.sub(" ", text) for text in sentences]
    # "14 days [no passages]" gives an answer: what stands in brackets beside a figure declines nothing.
    sentences = [left if _DIGIT.search(left) else text for left, text in zip(bare, sentences, strict=True)]
    moved = any(_moves_to_another(text, profile) for text in sentences)
    corrected = any(does("premise", text) for text in sentences)
    denied = any(denies_premise(text, profile) for text in bare)
    if not (moved or any(_may_decline(text, profile) for text in sentences)):
        return Refusal(premise_corrected=corrected or denied, clarification=_asks_back(sentences))
    told = _Told(question, profile)
    for text in sentences:
        told.take(text)
    declined = told.declined or (not told.offered and (told.unsaid or told.recipe))
    clarifies = _asks_back(sentences)
    lacking = told.unable or (told.lacking and (not told.stated or profile.kind not in ("text", "list")))
    alone = lacking and not (told.offered or clarifies)
    silent = told.silent and not (told.offered or cited or question.answerable)
    elsewhere = declined and any(_names_other_document(text, question.text) for text in sentences)
    sure = moved or elsewhere or silent or ((declined or (alone and not told.said)) and not told.offered)
    return Refusal(
        declined=declined or moved or silent,
        beside=told.declined or told.near,
        declines=sure or alone or ((declined or told.near) and told.offered < 2),
        limited=told.unsaid,
        sure=sure,
        unable=told.unable,
        closes=told.closed and told.offered < 2,
        premise_corrected=moved or corrected or (denied and not declined),
        clarification=clarifies,
        elsewhere=elsewhere,
    )


class _Told:
    """What the sentences so far decline, and what they offer in the end."""

    def __init__(self, question: Question, profile: Profile) -> None:
        self.profile = profile
        self.listing = question.kind == "list"
        self.golds = [each.casefold() for each in question.answers if find_decline(each)]
        self.declined = self.near = self.unsaid = self.unable = self.silent = False
        self.stated = self.recipe = self.supposing = self.closed = self.lacking = False
        self.said = False
        """Something else than declining is said, which may hold the answer."""
        self.offered = 0
        """2: it comes to an answer; 1: something may hold it."""
        self.before: Act = "statement"

    def take(self, text: str) -> None:
        """Read the next sentence."""
        begun = self.supposing or does("supposing", text)
        self.supposing = begun and (self.declined or self.unsaid)
        found = _said(text, self.profile, self.before, supposing=self.supposing)
        kinds = [act for _, act, _ in found]
        beside = "decline" in (self.before, *kinds)
        here = 0
        for clause, act, verdict in found:
            self.said |= act not in ("decline", "aside", "courtesy")
            if act not in ("courtesy", "advice", "method"):
                self.closed = act in ("decline", "aside")
            no_rule = _sets_no_rule(clause, self.profile)
            self.silent |= no_rule
            if any(gold in clause.casefold() or self._repeats(clause, gold) for gold in self.golds):
                # "No evidence of fraud" is what was found.
                here = 2
            elif no_rule or act == "decline" or (self.declined and act == "aside"):
                self.unsaid |= act == "decline"
                self.near |= verdict == "near"
                self.declined |= verdict == "about"
                if not self.listing and (self.offered < 2 or no_rule or does("concludes", clause)):
                    # What was stated before a decline is what there is instead; a conclusion stands.
                    self.offered = here = 0
            else:
                here = max(here, _offers(clause, act, self.profile, beside=beside))
                decline = find_decline(clause) if act == "aside" else None
                self.unable |= decline is not None and decline.kind != "silence"
                self.lacking |= decline is not None or (act == "pointer" and does("apart", clause))
        self.offered = max(self.offered, here)
        self.before = "statement" if here else min(kinds, key=_ORDER.index)
        self.stated |= self.before == "statement"
        self.recipe = not self.stated and (self.recipe or does("recipe", text))

    def _repeats(self, clause: str, gold: str) -> bool:
        """Say whether a clause says what a gold says was not so ("could not provide evidence")."""
        own = concepts_of(gold) - self.profile.words
        return len(own.intersection(content(clause))) * 3 > max(3, len(own))


def _said(
    text: str, profile: Profile, before: Act, *, supposing: bool
) -> list[tuple[str, Act, Verdict | None]]:
    """Return the clauses of a sentence, each with what it does and what it declines."""
    if is_question(text):
        return [(text, "courtesy", None)]
    supposing = supposing or does("conditional", text) or does("recipe", text)
    instead: Act | None = None
    if supposing or (before in ("method", "courtesy") and _is_formula(text)):
        instead = "method"
    elif before in ("method", "background") and does("goes_on", text):
        instead = "background"
    found: list[tuple[str, Act, Verdict | None]] = []
    end = 0
    for clause, verdict in verdicts(text, profile):
        start = text.find(clause, end)
        act = _act_of(clause, verdict, profile)
        joint, end = text[end:start], start + len(clause)
        plain = act in ("statement", "pointer", "background")
        if instead and plain and (supposing or not does("concludes", clause)):
            act = instead
        follows = bool(found) and act in ("statement", "background") and does("so", joint)
        found.append((f"so {clause}", "statement", verdict) if follows else (clause, act, verdict))
        if act in ("method", "advice"):
            instead = "method"
    return found or [(text, "courtesy", None)]


def _act_of(clause: str, verdict: Verdict | None, profile: Profile) -> Act:
    if verdict in ("about", "near") or tells("whole", clause):
        return "decline"
    if verdict is not None:
        return "aside"
    if does("premise", clause):
        return "premise"
    if any(does(each, clause) for each in ("concludes", "worked_out", "yes_or_no", "guesses")):
        return "statement"
    if does("method", clause):
        return "method"
    if does("courtesy", clause) or not content(clause):
        return "courtesy"
    if does("advice", clause):
        return "advice"
    if does("pointer", clause):
        return "pointer"
    norm = profile.kind == "yesno" and profile.modality not in ("fact", "not_fact")
    return "background" if does("background", clause) and not norm else "statement"


def _offers(clause: str, act: Act, profile: Profile, *, beside: bool) -> int:
    """Return 2 for a clause that comes to an answer, 1 for one that may hold it, 0 for any other."""
    if does("yes_or_no", clause):
        return 2
    words = concepts_of(clause) - generic_concepts()
    if act == "statement" and (does("concludes", clause) or does("worked_out", clause)):
        return 2
    if act not in ("statement", "background") or not words:
        return 0
    figures = any(not each.year for each in find_quantities(pattern("acts", "working").sub(" ", clause)))
    valued = bool(find_dates(clause)) if profile.kind == "date" else figures
    short = len(raw_words(clause)) <= 8
    years = {date.year for date in find_dates(clause) if date.year}
    if act == "statement" and valued and profile.kind in ("number", "date") and profile.focus:
        in_full = len(words & profile.focus) * 5 >= 4 * len(profile.focus)
        if in_full and (profile.kind == "date" or not years or years & profile.years):
            return 2
    if beside and (does("guesses", clause) or (short and tells("it_is", clause))):
        return 2 if short or valued or find_dates(clause) or _NAME.search(clause) else 0
    if act == "background":
        asked = profile.kind in ("number", "date") and bool(words & profile.words)
        return int(valued and (beside or asked))
    told = words & profile.words and words - profile.words and (valued or does("finite", clause))
    return int(bool(told) or profile.kind == "list")


def _asks_back(sentences: Sequence[str]) -> bool:
    asking = [text for text in sentences if is_question(text) or does("please", text)]
    return bool(asking) and (len(asking) == len(sentences) or any(does("asks_back", text) for text in asking))


def _may_decline(text: str, profile: Profile) -> bool:
    """Say whether anything in a sentence declines; most answers hold no such sentence and need no more."""
    return (
        tells("whole", text)
        or does("recipe", text)
        or _sets_no_rule(text, profile)
        or any(verdict is not None for _, verdict in verdicts(text, profile))
    )


def _sets_no_rule(text: str, profile: Profile) -> bool:
    return (
        profile.kind == "yesno"
        and not profile.focus.isdisjoint(concepts_of(text.replace("-", " ")))
        and tells("no_rule", text)
    )


def _names_other_document(text: str, question: str) -> bool:
    """Say whether a sentence answers from a document that the question does not name."""
    found = pattern("declines", "other_document").search(text)
    other = found is not None and not find_decline(text) and found[1] not in question
    return other and tells("document", question)


def _moves_to_another(text: str, profile: Profile) -> bool:
    """Say whether a sentence puts another party in the place of the one asked about."""
    if asks_whether(profile) or not negations(text) or profile.names.isdisjoint(raw_words(text)):
        return False
    if find_decline(text):
        return False
    for entry in ("not_it", "did_not"):
        for found in pattern("declines", entry).finditer(text):
            denied = frozenset(raw_words(found["denied"])) & profile.names
            if denied and not frozenset(raw_words(found["other"])) & (profile.names | profile.words):
                return True
    return False


def _is_formula(text: str) -> bool:
    """Say whether a line names figures and gives none ("Revenue for 2022", "Margin = income / sales")."""
    return not does("worked_out", text) and (not does("finite", text) or does("operator", text))
