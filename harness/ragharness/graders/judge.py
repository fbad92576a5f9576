"""The ``judge`` grader: a language model reads the answer, one prompt a decision.

Settings, as ``--grader-option judge.NAME=VALUE``: those of the generator ``llm`` (docs/llm.md), and
``votes``, ``accept``, ``reject``, ``timeout``, ``prompts``. Its reply is evidence: what lies between
``reject`` and ``accept``, what votes are split on and what cannot be read is left to a person.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from ragharness.errors import UsageError
from ragharness.graders import GraderContext
from ragharness.graders.judging import FOLDER, TIMEOUT, Decided, Votes, digest_of, load_prompts
from ragharness.graders.reading.answer import ParsedAnswer, claim_citations_by, parse_answer, read_citations
from ragharness.pipelines.llm_client import connect, local
from ragharness.records import Answer, Judgement, Match, Passage, Question, Reading
from ragharness.support.files import expand_home

VERSION = "1"
ACCEPT = 8.0  # mean score, of ten, from which a statement holds
REJECT = 2.0  # mean score up to which it does not
AGREED = 2 / 3  # share of the votes that must say the same; else they are split
_VARIED = "0.7"  # temperature of several votes: at 0 they would all be the same


class Judge:
    """Asks a model; safe to be read from many threads."""

    name = "judge"
    waits = True

    def __init__(
        self, votes: Votes, version: str, accept: float, reject: float, *, strict: bool = False
    ) -> None:
        self.version = version
        self._votes = votes
        self._accept = accept
        self._reject = reject
        self._strict = strict

    def read(
        self, question: Question, answer: Answer, retrieved: Sequence[Passage], supporting: frozenset[str]
    ) -> Reading:
        """Primitives of an answer: is it a refusal, does it state a gold, which are its citations.

        What the model leaves open needs review. Raises AccessRefused where no call can succeed.
        """
        parsed, reading = read_citations(question, answer, retrieved, supporting, strict=self._strict)
        if parsed.blank:
            return reading
        texts = {"question": question.text, "answer": answer.text}
        refusal = self._votes.decide("refusal", texts)
        judgements = (refusal.judgement,)
        if self._votes.dry_run:
            return self._all_asked(question, reading, texts)
        refused = _agreed(refusal)
        if refused:
            return self._refused(replace(reading, refusal=True, judgements=judgements), texts)
        if refused is False:
            reading = replace(reading, judgements=judgements)
            return self._committed(reading, question, parsed, texts, supporting)
        return _open(reading, judgements, self._why(refusal, "whether it refuses"))

    def read_axis(
        self, axis: str, reading: Reading, question: Question, answer: Answer, retrieved: Sequence[Passage]
    ) -> Reading:
        """Reading with one axis as the model sees it; what it leaves open is not known."""
        texts = {"question": question.text, "answer": answer.text}
        if axis == "refusal_quality":
            return self._refused(reading, texts) if reading.quality_unknown or reading.refusal else reading
        if axis == "extra_claim_count":
            passages_text = "\n\n".join(f"{passage.title}\n{passage.text}" for passage in retrieved)
            claims = self._votes.decide("claims", {**texts, "passages": passages_text})
            mean = claims.judgement.mean
            extra = None if mean is None else round(mean)
            return replace(reading, extra=extra, judgements=(*reading.judgements, claims.judgement))
        if axis == "citation_supports":
            return self._supported(reading, question, answer, retrieved)
        raise UsageError(
            f"expected an axis that the judge can read, found {axis!r}",
            help="citation_supports, refusal_quality or extra_claim_count",
        )

    def cost_lines(self) -> list[str]:
        """Cost of the calls so far, as lines of text."""
        return self._votes.cost_lines()

    def _committed(
        self,
        reading: Reading,
        question: Question,
        parsed: ParsedAnswer,
        texts: dict[str, str],
        supporting: frozenset[str],
    ) -> Reading:
        """Reading of an answer that commits: what it states of all that is known."""
        judgements = list(reading.judgements)
        stated: Match = "none"
        evidence = ""
        for match, golds in _known(question):
            decided = self._votes.decide("answer", {**texts, "gold": "\n".join(golds)}, match)
            judgements.append(decided.judgement)
            holds = self._holds(decided)
            if holds is None:
                return _open(reading, tuple(judgements), self._why(decided, "whether it states the answer"))
            if holds:
                stated = match
                evidence = next((each.evidence for each in decided.found), "")
                break
            # The gold of an answerable question is asked for alone: what else it is, is wrong all the same.
            stated = "mismatch" if match == "match" else stated
        claimed = claim_citations_by(evidence, parsed)
        return replace(
            reading,
            committed=True,
            match=stated,
            claim_cited=bool(claimed) if parsed.citations else None,
            any_valid_support=not parsed.supporting(supporting).isdisjoint(claimed),
            value=evidence,
            judgements=tuple(judgements),
        )

    def _refused(self, reading: Reading, texts: dict[str, str]) -> Reading:
        """Reading of a refusal with its quality, which is not known where votes cannot be read."""
        quality = self._votes.decide("quality", texts)
        judgements = (*reading.judgements, quality.judgement)
        if not quality.found:
            return replace(reading, quality_unknown=True, judgements=judgements)
        votes = [dict(each.facts) for each in quality.found]
        facts: Any = {name: 2 * sum(vote[name] for vote in votes) > len(votes) for name in votes[0]}
        return replace(reading, quality_unknown=False, judgements=judgements, **facts)

    def _supported(
        self, reading: Reading, question: Question, answer: Answer, retrieved: Sequence[Passage]
    ) -> Reading:
        """Reading with whether every citation supports its sentence; None: one is left open."""
        parsed = parse_answer(answer, question.text, retrieved, strict=self._strict)
        passages = parsed.cited_texts(retrieved)
        judgements = list(reading.judgements)
        verdicts: list[bool | None] = []
        for part in parsed.sentences:
            for cited in part.citations:
                passage = passages.get(cited)
                if passage is None:
                    verdicts.append(False)
                    continue
                texts = {"title": passage.title, "passage": passage.text, "sentence": part.text}
                decided = self._votes.decide("support", texts, part.text)
                judgements.append(decided.judgement)
                verdicts.append(self._holds(decided))
        supported = None if not verdicts or (None in verdicts and False not in verdicts) else all(verdicts)
        return replace(reading, all_cited_support=supported, judgements=tuple(judgements))

    def _holds(self, decided: Decided) -> bool | None:
        """Whether a statement holds; None: a vote cannot be read, they are split, or in between."""
        mean, replies, count = decided.judgement.mean, decided.found, len(decided.judgement.votes)
        if mean is None or len(replies) < count:
            return None
        if mean >= self._accept:
            return True if sum(reply.score >= self._accept for reply in replies) >= AGREED * count else None
        if mean <= self._reject:
            return False if sum(reply.score <= self._reject for reply in replies) >= AGREED * count else None
        return None

    def _why(self, decided: Decided, what: str) -> str:
        votes, replies = decided.judgement.votes, decided.found
        if len(replies) < len(votes):
            first = next(each.raw for each in votes if each.score is None)
            reason = first if first.startswith("no reply") else "a reply of the judge cannot be read"
            return f"undetermined {what}: {reason}"
        scores = ", ".join(f"{each.score:g}" for each in replies)
        return f"undetermined {what}: the judge's scores are {scores}"

    def _all_asked(self, question: Question, reading: Reading, texts: dict[str, str]) -> Reading:
        """Ask in a dry run all that might be asked, and leave the answer open."""
        self._votes.decide("quality", texts)
        for match, golds in _known(question):
            self._votes.decide("answer", {**texts, "gold": "\n".join(golds)}, match)
        return _open(reading, (), "not asked: a dry run")


def build(context: GraderContext) -> Judge:
    """Grader; raises UsageError without a model, or for a setting that cannot be meant."""
    options = context.options
    model = options.text("model")
    if not model:
        raise UsageError(
            "expected the name of a model for the grader 'judge', found none",
            help=f"{options.written('model')}NAME; {local(options.written)}",
        )
    count = options.whole("votes", 1, least=1)
    accept, reject = options.number("accept", ACCEPT), options.number("reject", REJECT)
    if not 0 <= reject < accept <= 10:
        raise UsageError(f"expected {options.written('reject')} below accept, both from 0 to 10")
    timeout = options.number("timeout", TIMEOUT)
    folder_name = options.text("prompts")
    prompts = load_prompts(expand_home(folder_name) if folder_name else FOLDER)
    folder = context.cache and context.cache / "llm"
    usual = _VARIED if count > 1 else "0"
    endpoint = connect(options, model, folder, "the grader 'judge'", temperature=usual)
    votes = Votes(endpoint, prompts, votes=count, timeout=timeout, dry_run=context.dry_run)
    temperature = endpoint.sampling.temperature
    written = "none" if temperature is None else f"{temperature:g}"
    version = (
        f"{VERSION} ({model}, prompts {digest_of(prompts)}, {count} vote{'s' if count > 1 else ''},"
        f" temperature {written}, accept {accept:g}, reject {reject:g})"
    )
    return Judge(votes, version, accept, reject, strict=context.strict)


def _agreed(refusal: Decided) -> bool | None:
    """Whether the votes say that an answer refuses; None: they are split, or cannot be read."""
    count = len(refusal.judgement.votes)
    refused = sum(reply.score == 1 for reply in refusal.found)
    if len(refusal.found) < count or max(refused, count - refused) < AGREED * count:
        return None
    return refused >= AGREED * count


def _open(reading: Reading, judgements: tuple[Judgement, ...], why: str) -> Reading:
    return replace(reading, status="needs_review", unreadable=why, judgements=judgements)


def _known(question: Question) -> list[tuple[Match, tuple[str, ...]]]:
    """What an answer may state, in the order in which it is looked for."""
    unit = f" {question.unit}" if question.unit else ""
    golds = [f"{each}{unit}" for each in question.answers]
    if question.proposition and golds:
        golds = [f"{golds[0]} (the proposition: {question.proposition})"]
    if question.kind == "list" and golds:
        golds = [f"all of these: {'; '.join(golds)}"]
    statements: list[tuple[Match, tuple[str, ...]]] = []
    if question.answerable and golds:
        statements.append(("match", tuple(golds)))
    if not question.answerable and question.world_answers:
        statements.append(("world", question.world_answers))
    if not question.answerable and question.distractors:
        statements.append(("distractor", tuple(each.value for each in question.distractors)))
    return statements
