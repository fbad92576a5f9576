"""One question in full: gold answer, retrieved passages, answer, verdict, and the reason for it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import chain, repeat

from ragharness.analysis.scores import ROW_NAMES
from ragharness.corpus.loading import Corpus
from ragharness.questions.values import gold_words
from ragharness.records import Evidence, Passage, Question, Record, Sentence, Verdict
from ragharness.reports import words
from ragharness.reports.text import clean, labelled, milliseconds, one_line, paragraph

_LABEL = 11
_BODY = " " * _LABEL
_SENTENCES = 12  # sentences of an answer that are shown as they were read; the rest is counted
_SENTENCE = 120  # characters of each: the answer stands whole above
_MARKS = 5


def show_question(
    question: Question,
    record: Record | None,
    *,
    corpus: Corpus | None = None,
    passages: Mapping[str, Passage] | None = None,
    gold: Collection[str] = (),
    width: int = 80,
    texts: bool = True,
    said: Sequence[str] = (),
) -> str:
    """One question of a run as plain text, ending with its verdict and a line break.

    ``gold``: ids of the passages that hold gold evidence; ``said``: what people said of the answer. Without
    a corpus, or without ``texts``, the retrieved passages are named only.
    """
    parts = [_asked(question, record, width), _gold(question, corpus, width)]
    if record is None:
        parts.append(_field("answer", "none yet: not asked, or still running", width))
    else:
        sentences = record.verdict.sentences if record.verdict else ()
        parts += [
            _retrieved(record, passages if texts and passages else {}, gold, width, texts=texts),
            _answer(record, width),
            [
                *(line for label, text in verdict_fields(record) for line in _field(label, text, width)),
                *_fields("sentences", sentence_lines(sentences), width),
                *_fields("people", said, width),
            ],
        ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _field(label: str, text: str, width: int) -> list[str]:
    return labelled(label, text, width, _LABEL)


def _fields(label: str, texts: Sequence[str], width: int) -> list[str]:
    """Texts one below the other, the label beside the first."""
    labels = chain([label], repeat(""))
    return [line for label, text in zip(labels, texts, strict=False) for line in _field(label, text, width)]


def _asked(question: Question, record: Record | None, width: int) -> list[str]:
    row, outcome = ROW_NAMES[question.row], ""
    if record is not None:
        bucket = (record.verdict and record.verdict.bucket) or record.status.replace("_", " ")
        outcome = "not graded yet, " if _waits(record) else f"outcome {bucket}, "
    wish = "answered" if question.wanted == "correct" else "refused"
    return [
        f"{clean(question.id)}   type {row}, {outcome}should be {wish}",
        *_field("", words.BUILT_FOR[question.row], width),
        "",
        *_field("question", question.text, width),
    ]


def gold_fields(question: Question) -> list[tuple[str, str]]:
    """What is right, tempting, withheld or absent, each under its label (empty: that above)."""
    fields = [("gold", gold_words(question) or "none: the documents do not state it")]
    if question.withheld:
        fields.append(("", f"withheld from the index: the {question.withheld}"))
    for distractor in question.distractors:
        about = f" ({distractor.about})" if distractor.about else ""
        fields.append(("tempting", f"{distractor.value}{about}"))
    if question.world_answers:
        fields.append(("world", "true outside the corpus: " + "; ".join(question.world_answers)))
    if question.absence_patterns:
        patterns = " ".join(f"/{pattern}/" for pattern in question.absence_patterns)
        fields.append(("absent", f"no text of the {question.absence_scope or 'corpus'} matches {patterns}"))
    return fields


def _gold(question: Question, corpus: Corpus | None, width: int) -> list[str]:
    lines = [line for label, text in gold_fields(question) for line in _field(label, text, width)]
    named = ""
    for span in question.evidence:
        lines += _evidence(span, corpus, width, named=span.document == named)
        named = span.document
    return lines


def _evidence(span: Evidence, corpus: Corpus | None, width: int, *, named: bool) -> list[str]:
    location = f"{span.document} characters {span.start}-{span.end}"
    if corpus is None:
        return _field("evidence", location, width)
    document = corpus.document(span.document)
    head = _field("evidence", location if named else f"{location} of {document.title}", width)
    return [*head, *_quoted(document.text[span.start : span.end], width)]


def _quoted(text: str, width: int) -> list[str]:
    """Text of the corpus behind a bar, without its blank lines."""
    return [line for line in paragraph(text, width, _BODY + "| ") if line]


def _retrieved(
    record: Record, passages: Mapping[str, Passage], gold: Collection[str], width: int, *, texts: bool
) -> list[str]:
    if not record.retrieved:
        return _field("retrieved", "nothing", width)
    brought = (record.answer and record.answer.passages) or ()
    own = {passage.id: passage for passage in brought if texts}
    lines: list[str] = []
    title = ""
    for rank, hit in enumerate(record.retrieved, start=1):
        passage = own.get(hit.id) or passages.get(hit.id)
        marks = (("GOLD", hit.id in gold), ("CITED", hit.id in record.cited))
        score = f"score {hit.score:.3f}" if hit.score else ""
        parts = [f"{rank:>2}", hit.id, *(name for name, holds in marks if holds), score]
        label = "retrieved" if rank == 1 else ""
        lines += _field(label, "  ".join(filter(None, parts)), width)
        if passage is not None:
            # The title is said once for neighbours of one document.
            lines += _field("", f"of {passage.title}", width) if passage.title not in {"", title} else []
            lines += _quoted(passage.text, width)
            title = passage.title
    missing = sorted(record.cited - {hit.id for hit in record.retrieved})
    if missing:
        lines += _field("", f"cited, but not retrieved: {', '.join(missing)}", width)
    return lines


def _answer(record: Record, width: int) -> list[str]:
    lines: list[str] = []
    if failure := record.failure:
        where = f" ({failure.where})" if failure.where else ""
        lines += _field("failed", f"{failure.type}: {failure.message}{where}", width)
        lines += [f"{_BODY}{line}" for line in clean(failure.traceback).splitlines()]
    if record.answer is not None:
        lines += _field("answer", record.answer.text or "(empty)", width)
        if (citations := record.answer.citations) is not None:
            lines += _field("", f"citations given separately: {', '.join(citations) or 'none'}", width)
        if record.answer.confidence is not None:
            lines += _field("", f"confidence {record.answer.confidence:g}", width)
    for problem in record.problems:
        lines += _field("problem", problem, width)
    return [*lines, *_field("took", milliseconds(record.seconds), width)]


def verdict_fields(record: Record) -> list[tuple[str, str]]:
    """Verdict, why, how the answer was read, and the axes, each under its label."""
    verdict = record.verdict
    if _waits(record):
        return [("verdict", "none yet: continuing the run grades it")]
    if verdict is None:
        why = "the call exceeded the time limit (--timeout)"
        if record.status != "timeout":
            kept = "there is no answer to grade" if record.answer is None else "the answer is kept"
            why = f"it raised an exception: {kept}"
        status = record.status.replace("_", " ")
        return [("verdict", f"none: {status}"), ("why", f"{why}; it counts as ungraded")]
    row = f"; row {verdict.decided_by} of the decision table" if verdict.decided_by >= 0 else ""
    outcome = verdict.bucket or f"ungraded ({verdict.status.replace('_', ' ')})"
    by = f", graded by {verdict.grader}" if verdict.grader else ""
    fields = [("verdict", f"{outcome}, {verdict.reason}{row}{by}")]
    if verdict.why:
        fields.append(("why", verdict.why))
    match = words.MATCH_NAMES[verdict.match]
    reading = f"the answer {verdict.value!r}{match and f', {match}'}" if verdict.value else match
    fields.append(("read as", reading or "no committed answer"))
    if verdict.score is not None:
        weighed = ", ".join(f"{name} {points:+.1f}" for name, points in verdict.score.weighed)
        likely = f"{verdict.score.probability:.0%} likely to be judged correct: {weighed}"
        fields.append(("likeness", likely))
    axes = {
        "citation exists": verdict.citation_exists,
        "citation supports": verdict.citation_supports,
        "uncited claims": verdict.extra_claim_count,
        "refusal quality": verdict.refusal_quality,
    }
    read = (f"{name} {'n/a' if value is None else value}" for name, value in axes.items())
    fields.append(("axes", "; ".join(read)))
    if verdict.flags:
        flags = (words.FLAG_NAMES.get(flag, flag.replace("_", " ")) for flag in verdict.flags)
        fields.append(("flags", "; ".join(flags)))
    return [*fields, *_graders(verdict)]


def _graders(verdict: Verdict) -> list[tuple[str, str]]:
    """Judge's labels with the reason, what other graders said, and which of them read an axis."""
    fields: list[tuple[str, str]] = []
    for judgement in verdict.judgements:
        votes = (vote.label or "unreadable" for vote in judgement.votes)
        about = f" of {one_line(judgement.about, 40)!r}" if judgement.about else ""
        reason = f" ({one_line(judgement.reason, 200)})" if judgement.reason else ""
        text = f"{judgement.decision}{about}: {', '.join(votes)}{reason}"
        fields.append(("" if fields else "judged", text))
    for number, opinion in enumerate(verdict.others):
        outcome = opinion.bucket or opinion.status.replace("_", " ")
        fields.append(("" if number else "others", f"{opinion.grader}: {outcome}, {opinion.why}"))
    axes = "; ".join(f"{axis.replace('_', ' ')} by {name}" for axis, name in verdict.axes_by)
    return [*fields, ("", axes)] if axes else fields


def _waits(record: Record) -> bool:
    """Whether an answer is on disk but not graded yet."""
    return record.verdict is None and record.status == "needs_review"


def sentence_lines(sentences: Sequence[Sentence]) -> list[str]:
    """First sentences of an answer with their roles, and how many more there are."""
    lines = [f"{_role(part)}: {one_line(part.text, _SENTENCE)}" for part in sentences[:_SENTENCES]]
    more = len(sentences) - _SENTENCES
    return [*lines, f"and {more} more"] if more > 0 else lines


def _role(sentence: Sentence) -> str:
    kind = "claim" if sentence.is_claim else "no claim"
    if not sentence.citations:
        return f"{kind}, uncited"
    marks = ", ".join(sentence.citations[:_MARKS])
    unclear = ", which may support it: undetermined" if None in sentence.citation_support else ""
    support = {True: ", which supports it", False: ", which does not support it", None: unclear}
    return f"{kind}, cites {marks}{support[sentence.joint_support]}"
