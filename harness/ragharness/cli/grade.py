"""``ragharness grade``: grade labelled cases and print expected against got."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ragharness.errors import UsageError

if TYPE_CHECKING:
    from ragharness.cases import CaseResult

EXIT_DIFFERENT = 1


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("grade", help="Grade labelled cases, and print expected against got.")(grade)


def grade(
    cases: Path = typer.Option(None, "--cases", help="A JSON file of labelled cases.", show_default=False),
    grader: str = typer.Option("rules", "--grader", help="The grader to use."),
    json: bool = typer.Option(False, "--json", help="Print the results as JSON."),
) -> int:
    """Grade labelled cases; exit 1 when a case differs."""
    if cases is None:
        raise UsageError("expected a file of cases, found none", help="ragharness grade --cases FILE")
    return _grade_cases(cases, grader, as_json=json)


def _grade_cases(path: Path, name: str, *, as_json: bool) -> int:
    from ragharness.cases import check_cases
    from ragharness.graders import load_grader

    results = list(check_cases(path, load_grader(name)))
    different = [result for result in results if result.differences]
    if as_json:
        typer.echo(_as_json(results))
    else:
        for result in different:
            typer.echo(_as_text(result))
        typer.echo(f"{len(results) - len(different)} of {len(results)} cases as expected, {len(different)} different")
    return EXIT_DIFFERENT if different else 0


def _as_text(result: CaseResult) -> str:
    lines = [f"{result.case.id}  {' '.join(result.case.answer.text.split())[:160]}"]
    for key, (wanted, got) in result.differences.items():
        lines.append(f"    {key}: expected {_show(wanted)}, got {_show(got)}")
    lines.append(f"    row {result.verdict.decided_by}: {result.verdict.why}")
    return "\n".join(lines)


def _show(value: Any) -> str:
    return ", ".join(map(str, value)) or "none" if isinstance(value, (list, tuple)) else str(value)


def _as_json(results: list[CaseResult]) -> str:
    import msgspec

    rows = [
        {
            "id": result.case.id,
            "as_expected": not result.differences,
            "differences": {key: {"expected": wanted, "got": got} for key, (wanted, got) in result.differences.items()},
            "verdict": result.verdict,
        }
        for result in results
    ]
    return msgspec.json.format(msgspec.json.encode(rows), indent=2).decode()
