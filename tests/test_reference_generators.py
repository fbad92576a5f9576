"""The reference generators: what each does with passages, titles and empty hands."""

from __future__ import annotations

import json
import time
from pathlib import Path
from random import Random

import pytest

from ragharness.corpus.loading import Corpus
from ragharness.corpus.passages import PassageSet
from ragharness.errors import UnusableReply, UsageError
from ragharness.language.words import words
from ragharness.pipelines import Context, Pipeline, load_pipeline, read_answer
from ragharness.pipelines._question import (
    CODE,
    NAMED,
    Titles,
    core,
    holds,
    names_in,
    naming_words,
    proposition,
    subject,
)
from ragharness.questions.questionset import QuestionSet
from ragharness.records import Document, Passage, Question
from ragquestions.recipes import Fact, usual_answers

ACME = (
    "1. Definitions used in this agreement by both parties:\n"
    "The tenant may not sublet the premises to anyone else. "
    "The yearly rent of the premises is set at 12,400 dollars. "
    "The lease of the premises starts on 3 May 2019 at noon. "
    "The landlord may enter the premises after reasonable notice."
)
BOLT = (
    "The tenant may sublet the premises to anyone it likes. The yearly rent of the premises is 900 dollars."
)


def _passage(number: int, document: str, title: str, text: str) -> Passage:
    return Passage(f"{document}#{number}", document, title, 0, len(text), text)


PASSAGES = (
    _passage(1, "bolt", "Bolt lease", BOLT),
    _passage(1, "acme", "Acme lease", ACME),
    _passage(2, "acme", "Acme lease", "Signed by the parties in the town of Elm on the last page of it."),
)


def question(number: int, text: str, **given: object) -> Question:
    fields = {"stratum": "grounded", "kind": "yesno", "answerable": True, **given}
    return Question(id=f"q{number:03}", text=text, **fields)  # type: ignore[arg-type]


QUESTIONS = (
    question(1, "May the tenant sublet the premises under the Acme lease?", topic="sublet"),
    question(
        2, "Is subletting the premises forbidden under the Acme lease?", topic="sublet", yes_means=False
    ),
    question(3, "How high is the yearly rent in the Acme lease?", topic="rent", kind="number", unit="USD"),
    question(4, "Who insures the boat?", topic="boat", kind="text"),
)
FACTS = (
    *(Fact(document=f"d{i}", topic="sublet", kind="yesno", answers=("yes",)) for i in range(3)),
    *(Fact(document=f"d{i}", topic="sublet", kind="yesno", answers=("no",)) for i in range(3, 5)),
    *(Fact(document=f"d{i}", topic="sublet", kind="yesno") for i in range(5, 12)),
    *(Fact(document=f"d{i}", topic="rent", kind="number", answers=(f"{i}",)) for i in range(4)),
)
CONTEXT = Context(
    corpus=Corpus(
        "toy",
        "",
        (
            Document(id="acme", title="Acme lease", text=ACME),
            Document(id="bolt", title="Bolt lease", text=BOLT, segments=((0, 54), (55, len(BOLT)))),
        ),
    ),
    questions=QuestionSet("toy", "", "", 1, len(QUESTIONS), QUESTIONS, priors=usual_answers(FACTS)),
    passages=PassageSet(PASSAGES, 120),
)


def answer(
    spec: str, asked: str, passages: tuple[Passage, ...] = PASSAGES, context: Context = CONTEXT
) -> str:
    pipeline = load_pipeline(spec, context)
    read, problems = read_answer(pipeline.call(asked, passages))
    assert read is not None
    assert problems == ()
    return read.text


@pytest.mark.parametrize("name", ["blind", "extractive", "refuse"])
def test_a_reference_generator_takes_passages_and_nothing_behind_its_name(name: str) -> None:
    pipeline: Pipeline = load_pipeline(name, CONTEXT)
    assert (pipeline.name, pipeline.takes, pipeline.is_async) == (name, "passages", False)
    assert len(pipeline.fingerprint) == 64
    with pytest.raises(UsageError, match="takes no argument after its name, found 'x'"):
        load_pipeline(f"{name}:x", CONTEXT)
    with pytest.raises(UsageError, match="needs a corpus and its questions"):
        load_pipeline(name)


@pytest.mark.parametrize("name", ["blind", "extractive", "refuse"])
def test_with_nothing_retrieved_all_refuse_and_say_so(name: str) -> None:
    text = answer(name, QUESTIONS[0].text, ())
    assert "nothing was retrieved" in text
    assert "Please check" in text


# -- extractive


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (
            "May the tenant sublet the premises under the Acme lease?",
            "No. The tenant may not sublet the premises to anyone else. [acme#1]",
        ),
        (
            "According to the Acme lease, is the tenant forbidden to sublet the premises?",
            "Yes. The tenant may not sublet the premises to anyone else. [acme#1]",
        ),
        (
            "Under the Bolt lease, may the tenant sublet the premises?",
            "Yes. The tenant may sublet the premises to anyone it likes. [bolt#1]",
        ),
        (
            "How high is the yearly rent of the premises in the Acme lease?",
            "The yearly rent of the premises is set at 12,400 dollars. [acme#1]",
        ),
        (
            "When does the lease of the premises start in the Acme lease?",
            "The lease of the premises starts on 3 May 2019 at noon. [acme#1]",
        ),
    ],
)
def test_extractive_quotes_the_best_sentence_and_commits(asked: str, expected: str) -> None:
    assert answer("extractive", asked) == expected


@pytest.mark.parametrize(
    "asked",
    [
        "Does the Acme lease oblige the tenant to insure the boat against theft?",
        "How many cars may be parked in the garage under the Acme lease?",
        "How many boats are insured by the Acme lease?",
        "",
        "?",
    ],
)
def test_extractive_refuses_what_no_sentence_comes_close_to(asked: str) -> None:
    text = answer("extractive", asked)
    assert text.startswith("I don't have evidence that answers this question: none of the retrieved")
    assert '"Acme lease" [acme#1]' in text


TABLE = """The components of lease cost are as follows:

Year Ended May 31,
(in millions) | 2024 | 2023
Operating lease cost (1) | $1,359 | $1,169
Variable lease cost | 486 | 470
Lease cost as a rate of sales | 3.1% | 2.9%
Cost per share | $0.41 | $0.39
Short-term lease cost | 12
Lease cost before taxes | $90 | $80
Other profits | $7 | $6
Sales | $500 | $400
Sales | $300 | $200"""
TABLES = (
    _passage(1, "elm", "Elm Stores report", TABLE),
    _passage(1, "fir", "Fir Stores report", TABLE.replace("1,359", "777")),
)


GRANTS = (
    _passage(
        1,
        "grants",
        "Harbor grants (HG-1204)",
        "Table 1: What harbor grants cost the agency in 2022. "
        "Harbor grants cost the agency $40 million in 2022. "
        "What harbor grants cost the agency increased by $7 million in 2022. "
        "The DHA asked for the number of harbor grants of the agency. "
        "The agency awarded 31 harbor grants under H.R. 1815 in 2021.",
    ),
)
FIGURES = Context(
    corpus=Corpus(
        "figures",
        "",
        tuple(Document(id=each.document, title=each.title, text=each.text) for each in TABLES + GRANTS),
    ),
    questions=CONTEXT.questions,
    passages=PassageSet(TABLES + GRANTS, 120),
)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (
            "What was the operating lease cost of Elm Stores in the year ended May 31, 2024?",
            'Operating lease cost: $1,359 (in millions) under "2024" [elm#1]',
        ),
        (
            "What was the variable lease cost of Fir Stores in 2023?",
            'Variable lease cost: 470 (in millions) under "2023" [fir#1]',
        ),
        (
            "What was the lease cost as a rate of sales of Elm Stores in 2024?",
            'Lease cost as a rate of sales: 3.1% under "2024" [elm#1]',
        ),
        (
            "What was the lease cost before taxes of Elm Stores in 2024?",
            'Lease cost before taxes: $90 (in millions) under "2024" [elm#1]',
        ),
        ("What was the cost per share of Elm Stores in 2024?", 'Cost per share: $0.41 under "2024" [elm#1]'),
    ],
)
def test_extractive_quotes_one_figure_of_a_table_with_its_row_and_column(asked: str, expected: str) -> None:
    assert answer("extractive", asked, TABLES, FIGURES) == expected


@pytest.mark.parametrize(
    "asked",
    [
        "What was the operating lease cost of Elm Stores in 2021?",
        "What was the lease cost of Elm Stores in 2024?",
        "What was the short-term lease cost of Elm Stores in 2024?",
        "When was the operating lease cost of Elm Stores stated?",
        "Is the operating lease cost of Elm Stores in 2024 high?",
        "What was the operating lease cost of Oak Stores in 2024?",
        "What was the lease cost after taxes of Elm Stores in 2024?",
        "What were the sales of Elm Stores in 2024?",
        "What were the profits of Elm Stores in 2024?",
    ],
)
def test_extractive_quotes_no_figure_whose_row_or_column_is_not_the_one_asked_for(asked: str) -> None:
    assert answer("extractive", asked, TABLES, FIGURES).startswith("I don't have evidence")


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (
            "How much did harbor grants cost the agency in 2022?",
            "Harbor grants cost the agency $40 million in 2022. [grants#1]",
        ),
        ("How much did harbor grants cost the agency in 2019?", ""),
        (
            "How many harbor grants did the agency award under H.R. 1815, according to HG-1204?",
            "The agency awarded 31 harbor grants under H.R. 1815 in 2021. [grants#1]",
        ),
        ("How many harbor grants did the agency award under H.R. 1816?", ""),
        ("Of 31 grants, how many harbor grants did the agency award under H.R. 1815?", ""),
        ("When, if not in 2021, did the agency award harbor grants under H.R. 1815?", ""),
        ("How many harbor grants did the DHA award?", ""),
        ("What percentage of harbor grants did the agency award?", ""),
    ],
)
def test_a_sentence_must_hold_the_kind_the_year_and_the_codes_asked_for(asked: str, expected: str) -> None:
    text = answer("extractive", asked, GRANTS, FIGURES)
    assert text == expected if expected else text.startswith("I don't have evidence")


@pytest.mark.parametrize(
    ("sentence", "held"),
    [("The union fears one national administration.", False), ("The union has 194 states.", True)],
)
def test_one_is_no_count(sentence: str, held: bool) -> None:
    assert holds(sentence, "count", "How many member states does the union have?") is held


LATER = (
    Passage(
        "elm#2",
        "elm",
        "Elm Stores report",
        0,
        0,
        "Basic | $1.10 | $1.05\nDiluted | $1.08 | $1.01\n\nElm Stores has a credit facility of $40 million. "
        "It matures on 3 May 2029.\n\nOur auditor is Moss and Partner LLP.\n\nNo store was closed.",
        heading="Elm statements of income\n(in millions, except per share data)\n2024 | 2023\nEarnings per share:",
    ),
)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (
            "What were the diluted earnings per share of Elm Stores in 2024?",
            'Earnings per share: Diluted: $1.08 under "2024" [elm#2]',
        ),
        (
            "On what date does the credit facility of Elm Stores mature?",
            "Elm Stores has a credit facility of $40 million. It matures on 3 May 2029. [elm#2]",
        ),
        ("Who audited Elm Stores?", "Our auditor is Moss and Partner LLP. [elm#2]"),
        ("Was 2024 a year without a store of Elm Stores closed?", ""),
    ],
)
def test_extractive_reads_a_row_under_its_headings_and_it_with_its_subject(asked: str, expected: str) -> None:
    text = answer("extractive", asked, LATER, FIGURES)
    assert text == expected if expected else text.startswith("I don't have evidence")


def test_extractive_refuses_where_two_rows_say_different_things() -> None:
    asked = "What was the variable lease cost of Elm Stores in 2023?"
    assert answer("extractive", asked, TABLES[:1], FIGURES).startswith("Variable lease cost: 470")
    other = _passage(9, "elm", "Elm Stores report", TABLE.replace("470", "471"))
    assert answer("extractive", asked, (TABLES[0], other), FIGURES).startswith("I don't have evidence")
    same = _passage(9, "elm", "Elm Stores report", TABLE)
    assert answer("extractive", asked, (TABLES[0], same), FIGURES).startswith("Variable lease cost: 470")


KILNS = tuple(
    _passage(
        1,
        f"oak-{year}",
        f"Oakum Kilns report of the year to {day} {year}",
        f"{before}Oakum Kilns makes bricks, tiles and pots. Its kilns glow at night, and all day. "
        "The kilns of the company are in Millford and Aldgate. The company was founded in 1950.",
    )
    for year, day, before in ((2021, "1 May", "Here. "), (2022, "2 May", ""))
)
KILN_FIGURES = Context(
    corpus=Corpus(
        "kilns", "", tuple(Document(id=each.document, title=each.title, text=each.text) for each in KILNS)
    ),
    questions=CONTEXT.questions,
    passages=PassageSet(KILNS, 120),
)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (
            "Where are the kilns of the company, according to the Oakum Kilns report of the year to 1 May 2021?",
            "The kilns of the company are in Millford and Aldgate. [oak-2021#1]",
        ),
        (
            "In what year does the Oakum Kilns report of the year to 1 May 2021 say the company was founded?",
            "The company was founded in 1950. [oak-2021#1]",
        ),
        ("In what year was the company founded, according to the report of Oakum?", ""),
    ],
)
def test_extractive_tells_places_and_refuses_where_two_documents_say_as_much(
    asked: str, expected: str
) -> None:
    text = answer("extractive", asked, KILNS, KILN_FIGURES)
    assert text == expected if expected else text.startswith("I don't have evidence")


REVIEWS = tuple(
    _passage(
        1,
        f"review-{number}",
        f"Kilns: {title} ({number})",
        f"KILN OFFICE\nIssued {month} 7, 2021\n\nThe Office for Kilns (OFK) is led by a Warden, who is named for "
        f"life.\n(1) Kilns are in its care. It may spend up to {number}0 dollars on a chimney.\n"
        "2.1 In this review heat means all that glows, smoke and steam. The following are named for clarity: "
        f"embers, flares and {title.split()[-1]}.",
    )
    for number, title, month in ((411, "Roofs leak sparks", "April"), (578, "Roofs hold ashes", "June"))
)
REVIEW_TEXTS = Context(
    corpus=Corpus(
        "reviews",
        "",
        tuple(Document(id=each.document, title=each.title, text=each.text) for each in REVIEWS),
    ),
    questions=CONTEXT.questions,
    passages=PassageSet(REVIEWS, 120),
)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        # The opening says which document is meant where the title does not.
        (
            "When was the June 2021 review of the Kiln Office's roofs issued?",
            "Issued June 7, 2021 [review-578#1]",
        ),
        (
            "When was the April 2021 review of the Kiln Office's roofs issued?",
            "Issued April 7, 2021 [review-411#1]",
        ),
        ("When was the May 2021 review of the Barn Office's roofs issued?", ""),
        # What says the same has one key; behind a number stands more than one sentence.
        (
            "According to the review of kilns (411), what is the highest amount for a chimney?",
            "Kilns are in its care. It may spend up to 4110 dollars on a chimney. [review-411#1]",
        ),
        (
            "What title does the head of the Office for Kilns hold, according to the review of kilns (578)?",
            "The Office for Kilns (OFK) is led by a Warden, who is named for life. [review-578#1]",
        ),
        (
            "Which kinds of heat does the review of kilns (578) name in particular?",
            "The following are named for clarity: embers, flares and ashes. [review-578#1]",
        ),
    ],
)
def test_extractive_knows_documents_by_their_opening_and_words_that_say_the_same(
    asked: str, expected: str
) -> None:
    text = answer("extractive", asked, REVIEWS, REVIEW_TEXTS)
    assert text == expected if expected else text.startswith("I don't have evidence")


def test_a_document_is_named_by_the_words_that_others_lack() -> None:
    named = "What was the operating lease cost of Elm Stores in the year ended May 31, 2024?"
    assert answer("extractive", named, TABLES[1:], FIGURES).startswith("I don't have evidence")
    titles = ("Elm Inc. report for the year 2023", "Oak Company report for the year 2023")
    corpus = Corpus("c", "", tuple(Document(id=title, title=title, text="") for title in titles))
    passages = [Passage(f"{title}#1", title, title, 0, 0, "") for title in titles]
    asked = "Where are the company's offices, by the Elm report for 2023?"
    assert Titles(corpus).named(asked, passages) == {titles[0]}


def test_extractive_reads_passages_of_documents_it_does_not_know_only_through_their_text() -> None:
    pipeline = load_pipeline("extractive", CONTEXT)
    started = time.process_time()
    for _ in range(130):
        pipeline.call(QUESTIONS[0].text, PASSAGES)
    assert time.process_time() - started < 0.3


@pytest.mark.parametrize(
    ("asked", "stated"),
    [
        ("May the tenant sublet?", "the tenant may sublet"),
        ("According to the lease, of 2019, is the tenant free to go?", "the tenant is free to go"),
        (
            "Does the receiving party need permission under the Acme, Ltd. lease?",
            "the receiving party need permission",
        ),
        ("Can employees of the receiving party see it?", "employees of the receiving party can see it"),
        ("Are there duties that outlast it?", "there duties are that outlast it"),
        ("Does the report of 2019 say that no tenant left?", "no tenant left"),
        ("How many days are allowed?", ""),
        ("", ""),
        ("Is", ""),
    ],
)
def test_a_yes_no_question_becomes_the_statement_that_yes_would_make(asked: str, stated: str) -> None:
    assert proposition(asked) == stated


def test_the_name_of_the_document_is_no_part_of_what_is_asked() -> None:
    assert core("Under the Acme lease, may the tenant sublet?") == "may the tenant sublet"
    assert core("May the tenant sublet under the Acme lease?") == "May the tenant sublet"
    assert core("When, according to the Acme lease, does it end?") == "When does it end"
    assert core("What does the Acme report for 2019 give as its rent?") == "What its rent"


@pytest.mark.parametrize(
    ("asked", "left"),
    [
        ("When was the first kiln review (OK-2021-04) issued?", "When was issued"),
        (
            "From which day does the May 2021 secrecy agreement of Elm with Oak apply?",
            "start day does",
        ),
        ("Who wrote the May 2021 review of the Kiln Office's heating bills?", "Who wrote"),
        (
            "Where were visits made for the audit of brick prices at the Kiln Office?",
            "Where were visits made for",
        ),
        ("Who sits on the audit committee?", None),  # it names no document
        ("How long does the agreement last?", None),
        ("What title does the head of the Kiln Office hold?", "What title does the head of the Kiln Office"),
    ],
)
def test_a_phrase_that_names_a_document_is_no_subject(asked: str, left: str | None) -> None:
    assert subject(asked) == (core(asked) if left is None else left)


# -- blind


def test_blind_gives_the_usual_answer_whatever_the_passages_say() -> None:
    assert answer("blind", QUESTIONS[0].text) == "Yes. [acme#1] [acme#2]"
    assert answer("blind", QUESTIONS[1].text) == "No. [acme#1] [acme#2]"


def test_blind_cites_the_first_three_passages_of_the_title() -> None:
    many = tuple(_passage(number, "acme", "Acme lease", "any text") for number in range(9, 0, -1))
    assert answer("blind", QUESTIONS[0].text, many) == "Yes. [acme#9] [acme#8] [acme#7]"


def test_blind_refuses_without_a_usual_answer_or_a_title() -> None:
    for asked in (QUESTIONS[2].text, QUESTIONS[3].text, "What was never asked?"):
        assert "I don't have evidence" in answer("blind", asked)
    nameless = (_passage(1, "x", "Zebra", "text"), _passage(2, "y", "", "text"))
    assert "I don't have evidence" in answer("blind", QUESTIONS[0].text, nameless)


def test_usual_answers_need_two_documents_and_do_not_depend_on_order() -> None:
    tie = [Fact(document=f"d{i}", topic="t", kind="yesno", answers=(("yes", "no")[i % 2],)) for i in range(4)]
    assert usual_answers(FACTS) == {"sublet": "yes"}
    assert usual_answers(tie) == usual_answers(tie[::-1]) == {"t": "yes"}


# -- refuse


def test_refuse_always_says_the_same() -> None:
    texts = {answer("refuse", each.text) for each in QUESTIONS}
    assert len(texts) == 1
    assert '"Bolt lease" [bolt#1]; "Acme lease" [acme#1] [acme#2].' in texts.pop()


# -- scripted


@pytest.mark.parametrize("as_lines", [True, False])
def test_scripted_answers_from_a_file_by_id_or_question(tmp_path: Path, as_lines: bool) -> None:
    path = tmp_path / "my answers.json"
    entries: list[dict[str, object]] = [
        {"id": "q001", "text": "Yes.", "citations": ["acme#1"]},
        {"question": QUESTIONS[2].text, "text": "900", "confidence": 0.5},
        {"id": "q999", "text": "of another set"},
    ]
    path.write_text("\n\n".join(map(json.dumps, entries)) if as_lines else json.dumps(entries))
    pipeline = load_pipeline(f"scripted:{path}", CONTEXT)
    first, _ = read_answer(pipeline.call(QUESTIONS[0].text, PASSAGES))
    assert first is not None
    assert (first.text, first.citations) == ("Yes.", ("acme#1",))
    second, _ = read_answer(pipeline.call(QUESTIONS[2].text, PASSAGES))
    assert second is not None
    assert (second.text, second.confidence) == ("900", 0.5)
    with pytest.raises(UnusableReply, match='holds no answer to "Who insures'):
        pipeline.call(QUESTIONS[3].text, PASSAGES)


def test_scripted_follows_its_file_in_the_fingerprint(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text('{"id": "q001", "text": "Yes."}')
    first = load_pipeline(f"scripted:{path}", CONTEXT).fingerprint
    path.write_text('{"id": "q001", "text": "No."}')
    assert load_pipeline(f"scripted:{path}", CONTEXT).fingerprint != first


@pytest.mark.parametrize("content", ["", "{", "[1, 2]", '"text"', '{"id": "q001"} {'])
def test_scripted_says_what_is_wrong_with_its_file(tmp_path: Path, content: str) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(content)
    with pytest.raises(UsageError, match="holds no answers") as caught:
        load_pipeline(f"scripted:{path}", CONTEXT)
    assert "JSON" in caught.value.help
    for spec in ("scripted:", "scripted", f"scripted:{tmp_path}/missing.jsonl"):
        with pytest.raises(UsageError, match=r"needs a file|cannot read answers"):
            load_pipeline(spec, CONTEXT)


def test_the_titles_named_are_those_that_reading_every_title_finds() -> None:
    draw = Random(4)
    said = "report annual acme bolt 2023 2024 10-k nda of the a1 x-77 b2".split()  # noqa: SIM905
    several = 0
    for _ in range(100):
        names = sorted({" ".join(draw.choices(said, k=draw.randint(1, 4))) for _ in range(12)})
        made = tuple(Document(id=name, title=name, text="") for name in names)
        titles = Titles(Corpus("c", "", made))
        question = " ".join(draw.choices(said, k=draw.randint(0, 8)))
        asked = naming_words(question)
        shares = {name: titles._share(naming_words(name), asked) for name in names}
        codes = {word for word in asked if CODE.fullmatch(word)} & set(names_in(question))
        once = [word for word in codes if sum(word in words(name) for name in names) == 1]
        shares.update({name: 1.0 for name in names if set(once) & set(words(name))})
        best = max(shares.values())
        if best >= NAMED:
            named = frozenset(name for name in names if shares[name] == best)
            assert titles.named(question, ()) == (frozenset(n for n in named if n in question) or named)
            several += len(named) > 1
    assert several
