"""``ragharness questions``: build, check, show and freeze question sets, and write their passages."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ragharness.cli import _options as shared
from ragharness.cli import add_group
from ragharness.cli._options import columns, print_facts, print_json, print_lines, resume_command
from ragharness.config import DEFAULT_SEED, DEFAULT_SIZE
from ragharness.errors import UnknownName

if TYPE_CHECKING:
    from ragharness.corpus.loading import Corpus
    from ragharness.questions.questionset import QuestionSet
    from ragharness.records import Question

_OUT_FILE = typer.Option(
    None, "--out", metavar="FILE", help="Write the set to this file: JSON Lines, or .parquet."
)
_OUT_FOLDER = typer.Option(
    None, "--out", metavar="FOLDER", help="Write to this folder (default: questionsets/<corpus>)."
)
_ACCEPT = typer.Option(False, "--accept-edits", help="Keep manual edits to a frozen set, under a new hash.")
_MODEL = typer.Option("", "--model", help="Let this model write the grounded questions; all are verified.")
_BASE_URL = typer.Option("", "--base-url", metavar="URL", help="Address of the service that runs the model.")
_MODEL_OPTION = typer.Option(
    "--model-option", metavar="NAME=VALUE", help="Model setting (see docs/llm.md); repeatable."
)
_DRY_RUN = typer.Option(False, "--dry-run", help="Print what the model calls would cost; make none.")
_MAX_COST = typer.Option(
    None, "--max-cost", metavar="USD", help="Stop calling the model once the whole set has cost this much."
)
_OUTPUT = typer.Option(None, "-o", metavar="FILE", help="Write to this file.")


def register(app: typer.Typer) -> None:
    """Add the group ``questions`` to the command line."""
    group = add_group(
        app, "questions", "Build, check, show and freeze question sets.", "questions check --corpus sample"
    )
    for verb in (build, check, show, freeze, passages):
        group.command(verb.__name__)(verb)


def build(
    corpus: str = shared.CORPUS,
    size: int = shared.SIZE,
    seed: int = shared.SEED,
    split: str = shared.SPLIT,
    subset: str = shared.SUBSET,
    source: str = shared.SOURCE,
    out: Path | None = _OUT_FILE,
    model: str = _MODEL,
    base_url: str = _BASE_URL,
    model_option: Annotated[list[str] | None, _MODEL_OPTION] = None,
    dry_run: bool = _DRY_RUN,
    max_cost: float | None = _MAX_COST,
    offline: bool = shared.OFFLINE,
    as_json: bool = shared.JSON,
) -> None:
    """Build a question set from a corpus.

    The same size and seed give the same bytes.

    Example: ragharness questions build --corpus docs --out questions.jsonl
    """
    from ragharness.cli._corpora import load, part
    from ragharness.questions import makers
    from ragharness.questions.questionset import write

    loaded = load(corpus, part(split, subset), source, offline=offline)
    if model:
        written = makers.write_with_model(
            loaded,
            size,
            seed,
            model=model,
            settings=tuple(model_option or ()),
            base_url=base_url,
            dry_run=dry_run,
            max_cost=max_cost,
            offline=offline,
            on_lines=print_lines,
            resume=resume_command(raised=True),
        )
        if written is None:
            return
        questions = written
    else:
        questions = makers.build_and_probe(loaded, size, seed)
    if out is not None:
        write(out, set_content(questions, out))
    outcome = f"written to {out}" if out is not None else "not written: use --out FILE"
    print_facts(set_facts(questions), [*set_lines(questions, columns()), "", outcome], as_json=as_json)


def check(
    corpus: str = shared.CORPUS,
    size: int = shared.SIZE,
    seed: int = shared.SEED,
    split: str = shared.SPLIT,
    subset: str = shared.SUBSET,
    source: str = shared.SOURCE,
    path: Path | None = shared.QUESTIONS,
    offline: bool = shared.OFFLINE,
    as_json: bool = shared.JSON,
) -> None:
    """Check a question set against its corpus.

    Checks every property of the set; exit code 1 on a finding.

    Example: ragharness questions check --corpus docs --questions mine.csv
    """
    from ragharness.cli._corpora import load, part
    from ragharness.questions import makers
    from ragharness.questions.loading import load_questions, questions_about
    from ragharness.questions.values import undecidable

    loaded = load(corpus, part(split, subset), source, offline=offline)
    questions = questions_about(loaded, path) if path else load_questions(loaded, size=size, seed=seed)
    report = makers.examine(questions, loaded)
    if as_json:
        facts = report.facts()
        probed = facts.pop("text_only_probe")
        undecided = {question.id: why for question in questions.questions if (why := undecidable(question))}
        print_json({"hash": questions.hash, **facts, "undecidable": undecided, "text_only_probe": probed})
    else:
        print_lines(report.lines(set_lines(questions, columns()), columns()))
    if report.findings:
        raise typer.Exit(1)


def show(
    question: str = typer.Argument("", metavar="[ID]", help="Question id."),
    corpus: str = shared.CORPUS,
    path: Path | None = shared.QUESTIONS,
    split: str = shared.SPLIT,
    subset: str = shared.SUBSET,
    source: str = shared.SOURCE,
    size: int = shared.SIZE,
    seed: int = shared.SEED,
    offline: bool = shared.OFFLINE,
    as_json: bool = shared.JSON,
) -> None:
    """List a frozen question set, or show one question.

    A set of another size or seed than the frozen one is built, as run does.

    Example: ragharness questions show q012 --corpus contractnli
    """
    from ragharness.cli._corpora import load, load_if_here, part, stored
    from ragharness.corpus.loading import is_own
    from ragharness.questions.loading import load_questions

    questions = (
        stored(corpus, path, size, seed)
        if path or is_own(corpus) or (size, seed) == (DEFAULT_SIZE, DEFAULT_SEED)
        else load_questions(load(corpus, part(split, subset), source, offline=offline), size=size, seed=seed)
    )
    if not question:
        print_facts(set_facts(questions), table(questions, columns()), as_json=as_json)
        return
    if question not in questions.by_id:
        raise UnknownName("question", question, questions.by_id, help="ragharness questions show")
    record = questions.by_id[question]
    documents = load_if_here(questions.corpus or corpus, part(split, subset) or questions.split, source)
    print_facts(question_facts(record), question_lines(record, documents, columns()), as_json=as_json)


def freeze(
    corpus: str = shared.CORPUS,
    size: int = shared.SIZE,
    seed: int = shared.SEED,
    split: str = shared.SPLIT,
    subset: str = shared.SUBSET,
    source: str = shared.SOURCE,
    path: Path | None = shared.QUESTIONS,
    accept_edits: bool = _ACCEPT,
    out: Path | None = _OUT_FOLDER,
    offline: bool = shared.OFFLINE,
    as_json: bool = shared.JSON,
) -> None:
    """Check a question set and write it with its card and hash.

    The set is built from the corpus, or read from --questions.

    Example: ragharness questions freeze --corpus docs
    """
    from ragharness.cli._corpora import load, part
    from ragharness.questions import makers
    from ragharness.questions.loading import accepted, load_questions
    from ragharness.questions.questionset import own_place
    from ragharness.support import resources

    loaded = load(corpus, part(split, subset), source, offline=offline)
    home = own_place(loaded.id, size, seed) if loaded.folder else resources.root() / "questionsets" / corpus
    folder = out or home
    if accept_edits:
        questions = accepted(folder, loaded)
    elif path is not None:
        questions = load_questions(loaded, path=path)
    else:
        questions = makers.build_questions(loaded, size, seed)
    report = makers.examine(questions, loaded, whole=False)
    if report.findings:
        print_lines(report.lines(set_lines(questions, columns()), columns()))
        raise typer.Exit(1)
    makers.freeze(questions, folder, loaded, edited=accept_edits)
    lines = [*set_lines(questions, columns()), "", f"frozen in {folder}"]
    print_facts(set_facts(questions), lines, as_json=as_json)


def passages(
    corpus: str = shared.CORPUS,
    size: int = shared.SIZE,
    seed: int = shared.SEED,
    split: str = shared.SPLIT,
    subset: str = shared.SUBSET,
    source: str = shared.SOURCE,
    path: Path | None = shared.QUESTIONS,
    passage_words: int = shared.WORDS,
    out: Path | None = _OUTPUT,
    offline: bool = shared.OFFLINE,
) -> None:
    """Write the passages to index as JSON lines.

    For a pipeline with its own index: withheld evidence is left out.

    Example: ragharness questions passages --corpus contractnli -o passages.jsonl
    """
    import msgspec

    from ragharness.cli._corpora import load, part
    from ragharness.corpus.passages import build_passages, withhold
    from ragharness.questions.loading import load_questions
    from ragharness.questions.questionset import write

    loaded = load(corpus, part(split, subset), source, offline=offline)
    questions = load_questions(loaded, path=path, size=size, seed=seed)
    every = build_passages(loaded.documents, passage_words)
    index = withhold(every, questions.withheld_documents, questions.withheld_spans)
    lines = [msgspec.json.encode(passage).decode() for passage in index.passages]
    if out is None:
        print_lines(lines)
        return
    write(out, ("\n".join(lines) + "\n").encode())
    left_out = len(every.passages) - len(index.passages)
    print_lines([f"{len(lines)} passages written to {out}, {left_out} withheld"])


_LABEL = 12


def set_facts(questions: QuestionSet) -> dict[str, Any]:
    """Set as a JSON value."""
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
        "questions": [question_facts(question) for question in questions.questions],
    }


def set_content(questions: QuestionSet, path: Path) -> bytes:
    """Set as a file holds it: as a table where its name ends in .parquet, else as JSON Lines."""
    if path.suffix != ".parquet":
        return questions.lines
    from ragharness.reports.formats.parquet import questions_parquet

    return questions_parquet(questions.questions)


def question_facts(question: Question) -> dict[str, Any]:
    """One question as a JSON value, with its row and the bucket it is built for."""
    import msgspec

    facts: dict[str, Any] = msgspec.to_builtins(question)
    return {**facts, "row": question.row, "wanted": question.wanted}


def set_lines(questions: QuestionSet, width: int) -> list[str]:
    """What a set is and how many questions each row has."""
    from ragharness.records import ROWS
    from ragharness.reports.text import aligned, labelled, paragraph

    name = f"{questions.corpus} {questions.split}".rstrip()
    topics = {
        row: len({question.topic for question in questions.questions if question.row == row}) for row in ROWS
    }
    cells = [("ROW", "QUESTIONS", "TOPICS")]
    cells += [(row, str(count), str(topics[row])) for row, count in _rows(questions).items()]
    head = f"{name}: {len(questions.questions)} questions, seed {questions.seed}, hash {questions.hash[:12]}"
    notes = [line for note in questions.notes for line in labelled("note:", note, width, 6)]
    return [*paragraph(head, width), *notes, "", *aligned(cells)]


def table(questions: QuestionSet, width: int) -> list[str]:
    """Each question with its id, type and gold answer, its text below."""
    from ragharness.analysis.scores import ROW_NAMES
    from ragharness.reports.text import aligned, one_line, paragraph

    rows = [
        (
            question.id,
            ROW_NAMES[question.row] + (f" ({question.withheld})" if question.withheld else ""),
            one_line(" or ".join(question.answers))[:12] if question.answers else "-",
        )
        for question in questions.questions
    ]
    head, *lines = aligned([("ID", "TYPE", "GOLD"), *rows], left=range(3))
    texts = (paragraph(question.text, width, "      ") for question in questions.questions)
    return [head, *(line for name, text in zip(lines, texts, strict=True) for line in (name, *text))]


def question_lines(question: Question, corpus: Corpus | None, width: int) -> list[str]:
    """One question whole; the text of its evidence too when the corpus is on this machine."""
    from ragharness.reports.text import labelled, paragraph

    document = question.document
    if document and corpus is not None:
        document += f" {corpus.document(document).title}"
    rows = [
        ("id", question.id),
        ("question", question.text),
        ("row", question.row),
        ("wanted", question.wanted),
        ("gold", " or ".join(question.answers)),
        ("proposition", question.proposition),
        ("yes means", "" if not question.proposition else "so" if question.yes_means else "not so"),
        ("document", document),
        ("topic", question.topic),
        ("withheld", question.withheld),
        ("note", question.note),
    ]
    rows += [("tempting", f"{distractor.value}: {distractor.about}") for distractor in question.distractors]
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
    from ragharness.records import ROWS

    counts = Counter(question.row for question in questions.questions)
    return {row: counts[row] for row in ROWS}
