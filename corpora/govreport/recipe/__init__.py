"""Every question that could be asked about the reports: what they state, what they do not, and traps.

``findings.py`` words what a report states; ``book.py`` frames that as a question about the report,
``questions.toml`` words what reports do not say.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from ragharness.corpus.loading import Corpus
from ragharness.language.words import words
from ragharness.records import Distractor, Document, Evidence, Question
from ragharness.support.concurrency import map_on_cores
from ragquestions.recipes import Fact, Facts, trap, ways

from ..parse import SOURCE, Pair, document_id, read_reports
from ..reports import Report
from .book import WORDINGS, Book, aliases_of, asked, read_in, silent, strange, unsaid
from .findings import NAMELESS, REASONS, certain, findings
from .lines import AFTER_NAME, BEFORE_NAME, NO_NOUN, Thing, apart, facts_of, near, stems
from .lines import things as things_of

VERSION = 6  # raised whenever the candidates change; kept with every frozen set
WEIGHTS = {"text": 3}  # what letters stand for is soon guessed: the others have three turns for one of it
NOTE = (
    "Questions about what a report states repeat words of that report, a work of the US government;"
    " all other wording is this project's (Apache-2.0). Offsets and values come from the reports."
)  # what the card of a frozen set says of its text
_NAMED = ("agency", "official")  # sorts of answers that are names: what tempts is another one
_ABOUT = {True: "another figure of the same sentence", False: "a figure of a sentence about nearly the same"}


def facts(corpus: Corpus) -> Facts:
    """What people asked of the reports, then what else they state, each with its question."""
    if corpus.files is None:
        return Facts()
    reports, people, _ = read_reports(corpus.files, corpus.split.partition(":")[0])
    by_id = {document_id(report): report for report in reports}
    read = ((by_id[each.id], each) for each in corpus.documents if each.id in by_id)
    results = map_on_cores(_of_report, [(report, each, people.pairs(report)) for report, each in read])
    stated = tuple(fact for facts, _ in results for fact in facts)
    counts = sum((left_out for _, left_out in results), Counter[str]())
    worded = sum("worded" in fact.details for fact in stated)
    total = worded + counts.total()
    reasons = ", ".join(f"{counts[reason]} {reason}" for reason in REASONS if counts[reason])
    others = f"; of the others {reasons}" if reasons else ""
    return Facts(stated, (f"{worded} of {total} pairs of {SOURCE} give questions{others}",) if total else ())


def _of_report(work: tuple[Report, Document, list[Pair]]) -> tuple[list[Fact], Counter[str]]:
    """Facts of a report, and how many pairs give none, by the reason."""
    report, document, pairs = work
    if not document.handle:
        return [], Counter({NAMELESS: len(pairs)} if pairs else {})
    of_people, left_out = certain(pairs, report.body, report.summary, report.agency)
    taken = {start for finding in of_people for start, _ in finding.places}
    other = findings(report.body, report.summary, report.agency, document.title)
    new = (each for each in other if taken.isdisjoint(start for start, _ in each.places))
    found = [(each, {"worded": SOURCE}) for each in of_people] + [(each, {}) for each in new]
    for each, details in found:
        details["stated"] = "summary and body" if each.also_summary else "body"
    return list(facts_of(document.id, found)), left_out


def candidates(corpus: Corpus, facts: Sequence[Fact]) -> list[Question]:
    """Every question about the reports, in all wordings, without ids."""
    book = Book(corpus, facts)
    found: list[Question] = []
    for document in corpus.documents:
        if not document.handle:
            continue
        for fact in book.facts[document.id]:
            found += _stated(book, fact)
        if read_in(document):
            found += silent(document)
        elif book.facts[document.id]:
            # A report of which nothing is asked with an answer would tell what is asked without one.
            found += unsaid(document)
            found += swapped(document, book.facts[document.id])
            found += strange(document)
    found += traps(book)
    return [each for each in found if not _gives_itself_away(each)]


def _stated(book: Book, fact: Fact) -> Iterator[Question]:
    """Yield a fact as a question to be answered, withheld, and asked of an empty retrieval."""
    distractors, aliases, elsewhere = tuple(_near(fact)), aliases_of(fact), book.elsewhere(fact)
    clause = fact.evidence if "alone" in fact.details and not elsewhere else ()
    worded = f"worded by {fact.details['worded']}" if "worded" in fact.details else ""
    tempting = f"tempting: {distractors[0].about}" if distractors else ""
    note = "; ".join(filter(None, (tempting, worded)))
    stated = {"answerable": True, "answers": fact.answers, "aliases": aliases, "evidence": fact.evidence}
    for question in asked(fact, book.documents[fact.document], fact.topic):
        answered = msgspec.structs.replace(question, **stated, note=worded)
        yield from ways(answered, false=distractors, note=note, document=not elsewhere, clause=clause)


def _near(fact: Fact) -> Iterator[Distractor]:
    """Yield the values of sentences that come near; where they stand tells whose they are."""
    sort = fact.topic.partition("-")[0]
    for _, near_by in sorted(pair for pair in fact.details.items() if pair[0].startswith("near")):
        value, start, end = near_by.rsplit(maxsplit=2)
        span = Evidence(fact.document, int(start), int(end))
        same = any(gold.start <= span.start and span.end <= gold.end for gold in fact.evidence)
        about = f"another {sort}, named close by" if sort in _NAMED else _ABOUT[same]
        yield Distractor(value, about.replace("figure", "date") if fact.kind == "date" else about, (span,))


def _gives_itself_away(question: Question) -> bool:
    """Whether a question contains its answer, as "FY2026" in a title contains the year."""
    text = f" {' '.join(words(question.text))} "
    return any(
        f" {' '.join(words(answer))} " in text or (len(answer) == len("2026") and answer in question.text)
        for answer in question.answers
    )


_FEWEST = 2  # words of a question without which a report does not answer it


def swapped(document: Document, facts: Sequence[Fact]) -> Iterator[Question]:
    """Yield figures and dates, each asked of the first thing near which words of the question are not said."""
    every = [(each, near(each, document.text)) for each in things_of(document.text)]
    for fact, own in _of_one_thing(facts, [each for each, _ in every]):
        wanted = stems(re.sub(own.pattern, "", fact.details["ask"]))
        for other, told in every:
            unsaid = sorted(wanted - stems(told))
            if other.sort != own.sort or other == own or len(unsaid) < _FEWEST:
                continue
            words = "|".join(rf"\b{re.escape(each)}" for each in unsaid)
            for question in asked(fact, document, f"swapped {fact.topic}", _put(fact, own, other.name)):
                yield msgspec.structs.replace(
                    question,
                    target="refused",
                    absence_patterns=tuple(apart(other, words)),
                    absence_scope="document",
                    note=f"the report says it of the {own.name}",
                )
            break


def _of_one_thing(facts: Sequence[Fact], known: Sequence[Thing]) -> Iterator[tuple[Fact, Thing]]:
    """Yield the figures and dates of which the question names one thing alone."""
    for fact in facts:
        text = fact.details["ask"]
        named = [each for each in known if re.search(BEFORE_NAME + each.pattern + NO_NOUN, text)]
        if fact.kind != "text" and len(named) == 1 and not re.search(named[0].pattern + AFTER_NAME, text):
            yield fact, named[0]


def _put(fact: Fact, own: Thing, name: str) -> str:
    return re.sub(rf"(?:\b[Tt]he )?{own.pattern}", f"the {name}", fact.details["ask"], count=1)


_YEAR = re.compile(r"(?<![\d-])(?P<fiscal>FY)?(?P<year>(?:19|20)\d\d)(?![\d-])")
_BOUND = re.compile(r"\b(?:since|until|through|before|after|by)\s+(?:[\w ,]{0,20}\s)?$", re.IGNORECASE)
"""What was so since 2001 may have been so since 2000."""
_NUMBERED = re.compile(
    r"(?P<kind>\b(?:H\.R\. |S\. |H\.Res\. |S\.Res\. |P\.L\. \d{2,3}-))(?P<number>\d{1,4})\b"
)
_MEMBER = re.compile(
    r"\b(?P<office>Senator|Representative) (?P<name>[A-Z][\w.’'-]+(?: [A-Z][\w.’'-]+){1,2})(?= )"
)
_COUNTED = re.compile(
    r"(?P<fiscal>FY ?)?(?<!\d)(?P<year>20\d\d)(?![\d-])|\b(?P<number>\d{2,3})(?:st|nd|rd|th) Congress"
)  # what makes a title one of a series
_QUOTED = re.compile(r"“(.+)”")
_NUMBER = re.compile(r"^(?:CRS Report [A-Z\d]+|[A-Z]+)(?:-\d+)*\b")
_SMALL = frozenset(["and", "for", "of", "the", "on", "in", "to"])  # words that make no two names alike
_FARTHEST = 8  # years back among which one is looked for that a report never names
_EDITIONS_BACK = 2  # years by which an edition that is not there is older than the report
_TWIN = re.compile(r"\d{3,}(?=\D*$)")  # the digits of a number that tell it from others of the series
_MOST_NAMESAKES = 3  # statements of a report that its namesakes are asked for


def traps(book: Book) -> list[Question]:
    """Every adversarial question."""
    found: list[Question] = []
    titles = " ".join(each.title for each in book.documents.values())
    things = {name: things_of(each.text) for name, each in book.documents.items()}
    for document, facts in book.facts.items():
        own = book.documents[document]
        valued = [fact for fact in facts if fact.kind != "text"]
        for fact in valued:
            found += _other_year(fact, own)
            found += _sister(fact, own)
            found += _other_number(fact, own)
            found += _other_person(fact, own)
            found += _other_thing(fact, own, things)
        for place, fact in enumerate(valued[:_MOST_NAMESAKES]):
            for namesakes in (_last_years, _earlier, _twin_number):
                # One wording: nothing but its text tells such a question from another.
                found += (trap for trap in namesakes(fact, own, titles) if trap.wording == 1 + place % 2)
    return found


def _trap(
    fact: Fact, document: Document, topic: str, patterns: list[str], note: str, ask: str = "", name: str = ""
) -> Iterator[Question]:
    """Yield a fact's question worded otherwise, or of a report that does not exist: its ``name``."""
    tempting = Distractor(fact.answers[0], evidence=fact.evidence)
    for question in asked(fact, document, topic, ask, name):
        moved = msgspec.structs.replace(question, document="") if name else question
        yield trap(moved, patterns, "corpus" if name else "document", note, tempting)


def _other_year(fact: Fact, document: Document) -> Iterator[Question]:
    """Yield a question about a year of which the report has nothing at all."""
    years = list(_YEAR.finditer(fact.details["ask"]))
    if len(years) != 1 or fact.kind == "date" or _BOUND.search(fact.details["ask"][: years[0].start()]):
        return
    stated = int(years[0]["year"])
    earlier = range(stated - 1, stated - _FARTHEST, -1)
    other = next((year for year in earlier if str(year) not in document.text), None)
    if other is None:
        return
    text = _YEAR.sub(lambda found: f"{found['fiscal'] or ''}{other}", fact.details["ask"])
    note = f"the report speaks of {stated}, never of {other}"
    yield from _trap(fact, document, "year", [str(other)], note, text)


def _sister(fact: Fact, document: Document) -> Iterator[Question]:
    """Yield a question about an agency that the report does not know, in place of the one it speaks of."""
    for family in WORDINGS.sisters.values():
        for short, _ in family:
            place = re.compile(rf"(?<![\w.]){short}\b(?!['’]s\s[A-Z])")
            if len(place.findall(fact.details["ask"])) != 1:
                continue
            strangers = [
                (other, name)
                for other, name in family
                if other != short and not re.search(rf"\b{other}\b|{name}", document.text, re.IGNORECASE)
            ]
            if strangers:
                other, name = strangers[len(fact.details["ask"]) % len(strangers)]
                text, patterns = place.sub(other, fact.details["ask"]), [rf"\b{other}\b", name]
                note = f"the report speaks of {short}, never of {other}"
                yield from _trap(fact, document, "sister", patterns, note, text)
            return


def _other_number(fact: Fact, document: Document) -> Iterator[Question]:
    """Yield a question about a bill or a law of which the report has nothing at all."""
    text = fact.details["ask"]
    numbers = list(_NUMBERED.finditer(text))
    if len(numbers) != 1:
        return
    (bill,) = numbers
    kind, stated = bill["kind"], int(bill["number"])
    others = (stated + step * sign for step in range(17, 400, 13) for sign in (-1, 1))
    other = next((each for each in others if each > 1 and not re.search(rf"\b{each}\b", document.text)), None)
    if other is None:
        return
    put = f"{text[: bill.start('number')]}{other}{text[bill.end('number') :]}"
    note = f"the report speaks of {kind}{stated}, never of {kind}{other}"
    yield from _trap(fact, document, "number", [rf"\b{other}\b"], note, put)


def _other_person(fact: Fact, document: Document) -> Iterator[Question]:
    """Yield a question about what another member of Congress did, of whom the report has nothing."""
    member = _MEMBER.search(fact.details["ask"])
    if member is None:
        return
    known = WORDINGS.premises["senators" if member["office"] == "Senator" else "representatives"]
    text = document.text
    strangers = [name for name in known if not re.search(rf"\b{name.split()[-1]}\b", text, re.IGNORECASE)]
    if not strangers:
        return
    other = strangers[len(fact.details["ask"]) % len(strangers)]
    text = fact.details["ask"].replace(member["name"], other)
    note = f"the report speaks of {member['name']}, never of {other}"
    yield from _trap(fact, document, "person", [rf"\b{other.split()[-1]}\b"], note, text)


def _last_years(fact: Fact, document: Document, titles: str) -> Iterator[Question]:
    """Yield the report of the year, or of the Congress, before, where the title counts them."""
    quoted = _QUOTED.search(document.handle)
    before = _COUNTED.sub(_one_less, quoted[1]) if quoted else ""
    if quoted and before != quoted[1] and before not in titles and not _COUNTED.search(fact.details["ask"]):
        note, name = "the corpus holds the next one only", document.handle.replace(quoted[1], before)
        yield from _trap(fact, document, "absent report", [re.escape(before)], note, name=name)


def _earlier(fact: Fact, document: Document, _: str) -> Iterator[Question]:
    """Yield an older edition, or the same title with an older date, asked for what it could have said."""
    quoted, when = _QUOTED.search(document.handle), _YEAR.search(document.paraphrase)
    if not quoted or not when:
        return
    year = int(when["year"]) - _EDITIONS_BACK
    told = [int(each["year"]) for each in _YEAR.finditer(fact.details["ask"])]
    if any(each >= year for each in told) or (fact.kind == "date" and int(fact.answers[0][:4]) >= year):
        return
    bare = document.handle.removeprefix("the ")
    audit = bare.startswith("GAO")
    name = f"the {year} {bare}" if audit else f"the {year} edition of {document.handle}"
    pattern = rf"{year} GAO report .?{re.escape(quoted[1])}" if audit else rf"\b{year} edition\b"
    note = f"the corpus has none of {year} with this title"
    yield from _trap(fact, document, "absent report", [pattern], note, name=name)


def _twin_number(fact: Fact, document: Document, titles: str) -> Iterator[Question]:
    """Yield a report whose number is one that no report has or mentions."""
    number = _NUMBER.search(document.paraphrase) or _NUMBER.search(document.handle)
    digits = _TWIN.search(number[0]) if number else None
    if not number or not digits:
        return
    twin = f"{int(digits[0]) + 1 + len(fact.details['ask']) % 8:0{len(digits[0])}}"
    other = f"{number[0][: digits.start()]}{twin}{number[0][digits.end() :]}"
    if other not in titles:
        pattern, note = re.escape(other.rsplit(maxsplit=1)[-1]), "no report has this number"
        yield from _trap(fact, document, "absent number", [pattern], note, name=other)


def _other_thing(fact: Fact, document: Document, things: Mapping[str, Sequence[Thing]]) -> Iterator[Question]:
    """Yield a question about a program or a law of which only other reports speak."""
    text = fact.details["ask"]
    own = [each for each in things[document.id] if each.sort != "agency" and re.search(each.pattern, text)]
    if len(own) != 1 or re.search(own[0].pattern + AFTER_NAME, text):
        return
    if not re.search(BEFORE_NAME + own[0].pattern + NO_NOUN, text):
        return
    head = own[0].name.split()[-1]
    strangers = sorted(
        {
            each.name: each
            for name, known in things.items()
            if name != document.id
            for each in known
            if each.short
            and each.name.split()[-1] == head
            and set(each.name.split()[:-1]) & set(own[0].name.split()[:-1]) - _SMALL
            and not re.search(each.pattern, document.text, re.IGNORECASE)
        }.items()
    )
    if not strangers:
        return
    name, other = strangers[len(text) % len(strangers)]
    note = f"the report speaks of the {own[0].name}, never of the {name}"
    yield from _trap(fact, document, "program", [other.pattern], note, _put(fact, own[0], name))


def _one_less(found: re.Match[str]) -> str:
    """Year, or the number of the Congress, before."""
    if found["year"]:
        return f"{found['fiscal'] or ''}{int(found['year']) - 1}"
    number = int(found["number"]) - 1
    ending = "th" if number // 10 % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending} Congress"
