"""One filing with what is tagged in it, and the wordings of ``concepts.toml`` and ``silences.toml``."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import msgspec

from ragharness.corpus.loading import Corpus
from ragharness.language.units import is_currency
from ragharness.records import Distractor, Document, Kind, Question
from ragquestions import folder, recipes
from ragquestions.corpus_index import Searched
from ragquestions.recipes import Fact, Precision, Scope, trap, unanswered

from ..parse import possessive, spoken


class Concept(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How something tagged is asked about."""

    tags: list[str]
    ask: list[str]
    near: list[str] = []
    differs: list[str] = []
    beside: list[str] = []
    also: str = ""  # other words by which filings speak of it
    absent: list[str] = []  # patterns of which a filing that lacks it has none; empty where none can lack it
    rolls: bool = False  # whether it follows from last year's and what came and went: never withheld in part
    unit: str = ""  # what it is counted in where a filing lacks it; empty: as that filing counts its assets


class Silence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A topic on which every filing is silent, or what did not happen to one."""

    patterns: list[str]
    ask: list[str]
    kind: Kind
    unit: str = ""
    needs: str = ""  # what a filing must speak of often for the question to be a natural one


class Silences(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``silences.toml``."""

    unasked: dict[str, Silence]
    premises: dict[str, Silence]
    twins: dict[str, list[tuple[str, str]]]


HERE = Path(__file__).parent
CONCEPTS = msgspec.toml.decode((HERE / "concepts.toml").read_bytes(), type=dict[str, Concept])
SILENCES = msgspec.toml.decode((HERE / "silences.toml").read_bytes(), type=Silences)
LINES = msgspec.toml.decode((HERE / "lines.toml").read_bytes(), type=dict[str, str])
_OFTEN = 5000  # words of a filing among which one must be of what the question presumes


class Filed:
    """One filing with its facts by concept and end of period."""

    def __init__(self, document: Document, facts: Iterable[Fact]) -> None:
        self.document = document
        self.searched = Searched(document.text)
        self.words = document.text.count(" ")
        self.facts: dict[str, dict[str, Fact]] = defaultdict(dict)
        for fact in facts:
            self.facts[fact.topic][fact.details["end"]] = fact
        known = next((fact.details for each in self.facts.values() for fact in each.values()), {})
        self.cik = known.get("cik", "")
        self.short = known.get("short", "")
        self.end = known.get("period", "")

    def now(self, tag: str) -> Fact | None:
        """What a tag says of the year reported on; of a number on the cover whatever its date."""
        each = self.facts.get(tag, {})
        if tag.startswith("dei:"):
            return next(iter(each.values()), None) if len(each) == 1 else None
        return each.get(self.end)

    def before(self, tag: str) -> Fact | None:
        """What a tag says of the year before."""
        earlier = [end for end in self.facts.get(tag, {}) if end < self.end]
        return self.facts[tag][max(earlier)] if earlier and not tag.startswith("dei:") else None


def read_filings(corpus: Corpus, facts: Iterable[Fact]) -> list[Filed]:
    """Annual reports of a corpus with their facts."""
    tagged: dict[str, list[Fact]] = defaultdict(list)
    for fact in facts:
        tagged[fact.document].append(fact)
    return [Filed(each, tagged[each.id]) for each in corpus.documents if each.handle and tagged[each.id]]


def wordings(filed: Filed, texts: list[str], **also: str) -> Iterator[tuple[int, str]]:
    """Yield the number and the text of each wording; ``title`` and ``paraphrase`` may be given otherwise.

    Every question names the filing, not the year alone: a later filing compares with it and would answer too.
    """
    names = {"title": filed.document.title, "paraphrase": filed.document.paraphrase, **also}
    for number, text in enumerate(texts, start=1):
        asked = text.format(**names)
        if "{title}" not in text and "10-K" not in text:
            form = filed.document.title.partition(" for the ")[0].rpartition(" ")[2]
            asked = f"{asked.removesuffix('?')}, according to the {form} for that year?"
        yield number, asked


def lacking(filed: Filed, key: str, concept: Concept) -> Iterator[Question]:
    """Yield a concept that the filing lacks, worded as where others state it."""
    if not concept.absent or any(filed.facts.get(tag) for tag in concept.tags):
        return
    assets = filed.now("us-gaap:Assets")
    unit = concept.unit or (assets.unit if assets else "USD million")
    silence = Silence(patterns=concept.absent, ask=concept.ask, kind="number", unit=unit)
    yield from silent(filed, key, silence, "document")


def silent(filed: Filed, key: str, silence: Silence, scope: Scope) -> Iterator[Question]:
    """Yield a silence of a filing that is silent; of the whole corpus that is tested when it is picked."""
    if scope == "document" and any(map(filed.searched.holds, silence.patterns)):
        return
    if silence.needs and filed.searched.count(silence.needs) * _OFTEN < filed.words:
        return
    document, kind, unit = filed.document.id, silence.kind, silence.unit
    precision: Precision = "year" if kind == "date" else ""
    for number, text in wordings(filed, silence.ask):
        question = unanswered(text, kind, document, key, number, unit=unit, precision=precision)
        yield recipes.silent(question, silence.patterns, scope)


_SIZE = 200  # questions for which statements of filings without tags are looked for


def plainly_stated(corpus: Corpus, facts: Iterable[Fact]) -> list[Question]:
    """What can be asked about filings without tags: what they state in words, as a user's own."""
    tagged = {fact.document for fact in facts}
    untagged = tuple(each for each in corpus.documents if each.id not in tagged)
    if not untagged:
        return []
    handles = {each.id: each.handle for each in untagged}
    scaled = {each.id for each in untagged if _IN_THOUSANDS.search(each.text)}
    found = folder.candidates(replace(corpus, documents=untagged), _SIZE)
    # A trap has the topic of what was really asked about, so its unit tells as well.
    return [
        each
        for each in found
        if not _may_be_in_thousands(each, scaled)
        and not _CHANGE.search(each.text.replace(handles[each.document], ""))
    ]


def _may_be_in_thousands(question: Question, scaled: set[str]) -> bool:
    """Whether a figure could be one of a statement in thousands: "$2,623" that means 2.6 million."""
    if question.kind != "number" or "per share" in question.text:
        return False
    # The filing that states what is asked is another one where that is asked of this one.
    match = re.match(r"of (?!another )(\S+) ", question.topic)
    counted = is_currency(question.unit) or (not question.unit and _SHARES.search(question.text))
    return bool(counted) and (match[1] if match else question.document) in scaled


_CHANGE = re.compile(
    r"\b[Hh]ow much did\b(?!.*\b(?:19|20)\d\d\b).* (?:increase|decrease|decline|grow|rise|fall|drop)\b"
)  # a change without its year: a report compares three years with each other
_IN_THOUSANDS = re.compile(r"\bin (?:thousands|millions)\b|\b000[’']?s\b", re.IGNORECASE)
_SHARES = re.compile(r"\b(?:shares|options|warrants|units|awards)\b", re.IGNORECASE)
_TOPICS = (
    "revenue", "net_income", "operating_income", "eps_diluted", "assets", "operating_cash", "cash",
    "income_tax", "public_float", "shares_outstanding", "lease_payments", "payables",
    "unrecognized_compensation", "current_assets", "lease_interest", "buybacks",
)  # fmt: skip
_LOOK_ALIKES = ("Capital", "Energy", "Financial", "Logistics", "Realty", "Health", "Mining")  # trades
_YEARS = (1, -4, -5)  # after a company's last filing here, and before what its first one compares with
_KINDS = 4  # topics over which the look-alikes are spread, so that the other traps are asked as often


def traps(filings: list[Filed]) -> list[Question]:
    """Every adversarial question; none has an answer in the corpus."""
    found: list[Question] = []
    ordered = sorted(filings, key=lambda filed: filed.end)
    latest = {filed.cik: filed for filed in ordered}
    first = {filed.cik: filed for filed in reversed(ordered)}
    for index, filed in enumerate(filings):
        for shift, years in enumerate(_YEARS):
            if (latest if years > 0 else first)[filed.cik] is filed:
                found += _other_year(filed, index + 5 * shift, shift, years)
        if latest[filed.cik] is filed:
            word = _LOOK_ALIKES[sum(map(ord, filed.short)) % len(_LOOK_ALIKES)]
            by_rule = (f"{filed.short} {word}", rf"{re.escape(filed.short)} {word}\b")
            found += _twins(filed, index, SILENCES.twins.get(filed.cik, [by_rule]))
        found += _premises(filed)
    return found


def _other_year(filed: Filed, index: int, shift: int, years: int) -> Iterator[Question]:
    """Yield the annual report of a year near by that the corpus does not have, about figures that it has."""
    if (figure := _figure(filed, index)) is None:
        return
    fact, concept = figure
    end = spoken(_years_later(date.fromisoformat(filed.end), years).isoformat())
    own = {"title": filed.document.title, "paraphrase": filed.document.paraphrase}
    names = {key: re.sub(r"ended .*", f"ended {end}", name) for key, name in own.items()}
    number, text = list(wordings(filed, concept.ask, **names))[index % 3]
    # Every annual report says on its cover which year it is for.
    pattern = rf"for the (?:fiscal )?year ended:? {re.escape(end)}"
    note = "the corpus holds other years only"
    yield _trap(text, filed.document.title, fact, number, f"other-year-{shift + 1}", [pattern], note)


def _twins(filed: Filed, index: int, twins: list[tuple[str, str]]) -> Iterator[Question]:
    """Yield annual reports of companies that are not in the corpus but sound as if they were."""
    for shift, (name, pattern) in enumerate(twins):
        if (figure := _figure(filed, index + shift + 3)) is None:
            continue
        fact, concept = figure
        title, paraphrase = filed.document.title.replace(filed.short, name, 1), filed.document.paraphrase
        several = filed.short.endswith("s") or " " in filed.short
        owner = r"^.*?['’]s? (?=fiscal|transition)" if several else r"^[^ ]*(?: |$)"
        paraphrase = re.sub(owner, f"{possessive(name)} ".replace("\\", r"\\"), paraphrase)
        asked = list(wordings(filed, concept.ask, title=title, paraphrase=paraphrase))
        number, text = asked[(index + shift) % 3]
        topic, note = f"twin-{(index + shift) % _KINDS + 1}", "no filing of that company is in the corpus"
        yield _trap(text, filed.document.title, fact, number, topic, [pattern], note)


def _premises(filed: Filed) -> Iterator[Question]:
    """Yield what a filing would tell if it had happened."""
    for key, premise in SILENCES.premises.items():
        for question in silent(filed, f"premise-{key}", premise, "document"):
            note = "nothing of the kind is in the filing"
            yield msgspec.structs.replace(question, stratum="adversarial", target="", note=note)


def _figure(filed: Filed, index: int) -> tuple[Fact, Concept] | None:
    for step in range(len(_TOPICS)):
        concept = CONCEPTS[_TOPICS[(index + step) % len(_TOPICS)]]
        fact = next((fact for fact in map(filed.now, concept.tags) if fact is not None), None)
        if fact is not None and float(fact.details["value"]) > 0:
            return fact, concept
    return None


def _trap(
    text: str, near: str, fact: Fact, wording: int, topic: str, patterns: list[str], note: str
) -> Question:
    """Question about what does not exist; ``near`` is the filing whose figure tempts."""
    tempting = Distractor(fact.answers[0], f"the figure in the {near}", fact.evidence[:1])
    asked = unanswered(text, fact.kind, "", topic, wording, unit=fact.unit)
    return trap(asked, patterns, "corpus", note, tempting)


def _years_later(day: date, years: int) -> date:
    """End of another fiscal year: the same date, or the same day of the week next to it.

    Who does not close at the end of a month closes on a day of the week.
    """
    after = day + timedelta(1)
    if after.day == 1:
        return after.replace(year=after.year + years) - timedelta(1)
    other = day.replace(year=day.year + years)
    return other + timedelta((day.weekday() - other.weekday() + 3) % 7 - 3)
