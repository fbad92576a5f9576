"""``ragharness doctor``: check that everything a run needs is installed and usable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragharness.cli._options import JSON

if TYPE_CHECKING:
    from ragharness.cli._health import Finding

EXIT_BROKEN = 1


def doctor(as_json: bool = JSON) -> int:
    """Check that everything needed for a run is in place.

    Looks at installation, extras, models, corpora, folders and keys; exit code 1 if anything is broken. Keys
    are reported as present or absent, never shown. Nothing is downloaded, loaded or written.

    Example: ragharness doctor --json
    """
    from msgspec import to_builtins

    from ragharness.cli._console import print_json, results_only
    from ragharness.cli._health import findings
    from ragharness.reports.progress import WIDEST

    found = list(findings())
    broken = any(finding.state == "broken" for finding in found)
    if as_json:
        print_json({"ok": not broken, "findings": [to_builtins(finding) for finding in found]})
    else:
        with results_only() as output:
            lines = _lines(found, min(WIDEST, output.width), output.colour)
            output.write("\n".join(lines) + "\n")
    return EXIT_BROKEN if broken else 0


def _lines(found: Sequence[Finding], width: int, colour: bool) -> list[str]:
    from ragharness.reports.text import clean, coloured, paragraph

    names = max(len(finding.name) for finding in found)
    before = len("missing") + names + 6
    lines: list[str] = []
    group = ""
    for finding in found:
        if finding.group != group:
            group = finding.group
            lines += [*([""] if lines else []), group]
        mark = coloured(f"{finding.state:<7}", "" if finding.state == "ok" else "bad", colour)
        first, *rest = paragraph(finding.found, width, " " * before) or [""]
        lines.append(f"  {mark}  {clean(finding.name):<{names}}  {first.strip()}".rstrip())
        lines += rest
        if finding.help and finding.state != "ok":
            lines += paragraph(finding.help, width, " " * before)
    return [*lines, "", _last(found)]


def _last(found: Sequence[Finding]) -> str:
    counts = {state: sum(each.state == state for each in found) for state in ("missing", "broken")}
    if counts["broken"]:
        return f"{counts['broken']} broken: see above for the fix"
    return f"nothing is broken; missing, but optional: {counts['missing']}"
