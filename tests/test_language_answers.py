"""Normalising answers, finding citations in odd places, telling declines from answers."""

from __future__ import annotations

import pytest

from ragharness.graders.reading.refusal import does, find_decline
from ragharness.language.citations import MARK, Source, mark
from ragharness.language.markup import normalise
from ragharness.language.words import clauses, is_english

KNOWN = [Source("c1#3"), Source("c1#7"), Source("p4")]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("three years. [c1#3] See", ("c1#3",)),
        ("three years 【c1#3】.", ("c1#3",)),
        ("x [c1#3, c1#7]. y (p4) z (see c1#7 and p4).", ("c1#3", "c1#7", "p4")),
        ("three (3) years [1][2] and [9]", ("c1#3", "c1#7", "9")),
        ("years.[^1]\n\n[^1]: c1#7 the secrecy clause", ("c1#7",)),
        ("according to c1#3, it is", ("c1#3",)),
        ("As in [Passage 2] and [Source: p4] [sic] [Company]", ("c1#7", "p4")),
        ("**Sources:** c1#3, p4", ("c1#3", "p4")),
        ("Yes¹ and years.²", ("c1#3", "c1#7")),
        ("[the clause](#p4)", ("p4",)),
        ("(c9#99) (Q3) (FY24) Section [4.2]", ("c9#99",)),
        ("[doc c1#3, p. 4] [1-2]", ("c1#3", "c1#7")),
        ("nothing cited [...] [emphasis added]", ()),
        ("three years 【4:0†p4】", ("p4",)),
        ("sales rose [Q3] in [FY2023] by [5%]", ()),
    ],
)
def test_citations_are_found_where_they_stand(text: str, ids: tuple[str, ...]) -> None:
    marked = mark(normalise(text).text, KNOWN)
    assert marked.cited(marked.text) == ids


NDA = ("nda-1", "Secrecy Agreement between Alder and Birch, Inc.", "contracts/secrecy 1.pdf")
REPORT = ("r9", "Annual Report 2023", "https://example.org/files/annual-2023.html?v=2")
DOCUMENTS = [
    Source("x1", "nda-1", NDA, "3", "This agreement lasts for two years from the date of signature."),
    Source("x2", "nda-1", NDA, "4", "Either party may end it on thirty days' notice, given in writing."),
    Source("x3", "r9", REPORT, "4", "Revenue was $5 million."),
]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("two years [nda-1]", ("x1", "x2")),
        ("two years [Secrecy Agreement between Alder and Birch, Inc.]", ("x1", "x2")),
        ("two years (see Secrecy Agreement between Alder and Birch, Inc., p. 3).", ("x1",)),
        ("two years [secrecy 1.pdf, page 4; r9]", ("x2", "x3")),
        ("two years (p. 3)", ("x1",)),
        ("As page 3 says, two years", ("x1",)),
        ("two years [p. 9]", ("p. 9",)),
        ("$5 million, as page 4 of the Annual Report 2023 says", ("x3",)),
        ("$5 million (see p. 4 of Annual Report 2023)", ("x3",)),
        ("$5 million [1]\n\n**Sources**\n\n1. *Annual Report 2023* (p. 4)\n2. nda-1", ("x3",)),
        ("$5 million (https://example.org/files/annual-2023.html)", ("x3",)),
        ("$5 million, says https://example.org/files/annual-2023.html.", ("x3",)),
        ("$5 million [https://example.org/x3]", ("x3",)),
        ("$5 million [https://example.org/another.html]", ("https://example.org/another.html",)),
        ("$5 million [2]\n\nSources:\n1. secrecy 1.pdf\n2. Annual Report 2023", ("x3",)),
        ("$5 million.[1]\n\n[1] Annual Report 2023, p. 4", ("x3",)),
        ("$5 million. Source: Annual Report 2023.", ("x3",)),
        ("Sources: Annual Report 2023 (page 4); nda-1", ("x3", "x1", "x2")),
        ('It says: "This agreement lasts for two years from the date".', ("x1",)),
        ('It "lasts for a hundred years from the date" and has a "term" (a "notice").', ()),
        ("The Annual Report 2023 and nda-1 say so (Alder), (2023), [Birch].", ()),
        ("$5 million [annual-2024]", ("annual-2024",)),
        ("two years (secrecy 1.pdf, Section 4)", ("x1", "x2")),
        ("$5 million (Annual Report 2023, Item 7) and two years [nda-1 §4]", ("x3", "x1", "x2")),
        ("[Annual Report 2023 and Secrecy Agreement between Alder and Birch, Inc.]", ("x3", "x1", "x2")),
        (
            "(Annual Report 2023, which nobody at the company has ever read) [Annual Report 2023 Supplement]",
            (),
        ),
        ("so [2] it is [1]\n\nSources:\n1. Another Book\n2. Annual Report 2023", ("x3", "1. Another Book")),
    ],
)
def test_documents_and_pages_are_cited_by_any_name(text: str, ids: tuple[str, ...]) -> None:
    assert mark(text, DOCUMENTS).passages == ids


def test_names_cited_beside_the_text_are_what_its_numbers_mean() -> None:
    beside = mark("$5 million [2]", DOCUMENTS, ["secrecy 1.pdf", "Annual Report 2023"])
    assert (beside.ids, beside.listed) == (("x3",), ("secrecy 1.pdf", "x3"))


def test_a_strict_reading_knows_ids_alone() -> None:
    assert mark("two years [Annual Report 2023] (p. 3) [nda-1] [x1]", DOCUMENTS, strict=True).ids == (
        "nda-1",
        "x1",
    )


def test_a_page_alone_names_three_documents_at_most() -> None:
    many = [Source(f"p{place}", f"d{place}", (f"d{place}",), "1") for place in range(5)]
    assert mark("so it is (p. 1)", many).passages == ("p0", "p1", "p2")


def test_a_mark_after_the_full_stop_belongs_to_the_sentence_before() -> None:
    assert (
        MARK.sub("*", mark("Three years. [c1#3] Notices go to Oslo.", KNOWN).text)
        == "Three years*. Notices go to Oslo."
    )
    assert (
        MARK.sub("*", mark("True. [c1#3] states that it runs.", KNOWN).text) == "True. * states that it runs."
    )


def test_bare_numbers_are_ids_where_ids_are_numbers() -> None:
    numbers = [Source("7"), Source("2")]
    assert mark("x [2]", numbers).ids == ("2",)
    assert mark("x [2]", numbers).flags == ()
    assert mark("", KNOWN, ["2", "[p4]"]).listed == ("c1#7", "p4")
    assert mark("", KNOWN, ["2", "[p4]"]).flags == ("positional_citations",)


@pytest.mark.parametrize(
    ("text", "said", "cited"),
    [
        ('{"answer": "yes", "citations": ["p4"]}', "yes", ("p4",)),
        ('```json\n{"answer": true, "explanation": "Staff may."}\n```', "Yes.\nStaff may.", None),
        ("{'answer': 'no', 'sources': [{'id': 'p4'}]}", "no", ("p4",)),
        ('{"answer": null}', "", None),
        ('{"answer": ["bread", "salt"]}', "- bread\n- salt", None),
        ("A set {a, b} of things", "A set {a, b} of things", None),
        ("<think>No [p3]</think>Yes [p4]", "Yes [p4]", None),
        ("some reasoning</think>Yes", "Yes", None),
        ("<b>Yes</b>", "Yes", None),
    ],
)
def test_normalise(text: str, said: str, cited: tuple[str, ...] | None) -> None:
    assert normalise(text) == (said, cited)


DECLINES = [
    "I don't know.", "I can't answer that.", "None of the retrieved passages mention a penalty.", "not in context",
    "The term isn't specified.", "It cannot be determined from the context.", "The agreement is silent on the matter.",
    "No provision addresses it.", "Insufficient evidence.",
    "Neither of them states a fee.", "There's no maintenance fee in the passages.", "The excerpts don’t say.",
]  # fmt: skip
NO_DECLINES = [
    "No restriction prevents this.", "The agreement does not require marking.", "Nothing in it bars the recipient from that.",
    "No licence or other right passes to the recipient.", "As an AI I cannot give legal advice.", "not more than three years",
    "The recipient is not free to take it apart.", "The auditors could not find receipts.", "It may not disclose it to anyone.",
    "The inspector found no evidence of fraud.", "Neither party may entice away employees.", "It does not renew automatically.",
]  # fmt: skip


@pytest.mark.parametrize("text", DECLINES)
def test_declines(text: str) -> None:
    assert find_decline(text) is not None


@pytest.mark.parametrize("text", NO_DECLINES)
def test_statements_with_a_negation_are_no_declines(text: str) -> None:
    assert find_decline(text) is None


def test_clauses_hold_labels_and_split_contrasts() -> None:
    text = "CEO: Imani Feld, while the office, though small, is in Oslo; it is new"
    low, high = clauses(text)[0]
    assert text[low:high] == "CEO: Imani Feld"
    assert len(clauses(text)) >= 3


def test_acts() -> None:
    assert does("advice", "You might want to check the side letters.")
    assert does("pointer", "The closest passages concern notices.")
    assert does("urgency", "Act immediately!")
    assert does("premise", "There is no such agreement.")
    assert not does("premise", "There is no mention of it.")
    assert does("asks_back", "Do you mean the term or the secrecy period?")


FOREIGN = [
    "Der Empfänger darf sie an Mitarbeiter weitergeben.", "El contrato no dice nada al respecto de una sanción.", "Je ne trouve pas d'information.",
    "L'accordo rimane in vigore per tre anni.", "Sim, pode partilhar com os seus empregados.", "Ja, dat mag met werknemers.",
    "Não sei.", "Sem resposta.", "Nessuna informazione.", "Non specificato.", "Geen antwoord.", "Onbekend.", "Brak danych.", "Vet ej.", "Ei tiedetä",
    "Nem tudom.", "不知道。", "わかりません。", "لا توجد معلومات", "Нет ответа.",
]  # fmt: skip


@pytest.mark.parametrize("text", FOREIGN)
def test_other_languages_are_left_to_a_person(text: str) -> None:
    assert not is_english(text)


@pytest.mark.parametrize(
    "text",
    [
        "Three years.", "Vet school", "Ei Ltd", "No.", "Oslo", "Sem Benelli", "None found", "Il Divo", "Che Guevara was born in Rosario.",
        "Universidade de São Paulo", "States, tribal governments, cooperatives, nonprofit organizations.", "Non-partisan", "512.6 (2023: 498.0)",
    ],
)  # fmt: skip
def test_short_answers_and_names_are_taken_as_english(text: str) -> None:
    assert is_english(text)
