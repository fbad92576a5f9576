"""Help of a command with many options, grouped under headings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer.core

if TYPE_CHECKING:
    from collections.abc import Mapping

_OTHERS = "Options"


def under(headings: Mapping[str, str]) -> type[typer.core.TyperCommand]:
    """Return a command whose help puts each heading before the parameter that it is given for.

    ``--help`` stands at the end, under a heading of its own.
    """

    class Headed(typer.core.TyperCommand):
        def format_options(self, ctx: Any, formatter: Any) -> None:
            """Write the options under the headings, in the order in which the command declares them."""
            panels: dict[str, list[tuple[str, str]]] = {}
            heading = _OTHERS
            for parameter in self.get_params(ctx):
                heading = _OTHERS if parameter.name == "help" else headings.get(parameter.name or "", heading)
                record = parameter.get_help_record(ctx)
                if record is not None:
                    panels.setdefault(heading, []).append(record)
            for panel, records in panels.items():
                with formatter.section(panel):
                    formatter.write_dl(records)

    return Headed
