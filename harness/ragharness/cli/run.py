"""``ragharness run``: ask every question once, grade, report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from typing import NoReturn

    from ragharness.cli._console import Live, Output
    from ragharness.runner import Wishes
    from ragharness.scores import Scores
    from ragharness.store import RunFolder

EXIT_INCOMPLETE = 2


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("run")(run)


def run(
    corpus: str = typer.Option("sample", help="Name of a corpus (see: corpus list)."),
    pipeline: str = typer.Option(
        "extractive",
        help="pkg.mod:attr, path/file.py:attr, or a reference: extractive, blind, refuse, scripted:FILE.",
    ),
    questions: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A question file instead of the corpus's own.")
    ] = None,
    pipeline_option: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="A setting of the pipeline; may be repeated."),
    ] = None,
    retriever: str = typer.Option("bm25", help="bm25, null or oracle."),
    retriever_option: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="A setting of the retriever; may be repeated."),
    ] = None,
    k: int = typer.Option(5, "--k", help="Passages that are retrieved."),
    passage_words: int = typer.Option(120, help="Size of passages in words."),
    split: str = typer.Option("", help="Split of the corpus."),
    source: str = typer.Option("", "--from", metavar="PATH|URL", help="Where to get the corpus instead."),
    size: int = typer.Option(130, help="Questions; the proportions stay."),
    seed: int = typer.Option(20261121, help="Another one chooses other questions."),
    concurrency: int = typer.Option(8, help="Questions that are asked at the same time."),
    timeout: float = typer.Option(60.0, help="Seconds after which a question is given up."),
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="The run folder; default: runs/<time>_...")
    ] = None,
    fresh: bool = typer.Option(False, "--fresh", help="Start anew even if an unfinished run could go on."),
    as_json: bool = typer.Option(False, "--json", help="Print the scores as JSON."),
    strict: bool = typer.Option(False, "--strict", help="Exit 2 when anything is not graded."),
    offline: bool = typer.Option(False, "--offline", help="Fetch nothing."),
    quiet: bool = typer.Option(False, "--quiet", help="No progress."),
) -> int:
    """Ask a pipeline every question of a set, grade each answer, print the report.

    The same command continues a run that was broken off; nothing is asked twice.
    """
    from ragharness.cli._console import Live, results_only
    from ragharness.runner import Wishes

    wishes = Wishes(
        corpus=corpus,
        split=split,
        source=source,
        offline=offline,
        questions=questions,
        size=size,
        seed=seed,
        pipeline=pipeline,
        pipeline_options=tuple(pipeline_option or ()),
        retriever=retriever,
        retriever_options=tuple(retriever_option or ()),
        k=k,
        passage_words=passage_words,
        concurrency=concurrency,
        timeout=timeout,
    )
    live = Live(quiet=quiet)
    with results_only() as output:
        scores, given_up = _run(wishes, out, fresh, live)
        _report(scores, output, as_json)
        code = EXIT_INCOMPLETE if strict and scores.not_graded else 0
        if given_up:
            from ragharness.cli._console import leave

            leave(code)
    return code


def _run(wishes: Wishes, out: Path | None, fresh: bool, live: Live) -> tuple[Scores, int]:
    """Return the scores and how many calls were given up."""
    from ragharness.cli._command import command
    from ragharness.cli._scoring import keep
    from ragharness.download import cache_folder
    from ragharness.runner import ask_all, assemble, blind_count, choose_folder
    from ragharness.scores import score_folder

    bench = assemble(wishes, live.fetching, cache_folder())
    live.clear()
    for note in bench.questions.notes:
        live.say(note)
    folder = choose_folder(bench, live.say, out=out, fresh=fresh, command=command())
    try:
        given_up = ask_all(bench, wishes, folder, live.say, command=command(), on_progress=live.progress)
    except KeyboardInterrupt:
        _stop(folder, live)
    finally:
        live.clear()
    blind, note = blind_count(bench.ground, folder.records, cache_folder() / "references")
    return keep(folder, score_folder(folder, blind, note)), given_up


def _stop(folder: RunFolder, live: Live) -> NoReturn:
    from ragharness.cli import EXIT_INTERRUPTED, complain
    from ragharness.cli._command import resume_command
    from ragharness.cli._console import leave
    from ragharness.runner import how_far

    live.clear()
    complain(f"interrupted: {how_far(folder)} and kept in {folder.path}", resume_command(), EXIT_INTERRUPTED)
    leave(EXIT_INTERRUPTED)


def _report(scores: Scores, output: Output, as_json: bool) -> None:
    from ragharness.reports import json_report, terminal_report

    if as_json:
        output.write(json_report(scores))
    else:
        output.write(terminal_report(scores, width=output.width, colour=output.colour))
