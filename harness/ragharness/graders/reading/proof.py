"""Proof that a right value is said of what the question asks about, not of something else.

A clause that gives the value may use the words of the question, of the line of the gold passage that states
it, and words that say nothing of their own. Any other entity, year, attribute or bound in it is a doubt, and
an answer with a doubt is left to a person. Without a gold passage only years and the slot speak against it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, cast

from rapidfuzz.distance import JaroWinkler

from ragharness.graders.reading.answer import is_quoted_row, is_quoted_table
from ragharness.graders.reading.attribution import NEUTRAL
from ragharness.graders.reading.candidates import accepted
from ragharness.graders.reading.records import AnswerSentence, Entry, Outcome, Profile
from ragharness.graders.reading.refusal import does
from ragharness.graders.reading.values import find_candidates
from ragharness.language.numbers import find_quantities
from ragharness.language.polarity import YEAR
from ragharness.language.tables import any_of, phrases, regex, table, words_of
from ragharness.language.words import (
    STOPWORDS,
    clause_at,
    clauses,
    concept,
    concepts_of,
    content,
    generic_concepts,
    raw_words,
    squeeze,
    whole_sentences,
)
from ragharness.records import Passage, Question

_WORD = regex(r"[^\W_]+(?:[.'’&][^\W_]+)*")
_BOUND = regex(
    r"\b(?:(?P<relation>by|before|after|until|since|against)"
    r"|(?P<at_most>at most|under|below|up to|(?:less|fewer) than)"
    r"|(?P<at_least>at least|over|above|beyond|exceed\w*|more than))"
    r"\s+(?:\w+ly\s+|about\s+|some\s+)?[^\w\s]*$",
    re.IGNORECASE,
)
"""Words that make a value before which they stand a bound or a change."""
_LIMITS = {
    "at_most": regex(r"\b(?:maximum|highest|most|limit|within|up to|longest|latest)\b", re.IGNORECASE),
    "at_least": regex(r"\b(?:minimum|lowest|least|shortest|earliest|more than)\b", re.IGNORECASE),
}
"""How questions ask for a bound."""
_ABOUT = regex(
    r"\b(?:according to|under)\b[^,?]*"
    r"|\b(?:fiscal )?(?:year|twelve months|period) (?:ended|to)\b[^,?]*?\d{4}",
    re.IGNORECASE,
)
"""Where a question names its document and period."""
_OTHER = regex(r"\b(?:an)?other\b(?!\s*\W?\d|\s*$)|\belse(?:where)?\b", re.IGNORECASE)
_SUPPOSES = regex(r"\b(?:would|could|might|perhaps|maybe|possibly)\b", re.IGNORECASE)
_CONDITION = regex(r"\W*(?:if|unless|when|where|had|were|should|assuming|supposing|in case)\b", re.IGNORECASE)
_ADDED = regex(r"\W*(?:but|and|though)\s+(?:only\s+)?(?:for|in|of|at|under)\b[^,;.]*", re.IGNORECASE)
_RELATIVE = regex(r"(?:where|which|who|whose|that|with)\b", re.IGNORECASE)
_RAISES = regex(r"\b\w+(?:ed|d)\s+to\b")
_JOINT = regex(r",\s|;|\b(?:and|but|while)\b")
_BREAK = regex(
    r"(?P<contrast>;|,?\s\b(?:but|whereas|while|though|although)\b)|,\s(?:and\s)?|:\s|\sand\s", re.IGNORECASE
)
_CONTRAST = regex(r";|\b(?:but|whereas|while)\b", re.IGNORECASE)
_GIVEN = regex(r"\b(?:is|are|was|were|be)\s+(?!not\b)(?:the\s+|an?\s+)?([^,]{3,80})$", re.IGNORECASE)
"""What a clause says that something is."""
_PRONOUN = regex(r"\W*(?:it|they|this|that|these|those|he|she)\b", re.IGNORECASE)
_VERB = regex(
    r"\b(?:is|are|was|were|has|have|had|do|does|did|gives?|gave|says?|said|states?|stated|reported|showed|shows?)\b",
    re.IGNORECASE,
)
_UNLIKE = regex(r"\W*(?:unlike|as opposed to|in contrast to|apart from|other than)\b", re.IGNORECASE)
_ARRIVES = regex(r"\bto\s+(?:\w+\s+)?[^\w\s]*$", re.IGNORECASE)
_MOVED = regex(r"\b(?:to|from|by|up|down)\s+(?:\w+\s+)?[^\w\s]*$", re.IGNORECASE)
_MOVES = regex(rf"\b{phrases('values', 'changing')}\w*", re.IGNORECASE)
_DATE = regex(
    rf"\b(?:{any_of(words_of('dates', 'months'))}|[A-Z][a-z]{{2}})\.?\s+\d{{1,2}}(?:,?\s+\d{{4}})?\b",
    re.IGNORECASE,
)
_SETTLES = regex(
    rf"(?:^\W*|[,;]\s+){phrases('values', 'concluding')}\b|\b(?:right|correct|actual(?:ly)?|in fact|true)\b",
    re.IGNORECASE,
)
"""What sets a value over others of the answer."""
_ORDINAL = regex(rf"\b(?:first|second|third|last)\s+{any_of(words_of('words', 'generic'))}\b", re.IGNORECASE)
_ELSEWHERE = "of "  # how doubts begin that put a value with another entity or period
_BEFORE_A_NOUN = words_of("values", "before_a_noun")
_BE = frozenset(("is", "was", "are", "were", "be", "been"))
_STEM = 5  # letters in common from which two words are forms of one
_NAMED = 0.5  # share of the words for what is asked from which a sentence names it
_MOST_STRANGE = 3
_FORM = 0.92  # Jaro-Winkler similarity from which they are


class Licence(NamedTuple):
    """What an answer may say around the gold value."""

    words: frozenset[str]
    asked: frozenset[str]  # those of the question
    attribute: frozenset[str]  # those for what is asked: no names, periods, documents
    years: frozenset[str]  # those of the question and of the gold passages
    only_years: frozenset[str]  # of the lines that state the gold, where they have none of the question's
    text: str  # the question and the lines that state the gold
    source: str  # the gold passages
    bounds: frozenset[str]  # the bounds that are asked for or stated
    grounded: bool  # whether a gold passage is at hand

    def strange(self, text: str) -> list[str]:
        """Words of a text that neither the question nor the gold passage uses for the value."""
        written: dict[str, str] = {}
        for word in _WORD.findall(_DATE.sub(" ", text)):
            for name in content(word):
                written.setdefault(name, word)
        return [
            word
            for name, word in written.items()
            if name.isalpha() and not (self._knows(name) or (word.isupper() and self._abbreviates(word)))
        ]

    def _abbreviates(self, word: str) -> bool:
        """Whether letters are the initials of words in a row, function words counted or not ("EPS")."""
        every = re.findall(r"[^\W\d_]+", self.text.casefold())
        runs = (every, [part for part in every if part not in STOPWORDS])
        return any(word.casefold() in "".join(part[0] for part in run) for run in runs)

    def names_attribute(self, text: str, profile: Profile) -> bool:
        """Whether a text has words of the question or the gold's line that are no names."""
        named = profile.words - profile.focus
        return any(
            name.isalpha() and name not in named and name not in _PLAIN and self._knows(name)
            for name in content(text)
        )

    def coverage(self, sentence: str) -> float:
        """Share of the words for what is asked that a sentence has, in one form or another."""
        words = _with_forms(concepts_of(sentence))
        stated = sum(any(_alike(name, word) for word in words) for name in self.attribute)
        return stated / len(self.attribute) if self.attribute else 0.0

    def is_of_asked(self, around: str, profile: Profile) -> bool:
        """Whether a clause names the question's entity beside others that act or stand in its passage."""
        words = {re.sub(r"['’]s$", "", word.casefold()) for word in _WORD.findall(around)}
        named = bool(profile.names) and profile.names <= words
        of_source = all(word in self.source for word in self.strange(around))
        own = of_source and not profile.names.isdisjoint(words)
        return profile.kind != "text" and (own or (named and self.coverage(around) >= _NAMED))

    def _knows(self, name: str) -> bool:
        return len(name) == 1 or name in self.words or name in _PLAIN or _has_form(name, self.words)


@lru_cache(maxsize=16384)
def _has_form(name: str, words: frozenset[str]) -> bool:
    """Whether one of the words is a form of a concept."""
    return any(_alike(name, word) for word in words if word[:1] == name[:1] or name in word or word in name)


def _alike(name: str, word: str) -> bool:
    """Whether two concepts are forms of one word."""
    short, long = sorted((name, word), key=len)
    if len(short) < _STEM - 1:
        return name == word
    inside = len(short) >= _STEM and short in long
    return inside or (name[0] == word[0] and JaroWinkler.similarity(name, word) >= _FORM)


_FORMS = [concepts_of(row) for row in cast("list[str]", table("values")["forms"])]
_PLAIN = NEUTRAL | generic_concepts()


def licence(question: Question, profile: Profile, passages: Iterable[Passage]) -> Licence:
    """Licence of a question whose evidence the given passages hold."""
    lines, titles, texts = [], [], []
    for passage in passages:
        titles.append(passage.title)
        texts.append(passage.text)
        lines += _gold_lines(question, passage)
    own = " ".join((question.text, question.proposition, question.unit, *accepted(question)))
    named = " ".join((own, *lines, *titles))
    asked, stated = frozenset(YEAR.findall(question.text)), frozenset(YEAR.findall(" ".join(lines)))
    return Licence(
        _with_forms(concepts_of(named) | profile.kindred | profile.acronyms),
        concepts_of(own) | profile.kindred,
        concepts_of(_ABOUT.sub(" ", question.text)) & profile.focus - profile.kindred - _PLAIN,
        frozenset(YEAR.findall(" ".join((named, *texts)))) if lines else frozenset(),
        stated if stated.isdisjoint(asked) else frozenset(),
        " ".join((question.text, *lines)),
        "\n".join(texts),
        frozenset(bound for bound, cue in _LIMITS.items() if cue.search(question.text))
        | {quantity.bound for line in lines for quantity in find_quantities(line)},
        bool(lines),
    )


def _with_forms(words: frozenset[str]) -> frozenset[str]:
    return words.union(*(forms for forms in _FORMS if not forms.isdisjoint(words)))


def _gold_lines(question: Question, passage: Passage) -> list[str]:
    """Sentences and table rows of a passage that hold its gold span, else those that state the gold."""
    spans = [
        (span.start - passage.start, span.end - passage.start)
        for span in question.evidence
        if span.document == passage.document and span.start < passage.end and passage.start < span.end
    ]
    text, lines = passage.text, []
    for start, end in spans:
        low, high = text.rfind("\n", 0, max(0, start)) + 1, text.find("\n", max(0, end))
        for line in text[low : high if high >= 0 else len(text)].split("\n"):
            lines += [(low, line)]
            low += len(line) + 1
    pieces = [
        (low + begin, low + end, line[begin:end])
        for low, line in (lines or ((0, line) for line in text.split("\n")))
        for begin, end in whole_sentences(line)
    ]
    if lines:
        return [
            piece for low, high, piece in pieces if any(low < end and start < high for start, end in spans)
        ]
    return [
        piece
        for _, _, piece in pieces
        if any(candidate.relation == "match" for candidate in find_candidates(piece, question))
    ]


def prove(
    read: Outcome, parts: Sequence[AnswerSentence], question: Question, profile: Profile, known: Licence
) -> Outcome:
    """Outcome left open, or wrong, where a right value is not said of what was asked."""
    if read.match != "match" or not read.committed or read.contradiction or question.kind == "list":
        return read
    right = [entry for entry in read.entries if entry.right and not entry.candidate.negated]
    doubts = [
        (len(parts) > 1 and is_quoted_table(entry.part.text) and "of a table")
        or doubt(entry, read.entries, profile, known)
        or _pointed_to(entry, parts, profile, known)
        for entry in right
    ]
    proven = [entry for entry, why in zip(right, doubts, strict=True) if not why]
    rival = next(_rivals(read, proven, parts, profile, known), None) if known.grounded else None
    settled = any(map(_settles, proven))
    elsewhere = all(why.startswith(_ELSEWHERE) for why in doubts)
    if rival and right and not settled and (rival.settles or (not proven and elsewhere)):
        read.match, read.value = "mismatch", rival.value
    elif right and not proven:
        read.leave(f"it says {read.value!r} {doubts[0]}, which may not be what was asked")
    elif rival and (rival.settles or not settled):
        read.leave(f"it says {read.value!r} and {rival.value!r}")
    elif not right and known.grounded:
        why = next(filter(None, (_strange(part.text, part.text, profile, known) for part in read.parts)), "")
        if why:
            read.leave(f"it says {read.value!r} {why}, which may not be what was asked")
    return read


def doubt(entry: Entry, entries: Sequence[Entry], profile: Profile, known: Licence) -> str:
    """Why a value may be said of something else than what was asked; empty where nothing says so."""
    before, after = _around(entry, entries)
    beside = _own_rest(after)
    years = frozenset[str]() if profile.kind == "date" else _years(entry, before, beside)
    if not years & known.only_years:
        apart = entry.slot == "out" and (years or not YEAR.search(after))
        if apart and profile.kind == "number":
            return "of another period, party or comparison"
        wanted = frozenset(map(str, profile.years)) or known.years
        if years and wanted and years.isdisjoint(wanted):
            return f"of {min(years)}"
    if not known.grounded or squeeze(entry.part.text) in squeeze(known.source):
        return ""
    around = _ORDINAL.sub(" ", f"{before} {after}")
    names = [word for word in known.strange(around) if _is_name(word, around)]
    aside = known.strange(after[len(beside) :])
    apart = set(names) <= set(aside) and len(aside) > len(names)
    acting = names if known.is_of_asked(around, profile) else []
    if names and not apart and not acting:
        return f"of “{' '.join(names)}”"
    joint = _JOINT.split(before)[-1]
    licensed = (known.words - _PLAIN) & concepts_of(joint)
    before = joint if licensed and not _CONDITION.match(before) else before
    if why := _qualified(before, after, profile.kind, known):
        return why
    if _ARRIVES.search(before) or _MOVES.search(profile.question):
        before = _MOVES.sub(" ", before)
    around = _ORDINAL.sub(" ", f"{entry.part.context} {before} {beside}")
    around = " ".join(word for word in around.split() if word.strip(".,;:") not in acting)
    return _strange(around, entry.part.text, profile, known)


def _qualified(before: str, after: str, kind: str, known: Licence) -> str:
    """What makes a bound, a change, a supposition or another one's value of a value; empty: nothing does."""
    bound = _BOUND.search(before)
    if bound and kind != "text":
        word = next(filter(None, bound.groups()))
        if bound.lastgroup not in known.bounds and not _states(word, known):
            return f"behind “{word}”"
    for cue in (_SUPPOSES.search(before), _OTHER.search(before), _OTHER.search(after)):
        if cue and not _states(cue[0], known):
            return f"with “{cue[0]}”"
    return ""


def _states(words: str, known: Licence) -> bool:
    return re.search(rf"\b{re.escape(words)}\b", known.text, re.IGNORECASE) is not None


def _pointed_to(entry: Entry, parts: Sequence[AnswerSentence], profile: Profile, known: Licence) -> str:
    """What the pronoun that a sentence begins with stands for, where that is something else."""
    index = (
        next(index for index, part in enumerate(parts) if part is entry.part) if entry.part in parts else 0
    )
    if not (known.grounded and index and _PRONOUN.match(entry.part.text)):
        return ""
    before = parts[index - 1].text
    named = known.coverage(before) >= _NAMED or not profile.names.isdisjoint(raw_words(before))
    if named or squeeze(before) in squeeze(known.source):
        return ""
    strange = [word for word in known.strange(before) if _is_name(word, before) or _unmakes(word)]
    return f"of “{' '.join(strange)}”" if strange else ""


def _unmakes(word: str) -> bool:
    return not words_of("values", "unmaking").isdisjoint((word.casefold(), concept(word.casefold())))


def _years(entry: Entry, before: str, beside: str) -> frozenset[str]:
    return frozenset(YEAR.findall(f"{before} {beside}")) or frozenset(YEAR.findall(entry.part.context))


def _is_name(word: str, text: str) -> bool:
    """Whether a strange word is capitalised, an adverb at the beginning of the text apart."""
    start = text.lstrip(" *_\"'“(").startswith(word)
    return word[0].isupper() and not (start and (word.endswith("ly") or f"{word}," in text))


def _strange(around: str, sentence: str, profile: Profile, known: Licence) -> str:
    """Strange words around a value that may put it elsewhere.

    A sentence that names what is asked may say it in other words, as long as none of them takes the place of
    one of the question's or makes the value a draft, a plan or another's; any other sentence may have a verb.
    """
    strange = known.strange(around)
    if not strange:
        return ""
    free = [word for word in strange if not _unmakes(word)]
    named = known.coverage(sentence) >= _NAMED
    if len(free) == len(strange) <= (_MOST_STRANGE if named else 1):
        if named and not any(_replaces(word, around, profile) for word in strange):
            return ""
        if known.names_attribute(around, profile) and _is_verb(strange[0], around, profile):
            return ""
    return f"with “{' '.join(strange)}”"


def _neighbours(word: str, around: str) -> tuple[str, str]:
    written = _WORD.findall(around)
    index = written.index(word)
    return written[index - 1].casefold() if index else "", "".join(written[index + 1 : index + 2]).casefold()


def _replaces(word: str, around: str, profile: Profile) -> bool:
    """Whether a word stands beside one of the question's where the question has another one."""
    before, behind = map(concept, _neighbours(word, around))
    return any(before == first or behind == last for first, last in profile.qualified)


def _is_verb(word: str, around: str, profile: Profile) -> bool:
    """Whether a word is the verb of its subject, and puts nothing in the place of a word of the question."""
    before, behind = _neighbours(word, around)
    if not (before and behind) or before in _BEFORE_A_NOUN or behind in _BE or _RAISES.search(around):
        return False
    return not _replaces(word, around, profile)


def _around(entry: Entry, entries: Sequence[Entry]) -> tuple[str, str]:
    """What a sentence says of a value before and behind it: what its neighbours of the kind do not have."""
    text, value = entry.part.text, entry.candidate
    beside = [other.candidate for other in entries if other.part is entry.part and other is not entry]
    earlier = [other for other in beside if other.end <= value.start]
    before = _own_clause(text[: value.start])
    if earlier and earlier[-1].end > value.start - len(before):
        gap = text[earlier[-1].end : value.start]
        lead = _own_clause(text[: earlier[0].start])
        before = f"{lead} to " if _ARRIVES.search(gap) else _JOINT.split(gap)[-1]
    later = [other.start for other in beside if other.start >= value.end]
    stop = clause_at(text, value.start)[1]
    stop = added.end() if (added := _ADDED.match(text, stop)) else stop
    after = text[value.end : max(value.end, min([stop, *later]))]
    return before, re.split(rf"\((?=[^()]*:)|{_JOINT.pattern}", after)[0] if later else after


def _own_clause(before: str) -> str:
    """The clause before a value with the phrases and conditions that lead up to it."""
    start = 0
    for joint in _BREAK.finditer(before):
        lead = before[start : joint.start()]
        other = _VERB.search(lead) and not _CONDITION.match(lead)
        if joint["contrast"] or other or (_UNLIKE.match(lead) and not _RELATIVE.match(before, joint.end())):
            start = joint.end()
    return before[start:]


def _own_rest(after: str) -> str:
    """What follows a value up to the next joint, and what a contrast adds ("but for 2019")."""
    rest = _JOINT.split(after)[0]
    added = _ADDED.match(after, len(rest))
    return rest + (added[0] if added else "")


class Rival(NamedTuple):
    """Another value that an answer gives for what was asked, and whether it sets it over others."""

    value: str
    settles: bool


def _settles(entry: Entry) -> bool:
    text = entry.part.text
    low, high = clause_at(text, entry.candidate.start)
    return _SETTLES.search(text[max(low, text.rfind(",", 0, entry.candidate.start)) : high]) is not None


def _rivals(
    read: Outcome, proven: Sequence[Entry], parts: Sequence[AnswerSentence], profile: Profile, known: Licence
) -> Iterator[Rival]:
    """Other values that the answer gives for what was asked, in no other words than the question's."""
    strict = known._replace(words=known.asked)
    periods = frozenset[str]().union(*(_years(entry, *_around(entry, read.entries)) for entry in proven))
    for entry in read.entries:
        value = entry.candidate
        other = value.relation in ("mismatch", "distractor", "world") and not value.negated
        named = profile.kind == "text" and any(entry.part is right.part for right in proven)
        row = is_quoted_row(entry.part.text) or is_quoted_table(entry.part.text)
        named = named or row or value.written in profile.question
        if not other or named or value.loose or value.foreign_unit or entry.slot == "out":
            continue
        before, after = _around(entry, read.entries)
        years = _years(entry, before, after)
        apart = years and periods and years.isdisjoint(periods)
        sentence = entry.part.text
        lead = _CONTRAST.split(sentence[: value.start])[-1]
        moved = _MOVED.search(sentence, 0, value.start) or strict.strange(f"{lead} {after}")
        if not (apart or moved or doubt(entry, read.entries, profile, strict)):
            yield Rival(value.written, _settles(entry))
    if profile.kind == "text":
        stated = {entry.candidate.written for entry in read.entries if entry.right}
        for part in parts:
            yield from _rival_names(part.text, stated, strict)


def _rival_names(text: str, stated: set[str], strict: Licence) -> Iterator[Rival]:
    """Names that clauses without the gold give as the answer, and what they set over it in other words."""
    for segment in _CONTRAST.split(text):
        for low, high in clauses(segment):
            clause = segment[low:high]
            given, size = _GIVEN.search(clause), len(_WORD.findall(clause))
            if (given is None and size > _STEM) or ":" in clause or YEAR.search(segment):
                continue
            strange = [word for word in strict.strange(clause) if len(word) > 2]
            odd = not strange or len(strict.strange(segment)) > len(strict.strange(clause))
            if odd or does("courtesy", clause):
                continue
            stands = given is not None and all(word in given[1] for word in strange)
            settles = stands and _SETTLES.search(clause) is not None
            settles = settles and not any(gold in clause for gold in stated)
            whole = len(strange) == size <= _STEM and clause[:1].isupper()
            if whole or settles or (stands and all(_is_name(word, clause) for word in strange)):
                yield Rival(" ".join(strange), settles)
