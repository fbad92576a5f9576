"""Passages cover their document, keep its sentences whole, and depend on nothing but its text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragharness.config import DEFAULT_WORDS
from ragharness.corpus import passages
from ragharness.corpus.loading import load_corpus
from ragharness.corpus.passages import build_passages, split_document, withhold
from ragharness.errors import UsageError
from ragharness.language.words import sentences
from ragharness.records import Document, Evidence, Passage

pieces = st.lists(
    st.sampled_from(
        [
            "Heading",
            "One short sentence.",
            "a b c d e f g h; ",
            "word " * 30,
            " ",
            "\n",
            "(i) item,",
            "ÉÑ\u2028ﬁ 😀.",
        ]
    ),
    max_size=60,
)


def document(parts: list[str], own_list: bool = True) -> Document:
    spans: list[tuple[int, int]] = []
    position = 0
    for part in parts:
        spans.append((position, position + len(part)))
        position += len(part)
    return Document(id="d", title="T", text="".join(parts), segments=tuple(spans) if own_list else ())


def places(text: str, start: int, end: int) -> list[int]:
    return [place for place in range(start, end) if not text[place].isspace()]


@given(parts=pieces, words=st.integers(1, 200), own_list=st.booleans())
def test_every_character_but_blanks_is_in_exactly_one_passage(
    parts: list[str], words: int, own_list: bool
) -> None:
    made = document(parts, own_list)
    passages = split_document(made, words)
    covered = [place for each in passages for place in places(made.text, each.start, each.end)]
    assert covered == places(made.text, 0, len(made.text))
    assert [each.id for each in passages] == [f"d#{number}" for number in range(1, len(passages) + 1)]
    assert all(each.text == made.text[each.start : each.end] == each.text.strip() for each in passages)


@given(parts=pieces, words=st.integers(1, 200))
def test_segments_stay_whole_and_sizes_stay_near(parts: list[str], words: int) -> None:
    made = document(parts)
    sizes = [len(part.split()) for part in parts]
    for passage in split_document(made, words):
        inside = [
            size
            for (start, end), size in zip(made.segments, sizes, strict=True)
            if size and passage.start < end and start < passage.end
        ]
        assert sum(inside) == len(passage.text.split()) or len(inside) > 1
        # A rest of a quarter may join either end.
        assert sum(inside) <= 2 * words + max(inside) or len(inside) == 1


@given(parts=pieces, gaps=st.sets(st.integers(0, 59)))
def test_text_that_no_segment_covers_is_not_lost(parts: list[str], gaps: set[int]) -> None:
    whole = document(parts)
    holes = Document(
        id="d",
        title="T",
        text=whole.text,
        segments=tuple(span for number, span in enumerate(whole.segments) if number not in gaps),
    )
    covered = [
        place for each in split_document(holes, 7) for place in places(whole.text, each.start, each.end)
    ]
    assert covered == places(whole.text, 0, len(whole.text))


def test_a_full_passage_ends_with_its_paragraph() -> None:
    paragraph = "It is agreed that this holds as it stands. " * 5
    parts = [sentence + "." for sentence in paragraph.split(".") if sentence.strip()]
    made = document([*parts, "\n", "Heading\n", *parts])
    first, second = split_document(made, 48)
    assert first.text.endswith("stands.")
    assert second.text.startswith("Heading\n")


def test_a_lone_heading_joins_what_follows() -> None:
    made = document(["HEADING\n", "word " * 119 + "end.\n", "Next one."])
    assert [each.text[:7] for each in split_document(made)] == ["HEADING"]


def test_a_sentence_without_end_is_cut_between_words() -> None:
    made = document(["cell " * 1000], own_list=False)
    assert {len(each.text.split()) for each in split_document(made, 100)} == {100}


def test_a_list_number_stays_with_its_item() -> None:
    text = "1. Keep it secret. 2. Return it.\n- Or burn it."
    made = Document(id="d", title="T", text=text)
    assert [each.text for each in split_document(made, 2)][:1] == ["1. Keep it secret."]
    assert [text[start:end] for start, end in sentences(text)][-1] == "- Or burn it."


@pytest.mark.parametrize("text", ["", " \n\t "])
def test_nothing_to_split(text: str) -> None:
    assert split_document(Document(id="d", title="T", text=text)) == []


@pytest.mark.parametrize("words", [0, -3])
def test_a_size_below_one_word(words: int) -> None:
    with pytest.raises(UsageError, match=f"at least 1 word, found {words}"):
        build_passages([document(["One."])], words)


def test_a_set_finds_its_passages_and_names_itself_by_content() -> None:
    one, other = document(["One. "] * 300), document(["Other. "] * 200)
    other = Document(id="e", title="U", text=other.text, segments=other.segments)
    both = build_passages([one, other], 50)
    assert both.by_id["e#2"] in both.of("e")
    assert len(both.of("d")) + len(both.of("e")) == len(both.passages)
    assert both.of("absent") == ()
    assert both.key == build_passages([one, other], 50).key
    renamed = Document(id="e", title="V", text=other.text, segments=other.segments)
    assert len({both.key, build_passages([one, renamed], 50).key, build_passages([one, other], 60).key}) == 3


def test_withholding_documents_and_clauses_keeps_ids() -> None:
    made = document(["Ten words are in this sentence that says nothing new. "] * 10)
    twin = Document(id="e", title="U", text=made.text, segments=made.segments)
    every = build_passages([made, twin], 20)
    second = every.by_id["d#2"]
    left = withhold(every, {"e"}, [Evidence("d", second.start, second.start + 1), Evidence("x", 0, 9)])
    assert [each.id for each in left.passages] == [each.id for each in every.of("d") if each != second]
    assert left.words == 20
    touching = withhold(every, (), [Evidence("d", second.end, second.end)])
    assert touching.passages == every.passages


def test_the_real_contracts(contractnli_folder: Path) -> None:
    corpus = load_corpus("contractnli", source=str(contractnli_folder))
    every = build_passages(corpus.documents)
    sizes = sorted(len(each.text.split()) for each in every.passages)
    assert len(every.passages) == 1804
    assert sizes[0] >= DEFAULT_WORDS // 4
    assert 110 <= sum(sizes) / len(sizes) <= 125
    assert sizes[len(sizes) // 20] >= 70
    assert sizes[-len(sizes) // 20] <= 160
    for made in corpus.documents:
        covered = [place for each in every.of(made.id) for place in places(made.text, each.start, each.end)]
        assert covered == places(made.text, 0, len(made.text))
    starts = {each.document: set[int]() for each in every.passages}
    for each in every.passages:
        starts[each.document].add(each.start)
    for made in corpus.documents:
        begins = {
            start + len(made.text[start:end]) - len(made.text[start:end].lstrip())
            for start, end in made.segments
        }
        assert starts[made.id] <= begins


def test_a_passage_is_its_document_s_text() -> None:
    made = document(["One. ", "Two. "])
    assert split_document(made, 1) == [
        Passage("d#1", "d", "T", 0, 4, "One."),
        Passage("d#2", "d", "T", 5, 9, "Two."),
    ]


@given(text=st.text(alphabet="aB1.!? \n\r\t-(•é😀", max_size=120))
def test_sentences_are_trimmed_in_order_and_lose_nothing(text: str) -> None:
    spans = sentences(text)
    covered = [place for start, end in spans for place in places(text, start, end)]
    assert covered == places(text, 0, len(text))
    assert all(text[start:end] == text[start:end].strip() != "" for start, end in spans)
    assert all("\n" not in text[start:end] for start, end in spans)


def test_cached_passages_are_those_that_are_built_and_only_new_documents_are_split(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGHARNESS_CACHE", str(tmp_path))
    split: list[str] = []
    plainly = passages._boundaries

    def watched(each: Document, words: int) -> list[passages.Boundary]:
        split.append(each.id)
        return plainly(each, words)

    monkeypatch.setattr(passages, "_boundaries", watched)
    corpus = load_corpus("sample")
    first, *rest = corpus.documents
    other = replace(corpus, documents=(msgspec.structs.replace(first, text=f"New. {first.text}"), *rest))
    for asked, words, news in (
        (corpus, 120, [each.id for each in corpus.documents]),
        (corpus, 120, []),
        (other, 120, [first.id]),
        (other, 60, [each.id for each in corpus.documents]),
    ):
        split.clear()
        found = passages.cached_passages(asked, words)
        assert split == news
        assert found == build_passages(asked.documents, words)
    for kept in (tmp_path / "passages").iterdir():
        kept.write_bytes(b"x" + kept.read_bytes())
    assert passages.cached_passages(corpus) == build_passages(corpus.documents)
