"""``ragharness run``: ask every question once, grade, report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragharness.cli._options import CORPUS, OFFLINE, QUESTIONS, SEED, SIZE, SOURCE, SPLIT, SUBSET, WORDS

if TYPE_CHECKING:
    from typing import NoReturn

    from ragharness.cli._console import Live
    from ragharness.runner import Ended, Ground, Wishes
    from ragharness.scores import Scores
    from ragharness.store import RunFolder

    Asked = tuple[RunFolder, Ground]

EXIT_INCOMPLETE = 2

_HEADINGS = {
    "corpus": "Which questions",
    "pipeline": "Pipeline",
    "retriever": "Retrieval",
    "concurrency": "The night",
    "out": "Output",
}
"""Headings of the help, each before the option that it begins with."""


def register(app: typer.Typer) -> None:
    """Add the verb."""
    from ragharness.cli._panels import under

    app.command("run", cls=under(_HEADINGS))(run)


def run(
    corpus: str = CORPUS,
    split: str = SPLIT,
    subset: str = SUBSET,
    source: str = SOURCE,
    questions: Path | None = QUESTIONS,
    size: int = SIZE,
    seed: int = SEED,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="ID,...", help="Ask these questions alone; may be repeated."),
    ] = None,
    limit: int = typer.Option(0, help="Ask so many of them, the rows in proportion; 0: all."),
    sample_seed: int = typer.Option(0, help="Another one takes others under --limit."),
    epochs: int = typer.Option(1, help="Ask each so often; all answers count."),
    pipeline: str = typer.Option(
        "extractive",
        help="pkg.mod:attr, path/file.py:attr, http(s)://HOST/PATH, cmd:COMMAND, replay:FILE, llm, or a"
        " reference: extractive, blind, refuse, scripted:FILE.",
    ),
    pipeline_option: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="A setting of the pipeline; may be repeated."),
    ] = None,
    model: str = typer.Option("", help="Short for --pipeline-option model=..."),
    base_url: str = typer.Option("", metavar="URL", help="Short for --pipeline-option base-url=..."),
    no_cache: bool = typer.Option(False, "--no-cache", help="Short for --pipeline-option cache=no."),
    retriever: str = typer.Option(
        "bm25", help="bm25, dense, hybrid, null, oracle, or your own pkg.mod:attr."
    ),
    retriever_option: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="A setting of the retriever; may be repeated."),
    ] = None,
    k: int = typer.Option(5, "--k", help="Passages that are retrieved."),
    passage_words: int = WORDS,
    concurrency: int = typer.Option(8, help="Questions that are asked at the same time."),
    timeout: float = typer.Option(60.0, help="Seconds after which a call is given up."),
    retries: int = typer.Option(4, help="Further calls where one failed in passing (429, 5xx, cut off)."),
    retry_errors: bool = typer.Option(
        False, "--retry-errors", help="Ask again what ended in an error or a time-out."
    ),
    rpm: Annotated[
        float | None,
        typer.Option(metavar="N", help="Calls a minute at most, evenly, over all workers."),
    ] = None,
    max_cost: Annotated[
        float | None,
        typer.Option(metavar="USD", help="Ask nothing more once the whole run has cost so much."),
    ] = None,
    max_time: str = typer.Option("", metavar="TIME", help="Ask nothing more after 90s, 30m or 2h."),
    isolate: bool = typer.Option(
        False, "--isolate", help="Run a pipeline of your own in processes that may hang or die."
    ),
    offline: bool = OFFLINE,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="The run folder; default: runs/<time>_..."),
    ] = None,
    fresh: bool = typer.Option(False, "--fresh", help="Start anew even if an unfinished run could go on."),
    tag: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A name kept with the run and its folder; may be repeated."),
    ] = None,
    as_json: bool = typer.Option(False, "--json", help="Print the scores as JSON."),
    strict: bool = typer.Option(False, "--strict", help="Exit 2 when anything is not graded."),
    quiet: bool = typer.Option(False, "--quiet", help="No progress."),
) -> int:
    """Ask a pipeline every question of a set, grade each answer, print the report.

    The same command continues a run that was broken off; nothing is asked twice.
    """
    from ragharness.cli._console import Live, results_only
    from ragharness.cli._loading import part
    from ragharness.cli._scoring import show
    from ragharness.runner import Wishes, seconds_of

    short = {"model": model, "base-url": base_url, "cache": "no" if no_cache else ""}
    wishes = Wishes(
        corpus=corpus,
        split=part(split, subset),
        source=source,
        offline=offline,
        questions=questions,
        size=size,
        seed=seed,
        only=tuple(only or ()),
        limit=limit,
        sample_seed=sample_seed,
        epochs=epochs,
        pipeline=pipeline,
        pipeline_options=(
            *(pipeline_option or ()),
            *(f"{name}={value}" for name, value in short.items() if value),
        ),
        retriever=retriever,
        retriever_options=tuple(retriever_option or ()),
        k=k,
        passage_words=passage_words,
        concurrency=concurrency,
        timeout=timeout,
        retries=retries,
        retry_errors=retry_errors,
        rpm=rpm,
        max_cost=max_cost,
        max_time=seconds_of(max_time) if max_time else None,
        isolate=isolate,
        tags=tuple(tag or ()),
    )
    live = Live(quiet=quiet)
    with results_only() as output:
        folder, ended = _ask(wishes, out, fresh, live)
        scores = _scores(folder)
        show(scores, output, as_json=as_json)
        _left(folder, ended, live)
        code = EXIT_INCOMPLETE if strict and scores.not_graded else 0
        if ended.given_up:
            from ragharness.cli._console import leave

            leave(code)
    return code


def _ask(wishes: Wishes, out: Path | None, fresh: bool, live: Live) -> tuple[Asked, Ended]:
    """Return the run, with what its answers are graded on, and how the session ended."""
    from ragharness.cli._command import command, resume_command
    from ragharness.download import cache_folder
    from ragharness.errors import AccessRefused, UsageError
    from ragharness.runner import ask_all, assemble, choose_folder, how_far

    bench = assemble(wishes, live.fetching, cache_folder())
    live.clear()
    for note in bench.questions.notes:
        live.say(note)
    folder = choose_folder(
        bench,
        live.say,
        out=out,
        fresh=fresh,
        again=wishes.retry_errors,
        tags=wishes.tags,
        command=command(),
    )
    try:
        ended = ask_all(bench, wishes, folder, live.say, command=command(), on_progress=live.progress)
    except KeyboardInterrupt:
        _stop(folder, live)
    except (AccessRefused, UsageError) as error:
        # Credentials that are refused, or a budget that cannot be kept.
        raise type(error)(
            f"{error}; {how_far(folder)} and kept in {folder.path}",
            help=f"{error.help or 'put the key right'}, then: {resume_command()}",
        ) from error
    finally:
        live.clear()
    return (folder, bench.ground), ended


def _scores(asked: Asked) -> Scores:
    from ragharness.cli._scoring import keep
    from ragharness.download import cache_folder
    from ragharness.runner import blind_count
    from ragharness.scores import score_folder

    folder, ground = asked
    blind, note = blind_count(ground, folder.records, cache_folder() / "references")
    return keep(folder, score_folder(folder, blind, note))


def _left(asked: Asked, ended: Ended, live: Live) -> None:
    """Say what a limit left unasked, and the command that goes on."""
    if ended.reason:
        from ragharness.cli._command import resume_command
        from ragharness.runner import how_far

        folder, _ = asked
        command = resume_command(raised="--max-cost" in ended.reason)
        live.tell(f"stopped: {ended.reason}; {how_far(folder)} and kept in {folder.path}\ngo on: {command}")


def _stop(folder: RunFolder, live: Live) -> NoReturn:
    from ragharness.cli import EXIT_INTERRUPTED, complain
    from ragharness.cli._command import resume_command
    from ragharness.cli._console import leave
    from ragharness.runner import how_far

    live.clear()
    complain(f"interrupted: {how_far(folder)} and kept in {folder.path}", resume_command(), EXIT_INTERRUPTED)
    leave(EXIT_INTERRUPTED)
