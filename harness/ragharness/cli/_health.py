"""The checks of ``ragharness doctor``: files, environment variables, metadata; no network."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from ragharness import __version__, shelf
from ragharness.cli._packages import DISTRIBUTION, packages
from ragharness.errors import RagharnessError, install_command
from ragharness.retrievers._models import (
    DEFAULT_MODEL,
    PACKAGE,
    default_is_cached,
    default_is_packaged,
    hub_folder,
    hub_home,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ragharness.cli._packages import Package

State = Literal["ok", "missing", "broken"]
"""``missing`` is something optional that is not there; only what is ``broken`` keeps runs from working."""

OLDEST_PYTHON = (3, 10)
LEAST_SPACE = 200_000_000
"""Bytes under which a disk counts as full: the largest corpus and a run of it need about as many."""

KEYS = (
    ("OPENAI_API_KEY", "--pipeline llm, OpenAI and compatible services"),
    ("ANTHROPIC_API_KEY", "--pipeline llm, Anthropic"),
    ("HF_TOKEN", "models that need a login"),
)
"""Variables that hold secrets, and what each is for: their values are never read into a finding."""

NETWORK = (
    "RAGHARNESS_OFFLINE",
    "HF_HUB_OFFLINE",
    "TRANSFORMERS_OFFLINE",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "SSL_CERT_FILE",
    "OPENAI_BASE_URL",
    "ANTHROPIC_BASE_URL",
)
"""Variables that change where requests go or whether there are any; a proxy's value may hold a password."""

EXTRAS = {
    "dense": "--retriever dense and hybrid, --rerank",
    "llm": "list prices of models for --pipeline llm",
    "folders": ".rst and .docx files in your own folder",
    "hub": "corpora from the Hugging Face hub",
    "parquet": "report --format parquet and datasets",
    "pdf": "PDF files in your own folder",
}
"""The extras that a run may need, and what for; the others serve those who work on the project itself."""

_PATIENCE = 0.2
"""Seconds that adding up the files of a cache may take."""


class Finding(Struct, frozen=True):
    """The result of one check."""

    group: str
    name: str
    state: State
    found: str
    help: str = ""
    """The next command, where there is one."""


def findings() -> Iterator[Finding]:
    """Yield the result of every check, group by group."""
    asked = packages()
    yield from _installation(asked)
    yield from _extras(asked or [])
    yield from _models()
    yield from _corpora()
    yield from _folders()
    yield from _keys()
    yield from _surroundings()


def _installation(asked: list[Package] | None) -> Iterator[Finding]:
    group = "installation"
    if asked is None:
        found = f"{__version__} in {_short(Path(shelf.__file__).parent)}, not installed as a package"
        yield Finding(group, DISTRIBUTION, "broken", found, "pip install ragharness")
    else:
        yield Finding(group, DISTRIBUTION, "ok", f"{__version__} in {_short(Path(shelf.__file__).parent)}")
    python = f"{platform.python_version()} in {_short(Path(sys.executable))}"
    old = sys.version_info < OLDEST_PYTHON
    yield Finding(
        group, "python", "broken" if old else "ok", python, "use Python 3.10 or newer" if old else ""
    )
    base = [package for package in asked or [] if not package.extra]
    if asked is not None:
        faults = _faults(base)
        help_text = "pip install --upgrade --force-reinstall ragharness" if faults else ""
        told = faults or f"all {len(base)} required packages installed"
        yield Finding(group, "packages", "broken" if faults else "ok", told, help_text)
    yield _shelf(group)


def _faults(wanted: Iterable[Package]) -> str:
    """Return which packages are not here or too old, in words."""
    absent = ", ".join(package.name for package in wanted if not package.here)
    old = [f"{each.name} {each.here} is older than {each.least}" for each in wanted if each.is_old]
    return "; ".join(([f"not installed: {absent}"] if absent else []) + old)


def _shelf(group: str) -> Finding:
    try:
        counts = [f"{len(shelf.names(kind))} {kind}" for kind in ("corpora", "questionsets")]
    except (RagharnessError, OSError) as error:
        return Finding(group, "shelf", "broken", str(error), getattr(error, "help", ""))
    return Finding(group, "shelf", "ok", f"{', '.join(counts)} in {_short(shelf.root())}")


def _extras(asked: Iterable[Package]) -> Iterator[Finding]:
    extras: dict[str, list[Package]] = {}
    for package in asked:
        if package.extra in EXTRAS:
            extras.setdefault(package.extra, []).append(package)
    for name, wanted in sorted(extras.items()):
        help_text = install_command(name) if (lacking := _faults(wanted)) else ""
        here = ", ".join(f"{package.name} {package.here}".removesuffix(" ?") for package in wanted)
        found = f"{lacking} ({EXTRAS[name]})" if lacking else here
        yield Finding("extras", name, "missing" if lacking else "ok", found, help_text)


def _models() -> Iterator[Finding]:
    if default_is_packaged():
        yield Finding("models", DEFAULT_MODEL, "ok", f"in the package {PACKAGE}")
    elif default_is_cached():
        yield Finding("models", DEFAULT_MODEL, "ok", f"in {_short(hub_folder())}")
    else:
        found = "not installed: --retriever dense downloads it on first use"
        yield Finding("models", DEFAULT_MODEL, "missing", found, f"or pip install {PACKAGE}")


def _corpora() -> Iterator[Finding]:
    from ragharness.cli._corpora import splits_here, whereabouts
    from ragharness.manifests import manifest

    try:
        cards = [manifest(name) for name in shelf.names("corpora")]
    except RagharnessError:
        # The shelf itself is reported as broken.
        return
    for card in cards:
        here = card.embedded or splits_here(card)
        help_text = "" if here else f"ragharness corpus fetch {card.id}"
        yield Finding("corpora", card.id, "ok" if here else "missing", whereabouts(card), help_text)


def _folders() -> Iterator[Finding]:
    from ragharness.download import cache_folder
    from ragharness.store.search import RUNS

    cache = cache_folder()
    yield _folder("cache", cache, "RAGHARNESS_CACHE=FOLDER chooses another folder")
    for part in sorted(cache.iterdir()) if cache.is_dir() and os.access(cache, os.R_OK | os.X_OK) else ():
        if part.is_dir():
            yield Finding("folders", f"  {part.name}", "ok", _content(part))
    yield _folder("runs", RUNS.absolute(), "--out FOLDER chooses another folder")


def _folder(name: str, path: Path, elsewhere: str) -> Finding:
    """Return whether a folder, or the place where it will be made, may be written in and has room."""
    place = path
    while not place.exists() and place != place.parent:
        place = place.parent
    if not place.is_dir():
        return Finding("folders", name, "broken", f"{_short(place)} is a file, not a folder", elsewhere)
    if not os.access(place, os.W_OK | os.X_OK):
        return Finding("folders", name, "broken", f"{_short(place)} is not writable", elsewhere)
    free = shutil.disk_usage(place).free
    there = "writable" if place == path else "not created yet"
    found = f"{_short(path)}, {there}, {_size(free)} free"
    full = free < LEAST_SPACE
    return Finding(
        "folders", name, "broken" if full else "ok", found, f"free some space, or {elsewhere}" if full else ""
    )


def _content(folder: Path) -> str:
    """Return how much a folder holds; "at least" where there are too many files to look at all."""
    files = size = 0
    until = time.monotonic() + _PATIENCE
    for path, _, names in os.walk(folder):
        for name in names:
            try:
                size += Path(path, name).lstat().st_size
            except OSError:
                continue
            files += 1
        if time.monotonic() > until:
            return f"at least {files} files, {_size(size)}"
    return f"{files} file{'s' * (files != 1)}, {_size(size)}"


def _keys() -> Iterator[Finding]:
    for name, purpose in KEYS:
        value = os.environ.get(name)
        if name == "HF_TOKEN" and not value and (hub_home() / "token").is_file():
            yield Finding("keys", name, "ok", "present, in the token file of the Hugging Face login")
        elif not value or not value.strip():
            state = "absent" if value is None else "set, but empty"
            yield Finding("keys", name, "missing", f"{state} ({purpose})")
        elif value != value.strip() or not value.isprintable():
            yield Finding(
                "keys",
                name,
                "broken",
                "present, but with blanks or a line break that no server accepts",
                f"set {name} again",
            )
        else:
            yield Finding("keys", name, "ok", "present")


def _surroundings() -> Iterator[Finding]:
    told = [name for name in NETWORK if os.environ.get(name) or os.environ.get(name.lower())]
    yield Finding("network", "variables", "ok", f"set: {', '.join(told)}" if told else "none set")
    encoding = (sys.stdout.encoding or "unknown").lower()
    kind = "terminal" if sys.stdout.isatty() else "file or pipe"
    wide = encoding.replace("-", "") == "utf8"
    told_encoding = encoding if wide else f"{encoding}: other characters are written as escapes"
    yield Finding("terminal", "output", "ok", f"{kind}, {told_encoding}", "" if wide else "PYTHONUTF8=1")


def _size(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.1f} MB"


def _short(path: Path) -> str:
    """Return a path with the home folder as ``~``: what is printed here gets pasted into reports."""
    home = Path.home()
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) and path != home else str(path)
