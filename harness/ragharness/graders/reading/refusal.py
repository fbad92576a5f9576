"""Refusals: what each clause of an answer does, and how likely the whole declines the question."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple, get_args

from ragharness.graders.reading.acts import INFORMING, LEARNT, act_scores, log_odds
from ragharness.graders.reading.records import Profile, profile_of
from ragharness.language.dates import find_dates
from ragharness.language.numbers import find_quantities
from ragharness.language.polarity import frame, negations
from ragharness.language.tables import finds, holds, pattern, regex
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

SURE = 0.5
"""The log odds from which an answer is a refusal whatever value stands beside the decline."""
OWN_WORDS = 3.0
"""The log odds of a clause that denies in the question's words that there is such a thing."""
FAINT = -1.0
"""The log odds of a clause from which it may decline."""


class Decline(NamedTuple):
    """Where a text declines or says that something is not addressed (offsets into that text)."""

    start: int
    end: int
    unable: bool  # its author cannot tell; else the documents do not say


_DENIED = regex(
    r"\b(?:no|not|none|nothing|neither|nor|never|cannot|un\w+|\w+n['’]t)\b(?:\W+\w+ly\b)?(?:\W+\w+)?",
    re.IGNORECASE,
)
"""A negation and the word behind it."""
_SENTENCE = 4  # words; fewer may be a name, which answers ("The Search")
_MOST = 4.0  # log odds of a clause beyond which it counts no more
_HALF = 0.5  # share of the attribute asked for that a clause beside a decline names where it may answer
_SHORT = 8  # words up to which a clause beside a decline may be the value alone
Verdict = Literal["about", "near", "other"]
"""A decline of the question, of what may be another attribute of the same thing, of something else."""


@remembered
def find_decline(text: str) -> Decline | None:
    """First clause of a text that declines or says that something is not addressed, or None."""
    for low, high in clauses(text):
        scores = act_scores(text[low:high])
        if scores["decline"] > 0:
            denied = _DENIED.search(text, low, high)
            return Decline(*(denied.span() if denied else (low, high)), scores["unable"] > 0)
    return None


@lru_cache(maxsize=16384)
def does(act: str, text: str) -> bool:
    """Whether a text does what a learnt act or an entry of the table of acts tells ("pointer", "advice")."""
    if act in LEARNT:
        return any(act_scores(text[low:high])[act] > 0 for low, high in clauses(text))
    return holds("acts", act, text)


def denies_premise(text: str, profile: Profile) -> bool:
    """Whether a sentence denies, in the question's own words, what an open question takes for granted."""
    if asks_whether(profile) or negations(profile.question):
        return False
    for start, end in clauses(text):
        clause = text[start:end]
        words = concepts_of(clause) - generic_concepts()
        shared = words & profile.words
        said = shared and len(shared) * 5 >= len(words) * 4 and negations(clause) and not find_decline(clause)
        if said and (len(shared) > 1 or (shared == words and does("never_done", clause))):
            return True
        apart = (concepts_of(clause[slice(*found.span(1))]) for found in finds("acts", "rather", clause))
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
    if asks_whether(profile) or not (pattern("acts", "elliptical").match(clause) and does("gives", before)):
        return False
    words = concepts_of(clause) | frozenset(str(date.year) for date in find_dates(clause))
    return bool(words & (profile.words | profile.kindred | frozenset(map(str, profile.years))))


@lru_cache(maxsize=4096)
def speaks_of_question(clause: str, profile: Profile) -> Verdict | None:
    """Whether a clause declines the question asked or something else; None: it is no decline."""
    decline = find_decline(clause)
    if decline is None:
        return "about" if not asks_whether(profile) and _denies_existence(clause, profile) else None
    if profile.kind == "yesno" and does("affirms", clause):
        return None
    if profile.kind == "yesno" and not decline.unable:
        # "It is not covered" says what the question asks whether it is so; "it is not mentioned" does not.
        denial = clause[decline.start : decline.end]
        denied = frozenset(content(denial) if denial != clause else ())
        said = concepts_of(clause) - generic_concepts()
        both = denial.casefold().startswith("neither") and " nor " in clause
        sure = act_scores(clause)["decline"] > OWN_WORDS
        answers = not (sure or said.isdisjoint(profile.focus)) and INFORMING.isdisjoint(denied or said)
        predicates = frame(profile.proposition).predicates
        if not both and (answers or not predicates.isdisjoint(denied or said & INFORMING)):
            return None
    words = frozenset(word for word in _object(clause) if not word.isdigit())
    known = profile.words | profile.kindred
    if len(words & known) * 5 >= len(words) * 2:
        return "near" if _other_head(clause, known) else "about"
    # In words of neither the question nor documents it is one only where that is likely.
    return "other" if act_scores(clause)["decline"] > -FAINT else None


def _object(clause: str) -> frozenset[str]:
    """Words of a decline that say what is declined."""
    return concepts_of(clause) - INFORMING


def _other_head(clause: str, known: frozenset[str]) -> bool:
    """Whether what is declined is another attribute of the same thing ("the age of ...")."""
    heads = (_object(found[1] or found[2]) for found in pattern("acts", "head").finditer(clause))
    return any(head and not head & known for head in heads)


def _denies_existence(clause: str, profile: Profile) -> bool:
    """Whether a clause says that there is no such thing as was asked for ("sets no penalty")."""
    found = next(finds("acts", "absent", clause), None) if negations(clause) else None
    if not found:
        return False
    start = 0 if clause.casefold().startswith("no ") else found.start()
    words = _object(clause[start : found.end() + 80])
    return (
        bool(words & profile.focus) and len(words & (profile.words | profile.kindred)) * 5 >= len(words) * 2
    )


def says_nothing(text: str) -> bool:
    """Whether a sentence has no words but those for documents and for answering ("More is needed.")."""
    words = content(text)
    return len(text.split()) >= _SENTENCE and len(words) > 0 and INFORMING.issuperset(words)


def is_question(text: str) -> bool:
    """Whether a sentence ends with a question mark."""
    return text.rstrip(" \"'*").endswith("?")


@lru_cache(maxsize=1024)
def asks_whether(profile: Profile) -> bool:
    """Whether yes or no answers a question."""
    return profile.kind == "yesno" or does("asks_whether", profile.question)


def is_guess(clause: str) -> bool:
    """Whether a clause calls itself a guess, or outside knowledge."""
    return does("guess", clause) or does("outside", clause)


Act = Literal[
    "decline", "premise", "statement", "aside", "method", "advice", "pointer", "background", "courtesy"
]
"""What a clause does; an aside declines something else than what was asked."""
_IDLE = frozenset(("method", "advice", "background", "courtesy"))
"""Acts that hold no answer."""
_SILENT = _IDLE | {"pointer"}
"""Acts that may stand beside a decline and say no more."""
_ANOTHER = frozenset(("different", "another", "other", "unrelated", "separate"))
_BRACKETS = regex(r"\[[^\[\]]*\]")
_START = r"^\W*{}"
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
    premise_corrected: bool = False  # it denies what the question takes for granted
    clarification: bool = False
    elsewhere: bool = False  # it declines, and answers from another document than the one asked about

    @property
    def refuses(self) -> bool:
        """Whether it is a refusal of any sort where it commits to nothing that can be read."""
        return self.declines or self.premise_corrected or self.clarification


class Clause(NamedTuple):
    """What a clause of an answer does."""

    sentence: int
    text: str
    act: Act
    verdict: Verdict | None
    level: int = 0  # 2: it comes to an answer; 1: it may hold one
    covers: float = 0.0  # share of the attribute asked for that a clause which may answer names


def read_refusal(sentences: Sequence[str], question: Question, *, cited: bool = False) -> Refusal:
    """Whether an answer declines the question; ``cited``: it cites a passage."""
    profile = profile_of(question)
    bare = [_BRACKETS.sub(" ", text) for text in sentences]
    # "14 days [no passages]" gives an answer: what stands in brackets beside a figure declines nothing.
    sentences = [left if _DIGIT.search(left) else text for left, text in zip(bare, sentences, strict=True)]
    moved = any(_moves_to_another(text, profile) for text in sentences)
    corrected = any(does("premise", text) for text in sentences)
    denied = any(denies_premise(text, profile) for text in bare)
    clarifies = _asks_back(sentences)
    if not moved and all(map(_is_plain, sentences)):
        return Refusal(premise_corrected=corrected or denied, clarification=clarifies)
    said = read_clauses(sentences, question, profile)
    acts = {clause.act for clause in said}
    unset = profile.kind == "yesno" and not (question.answerable or cited)
    if unset and all(clause.act == "courtesy" or _denies_existence(clause.text, profile) for clause in said):
        # "The agreement sets no such duty" is no answer where none is known.
        return Refusal(declined=True, beside=True, declines=True, limited=True, sure=True)
    # "To find it, you would need to look at the balance sheet.", and no more, may decline.
    answers = any(clause.level for clause in said)
    recipe = acts <= _IDLE and not answers and any(does("purpose", text) for text in sentences[:1])
    if not (moved or recipe or may_decline(said)):
        return Refusal(premise_corrected=corrected or denied, clarification=clarifies)
    likely = log_odds(refusal_measures(said, question.kind, cited=cited))
    unable = [clause for clause in said if clause.act == "aside" and act_scores(clause.text)["unable"] > 0]
    # What begins with an answer and declines only something else, or part of a list, is to be read.
    general = act_scores(said[0].text)["background"] > OWN_WORDS
    leads = said[0].level > 0 and not general and acts.isdisjoint(("decline", "premise"))
    beside = leads or (question.kind == "list" and answers) or _answers_first(said, profile)
    sure = likely > SURE and not beside
    declined = sure or any(clause.verdict == "about" for clause in said)
    elsewhere = declined and any(_names_other_document(text, question.text) for text in sentences)
    return Refusal(
        declined=declined or moved,
        beside="decline" in acts,
        declines=likely > 0 or moved or elsewhere,
        limited="decline" in acts,
        sure=sure or moved or elsewhere,
        unable=bool(unable),
        premise_corrected=moved or corrected or (denied and not declined),
        clarification=clarifies,
        elsewhere=elsewhere,
    )


def _answers_first(said: Sequence[Clause], profile: Profile) -> bool:
    """Whether a yes or no leads, and not all behind it says that the documents are silent."""
    if profile.kind != "yesno" or not _says_yes_or_no(said[0].text):
        return False
    behind = said if content(said[0].text) else said[1:]
    declining = [
        act_scores(clause.text)["decline"] > OWN_WORDS for clause in behind if clause.act not in _SILENT
    ]
    return not (declining and all(declining))


def _says_yes_or_no(clause: str) -> bool:
    """Whether a clause begins with yes or no, or is nothing but an elliptic one ("It does not.")."""
    return bool(pattern("acts", "yes_or_no").match(clause) or pattern("yesno", "leans", _START).match(clause))


def _is_plain(text: str) -> bool:
    """Whether a sentence surely declines nothing; most answers hold no other."""
    if negations(text) or does("purpose", text):
        return False
    return all(act_scores(text[low:high])["decline"] <= FAINT for low, high in clauses(text))


def may_decline(said: Sequence[Clause]) -> bool:
    """Whether anything in an answer may decline; most answers need no more."""
    return any(
        clause.act in ("decline", "aside") or act_scores(clause.text)["decline"] > FAINT for clause in said
    )


def read_clauses(sentences: Sequence[str], question: Question, profile: Profile) -> list[Clause]:
    """Clauses of an answer in order."""
    golds = [gold.casefold() for gold in question.answers if negations(gold) and find_decline(gold)]
    said: list[Clause] = []
    for index, text in enumerate(sentences):
        supposes = bool(said) and does("supposes", text)
        here = [(text, None)] if is_question(text) else verdicts(text, profile)
        end = 0
        for clause, verdict in here:
            joint, end = text[end : text.find(clause, end)], text.find(clause, end) + len(clause)
            if any(gold in clause.casefold() or _repeats(clause, gold, profile) for gold in golds):
                # "No evidence of fraud" is what was found.
                said.append(Clause(index, clause, "statement", None, 2))
                continue
            act = "courtesy" if is_question(text) else _act_of(clause, verdict, profile)
            if act == "statement" and (supposes or (said and _carries_on(clause, said[-1]))):
                act = "background"
            beside = any(each.act in ("decline", "aside") for each in said[-2:])
            # "If you meant the other one, it is 5."
            level = 0 if supposes else _commitment_level(clause, act, profile, beside=beside)
            if act == "statement" and not supposes and does("so", joint):
                level = 2
            covers = _covered(clause, profile) if level else 0.0
            said.append(Clause(index, clause, act, verdict, level, covers))
    if len(said) > 1 and said[1].act == "decline" and not content(said[0].text):
        # "No. The passages do not mention it." says no more than that.
        said[0] = said[0]._replace(act="courtesy", level=0)
    return said


def _carries_on(clause: str, before: Clause) -> bool:
    """Whether a clause goes on with what was said in general before it ("It can ...", "Revenue / sales")."""
    if before.act not in ("method", "background"):
        return False
    if does("concludes", clause) or does("worked_out", clause):
        return False
    return does("goes_on", clause) or not does("finite", clause)


def _repeats(clause: str, gold: str, profile: Profile) -> bool:
    """Whether a clause says what a gold says was not so ("could not provide evidence")."""
    own = concepts_of(gold) - profile.words
    return len(own.intersection(content(clause))) * 3 > max(3, len(own))


def refusal_measures(said: Sequence[Clause], kind: str, *, cited: bool = False) -> Mapping[str, float]:
    """Measures of an answer, from which it is told whether it declines."""
    n, sentences = len(said), said[-1].sentence + 1 if said else 0
    declines = [place for place, clause in enumerate(said) if clause.act == "decline"]
    first, last = (declines[0], declines[-1]) if declines else (n, n)
    measures: dict[str, float] = {"sentences": min(sentences, 8) / 8, "one sentence": sentences == 1}
    acts = Counter(clause.act for clause in said)
    kinds = Counter(clause.verdict for clause in said)
    measures |= {f"share {act}": acts[act] / n for act in get_args(Act)}
    measures |= {f"share {verdict}": kinds[verdict] / n for verdict in get_args(Verdict)}
    # "It is not stated as such, but revenue was 5."
    besides = (
        other.covers
        for one, other in pairwise(said)
        if one.act in ("decline", "aside") and other.sentence == one.sentence
    )
    measures["but"] = max(besides, default=0.0) >= _HALF
    measures["declines first"] = bool(declines) and said[first].sentence == 0
    measures["declines last"] = bool(declines) and said[last].sentence == sentences - 1
    for place, part in (("before", said[:first]), ("after", said[last + 1 :]), ("anywhere", said)):
        for level in (1, 2):
            measures[f"level {level} {place}"] = any(clause.level == level for clause in part)
        measures[f"covers {place}"] = max((clause.covers for clause in part), default=0.0)
        stated = sum(clause.act == "statement" for clause in part)
        measures[f"statements {place}"] = min(stated, 4) / 4
    scores = [act_scores(clause.text) for clause in said]
    declining = [
        max(score["decline"], OWN_WORDS * (clause.act == "decline"))
        for score, clause in zip(scores, said, strict=True)
    ]
    for what, act in (("what was asked", "decline"), ("something else", "aside")):
        these = (score for score, clause in zip(declining, said, strict=True) if clause.act == act)
        measures[f"declines {what}"] = _clipped(max(these, default=-_MOST))
    measures["first decline"] = _clipped(declining[0])
    measures["most unable"] = _clipped(max(score["unable"] for score in scores))
    measures |= {f"kind {kind}": 1, "cited": cited}
    measures["yes or no"] = does("yes_or_no", said[0].text)
    return {name: float(value) for name, value in measures.items()}


def _clipped(score: float) -> float:
    return max(-_MOST, min(_MOST, score))


def _act_of(clause: str, verdict: Verdict | None, profile: Profile) -> Act:
    if verdict in ("about", "near"):
        return "decline"
    if verdict is not None:
        return "aside"
    if does("premise", clause):
        return "premise"
    if any(does(each, clause) for each in ("concludes", "worked_out", "yes_or_no", "guesses")):
        return "statement"
    if not content(clause):
        return "statement" if profile.kind == "yesno" and _says_yes_or_no(clause) else "courtesy"
    scores = act_scores(clause)
    norm = profile.kind == "yesno" and profile.modality not in ("fact", "not_fact")
    likely = max(
        (act for act in LEARNT if not (norm and act in ("background", "method"))),
        key=lambda act: scores[act],
    )
    return likely if scores[likely] > 0 else "statement"


def _commitment_level(clause: str, act: Act, profile: Profile, *, beside: bool) -> int:
    """How far a clause commits: 2 where it comes to an answer, 1 where it may hold one, 0 for any other."""
    if does("yes_or_no", clause) or (profile.kind == "yesno" and _says_yes_or_no(clause)):
        return 2
    words = concepts_of(clause) - generic_concepts()
    if act == "statement" and (does("concludes", clause) or does("worked_out", clause)):
        return 2
    if act not in ("statement", "background") or not words:
        return 0
    figures = any(not each.year for each in find_quantities(pattern("acts", "working").sub(" ", clause)))
    valued = bool(find_dates(clause)) if profile.kind == "date" else figures
    short = len(raw_words(clause)) <= _SHORT
    years = {date.year for date in find_dates(clause) if date.year}
    if act == "statement" and valued and profile.kind in ("number", "date") and profile.focus:
        in_full = len(words & profile.focus) * 5 >= 4 * len(profile.focus)
        if in_full and (profile.kind == "date" or not years or years & profile.years):
            return 2
    if beside and (does("guesses", clause) or (short and does("it_is", clause))):
        return 2 if short or valued or find_dates(clause) or _NAME.search(clause) else 0
    if act == "background":
        asked = profile.kind in ("number", "date") and bool(words & profile.words)
        return int(valued and (beside or asked))
    told = words & profile.words and words - profile.words and (valued or does("finite", clause))
    return int(bool(told) or (valued and short) or profile.kind == "list")


def _covered(clause: str, profile: Profile) -> float:
    """Share of the attribute asked for that a clause names; none for another year."""
    years = {date.year for date in find_dates(clause) if date.year}
    if profile.kind != "date" and years and profile.years and years.isdisjoint(profile.years):
        return 0.0
    return len(concepts_of(clause) & profile.focus) / max(1, len(profile.focus))


def _asks_back(sentences: Sequence[str]) -> bool:
    asking = [text for text in sentences if is_question(text) or does("please", text)]
    return bool(asking) and (len(asking) == len(sentences) or any(does("asks_back", text) for text in asking))


def _names_other_document(text: str, question: str) -> bool:
    """Whether a sentence answers from a document that the question does not name."""
    found = pattern("acts", "other_document").search(text)
    other = found is not None and not find_decline(text) and found[1] not in question
    return other and does("document", question)


def of_another_document(text: str) -> bool:
    """Whether a sentence says that another document gives its value ("comes from a different lease")."""
    words = raw_words(text)
    following = (words[place + 1 : place + 3] for place, word in enumerate(words) if word in _ANOTHER)
    return any(not generic_concepts().isdisjoint(map(concept, near)) for near in following)


def _moves_to_another(text: str, profile: Profile) -> bool:
    """Whether a sentence puts another party in the place of the one asked about."""
    if asks_whether(profile) or not negations(text) or profile.names.isdisjoint(raw_words(text)):
        return False
    if find_decline(text):
        return False
    for entry in ("not_it", "did_not"):
        for found in pattern("acts", entry).finditer(text):
            denied = frozenset(raw_words(found["denied"])) & profile.names
            if denied and not frozenset(raw_words(found["other"])) & (profile.names | profile.words):
                return True
    return False
