"""Every question that could be asked about the sample corpus: its facts in our wording, its silences, traps.

``questions.toml`` words them; the patterns at the end of this file are how the documents write an answer.
"""

from __future__ import annotations

import re
from calendar import month_name
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import chain
from pathlib import Path

import msgspec

from ragharness.corpus.loading import Corpus
from ragharness.language.words import words
from ragharness.records import Distractor, Kind, Question
from ragquestions.recipes import Fact, Facts, Scope, silent, trap, unanswered, ways

VERSION = 4  # raised whenever the candidates change; kept with every frozen set
_EXCEPTION = re.compile(
    r"(?i)save that|other than|except|nevertheless|not even|whether or not|without asking|does not waive"
    r"|does not extend|requires notice but no|does not keep .* from|no duty to|so long as",
)  # words by which a clause turns its own rule round
_SKEWED = 1 / 3  # an answer is against the usual one when at most this share of the documents gives it


class Topic(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a yes/no topic is asked about."""

    proposition: str
    positive: list[str]
    negative: list[str]
    silence: list[str] = []


class Absent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A topic on which a document, or the whole corpus, is silent."""

    patterns: list[str]
    ask: list[str] = []
    kind: Kind = "number"
    proposition: str = ""


class Premise(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question that takes for granted what a document with this answer denies."""

    when: str
    patterns: list[str]
    ask: list[str]
    kind: Kind = "number"
    tempt: str = ""


class Wordings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``questions.toml``."""

    topics: dict[str, Topic]
    values: dict[str, list[str]]
    unasked: dict[str, dict[str, Absent]]
    unsaid: dict[str, dict[str, Absent]]
    premises: dict[str, Premise]
    borrowed: dict[str, list[str]]
    neighbours: dict[str, str]
    rivals: dict[str, tuple[str, str]]
    twins: dict[str, list[str]]
    twin_reports: dict[str, tuple[str, str, str]]


WORDINGS = msgspec.toml.decode(Path(__file__).with_name("questions.toml").read_bytes(), type=Wordings)


WORDINGS = msgspec.toml.decode(Path(__file__).with_name("questions.toml").read_bytes(), type=Wordings)


class Book:
    """The corpus with what the recipe looks up again and again."""

    def __init__(self, corpus: Corpus, facts: Sequence[Fact]) -> None:
        self.wordings = WORDINGS
        self.documents = {each.id: each for each in corpus.documents}
        self.facts: dict[str, dict[str, Fact]] = defaultdict(dict)
        for fact in facts:
            self.facts[fact.document][fact.topic] = fact
        self.usual = Counter((fact.topic, fact.answers) for fact in facts if fact.kind == "yesno")
        pairs = self.wordings.neighbours
        self.neighbour = {**pairs, **{other: one for one, other in pairs.items()}}

    def details(self, document: str) -> dict[str, str]:
        """Names that wordings about a document may use."""
        return next((fact.details for fact in self.facts[document].values() if fact.details), {})

    def of_genre(self, genre: str) -> list[str]:
        """Ids of the documents of a genre."""
        return [document for document in self.documents if document.startswith(genre)]

    def names(self, document: str) -> Iterator[tuple[int, str]]:
        """Yield the number of a wording and how it calls the document: by its handle or paraphrase."""
        each = self.documents[document]
        yield from ((1, each.handle), (2, each.handle), (3, each.paraphrase))


def facts(corpus: Corpus) -> Facts:
    """What the documents state, as they were composed."""
    content = (corpus.files / "facts.jsonl").read_bytes() if corpus.files else b""
    known = {document.id for document in corpus.documents}
    stated = msgspec.json.Decoder(Fact).decode_lines(content)
    return Facts(tuple(fact for fact in stated if fact.document in known))


def candidates(corpus: Corpus, facts: Sequence[Fact]) -> list[Question]:
    """Every question about the sample documents, in all wordings, without ids."""
    book = Book(corpus, facts)
    found: list[Question] = []
    for document, stated in book.facts.items():
        numbers = iter(range(1, 100))
        for fact in stated.values():
            topic = f"finding-{next(numbers)}" if "trap" in fact.details else fact.topic
            if fact.answers:
                found += _stated(book, fact, topic)
            elif patterns := book.wordings.topics[fact.topic].silence:
                # The builder tests whether it is silent.
                found += (silent(each, patterns, "document") for each in asked_silence(book, document, topic))
        found += _absences(book, document)
    # None of these has an answer in the corpus.
    found += chain(_premises(book), _borrowed_topics(book), _borrowed_findings(book), _twin_agreements(book))
    found += chain(_other_dates(book), _other_years(book), _twin_reports(book))
    return [each for each in found if not _gives_itself_away(each)]


def _stated(book: Book, fact: Fact, topic: str) -> Iterator[Question]:
    """Yield a fact as a question to be answered, withheld, and asked of an empty retrieval."""
    yesno, name = fact.kind == "yesno", fact.document
    questions = asked_topic(book, name, topic) if yesno else asked_value(book, fact, name, topic)
    distractors = () if yesno else _distractors(book, fact)
    tempting = _temptation(book, fact) if yesno else ""
    document = _may_withhold(book, fact, "document")
    clause = fact.evidence if _may_withhold(book, fact, "clause") else ()
    stated = {"answerable": True, "aliases": aliases(fact), "evidence": fact.evidence}
    for question in questions:
        answers = _opposite(fact.answers) if yesno and not question.yes_means else fact.answers
        if tempting:
            distractors = (Distractor(_opposite(answers)[0], about=tempting),)
        answered = msgspec.structs.replace(question, answers=answers, **stated)
        note = f"tempting: {distractors[0].about}" if distractors else ""
        yield from ways(answered, false=distractors, note=note, document=document, clause=clause)


def _opposite(answers: tuple[str, ...]) -> tuple[str, ...]:
    return ("no",) if answers == ("yes",) else ("yes",)


def _temptation(book: Book, fact: Fact) -> str:
    """Why a careless reader would answer a yes/no question otherwise; empty when nothing misleads."""
    same, others = book.usual[fact.topic, fact.answers], book.usual[fact.topic, _opposite(fact.answers)]
    if same <= _SKEWED * (same + others):
        return f"{others} of the {same + others} documents that settle this say otherwise"
    text = book.documents[fact.document].text
    if any(_EXCEPTION.search(text[span.start : span.end]) for span in fact.evidence):
        return "part of the clause, read alone, says otherwise"
    return ""


def _distractors(book: Book, fact: Fact) -> tuple[Distractor, ...]:
    """False answers near the fact: last year's figure, the next line, the other period."""
    found: list[Distractor] = []
    details, facts = fact.details, book.facts[fact.document]
    if "before" in details:
        period = details.get("end_before") or f"fiscal year {details.get('before_year')}"
        found.append(Distractor(details["before"], f"the figure for {period}", fact.evidence))
    if "neighbour" in details:
        line = details.get("neighbour_line") or details.get("neighbour_row", "")
        found.append(Distractor(details["neighbour"], line, facts[details["neighbour_topic"]].evidence))
    if details.get("trap"):
        other = facts[details["trap"]]
        found += _false(fact, other, f"the answer to: {other.details['ask']}")
    rival, about = book.wordings.rivals.get(fact.topic, ("", ""))
    if rival in facts:
        found += _false(fact, facts[rival], about)
    neighbour = book.neighbour.get(fact.document, "")
    twin = book.facts[neighbour].get(fact.topic) if neighbour else None
    if twin and "before" not in details:
        about = f"the {book.documents[neighbour].handle}"
        if fact.kind == "list":
            found += [Distractor(each, about, twin.evidence) for each in twin.answers]
        else:
            found += _false(fact, twin, about)
    unlike = {each.value: each for each in reversed(found) if each.value not in fact.answers}
    return tuple(reversed(unlike.values()))


def _false(fact: Fact, other: Fact, about: str) -> list[Distractor]:
    """Another fact's value as a false answer in the fact's own unit, where units compare."""
    value = in_unit(other.answers[0], other.unit, fact.unit)
    return [Distractor(value, about, other.evidence)] if value else []


def _may_withhold(book: Book, fact: Fact, way: str) -> bool:
    """Whether the answer is gone from the index when the document, or the fact's sentences, are withheld."""
    neighbour = book.neighbour.get(fact.document, "")
    if fact.document.startswith("nda") and neighbour:
        return False
    if fact.kind == "yesno":
        return not neighbour
    remaining = book.documents[neighbour].text if neighbour else ""
    if way == "clause":
        text = book.documents[fact.document].text
        for span in sorted(fact.evidence, reverse=True):
            text = f"{text[: span.start]} ... {text[span.end :]}"
        remaining += text
    return not _matches(spellings(fact), remaining)


def _matches(patterns: list[str], text: str) -> bool:
    return any(re.search(pattern, text, re.IGNORECASE) for pattern in patterns)


def _absences(book: Book, document: str) -> Iterator[Question]:
    """Yield what others of the genre say and this one does not, and what nothing in the corpus touches."""
    genre, text = document.split("-", 1)[0], book.documents[document].text
    for topic, absent in book.wordings.unsaid[genre].items():
        if topic not in book.facts[document] and not _matches(absent.patterns, text):
            yield from _absent(book, document, topic, absent, "document")
    for topic, absent in book.wordings.unasked[genre].items():
        yield from _absent(book, document, topic, absent, "corpus")


def _absent(book: Book, document: str, topic: str, absent: Absent, scope: Scope) -> Iterator[Question]:
    details = {"noun": "recommendations", **book.details(document)}
    if topic == "research":
        details["line"] = "research and development expense"
    texts = absent.ask or book.wordings.values["line" if topic == "research" else topic]
    for wording, name in book.names(document):
        text = texts[wording - 1].format(**{**details, "name": name})
        asked = unanswered(text, absent.kind, document, topic, wording)
        yield silent(msgspec.structs.replace(asked, proposition=absent.proposition), absent.patterns, scope)


def _gives_itself_away(question: Question) -> bool:
    """Whether a question contains its answer, as "LAS-23-041" contains the number 23."""
    if question.kind == "yesno":
        return False
    text = f" {' '.join(words(question.text))} "
    return any(f" {' '.join(words(answer))} " in text for answer in question.answers)


def _trap(question: Question, patterns: list[str], scope: Scope, note: str, *tempting: Fact) -> Question:
    near = (fact for fact in tempting if (fact.kind, fact.unit) == (question.kind, question.unit))
    false = (Distractor(fact.answers[0], f"{fact.topic} of {fact.document}", fact.evidence) for fact in near)
    return trap(question, patterns, scope, note, *false)


def _premises(book: Book) -> Iterator[Question]:
    """Yield questions that take for granted what the document denies."""
    for document, facts in book.facts.items():
        for topic, premise in book.wordings.premises.items():
            if topic not in facts or facts[topic].answers != (premise.when,):
                continue
            tempting = [facts[premise.tempt]] if premise.tempt in facts else []
            for wording, name in book.names(document):
                text = premise.ask[wording - 1].format(**{**book.details(document), "name": name})
                unit = tempting[0].unit if tempting else ""
                question = unanswered(text, premise.kind, document, f"premise-{topic}", wording, unit=unit)
                note = "the document denies the premise"
                yield _trap(question, premise.patterns, "document", note, *tempting)


def _borrowed_topics(book: Book) -> Iterator[Question]:
    """Yield clauses that only a document's near neighbour has."""
    for document, neighbour in book.neighbour.items():
        for topic, fact in book.facts[document].items():
            other = book.facts[neighbour].get(topic)
            patterns = book.wordings.topics[topic].silence if topic in book.wordings.topics else []
            if fact.kind == "yesno" and not fact.answers and other and other.answers and patterns:
                note = f"its neighbour {neighbour} has such a clause, this document has none"
                for question in asked_silence(book, document, topic):
                    yield _trap(question, patterns, "document", note)


def _borrowed_findings(book: Book) -> Iterator[Question]:
    """Yield findings of a neighbouring report, asked of the one that does not have them."""
    for document, neighbour in book.neighbour.items():
        own = book.details(document)
        for topic, patterns in book.wordings.borrowed.items():
            fact = book.facts[neighbour].get(topic)
            if fact and topic not in book.facts[document]:
                asked = fact.details["ask"].replace(fact.details["short"], own["short"])
                moved = msgspec.structs.replace(fact, details={**fact.details, "ask": asked})
                for question in asked_value(book, moved, document, f"borrowed-{topic}"):
                    yield _trap(question, patterns, "document", f"only {neighbour} says so", fact)


def _renamed(book: Book, fact: Fact, wording: int, name: str, topic: str, **details: str) -> Question:
    """One wording of a fact's question about a document that does not exist."""
    moved = msgspec.structs.replace(fact, details={**fact.details, **details})
    asked = list(asked_value(book, moved, fact.document, topic))[wording % 2]
    handle = book.documents[fact.document].handle
    return msgspec.structs.replace(asked, text=asked.text.replace(handle, name), document="", wording=0)


def _twin_agreements(book: Book) -> Iterator[Question]:
    """Yield agreements between two parties who each signed one, but not with each other."""
    documents = book.of_genre("nda")
    topics = book.wordings.twins["nda"]
    for index, document in enumerate(documents):
        other = documents[(index + 5) % len(documents)]
        one, two = book.details(document)["one"], book.details(other)["two"]
        name = book.documents[document].handle.replace(book.details(document)["two"], two)
        for shift in range(2):
            topic = topics[(index + shift * 3) % len(topics)]
            fact, second = book.facts[document].get(topic), book.facts[other].get(topic)
            if fact and second:
                question = _renamed(book, fact, index + shift, name, "twin-agreement")
                pattern = rf"{re.escape(one)}[^\n]*{re.escape(two)}"
                yield _trap(question, [pattern], "corpus", "no such agreement exists", fact, second)


def _other_dates(book: Book) -> Iterator[Question]:
    """Yield the right parties with a date on which they signed nothing."""
    topics = ["governing_law", "term", "survival", "courts"]
    for index, document in enumerate(book.of_genre("nda")):
        signed = date.fromisoformat(book.facts[document]["effective_date"].answers[0])
        wrong = signed.replace(year=signed.year - 3)
        spelled = f"{wrong:%B} {wrong.day}, {wrong.year}"
        patterns = [spelled, f"{wrong.day} {wrong:%B %Y}"]
        fact = book.facts[document][topics[index % len(topics)]]
        name = f"{book.documents[document].handle} dated {spelled}"
        question = _renamed(book, fact, index, name, "other-date")
        yield _trap(question, patterns, "corpus", "the agreement of the two bears another date", fact)


def _other_years(book: Book) -> Iterator[Question]:
    """Yield annual reports of a year that the corpus does not have, about figures that it has for others."""
    topics = book.wordings.twins["annual"]
    for index, document in enumerate(book.of_genre("annual")):
        details = book.details(document)
        year = int(details["year"]) - 5 - index % 2
        gap = int(details["end"][-4:]) - int(details["year"])
        end = f"{details['end'][:-4]}{year + gap}"
        fact = book.facts[document][topics[index % len(topics)]]
        name = book.documents[document].handle.replace(details["year"], str(year))
        question = _renamed(book, fact, index, name, "other-year", end=end)
        patterns = [f"fiscal {year}\\b.*{re.escape(details['short'])}", re.escape(end)]
        yield _trap(question, patterns, "corpus", "the corpus holds other years only", fact)


def _twin_reports(book: Book) -> Iterator[Question]:
    """Yield reports that do not exist, named much like one that does."""
    for index, (document, (name, topic, pattern)) in enumerate(book.wordings.twin_reports.items()):
        fact = book.facts[document][topic]
        question = _renamed(book, fact, index, name, "twin-report")
        yield _trap(question, [pattern], "corpus", "no such report exists", fact)


def asked_topic(book: Book, document: str, topic: str) -> Iterator[Question]:
    """Yield a yes/no topic in both forms and all wordings, without an answer."""
    told = book.wordings.topics[topic]
    for texts, yes_means in ((told.positive, True), (told.negative, False)):
        for wording, name in book.names(document):
            text = texts[wording - 1].format(name=name, **book.details(document))
            yield msgspec.structs.replace(
                unanswered(text, "yesno", document, topic, wording),
                form="positive" if yes_means else "negative",
                proposition=told.proposition,
                yes_means=yes_means,
            )


def asked_silence(book: Book, document: str, topic: str) -> Iterator[Question]:
    """Yield the wordings of a yes/no topic that can be asked of a document without it.

    To "Does the report say ...?" the answer would be no. Of an agreement nothing is asked: where it neither
    allows nor forbids a thing, the thing is allowed, or the general duty of secrecy covers it.
    """
    if document.startswith("nda"):
        return iter(())
    return (each for each in asked_topic(book, document, topic) if not each.text.startswith("Does "))


def asked_value(book: Book, fact: Fact, document: str, topic: str) -> Iterator[Question]:
    """Yield the question for a fact's value in all wordings, asked of a document, without an answer."""
    details, worded_as = dict(fact.details), fact.topic
    if "ask" in details and fact.topic != "event":
        worded_as = "finding"
    elif "line" in details and fact.topic != "event":
        worded_as = "ratio" if fact.unit == "percent" else "line"
    texts = book.wordings.values[worded_as]
    if "ask" in details:
        details["Ask"] = details["ask"][0].upper() + details["ask"][1:]
    for wording, name in book.names(document):
        text, precision = texts[wording - 1].format(**{**details, "name": name}), fact.date_precision
        yield unanswered(text, fact.kind, document, topic, wording, unit=fact.unit, precision=precision)


_LEADING = re.compile(r"^(?:the )?(?:State|Commonwealth|city) of |^(?:Dr\.|Prof\.|Ing\.|Dr\.-Ing\.) |^the ")


def aliases(fact: Fact) -> dict[str, tuple[str, ...]]:
    """Shorter spellings of text and list answers that mean the same in the document."""
    if fact.kind not in {"text", "list"}:
        return {}
    spelled: dict[str, tuple[str, ...]] = {}
    for answer in fact.answers:
        short = {_LEADING.sub("", answer), *fact.details.get("also", answer).split(" / ")}
        if fact.topic == "seat":
            short.add(answer.split(",")[0])
        if fact.topic == "committee":
            short.add(answer.split(" ", 1)[1])
        if answer == "England and Wales":
            short |= {"English law", "law of England"}
        if short - {answer}:
            spelled[answer] = tuple(sorted(short - {answer}))
    return spelled


_ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_FIGURE = r"(?: \(\d+\))? "  # "three (3) years"
_UNITS = {
    "percent": " per ?cent",
    "years": f"{_FIGURE}years?",
    "months": f"{_FIGURE}months?",
    "days": " days",
}


def spellings(fact: Fact) -> list[str]:
    """Regular expressions for the ways in which the sample documents write the fact's answers."""
    if fact.kind == "date":
        return list(map(_date_pattern, fact.answers))
    if fact.kind == "number":
        return [_number_pattern(answer, fact.unit) for answer in fact.answers]
    return [rf"\b{re.escape(_LEADING.sub('', answer))}\b" for answer in fact.answers]


def in_unit(value: str, unit: str, wanted: str) -> str:
    """Value in another unit of time; empty where the units do not compare."""
    if unit == wanted:
        return value
    if (unit, wanted) == ("years", "months"):
        return str(int(value) * 12)
    return f"{int(value) / 12:g}" if (unit, wanted) == ("months", "years") else ""


def _number_pattern(answer: str, unit: str) -> str:
    whole, point, decimals = answer.partition(".")
    value = float(answer)
    forms = {answer, f"{int(whole):,}{point}{decimals}"}
    if not decimals and value < 100:
        tens, ones = divmod(int(whole), 10)
        forms.add(_ONES[int(whole)] if value < 20 else f"{_TENS[tens]}-{_ONES[ones]}".removesuffix("-zero"))
    if unit == "USD million" and value >= 1000:
        forms.add(f"{value / 1000:g} billion")
    if unit == "" and value >= 100_000:
        forms.add(f"{value / 1_000_000:g} million")
    tail = _UNITS.get(unit, r"(?![\d.,]*\d)")
    return rf"(?<![\d.,$-])\$?(?:{'|'.join(map(re.escape, sorted(forms)))}){tail}"


def _date_pattern(iso: str) -> str:
    if len(iso) == 4:  # a year
        return rf"\b{iso}\b"
    year, month, day = iso.split("-")
    name = month_name[int(month)]
    return rf"\b(?:{name} {int(day)}, {year}|{int(day)} {name} {year})\b"
