"""Report formats: one file each, or an entry point of ``ragharness.formats``, found by its name.

A format's module has ``render(scores, *, run, width, colour, reference, detail)``, which returns the whole
report: a text that ends with a line break, bytes, or for a folder its files by name. A format declares those
that it uses and takes the others as ``**_``. ``run`` is the run on disk, for whatever tells of single
questions; ``width`` and ``colour`` are what a terminal can show, ``reference`` names the run in the commands
that the report offers (empty: it is the newest), ``detail`` asks for all there is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ragharness.errors import UnknownName
from ragharness.support import plugins

WIDTH = 80


def format_names() -> list[str]:
    """Return the names of all report formats, in alphabetical order."""
    return plugins.names("formats", __name__)


def load_format(name: str) -> Callable[..., Any]:
    """Return the function that writes a report; raises UnknownName with the nearest names."""
    if name not in format_names():
        raise UnknownName("report format", name, format_names())
    render: Callable[..., Any] = plugins.load("formats", __name__, name, "render").render
    return render
