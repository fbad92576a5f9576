"""``ragharness gate``: may the candidate ship in the place of the base?"""

from __future__ import annotations

import typer

from ragharness.cli._options import FORM, JSON, MARKDOWN, completion, form_of, print_report

EXIT = {"ship": 0, "reject": 1, "incomplete": 2, "not comparable": 2}


def gate(
    base: str = typer.Argument(
        "",
        metavar="[BASE]",
        help="Run that the change is measured against (default: the one before the newest).",
        autocompletion=completion("run"),
    ),
    candidate: str = typer.Argument(
        "",
        metavar="[CANDIDATE]",
        help="Run with the change (default: the newest).",
        autocompletion=completion("run"),
    ),
    gates: str = typer.Option(
        "", "--gates", metavar="FILE|NAME=VALUE,...", help="A gate.toml, or its settings themselves."
    ),
    why: str = typer.Option(
        "", "--override", metavar="WHY", help="Record that you ship anyway; the verdict stays."
    ),
    who: str = typer.Option("", "--by", metavar="WHO", help="Who overrides."),
    detail: bool = typer.Option(False, "--all", help="Show the statistics, too."),
    form: str = FORM,
    as_json: bool = JSON,
    markdown: bool = MARKDOWN,
) -> int:
    """Say whether a change may ship: exit code 0 ship, 1 reject, 2 incomplete or not comparable.

    Wrong and unsupported answers and uncited claims may not increase, refusal quality and correct answers may
    not fall.

    Example: ragharness gate runs/before runs/after --gates gate.toml
    """
    from ragharness.analysis.gate import gate as decide
    from ragharness.analysis.rules import read_gates
    from ragharness.reports.compare import gate_sections
    from ragharness.runner.run_search import find_run, run_before

    form = form_of(form, markdown=markdown, as_json=as_json)
    after = find_run(candidate)
    decision = decide(
        find_run(base) if base else run_before(after), after, read_gates(gates), by=who, why=why
    )
    print_report(decision, gate_sections(decision, detail=detail), form)
    return EXIT[decision.verdict]
