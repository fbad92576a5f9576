"""The page: one self-contained HTML file of one run or of several, and its pieces for notebooks."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ragharness.analysis.comparison.compare import LETTERS, OUTCOMES, compare
from ragharness.analysis.scores.schema import ROW_NAMES, Scores
from ragharness.analysis.statistics.intervals import sign_test
from ragharness.records import BUCKETS
from ragharness.reports import text, words
from ragharness.reports.page.content import bar_of, held, plane, share_of
from ragharness.reports.rows import RunOnDisk
from ragharness.reports.rubric import rubrics_of
from ragharness.reports.tables import limits, p_value

if TYPE_CHECKING:
    from jinja2 import Environment

_HOME = Path(__file__).parent


def page(runs: Sequence[RunOnDisk]) -> str:
    """Return one HTML file that needs no other, and that no browser lets load or send anything.

    Several runs are compared with the first: raises NotComparable for other questions or another corpus.
    """
    found = compare([each.folder for each in runs]) if len(runs) > 1 else None
    lettered = dict(zip(LETTERS, runs, strict=False))
    content = held(runs, found.against if found else ())
    content["letters"] = list(lettered)
    script, style = _script(), _style()
    return (
        _templates()
        .get_template("page.html")
        .render(
            runs={letter: each.scores for letter, each in lettered.items()},
            rubrics={letter: rubrics_of(each.folder, "text") for letter, each in lettered.items()},
            found=found,
            policy=f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
            "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'",
            script=_raw(script),
            style=_raw(style),
            data=_raw(_embedded(content)),
        )
    )


def notebook(scores: Scores) -> str:
    """Return verdict, pictures and tables of a run as HTML without a script."""
    rendered = _templates().get_template("notebook.html")
    return rendered.render(runs={"A": scores}, style=_raw(_file("pieces.css")))


@lru_cache
def _templates() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(_HOME),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    made.globals.update(
        words=words,
        text=text,
        plane=plane,
        bar_of=bar_of,
        share_of=share_of,
        limits=limits,
        p_value=p_value,
        sign_test=sign_test,
        BUCKETS=BUCKETS,
        OUTCOMES=OUTCOMES,
        ROW_NAMES=ROW_NAMES,
        KEYS={name: key for key, name in ROW_NAMES.items()},
    )
    return made


def _shown(value: Any) -> Any:
    """Return a value without what could steer a terminal or turn the direction of text around."""
    return text.clean(value) if type(value) is str else value


def _raw(content: str) -> Any:
    from markupsafe import Markup

    return Markup(content)  # noqa: S704 (files of ours, and JSON without a "<")


def _embedded(content: object) -> str:
    """Return JSON that nothing within it can end: "<" is written as its escape."""
    return msgspec.json.encode(content).replace(b"<", b"\\u003c").decode()


@lru_cache
def _file(name: str) -> str:
    return (_HOME / name).read_text(encoding="utf-8")


def _script() -> str:
    return _file("page.js")


def _style() -> str:
    return _file("pieces.css") + _file("page.css")


def _hash(content: str) -> str:
    digest = hashlib.sha256(content.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


__all__ = ["notebook", "page"]
