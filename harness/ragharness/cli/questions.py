"""``ragharness questions``: build, check, show and freeze question sets, and write their index."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ragharness.cli import add_group
from ragharness.cli._console import columns, print_json, print_lines
from ragharness.cli._loading import load, load_if_here
from ragharness.cli._options import JSON, OFFLINE, SOURCE, SPLIT, WORDS

if TYPE_CHECKING:
    from ragharness.questions import QuestionSet

_CORPUS = typer.Option("sample", "--corpus", help="Name of a corpus (see: corpus list).")
_SIZE = typer.Option(130, "--size", help="Questions; the proportions stay.")
_SEED = typer.Option(20261121, "--seed", help="Another one chooses other questions.")
_FILE = typer.Option(None, "--questions", metavar="FILE", help="A question file or frozen folder.")
_OUT_FILE = typer.Option(None, "--out", metavar="FILE", help="Write the questions to this file.")
_OUT_FOLDER = typer.Option(
    None, "--out", metavar="FOLDER", help="Write to this folder; default: questionsets/<corpus>."
)
_OUTPUT = typer.Option(None, "-o", metavar="FILE", help="Write to a file.")


def register(app: typer.Typer) -> None:
    """Add the group ``questions`` to the command line."""
    group = add_group(app, "questions", "Build, check, show and freeze question sets.")
    group.command("build")(build)
    group.command("check")(check)
    group.command("show")(show)
    group.command("freeze")(freeze)
    group.command("passages")(passages)


def build(
    corpus: str = _CORPUS,
    size: int = _SIZE,
    seed: int = _SEED,
    split: str = SPLIT,
    source: str = SOURCE,
    out: Path | None = _OUT_FILE,
    offline: bool = OFFLINE,
    as_json: bool = JSON,
) -> None:
    """Build a set from a corpus; the same size and seed give the same bytes."""
    from ragharness.cli._questions import set_facts, set_lines
    from ragharness.questions import build_questions
    from ragharness.questions.freezing import write

    questions = build_questions(load(corpus, split, source, offline=offline), size, seed)
    if out is not None:
        write(out, questions.lines)
    if as_json:
        print_json(set_facts(questions))
        return
    written = f"written to {out}" if out is not None else "not written: give --out FILE"
    print_lines([*set_lines(questions, columns()), "", written])


def check(
    corpus: str = _CORPUS,
    size: int = _SIZE,
    seed: int = _SEED,
    split: str = SPLIT,
    source: str = SOURCE,
    path: Path | None = _FILE,
    offline: bool = OFFLINE,
    as_json: bool = JSON,
) -> None:
    """Check every property of a set against its corpus; exit code 1 on a finding."""
    from ragharness.cli._questions import check_lines
    from ragharness.questions import check_questions, load_questions, questions_about, remarks

    loaded = load(corpus, split, source, offline=offline)
    if path is None:
        questions = load_questions(loaded, size=size, seed=seed)
    else:
        questions = questions_about(loaded, path)
    findings, aside = check_questions(questions, loaded), remarks(questions, loaded)
    if as_json:
        facts = {"findings": findings, "remarks": aside}
        told = {name: [each._asdict() for each in found] for name, found in facts.items()}
        print_json({"hash": questions.hash, **told})
    else:
        print_lines(check_lines(questions, findings, columns(), aside))
    if findings:
        raise typer.Exit(1)


def show(
    question: str = typer.Argument("", metavar="[ID]", help="The id of one question."),
    corpus: str = _CORPUS,
    path: Path | None = _FILE,
    split: str = SPLIT,
    source: str = SOURCE,
    as_json: bool = JSON,
) -> None:
    """List the frozen questions, or show one whole; fetches nothing."""
    from ragharness.cli._questions import (
        pick,
        question_facts,
        question_lines,
        set_facts,
        table,
    )

    questions = _stored(corpus, path)
    if not question:
        if as_json:
            print_json(set_facts(questions))
        else:
            print_lines(table(questions, columns()))
        return
    wanted = pick(questions, question)
    here = load_if_here(questions.corpus or corpus, split or questions.split, source)
    if as_json:
        print_json(question_facts(wanted))
    else:
        print_lines(question_lines(wanted, here, columns()))


def freeze(
    corpus: str = _CORPUS,
    size: int = _SIZE,
    seed: int = _SEED,
    split: str = SPLIT,
    source: str = SOURCE,
    out: Path | None = _OUT_FOLDER,
    offline: bool = OFFLINE,
    as_json: bool = JSON,
) -> None:
    """Build a set, check it, and write it with its card and hash."""
    from ragharness import shelf
    from ragharness.cli._questions import check_lines, set_facts, set_lines
    from ragharness.questions import build_questions, check_questions
    from ragharness.questions import freeze as write_frozen

    loaded = load(corpus, split, source, offline=offline)
    questions = build_questions(loaded, size, seed)
    findings = check_questions(questions, loaded)
    if findings:
        print_lines(check_lines(questions, findings, columns()))
        raise typer.Exit(1)
    folder = out or shelf.root() / "questionsets" / corpus
    write_frozen(questions, folder, loaded)
    if as_json:
        print_json(set_facts(questions))
    else:
        print_lines([*set_lines(questions, columns()), "", f"frozen in {folder}"])


def passages(
    corpus: str = _CORPUS,
    size: int = _SIZE,
    seed: int = _SEED,
    split: str = SPLIT,
    source: str = SOURCE,
    path: Path | None = _FILE,
    passage_words: int = WORDS,
    out: Path | None = _OUTPUT,
    offline: bool = OFFLINE,
) -> None:
    """Write the index of a set, what it withholds left out, as JSON lines for a pipeline to build its own."""
    import msgspec

    from ragharness.passages import build_passages, withhold
    from ragharness.questions import load_questions
    from ragharness.questions.freezing import write

    loaded = load(corpus, split, source, offline=offline)
    questions = load_questions(loaded, path=path, size=size, seed=seed)
    every = build_passages(loaded.documents, passage_words)
    index = withhold(every, questions.withheld_documents, questions.withheld_spans)
    lines = [msgspec.json.encode(each).decode() for each in index.passages]
    if out is None:
        print_lines(lines)
        return
    write(out, ("\n".join(lines) + "\n").encode())
    left_out = len(every.passages) - len(index.passages)
    print_lines([f"{len(lines)} passages written to {out}, {left_out} withheld"])


def _stored(corpus: str, path: Path | None) -> QuestionSet:
    from ragharness.questions import frozen_set
    from ragharness.questions.freezing import stored_set

    return frozen_set(corpus) if path is None else stored_set(path, corpus)
