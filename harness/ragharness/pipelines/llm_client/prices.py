"""The cost of a call: tokens times a price of the user's own, else the list price that genai-prices knows.

Where neither is known the cost is None, never zero.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, ClassVar
from urllib.parse import urlsplit

import msgspec

from ragharness.errors import UsageError, install_command
from ragharness.pipelines._services import is_local
from ragharness.support.options import read_toml

_MILLION = 1_000_000
_Amount = Annotated[float, msgspec.Meta(ge=0, le=sys.float_info.max)]


class OwnPrice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """US dollars per million tokens, by a table of the user's."""

    model: str
    input: _Amount
    output: _Amount
    cached_input: _Amount | None = None
    """For prompt tokens that the service had kept; None: as ``input``."""
    up_to: _Amount | None = None
    """Prompt tokens up to which the price holds; None: all."""
    host: str = ""
    """The only one at which it holds; empty: at any."""
    source: ClassVar[str] = "your price table"

    def cost(self, prompt_tokens: int, completion_tokens: int, cached_tokens: int = 0) -> float | None:
        """US dollars of one call; None for a prompt that is longer than the price holds for."""
        if self.up_to and prompt_tokens > self.up_to:
            return None
        cached = min(cached_tokens, prompt_tokens)
        cached_price = self.input if self.cached_input is None else self.cached_input
        fresh = (prompt_tokens - cached) * self.input
        return (fresh + cached * cached_price + completion_tokens * self.output) / _MILLION


@dataclass(frozen=True)
class ListPrice:
    """The price that genai-prices lists for a model at a service; it comes with the package, no network."""

    model: str
    base_url: str

    @property
    def source(self) -> str:
        """The version of the list."""
        from importlib.metadata import version

        return f"list price, genai-prices {version('genai-prices')}"

    def cost(self, prompt_tokens: int, completion_tokens: int, cached_tokens: int = 0) -> float | None:
        """US dollars of one call; None where the list does not know the model or the service."""
        from genai_prices import Usage, calc_price

        cached = min(cached_tokens, prompt_tokens)
        usage = Usage(input_tokens=prompt_tokens, output_tokens=completion_tokens, cache_read_tokens=cached)
        try:
            return float(calc_price(usage, self.model, provider_api_url=self.base_url).total_price)
        except (LookupError, ValueError):
            return None


Price = OwnPrice | ListPrice


def find_price(model: str, base_url: str, table: Path | None = None) -> Price | None:
    """The price of a model where it is served: the table's, else the listed one; None for neither.

    Raises UsageError for a table that cannot be read.
    """
    host = urlsplit(base_url).hostname or ""
    prices = [price for price in (_read(table) if table else []) if price.model == model]
    # A price of the host goes before one of any.
    for price in sorted(prices, key=lambda price: not price.host):
        if price.host in (host, ""):
            return price
    if is_local(host) or not find_spec("genai_prices"):
        return None
    listed = ListPrice(model, base_url)
    return listed if listed.cost(0, 0) is not None else None


def if_unknown() -> str:
    """Help for a model without a known price."""
    remedy = "a table of your own names it: prices=FILE (docs/llm.md)"
    return remedy if find_spec("genai_prices") else f"{install_command('llm')} brings list prices; {remedy}"


def _read(table: Path) -> list[OwnPrice]:
    example = "docs/llm.md shows one; its fields are " + ", ".join(sorted(OwnPrice.__struct_fields__))
    try:
        return msgspec.convert(read_toml(table, example).get("price", []), list[OwnPrice])
    except msgspec.ValidationError as error:
        raise UsageError(
            f"{table} needs [[price]] tables, each with model, input and output in US dollars per million"
            f" tokens: {error}",
            help=example,
        ) from error
