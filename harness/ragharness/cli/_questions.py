"""The output of ``ragharness questions``: sets, findings and questions as lines of text or JSON values."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ragharness.analysis.scores.schema import ROW_NAMES
from ragharness.cli._console import print_lines
from ragharness.errors import UnknownName
from ragharness.records import ROWS, Question
from ragharness.reports.progress import Live
from ragharness.reports.text import aligned, clean, labelled, one_line, paragraph
from ragquestions.probe import verdict

if TYPE_CHECKING:
    from ragharness.corpus.loading import Corpus
    from ragharness.questions.questionset import QuestionSet
    from ragquestions.llm_author.composing import Plan
    from ragquestions.probe import Probed
    from ragquestions.set_checks import Finding

_LABEL = 12
_READABLE = 30
"""Columns that a wrapped text needs beside its names."""

_MOST_REMARKS = 5
_MOST_FINDINGS = 20
"""Findings of a check that are printed; JSON has them all."""


def set_facts(questions: QuestionSet) -> dict[str, Any]:
    """Return a set as a JSON value."""
    return {
        "corpus": questions.corpus,
        "split": questions.split,
        "corpus_hash": questions.corpus_hash,
        "seed": questions.seed,
        "asked_for": questions.size,
        "hash": questions.hash,
        "frozen": questions.frozen,
        "notes": list(questions.notes),
        "rows": _rows(questions),
        "questions": [question_facts(each) for each in questions.questions],
    }


def set_content(questions: QuestionSet, path: Path) -> bytes:
    """Return a set as a file holds it: as a table where its name ends in .parquet, else as JSON Lines."""
    if path.suffix != ".parquet":
        return questions.lines
    from ragharness.reports.formats.parquet import questions_parquet

    return questions_parquet(questions.questions)


def question_facts(question: Question) -> dict[str, Any]:
    """Return one question as a JSON value, with its row and the bucket it is built for."""
    facts: dict[str, Any] = msgspec.to_builtins(question)
    return {**facts, "row": question.row, "wanted": question.wanted}


def set_lines(questions: QuestionSet, width: int) -> list[str]:
    """Return what a set is and how many questions each row has."""
    name = f"{questions.corpus} {questions.split}".rstrip()
    topics = {row: len({each.topic for each in questions.questions if each.row == row}) for row in ROWS}
    cells = [("ROW", "QUESTIONS", "TOPICS")]
    cells += [(row, str(count), str(topics[row])) for row, count in _rows(questions).items()]
    head = f"{name}: {len(questions.questions)} questions, seed {questions.seed}, hash {questions.hash[:12]}"
    return [
        *paragraph(head, width),
        *(line for note in questions.notes for line in labelled("note:", note, width, 6)),
        "",
        *aligned(cells),
    ]


def check_lines(
    questions: QuestionSet,
    findings: Sequence[Finding],
    width: int,
    remarks: Sequence[Finding] = (),
    probed: Sequence[Probed] = (),
) -> list[str]:
    """Return the findings, or that there is none; the remarks and the text-only probe are no findings."""
    head = set_lines(questions, width)
    if remarks:
        shown = remarks[:_MOST_REMARKS]
        told = "; ".join(f"{each.question}: {each.message}".removeprefix(": ") for each in shown)
        more = f"; and {len(remarks) - _MOST_REMARKS} more" if len(remarks) > _MOST_REMARKS else ""
        text = f"not met, but required of built sets only: {told}{more}"
        head += ["", *labelled("note:", text, width, 6)]
    head += ["", *probe_lines(probed, width)] if probed else []
    if not findings:
        of = "a question" if questions.places else "the construction"
        return [*head, "", f"ok: every property of {of} holds"]
    rows = [(each.rule, each.question or "-", each.message) for each in findings[:_MOST_FINDINGS]]
    rest = len(findings) - len(rows)
    return [
        *head,
        "",
        f"{len(findings)} findings" if len(findings) > 1 else "1 finding",
        *_findings([("RULE", "QUESTION", "FINDING"), *rows], width),
        *([f"and {rest} more; --json has them all"] if rest else []),
    ]


def _findings(rows: Sequence[tuple[str, str, str]], width: int) -> list[str]:
    """Return aligned rules and questions with the findings beside them, or below where it is narrow."""
    names = aligned([(rule, clean(question)) for rule, question, _ in rows], left=(0, 1))
    size = max(map(len, names)) + 2
    lines: list[str] = []
    for name, (_, _, message) in zip(names, rows, strict=True):
        beside = labelled(name, message, width, size)
        lines += beside if width - size >= _READABLE else [name, *paragraph(message, width, "  ")]
    return lines


def table(questions: QuestionSet, width: int) -> list[str]:
    """Return each question with its id, type and gold answer, its text below."""
    rows = [
        (each.id, ROW_NAMES[each.row] + (f" ({each.withheld})" if each.withheld else ""), _gold(each))
        for each in questions.questions
    ]
    head, *lines = aligned([("ID", "TYPE", "GOLD"), *rows], left=range(3))
    texts = (paragraph(each.text, width, "      ") for each in questions.questions)
    return [head, *(line for name, text in zip(lines, texts, strict=True) for line in (name, *text))]


def pick(questions: QuestionSet, wanted: str) -> Question:
    """Return the question with that id; raises UnknownName with the nearest ids."""
    try:
        return questions.by_id[wanted]
    except KeyError:
        raise UnknownName("question", wanted, questions.by_id, help="ragharness questions show") from None


def question_lines(question: Question, corpus: Corpus | None, width: int) -> list[str]:
    """Return one question whole; the text of its evidence too when the corpus is on this machine."""
    rows = [
        ("id", question.id),
        ("question", question.text),
        ("row", question.row),
        ("wanted", question.wanted),
        ("gold", " or ".join(question.answers)),
        ("proposition", question.proposition),
        ("yes means", "" if not question.proposition else "so" if question.yes_means else "not so"),
        ("document", _titled(question.document, corpus)),
        ("topic", question.topic),
        ("withheld", question.withheld),
        ("note", question.note),
    ]
    rows += [("tempting", f"{each.value}: {each.about}") for each in question.distractors]
    if question.absence_patterns:
        rows.append(("no hit in", f"the {question.absence_scope}: " + "  ".join(question.absence_patterns)))
    lines = [line for label, value in rows if value for line in labelled(label, value, width, _LABEL)]
    for span in question.evidence:
        lines += ["", f"evidence    {span.document} {span.start}-{span.end}"]
        if corpus is not None:
            text = corpus.document(span.document).text[span.start : span.end]
            lines += paragraph(" ".join(text.split()), width, "  ")
    return lines


def _rows(questions: QuestionSet) -> dict[str, int]:
    counts = Counter(each.row for each in questions.questions)
    return {row: counts[row] for row in ROWS}


def _gold(question: Question) -> str:
    return one_line(" or ".join(question.answers))[:12] if question.answers else "-"


def _titled(document: str, corpus: Corpus | None) -> str:
    if not document or corpus is None:
        return document
    return f"{document} {corpus.document(document).title}"


def write_set(
    corpus: Corpus,
    model: str,
    base_url: str,
    options: tuple[str, ...],
    size: int,
    seed: int,
    *,
    dry_run: bool,
    max_cost: float | None = None,
    offline: bool = False,
) -> QuestionSet | None:
    """Return the set that a model wrote; None after saying what it would cost."""
    from ragharness.cli._console import resume_command
    from ragharness.corpus.download.pinned import is_offline
    from ragharness.errors import QuestionsNotUsable, UsageError
    from ragharness.support.files import cache_folder
    from ragharness.support.options import Options
    from ragquestions.llm_author.composing import plan, write_questions
    from ragquestions.llm_author.model import Model

    if not corpus.folder:
        raise UsageError(
            f"expected a folder of your own documents for --model, found the corpus {corpus.id}",
            help=f"ragharness questions build --corpus {corpus.id} builds its set without a model",
        )
    if max_cost is not None and not 0 < max_cost < math.inf:
        raise UsageError(f"expected --max-cost above 0, found {max_cost:g}")
    given = Options.parse(options, flag="--model-option").starting("")
    settings = {**given, "model": model, **({"base-url": base_url} if base_url else {})}
    live = Live()
    live.say(cost_line(plan(corpus, size, seed), model, settings))
    if dry_run:
        return None
    writer = Model(settings, cache_folder() / "answers", offline=offline or is_offline(), max_cost=max_cost)
    try:
        outcome = write_questions(corpus, writer, size, seed, live.fetching)
    except QuestionsNotUsable as error:
        if "--max-cost" in str(error):
            raise QuestionsNotUsable(
                f"{error}; paid answers are kept", help=resume_command(raised=True)
            ) from error
        raise
    finally:
        live.clear()
    budget = writer.budget
    live.say(
        f"{outcome.believed} of {outcome.written} verified; {budget.calls} calls"
        + (f", {budget.spent:.4f} USD in total, earlier calls included" if budget.spent else "")
    )
    if outcome.stopped:
        live.say(
            f"stopped: {outcome.stopped}; paid answers are kept\ncontinue with: {resume_command(raised=True)}"
        )
    print_lines(
        [f"not believed: {reason}: {question}" for _, question, reason in outcome.rejected if question][:10]
    )
    return outcome.questions


def cost_line(wanted: Plan, model: str, settings: dict[str, str]) -> str:
    """Return in words how many calls are needed and what they cost."""
    from ragharness.pipelines.llm_client import price_of
    from ragharness.pipelines.llm_client.prices import if_unknown

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


def probe_facts(probed: Sequence[Probed]) -> list[dict[str, Any]]:
    """Return the probe as JSON values."""
    return [{**each._asdict(), "tells": each.tells} for each in probed]


def probe_lines(probed: Sequence[Probed], width: int) -> list[str]:
    """Return the probe as a table, and in a sentence what the text gives away."""
    if not any(each.auc is not None for each in probed):
        return paragraph("text-only probe: too few questions that should be refused, or answered", width)
    head = ("TEXT-ONLY PROBE", "N", "AUC", "TOPICS OUT", "SHUFFLED", "95%")
    rows = [
        (each.row, str(each.refusals), *map(_rounded, (each.auc, each.topics_out, each.shuffled, each.noise)))
        for each in probed
    ]
    return [*aligned([head, *rows]), *paragraph(verdict(probed), width)]


def _rounded(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.2f}"
