"""Help of a command with many options: under headings, each option where a reader looks for it."""

from __future__ import annotations

from typing import Any

import typer.core

_OTHERS = "Options"


class Panelled(typer.core.TyperCommand):
    """A command whose options stand under the headings that their ``rich_help_panel`` names."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options, the headings in the order of their first option."""
        panels: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                panels.setdefault(getattr(parameter, "rich_help_panel", None) or _OTHERS, []).append(record)
        for panel, records in panels.items():
            with formatter.section(panel):
                formatter.write_dl(records)
