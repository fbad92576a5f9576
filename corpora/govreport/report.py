"""One report as every layout of the source gives it."""

from __future__ import annotations

from msgspec import Struct


class Report(Struct, frozen=True, kw_only=True):
    """A report; what a layout does not tell is empty."""

    number: str
    """"R45100", "GAO-18-403"; empty: the rows carry none."""
    agency: str = ""
    """"CRS" or "GAO"."""
    title: str = ""
    date: str = ""
    """When it was published, ISO."""
    body: str
    summary: str = ""
    source: str = ""
