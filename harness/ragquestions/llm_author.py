"""Questions about a user's documents, written by a language model and accepted only if verified.

One call writes a question about a passage, a second must not be able to answer it without any passage, a
third must find no answer in the passages that are most like it. Services, prices, keys and the cache of
answers are those of the pipeline ``llm``.
"""

from __future__ import annotations

import asyncio
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, cast

from ragharness.corpus.alignment import Aligner
from ragharness.corpus.download.pinned import is_offline
from ragharness.corpus.loading import Corpus
from ragharness.corpus.passages import build_passages
from ragharness.errors import QuestionsNotUsable, UnusableReply, UsageError
from ragharness.graders import load_grader
from ragharness.language.words import squeeze, words
from ragharness.pipelines import Context, Pipeline, load_pipeline, read_answer
from ragharness.pipelines.llm_client import price_of
from ragharness.pipelines.llm_client.services import if_unknown
from ragharness.questions.questionset import QuestionSet
from ragharness.questions.values import kind_of, read_answers
from ragharness.records import Answer, Passage, Question, Usage
from ragharness.reports.progress import Live
from ragharness.retrievers import Retriever, build_retriever
from ragharness.support.concurrency import Spending
from ragharness.support.files import cache_folder
from ragharness.support.http import retry
from ragharness.support.options import Options
from ragquestions.building import compose
from ragquestions.folder import candidates_about
from ragquestions.folder.statements import Statement, statement_at
from ragquestions.grammar import Asked

SPARE = 1.6  # passages that are asked about for one question that is wanted: some are not believed
ANSWERED = 90 / 130  # share of a set's questions that need a statement; the others ask for what is not there
OTHERS = 5  # passages that must not answer a question
AT_ONCE = 4
CALLS = 3
_SHORTEST = 30  # words of a passage that can state something
_OVERHEAD = 260  # tokens of the instructions of a call, roughly
_TOKEN = 4  # characters of a token, roughly


class Plan(NamedTuple):
    """What writing would take; an estimate from above."""

    passages: tuple[Passage, ...]
    calls: int
    prompt_tokens: int
    completion_tokens: int


class Outcome(NamedTuple):
    """A set, and why written questions are not in it."""

    questions: QuestionSet
    written: int
    believed: int
    rejected: tuple[tuple[str, str, str], ...]  # passage id, question, reason
    stopped: str = ""  # what ended the writing before every passage was asked about; empty: nothing


def plan(corpus: Corpus, size: int, seed: int) -> Plan:
    """Which passages would be asked about for a set of ``size``, documents in turn."""
    passages = build_passages(corpus.documents)
    turns: list[tuple[int, str, Passage]] = []
    for document in (each for each in corpus.documents if each.handle):
        own = [each for each in passages.of(document.id) if len(each.text.split()) >= _SHORTEST]
        ranked = sorted((sha256(f"{seed}|{each.id}".encode()).hexdigest(), each) for each in own)
        turns += ((turn, rank, each) for turn, (rank, each) in enumerate(ranked))
    turns.sort(key=lambda each: each[:2])
    chosen = tuple(each for _, _, each in turns[: round(SPARE * ANSWERED * size) + 1])
    own_tokens = sum(len(each.text) for each in chosen) // _TOKEN
    calls = CALLS * len(chosen)
    return Plan(chosen, calls, (1 + OTHERS) * own_tokens + _OVERHEAD * calls, 160 * len(chosen))


def write_questions(
    corpus: Corpus, model: Model, size: int, seed: int, on_progress: Callable[..., None] | None = None
) -> Outcome:
    """Set whose grounded questions the model wrote, each verified.

    Where the model's budget ends the writing, the set is made of what was believed until then. Raises
    AccessRefused or TemporaryFailure of the service, QuestionsNotUsable where too few are believed.
    """
    wanted = plan(corpus, size, seed)
    writer = _Writer(corpus, model, len(wanted.passages), on_progress)
    results = asyncio.run(writer.all_of(wanted.passages))
    found = [each for each in results if isinstance(each, Statement)]
    rejected = tuple(each for each in results if each is not None and not isinstance(each, Statement))
    asked = len(found) + len(rejected)
    stopped = ""
    if asked < len(results):
        stopped = f"{model.budget.told}, {asked} of {len(results)} passages are asked about"
    single = _single(found)
    try:
        questions = compose(corpus, candidates_about(single, corpus), size, seed)
    except QuestionsNotUsable as error:
        if not stopped:
            raise
        raise QuestionsNotUsable(f"{stopped}; {error}", help=error.help) from error
    told = Counter(reason for _, _, reason in rejected)
    reasons = "; ".join(f"{count} as {reason}" for reason, count in told.most_common(4))
    note = f"written by {model.name} about {asked} passages, {len(single)} believed"
    notes = [note + (f" (left out: {reasons})" if reasons else "")]
    notes += [f"stopped early: {stopped}"] if stopped else []
    questions = replace(questions, notes=(*notes, *questions.notes))
    return Outcome(questions, asked, len(single), rejected, stopped)


def _single(found: Sequence[Statement]) -> list[Statement]:
    """Statements without those that share a question or a place with another."""
    kept: dict[object, Statement] = {}
    for each in found:
        kept.setdefault((each.document.id, each.start), each)
    questions = Counter((each.document.id, each.asked.question.casefold()) for each in kept.values())
    return [
        each for each in kept.values() if questions[each.document.id, each.asked.question.casefold()] == 1
    ]


class _Writer:
    """Writes and verifies; a few passages at a time."""

    def __init__(
        self, corpus: Corpus, model: Model, total: int, on_progress: Callable[..., None] | None
    ) -> None:
        self._corpus = corpus
        self._model = model
        self._passages = build_passages(corpus.documents)
        self._retriever: Retriever = build_retriever("bm25", self._passages)
        self._aligner = Aligner(corpus, self._passages)
        self._grader = load_grader()
        self._total = total
        self._done = 0
        self._on_progress = on_progress

    async def all_of(self, passages: Sequence[Passage]) -> list[Statement | tuple[str, str, str] | None]:
        """For each passage its statement, or (passage, question, reason); None: not asked about."""
        room = asyncio.Semaphore(AT_ONCE)

        async def one(passage: Passage) -> Statement | tuple[str, str, str] | None:
            async with room:
                try:
                    result = await self._one(passage)
                except BudgetUsedUp:
                    return None
            self._done += 1
            if self._on_progress is not None:
                self._on_progress("writing questions", self._done, self._total, "passages")
            return result

        return list(await asyncio.gather(*map(one, passages)))

    async def _one(self, passage: Passage) -> Statement | tuple[str, str, str]:
        order = f"The passage is from the document {passage.title!r}. Write the question."
        written = read_written(await self._model.ask("write", order, [passage]), passage)
        if isinstance(written, str):
            return passage.id, "", written
        asked = written.asked
        placed = self._aligner.align(Passage("", passage.document, "", passage.start, 0, written.quote))
        place = next((each for each in placed.passage.places if each.document == passage.document), None)
        if placed.outcome != "text" or place is None:
            return passage.id, asked.question, "the quote is not found in its document"
        reason = await self._doubt(passage, asked, place.start, place.end)
        if reason:
            return passage.id, asked.question, reason
        document = self._corpus.document(passage.document)
        return statement_at(document, place.start, place.end, asked)

    async def _doubt(self, passage: Passage, asked: Asked, start: int, end: int) -> str:
        named = f'According to "{passage.title}": {asked.question}'
        if self._read(await self._model.ask("closed", named), asked)[0] == "match":
            return "it is answered without the passage"
        others = (hit.passage for hit in self._retriever.retrieve(named, OTHERS + 3))
        apart = [
            other
            for other in others
            if other.document != passage.document or other.start >= end or start >= other.end
        ]
        match, refusal = self._read(await self._model.ask("elsewhere", named, apart[:OTHERS]), asked)
        if match == "match":
            return "another passage answers it too"
        answers = not refusal and match in {"mismatch", "world", "distractor", "partial"}
        return "another passage answers it differently" if answers else ""

    def _read(self, said: str, asked: Asked) -> tuple[str, bool]:
        """How an answer compares, and whether it refuses; an empty one does neither."""
        if not said:
            return "", False
        question = Question(
            id="q",
            text=asked.question,
            stratum="grounded",
            target="correct",
            kind=asked.kind,
            answerable=True,
            answers=(asked.answer,),
            unit=asked.unit,
            date_precision=asked.precision,
        )
        reading = self._grader.read(question, Answer(text=said), (), frozenset())
        return reading.match, reading.refusal


class BudgetUsedUp(Exception):
    """No further call may be bought."""


class Budget(Spending):
    """US dollars for one set, what earlier sessions paid for its answers included."""

    calls = 0  # calls of this session that came to something
    _flying = 0

    def earlier(self, usage: Usage | None) -> None:
        """Count an answer that was paid for before."""
        if usage is not None and usage.cost is not None:
            self.add(usage.cost)

    @contextmanager
    def call(self) -> Iterator[Callable[[Usage | None], None]]:
        """Make one call, and be given what charges it; raises BudgetUsedUp where it might cost too much."""
        if not self.allows(self._flying):
            raise BudgetUsedUp
        self._flying += 1
        try:
            yield self._charge
        finally:
            self._flying -= 1

    def _charge(self, usage: Usage | None) -> None:
        """Count the call that was made; raises UsageError where a limit is set and its cost is not known."""
        self.calls += 1
        self.earlier(usage)
        if self.most is not None and (usage is None or usage.cost is None):
            raise UsageError(
                "expected every answer to report its cost because of --max-cost, found one that does"
                " not: an unknown cost cannot be kept within a budget",
                help="drop --max-cost, or give a price table: --model-option prices=FILE (docs/llm.md)",
            )

    @property
    def told(self) -> str:
        """That it is used up, in words."""
        return f"--max-cost {self.most:g} is used up (${self.spent:.4g} spent)"


PROMPTS = Path(__file__).parent / "prompts"
ATTEMPTS = 5  # calls for one reply before it is given up


class Model:
    """Asks; what it cost so far is in ``budget``."""

    def __init__(
        self,
        settings: Mapping[str, str],
        cache: Path | None,
        *,
        offline: bool = False,
        max_cost: float | None = None,
    ) -> None:
        """Raises UsageError for settings that cannot be meant; ``max_cost``: US dollars."""
        self.budget = Budget(max_cost)
        self._parts: dict[str, Pipeline] = {}
        nothing = cast("Any", None)
        for part in ("write", "closed", "elsewhere"):
            given = {"structured": "off", **settings, "prompt": str(PROMPTS / f"{part}.txt")}
            options = Options(given, flag="--model-option", offline=offline)
            self._parts[part] = load_pipeline("llm", Context(nothing, nothing, nothing, options, cache))

    @property
    def name(self) -> str:
        """The model."""
        return str(self._parts["write"].settings.get("model", ""))

    async def ask(self, part: str, question: str, passages: Sequence[Passage] = ()) -> str:
        """What the model says, from the cache where it was asked before; "" for an unusable reply.

        Raises BudgetUsedUp, AccessRefused, and TemporaryFailure when the service stays away.
        """
        pipeline = self._parts[part]
        cached = pipeline.recall(question, passages) if pipeline.recall else None
        if cached is not None:
            answer, _ = read_answer(cached)
            self.budget.earlier(answer.usage if answer else None)
            return answer.text if answer else ""
        return await retry(lambda: self._tried(pipeline, question, passages), ATTEMPTS)

    async def _tried(self, pipeline: Pipeline, question: str, passages: Sequence[Passage]) -> str:
        with self.budget.call() as charge:
            try:
                answer, _ = read_answer(await cast("Any", pipeline.call(question, passages)))
            except UnusableReply as unusable:
                if unusable.answer is not None:
                    charge(unusable.answer.usage)
                return ""
            charge(answer.usage if answer else None)
            return answer.text if answer else ""


LONGEST_ANSWER = 8  # words of an answer that rules can compare
_LONGEST_QUESTION = 60
_SHORTEST_QUOTE = 15  # letters and digits
_POINTS = re.compile(
    r"\b(?:passages?|excerpts?|the text|above|below|the following"
    r"|this (?:document|report|section|table|year))\b",
    re.IGNORECASE,
)
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)


class Written(NamedTuple):
    """A question as the model wrote it, its answer as it is compared, and the quote that states it."""

    asked: Asked
    quote: str


def read_written(reply: str, passage: Passage) -> Written | str:
    """Question of a reply, or the reason why it cannot be used."""
    found = _OBJECT.search(reply)
    try:
        row = json.loads(found[0]) if found else None
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict):
        return "no JSON object came back"
    fields = (row.get(name) for name in ("question", "answer", "quote"))
    question, answer, quote = (
        " ".join(str(field).split()) if isinstance(field, (str, int, float)) else "" for field in fields
    )
    if not question:
        return "the passage states nothing to ask about"
    return _fault(question, answer, quote, passage) or _read(question, answer, quote)


def _fault(question: str, answer: str, quote: str, passage: Passage) -> str:
    if not question.endswith("?") or len(question.split()) > _LONGEST_QUESTION:
        return "it is no single question"
    if _POINTS.search(question):
        return "the question points to the passage"
    if not answer or len(answer.split()) > LONGEST_ANSWER:
        return "the answer is missing or too long to be compared"
    if f" {' '.join(words(answer))} " in f" {' '.join(words(question))} ":
        return "the question holds its answer"
    if len(squeeze(quote)) < _SHORTEST_QUOTE or squeeze(quote) not in squeeze(passage.text):
        return "the quote does not stand in the passage"
    if squeeze(answer) not in squeeze(quote):
        return "the quote does not state the answer"
    return ""


def _read(question: str, answer: str, quote: str) -> Written | str:
    kind = kind_of("", [answer], question)
    if kind == "yesno" or kind == "list":
        return "a yes or no is not asked for"
    try:
        values, unit, precision = read_answers(kind, [answer], "")
    except ValueError as error:
        return str(error)
    return Written(Asked(question, kind, values[0], unit, precision), quote)


def write_set(
    corpus: Corpus,
    size: int,
    seed: int,
    *,
    model: str,
    settings: tuple[str, ...] = (),
    base_url: str = "",
    dry_run: bool = False,
    max_cost: float | None = None,
    offline: bool = False,
    on_lines: Callable[[list[str]], None],
    resume: str,
) -> QuestionSet | None:
    """Set that a model wrote; None after saying what it would cost.

    ``on_lines`` takes the questions that were not believed, ``resume`` is the command with a larger budget.
    """
    if not corpus.folder:
        raise UsageError(
            f"expected a folder of your own documents for --model, found the corpus {corpus.id}",
            help=f"ragharness questions build --corpus {corpus.id} builds its set without a model",
        )
    if max_cost is not None and not 0 < max_cost < math.inf:
        raise UsageError(f"expected --max-cost above 0, found {max_cost:g}")
    given = Options.parse(settings, flag="--model-option").starting("")
    named = {**given, "model": model, **({"base-url": base_url} if base_url else {})}
    live = Live()
    live.say(_cost_line(plan(corpus, size, seed), model, named))
    if dry_run:
        return None
    writer = Model(named, cache_folder() / "answers", offline=offline or is_offline(), max_cost=max_cost)
    try:
        outcome = write_questions(corpus, writer, size, seed, live.fetching)
    except QuestionsNotUsable as error:
        if "--max-cost" in str(error):
            raise QuestionsNotUsable(f"{error}; paid answers are kept", help=resume) from error
        raise
    finally:
        live.clear()
    budget = writer.budget
    live.say(
        f"{outcome.believed} of {outcome.written} verified; {budget.calls} calls"
        + (f", {budget.spent:.4f} USD in total, earlier calls included" if budget.spent else "")
    )
    if outcome.stopped:
        live.say(f"stopped: {outcome.stopped}; paid answers are kept\ncontinue with: {resume}")
    on_lines(
        [f"not believed: {reason}: {question}" for _, question, reason in outcome.rejected if question][:10]
    )
    return outcome.questions


def _cost_line(wanted: Plan, model: str, settings: dict[str, str]) -> str:
    """How many calls are needed and what they cost, in words."""
    price = price_of(model, settings.get("base-url", ""), settings.get("prices", ""))
    told = f"cost unknown: no price is listed for this model; {if_unknown()}"
    if price is not None:
        calls = max(wanted.calls, 1)
        each = price.cost(wanted.prompt_tokens // calls, wanted.completion_tokens // calls)
        told = f"about {each * calls:.2f} USD ({price.source})" if each is not None else told
    return (
        f"{model}: up to {wanted.calls} calls about {len(wanted.passages)} passages, about"
        f" {wanted.prompt_tokens} tokens in and {wanted.completion_tokens} out, {told}"
    )
