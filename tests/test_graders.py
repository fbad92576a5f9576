"""Chains of graders, the user's own, and labels of people: who decides, and what the others said."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from ragharness.errors import CodeNotUsable, UnknownName, UsageError
from ragharness.graders import Chain, Grader, load_grader
from ragharness.graders.rules import VERSION
from ragharness.graders.verdicts import grade
from ragharness.records import BUCKETS, Answer, Judgement, Passage, Question, Reading, Verdict

if TYPE_CHECKING:
    from commands import Verb

QUESTION = Question(
    id="q", text="How long does it last?", stratum="grounded", target="correct", kind="text", answerable=True,
    answers=("two years",),
)  # fmt: skip
PASSAGE = Passage("d#1", "d", "Deed", 0, 20, "It lasts two years.")
OPEN = Reading(status="needs_review", unreadable="it is odd", refusal=True, explained=True)
RIGHT = Reading(
    committed=True, match="match", evidence_retrieved=True, any_valid_support=True, extra=None,
    quality_unknown=True, n_citations=1,
)  # fmt: skip
FALSE = Reading(committed=True, match="mismatch", evidence_retrieved=True)


class Says:
    """A grader that says the same of every answer."""

    version = "1"

    def __init__(self, name: str, reading: Reading) -> None:
        self.name = name
        self.reading = reading
        self.asked = 0

    def read(
        self, question: Question, answer: Answer, retrieved: Sequence[Passage], supporting: frozenset[str]
    ) -> Reading:
        self.asked += 1
        return self.reading


def verdict(grader: Grader, text: str = "So it is [d#1].") -> Verdict:
    return grade(grader, QUESTION, Answer(text=text), [PASSAGE], frozenset({"d#1"}))


def test_the_first_that_can_decide_does_and_what_others_said_is_kept() -> None:
    chain = Chain([Says("a", OPEN), Says("b", RIGHT), last := Says("c", FALSE)], {})
    found = verdict(chain)
    assert (found.bucket, found.grader, last.asked) == ("correct", "b@1", 0)
    (other,) = found.others
    assert (other.grader, other.status, other.bucket) == ("a@1", "needs_review", None)
    assert "it is odd" in other.why


def test_all_can_be_asked_and_a_disagreement_is_flagged() -> None:
    chain = Chain([Says("a", OPEN), Says("b", RIGHT), Says("c", FALSE)], {}, ask_all=True)
    found = verdict(chain)
    assert (found.bucket, found.grader) == ("correct", "b@1")
    assert [(each.grader, each.bucket) for each in found.others] == [("a@1", None), ("c@1", "wrong")]
    assert "disagreement" in found.flags
    agreeing = verdict(Chain([Says("a", RIGHT), Says("b", RIGHT)], {}, ask_all=True))
    assert "disagreement" not in agreeing.flags


def test_where_nobody_decides_it_is_left_open_with_every_reason() -> None:
    found = verdict(Chain([Says("a", OPEN), Says("b", OPEN)], {}))
    assert (found.status, found.bucket, found.grader) == ("needs_review", None, "a,b@1,1")
    assert [each.grader for each in found.others] == ["a@1", "b@1"]


def test_an_empty_answer_is_asked_about_once() -> None:
    chain = Chain([Says("a", Reading(status="no_answer")), last := Says("b", RIGHT)], {}, ask_all=True)
    assert verdict(chain).status == "no_answer"
    assert last.asked == 0


def test_an_axis_comes_from_the_first_that_says_something_of_it() -> None:
    first = Reading(
        status="needs_review", unreadable="odd", n_citations=1, all_cited_retrieved=True,
        all_cited_support=False, extra=3,
    )  # fmt: skip
    found = verdict(Chain([Says("a", first), Says("b", RIGHT)], {}))
    assert (found.citation_exists, found.citation_supports, found.extra_claim_count) == ("yes", "no", 3)
    assert dict(found.axes_by)["citation_supports"] == "a@1"


def test_an_axis_may_have_a_grader_of_its_own() -> None:
    own = Says("axis", Reading(n_citations=1, all_cited_support=True))
    first = Reading(
        committed=True, match="match", evidence_retrieved=True, any_valid_support=True, n_citations=1,
        all_cited_support=False,
    )  # fmt: skip
    found = verdict(Chain([Says("a", first)], {"citation_supports": own}))
    assert (found.bucket, found.citation_supports) == ("correct", "yes")
    assert found.axes_by == (("citation_supports", "axis@1"),)


JUDGED = Judgement(decision="answer", prompt="p", label="differs", reason="it is six")
LOST = replace(RIGHT, any_valid_support=False)
DECLINED = Reading(refusal=True, evidence_retrieved=True)


@pytest.mark.parametrize(
    ("first", "second", "text", "asked", "bucket"),
    [
        (RIGHT, RIGHT, "So it is [d#1].", 1, "correct"),
        (RIGHT, OPEN, "So it is [d#1].", 1, "correct"),
        (RIGHT, FALSE, "So it is [d#1].", 1, None),
        (LOST, RIGHT, "So it is [d#1].", 1, None),
        (FALSE, RIGHT, "So it is [d#1].", 0, "wrong"),
        (FALSE, RIGHT, "**No**, it is [d#1].", 1, None),
        (DECLINED, RIGHT, "Nothing is said.", 0, "refused"),
        (DECLINED, RIGHT, "No. It makes no provision for that.", 1, None),
        (OPEN, FALSE, "So it is [d#1].", 1, "wrong"),
        (OPEN, OPEN, "So it is [d#1].", 1, None),
        (Reading(status="no_answer"), RIGHT, "", 0, None),
    ],
)
def test_who_confirms_is_asked_about_what_may_be_false_and_differences_are_open(
    first: Reading, second: Reading, text: str, asked: int, bucket: str | None
) -> None:
    graders = [Says("a", first), judge := Says("b", second)]
    found = verdict(Chain(graders, {}, confirm=judge), text)
    assert (judge.asked, found.bucket) == (asked, bucket)


def test_a_difference_names_both_verdicts_and_the_reason() -> None:
    judge = Says("judge", replace(FALSE, judgements=(JUDGED,)))
    found = verdict(Chain([Says("rules", RIGHT), judge], {}, confirm=judge))
    assert (found.status, found.reason) == ("needs_review", "DISPUTED")
    assert found.why == "The graders differ: rules says correct, judge says wrong: it is six."
    assert [(each.grader, each.bucket) for each in found.others] == [
        ("rules@1", "correct"),
        ("judge@1", "wrong"),
    ]
    assert (found.judgements, found.others[1].judgements) == ((), (JUDGED,))


def test_who_confirms_is_asked_once_where_all_are_asked() -> None:
    judge = Says("judge", FALSE)
    chain = Chain([Says("rules", RIGHT), judge], {}, confirm=judge, ask_all=True)
    assert (verdict(chain).bucket, judge.asked) == (None, 1)


@pytest.mark.parametrize("spec", ["rules", "rules,human"])
def test_who_confirms_is_the_last_of_the_chain(tmp_path: Path, spec: str) -> None:
    (tmp_path / "ann.jsonl").write_text(line("wrong"))
    labels = [f"human.labels={tmp_path}"]
    chain = load_grader(spec, settings=labels, confirm="human")
    assert (chain.name, chain.version.endswith(" (human confirms)")) == ("rules,human", True)
    assert verdict(chain, "So it is [d#1].").bucket == "wrong"
    for other in ("human", "human,rules"):
        with pytest.raises(UsageError, match="expected other graders before 'human'"):
            load_grader(other, settings=labels, confirm="human")
    with pytest.raises(UnknownName):
        load_grader("rules", confirm="juge")


def test_a_run_knows_its_chain_and_rules_alone_are_no_chain() -> None:
    assert type(load_grader("rules")).__name__ == "RulesGrader"
    chain = load_grader("rules,citation_supports=rules")
    assert (chain.name, chain.version) == ("rules,citation_supports=rules", f"{VERSION},{VERSION}")


@pytest.mark.parametrize(
    ("wanted", "settings", "error"),
    [
        ("rule", (), UnknownName),
        ("rules,rules", (), UsageError),
        ("rules,", (), UsageError),
        ("citation_supports=rules", (), UsageError),
        ("rules,support=rules", (), UnknownName),
        ("rules,citation_supports=", (), UsageError),
        ("rules", ("judge.model=m",), UnknownName),
        ("rules", ("model=m",), UsageError),
        ("rules", ("rules.nothing=1",), UnknownName),
        ("rules", ("rules.false-correct=0.01", "rules.false_correct=0.02"), UsageError),
        ("no.such.module:name", (), CodeNotUsable),
    ],
)
def test_what_cannot_be_meant_gets_a_sentence(
    wanted: str, settings: tuple[str, ...], error: type[Exception]
) -> None:
    with pytest.raises(error):
        load_grader(wanted, settings=settings)


def test_rules_take_their_setting() -> None:
    assert load_grader(settings=["rules.false-correct=0.02"]).version == load_grader("rules", 0.02).version


OWN = """
def by_length(question, answer, retrieved, supporting):
    if len(answer.text) < 20:
        return None
    return {"committed": True, "match": "match", "evidence_retrieved": True, "any_valid_support": True}

class Strict:
    version = "7"
    def read(self, question, answer, retrieved, supporting):
        return {"commited": True} if "odd" in answer.text else {"refusal": "yes"}
"""


def test_the_users_own_code_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(OWN)
    grader = load_grader("mine.py:by_length")
    assert verdict(grader, "It is as long as it says").bucket == "correct"
    short = verdict(grader, "no")
    assert (short.status, "leaves it open" in short.why) == ("needs_review", True)
    chain = verdict(load_grader("rules,mine.py:by_length"), "Perhaps the period of the deed itself.")
    assert chain.grader.startswith("mine.py:by_length@")
    strict = load_grader("mine.py:Strict")
    assert strict.version == "7"
    with pytest.raises(CodeNotUsable, match=r"expected a reading from mine.py:Strict"):
        verdict(strict, "no")


def line(bucket: str | None, text: str = "So it is [d#1].") -> str:
    digest = blake2b(text.encode(), digest_size=8).hexdigest()
    return json.dumps({"question": "q", "bucket": bucket, "answer": digest, "by": "x"}) + "\n"


def human(folder: Path, **files: str) -> Grader:
    for name, content in files.items():
        (folder / f"{name}.jsonl").write_text(content)
    return load_grader("human", settings=[f"human.labels={folder}"])


@pytest.mark.parametrize("bucket", BUCKETS)
@pytest.mark.parametrize("withheld", ["", "document"])
@pytest.mark.parametrize("kind", ["text", "yesno"])
def test_labels_lead_to_the_bucket_that_people_chose(
    tmp_path: Path, bucket: str, withheld: Any, kind: Any
) -> None:
    question = Question(
        id="q", text="?", stratum="grounded", kind=kind, answerable=True, answers=("yes",), withheld=withheld
    )
    grader = human(tmp_path, ann=line(bucket))
    for passages in ([PASSAGE], []):
        found = grade(grader, question, Answer(text="So it is [d#1]."), passages, frozenset({"d#1"}))
        assert found.bucket == bucket


@pytest.mark.parametrize("bucket", ["wrong", "unsupported", "refused"])
def test_labels_of_questions_without_an_answer(tmp_path: Path, bucket: str) -> None:
    question = Question(id="q", text="?", stratum="unanswerable", kind="text", answerable=False)
    grader = human(tmp_path, ann=line(bucket))
    assert grade(grader, question, Answer(text="So it is [d#1]."), [], frozenset()).bucket == bucket


def test_the_last_label_counts_and_one_taken_back_does_not(tmp_path: Path) -> None:
    assert verdict(human(tmp_path, ann=line("wrong") + line("correct"))).bucket == "correct"
    assert verdict(human(tmp_path, ann=line("wrong") + line(None))).status == "needs_review"


def test_people_who_differ_leave_it_open_until_it_is_settled(tmp_path: Path) -> None:
    found = verdict(human(tmp_path, ann=line("wrong"), bob=line("correct")))
    assert (found.status, "ann: wrong, bob: correct" in found.why) == ("needs_review", True)
    assert verdict(human(tmp_path, adjudicated=line("wrong"))).bucket == "wrong"


def test_a_label_of_another_answer_says_nothing(tmp_path: Path) -> None:
    assert verdict(human(tmp_path, ann=line("correct", "Another answer."))).status == "needs_review"


def test_a_damaged_label_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"line 2 of .*ann.jsonl"):
        human(tmp_path, ann=line("correct") + "{\n")


def test_review_lists_what_is_open_and_where_graders_differ(verb: Verb, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "def wrong(question, answer, retrieved, supporting):\n"
        "    return {'committed': True, 'match': 'mismatch', 'evidence_retrieved': True}\n"
        "def open(question, answer, retrieved, supporting):\n"
        "    return None\n"
    )
    assert verb("run", "--limit", "8", "--grader", "rules,mine.py:wrong", "--all-graders").code == 0
    told = verb("review")
    assert told.code == 0
    assert "graders differ" in told.output
    held = json.loads(verb("review", "--json").output)
    first = held["answers"][0]
    assert {each["grader"].split("@")[0] for each in first["said"]} == {"rules", "mine.py:wrong"}
    assert held["decided"] == {"rules": 8}
    assert verb("grade", "--grader", "mine.py:open").code == 2
    assert len(json.loads(verb("review", "--json").output)["answers"]) == 8
    assert verb("grade").code == 0
    assert "nothing is open" in verb("review").output
