"""The size and the shape of the house: lines and modules by room, its imports, the way of one question.

    python benchmarks/house.py [--json]

Counted are the Python files of ``harness/ragharness`` and ``corpora``. Imports inside functions count,
imports for type checkers alone do not. Files entered are those of ours in which a function was called.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import json
import os
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from functools import cached_property
from io import StringIO
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "harness" / "ragharness"
CORPORA = ROOT / "corpora"
READING = ("language", "graders")
"""The rooms that read text, summed apart."""

SMALL = 40
"""A module of fewer lines that only one other imports could be a part of that one."""


class House:
    """Every module of the package and the corpora with its lines, and which imports which."""

    def __init__(self) -> None:
        files = sorted((*PACKAGE.rglob("*.py"), *CORPORA.rglob("*.py")))
        self.paths = {_module(path): path for path in files}
        self.lines = {name: len(path.read_bytes().splitlines()) for name, path in self.paths.items()}

    @cached_property
    def imports(self) -> dict[str, set[str]]:
        """Return the modules of ours that each module imports, itself left out."""
        return {name: self.paths.keys() & set(self._imported(name)) - {name} for name in self.paths}

    def _imported(self, name: str) -> Iterator[str]:
        path = self.paths[name]
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in _at_run_time(tree):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                home = node.module or ""
                if node.level:
                    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
                    above = package.split(".")[: len(package.split(".")) - node.level + 1]
                    home = ".".join(part for part in (*above, home) if part)
                inner = [f"{home}.{alias.name}" for alias in node.names]
                yield from (each if each in self.paths else home for each in inner)

    @cached_property
    def circles(self) -> list[list[str]]:
        """Return the groups of modules that import one another, however long the way round."""
        reached = {name: self._reached(name) for name in self.paths}
        groups = {
            tuple(sorted({name} | {other for other in reached[name] if name in reached[other]}))
            for name in self.paths
            if name in reached[name]
        }
        return [list(group) for group in sorted(groups)]

    def _reached(self, name: str) -> set[str]:
        found: set[str] = set()
        open_ends = [name]
        while open_ends:
            new = self.imports[open_ends.pop()] - found
            found |= new
            open_ends += new
        return found

    @cached_property
    def chain(self) -> list[str]:
        """Return the longest way from import to import; modules of a circle stand side by side in it."""
        circle = {name: number for number, group in enumerate(self.circles) for name in group}
        longest: dict[str, list[str]] = {}

        def below(name: str) -> list[str]:
            if name not in longest:
                whole = [*self.circles[circle[name]]] if name in circle else [name]
                onward = {each for part in whole for each in self.imports[part]} - set(whole)
                ways = [below(each) for each in sorted(onward)]
                longest[name] = whole + max(ways, key=len, default=[])
            return longest[name]

        return max((below(name) for name in sorted(self.paths)), key=len)

    @cached_property
    def single(self) -> list[tuple[str, str, int]]:
        """Return the modules under SMALL lines with a single importer, one beside them, and that importer."""
        importers: dict[str, list[str]] = {name: [] for name in self.paths}
        for name, those in self.imports.items():
            for each in those:
                importers[each].append(name)
        return [
            (name, importers[name][0], self.lines[name])
            for name, path in self.paths.items()
            if self.lines[name] < SMALL
            and len(importers[name]) == 1
            and path.name != "__init__.py"
            and self.paths[importers[name][0]].parent == path.parent
        ]

    def rooms(self) -> dict[str, tuple[int, int]]:
        """Return for each room its modules and lines."""
        modules: Counter[str] = Counter(map(_room, self.paths))
        lines: Counter[str] = Counter()
        for name, count in self.lines.items():
            lines[_room(name)] += count
        return {room: (modules[room], lines[room]) for room in sorted(modules)}


def _module(path: Path) -> str:
    home = PACKAGE.parent if path.is_relative_to(PACKAGE) else ROOT
    return ".".join(path.relative_to(home).with_suffix("").parts).removesuffix(".__init__")


def _room(name: str) -> str:
    parts = name.split(".")
    if parts[0] == "corpora":
        return "/".join(parts[:2]) + "/"
    return f"{parts[1]}/" if len(parts) > 1 and (PACKAGE / parts[1]).is_dir() else "top level"


def _at_run_time(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a tree's nodes, without what stands under ``if TYPE_CHECKING``."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        yield child
        yield from _at_run_time(child)


def entered(call: Callable[[], object]) -> set[str]:
    """Return the files of ours in which a call enters a function, in whatever thread."""
    files: set[str] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        # Neither a module nor the body of a class is a function.
        if event == "call" and frame.f_code.co_flags & inspect.CO_OPTIMIZED:
            files.add(frame.f_code.co_filename)

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    ours = (str(PACKAGE), str(CORPORA))
    return {file for file in files if file.startswith(ours)}


def one_question() -> None:
    """Ask question q013 of the sample as the command line does, into a folder that is thrown away."""
    from ragharness.cli import main

    with tempfile.TemporaryDirectory() as folder, redirect_stdout(StringIO()):
        os.environ["RAGHARNESS_CACHE"] = f"{folder}/cache"
        sys.argv = ["ragharness", "run", "--only", "q013", "--quiet", "--out", f"{folder}/run"]
        code: object = None
        try:
            main()
        except SystemExit as end:
            code = end.code
        assert code == 0, f"the run ended with {code}"


def one_number() -> None:
    """Grade one number against the one that is right."""
    import ragharness

    verdict = ragharness.grade(
        "By how much did sales rise?", "21.4% [1].", ["Sales rose by 21.4 percent."], golds=["21.4 percent"]
    )
    assert verdict.bucket == "correct"


def measured() -> dict[str, Any]:
    """Return all that the table shows."""
    house = House()
    rooms = house.rooms()
    everything = {"modules": len(house.paths), "lines": sum(house.lines.values())}
    package = [name for name in house.paths if not name.startswith("corpora")]
    plain = [name for name in package if _room(name).rstrip("/") not in READING]
    return {
        "rooms": {room: {"modules": modules, "lines": lines} for room, (modules, lines) in rooms.items()},
        "package": {"modules": len(package), "lines": sum(house.lines[name] for name in package)},
        "package without language and graders": {
            "modules": len(plain),
            "lines": sum(house.lines[name] for name in plain),
        },
        "corpora": {
            "modules": len(house.paths) - len(package),
            "lines": everything["lines"] - sum(house.lines[name] for name in package),
        },
        "all": everything,
        "longest import chain": house.chain,
        "import circles": house.circles,
        "small modules with one importer": [
            {"module": name, "importer": importer, "lines": lines} for name, importer, lines in house.single
        ],
        "files that one question enters": len(entered(one_question)),
        "files that one graded number enters": len(entered(one_number)),
    }


def table(found: dict[str, Any]) -> str:
    """Return what was measured as lines of text, in columns."""
    sums = ("package", "package without language and graders", "corpora", "all")
    rows = [*found["rooms"].items(), *((name, found[name]) for name in sums)]
    width = max(len(name) for name, _ in rows)
    lines = [f"{'':{width}}  modules   lines"]
    for name, each in rows:
        lines += [""] if name == sums[0] else []
        lines.append(f"{name:{width}}  {each['modules']:7}  {each['lines']:6,}")
    chain = [name.removeprefix("ragharness.") for name in found["longest import chain"]]
    lines += ["", f"longest import chain: {len(chain)}", f"  {' -> '.join(chain)}"]
    lines.append(f"import circles: {len(found['import circles'])}")
    lines += [f"  {', '.join(group)}" for group in found["import circles"]]
    small = found["small modules with one importer"]
    lines.append(f"modules under {SMALL} lines with a single importer, beside them: {len(small)}")
    lines += [f"  {each['lines']:3}  {each['module']}  in  {each['importer']}" for each in small]
    lines += [f"{name}: {found[name]}" for name in found if name.startswith("files that")]
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    sys.path.insert(0, str(PACKAGE.parent))
    as_json = parser.parse_args().json
    result = measured()
    print(json.dumps(result, indent=1) if as_json else table(result))
