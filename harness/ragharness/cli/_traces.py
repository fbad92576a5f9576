"""``score`` without a run: traces against a gold set, and outputs of other systems."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import typer

from ragharness.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path


def score_traces(gold: Path, trace: Path, k: int, gates: str, *, compat: bool, as_json: bool) -> int:
    """Score traces against a gold set; returns the exit code."""
    from ragharness import traces
    from ragharness.cli._console import print_report
    from ragharness.graders.rules import declines
    from ragharness.reports import trace_sections

    if compat:
        return traces.run_compat(gold, trace, k, gates)
    try:
        found = traces.score(traces.read(gold), traces.read(trace), k=k, gates=gates, reads_refusal=declines)
    except traces.TraceError as error:
        raise UsageError(str(error), help="docs/traces.md shows both files") from error
    print_report(
        traces.json_of(found) if as_json else found, trace_sections(found), "json" if as_json else "text"
    )
    return traces.exit_code(found)


def score_outputs(path: Path, metrics: str, *, compat: bool, as_json: bool) -> int:
    """Measure outputs of another system; ``compat``: print what trust_eval prints. Returns the exit code."""
    from ragharness.cli._console import print_json, print_report
    from ragharness.reports import metric_sections
    from ragharness.scores.measuring import metrics_of_outputs, read_outputs, read_wanted
    from ragharness.scores.trust_compat import compat as printed

    wanted = read_wanted(metrics)
    if compat:
        print_json(printed(read_outputs(path, wanted.claims)))
        return 0
    found = metrics_of_outputs(path, wanted)
    print_report(found, metric_sections(found), "json" if as_json else "text")
    return 0 if found.questions else 2


def score_log(path: Path, against: str, drawn: int, out: Path | None, *, as_json: bool) -> int:
    """Score a log without gold; returns 2, as no answer is graded.

    ``against``: an earlier log; ``drawn``: answers that are written to ``out`` for people to label.
    """
    from pathlib import Path

    from msgspec import to_builtins

    from ragharness.cli._console import EXIT_NO_RESULT, print_report
    from ragharness.logs import read_log
    from ragharness.reports import log_sections
    from ragharness.scores import production

    log = read_log(path)
    found = production.score_log(log)
    moved = production.drift(production.score_log(read_log(Path(against))), found) if against else []
    if out is not None:
        _write(out, production.sample(log.entries, drawn))
    told = {"graded": False, "result": False, **to_builtins(found), "drift": to_builtins(moved)}
    print_report(told, log_sections(found, moved), "json" if as_json else "text")
    return EXIT_NO_RESULT


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    from ragharness.errors import StorageError
    from ragharness.support.files import new_file

    try:
        with new_file(path) as file:
            file.write("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows).encode())
    except OSError as error:
        raise StorageError(
            f"expected to write {path}, found: {error.strerror or error}", help="name another file with -o"
        ) from error
    typer.echo(
        f"{len(rows)} answers to label written to {path}; then: ragharness calibrate --answers {path}",
        err=True,
    )
