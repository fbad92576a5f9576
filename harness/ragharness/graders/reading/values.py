"""The committed number, date or text of an answer: its values, the ones it commits to, how they compare."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ragharness.graders.reading.answer import is_quoted_row, is_quoted_table
from ragharness.graders.reading.attribution import place_values
from ragharness.graders.reading.candidates import accepted, find_days, find_figures, find_names, value_kinds
from ragharness.graders.reading.records import AnswerSentence, Candidate, Entry, Outcome, Profile, Slot
from ragharness.graders.reading.refusal import does, find_decline, is_guess, is_question, speaks_of_question
from ragharness.language.dates import find_dates
from ragharness.language.matching import AliasHit, find_alias, fold, tokens
from ragharness.language.numbers import find_quantities
from ragharness.language.polarity import negated
from ragharness.language.tables import WHOLE, pattern, phrases, regex, words_of
from ragharness.language.words import clause_at, clauses, concepts_of, content, generic_concepts, raw_words
from ragharness.records import Question

_NEGATION = regex(r"\b(?:not|never|cannot)\b|n['’]t\b", re.IGNORECASE)
_DENIED = regex(
    rf"(?:\b{phrases('values', 'auxiliary')}(?:\s+not|n['’]t|\s+never)|\bnever|\bno\s+longer(?!\s+than))\b"
    rf"(?:[ ](?!{phrases('values', 'states_anyway')}\b)[\w'’-]+){{0,7}}[ ]*(?:[$€£(]\s?)?$",
    re.IGNORECASE,
)  # A denial by the verb, further from the value than a plain "not"
_VERB_DENIED = regex(r"\w\s+(?:not|never|no\s+longer(?!\s+than))\b|n['’]t\b|^\W*never\b", re.IGNORECASE)
_CONCLUDES = regex(rf"(?:^\W*|[,;]\s+){phrases('values', 'concluding')}\b", re.IGNORECASE)
_CALCULATES = regex(r"=[^;]*[/×*÷+]|[/×*÷+−][^;]*=|≈|\bdivid(?:ed|ing)\s+by\b|\bmultipl", re.IGNORECASE)
_DENIED_AFTER = regex(r"[\s*_\"”]+(?:it\s+)?(?:is|was|are|were)(?:\s+not|n['’]t)\b(?!\s+only)", re.IGNORECASE)
_SIDE_BY_SIDE = regex(r"\W*(?:and(?:\s+also)?|/|\(?[a-h1-9][.)])\W*")
_NAME = r"[A-ZÀ-Ý][\w'’.-]+"
_NAMED = regex(rf"(?<!^)(?<![.!?]\s)\b{_NAME}")
IS_A_NAME = regex(
    rf"\b(?:is|was|are|were|be)\s+(?:the\s+|a\s+|an\s+)?(?:{_NAME}(?:\s|\W*$))+"
    rf"|^\W*(?:{_NAME}\s+)+(?:is|was|are|were|appears\s+to\s+be|serves\s+as|acts\s+as)\s+(?:the|its|an?)\b"
)
_SHORT = 5  # words; so short an answer names what it names, whatever was asked


def read_values(
    parts: Sequence[AnswerSentence], question: Question, profile: Profile, *, declined: bool
) -> Outcome:
    """Values asserted in the question's slot, compared; ``declined``: the text declines it."""
    entries = gather(parts, question, profile, declined=declined)
    figures = question.kind in ("number", "date")
    calculates = figures and any(_CALCULATES.search(part.text) for part in parts)
    outcome = Outcome(entries=entries, calculates=calculates)
    chosen = choose(outcome, question)
    outcome.unreadable = _names_none(entries, chosen)
    if outcome.unreadable:
        return outcome
    unclear = any(each.candidate.related or (each.right and len(entries) > 1) for each in entries)
    if not (chosen or declined or unclear) and sum(not part.heading for part in parts) == 1:
        # Of an answer of one sentence a single value is its answer, of false ones any is false.
        chosen = entries
    if chosen:
        _compare(chosen, question, outcome)
    elif not any(each.right and not each.candidate.related for each in entries):
        outcome.denied = any(each.candidate.related for each in entries)
        _unknown(parts, question, profile, outcome, declined=declined)
    return outcome


def find_candidates(text: str, question: Question) -> list[Candidate]:
    """Values of the question's kind that a sentence states, in order of place."""
    finders = {"number": find_figures, "date": find_days}
    found = finders.get(question.kind, find_names)(text, question)
    rivals = [distractor for distractor in question.distractors if distractor.about]
    denied_already = bool(found) and _NEGATION.search(question.text) is not None
    for each in found:
        denied = negated(text, each.start) or _DENIED.search(text[max(0, each.start - 120) : each.start])
        denied = denied or _DENIED_AFTER.match(text, each.end)
        each.negated = each.negated or bool(denied and not denied_already)
        right = each.relation == "match"
        each.elsewhere = tuple(rival.about for rival in rivals if right or rival.value == each.equals)
    return found


def commits_to_gold(outcome: Outcome) -> bool:
    """Whether the committed value is the gold, and no verb denies it ("without a coast", "(not 5)")."""
    return not outcome.contradiction and any(
        entry.right
        and entry.candidate.written == outcome.value
        and not _VERB_DENIED.search((text := entry.part.text)[slice(*clause_at(text, entry.candidate.start))])
        for entry in outcome.entries
    )


def gather(
    parts: Sequence[AnswerSentence], question: Question, profile: Profile, *, declined: bool
) -> list[Entry]:
    """Values of all sentences in order; ``declined``: the text declines the question."""
    entries: list[Entry] = []
    # The same sentence over and over is read once.
    read: dict[tuple[str, str], list[tuple[Candidate, Slot]]] = {}
    for part in parts:
        if len(parts) > 1 and is_question(part.text):
            continue
        key = (part.text, part.context)
        if key not in read:
            found = find_candidates(part.text, question)
            slots = place_values(part.text, found, profile, context=part.context)
            read[key] = [
                (value, "out" if declined and _is_beside(part.text, value, question, profile) else slot)
                for value, slot in zip(found, slots, strict=True)
                if not value.of_another
            ]
        entries += [Entry(part, candidate, slot) for candidate, slot in read[key]]
    return entries


def _is_beside(text: str, value: Candidate, question: Question, profile: Profile) -> bool:
    """Whether a value beside a decline is for something else ("The director is A; a deputy is not named")."""
    here = concepts_of(text[slice(*clause_at(text, value.start))]) - concepts_of(question.unit)
    return len(profile.focus & here) == 1 and any(
        first in profile.focus - here and last in here for first, last in profile.qualified
    )


def choose(outcome: Outcome, question: Question) -> list[Entry]:
    """Values that an answer asserts in the question's slot: its conclusion, else the surest."""
    usable = [each for each in outcome.entries if each.slot != "out"]
    usable = [each for each in usable if not each.candidate.loose] or usable
    usable = [each for each in usable if not each.candidate.foreign_unit] or usable
    if question.kind in ("number", "date"):
        usable = _conclusion(usable, calculates=outcome.calculates) or usable
    for slot in ("in", "weak"):
        if chosen := [entry for entry in usable if entry.slot == slot]:
            return chosen
    return [each for each in usable if each.right]


def _conclusion(usable: Sequence[Entry], *, calculates: bool) -> list[Entry]:
    """The values of the last sentence that concludes, or else calculates; behind its last "="."""
    texts = {each.part.text for each in usable}
    cues = {text: cue.end() for text in texts if (cue := _CONCLUDES.search(text))}
    last = [each for each in usable if cues.get(each.part.text, each.candidate.end) <= each.candidate.start]
    if calculates and not last:
        last = [each for each in usable if "=" in each.part.text]
    if not last:
        return []
    text = last[-1].part.text
    equals = text.rfind("=", 0, last[-1].candidate.start)
    last = [each for each in last if each.part.text == text and each.candidate.start > equals]
    return [each._replace(slot="in") for each in last]


def _names_none(entries: Sequence[Entry], chosen: Sequence[Entry]) -> str:
    """Why a quoted table singles out no value; empty where it does."""
    if chosen and all(is_quoted_table(each.part.text) for each in chosen):
        return "it quotes a table of several rows and names none of its figures"
    texts = {each.part.text for each in chosen}
    if len(texts) == 1 and all(map(is_quoted_row, texts)):
        figures = [each for each in entries if each.part.text in texts]
        if not figures[0].right and any(each.right for each in figures):
            return "it quotes a row with the right figure behind another one and names neither"
    return ""


def _compare(chosen: Sequence[Entry], question: Question, outcome: Outcome) -> None:
    stated = [each for each in chosen if not each.candidate.negated]
    if not stated and not any(each.right for each in chosen):
        if question.answerable:
            outcome.unreadable = f"it only says what the answer is not ({chosen[0].candidate.written})"
        return
    right = [each for each in stated if each.right]
    if all(each.candidate.relation == "imprecise" for each in stated):
        # "A film of 2017. It came out on 17 November 2017": the exact one counts.
        right = [each for each in outcome.entries if each.may_answer]
    outcome.commit(right or stated or chosen)
    outcome.denied = not stated
    if right:
        _match(right, stated, question, outcome)
    else:
        _mismatch(stated, question, outcome)


def _match(right: Sequence[Entry], stated: Sequence[Entry], question: Question, outcome: Outcome) -> None:
    """The gold is among the values: it matches unless another one is offered beside it."""
    outcome.match = "match"
    if all(each.candidate.scale_implied for each in right):
        outcome.flags.append("scale_implied")
    rival = next((each.candidate for each in right if each.candidate.rival), None)
    if rival is not None and not _is_accepted(rival.rival, question, outcome):
        outcome.value = f"{outcome.value} and {rival.rival}"
        outcome.contradiction = rival.either
        if not rival.either:
            outcome.leave(f"it names {outcome.value}")
        return
    # "About 100, exactly 90" rounds one value; "either 90 or 100" offers two.
    two = any(each.candidate.alternative for each in stated)
    same = ("match", "ambiguous") if two else ("match", "ambiguous", "imprecise")
    others = [each for each in stated if each.candidate.relation not in same]
    rivals = [each for each in others if any(_is_rival(each, one) for one in right)]
    if rivals:
        outcome.contradiction = True
        outcome.value = f"{outcome.value} and {rivals[0].candidate.written}"
    # "In summary: two years [x]": a restated answer brings its citations along.
    outcome.carry(rivals or [each for each in outcome.entries if each.may_answer])


def _is_accepted(rival: str, question: Question, outcome: Outcome) -> bool:
    """Whether a name beside the gold excludes nothing: it is a gold too, or the golds are several."""
    words = [frozenset(tokens(fold(gold))) for gold in question.answers]
    others = (each.casefold() for each in question.answers if each.casefold() not in outcome.value.casefold())
    return any(map(words[0].isdisjoint, words)) or any(each in rival.casefold() for each in others)


def _is_rival(other: Entry, right: Entry) -> bool:
    """Whether another value is a final answer too: "A or B", "A and B", or the same said of both."""
    if other.part is not right.part:
        return other.frame == right.frame
    first, second = sorted((other.candidate, right.candidate), key=lambda each: each.start)
    joint = other.part.text[first.end : second.start]
    return other.candidate.alternative or right.candidate.alternative or bool(_SIDE_BY_SIDE.fullmatch(joint))


def _mismatch(stated: Sequence[Entry], question: Question, outcome: Outcome) -> None:
    """The gold is not among the values: one of its kind that cannot be the gold is wrong."""
    relations = [each.candidate.relation for each in stated]
    coarse = relations[:1] == ["imprecise"]
    # Nobody asked for the day: the year alone may be as good.
    if "ambiguous" in relations or (coarse and question.kind == "date" and not question.date_precision):
        outcome.leave(f"{outcome.value!r} may be the accepted answer or another one")
    elif "world" in relations:
        outcome.match = "world"
    elif "distractor" in relations:
        outcome.match = "distractor"
        outcome.value = stated[relations.index("distractor")].candidate.written
    elif stated and any(each.may_answer for each in outcome.entries):
        outcome.leave(f"it names the answer, but seems to conclude with {outcome.value!r}")
    elif outcome.calculates and any(each.candidate.near for each in stated):
        outcome.leave(f"{outcome.value!r} is the answer but for the rounding of its working")
    elif question.answerable or question.world_answers:
        outcome.match = "mismatch"
        outcome.imprecise = coarse


def _unknown(
    parts: Sequence[AnswerSentence], question: Question, profile: Profile, outcome: Outcome, *, declined: bool
) -> None:
    """Find an answer that is none of the known ones: new words said of what was asked."""
    if value_kinds(accepted(question)) or question.kind in ("number", "date"):
        return
    for part in parts:
        if is_question(part.text):
            continue
        for start, end in clauses(part.text):
            clause = part.text[start:end]
            if speaks_of_question(clause, profile) is not None:
                continue
            if does("advice", clause) or (declined and does("pointer", clause)):
                continue
            whole = clause.strip() == part.text.strip()
            if _asserts(clause, profile, declined=declined, whole=whole):
                outcome.committed = True
                outcome.match = "mismatch" if question.answerable or question.world_answers else "none"
                outcome.value = clause.strip(" .")[:120]
                outcome.parts.append(part)
                return


def _asserts(clause: str, profile: Profile, *, declined: bool, whole: bool) -> bool:
    """Whether a clause says something new of what was asked; beside a decline it must do so in full."""
    words = concepts_of(clause) - generic_concepts()
    asked = words & (profile.focus | profile.kindred)
    figures = bool(find_quantities(clause) or find_dates(clause))
    known = raw_words(profile.question)
    told = figures and any(word not in known for word in raw_words(clause) if not word.isalpha())
    if not (told or words - profile.words - profile.kindred):
        return False
    if not declined:
        return bool(asked) or (whole and len(raw_words(clause)) <= _SHORT)
    if is_guess(clause):
        return figures or bool(_NAMED.search(clause) or asked)
    covered = len(words & profile.focus)
    if IS_A_NAME.search(clause):
        return 0 < covered == len(profile.focus)
    return figures and covered * 2 >= max(2, len(profile.focus))


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
)  # what follows is no item: "the Offices of Grants and Health, overseen by the Office of Audits"
_REWORDED = "it may name an item in other words"
_ALIKE = 6  # letters in common where a word may be a form of another ("Postgres", "PostgreSQL")


class Items(NamedTuple):
    """Which items of a list an answer names, which it leaves out, and what it names besides."""

    found: tuple[str, ...]
    missing: tuple[str, ...]
    extra: tuple[str, ...]


def read_list(parts: Sequence[AnswerSentence], question: Question, profile: Profile) -> Outcome | None:
    """Items that an answer names, compared with the wanted ones as sets; None: it names none."""
    names = {item: (item, *question.aliases.get(item, ())) for item in question.answers}
    wanted = [name for each in names.values() for name in each]
    text = "\n".join(filter(None, (_listing(part, wanted, profile) for part in parts)))
    items = match_items(text, question.answers, question.aliases)
    hits = {item: find_alias(text, names[item]) for item in items.found}
    found = [item for item in items.found if not all(negated(text, hit.start) for hit in hits[item])]
    false = [each.value for each in question.distractors if _is_listed(text, each.value)]
    added = [each for each in items.extra if not pattern("values", "contrary", r"{}\b").match(each)]
    spoken = text if found else " ".join(part.text for part in parts)
    declines = any(find_decline(part.text) for part in parts)
    reworded = not declines and _may_name(items.missing, spoken, found, question)
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
    """Whether a text has a word, or its first letters, that only a missing item has."""
    told = (name for item in found for name in (item, *question.aliases.get(item, ())))
    known = concepts_of(" ".join((question.text, *told))) | generic_concepts()
    times = Counter(word for item in question.answers for word in concepts_of(item))
    begins = {word[:_ALIKE] for word in concepts_of(text) - known}
    return any(times[word] == 1 and word[:_ALIKE] in begins for item in missing for word in content(item))


def _is_listed(text: str, false: str) -> bool:
    """Whether a text lists a false item, and does not only mention or deny it."""
    starts = (hit.start for hit in find_alias(text, [false]))
    return any(not (negated(text, at) or _APART.search(text, max(0, at - 60), at)) for at in starts)


def _declines_rest(text: str, wanted: Sequence[str], profile: Profile) -> bool:
    for low, high in clauses(text):
        clause = text[low:high]
        about = speaks_of_question(clause, profile)
        of_rest = pattern("values", "rest", WHOLE).search(clause) or find_alias(clause, wanted)
        if about is not None and (about == "about" or of_rest) and find_decline(clause) is not None:
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
    """Which items a text names (or their aliases), which not, and what it enumerates besides."""
    hits = {item: find_alias(text, (item, *(aliases or {}).get(item, ()))) for item in items}
    found = tuple(item for item in items if hits[item])
    missing = tuple(item for item in items if not hits[item])
    places = sorted(hit for item in found for hit in hits[item])[:_MOST_HITS]
    return Items(found, missing, tuple(_extras(text, places, items)) if places else ())


def _extras(text: str, hits: list[AliasHit], items: Sequence[str]) -> list[str]:
    """Pieces of the enumeration around the hits that look like items and are none."""
    longest = max(len(raw_words(item)) for item in items)
    small = all(text[hit.start].islower() for hit in hits[1:] or hits)
    capital = not small and all(item[:1].isupper() or item[:1].isdigit() for item in items)
    first, end = hits[0].start, _SENTENCE_END.search(text, hits[-1].end)
    start = max(text.rfind(mark, 0, first) for mark in (":", ". ", "? ", "! ")) + 1
    # The enumeration begins before its first hit only where that one stands in a row.
    start = first if _bare(_SEPARATOR.split(text[start:first])[-1]).strip(_MARKS) else start
    # Hits are blanked out: what is left between two separators is no wanted item.
    rest = list(text[: end.start() if end else len(text)])
    for hit in hits:
        rest[hit.start : hit.end] = "\0" * (hit.end - hit.start)
    lines = [each for each in re.split(r"[;\n]", "".join(rest[start:])) if each.strip()]
    verbs = words_of("values", "no_item")
    # "Columbus, Ohio; Reno, Nevada": what stands beside an item, with no statement, belongs to it.
    single = (len(re.findall("\0+", line)) == 1 and verbs.isdisjoint(raw_words(line)) for line in lines)
    if len(lines) > 1 and all(single):
        return []
    pieces = (_bare(_DECORATION.sub("", each)) for line in lines for each in _SEPARATOR.split(line))
    extras = (piece for piece in pieces if "\0" not in piece and _is_item(piece, longest))
    return [piece for piece in extras if not capital or piece[0].isupper()]


def _is_item(piece: str, longest: int) -> bool:
    """Whether words look like an item: few, no verb, no opening of another phrase."""
    words = raw_words(piece)
    if not 0 < len(words) <= longest + 1 or words[0] in words_of("values", "opens_no_item"):
        return False
    # "customer lists": such a verb ends an item as a noun.
    body = words[:-1] if len(words) > 1 and words[-1] in ("lists", "states", "means") else words
    return words_of("values", "no_item").isdisjoint(body)


def _bare(piece: str) -> str:
    """A piece without bullets, numbers and joining words at its head, and without marks at its end."""
    return (piece[leading.end() :] if (leading := _LEADING.match(piece)) else piece).rstrip(_MARKS)
