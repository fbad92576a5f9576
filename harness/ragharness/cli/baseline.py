"""``ragharness baseline``: published runs of the reference pipelines, run and checked anew."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ragharness.cli import add_group
from ragharness.cli._options import FORM, JSON, OFFLINE, RUN, SOURCE, completion, form_of

if TYPE_CHECKING:
    from ragharness.analysis.baselines import Baseline

EXIT_DIFFERENT = 1
_CORPUS = typer.Option("", "--corpus", help="Those of one corpus.", autocompletion=completion("corpus"))
_BASE_URL = typer.Option("", "--base-url", metavar="URL", help="Server of the model, for those of a model.")
_MODEL_FILE = Annotated[
    Path | None, typer.Option("--model-file", metavar="FILE", help="File of the local model, for its hash.")
]

_FOLDER = Path("baselines")  # where a new baseline is written


def register(app: typer.Typer) -> None:
    """Add the group."""
    summary = "List, run, verify and add published baselines."
    group = add_group(app, "baseline", summary, "baseline list --corpus contractnli")
    for verb in (run, verify, add):
        group.command(verb.__name__)(verb)
    group.command("list")(listed)


def listed(corpus: str = _CORPUS, form: str = FORM, as_json: bool = JSON) -> None:
    """List the published baselines with their counts.

    Example: ragharness baseline list --corpus contractnli
    """
    from ragharness.analysis.baselines import load_baselines
    from ragharness.cli._options import print_report
    from ragharness.reports.measures import baseline_section

    baselines = load_baselines(corpus)
    facts = [{"baseline": baseline, "scores": baseline.scores} for baseline in baselines]
    section = baseline_section([(baseline.id, baseline.scores) for baseline in baselines])
    print_report(facts, [section], form_of(form, as_json=as_json))


def run(
    name: str = typer.Argument(
        ..., metavar="ID", help="One of ragharness baseline list.", autocompletion=completion("baseline")
    ),
    source: str = SOURCE,
    base_url: str = _BASE_URL,
    offline: bool = OFFLINE,
) -> int:
    """Run the settings of a baseline anew and print the report.

    Example: ragharness baseline run sample-extractive-bm25
    """
    from ragharness import api
    from ragharness.analysis.baselines import load_baseline, run_baseline
    from ragharness.cli._options import exit_code, print_scores, results_only

    with results_only() as output:
        done = run_baseline(load_baseline(name), api.run, **_where(source, base_url, offline))
        print_scores(done.scores, output, as_json=False, reference=str(done.path))
    return exit_code(done.scores)


def verify(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="ID...", help="Default: all.", autocompletion=completion("baseline")),
    ] = None,
    corpus: str = _CORPUS,
    source: str = SOURCE,
    base_url: str = _BASE_URL,
    model_file: _MODEL_FILE = None,
    offline: bool = OFFLINE,
    as_json: bool = JSON,
) -> int:
    """Run baselines anew and compare outcome by outcome. Exit code 1: one differs; 2: none was checked.

    Example: ragharness baseline verify --corpus sample
    """
    from ragharness import api
    from ragharness.analysis.baselines import load_baseline, load_baselines
    from ragharness.analysis.baselines import verify as check
    from ragharness.cli._options import EXIT_NO_RESULT, print_facts, print_lines

    baselines: list[Baseline] = list(map(load_baseline, names or ())) or load_baselines(corpus)
    where = {**_where(source, base_url, offline), "model_sha256": _digest(model_file)}
    checks = []
    for baseline in baselines:
        checks.append(check(baseline, api.run, **where))
        if not as_json:
            reasons = (f"    {reason}" for reason in checks[-1].found[:5])
            print_lines([f"{checks[-1].status:12} {baseline.id}", *reasons])
    counts = Counter(check.status for check in checks)
    summary = ", ".join(f"{counts[status]} {status}" for status in sorted(counts))
    print_facts([check._asdict() for check in checks], [summary], as_json=as_json)
    return EXIT_DIFFERENT if counts["differs"] else 0 if counts["reproduced"] else EXIT_NO_RESULT


def add(
    run: str = RUN,
    name: str = typer.Option("", "--id", metavar="ID", help="Name (default: made of the settings)."),
    model_file: _MODEL_FILE = None,
) -> None:
    """Turn a finished run into a baseline, in the folder baselines: settings, scores, outcomes, no text.

    Its questions must be the frozen ones, and every answer is graded again first.
    Example: ragharness baseline add runs/mine --id contractnli-mine
    """
    from ragharness import api
    from ragharness.analysis.baselines import add_baseline
    from ragharness.cli._options import print_lines

    baseline = add_baseline(api.load_run(run), _FOLDER, name, model_sha256=_digest(model_file))
    checked = {
        "bytes": "every outcome must come out again",
        "ranking": "the ranking must come out again, up to ties",
        "intervals": "its buckets must come out again within their intervals",
        "reported": "nobody else can run its pipeline",
    }[baseline.reproduces]
    print_lines([f"{_FOLDER / baseline.id}: {checked}"])


def _where(source: str, base_url: str, offline: bool) -> dict[str, Any]:
    return {"source": source, "offline": offline, **({"base_url": base_url} if base_url else {})}


def _digest(path: Path | None) -> str:
    from ragharness.corpus.download.pinned import hash_file
    from ragharness.errors import UsageError

    try:
        return hash_file(path) if path else ""
    except OSError as error:
        raise UsageError(f"expected --model-file to be readable, found {path}: {error.strerror}") from error
