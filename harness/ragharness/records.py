"""Every record of the project, in the order in which data flows through them.

document -> passage -> question -> hit -> answer -> reading -> verdict -> record

All records are immutable; offsets are character offsets into ``Document.text`` (end exclusive).
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

Kind = Literal["yesno", "number", "date", "text", "list"]  # of answer: decides how it is read and compared
Stratum = Literal["grounded", "unanswerable", "adversarial", "null_retrieval"]
Target = Literal["", "correct", "wrong", "unsupported", "refused"]
"""For a grounded question: the bucket that a careless pipeline falls into on it; empty elsewhere."""

Wanted = Literal["correct", "refused"]
Bucket = Literal["correct", "wrong", "unsupported", "refused"]
BUCKETS: tuple[Bucket, ...] = ("correct", "wrong", "unsupported", "refused")
ADJUDICATED = "adjudicated"  # the annotator whose labels settle the disagreements of the others
Count = Annotated[int, Meta(ge=0)]
MOST_EPOCHS = 10_000
Citations = Literal["auto", "retrieved", "passage"]
"""What attributes an answer: whatever it cites, what was retrieved for it, or passages cited by id alone."""

Status = Literal["ok", "no_answer", "needs_review", "error", "timeout"]  # ``ok`` alone has a bucket
YesNo = Literal["yes", "no"]
Supports = Literal["yes", "no", "undetermined"]
Match = Literal["match", "mismatch", "distractor", "world", "partial", "none"]
ROWS = (*(f"grounded/{bucket}" for bucket in BUCKETS), "unanswerable", "adversarial", "null_retrieval")
"""The seven rows of every report, in order."""


class Evidence(Struct, frozen=True, order=True, omit_defaults=True):
    """A span of a document that states an answer."""

    document: str
    start: int
    end: int


class Document(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One text of a corpus."""

    id: str
    title: str  # unique in the corpus; indexed with every passage of the document
    text: str
    segments: tuple[tuple[int, int], ...] = ()
    """Sentences and list items as (start, end), in order; empty: the splitter finds them itself."""
    handle: str = ""  # name by which a person would speak of it; empty: none is unique enough to ask about
    paraphrase: str = ""  # another way to name it (parties instead of the title); empty: none
    genre: str = ""
    source: str = ""


class Passage(Struct, frozen=True, omit_defaults=True):
    """A piece of a document; ``text`` is ``document.text[start:end]`` unless the pipeline brought it."""

    id: str
    document: str
    title: str
    start: int
    end: int
    text: str
    also: tuple[Evidence, ...] = ()
    """Further places of its text: a repeated wording, or pieces of a passage that was put together."""
    heading: str = ""
    """Headings above it in its document: sections, title, unit and column heads of its table."""
    names: tuple[str, ...] = ()  # further names of its document by which it may be cited: file, address
    page: str = ""  # of its document

    @property
    def places(self) -> tuple[Evidence, ...]:
        """Every place that its text comes from; none where it could not be placed."""
        return (Evidence(self.document, self.start, self.end), *self.also) if self.document else ()


class Distractor(Struct, frozen=True, omit_defaults=True):
    """A tempting false answer and the entity, period or attribute to which it belongs."""

    value: str
    about: str = ""
    evidence: tuple[Evidence, ...] = ()


class Question(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One question with everything that grading needs."""

    id: str
    text: str
    stratum: Stratum
    kind: Kind
    answerable: bool  # whether the whole corpus states it, also when that is withheld or retrieval emptied
    target: Target = ""
    document: str = ""  # the document asked about; empty when it names one that does not exist
    topic: str = ""
    form: Literal["", "positive", "negative"] = ""
    wording: int = 0
    answers: tuple[str, ...] = ()  # accepted ones, any of them; for ``list`` the items, each required
    aliases: dict[str, tuple[str, ...]] = {}
    """Further spellings, keyed by the item of ``answers`` that they stand for; of a yes or no its reasons."""
    aliases_by_lang: dict[str, tuple[str, ...]] = {}
    all_required: bool = True
    unit: str = ""
    date_precision: Literal["", "year", "month", "day"] = ""
    evidence: tuple[Evidence, ...] = ()
    distractors: tuple[Distractor, ...] = ()
    world_answers: tuple[str, ...] = ()  # true, but not stated in the corpus
    proposition: str = ""
    yes_means: bool = True  # for ``yesno``: whether "yes" affirms the proposition
    withheld: Literal["", "document", "clause"] = ""
    absence_patterns: tuple[str, ...] = ()
    """Case-insensitive regular expressions without a hit in ``absence_scope``: why it is unanswerable."""
    absence_scope: Literal["", "corpus", "document"] = ""
    note: str = ""

    @property
    def row(self) -> str:
        """The row of the report that the question belongs to, one of ``ROWS``."""
        return f"{self.stratum}/{self.target}" if self.target else self.stratum

    @property
    def wanted(self) -> Wanted:
        """The desired bucket of the question."""
        answer_in_reach = self.answerable and not self.withheld and self.stratum == "grounded"
        return "correct" if answer_in_reach else "refused"


class Hit(Struct, frozen=True):
    """A retrieved passage with the retriever's score."""

    passage: Passage
    score: float


class Usage(Struct, frozen=True, omit_defaults=True):
    """Tokens, cost in US dollars, seconds of the model's call itself; None is unknown, never zero."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None
    from_cache: bool = False  # tokens, cost and seconds are those of an earlier call, spent only once


class Answer(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The result of a pipeline; a plain string or a dict with these keys works too."""

    text: str
    citations: tuple[str, ...] | None = None  # of passages or documents; None: they are read from the text
    confidence: float | None = None
    passages: tuple[Passage, ...] | None = None  # the passages of a pipeline that retrieves for itself
    usage: Usage | None = None


class Sentence(Struct, frozen=True, omit_defaults=True):
    """One sentence of an answer as the grader read it."""

    text: str
    is_claim: bool
    citations: tuple[str, ...] = ()
    joint_support: bool | None = None  # by all that a claim cites; None: undetermined, or nothing to support
    citation_support: tuple[bool | None, ...] = ()  # by each of them alone; None: undetermined
    leave_one_out_support: tuple[bool, ...] = ()  # by the others without this one


class Score(Struct, frozen=True):
    """The probability that people would judge an answer correct, and the weight of each feature."""

    probability: float
    weighed: tuple[tuple[str, float], ...]
    """Groups of measures with their addition to an average answer's log odds, the heaviest first."""


class Vote(Struct, frozen=True, omit_defaults=True):
    """One vote of a judge: its reply, with what the calls for it used."""

    raw: str
    label: str | None = None  # None: the reply could not be read
    usages: tuple[Usage, ...] = ()  # of its replies
    rejected: tuple[str, ...] = ()  # unreadable replies before it


class Judgement(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Every vote of a judge on one decision, and the label that they agree on."""

    decision: str  # the name of the prompt
    prompt: str  # its version and digest
    about: str = ""  # the sentence or claim that it is about; empty: the whole answer
    votes: tuple[Vote, ...] = ()
    label: str = ""  # of two thirds of the votes; empty: they are split, or one cannot be read
    reason: str = ""  # of the first vote for the label; without one, why it is open
    evidence: str = ""  # the words that it rests on


class Reading(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Findings of a grader in an answer, from which ``buckets.decide`` takes one bucket."""

    status: Status = "ok"
    unreadable: str = ""  # why the text cannot be read; empty: it can
    refusal: bool = False
    committed: bool = False
    match: Match = "none"
    contradiction: bool = False
    imprecise: bool = False
    incomplete: bool = False  # a list answer that omits items without saying so
    partial_then_declined: bool = False
    premise_corrected: bool = False
    clarification: bool = False
    non_responsive: bool = False
    evidence_retrieved: bool = False
    n_citations: int = 0
    claim_cited: bool | None = None  # whether the answer claim itself carries a citation; None: not looked at
    all_cited_retrieved: bool | None = None
    all_cited_support: bool | None = None
    any_valid_support: bool = False  # whether one of the first three citations supports the answer claim
    explained: bool = False
    nearest: bool = False
    next_step: bool = False
    urgency: bool = False
    quality_unknown: bool = False  # the four above were not read
    extra: int | None = 0  # claims without a citation; None: not counted
    flags: tuple[str, ...] = ()  # of the reader: hedged, mixed, positional_citations, scale_implied, ...
    sentences: tuple[Sentence, ...] = ()
    members: dict[str, tuple[str, ...]] = {}
    """Passages behind each citation that names several: what was retrieved of a document or page."""
    value: str = ""  # the committed answer as the grader read it, for people to check
    score: Score | None = None  # of a free-text answer; None: it was compared by value, or not at all
    by: str = ""  # name of the grader that read it, where several were asked; empty: there was one
    others: tuple[Reading, ...] = ()  # readings of the other graders
    confirmed_by: str = ""  # the one of them that leaves it open where it comes to another bucket
    axes_by: tuple[tuple[str, str], ...] = ()  # axes that another grader read, and its name
    judgements: tuple[Judgement, ...] = ()

    @property
    def decides(self) -> bool:
        """Whether it needs no further grader."""
        return self.status != "needs_review" and not self.unreadable


class Opinion(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A grader's view of an answer that another one decided, or that nobody could."""

    grader: str
    status: Status
    bucket: Bucket | None = None
    reason: str = ""
    why: str = ""
    value: str = ""
    judgements: tuple[Judgement, ...] = ()


class Verdict(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The verdict on an answer: its bucket or None, the reason, and the axes."""

    status: Status
    bucket: Bucket | None
    reason: str
    flags: tuple[str, ...] = ()
    citation_exists: YesNo | None = None
    citation_supports: Supports | None = None
    refusal_quality: int | None = None
    extra_claim_count: int | None = None
    match: Match = "none"
    evidence_retrieved: bool = False
    decided_by: int = -1  # the row of the decision table that applied
    why: str = ""
    grader: str = ""
    value: str = ""
    score: Score | None = None
    sentences: tuple[Sentence, ...] = ()
    members: dict[str, tuple[str, ...]] = {}  # passages behind each citation that names several
    others: tuple[Opinion, ...] = ()  # views of the other graders, in the order of the chain
    axes_by: tuple[tuple[str, str], ...] = ()  # axes that another grader read, and its name
    judgements: tuple[Judgement, ...] = ()

    @property
    def votes(self) -> tuple[Vote, ...]:
        """Every vote of a judge on the answer, those behind the views of other graders, too."""
        views: tuple[Verdict | Opinion, ...] = (self, *self.others)
        return tuple(vote for view in views for made in view.judgements for vote in made.votes)


class Retrieved(Struct, frozen=True, omit_defaults=True):
    """Reference to a retrieved passage in a record: the text stays in the corpus."""

    id: str
    score: float


class Failure(Struct, frozen=True, omit_defaults=True):
    """An exception or time-out of the pipeline."""

    type: str
    message: str
    where: str = ""  # file and line of the user's own code that raised it
    traceback: str = ""  # the frames outside the harness, the last one last


class Record(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One question x epoch of a run: one line of ``records.jsonl``."""

    question: str
    row: str
    wanted: Wanted
    status: Status
    epoch: Count = 0
    retrieved: tuple[Retrieved, ...] = ()  # in rank order, as given to the pipeline
    evidence_ranks: tuple[Count, ...] = ()
    """For each gold span of the question the rank (from 1) of the first passage that holds it; 0: none."""
    evidence_passages: Count = 0  # passages of the corpus that hold a gold span; 0: none, or not known
    document_rank: Count = 0
    """The rank of the first passage of the document asked about, else of that of the evidence; 0: none."""
    answer: Answer | None = None
    failure: Failure | None = None
    problems: tuple[str, ...] = ()  # malformed parts of the pipeline's result, and how they were read
    verdict: Verdict | None = None
    seconds: float = 0.0  # wall time of the last attempt
    attempts: Count = 1  # calls of the pipeline, transient failures included; 0: a cached answer
    started: str = ""

    @property
    def cited(self) -> frozenset[str]:
        """The passage ids that the answer cites: those given apart and those that its grader read."""
        marks = set((self.answer and self.answer.citations) or ())
        members: dict[str, tuple[str, ...]] = {}
        if self.verdict:
            marks.update(mark for sentence in self.verdict.sentences for mark in sentence.citations)
            members = self.verdict.members
        return frozenset(id_ for mark in marks for id_ in members.get(mark, (mark,)))

    @property
    def as_wanted(self) -> bool:
        """Whether the answer is in the desired bucket."""
        return self.verdict is not None and self.verdict.bucket == self.wanted
