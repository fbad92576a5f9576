"""The modules of both packages, measured: rooms, imports, circles, floors, names, file heads."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path

from conftest import ROOT

HARNESS = ROOT / "harness" / "ragharness"
MAKERS = ROOT / "harness" / "ragquestions"
CORPORA = ROOT / "corpora"

EMPTY_NAMES = frozenset(
    [
        "each",
        "found",
        "told",
        "asked",
        "said",
        "known",
        "held",
        "wanted",
        "own",
        "rest",
        "place",
        "shown",
        "kept",
        "here",
        "left",
        "both",
        "other",
        "one",
        "first",
        "given",
    ]
)
"""Names that say nothing of what they hold."""


class Module:
    """One Python file: its dotted name, room, lines, imports and names."""

    def __init__(self, path: Path, name: str, room: str) -> None:
        self.path = path
        self.name = name
        self.room = room
        self.source = path.read_text(encoding="utf-8")
        self.tree = ast.parse(self.source)

    def __repr__(self) -> str:
        return self.path.relative_to(ROOT).as_posix()

    @property
    def lines(self) -> int:
        return self.source.count("\n")

    @cached_property
    def deferred(self) -> set[ast.AST]:
        """Nodes that do not run when the module is imported."""
        nodes: set[ast.AST] = set()
        for node in ast.walk(self.tree):
            function = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
            if function or (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)):
                nodes.update(ast.walk(node))
        return nodes

    @cached_property
    def imports(self) -> list[tuple[str, bool]]:
        """Each imported name, dotted and absolute, and whether it is imported with the module itself."""
        names = []
        for node in ast.walk(self.tree):
            eager = node not in self.deferred
            if isinstance(node, ast.Import):
                names += [(alias.name, eager) for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                origin = node.module or ""
                if node.level:
                    package = self.name.split(".")
                    package = package[: len(package) - node.level + (self.path.name == "__init__.py")]
                    origin = ".".join(filter(None, (*package, origin)))
                names += [(f"{origin}.{alias.name}", eager) for alias in node.names]
        return names

    @property
    def head_lines(self) -> int:
        """Lines of the docstring and of the imports at the top."""
        body = self.tree.body
        statements = [
            node
            for position, node in enumerate(body)
            if isinstance(node, (ast.Import, ast.ImportFrom))
            or (position == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
            or (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test))
        ]
        return sum((node.end_lineno or node.lineno) - node.lineno + 1 for node in statements)

    @property
    def bound_names(self) -> list[str]:
        return [
            node.id
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        ]


def _modules(root: Path, package: str, room: str = "") -> Iterable[Module]:
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        if "_data" in parts:  # the packaged data of a wheel
            continue
        name = ".".join((package, *parts)).removesuffix(".__init__")
        yield Module(path, name, room or parts[0])


HARNESS_MODULES = list(_modules(HARNESS, "ragharness"))
MAKER_MODULES = list(_modules(MAKERS, "ragquestions", "makers"))
CORPUS_MODULES = list(_modules(CORPORA, "corpora", "corpora"))
MODULES = HARNESS_MODULES + MAKER_MODULES + CORPUS_MODULES
BY_NAME = {module.name: module for module in MODULES}


def imported_module(name: str) -> Module | None:
    """The module of ours that an imported name is, or stands in."""
    return BY_NAME.get(name) or BY_NAME.get(name.rpartition(".")[0])


def file_graph() -> dict[str, set[str]]:
    """Modules by name, with those they import anywhere, in functions and for types too."""
    graph: dict[str, set[str]] = {}
    for module in MODULES:
        targets = {target.name for name, _ in module.imports if (target := imported_module(name))}
        graph[module.name] = targets - {module.name, "ragharness"}
    return graph


def circles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Strongly connected components of more than one node."""
    reached = {node: _reachable(graph, node) for node in graph}
    components = {
        frozenset(other for other in reached[node] if node in reached[other]) | {node} for node in graph
    }
    return sorted(sorted(component) for component in components if len(component) > 1)


def _reachable(graph: Mapping[str, set[str]], start: str) -> set[str]:
    seen: set[str] = set()
    stack = [start]
    while stack:
        fresh = graph.get(stack.pop(), set()) - seen
        seen |= fresh
        stack += fresh
    return seen


def room_graph() -> dict[str, set[str]]:
    """Rooms of the harness with the rooms they import; the public face (``__init__``) is none."""
    graph: dict[str, set[str]] = {module.room: set() for module in HARNESS_MODULES}
    for module in HARNESS_MODULES:
        for name, _ in module.imports:
            target = imported_module(name)
            if target and target in HARNESS_MODULES and target.room not in (module.room, "__init__"):
                graph[module.room].add(target.room)
    graph.pop("__init__")
    return graph


def floors(graph: Mapping[str, set[str]]) -> dict[str, int]:
    """Height of each room over the lowest one: 1 + that of the highest room it imports."""
    heights: dict[str, int] = {}

    def height(room: str) -> int:
        if room not in heights:
            heights[room] = 1 + max(map(height, graph[room]), default=0)
        return heights[room]

    for room in graph:
        height(room)
    return heights
