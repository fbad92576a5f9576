"""``ragharness questions``: build, check, show and freeze question sets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from ragharness.corpus import Corpus
    from ragharness.questions import QuestionSet

_CORPUS = typer.Option("sample", "--corpus", help="Name of a corpus (see: corpus list).")
_SPLIT = typer.Option("", "--split", help="Split of the corpus.")
_FROM = typer.Option("", "--from", metavar="PATH|URL", help="Where to get the corpus instead.")
_SIZE = typer.Option(130, "--size", help="Questions; the proportions stay.")
_SEED = typer.Option(20261121, "--seed", help="Another one chooses other questions.")
_FILE = typer.Option(None, "--questions", metavar="FILE", help="A question file or frozen folder.")
_OUT_FILE = typer.Option(None, "--out", metavar="FILE", help="Write the questions to this file.")
_OUT_FOLDER = typer.Option(
    None, "--out", metavar="FOLDER", help="Write to this folder; default: questionsets/<corpus>."
)
_OFFLINE = typer.Option(False, "--offline", help="Fetch nothing.")
_JSON = typer.Option(False, "--json", help="Print JSON.")


def register(app: typer.Typer) -> None:
    """Add the group ``questions`` to the command line."""
    group = typer.Typer(help="Build, check, show and freeze question sets.", no_args_is_help=True)
    group.command("build")(build)
    group.command("check")(check)
    group.command("show")(show)
    group.command("freeze")(freeze)
    app.add_typer(group, name="questions")


def build(
    corpus: str = _CORPUS,
    size: int = _SIZE,
    seed: int = _SEED,
    split: str = _SPLIT,
    source: str = _FROM,
    out: Path | None = _OUT_FILE,
    offline: bool = _OFFLINE,
    as_json: bool = _JSON,
) -> None:
    """Build a set from a corpus; the same size and seed give the same bytes."""
    from ragharness.cli._questions import set_facts, set_lines
    from ragharness.questions import build_questions
    from ragharness.questions.freezing import write

    questions = build_questions(_load(corpus, split, source, offline=offline), size, seed)
    if out is not None:
        write(out, questions.lines)
    if as_json:
        _print_json(set_facts(questions))
        return
    written = f"written to {out}" if out is not None else "not written: give --out FILE"
    _print([*set_lines(questions), "", written])


def check(
    corpus: str = _CORPUS,
    size: int = _SIZE,
    seed: int = _SEED,
    split: str = _SPLIT,
    source: str = _FROM,
    path: Path | None = _FILE,
    offline: bool = _OFFLINE,
    as_json: bool = _JSON,
) -> None:
    """Check every property of a set against its corpus; exit code 1 on a finding."""
    from ragharness.cli._questions import check_lines
    from ragharness.questions import check_questions, load_questions

    loaded = _load(corpus, split, source, offline=offline)
    questions = load_questions(loaded, path=path, size=size, seed=seed)
    findings = check_questions(questions, loaded)
    if as_json:
        _print_json({"hash": questions.hash, "findings": [each._asdict() for each in findings]})
    else:
        _print(check_lines(questions, findings))
    if findings:
        raise typer.Exit(1)


def show(
    question: str = typer.Argument("", metavar="[ID]", help="The id of one question."),
    corpus: str = _CORPUS,
    path: Path | None = _FILE,
    split: str = _SPLIT,
    source: str = _FROM,
    as_json: bool = _JSON,
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
            _print_json(set_facts(questions))
        else:
            _print(table(questions))
        return
    wanted = pick(questions, question)
    here = _load_if_here(questions.corpus or corpus, split or questions.split, source)
    if as_json:
        _print_json(question_facts(wanted))
    else:
        _print(question_lines(wanted, here))


def freeze(
    corpus: str = _CORPUS,
    size: int = _SIZE,
    seed: int = _SEED,
    split: str = _SPLIT,
    source: str = _FROM,
    out: Path | None = _OUT_FOLDER,
    offline: bool = _OFFLINE,
    as_json: bool = _JSON,
) -> None:
    """Build a set, check it, and write it with its card and hash."""
    from ragharness import shelf
    from ragharness.cli._questions import check_lines, set_facts, set_lines
    from ragharness.questions import build_questions, check_questions
    from ragharness.questions import freeze as write_frozen

    loaded = _load(corpus, split, source, offline=offline)
    questions = build_questions(loaded, size, seed)
    findings = check_questions(questions, loaded)
    if findings:
        _print(check_lines(questions, findings))
        raise typer.Exit(1)
    folder = out or shelf.root() / "questionsets" / corpus
    write_frozen(questions, folder, loaded)
    if as_json:
        _print_json(set_facts(questions))
    else:
        _print([*set_lines(questions), "", f"frozen in {folder}"])


def _stored(corpus: str, path: Path | None) -> QuestionSet:
    from ragharness.questions import frozen_set
    from ragharness.questions.freezing import stored_set

    return frozen_set(corpus) if path is None else stored_set(path, corpus)


def _load(name: str, split: str, source: str, *, offline: bool) -> Corpus:
    from ragharness.cli._console import Live
    from ragharness.corpus import load_corpus

    live = Live()
    try:
        return load_corpus(name, split=split, source=source, offline=offline, on_progress=live.fetching)
    finally:
        live.clear()


def _load_if_here(name: str, split: str, source: str) -> Corpus | None:
    """Return the corpus when it is on this machine: a question can be read without it."""
    from ragharness.errors import CorpusUnavailable

    try:
        return _load(name, split, source, offline=True)
    except CorpusUnavailable:
        return None


def _print(lines: list[str]) -> None:
    for line in lines:
        typer.echo(line)


def _print_json(value: object) -> None:
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False))
