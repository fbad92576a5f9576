"""The cost of a call: tokens times a dated list price; None for a model without a listed price."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragharness.errors import UsageError
from ragharness.language.tables import regex

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from ragharness.pipelines._llm.services import Reply

TABLE = Path(__file__).parent / "prices.toml"
"""The table that comes with the package."""

_DATED = regex(r"-\d{4}-?\d{2}-?\d{2}$")
_MILLION = 1_000_000
_KNOWN = {"model", "host", "input", "output", "cached_input", "up_to", "seen", "source"}


@dataclass(frozen=True)
class Price:
    """US dollars per million tokens."""

    input: float
    output: float
    cached_input: float | None = None
    """For prompt tokens that the service had kept; None: as ``input``."""
    up_to: int | None = None
    """Prompt tokens up to which the price holds; None: all."""
    seen: str = ""
    """The day on which the service's page said so."""

    def cost(self, reply: Reply) -> float | None:
        """Return the US dollars of one reply; None: its tokens are not told, or the price does not hold."""
        prompt, completion = reply.prompt_tokens, reply.completion_tokens
        if prompt is None or completion is None or prompt > (self.up_to or prompt):
            return None
        cached = min(reply.cached_tokens, prompt)
        kept_at = self.input if self.cached_input is None else self.cached_input
        return ((prompt - cached) * self.input + cached * kept_at + completion * self.output) / _MILLION


def find_price(model: str, host: str, table: Path = TABLE) -> Price | None:
    """Return the price of a model at a host; None: the table does not know it.

    An exact name goes before one without its date, a price of the host before one of any. Raises UsageError
    for a table that cannot be read.
    """
    rows = _rows(table)
    for name in (model, _DATED.sub("", model)):
        for place in (host, None):
            for row in rows:
                if row["model"] == name and row.get("host") == place:
                    return _price(row)
    return None


def _rows(table: Path) -> list[dict[str, Any]]:
    try:
        held = tomllib.loads(table.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"expected a price table in TOML at {table}, found: {error}") from error
    rows = held.get("price", [])
    if not isinstance(rows, list) or not all(map(_is_row, rows)):
        raise UsageError(
            f"expected [[price]] tables in {table}, each with model, input and output in US dollars per"
            " million tokens, found something else",
            help="docs/llm.md shows one; its fields are " + ", ".join(sorted(_KNOWN)),
        )
    return rows


def _is_row(row: Any) -> bool:
    if not isinstance(row, dict) or not {"model", "input", "output"} <= set(row) <= _KNOWN:
        return False
    amounts = (row[name] for name in ("input", "output", "cached_input", "up_to") if name in row)
    return isinstance(row["model"], str) and all(map(_is_amount, amounts))


def _is_amount(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < float("inf")


def _price(row: dict[str, Any]) -> Price:
    return Price(
        float(row["input"]),
        float(row["output"]),
        float(row["cached_input"]) if "cached_input" in row else None,
        int(row["up_to"]) if "up_to" in row else None,
        str(row.get("seen", "")),
    )
