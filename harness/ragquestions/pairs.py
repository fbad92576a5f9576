"""Yes/no questions in pairs, one affirmed and one denied, so that no fixed answer gains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from ragharness.questions.questionset import RowPart
from ragharness.records import Question
from ragquestions.candidates import Family, Group, Shortage
from ragquestions.picking import Picker

Unit = list[tuple["RowPart", "Group"]]
"""A pair of opposite gold answers to one topic, or one question of another kind than yes/no."""

UNEVEN = 2
"""Questions by which one form may be ahead of the other, within a row and over all that want a refusal."""

PATIENCE = (2, 4, 99)
"""Turns that a topic waits in the scarcer row when it can fill the other row by itself.

Little patience keeps the topics even, more of it carries larger sets.
"""


def pick_answerable(
    picker: Picker, correct: RowPart, wrong: RowPart, counts: Mapping[RowPart, int], patience: int
) -> None:
    """Pick both answerable rows together, topics in turn; raises Shortage."""
    room = {wrong: counts[wrong], correct: counts[correct]}
    turns: Counter[str] = Counter()
    waiting = dict.fromkeys(_both_sided(picker, correct), patience)
    units: dict[str, list[Unit]] = {}
    for first in (wrong, correct):
        if first == correct:
            waiting = {}
        while room[first]:
            unit = _next_unit(picker, first, correct, room, turns + Counter(waiting))
            if not unit:
                raise Shortage(first)
            for part, group in unit:
                picker.reserve(part, group)
                room[part] -= 1
            topic = unit[0][1].topic
            turns[topic] += 1
            units.setdefault(topic, []).append(unit)
    _choose_forms(picker, units)


def level_forms(picker: Picker, parts: Iterable[RowPart]) -> None:
    """Reword yes/no questions until no form is ahead over all parts by more than it may be within one.

    Each row is even but for one question; where they all lean to the same side they add up.
    """
    parts = list(parts)
    while True:
        lead = _lead([question for part in parts for question in picker.picked(part)])
        if abs(lead) <= UNEVEN:
            return
        forms = ("positive", "negative") if lead > 0 else ("negative", "positive")
        side = 1 if lead > 0 else -1
        leaning = sorted(parts, key=lambda part: -side * _lead(picker.picked(part)))
        # A row that is even may lean to the other side by one question, not by more.
        may = (part for part in leaning if side * _lead(picker.picked(part)) >= 0)
        if not any(picker.reword(part, *forms) for part in may):
            return


def _lead(questions: Iterable[Question]) -> int:
    """Return by how many questions the positive form is ahead of the negative one."""
    forms = Counter(each.form for each in questions if each.kind == "yesno")
    return forms["positive"] - forms["negative"]


def _both_sided(picker: Picker, part: RowPart) -> set[str]:
    sides = [
        {each.topic for each in picker.pool.of(part) if each.affirmed is label} for label in (True, False)
    ]
    return sides[0] & sides[1]


def _next_unit(
    picker: Picker, first: RowPart, correct: RowPart, room: Mapping[RowPart, int], turns: Mapping[str, int]
) -> Unit:
    """Return a unit of what the row has least of, its partner from the easier row if it can."""
    topics = _families_and_topics(picker, first, turns)
    partners = [part for part in dict.fromkeys((correct, first)) if room[part] >= 1 + (part == first)]
    for partner in partners:
        for family, topic in topics:
            unit = next(_units(picker, family, topic, first, partner), None)
            if unit:
                return unit
    # The last question of an odd number has no partner.
    lone = (_best(picker, first, *each, (None, True, False)) for each in (() if partners else topics))
    return next(([(first, group)] for group in lone if group is not None), [])


def _families_and_topics(picker: Picker, part: RowPart, turns: Mapping[str, int]) -> list[tuple[Family, str]]:
    """Return the topics of a part with their genre and kind, what the row has least of first."""
    ranks: dict[tuple[Family, str], str] = {}
    for group in picker.pool.of(part):
        key = group.family, group.topic
        ranks[key] = min(picker.rank(group), ranks.get(key, "g"))
    return sorted(ranks, key=lambda key: (picker.fullness(part, key[0]), turns.get(key[1], 0), ranks[key]))


def _units(picker: Picker, family: Family, topic: str, first: RowPart, partner: RowPart) -> Iterator[Unit]:
    single = _best(picker, first, family, topic, (None,))
    if single is not None:
        yield [(first, single)]
    for label in (False, True):
        group = _best(picker, first, family, topic, (label,))
        other = _best(picker, partner, family, topic, (not label,))
        if group is not None and other is not None:
            yield [(first, group), (partner, other)]


def _best(
    picker: Picker, part: RowPart, family: Family, topic: str, labels: tuple[bool | None, ...]
) -> Group | None:
    """Return the usable group of the document with the fewest questions so far."""
    groups = [group for group in picker.pool.about(part, family, topic) if group.affirmed in labels]
    groups.sort(key=lambda group: (picker.load[group.place], picker.rank(group)))
    return next(filter(picker.usable, groups), None)


def _choose_forms(picker: Picker, units: Mapping[str, list[Unit]]) -> None:
    """Give each topic as many positive wordings of affirmed as of denied golds: "yes" is right half the time.

    With an odd number of pairs one form is ahead by a pair; topics take turns in which.
    """
    ahead = 0
    for topic in sorted(units):
        members = [member for unit in units[topic] for member in unit]
        sides = [[each for each in members if each[1].affirmed is label] for label in (True, False)]
        for part, group in (each for each in members if each[1].affirmed is None):
            picker.add(part, group)
        for side in sides:
            for number, (part, group) in enumerate(side):
                picker.add(part, group, "positive" if (number + ahead) % 2 == 0 else "negative")
        ahead ^= len(sides[0]) % 2
