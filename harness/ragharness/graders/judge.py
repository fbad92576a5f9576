"""The ``judge`` grader: a language model compares an answer with what is true, in one call with one label.

Settings, as ``--grader-option judge.NAME=VALUE``: those of the generator ``llm`` (docs/llm.md), and
``votes``, ``timeout``, ``max-failures``, ``prompts``. Its reply is evidence: what it cannot tell, what votes
are split on and what cannot be read is left to a person.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from msgspec.structs import replace

from ragharness.errors import UsageError
from ragharness.graders import GraderContext
from ragharness.graders.judging import FOLDER, MAX_FAILURES, QUALITY, TIMEOUT, Votes, load_prompts
from ragharness.graders.reading.answer import claim_citations_by, parse_answer, read_citations
from ragharness.language.tables import regex
from ragharness.pipelines.llm_client import MAX_TOKENS_THINKING, connect, local
from ragharness.records import Answer, Judgement, Passage, Question, Reading
from ragharness.support.files import expand_home

VERSION = "2"
_VARIED = "0.7"  # temperature of several votes: at 0 they would all be the same
_SHOWN = 4  # passages that are shown as evidence, or as cited
_LONGEST = 2000  # characters of a passage that are shown
_CITATION = regex(r"\[[^\[\]]*\]")


class Judge:
    """Asks a model; safe to be read from many threads."""

    name = "judge"
    waits = True

    def __init__(self, votes: Votes, version: str, *, strict: bool = False) -> None:
        self.version = version
        self._votes = votes
        self._strict = strict

    def read(
        self, question: Question, answer: Answer, retrieved: Sequence[Passage], supporting: frozenset[str]
    ) -> Reading:
        """Primitives that follow from the label; what the model leaves open needs review.

        Raises AccessRefused where no call can succeed.
        """
        parsed, reading = read_citations(question, answer, retrieved, supporting, strict=self._strict)
        if parsed.blank:
            return reading
        texts = parsed.cited_texts(retrieved)
        holding = [passage for passage in retrieved if passage.id in supporting]
        cited = [texts[name] for name in parsed.citations if name in texts and name not in supporting]
        judgement = self._votes.decide(
            "answer",
            {
                "question": question.text,
                "truth": truth_of(question),
                "evidence": _shown(holding),
                "cited": _shown(cited) or "(those above)" * bool(parsed.citations),
                "answer": answer.text,
            },
        )
        reading, label = _noted(reading, judgement), judgement.label
        if label in ("", "cannot tell") or (label == "partly" and question.kind == "yesno"):
            why = f"the judge says {label!r}: {judgement.reason}" if label else judgement.reason
            return replace(reading, status="needs_review", unreadable=f"undetermined: {why}")
        if label == "refuses":
            return replace(reading, refusal=True)
        quote = _CITATION.sub(" ", judgement.evidence).strip()
        claimed = claim_citations_by(quote, parsed)
        return replace(
            reading,
            committed=True,
            claim_cited=bool(claimed) if parsed.citations else None,
            any_valid_support=not parsed.supporting(supporting).isdisjoint(claimed),
            value=quote,
            **_match(question, label),
        )

    def read_axis(
        self, axis: str, reading: Reading, question: Question, answer: Answer, retrieved: Sequence[Passage]
    ) -> Reading:
        """Reading with one axis as the model sees it; what it leaves open is not known."""
        texts = {"question": question.text, "answer": answer.text}
        if axis == "refusal_quality" and not (reading.quality_unknown or reading.refusal):
            return reading
        if axis == "refusal_quality":
            quality = self._votes.decide("quality", texts)
            names = quality.label.split(", ") if quality.label else None
            facts: dict[str, Any] = {name: name in names for name in QUALITY} if names else {}
            return replace(_noted(reading, quality), quality_unknown=names is None, **facts)
        if axis == "extra_claim_count":
            passages = "\n\n".join(f"{passage.title}\n{passage.text}" for passage in retrieved)
            claims = self._votes.decide("claims", {**texts, "passages": passages})
            return replace(_noted(reading, claims), extra=int(claims.label) if claims.label else None)
        if axis == "citation_supports":
            return self._supported(reading, question, answer, retrieved)
        raise UsageError(
            f"expected an axis that the judge can read, found {axis!r}",
            help="citation_supports, refusal_quality or extra_claim_count",
        )

    def _supported(
        self, reading: Reading, question: Question, answer: Answer, retrieved: Sequence[Passage]
    ) -> Reading:
        """Reading with whether every citation supports its sentence; None: one is left open."""
        parsed = parse_answer(answer, question.text, retrieved, strict=self._strict)
        passages = parsed.cited_texts(retrieved)
        labels = []
        cited = [(part, mark) for part in parsed.sentences for mark in part.citations]
        for part, mark in cited:
            if (passage := passages.get(mark)) is None:
                labels.append("not supported")
                continue
            texts = {"title": passage.title, "passage": passage.text, "sentence": part.text}
            judgement = self._votes.decide("support", texts, part.text)
            reading = _noted(reading, judgement)
            labels.append(judgement.label)
        supported = False if "not supported" in labels else True if {*labels} == {"supported"} else None
        return replace(reading, all_cited_support=supported)

    def cost_lines(self) -> list[str]:
        """Cost of the calls so far, as lines of text."""
        return self._votes.cost_lines()


def _match(question: Question, label: str) -> dict[str, Any]:
    """Primitives that say how a result compares with what is known."""
    if question.answerable and label == "partly" and question.kind == "list":
        return {"match": "partial", "incomplete": True}
    if question.answerable and label == "partly":
        return {"match": "mismatch", "imprecise": True}
    if question.answerable:
        return {"match": "match" if label == "agrees" else "mismatch"}
    if question.world_answers:
        return {"match": "world" if label == "agrees" else "mismatch"}
    return {"match": "distractor" if question.distractors and label == "agrees" else "none"}


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
    timeout, most = options.number("timeout", TIMEOUT), options.whole("max-failures", MAX_FAILURES)
    folder = options.text("prompts")
    prompts = load_prompts(expand_home(folder) if folder else FOLDER)
    endpoint = connect(
        options,
        model,
        context.cache and context.cache / "llm",
        "the grader 'judge'",
        temperature=_VARIED if count > 1 else "0",
        max_tokens=MAX_TOKENS_THINKING,
    )
    votes = Votes(endpoint, prompts, votes=count, timeout=timeout, max_failures=most, dry_run=context.dry_run)
    temperature = endpoint.sampling.temperature
    written = "none" if temperature is None else f"{temperature:g}"
    plural = "s" * (count > 1)
    digest = hashlib.sha256("".join(prompt.digest for prompt in prompts.values()).encode()).hexdigest()[:8]
    version = f"{VERSION} ({model}, prompts {digest}, {count} vote{plural}, temperature {written})"
    return Judge(votes, version, strict=context.strict)


def truth_of(question: Question) -> str:
    """Everything that is known of the answer, as true statements."""
    if not question.answerable:
        others = question.world_answers or tuple(map(_distractor, question.distractors))
        compared = f" Results to compare with: {'; '.join(others)}." if others else ""
        return f"The documents do not answer the question.{compared}"
    unit = f" {question.unit}" if question.unit else ""
    golds = [f"{gold}{unit}{_spellings(question, gold)}" for gold in question.answers]
    if question.kind == "list":
        start = "The answer is all of these" if question.all_required else "The answer is any of these"
    else:
        start = "The answer is" if len(golds) == 1 else "The answer is any one of these"
    lines = [f"{start}: {'; '.join(golds)}."]
    if question.proposition and question.proposition not in question.text:
        holds = (question.answers[:1] == ("yes",)) == question.yes_means
        lines.insert(0, f"It is {'true' if holds else 'false'} that: {question.proposition}")
    if question.distractors and question.kind != "yesno":
        lines.append(f"It is not: {'; '.join(map(_distractor, question.distractors))}.")
    return "\n".join(lines)


def _spellings(question: Question, gold: str) -> str:
    others = [other for other in question.aliases.get(gold, ()) if other != gold]
    return f" (that is: {'; '.join(others)})" if others else ""


def _distractor(distractor: Any) -> str:
    return f"{distractor.value} ({distractor.about})" if distractor.about else str(distractor.value)


def _shown(passages: Iterable[Passage]) -> str:
    first = islice(passages, _SHOWN)
    return "\n\n".join(f"[{passage.id}] {passage.title}\n{passage.text[:_LONGEST]}" for passage in first)


def _noted(reading: Reading, judgement: Judgement) -> Reading:
    return replace(reading, judgements=(*reading.judgements, judgement))
