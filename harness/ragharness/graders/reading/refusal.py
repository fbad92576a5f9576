"""Refusals: whether an answer declines the question, and whether it offers an answer all the same."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Literal, NamedTuple, get_args

from ragharness.graders.reading.records import Profile, profile_of
from ragharness.language.dates import find_dates
from ragharness.language.numbers import find_quantities
from ragharness.language.polarity import frame, negations
from ragharness.language.tables import finds, holds, pattern, regex, words_of
from ragharness.language.words import (
    clauses,
    concept,
    concepts_of,
    content,
    generic_concepts,
    raw_words,
    remembered,
)
from ragharness.records import Question

Family = Literal["inability", "absence", "missing_input", "silence"]
"""The speaker cannot; there is nothing to answer from; the speaker needs more; the documents do not say."""


class Decline(NamedTuple):
    """Where a text declines or says that something is not addressed (offsets into that text)."""

    start: int
    end: int
    kind: Family


@remembered
def find_decline(text: str) -> Decline | None:
    """First decline or statement of silence in a clause, or None."""
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
    """Whether what is missing is missing to somebody else than the speaker and the documents."""
    found = pattern("declines", "had").search(text, 0, start + 8)
    speaks = found and pattern("declines", "speaker").search(text, 0, found.start())
    return found is not None and found.end() >= start and not speaks


@lru_cache(maxsize=16384)
def does(act: str, text: str) -> bool:
    """Whether a text does what an entry of the table of acts tells ("pointer", "advice", ...)."""
    return holds("acts", act, text)


tells = lru_cache(maxsize=16384)(partial(holds, "declines"))
ANSWERING = frozenset(map(concept, words_of("declines", "answering")))  # they say nothing of what is asked
_EMPTY = ANSWERING.union(map(concept, words_of("declines", "empty"))) | generic_concepts()
"""The same and words for what documents hold: a sentence of them alone states nothing."""
_SENTENCE = 4  # words; fewer may be a name, which answers ("The Search")
Verdict = Literal["about", "near", "other"]
"""A decline of the question, of what may be another attribute of the same thing, of something else."""


def denies_premise(text: str, profile: Profile) -> bool:
    """Whether a sentence denies, in the question's own words, what an open question takes for granted."""
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
    """Clauses of a sentence, each with whether it declines the question asked."""
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
    """Whether a clause takes back what a pointer has named ("the figure for 2022, but not for 2023")."""
    if not pattern("declines", "elliptical").match(clause):
        return False
    given = not asks_whether(profile) and pattern("declines", "gives").search(before)
    if not (given or does("pointer", before)):
        return False
    words = concepts_of(clause) | frozenset(str(date.year) for date in find_dates(clause))
    return bool(words & (profile.words | profile.kindred | frozenset(map(str, profile.years))))


@lru_cache(maxsize=4096)
def speaks_of_question(clause: str, profile: Profile) -> Verdict | None:
    """Whether a clause declines the question asked or something else; None: it is no decline."""
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
    """Words of a decline that say what is declined."""
    return concepts_of(clause) - _EMPTY


def _other_head(clause: str, known: frozenset[str]) -> bool:
    """Whether what is declined is another attribute of the same thing ("the age of ...")."""
    heads = (_object(found[1] or found[2]) for found in pattern("declines", "head").finditer(clause))
    return any(head and not head & known for head in heads)


def _denies_existence(clause: str, profile: Profile) -> bool:
    """Whether a clause says that there is no such thing as was asked for ("sets no penalty")."""
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
    """Whether a sentence has no words but those for documents and for answering ("More is needed.")."""
    words = content(text)
    return len(text.split()) >= _SENTENCE and len(words) > 0 and _EMPTY.issuperset(words)


def is_question(text: str) -> bool:
    """Whether a sentence ends with a question mark."""
    return text.rstrip(" \"'*").endswith("?")


@lru_cache(maxsize=1024)
def asks_whether(profile: Profile) -> bool:
    """Whether yes or no answers a question."""
    return profile.kind == "yesno" or tells("asks_whether", profile.question)


def is_guess(clause: str) -> bool:
    """Whether a clause calls itself a guess, or outside knowledge."""
    return tells("guess", clause) or does("outside", clause)


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
    beside: bool = False  # it declines that or another attribute of the same, whatever it goes on to say
    declines: bool = False  # it is a decline where it commits to nothing that can be read
    limited: bool = False  # it declines something, or names limits of its author, whatever it goes on to say
    sure: bool = False  # it declines, and offers no answer beside it
    unable: bool = False  # its author says of something that he cannot tell
    closes: bool = False  # it ends by saying what is missing, and has come to no answer before
    premise_corrected: bool = False  # it denies what the question takes for granted
    clarification: bool = False
    elsewhere: bool = False  # it declines, and answers from another document than the one asked about

    @property
    def refuses(self) -> bool:
        """Whether it is a refusal of any sort where it commits to nothing that can be read."""
        return self.declines or self.premise_corrected or self.clarification


def read_refusal(sentences: Sequence[str], question: Question, *, cited: bool = False) -> Refusal:
    """Whether an answer declines the question; ``cited``: it cites a passage."""
    profile = profile_of(question)
    bare = [_BRACKETS.sub(" ", text) for text in sentences]
    # "14 days [no passages]" gives an answer: what stands in brackets beside a figure declines nothing.
    sentences = [left if _DIGIT.search(left) else text for left, text in zip(bare, sentences, strict=True)]
    moved = any(_moves_to_another(text, profile) for text in sentences)
    corrected = any(does("premise", text) for text in sentences)
    denied = any(denies_premise(text, profile) for text in bare)
    if not (moved or any(_may_decline(text, profile) for text in sentences)):
        return Refusal(premise_corrected=corrected or denied, clarification=_asks_back(sentences))
    state = _DeclineState(question, profile)
    for text in sentences:
        state.take(text)
    declined = state.declined or (not state.offered and (state.unsaid or state.recipe))
    clarifies = _asks_back(sentences)
    lacking = state.unable or (state.lacking and (not state.stated or profile.kind not in ("text", "list")))
    alone = lacking and not (state.offered or clarifies)
    silent = state.silent and not (state.offered or cited or question.answerable)
    elsewhere = declined and any(_names_other_document(text, question.text) for text in sentences)
    sure = moved or elsewhere or silent or ((declined or (alone and not state.said)) and not state.offered)
    return Refusal(
        declined=declined or moved or silent,
        beside=state.declined or state.near,
        declines=sure or alone or ((declined or state.near) and state.offered < 2),
        limited=state.unsaid,
        sure=sure,
        unable=state.unable,
        closes=state.closed and state.offered < 2,
        premise_corrected=moved or corrected or (denied and not declined),
        clarification=clarifies,
        elsewhere=elsewhere,
    )


class _DeclineState:
    """What the sentences so far decline, and what they offer in the end."""

    def __init__(self, question: Question, profile: Profile) -> None:
        self.profile = profile
        self.listing = question.kind == "list"
        self.golds = [each.casefold() for each in question.answers if find_decline(each)]
        self.declined = self.near = self.unsaid = self.unable = self.silent = False
        self.stated = self.recipe = self.supposing = self.closed = self.lacking = False
        self.said = False  # something else than declining is said, which may hold the answer
        self.offered = 0  # 2: it comes to an answer; 1: something may hold it
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
                here = max(here, _commitment_level(clause, act, self.profile, beside=beside))
                decline = find_decline(clause) if act == "aside" else None
                self.unable |= decline is not None and decline.kind != "silence"
                self.lacking |= decline is not None or (act == "pointer" and does("apart", clause))
        self.offered = max(self.offered, here)
        self.before = "statement" if here else min(kinds, key=_ORDER.index)
        self.stated |= self.before == "statement"
        self.recipe = not self.stated and (self.recipe or does("recipe", text))

    def _repeats(self, clause: str, gold: str) -> bool:
        """Whether a clause says what a gold says was not so ("could not provide evidence")."""
        own = concepts_of(gold) - self.profile.words
        return len(own.intersection(content(clause))) * 3 > max(3, len(own))


def _said(
    text: str, profile: Profile, before: Act, *, supposing: bool
) -> list[tuple[str, Act, Verdict | None]]:
    """Clauses of a sentence, each with what it does and what it declines."""
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


def _commitment_level(clause: str, act: Act, profile: Profile, *, beside: bool) -> int:
    """How far a clause commits: 2 where it comes to an answer, 1 where it may hold one, 0 for any other."""
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
    """Whether anything in a sentence declines; most answers hold no such sentence and need no more."""
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
    """Whether a sentence answers from a document that the question does not name."""
    found = pattern("declines", "other_document").search(text)
    other = found is not None and not find_decline(text) and found[1] not in question
    return other and tells("document", question)


def _moves_to_another(text: str, profile: Profile) -> bool:
    """Whether a sentence puts another party in the place of the one asked about."""
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
    """Whether a line names figures and gives none ("Revenue for 2022", "Margin = income / sales")."""
    return not does("worked_out", text) and (not does("finite", text) or does("operator", text))
