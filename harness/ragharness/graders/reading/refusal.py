"""Refusals: whether an answer declines the question, and whether it offers an answer all the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from ragharness.graders.reading.declining import NAME, asks_whether, denies_premise, it_is, tells, verdicts
from ragharness.graders.reading.profile import profile_of
from ragharness.language import acts
from ragharness.language.dates import find_dates
from ragharness.language.declines import find_decline, pattern
from ragharness.language.numbers import find_quantities
from ragharness.language.words import content, generic_concepts, raw_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.graders.reading.declining import Verdict
    from ragharness.graders.reading.profile import Profile
    from ragharness.records import Question

Act = Literal[
    "decline",
    "premise",
    "statement",
    "aside",
    "method",
    "advice",
    "pointer",
    "background",
    "courtesy",
    "question",
]
"""What a clause does; a sentence that offers no answer does the first of these that it holds."""
_ORDER: tuple[Act, ...] = get_args(Act)
_PLAIN = ("statement", "pointer", "background")


class Refusal(NamedTuple):
    """Whether an answer refuses the question, and what each of its sentences does."""

    declined: bool = False
    """It declines what was asked."""
    sure: bool = False
    """... and offers no answer beside it."""
    concludes: bool = False
    """It comes to an answer, whatever it declines."""
    premise_corrected: bool = False
    """It denies what the question takes for granted."""
    clarification: bool = False
    elsewhere: bool = False
    """It declines, and answers from another document than the one asked about."""
    silent: bool = False
    """It says that the document sets no such rule: a refusal where the question has no answer, else "no"."""
    acts: tuple[Act, ...] = ()
    """What each sentence does; only a ``statement`` can hold the answer beside a decline."""


def read_refusal(sentences: Sequence[str], question: Question) -> Refusal:
    """Return whether an answer declines the question, with what each sentence does."""
    profile = profile_of(question)
    asks = _asks_back(sentences)
    moved = any(_moves_to_another(text, profile) for text in sentences)
    denied = moved or any(denies_premise(text, profile) for text in sentences)
    corrected = any(_corrects(text, profile) for text in sentences)
    if not (denied or corrected or any(_may_decline(text, profile) for text in sentences)):
        plain: Act = "statement"
        return Refusal(clarification=asks, acts=(plain,) * len(sentences))
    declined, offered, silent, done = _weigh(sentences, question, profile)
    elsewhere = declined and any(_names_other_document(text, question.text) for text in sentences)
    return Refusal(
        declined or moved,
        elsewhere or moved or (declined and not offered),
        offered == 2,
        moved or corrected or (denied and not declined),
        asks,
        elsewhere,
        silent,
        tuple(done),
    )


def _weigh(
    sentences: Sequence[str], question: Question, profile: Profile
) -> tuple[bool, int, bool, list[Act]]:
    """Read sentences in order: is it declined, what is offered in the end, is the document silent."""
    golds = tuple(each.casefold() for each in question.answers if find_decline(each))
    done: list[Act] = []
    declined = near = silent = supposing = False
    offered = 0
    for text in sentences:
        supposing = (declined or near) and (supposing or _does("supposing", text))
        found = _said(text, profile, done[-1] if done else "statement", supposing=supposing)
        kinds = [act for _, act, _ in found]
        beside = "decline" in (*kinds, *done[-1:])
        here = 0
        for clause, act, verdict in found:
            no_rule = _sets_no_rule(clause, profile)
            silent = silent or no_rule
            if any(gold in clause.casefold() for gold in golds):
                # "No evidence of fraud" is what was found.
                here = 2
            elif no_rule or act == "decline" or (declined and act == "aside"):
                near = near or act == "decline"
                declined = declined or (act == "decline" and verdict != "near")
                if question.kind != "list" and (offered < 2 or no_rule or _does("concludes", clause)):
                    # What was stated before a decline is what there is instead; a conclusion stands.
                    offered = here = 0
            else:
                here = max(here, _offers(clause, act, profile, beside=beside))
        offered = max(offered, here)
        done.append("statement" if here else min(kinds, key=_ORDER.index))
    recipe = "statement" not in done and not _does("asks_how", question.text)
    recipe = recipe and any(_does("recipe", text) for text in sentences)
    declined = declined or (not offered and (near or recipe))
    return declined, offered, silent and not offered, done


def _said(
    text: str, profile: Profile, before: Act, *, supposing: bool
) -> list[tuple[str, Act, Verdict | None]]:
    """Return the clauses of a sentence, each with what it does and what it declines."""
    if _is_question(text):
        return [(text, "question", None)]
    supposing = supposing or _does("conditional", text) or _does("recipe", text)
    instead: Act | None = None
    if supposing or (before in ("method", "courtesy") and _is_formula(text)):
        instead = "method"
    elif before in ("method", "background") and _does("goes_on", text):
        instead = "background"
    found: list[tuple[str, Act, Verdict | None]] = []
    end = 0
    for clause, verdict in verdicts(text, profile):
        start = text.find(clause, end)
        act = _act_of(clause, verdict, profile)
        joint, end = text[end:start], start + len(clause)
        if instead and act in _PLAIN and (supposing or not _does("concludes", clause)):
            act = instead
        follows = bool(found) and act in ("statement", "background") and _does("so", joint)
        found.append((f"so {clause}", "statement", verdict) if follows else (clause, act, verdict))
        if act in ("method", "advice"):
            instead = "method"
    return found or [(text, "courtesy", None)]


def _act_of(clause: str, verdict: Verdict | None, profile: Profile) -> Act:
    if verdict in ("about", "near") or tells("whole", clause):
        return "decline"
    if verdict is not None:
        return "aside"
    if acts.corrects_premise(clause):
        return "premise"
    if any(_does(each, clause) for each in ("concludes", "worked_out", "yes_or_no", "guesses")):
        return "statement"
    if _does("method", clause):
        return "method"
    if acts.is_greeting(clause) or acts.is_introduction(clause) or not content(clause):
        return "courtesy"
    if acts.is_advice(clause):
        return "advice"
    if acts.is_pointer(clause):
        return "pointer"
    norm = profile.kind == "yesno" and profile.modality not in ("fact", "not_fact")
    return "background" if _does("background", clause) and not norm else "statement"


def _offers(clause: str, act: Act, profile: Profile, *, beside: bool) -> int:
    """Return 2 for a clause that comes to an answer, 1 for one that may hold it, 0 for any other."""
    if _does("yes_or_no", clause):
        return 2 if len(raw_words(clause)) > 1 else 1
    words = frozenset(content(clause)) - generic_concepts()
    if act not in ("statement", "background") or not words:
        return 0
    figures = any(not each.year for each in find_quantities(pattern("acts", "working").sub(" ", clause)))
    valued = bool(find_dates(clause)) if profile.kind == "date" else figures
    short = len(raw_words(clause)) <= 8
    if beside and (_does("guesses", clause) or (short and it_is(clause))):
        return 2 if short or valued or find_dates(clause) or NAME.search(clause) else 0
    if act == "background":
        named = _does("asks_name", profile.question) and bool(find_dates(clause) or NAME.search(clause))
        kind = profile.kind in ("number", "date")
        return int((valued and beside) or (bool(words & profile.words) and (named or (valued and kind))))
    if _does("concludes", clause) or _does("worked_out", clause):
        return 2
    told = words & profile.words and words - profile.words and (valued or _does("finite", clause))
    return int(bool(told) or profile.kind == "list")


def _is_question(text: str) -> bool:
    return text.rstrip(" \"'*").endswith("?")


def _asks_back(sentences: Sequence[str]) -> bool:
    asking = [text for text in sentences if _is_question(text)]
    return (bool(asking) and (len(asking) == len(sentences) or any(map(acts.asks_back, asking)))) or any(
        acts.asks_back(text) and _does("please", text) for text in sentences
    )


def _is_formula(text: str) -> bool:
    """Say whether a line names figures and gives none ("Revenue for 2022", "Margin = income / sales")."""
    return not _does("worked_out", text) and (not _does("finite", text) or _does("operator", text))


def _may_decline(text: str, profile: Profile) -> bool:
    declines = any(verdict is not None for _, verdict in verdicts(text, profile))
    return declines or tells("whole", text) or _does("recipe", text) or _sets_no_rule(text, profile)


def _names_other_document(text: str, question: str) -> bool:
    """Say whether a sentence answers from a document that the question does not name."""
    found = pattern("declines", "other_document").search(text)
    other = found is not None and not find_decline(text) and (found[1] or found[0]) not in question
    return other and tells("document", question)


def _moves_to_another(text: str, profile: Profile) -> bool:
    """Say whether a sentence puts another party in the place of the one asked about."""
    if asks_whether(profile) or find_decline(text):
        return False
    for entry in ("not_it", "did_not"):
        for found in pattern("declines", entry).finditer(text):
            denied = frozenset(raw_words(found["denied"])) & profile.names
            if denied and not frozenset(raw_words(found["other"])) & (profile.names | profile.words):
                return True
    return False


def _sets_no_rule(text: str, profile: Profile) -> bool:
    named = frozenset(content(text.replace("-", " "))) & profile.focus
    return profile.kind == "yesno" and bool(named) and tells("no_rule", text)


def _corrects(text: str, profile: Profile) -> bool:
    """Say whether a sentence denies what the question takes for granted."""
    if profile.kind != "yesno" and asks_whether(profile):
        return False
    return acts.corrects_premise(text)


def _does(entry: str, text: str) -> bool:
    return pattern("acts", entry).search(text) is not None
