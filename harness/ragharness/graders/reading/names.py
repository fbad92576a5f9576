"""Names in a sentence, what stands beside them, and the items of a list: named, left out, added, declined."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ragharness.graders.reading.answer import AnswerSentence
from ragharness.graders.reading.candidates import accepted, family_of, in_range, value_kinds
from ragharness.graders.reading.declining import find_decline, speaks_of_question
from ragharness.graders.reading.records import Candidate, Outcome, Profile, Relation
from ragharness.language.matching import AliasHit, find_alias, is_code
from ragharness.language.numbers import Quantity, find_quantities
from ragharness.language.polarity import negated
from ragharness.language.tables import WHOLE, pattern, phrases, regex, words_of
from ragharness.language.words import STOPWORDS, clauses, concepts_of, content, generic_concepts, raw_words
from ragharness.records import Question

_MOST_HITS = 200
_DECORATION = regex(r"\[[^\[\]]{0,80}\]|【[^】]{0,80}】|\([A-Z]\w+ \d{1,3}\)")
_LEADING = regex(
    r"(?:[\s\-*•–\"'“”()]|\(?\d{1,2}[.)]\s|(?:the|a|an|both|also|either|and|or|as well as)\s)+", re.IGNORECASE
)
_MARKS = " .*\"'“”():\n\t"
_SEPARATOR = regex(
    r"\s*(?:[,;\n|]|(?<!\w)(?:and|or|as well as|along with|plus)(?!\w)|(?<!\w\s)\(?\d{1,2}\)\s)\s*"
)
_SENTENCE_END = regex(r"[.!?](?=\s|$)(?!\n[-*•])|\n(?=[^\n]*:\W*(?:\n|$))")
_APART = regex(
    r",\s+(?:(?:which|who)\s+(?:is|are|was|were)\s+)?\w+(?:ed|en)\s+(?:by|with|to|from|under)\s+(?:the\s+|an?\s+)?$",
    re.IGNORECASE,
)
"""What follows is no item: "the Offices of Grants and Health, overseen by the Office of Audits"."""


_MOST_NAMES = 40
_NAME = r"[A-ZÀ-Ý][\w&'’-]*(?:\.(?=\s+[A-Z]))?(?:\s+(?:of\s+(?:the\s+)?)?[A-ZÀ-Ý][\w&'’-]*\.?)*"
_LEAD = rf"(?i:(?:{phrases('values', 'before_a_name')}\s+){{0,6}})"
_JOINT = r"(?P<joint>\band/or\b|\bor\b|\band\b|/|\bas\s+well\s+as\b|\bjointly\s+with\b)"
_AFTER = regex(rf"(?:\s+laws?|\s+courts?)?\s*,?\s*[(]?{_JOINT}\s*{_LEAD}(?P<name>{_NAME})")
_EXCLUSIVE = ("or", "and/or", "/")
_RELATIVE = phrases("values", "relatives")
_POSSESSED = regex(rf"(?:(?<=s)['’]?|['’]s?)\s+(?:\w+\s+)?{_RELATIVE}\b", re.IGNORECASE)
_OF_WHOM = regex(
    rf"\b(?:{_RELATIVE}\s+(?:of|to)|{phrases('values', 'succeeds')})\s+(?:(?:the|mr\.?|ms\.?|director)\s+)?$",
    re.IGNORECASE,
)
_DOES_NOT = r"(?:does|do|did|is|was|are|were|has|have|will|shall)(?:\s+not|n['’]t)"
_RELATION_WORD = regex(rf"\b(?:{_RELATIVE}|succe\w+|replac\w+|follow\w*|took\s+over)\b", re.IGNORECASE)
_DENIED_AFTER = regex(rf"(?:\s+[a-z]+){{0,3}}?\s+{_DOES_NOT}\b(?P<rest>[^,;.]*)")
REACH = 160
"""So far from a name a second one is looked for, so that endless lists stay cheap."""


def find_names(text: str, question: Question) -> list[Candidate]:
    """Return the golds and distractors that a sentence names, and amounts of the golds' kind, in order."""
    gold = accepted(question)
    kinds = value_kinds(gold)
    found: list[Candidate] = []
    _put(found, text, "match", find_alias(text, gold))
    _put(found, text, "world", find_alias(text, question.world_answers))
    for distractor in question.distractors:
        _put(found, text, "distractor", find_alias(text, [distractor.value]), distractor.value)
    amounts = find_quantities(text) if found or kinds else []
    ends = [each for each in amounts if in_range(text, each) and not any(map(is_code, gold))]
    for each in found:
        if each.relation == "match" and any(one.start < each.end and each.start < one.end for one in ends):
            each.relation = "mismatch"
    if found and not kinds:
        _look_beside(text, found, gold, question)
    alike = (each for each in amounts if family_of(each.unit) in kinds and not each.year)
    _put(found, text, "mismatch", alike)
    return sorted(found, key=lambda each: each.start)


def _put(
    found: list[Candidate],
    text: str,
    relation: Relation,
    places: Iterable[AliasHit | Quantity],
    equals: str = "",
) -> None:
    """Add values unless better ones cover their places."""
    taken = list(found)
    found += (
        Candidate(each.start, each.end, relation, text[each.start : each.end], equals)
        for each in places
        if all(each.start >= other.end or each.end <= other.start for other in taken)
    )


def _look_beside(text: str, found: Sequence[Candidate], gold: Sequence[str], question: Question) -> None:
    """Look at what stands beside names: a second name, a relation, a denial."""
    words = frozenset(word for each in gold for word in raw_words(each))
    for candidate in found[:_MOST_NAMES]:
        place = (text, candidate.start, candidate.end)
        candidate.related = _is_relation_only(*place, question.text)
        if candidate.relation == "match":
            candidate.rival, candidate.either = _rival_of(*place, words, question.text)
            candidate.negated = _is_denied_after(text, candidate.end, question.text)
            if _is_namesake(text[: candidate.start], candidate.written, gold):
                candidate.relation = "mismatch"


# What stands beside a name and makes it another answer: "A or B", "A's deputy, B", "B succeeded A".


def _rival_of(text: str, start: int, end: int, gold: frozenset[str], question: str) -> tuple[str, bool]:
    """Return a second name joined to the one at ``start:end``, and whether by "or"; empty when there is none.

    ``gold`` are the words of all accepted spellings: a shorter or longer form of the same name is no rival.
    """
    if not any(letter.isupper() for letter in text[start:end]) or "respectively" in text:
        return "", False
    found = _AFTER.match(text, end, end + REACH)
    if found and _differs(found["name"], gold, question):
        return found["name"], found["joint"] in _EXCLUSIVE
    return "", False


def _differs(name: str, gold: frozenset[str], question: str) -> bool:
    words = [word.strip(".'’").removesuffix("'s") for word in raw_words(name)]
    kept = [word for word in words if word not in words_of("values", "no_name") and len(word) > 1]
    return not (gold.issuperset(kept) or concepts_of(" ".join(kept)) <= concepts_of(question))


def _is_relation_only(text: str, start: int, end: int, question: str) -> bool:
    """Say whether a name only says whose deputy, parent or successor the answer is."""
    bare = re.sub(r"['’]s?$", "", text[start:end])
    related = _POSSESSED.match(text, start + len(bare)) or _OF_WHOM.search(text, max(0, start - 60), start)
    return related is not None and not _RELATION_WORD.search(question)


def _is_namesake(before: str, written: str, gold: Sequence[str]) -> bool:
    """Say whether a short form has another first word than the long one ("House", not "Senate")."""
    word = "".join(before.split()[-1:])
    longer = [each for each in gold if each.casefold().endswith(f" {written.casefold()}")]
    named = word.istitle() and word.isalpha() and word.casefold() not in STOPWORDS
    return named and bool(longer) and not any(word in each for each in longer)


def _is_denied_after(text: str, end: int, question: str) -> bool:
    """Say whether what follows a name denies of it what was asked ("Delaware law does not govern it")."""
    found = _DENIED_AFTER.match(text, end)
    return found is not None and concepts_of(found["rest"]) <= concepts_of(question)


# The items of a list.


_REWORDED = "it may name an item in other words"
_ALIKE = 6
"""Letters that two words have in common where one may be a form of the other ("Postgres", "PostgreSQL")."""


class Items(NamedTuple):
    """Which items of a list an answer names, which it leaves out, and what it names besides."""

    found: tuple[str, ...]
    missing: tuple[str, ...]
    extra: tuple[str, ...]


def read_list(parts: Sequence[AnswerSentence], question: Question, profile: Profile) -> Outcome | None:
    """Return the items that an answer names, compared with the wanted ones as sets; None: it names none."""
    names = {item: (item, *question.aliases.get(item, ())) for item in question.answers}
    wanted = [name for each in names.values() for name in each]
    text = "\n".join(filter(None, (_listing(part, wanted, profile) for part in parts)))
    items = match_items(text, question.answers, question.aliases)
    found = [
        item
        for item in items.found
        if any(not negated(text, hit.start) for hit in find_alias(text, names[item]))
    ]
    false = [each.value for each in question.distractors if _is_listed(text, each.value)]
    added = [each for each in items.extra if not pattern("values", "contrary", r"{}\b").match(each)]
    spoken = text if found else " ".join(part.text for part in parts)
    reworded = not any(part.decline for part in parts) and _may_name(items.missing, spoken, found, question)
    if not found and not false:
        return Outcome(unreadable=_REWORDED) if reworded else None
    outcome = Outcome(committed=True, value=", ".join([*found, *false, *added]))
    named = [*(name for item in found for name in names[item]), *false]
    outcome.parts = [part for part in parts if find_alias(part.text, named)]
    if false:
        outcome.match = "distractor"
    elif added:
        outcome.match = "mismatch"
    elif len(found) == len(question.answers) or not question.all_required:
        outcome.match = "match"
    else:
        outcome.match = "partial"
        outcome.partial_then_declined = any(_declines_rest(part.text, wanted, profile) for part in parts)
    if reworded and outcome.match in ("mismatch", "partial") and not outcome.partial_then_declined:
        outcome.leave(_REWORDED)
    return outcome


def _may_name(missing: Sequence[str], text: str, found: Sequence[str], question: Question) -> bool:
    """Say whether a text has a word, or its first letters, that only a missing item has."""
    told = (name for item in found for name in (item, *question.aliases.get(item, ())))
    known = concepts_of(" ".join((question.text, *told))) | generic_concepts()
    times = Counter(word for item in question.answers for word in concepts_of(item))
    begins = {word[:_ALIKE] for word in concepts_of(text) - known}
    return any(times[word] == 1 and word[:_ALIKE] in begins for item in missing for word in content(item))


def _is_listed(text: str, false: str) -> bool:
    """Say whether a text lists a false item, and does not only mention or deny it."""
    return any(
        not negated(text, hit.start) and not _APART.search(text, max(0, hit.start - 60), hit.start)
        for hit in find_alias(text, [false])
    )


def _declines_rest(text: str, wanted: Sequence[str], profile: Profile) -> bool:
    """Say whether a sentence declines the items that it does not name."""
    for low, high in clauses(text):
        clause = text[low:high]
        about = speaks_of_question(clause, profile)
        of_rest = (
            about == "about" or pattern("values", "rest", WHOLE).search(clause) or find_alias(clause, wanted)
        )
        if about is not None and of_rest and find_decline(clause) is not None:
            return True
    return False


def _listing(part: AnswerSentence, wanted: Sequence[str], profile: Profile) -> str:
    """The clauses of a sentence that list: with a wanted item, or an addition ("it also includes")."""
    said = [part.text[low:high] for low, high in clauses(part.text)]
    whole = part.item or len(said) == 1
    kept = [
        each
        for each in said
        if speaks_of_question(each, profile) is None
        and (whole or find_alias(each, wanted) or pattern("values", "also", WHOLE).search(each))
    ]
    return part.text if len(kept) == len(said) else "; ".join(kept)


def match_items(text: str, items: Sequence[str], aliases: Mapping[str, Sequence[str]] | None = None) -> Items:
    """Return which items a text names (or their aliases), which not, and what it enumerates besides."""
    hits = {item: find_alias(text, (item, *(aliases or {}).get(item, ()))) for item in items}
    found = tuple(item for item in items if hits[item])
    missing = tuple(item for item in items if not hits[item])
    places = sorted(hit for item in found for hit in hits[item])[:_MOST_HITS]
    return Items(found, missing, tuple(_extras(text, places, items)) if places else ())


def _one_item(line: str) -> bool:
    """Say whether a line holds one item, blanked out, and no statement of its own."""
    return len(re.findall("\0+", line)) == 1 and words_of("values", "no_item").isdisjoint(raw_words(line))


def _extras(text: str, hits: list[AliasHit], items: Sequence[str]) -> list[str]:
    """Pieces of the enumeration around the hits that look like items and are none."""
    longest = max(len(raw_words(item)) for item in items)
    capital = all(item[:1].isupper() or item[:1].isdigit() for item in items) and not all(
        text[hit.start].islower() for hit in hits[1:] or hits
    )
    start, end = _enumerated_from(text, hits[0].start), _SENTENCE_END.search(text, hits[-1].end)
    # Hits are blanked out: what is left between two separators is no wanted item.
    rest = list(text[: end.start() if end else len(text)])
    for hit in hits:
        rest[hit.start : hit.end] = "\0" * (hit.end - hit.start)
    lines = [each for each in re.split(r"[;\n]", "".join(rest[start:])) if each.strip()]
    if len(lines) > 1 and all(_one_item(each) for each in lines):
        # "Columbus, Ohio; Reno, Nevada": what stands beside an item belongs to it.
        return []
    pieces = (_bare(_DECORATION.sub("", each)) for line in lines for each in _SEPARATOR.split(line))
    return [
        piece
        for piece in pieces
        if "\0" not in piece and _is_item(piece, longest) and (not capital or piece[0].isupper())
    ]


def _is_item(piece: str, longest: int) -> bool:
    """Say whether words look like an item: few, no verb, no opening of another phrase."""
    words = raw_words(piece)
    if not 0 < len(words) <= longest + 1 or words[0] in words_of("values", "opens_no_item"):
        return False
    # "customer lists": such a verb ends an item as a noun.
    body = words[:-1] if len(words) > 1 and words[-1] in ("lists", "states", "means") else words
    return words_of("values", "no_item").isdisjoint(body)


def _bare(piece: str) -> str:
    """A piece without bullets, numbers and joining words at its head, and without marks at its end."""
    leading = _LEADING.match(piece)
    return (piece[leading.end() :] if leading else piece).rstrip(_MARKS)


def _enumerated_from(text: str, first: int) -> int:
    """Where the enumeration begins: before its first hit only when that one stands in a row."""
    start = max(text.rfind(mark, 0, first) for mark in (":", ". ", "? ", "! ")) + 1
    return first if _bare(_SEPARATOR.split(text[start:first])[-1]).strip(_MARKS) else start
