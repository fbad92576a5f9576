"""``ragharness show``: print one question of a run in full, in every epoch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from ragharness.cli._options import OFFLINE, RUN, SOURCE

if TYPE_CHECKING:
    from ragharness.corpus import Corpus
    from ragharness.store import RunFolder


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("show")(show)


def show(
    question: str = typer.Argument(help="Question id."),
    run: str = RUN,
    source: str = SOURCE,
    offline: bool = OFFLINE,
) -> None:
    """Print one question of a run in full.

    Shows the gold answer, evidence, answer, verdict, the rule that decided, and the retrieved passages.
    """
    from ragharness.cli._console import results_only
    from ragharness.errors import UnknownName
    from ragharness.results import Run
    from ragharness.store import find_run

    folder = find_run(run)
    asked = {each.id: each for each in folder.questions()}
    if question not in asked:
        place = folder.path / "questions.jsonl"
        raise UnknownName(f"question of {folder.name}", question, asked, help=f"they are in {place}")
    found = {each.epoch: each for each in folder.records() if each.question == question}
    found |= {each.epoch: each for each in folder.waiting() if each.question == question}
    records = [found[epoch] for epoch in sorted(found)]
    with results_only() as output:
        run_, width = Run(folder, _corpus(folder, source, offline)), min(output.width, 100)
        if not records:
            output.write(run_.told(asked[question], None, width))
        for number, record in enumerate(records):
            if folder.run.settings.epochs > 1:
                blank = "\n" if number else ""
                output.write(f"{blank}epoch {record.epoch + 1} of {folder.run.settings.epochs}\n\n")
            output.write(run_.told(asked[question], record, width))


def _corpus(folder: RunFolder, source: str, offline: bool) -> Corpus | None:
    """Return the corpus of the run; None, with a notice, if it is unavailable or has changed."""
    from ragharness.console import Live
    from ragharness.corpus import load_corpus
    from ragharness.errors import RagharnessError

    settings, live = folder.run.settings, Live()
    try:
        corpus = load_corpus(settings.corpus, split=settings.split, source=source, offline=offline)
    except RagharnessError as error:
        live.say(f"the texts of the corpus are left out: {error}")
        return None
    if corpus.hash != settings.corpus_hash:
        live.say("the texts of the corpus are left out: the corpus has changed since the run")
        return None
    return corpus
