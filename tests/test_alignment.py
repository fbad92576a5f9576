"""Passages of others find their places in the corpus, whatever was done to their layout."""

from __future__ import annotations

import random
import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragharness.analysis.metrics import Tally
from ragharness.analysis.scoring import retrieval
from ragharness.config import RunConfig
from ragharness.corpus.alignment import Aligner, Alignment, alignment_notices, with_unique_ids
from ragharness.corpus.loading import Corpus, load_corpus
from ragharness.corpus.passages import EvidenceIndex, build_passages
from ragharness.pipelines import Pipeline
from ragharness.pipelines._own import signature_of
from ragharness.records import Document, Evidence, Passage, Question, Record
from ragharness.runner.execution import execute
from ragharness.runner.scheduler import QuestionRunner
from ragharness.runner.session import RunContext, load_context

SAMPLE = load_corpus("sample")
ALIGNER = Aligner(SAMPLE, build_passages(SAMPLE.documents))
WORD = re.compile(r"\w+")
SIZE = 500


def core(text: str) -> str:
    """Return letters and digits alone, by a way other than the one under test."""
    folded = unicodedata.normalize("NFKD", text).casefold()
    return "".join(each for each in folded if each.isalnum())


def brought(text: str, document: str = "", start: int = 0, end: int = 0, name: str = "mine-1") -> Passage:
    return Passage(name, document, "", start, end, text)


def rewrapped(text: str, chance: random.Random) -> str:
    """Return a text with other line breaks, and words broken at line ends."""
    words = []
    for word in text.split():
        cut = chance.randrange(2, len(word) - 1) if len(word) > 5 and chance.random() < 0.1 else 0
        words.append(f"{word[:cut]}-\n{word[cut:]}" if cut else word)
    return "".join(word + chance.choice((" ", "\n", "\r\n", " \t ", "\n\n")) for word in words)


# -- one passage


@settings(max_examples=150)
@given(data=st.data(), named=st.booleans(), seed=st.integers(0, 2**32))
def test_every_piece_of_a_document_is_placed_where_it_stands(
    data: st.DataObject, named: bool, seed: int
) -> None:
    document = data.draw(st.sampled_from(SAMPLE.documents))
    start = data.draw(st.integers(0, len(document.text) - 60))
    end = min(len(document.text), start + data.draw(st.integers(40, 3000)))
    text = document.text[start:end]
    placed = ALIGNER.align(brought(rewrapped(text, random.Random(seed)), document.id if named else ""))
    if len(core(text)) < 12:  # a row of blanks and dashes is no text
        return
    if placed.outcome == "ambiguous":
        assert not named
        holding = [each for each in SAMPLE.documents if core(text) in core(each.text)]
        assert len(holding) > 1
        return
    assert placed.outcome == "text"
    places = placed.passage.places
    if named:
        assert any(
            place.document == document.id and start <= place.start and place.end <= end for place in places
        )
    for place in places:
        assert core(SAMPLE.document(place.document).text[place.start : place.end]) == core(text)


@settings(max_examples=150)
@given(text=st.text(max_size=300), name=st.text(max_size=20), start=st.integers(0, 2**53))
def test_nothing_that_is_brought_breaks_it(text: str, name: str, start: int) -> None:
    placed = ALIGNER.align(Passage("x", name, name, start, start + 5, text))
    for place in placed.passage.places:
        assert 0 <= place.start < place.end <= len(SAMPLE.document(place.document).text)


FIRST = (
    "The supplier shall deliver the goods to the warehouse within thirty days of the order, at its own cost. "
    "Risk in the goods passes to the buyer on delivery, and title passes on payment in full. "
)
SECOND = (
    "Either party may end this agreement by giving sixty days' written notice to the other party’s office. "
    "Notices are sent by registered post and count as received three working days later. "
)
SHARED = "This agreement is governed by the law of the land in which the buyer has its registered office. "
OTHER = "The lessee keeps the machinery in good repair and insures it against fire, theft and flooding. "
SMALL = Corpus(
    "made-up",
    "",
    (
        Document(
            id="d1",
            title="Supply Agreement",
            text=f"{FIRST}{SECOND}{SHARED}",
            source="https://x.org/a/supply-2020.htm",
        ),
        Document(id="d2", title="Lease of Machinery", text=f"{OTHER}{SHARED}{OTHER}", handle="the Lease"),
        Document(id="d3", title="Lease of Machinery (copy)", text=f"{OTHER}{SHARED}{OTHER}"),
    ),
)
OURS = build_passages(SMALL.documents, 30)
PLACES = {
    "first": Evidence("d1", 0, len(FIRST) - 2),
    "second": Evidence("d1", len(FIRST), len(FIRST + SECOND) - 2),
    "shared": Evidence("d1", len(FIRST + SECOND), len(FIRST + SECOND + SHARED) - 2),
    "shared in d2": Evidence("d2", len(OTHER), len(OTHER + SHARED) - 2),
    "shared in d3": Evidence("d3", len(OTHER), len(OTHER + SHARED) - 2),
    "other": Evidence("d2", 0, len(OTHER) - 2),
    "other again": Evidence("d2", len(OTHER + SHARED), len(OTHER + SHARED + OTHER) - 2),
}


def place(passage: Passage) -> Alignment:
    return Aligner(SMALL, OURS).align(passage)


def inside(passage: Passage) -> list[str]:
    """Return the names of the places that a passage holds, all but a word or two of them."""
    index = EvidenceIndex(SMALL)
    held = [name for name, span in PLACES.items() if index.coverage(passage, span) > 0.9]
    return [name for name in held if any(each.document == PLACES[name].document for each in passage.places)]


@pytest.mark.parametrize(
    ("text", "how", "names"),
    [
        (FIRST, "text", ["first"]),
        (FIRST.upper(), "text", ["first"]),
        ("…" + FIRST[30:-20] + "...", "text", []),
        (SECOND.replace("’", "'").replace("notice", "no-\ntice"), "text", ["second"]),
        ("| " + FIRST.replace(" ", " | ").replace("goods", "**goods**") + " |", "text", ["first"]),
        ("Part 4: Delivery and risk\n\n" + FIRST, "text", ["first"]),
        ("This part of the contract says who bears the risk, and when. " * 2 + FIRST, "partly", ["first"]),
        (FIRST.replace("thirty", "ninety"), "text", ["first"]),
        (SECOND + FIRST, "text", ["first", "second"]),
        (FIRST[:-40] + " [...] " + SECOND[40:], "text", []),
        (OTHER + FIRST, "text", ["first", "other"]),
        (OTHER, "text", ["other", "other again"]),
        (FIRST + SHARED, "text", ["first", "shared"]),
        ("Lease of Machinery: " + SHARED, "text", ["shared in d2"]),
        (SHARED, "ambiguous", []),
        ("Quite another text that stands nowhere, about ships and the sea, and says nothing.", "nowhere", []),
        (FIRST[:50] + " and then something else follows that is not in the contract " * 3, "nowhere", []),
        ("days", "nowhere", []),
        ("", "nowhere", []),
    ],
)
def test_a_text_is_found_by_itself(text: str, how: str, names: list[str]) -> None:
    placed = place(brought(text))
    assert placed.outcome == how
    assert inside(placed.passage) == names or (names and set(names) <= set(inside(placed.passage)))
    assert bool(placed.passage.places) == (how in {"text", "partly"})
    assert (placed.passage.id, placed.passage.text) == ("mine-1", text), "it is kept as it came"


@pytest.mark.parametrize(
    ("name", "document"),
    [
        ("d1", "d1"),
        ("Supply Agreement", "d1"),
        ("supply agreement.pdf", "d1"),
        ("/home/me/texts/D1.txt", "d1"),
        ("C:\\texts\\d1.html", "d1"),
        ("https://x.org/a/supply-2020.htm", "d1"),
        ("supply-2020.htm", "d1"),
        ("the Lease", "d2"),
        ("d2", "d2"),
        ("d3.txt", "d3"),
    ],
)
def test_a_document_is_known_by_its_names(name: str, document: str) -> None:
    for passage in (brought(SHARED, name), Passage("mine-1", "", name, 0, 0, SHARED)):
        placed = place(passage)
        assert placed.outcome == "text"
        assert [each.document for each in placed.passage.places] == [document]


def test_a_name_that_is_wrong_does_not_hide_a_text() -> None:
    assert inside(place(brought(FIRST, "d2")).passage) == ["first"]


def test_offsets_are_believed_where_the_text_is_the_same() -> None:
    span = PLACES["second"]
    exact = place(brought(SECOND[:-2], "d1", span.start, span.end))
    assert (exact.outcome, exact.passage.places) == ("offsets", (span,))
    without_text = place(brought("", "Supply Agreement", span.start, span.end))
    assert (without_text.outcome, without_text.passage.places) == ("offsets", (span,))
    assert without_text.passage.text == SMALL.documents[0].text[span.start : span.end]
    elsewhere = place(brought(SECOND, "d1", 3, 90))
    assert (elsewhere.outcome, inside(elsewhere.passage)) == ("text", ["second"])
    short = place(brought("Source 3: risk in the goods", "d1", FIRST.index("Risk"), FIRST.index("Risk") + 17))
    assert (short.outcome, short.passage.start) == ("offsets", FIRST.index("Risk"))
    assert place(brought("Source 3:\nrisk in the goods", "d1", 0, 17)).passage.start == FIRST.index("Risk")
    assert place(brought("Source 3: risk in the goods", "d1", 0, 17)).outcome == "nowhere"
    again = place(brought(OTHER, "d2", PLACES["other again"].start, 9999))
    assert again.passage.start == PLACES["other again"].start


def test_an_id_of_ours_means_our_passage_unless_its_text_stands_elsewhere() -> None:
    ours = OURS.passages[0]
    assert place(brought("", name=ours.id)) == Alignment(ours, "id")
    assert place(brought("a summary that somebody made of it", name=ours.id)) == Alignment(ours, "id")
    by_chance = place(brought(OTHER, name=ours.id))
    assert (by_chance.outcome, inside(by_chance.passage)) == ("text", ["other", "other again"])


def test_passages_of_one_id_are_kept_apart() -> None:
    passages = [brought(FIRST), brought(SECOND), brought(FIRST), brought(OTHER)]
    assert [each.id for each in with_unique_ids(passages)] == ["mine-1", "mine-1~2", "mine-1~3"]


def test_what_cannot_be_placed_is_said_with_how_many_and_which() -> None:
    texts = [FIRST, SHARED, *(f"Nothing of the kind stands anywhere, number {n}." for n in range(7))]
    placed = [place(brought(text, name=f"m{n}")) for n, text in enumerate(texts)]
    nowhere, ambiguous = alignment_notices(placed)
    assert nowhere.endswith("support nothing: 7 of 9 (m2, m3, m4, m5, m6 and 2 more)")
    assert ambiguous.endswith("name none, so that they support nothing: 1 of 9 (m1)")
    assert alignment_notices(placed[:1]) == ()


def test_the_places_of_one_passage_add_up_but_never_twice() -> None:
    index, span = EvidenceIndex(SMALL), PLACES["first"]
    middle = (span.start + span.end) // 2
    half = Passage("h", "d1", "", span.start, middle, "")
    both = Passage("b", "d1", "", span.start, middle, "", (Evidence("d1", middle - 30, span.end),))
    assert 0.4 < index.coverage(half, span) < 0.6
    assert index.coverage(both, span) > 0.9
    twice = Passage("t", "d1", "", span.start, middle, "", (Evidence("d1", span.start, middle),))
    assert index.coverage(twice, span) == index.coverage(half, span)


# -- whole runs: a pipeline with chunks of its own, against a count by hand


class Chunker:
    """Cuts every document after 500 characters, finds chunks by shared words, cites its own ids."""

    def __init__(self, bench: RunContext, shape: str) -> None:
        self.shape = shape
        self.questions = {question.text: question for question in bench.questions.questions}
        self.chunks = {
            f"c{number}-{start // SIZE}": (document, start, document.text[start : start + SIZE])
            for number, document in enumerate(bench.corpus.documents)
            for start in range(0, len(document.text), SIZE)
        }
        self.words = {name: set(WORD.findall(text.lower())) for name, (_, _, text) in self.chunks.items()}

    def best(self, question: str) -> list[str]:
        asked = set(WORD.findall(question.lower()))
        return sorted(self.chunks, key=lambda name: (-len(asked & self.words[name]), name))[:6]

    def cited(self, question: str) -> str:
        """Return the chunk that is cited: the third, so that it often holds nothing."""
        return self.best(question)[2 if len(question) % 2 else 0]

    def __call__(self, question: str) -> dict[str, object]:
        chance = random.Random(question)
        passages = []
        for name in self.best(question):
            document, start, text = self.chunks[name]
            given: dict[str, object] = {"id": name, "text": text}
            if self.shape == "offsets":
                given |= {"document": document.id, "start": start, "end": start + len(text)}
            if self.shape == "text":
                given |= {"text": f"## {document.title}\n{rewrapped(text, chance)}", "title": document.title}
            if self.shape == "file":
                given = {"id": name, "page_content": text, "metadata": {"source": f"/t/{document.id}.txt"}}
            passages.append(given)
        asked = self.questions[question]
        answer = "Yes." if asked.answers == ("yes",) else f"It is {', '.join(asked.answers) or 'seven'}."
        return {"answer": answer, "citations": [self.cited(question)], "passages": passages}


def by_hand(question: Question, document: Document, start: int, text: str, corpus: Corpus) -> list[bool]:
    """Return for each gold span whether a chunk holds four fifths of its words: counted word by word."""
    found = []
    for span in question.evidence:
        same = document.text == corpus.document(span.document).text
        words = [word.span() for word in WORD.finditer(document.text) if same]
        inside = [each for each in words if span.start <= each[0] and each[1] <= span.end]
        held = [each for each in inside if start <= each[0] and each[1] <= start + len(text)]
        found.append(bool(inside) and len(held) / len(inside) >= 0.8)
    return found


@pytest.mark.parametrize("shape", ["offsets", "text", "file"])
def test_own_chunks_are_scored_as_a_count_by_hand_says(shape: str) -> None:
    bench = load_context(RunConfig(retriever="null"))
    chunker, was = Chunker(bench, shape), bench.runner
    pipeline = Pipeline(
        chunker, "own", spec="own", fingerprint="", is_async=False, signature=signature_of(chunker, "own")
    )
    runner = QuestionRunner(pipeline, was.retriever, bench.grading)
    answers: list[Record] = []
    execute([(each, 0) for each in bench.questions.questions], runner, answers.append, concurrency=2)
    records = list(map(bench.grading.graded, answers))
    by_id = {record.question: record for record in records}
    hits = supported = 0
    for question in bench.questions.questions:
        record = by_id[question.id]
        names = chunker.best(question.text)
        assert [each.id for each in record.retrieved] == names
        assert record.problems == ()
        holds = {name: by_hand(question, *chunker.chunks[name], bench.corpus) for name in names}
        ranks = tuple(
            next((rank for rank, name in enumerate(names, 1) if holds[name][number]), 0)
            for number in range(len(question.evidence))
        )
        assert record.evidence_ranks == ranks, question.id
        documents = [bench.corpus.canonical(chunker.chunks[name][0].id) for name in names]
        wanted = bench.corpus.canonical(question.document)
        assert record.document_rank == (documents.index(wanted) + 1 if wanted in documents else 0)
        hits += question.wanted == "correct" and any(ranks)
        if question.wanted == "correct" and record.verdict and record.verdict.bucket:
            expected = any(holds[chunker.cited(question.text)])
            assert record.verdict.citation_exists == "yes"
            assert (record.verdict.reason == "SUPPORTED") == expected, question.id
            supported += expected
    found = retrieval(Tally(bench.questions.questions).add(records).outcomes, None)
    assert found.any_evidence.count == hits
    assert 10 < hits < 60
    assert 5 < supported < hits
    assert list(map(bench.grading.graded, records)) == records
