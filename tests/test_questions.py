"""Building, checking, freezing and loading question sets, on a small corpus made here."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragharness.corpus.loading import Corpus
from ragharness.corpus.passages import build_passages, withhold
from ragharness.errors import QuestionsNotUsable, UsageError
from ragharness.questions.loading import load_questions, stored_set
from ragharness.questions.questionset import SHARES, QuestionSet, quotas
from ragharness.records import Distractor, Document, Evidence, Question
from ragquestions import building
from ragquestions import recipes as offered
from ragquestions.building import build_questions, freeze
from ragquestions.checks import check_questions, remarks
from ragquestions.corpus_index import near_duplicates

TOPICS = ("copying", "retention", "licence")
"""Yes/no topics; the first two with both answers, the last one affirmed throughout."""

FILLER = "The parties of house {n} wrote down further terms number {k} about their dealings in full. "


def make_corpus(count: int = 48) -> Corpus:
    documents = []
    for n in range(count):
        lines = [FILLER.format(n=n, k=k) * 6 for k in range(3)]
        lines[1:1] = [
            f"House {n} {'allows' if affirms(n, topic) else 'forbids'} {topic} of what it tells. "
            + FILLER.format(n=n, k=9) * 5
            for topic in TOPICS
        ]
        lines.append(f"The fee of house {n} is {100 + n} crowns. " + FILLER.format(n=n, k=7) * 5)
        text = "\n".join(lines)
        documents.append(
            Document(
                id=f"d{n}",
                title=f"House {n} Agreement",
                text=text,
                handle=f"House {n}",
                paraphrase=f"the terms of house {n}",
            )
        )
    return Corpus("toy", "", tuple(documents))


def affirms(n: int, topic: str) -> bool:
    return topic == "licence" or (n + TOPICS.index(topic)) % 4 != 0


def span(document: Document, start: str) -> Evidence:
    at = document.text.index(start)
    return Evidence(document.id, at, document.text.index(". ", at) + 1)


def candidates(corpus: Corpus, _: object = ()) -> list[Question]:
    found: list[Question] = []
    for n, document in enumerate(corpus.documents):
        for topic in TOPICS:
            label = affirms(n, topic)
            verb = "allows" if label else "forbids"
            for form, means, text in (
                ("positive", True, "Does the {} allow {}?"),
                ("negative", False, "Does the {} forbid {}?"),
            ):
                plain = Question(
                    id="",
                    text=text.format(document.title, topic),
                    stratum="grounded",
                    kind="yesno",
                    answerable=True,
                    document=document.id,
                    topic=topic,
                    form=form,  # type: ignore[arg-type]
                    wording=1,
                    answers=("yes",) if label == means else ("no",),
                    proposition=f"It allows {topic}.",
                    yes_means=means,
                    evidence=(span(document, f"House {n} {verb} {topic}"),),
                )
                false = Distractor("no" if plain.answers == ("yes",) else "yes", "the usual answer")
                row = {"target": "correct"} if label else {"target": "wrong", "distractors": (false,)}
                found += [
                    msgspec.structs.replace(plain, **row),
                    msgspec.structs.replace(plain, target="unsupported", withheld="document"),
                    msgspec.structs.replace(plain, target="unsupported", withheld="clause"),
                    msgspec.structs.replace(plain, stratum="null_retrieval"),
                ]
        found.append(
            Question(
                id="",
                text=f"What is the fee in the {document.title}?",
                stratum="grounded",
                target="correct",
                kind="number",
                answerable=True,
                document=document.id,
                topic="fee",
                wording=1,
                answers=(str(100 + n),),
                evidence=(span(document, f"The fee of house {n}"),),
            )
        )
        found += [silent(document, n, *each) for each in SILENCES]
    return found


SILENCES = (
    ("grounded", "refused", "hours", "document"),
    ("grounded", "refused", "boats", "document"),
    ("unanswerable", "", "gardens", "corpus"),
    ("adversarial", "", "towers", "document"),
)


def silent(document: Document, n: int, stratum: Any, target: Any, topic: str, scope: Any) -> Question:
    return Question(
        id="",
        text=f"What does the {document.title} say about {topic}?",
        stratum=stratum,
        target=target,
        kind="text",
        answerable=False,
        document=document.id,
        topic=topic,
        wording=1,
        absence_patterns=(topic,),
        absence_scope=scope,
    )


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return make_corpus()


@pytest.fixture(autouse=True)
def recipe(monkeypatch: pytest.MonkeyPatch) -> None:
    toy = SimpleNamespace(VERSION=7, candidates=candidates)
    monkeypatch.setattr(building, "load_recipe", lambda corpus: toy)
    monkeypatch.setattr(offered, "load_recipe", lambda corpus: toy)


@pytest.fixture(scope="module")
def built(corpus: Corpus) -> QuestionSet:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            building, "load_recipe", lambda corpus: SimpleNamespace(VERSION=7, candidates=candidates)
        )
        return build_questions(corpus, 39, seed=1)


@given(st.integers(min_value=0, max_value=2000))
def test_quotas_keep_the_proportions(size: int) -> None:
    counts = quotas(size)
    assert sum(counts.values()) == size
    assert list(counts) == list(SHARES)
    assert all(abs(counts[part] - size * share / 130) < 1 for part, share in SHARES.items())
    if size % 13 == 0:
        assert all(counts[part] == size * share // 130 for part, share in SHARES.items())


def test_a_built_set_has_every_property(built: QuestionSet, corpus: Corpus) -> None:
    assert check_questions(built, corpus) == []
    assert built.notes == ()
    assert [each.id for each in built.questions] == [f"q{n:03}" for n in range(1, 40)]
    assert Counter(each.row for each in built.questions) == {
        "grounded/correct": 12,
        "grounded/wrong": 6,
        "grounded/unsupported": 6,
        "grounded/refused": 6,
        "unanswerable": 3,
        "adversarial": 3,
        "null_retrieval": 3,
    }
    assert {each.kind for each in built.questions if each.wanted == "correct"} == {"yesno", "number"}


@pytest.mark.parametrize("size", [13, 14, 17, 26, 40])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_any_size_and_seed_keeps_the_properties(corpus: Corpus, size: int, seed: int) -> None:
    small = build_questions(corpus, size, seed)
    assert len(small.questions) == size
    assert check_questions(small, corpus) == []
    assert build_questions(corpus, size, seed).lines == small.lines


def test_another_seed_asks_other_questions(corpus: Corpus, built: QuestionSet) -> None:
    assert build_questions(corpus, 39, seed=2).hash != built.hash


def test_it_says_where_it_stops(corpus: Corpus) -> None:
    large = build_questions(corpus, 1300)
    assert large.size == 1300
    assert len(large.questions) % 13 == 0
    assert len(large.questions) > 39
    (note,) = large.notes
    assert note.startswith(
        f"1300 questions were asked for, {len(large.questions)} are built: the corpus yields no more"
    )
    assert check_questions(large, corpus) == []


def test_too_small_a_set_or_corpus_is_refused() -> None:
    with pytest.raises(UsageError, match="at least 13"):
        build_questions(make_corpus(2), 12)
    with pytest.raises(QuestionsNotUsable, match="found too few"):
        build_questions(make_corpus(2), 13)


def test_what_is_withheld_is_not_in_the_index(corpus: Corpus, built: QuestionSet) -> None:
    index = withhold(build_passages(corpus.documents), built.withheld_documents, built.withheld_spans)
    gone = [each for each in built.questions if each.withheld == "document"]
    cut = [each for each in built.questions if each.withheld == "clause"]
    assert (len(gone), len(cut)) == (3, 3)
    assert not any(index.of(each.document) for each in gone)
    for question in cut:
        assert len(index.of(question.document)) >= 3
        text = corpus.document(question.document).text[question.evidence[0].start : question.evidence[0].end]
        assert not any(text in passage.text for passage in index.of(question.document))


def test_near_duplicates_are_found_and_kept_out(corpus: Corpus) -> None:
    first, second = corpus.documents[0], corpus.documents[1]
    copy = msgspec.structs.replace(
        first, id="copy", title="Copy", text=first.text.replace("crowns", "pounds")
    )
    assert near_duplicates((first, second)) == frozenset()
    assert near_duplicates((first, second, copy)) == {"d0", "copy"}


@pytest.mark.parametrize("threshold", [0.35, 0.8, 1.0])
def test_near_duplicates_are_those_that_comparing_every_pair_finds(threshold: float) -> None:
    draw = Random(5)
    found = 0
    for _ in range(20):
        lines = [" ".join(draw.choices("abcdefghijklmnop", k=draw.randint(0, 25))) for _ in range(9)]
        texts = ["\n".join(draw.sample(lines, draw.randint(0, 9))) for _ in range(25)]
        texts += [text.replace("a", "other", 1) for text in texts[:9]]
        documents = [Document(id=f"d{n}", title=f"d{n}", text=text) for n, text in enumerate(texts)]
        split = [text.split() for text in texts]
        held = [{tuple(each[at : at + 8]) for at in range(len(each) - 7)} for each in split]
        pairs = {
            frozenset((f"d{one}", f"d{other}"))
            for one, other in combinations(range(len(texts)), 2)
            if held[one] & held[other]
            and len(held[one] & held[other]) >= threshold * len(held[one] | held[other])
        }
        assert near_duplicates(documents, threshold) == frozenset().union(*pairs)
        found += len(pairs)
    assert found


def change(number: int, **fields: Any) -> Callable[[QuestionSet], QuestionSet]:
    def apply(questions: QuestionSet) -> QuestionSet:
        changed = list(questions.questions)
        changed[number] = msgspec.structs.replace(changed[number], **fields)
        return replace(questions, questions=tuple(changed))

    return apply


def first(questions: QuestionSet, row: str) -> int:
    return next(n for n, each in enumerate(questions.questions) if each.row == row)


def in_row(row: str, **fields: Any) -> Callable[[QuestionSet], QuestionSet]:
    return lambda questions: change(first(questions, row), **fields)(questions)


def flipped(questions: QuestionSet) -> QuestionSet:
    number = next(
        n for n, each in enumerate(questions.questions) if each.wanted == "correct" and each.kind == "yesno"
    )
    answer = ("no",) if questions.questions[number].answers == ("yes",) else ("yes",)
    return change(number, answers=answer, distractors=())(questions)


def doubled(questions: QuestionSet) -> QuestionSet:
    other = first(questions, "null_retrieval")
    model = questions.questions[first(questions, "grounded/correct")]
    return change(other, document=model.document, topic=model.topic, evidence=model.evidence)(questions)


def crowding(questions: QuestionSet) -> QuestionSet:
    """Ask about a withheld document from another row."""
    gone = questions.questions[first(questions, "grounded/unsupported")]
    return in_row("grounded/refused", document=gone.document, text=f"What of {gone.document}, House?")(
        questions
    )


BROKEN: dict[str, tuple[str, Callable[[QuestionSet], QuestionSet]]] = {
    "an id twice": ("unique ids", change(3, id="q001")),
    "a text twice": ("unique texts", lambda s: change(3, text=s.questions[2].text.upper())(s)),
    "a document that is not there": ("evidence", change(0, document="d999")),
    "a span outside": ("evidence", change(0, evidence=(Evidence("d0", 5, 10**7),))),
    "no evidence": ("answerable", in_row("grounded/correct", evidence=())),
    "no evidence without retrieval": ("answerable", in_row("null_retrieval", evidence=())),
    "an answer to the unanswerable": ("answerable", in_row("unanswerable", answers=("yes",))),
    "evidence in the index": ("withheld", in_row("grounded/correct", withheld="clause")),
    "nothing withheld": ("withheld", in_row("grounded/unsupported", withheld="")),
    "a pattern that hits": ("silence", in_row("unanswerable", absence_patterns=("garden", "crowns"))),
    "no pattern": ("silence", in_row("grounded/refused", absence_patterns=())),
    "one document's silence": ("silence", in_row("unanswerable", absence_scope="document")),
    "no temptation": ("temptation", in_row("grounded/wrong", distractors=())),
    "a true temptation": (
        "temptation",
        lambda s: in_row(
            "grounded/wrong", distractors=(Distractor(s.questions[first(s, "grounded/wrong")].answers[0]),)
        )(s),
    ),
    "no proposition": ("wording", in_row("grounded/wrong", proposition="")),
    "no name": ("wording", in_row("grounded/refused", text="What does it say about hours?")),
    "a row too few": ("counts", in_row("adversarial", stratum="unanswerable", absence_scope="corpus")),
    "rows in disorder": ("counts", lambda s: replace(s, questions=s.questions[::-1])),
    "the same again": ("once", doubled),
    "more about a withheld document": ("once", crowding),
    "an uneven gold": ("balance", flipped),
}


@pytest.mark.parametrize("name", BROKEN)
def test_the_check_finds(name: str, built: QuestionSet, corpus: Corpus) -> None:
    rule, breaks = BROKEN[name]
    assert rule in {finding.rule for finding in check_questions(breaks(built), corpus)}


def test_an_answer_inside_the_question_is_found(built: QuestionSet, corpus: Corpus) -> None:
    number = next(n for n, each in enumerate(built.questions) if each.kind == "number")
    given_away = built.questions[number].text.replace("?", f", {built.questions[number].answers[0]} crowns?")
    (finding,) = check_questions(change(number, text=given_away)(built), corpus)
    assert (finding.rule, finding.question) == ("wording", built.questions[number].id)


def test_frozen_and_loaded_are_the_same(built: QuestionSet, corpus: Corpus, tmp_path: Path) -> None:
    card = freeze(built, tmp_path / "toy", corpus)
    loaded = load_questions(corpus, path=tmp_path / "toy")
    assert loaded.frozen
    assert (loaded.questions, loaded.hash, card.recipe_version) == (built.questions, built.hash, 7)
    assert sorted(path.name for path in (tmp_path / "toy").iterdir()) == [
        "questions.jsonl",
        "questionset.toml",
    ]
    assert load_questions(corpus, path=tmp_path / "toy" / "questions.jsonl").questions == built.questions


def test_a_change_after_the_freeze_is_refused(built: QuestionSet, corpus: Corpus, tmp_path: Path) -> None:
    freeze(built, tmp_path, corpus)
    lines = tmp_path / "questions.jsonl"
    lines.write_text(lines.read_text().replace("House 1", "House 2", 1))
    with pytest.raises(QuestionsNotUsable, match="changed after the freeze"):
        load_questions(corpus, path=tmp_path)


OWN: dict[str, Any] = {
    "id": "m1",
    "text": "Does the House 1 Agreement allow copying?",
    "stratum": "grounded",
    "target": "correct",
    "kind": "yesno",
    "answerable": True,
    "document": "d1",
    "answers": ["yes"],
    "proposition": "It allows copying.",
    "evidence": [{"document": "d1", "start": 0, "end": 300}],
}


def malformed() -> Iterator[tuple[str, str, str]]:
    good = '{"id":"a","text":"What?","stratum":"unanswerable","kind":"text","answerable":false}'
    yield "empty", "", "found none"
    yield "blank", "\n\n", "found none"
    yield "no json", f"{good}\nnonsense\n", "line 2:"
    yield "wrong type", f"{good}\n\n{good.replace('false', '3')}\n", r"line 3: .*bool.*\$.answerable"
    yield "unknown row", good.replace("unanswerable", "hard"), r"line 1: .*\$.stratum"
    yield "missing field", '{"id":"a"}', "line 1: .*text"
    twice = f"{good}\n\n{good.replace('What', 'Who')}\n{good.replace('What', 'When')}"
    yield "an id twice", twice, "a: the same id stands in lines 1, 3 and 4"
    yield (
        "a text twice",
        f"{good}\n{good.replace(chr(34) + 'a', chr(34) + 'b', 1)}",
        "the same text stands in lines",
    )
    yield "no id", good.replace('"id":"a"', '"id":""'), "the set: expected an id in line 1, found none"
    yield "no word", good.replace("What?", "?"), r"a: expected a question with words, found '\?'"
    unknown = good.replace('"unanswerable"', '"grounded"')
    yield "no row", unknown, "a: expected a stratum and target of grounded/correct, .*, found grounded"
    yield "another corpus", good.replace('"id"', '"document":"x","id"'), "found 'x'"


@pytest.mark.parametrize(
    ("content", "message"), [case[1:] for case in malformed()], ids=[case[0] for case in malformed()]
)
def test_a_malformed_file_is_refused_line_by_line(
    content: str, message: str, corpus: Corpus, tmp_path: Path
) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text(content)
    with pytest.raises(QuestionsNotUsable, match=message) as caught:
        load_questions(corpus, path=path)
    assert caught.value.help.startswith("ragharness questions")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"answers": ["maybe"]}, "line 2: expected the answer yes or no, found 'maybe'"),
        ({"answers": ["yes", "no"]}, "line 2: the answer is yes or no, not both"),
        ({"distractors": [{"value": "perhaps"}]}, "line 2: expected the answer yes or no, found 'perhaps'"),
        ({"kind": "number", "answers": ["about 3"]}, "a plain decimal like 391035 or 21.4, found 'about 3'"),
        ({"kind": "date", "answers": ["3 May 2024"]}, "a date like 2024, .* found '3 May 2024'"),
        ({"anwsers": ["yes"]}, "line 2: no field is named 'anwsers', did you mean answers"),
        (
            {"evidence": [{"document": "d0", "start": 0, "end": 9, "text": "x"}]},
            "of evidence is named 'text'",
        ),
        (
            {"distractors": [{"value": "no", "abuot": "x"}]},
            "of a distractor is named 'abuot', did you mean about",
        ),
        ({"evidence": []}, "line 2: expected evidence, without which no answer can be correct, found none"),
        ({"answers": []}, "line 2: expected answers, as it is answerable, found none"),
        ({"answerable": False}, "line 2: expected no answers .*, as it is not answerable, found some"),
        (
            {"row": "adversarial"},
            "'row' follows from the other fields: expected grounded/correct, found adver",
        ),
    ],
)
def test_mistakes_in_a_file_of_one_s_own_are_said_with_their_line(
    changes: dict[str, Any], message: str, corpus: Corpus, tmp_path: Path
) -> None:
    (tmp_path / "mine.jsonl").write_text("\n" + json.dumps(OWN | changes))
    with pytest.raises(QuestionsNotUsable, match=message):
        load_questions(corpus, path=tmp_path / "mine.jsonl")


def test_a_file_of_one_s_own_needs_no_proportions(corpus: Corpus, tmp_path: Path) -> None:
    tempted = {
        "target": "wrong",
        "distractors": [{"value": "no"}],
        "row": "grounded/wrong",
        "wanted": "correct",
    }
    (tmp_path / "mine.jsonl").write_text(json.dumps(OWN | tempted))
    own = load_questions(corpus, path=tmp_path / "mine.jsonl")
    assert check_questions(own, corpus) == []
    # The toy contract says the same in every passage.
    assert {each.rule for each in remarks(own, corpus)} == {"counts", "evidence elsewhere"}
    assert "counts" in {each.rule for each in check_questions(replace(own, places=()), corpus)}


def test_many_bad_lines_are_counted_not_listed(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text("{\n" * 30)
    with pytest.raises(QuestionsNotUsable, match="and 25 more"):
        stored_set(path, "toy")


def test_a_missing_file_is_refused(corpus: Corpus, tmp_path: Path) -> None:
    with pytest.raises(QuestionsNotUsable, match="No such file"):
        load_questions(corpus, path=tmp_path / "none.jsonl")
    with pytest.raises(QuestionsNotUsable, match=f"found the folder {tmp_path} without questionset.toml"):
        load_questions(corpus, path=tmp_path)
