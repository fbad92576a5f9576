"""A pipeline with its own index that is always right, in each form in which people cite."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import ragharness as rh
from ragharness.corpus.loading import Corpus
from ragharness.corpus.passages import build_passages
from ragharness.records import Answer, Passage, Question
from ragharness.runner.run_folder import RunFolder

if TYPE_CHECKING:
    from commands import Verb

REFUSAL = "I could not find this in my documents, so I cannot answer it. Please check the original."
GOLD = 2  # where the passage with the evidence stands among those that the pipeline brings

FORMS: dict[str, str] = {
    "passage id": " [p3].",
    "place": " [3].",
    "document id": " [{document}].",
    "title": " [{title}].",
    "file name": " ({document}-v2.pdf).",
    "address": " (https://docs.example.org/files/{document}.html).",
    "link": " ([source](https://docs.example.org/files/{document}.html)).",
    "title and page": " ({title}, p. 3).",
    "page": ", as page 3 states.",
    "source list": " [1].\n\nSources:\n1. {title}\n2. Another Book",
    "source below": ".\n\nSource: {title}, page 3",
    "quotation": '. "{evidence}"',
    "quotation in brackets": ' ("{evidence}").',
    "behind a closing phrase": ". I hope this helps. [{document}]",
    "nothing": ".",
}
"""What stands behind a right answer, by the form of citation."""


class Index:
    """Documents of a corpus in passages, and what is known of its questions."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.passages = build_passages(corpus.documents)
        self.questions = {question.text: question for question in rh.load_questions(corpus).questions}

    def perfect(
        self, cited: Callable[[Question, dict[str, str]], str | dict[str, Any]]
    ) -> Callable[[str], Any]:
        """Pipeline that knows every answer, refuses what it should, and cites like this."""

        def answer(question: str) -> Any:
            asked = self.questions[question]
            if asked.wanted == "refused":
                return {"text": REFUSAL, "passages": []}
            evidence = asked.evidence[0]
            document = self.corpus.document(evidence.document)
            inside = self.passages.of(document.id)
            gold = [each for each in inside if each.start < evidence.end and evidence.start < each.end]
            text = document.text[gold[0].start : gold[-1].end]
            others = [each for each in self.corpus.documents if each.id != document.id][:3]
            strange = [self.passages.of(each.id)[0] for each in others]
            mine = [each for each in inside if each not in gold][:1]
            brought = [(each.document, each.text) for each in (strange[0], *mine)]
            brought += [(document.id, text), *((each.document, each.text) for each in strange[1:])]
            names = {
                "document": document.id,
                "title": document.title,
                "evidence": " ".join(document.text[evidence.start : evidence.end].split()),
                "wrong": strange[0].document,
                "wrong words": " ".join(strange[0].text.split()[:12]),
            }
            said = cited(asked, names)
            return {
                **(said if isinstance(said, dict) else {"text": f"{_said(asked)}{said}"}),
                "passages": [
                    {
                        "id": f"p{place}",
                        "text": words,
                        "title": self.corpus.document(name).title,
                        "file_name": f"{name}-v2.pdf",
                        "url": f"https://docs.example.org/files/{name}.html",
                        "page": place,
                    }
                    for place, (name, words) in enumerate(brought, 1)
                ],
            }

        return answer


def _said(question: Question) -> str:
    *first, last = question.answers
    if question.kind == "list":
        return f"They are {', '.join(first)} and {last}"
    unit = f" {question.unit}" if question.unit else ""
    return last.capitalize() if question.kind == "yesno" else f"It is {last}{unit}"


@cache
def sample() -> Index:
    return Index(rh.load_corpus("sample"))


def run(pipeline: Callable[[str], Any], folder: Path, **options: Any) -> rh.Run:
    return rh.run(pipeline, out=folder / "run", progress=False, **options)


@pytest.mark.parametrize("form", FORMS)
def test_whoever_is_right_is_right_in_each_form_of_citation(form: str, tmp_path: Path) -> None:
    done = run(sample().perfect(lambda _, names: FORMS[form].format(**names)), tmp_path)
    assert done.scores.buckets == {"correct": 60, "wrong": 0, "unsupported": 0, "refused": 70}
    untested = "; no citations: attribution not tested"
    assert done.scores.sentence.endswith(untested) == (form == "nothing")
    assert done.scores.citations == ("retrieved" if form == "nothing" else "auto")
    exists = done.scores.axes["citation_exists"]
    assert (exists.yes, exists.no, exists.null) == ((0, 0, 130) if form == "nothing" else (60, 0, 70))


@pytest.mark.parametrize("form", ["citations", "numbers"])
def test_citations_beside_the_text_name_documents_too(form: str, tmp_path: Path) -> None:
    def cited(question: Question, names: dict[str, str]) -> dict[str, Any]:
        beside: list[Any] = [{"title": names["title"], "page": 3}]
        mark = "" if form == "citations" else " [1]"
        return {"text": f"{_said(question)}{mark}.", "citations": beside}

    assert run(sample().perfect(cited), tmp_path).scores.buckets["correct"] == 60


@pytest.mark.parametrize(
    "cited",
    [
        lambda _, names: f" [{names['wrong']}].",
        lambda _, names: f" (https://docs.example.org/files/{names['wrong']}.html).",
        lambda _, names: f'. "{names["wrong words"]}"',
        lambda _, names: " [p5] [p4] [p1] [p3].",
        lambda _, names: (
            " ".join(f" [{each.id}]" for each in sample().corpus.documents if each.id != names["document"])
            + f" [{names['document']}]."
        ),
        lambda _, names: " [https://docs.example.org/files/of-nobody.html].",
        lambda _, names: ", as page 9 states.",
        lambda _, names: " [1].\n\nSources:\n1. " + sample().corpus.document(names["wrong"]).title,
    ],
    ids=["document", "address", "quotation", "beyond the third", "all", "nowhere", "page", "list"],
)
def test_citing_everything_or_something_else_gains_nothing(cited: Any, tmp_path: Path) -> None:
    done = run(sample().perfect(cited), tmp_path)
    assert done.scores.buckets == {"correct": 0, "wrong": 0, "unsupported": 60, "refused": 70}


def test_by_id_alone_is_an_option(tmp_path: Path) -> None:
    by_title = sample().perfect(lambda _, names: f" [{names['document']}].")
    strict = run(by_title, tmp_path, citations="passage")
    assert strict.scores.buckets["correct"] == 0
    assert strict["q001"].records[0].verdict.reason == "PHANTOM_CITATION"  # type: ignore[union-attr]
    by_id = sample().perfect(lambda *_: " [p3].")
    assert run(by_id, tmp_path / "ids", citations="passage").scores.buckets["correct"] == 60


def test_what_was_retrieved_may_be_all_that_counts(tmp_path: Path) -> None:
    wrong = sample().perfect(lambda _, names: f" [{names['wrong']}].")
    done = run(wrong, tmp_path, citations="retrieved")
    assert done.scores.buckets["correct"] == 60
    assert done.scores.axes["citation_exists"].yes == 60
    assert done.scores.sentence.endswith("; citations not required: attribution not tested")
    assert done["q001"].records[0].verdict.reason == "RETRIEVED"  # type: ignore[union-attr]


def test_one_answer_that_cites_makes_all_of_a_run_cite(tmp_path: Path) -> None:
    first = next(iter(sample().questions.values())).id
    silent = sample().perfect(lambda asked, _: " [p3]." if asked.id == first else ".")
    assert run(silent, tmp_path).scores.buckets["correct"] == 1
    quoting = sample().perfect(
        lambda asked, names: f' ("{names["evidence"]}").' if asked.id == first else "."
    )
    assert run(quoting, tmp_path / "quoting").scores.buckets["correct"] == 60


def test_a_run_that_goes_on_is_measured_by_all_of_its_answers(tmp_path: Path, verb: Verb) -> None:
    (tmp_path / "mine.py").write_text(
        "import pathlib\n"
        "def answer(question, passages):\n"
        "    mark = f' [{passages[0].id}]' if pathlib.Path('cites').exists() and passages else ''\n"
        "    return f'Yes{mark}.' if passages else 'I cannot answer this.'\n"
    )
    options = ("run", "--pipeline", "mine.py:answer", "--k", "20", "--out", "one")
    verb(*options, "--max-time", "0.000001s")
    verb(*options, "--json")
    folder = RunFolder.open(tmp_path / "one")
    correct = sum(record.as_wanted and record.wanted == "correct" for record in folder.records())
    assert folder.run.uncited
    assert correct
    # A record is lost, its question asked again, and this time the pipeline cites.
    lines = (tmp_path / "one/records.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "one/records.jsonl").write_bytes(b"".join(lines[1:]))
    (tmp_path / "cites").touch()
    verb(*options, "--json")
    folder = RunFolder.open(tmp_path / "one")
    reasons = {record.verdict.reason for record in folder.records() if record.verdict}
    assert not folder.run.uncited
    assert "RETRIEVED" not in reasons
    assert "UNCITED" in reasons


def test_regrading_keeps_the_reading_of_citations_or_takes_another(tmp_path: Path, verb: Verb) -> None:
    run(sample().perfect(lambda *_: "."), tmp_path)
    again = verb("grade", "run")
    assert "0 verdicts changed" in again.errors
    assert "no citations: attribution not tested" in " ".join(again.output.split())
    strict = verb("grade", "run", "--citations", "passage")
    assert "60 verdicts changed" in strict.errors
    assert RunFolder.open(tmp_path / "run").run.citations == "passage"
    assert "60 verdicts changed" in verb("grade", "run", "--citations", "auto").errors
    assert verb("grade", "run", "--citations", "pages").code == 3
    assert verb("run", "--citations", "pages").code == 3


def test_runs_that_are_measured_otherwise_are_told_apart(tmp_path: Path, verb: Verb) -> None:
    run(sample().perfect(lambda *_: "."), tmp_path)
    run(sample().perfect(lambda *_: " [p3]."), tmp_path / "citing")
    pair = ("run", "citing/run")
    refused = verb("gate", *pair)
    assert refused.code == 2
    assert "citations: retrieved in the base, auto in the candidate" in " ".join(refused.output.split())
    assert verb("gate", *pair, "--gates", "allow=citations").code == 0
    assert "citations: retrieved in A, auto in B" in " ".join(verb("compare", *pair).output.split())
    wanted = verb("gate", *pair, "--gates", "allow=citations,citations=passage")
    assert wanted.code == 2
    assert "ragharness grade RUN --citations passage" in " ".join(wanted.output.split())
    for name in pair:
        verb("grade", name, "--citations", "passage")
    assert verb("gate", *pair, "--gates", "citations=passage").code == 0


NDA = [
    Passage(
        "c#1", "c", "Secrecy Agreement", 0, 0, "The Recipient tells nobody anything, except as said below."
    ),
    Passage(
        "c#2",
        "c",
        "Secrecy Agreement",
        0,
        0,
        "Representatives, whom it may tell, are employees and advisors.",
    ),
]
ASKED = "May the recipient tell its advisors?"


@pytest.mark.parametrize(
    ("text", "bucket", "supports", "extra"),
    [
        ("Yes, its advisors too [c#2].", "correct", "yes", 0),
        ("Yes, its advisors too [Secrecy Agreement].", "correct", "yes", 0),
        ("Yes, its advisors too.[1]\n\n[1] c#2", "correct", "yes", 0),
        ("Yes, its advisors too. I hope this helps. [c#2]", "correct", "yes", 0),
        ("Yes. Representatives are employees and advisors. It may tell those [c#2].", "correct", "yes", 0),
        ("Yes. In general the Recipient tells nobody [c#1]. Advisors are Representatives [c#2].", "correct", None, 0),
        ("Yes, its advisors too. The sun will rise over the sea tomorrow [c#1].", "unsupported", "no", 0),
    ],
)  # fmt: skip
def test_a_citation_counts_where_people_put_it(
    text: str, bucket: str, supports: str | None, extra: int
) -> None:
    asked = Question(
        id="q", text=ASKED, stratum="grounded", kind="yesno", answerable=True, answers=("yes",),
        proposition="The recipient may tell its advisors.",
    )  # fmt: skip
    held = [Passage("c#1", "c", "", 0, 0, NDA[0].text), NDA[1]]
    from ragharness.graders import load_grader
    from ragharness.graders.verdicts import grade

    verdict = grade(load_grader(), asked, Answer(text=text), held, frozenset({"c#2"}))
    assert (verdict.bucket, verdict.extra_claim_count) == (bucket, extra), verdict.why
    assert supports is None or verdict.citation_supports == supports


def test_one_answer_is_read_as_a_run_would_be() -> None:
    asked, text = "Which law governs it?", "This Agreement is governed by the law of Delaware."
    held = [Passage("x", "nda-1", "Deed", 0, 0, text), Passage("y", "nda-1", "Deed", 0, 0, "It ends soon.")]

    def graded(answer: str, citations: Any = "auto") -> str:
        return rh.grade(asked, answer, held, golds=["Delaware"], citations=citations).reason

    assert graded("The law of Delaware [Deed].") == "SUPPORTED"
    assert graded("The law of Delaware [Deed].", "passage") in ("UNCITED", "PHANTOM_CITATION")
    assert graded("The law of Delaware [nda-1].", "passage") == "PHANTOM_CITATION"
    assert (graded("The law of Delaware."), graded("The law of Delaware.", "retrieved")) == (
        "UNCITED",
        "RETRIEVED",
    )
