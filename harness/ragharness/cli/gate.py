"""``ragharness gate``: may the candidate ship in the place of the base?"""

from __future__ import annotations

import typer

from ragharness.cli._options import JSON

EXIT = {"ship": 0, "reject": 1, "incomplete": 2, "not comparable": 2}


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("gate")(gate)


def gate(
    base: str = typer.Argument(..., metavar="BASE", help="Run that the change is measured against."),
    candidate: str = typer.Argument(..., metavar="CANDIDATE", help="Run with the change."),
    gates: str = typer.Option(
        "", "--gates", metavar="FILE|NAME=VALUE,...", help="A gate.toml, or its settings themselves."
    ),
    why: str = typer.Option(
        "", "--override", metavar="WHY", help="Record that you ship anyway; the verdict stays."
    ),
    who: str = typer.Option("", "--by", metavar="WHO", help="Who overrides."),
    as_json: bool = JSON,
    markdown: bool = typer.Option(False, "--markdown", help="Print Markdown."),
) -> int:
    """Say whether a change may ship: exit code 0 ship, 1 reject, 2 incomplete or not comparable.

    Wrong and unsupported answers and uncited claims may not increase, refusal quality and correct answers may
    not fall.
    """
    from ragharness.cli._console import print_report
    from ragharness.comparing import gate as decide
    from ragharness.comparing import read_gates
    from ragharness.errors import UsageError
    from ragharness.reports import gate_sections
    from ragharness.store import find_run

    if as_json and markdown:
        raise UsageError("expected one of --json and --markdown, found both")
    found = decide(find_run(base), find_run(candidate), read_gates(gates), by=who, why=why)
    form = "json" if as_json else "markdown" if markdown else "text"
    print_report(found, gate_sections(found), form)
    return EXIT[found.verdict]
