"""How often a right value that is said of something else is called *correct*; writes ``wrong_slot.json``.

    python benchmarks/wrong_slot.py [CORPUS=FOLDER ...] [--part ours|seen|unseen|all] [--show FAMILY]

Every answerable question of the frozen sets that asks for a number, a date or a text is answered in each
wording of ``wrong_slot.jsonl``: once with the right value said of another entity, period, attribute or party,
and once, as a control, of what was asked. The gold passage is given and cited. Those of the parts *seen* and
*unseen* were written by someone who knew no rule of the grader; only the first half was read when the rules
were written. CORPUS=FOLDER names where a corpus is read from; the sample comes with the harness.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple

import msgspec

import ragharness as rh
from bench import HERE, json_lines, parser, proportion, write_result
from ragharness.graders import load_grader
from ragharness.graders.verdicts import grade
from ragharness.language.units import is_duration, read_unit
from ragharness.records import Answer, Passage, Question, Verdict

WORDINGS, RESULT = HERE / "wrong_slot.jsonl", HERE / "wrong_slot.json"
CORPORA = ("sample", "contractnli", "edgar", "govreport")
AROUND = 400  # characters of the document before and behind a gold span that its passage holds
ENTITIES = ("Wexford Holdings", "Ballinore Partners", "Tarnhelm Industries")
ATTRIBUTES = {
    "money": ("goodwill", "advertising expense", "the value of donated land"),
    "percent": ("the share of remote staff", "the effective tax rate", "the attendance rate"),
    "duration": ("the cure period", "the warranty period", "the probation period"),
    "plain": ("the number of parking lots", "the number of board meetings", "the number of patents"),
    "date": ("the date of the site visit", "the date of the annual meeting", "the start of the audit"),
    "text": ("the landlord", "the printer", "the escrow agent"),
}
"""Attributes that no question asks about."""
_ENTITY = re.compile(r"“[^”]+”|\b[A-Z][\w&’'.-]*[\w’](?:\s+(?:of|and|the|for)?\s*[A-Z][\w&’.-]*[\w])*")
_NO_ENTITY = re.compile(
    r"(?:According|In|Under|On|Which|What|When|By|Whom?|How|As|Did|Does|To|From|At|For|The|January|February|March"
    r"|April|May|June|July|August|September|October|November|December|NDA|GAO|CRS|Item|Form)\b(?!-)\s*"
)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_ATTRIBUTE = re.compile(
    r"(?:what|which) (?:is|was|were|are) (?:the )?(?:company's |\w+'s )?(?P<noun>[a-z][\w -]*?)"
    r"(?= (?:of|under|for|in|that|on|does|did|to|with|by|at|as|reported|which)\b|,|\?)"
    r"|how many (?P<count>[a-z]+(?: [a-z]+)?)\b",
    re.IGNORECASE,
)


_ASKS_LIMIT = re.compile(
    r"\b(?:within|at most|at least|up to|(?:max|min)imum|highest|lowest|how much notice|control)\b|limit",
    re.IGNORECASE,
)
_ASKS_CHANGE = re.compile(
    r"\b(?:increase|decrease|decline|rise|cut|chang|grow|fell|more|fewer|reduc)\w*", re.IGNORECASE
)


_PARTS = {"ours": "our own", "seen": "of others, seen", "unseen": "of others, unseen"}


class Case(NamedTuple):
    """Frozen question with what fills the wordings, and its gold passage."""

    question: Question
    passage: Passage
    slots: dict[str, str]


class Wording(msgspec.Struct, frozen=True):
    """Frame of an answer: with the right value said of something else, and of what was asked."""

    family: str
    kinds: tuple[str, ...]
    wrong: str
    control: str
    part: str = "ours"
    needs: tuple[str, ...] = ()

    def fits(self, case: Case) -> bool:
        """Whether every placeholder can be filled for the question."""
        names = set(re.findall(r"\{(\w+)\}", self.wrong + self.control))
        text = case.question.text
        limited = "not_limit" in self.needs and _ASKS_LIMIT.search(text)
        changed = "not_change" in self.needs and _ASKS_CHANGE.search(text)
        return case.question.kind in self.kinds and names <= case.slots.keys() and not (limited or changed)


def wordings(part: str) -> list[Wording]:
    """Wordings of a part: ``ours``, ``seen``, ``unseen`` or ``all``."""
    rows = [msgspec.convert(row, Wording) for row in json_lines(WORDINGS)]
    return [row for row in rows if part in ("all", row.part)]


def written(question: Question, value: str) -> str:
    """Value as a person writes it."""
    if question.kind == "date":
        parts = [int(part) for part in value.split("-")]
        if len(parts) == 1:
            return value
        day = date(parts[0], parts[1], parts[2] if len(parts) > 2 else 1)
        return f"{day:%B} {day.day}, {day.year}" if len(parts) > 2 else f"{day:%B %Y}"
    if question.kind == "text":
        return value
    number, unit = Decimal(value), question.unit
    figure = f"{abs(number):,}" if abs(number) >= 1000 or "." in value else f"{abs(number)}"
    sign = "-" if number < 0 else ""
    if unit.startswith("USD"):
        return f"{sign}${figure}{unit[3:]}"
    if unit == "percent":
        return f"{sign}{figure}%"
    return f"{sign}{figure} {unit.rstrip('s') if number == 1 else unit}".strip()


def another(question: Question, golds: Sequence[str]) -> str:
    """Value of the question's kind that is none of its golds."""
    if question.kind == "number":
        number = Decimal(question.answers[0])
        changed = number * Decimal("1.37") if number else Decimal(7)
        return str(changed.quantize(number) if changed.quantize(number) != number else number + 1)
    if question.kind == "date":
        year, *day = question.answers[0].split("-")
        return "-".join([str(int(year) - 3), *day])
    mine = {gold.casefold() for gold in question.answers}
    return next((gold for gold in golds if gold.casefold() not in mine), "Tarnhelm")


def cases(name: str, folder: str) -> Iterator[Case]:
    """Answerable questions of a frozen set that ask for one value."""
    corpus = rh.load_corpus(name, source=folder)
    questions = rh.load_questions(corpus).questions
    by_topic: dict[str, list[str]] = defaultdict(list)
    for question in questions:
        if question.answers and question.kind == "text":
            by_topic[question.topic].append(question.answers[0])
    texts = [gold for golds in by_topic.values() for gold in golds]
    for number, question in enumerate(questions):
        if not (question.answerable and question.evidence and question.kind in ("number", "date", "text")):
            continue
        span = question.evidence[0]
        document = corpus.document(span.document)
        start, end = max(0, span.start - AROUND), min(len(document.text), span.end + AROUND)
        passage = Passage(
            f"{document.id}#1", document.id, document.title, start, end, document.text[start:end]
        )
        family: str = question.kind
        if family == "number":
            unit = read_unit(question.unit).unit
            family = "money" if unit == "USD" else "duration" if is_duration(unit) else unit or "plain"
            family = family if family in ATTRIBUTES else "plain"
        slots = {
            "gold": written(question, question.answers[0]),
            "other": written(question, another(question, [*by_topic[question.topic], *texts])),
            "other_entity": ENTITIES[number % len(ENTITIES)],
            "other_attribute": ATTRIBUTES[family][number % len(ATTRIBUTES[family])].removeprefix("the "),
        }
        years = _YEAR.findall(question.text)
        if years and question.kind != "date":
            slots |= {"year": years[-1], "other_year": str(int(years[-1]) - 4)}
        elif question.kind != "date":
            slots["other_year"] = "1994"
        names = (_NO_ENTITY.sub("", run).strip() for run in _ENTITY.findall(question.text))
        entity = re.sub(r"['’]s$| of$", "", next(filter(None, names), ""))
        if entity:
            slots["entity"] = f"the report {entity}" if entity.startswith("“") else entity
        noun = _ATTRIBUTE.search(question.text)
        if noun:
            slots["attribute"] = noun["noun"] or f"number of {noun['count']}"
        yield Case(question, passage, slots)


def judged(case: Case, wording: str) -> tuple[str, Verdict]:
    """Answer in a wording, and what the rules call it."""
    filled = wording.format(**case.slots)
    text = f"{filled[:1].upper()}{filled[1:]} [{case.passage.id}]"
    passages = (case.passage,)
    verdict = grade(load_grader(), case.question, Answer(text=text), passages, frozenset({case.passage.id}))
    return text, verdict


def main() -> None:
    """Grade, print and store."""
    arguments = parser(__doc__)
    arguments.add_argument("corpora", nargs="*", metavar="CORPUS=FOLDER")
    arguments.add_argument("--part", choices=(*_PARTS, "all"), default="ours")
    arguments.add_argument("--show", metavar="FAMILY", help="print every answer of a family that goes wrong")
    arguments.add_argument("--write", action="store_true")
    options = arguments.parse_args()
    folders = {"sample": "", **dict(pair.split("=", 1) for pair in options.corpora)}
    every = [case for name in CORPORA if name in folders for case in cases(name, folders[name])]
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for wording, case in itertools.product(wordings(options.part), every):
        if not wording.fits(case):
            continue
        for side, frame in (("wrong", wording.wrong), ("control", wording.control)):
            text, verdict = judged(case, frame)
            outcome = verdict.bucket or "review"
            counts[wording.family][f"{side} {outcome}"] += 1
            counts[f"all {_PARTS[wording.part]}"][f"{side} {outcome}"] += 1
            if options.show in (wording.family, "all") and (outcome == "correct") == (side == "wrong"):
                print(f"{side:8}{outcome:12}{case.question.text}\n{'':20}{text}\n{'':20}{verdict.why}")
    result: dict[str, Any] = {}
    for family, count in counts.items():
        outcomes = dict(sorted(count.items()))
        rates = {
            name: proportion(
                count[f"{side} correct"], sum(n for key, n in count.items() if key.startswith(side))
            )
            for name, side in (("called correct", "wrong"), ("controls correct", "control"))
        }
        result[family] = {**rates, "outcomes": outcomes}
        figures = "   ".join(f"{name} {right:5} of {n:5}" for name, (right, n, *_) in rates.items())
        print(f"{family:24}{figures}   {outcomes}")
    if options.write:
        write_result(RESULT, {"corpora": [name for name in CORPORA if name in folders], "families": result})


if __name__ == "__main__":
    main()
