"""The house as docs/architecture.md draws it: layers, public names, who may print."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import ragharness
from conftest import ROOT

PACKAGE = Path(ragharness.__file__).parent

LAYERS = (
    "records",
    "errors",
    "config",
    "support",
    "options",
    "grid",
    "language",
    "statistics",
    "traces",
    "shelf",
    "readers",
    "privacy",
    "download",
    "filings",
    "folders",
    "manifests",
    "corpus",
    "headings",
    "passages",
    "evidence",
    "placing",
    "questions",
    "adapters",
    "logs",
    "retrievers",
    "pipelines",
    "graders",
    "writing",
    "buckets",
    "cases",
    "store",
    "runner",
    "scores",
    "labelling",
    "calibration",
    "comparing",
    "rubrics",
    "reports",
    "results",
    "comparisons",
    "console",
    "api",
    "baselines",
    "pytest_plugin",
    "cli",
    "__main__",
)
HEAVY = (
    "torch",
    "faiss",
    "datasets",
    "sentence_transformers",
    "openai",
    "anthropic",
    "pandas",
    "pyarrow",
    "genai_prices",
    "ray",
    "fsspec",
    "opensearchpy",
    "qdrant_client",
    "psycopg",
)
SLOW_AT_START = ("httpx", "rank_bm25", "rich", "sentencex", "numpy")


def layer_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports_of(path: Path) -> list[tuple[str, bool]]:
    """Return (module, whether it runs at import time) for every import statement of a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    lazy: set[ast.AST] = set()
    for node in ast.walk(tree):
        deferred = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or (
            isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        )
        if deferred:
            lazy.update(ast.walk(node))
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, node not in lazy) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
            if node.module == "ragharness":
                names = [f"ragharness.{alias.name}" for alias in node.names]
            found += [(name, node not in lazy) for name in names]
    return found


MODULES = sorted(path for path in PACKAGE.rglob("*.py") if "_shelf" not in path.parts)


def test_every_module_has_a_layer() -> None:
    rooms = {layer_of(path) for path in MODULES} - {"__init__"}
    assert rooms == set(LAYERS)


def test_every_folder_and_module_is_in_the_table_in_the_order_of_the_layers() -> None:
    table = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").partition("| room |")[2]
    table = table.partition("\n\n")[0]
    rooms = [line.split("`")[1] for line in table.splitlines() if line.startswith("| `")]
    folders = {f"{path.parent.relative_to(PACKAGE).as_posix()}/" for path in MODULES} - {"./"}
    assert folders <= set(rooms)
    top = [name.rstrip("/").removesuffix(".py") for name in rooms if "/" not in name.rstrip("/")]
    assert top == list(LAYERS)


def test_imports_point_one_way() -> None:
    height = {layer: place for place, layer in enumerate(LAYERS)}
    assert not [
        f"{path.relative_to(PACKAGE)} must not import {module}"
        for path in MODULES
        for module, _ in imports_of(path)
        if module.startswith("ragharness.")
        and height.get(module.split(".")[1], 0) > height.get(layer_of(path), len(LAYERS))
    ]


def test_nothing_heavy_at_import_time() -> None:
    assert not [
        f"{path.relative_to(PACKAGE)} imports {module}"
        for path in MODULES
        for module, eager in imports_of(path)
        if eager and module.split(".")[0] in HEAVY
    ]


def test_only_the_command_line_prints_or_exits() -> None:
    ends = {"print", "sys.exit", "exit", "quit", "typer.echo"}
    assert not [
        f"{path.relative_to(PACKAGE)}:{node.lineno} calls {ast.unparse(node.func)}"
        for path in MODULES
        # What runs by itself, from the standard library alone, is a command line of its own, too.
        if layer_of(path) != "cli" and path.name != "traces.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ends
    ]


def test_public_names() -> None:
    assert sorted(ragharness.__all__) == [
        "Answer",
        "Baseline",
        "Document",
        "Evidence",
        "GateResult",
        "Gates",
        "Labelling",
        "MatrixResult",
        "Passage",
        "Question",
        "QuestionResult",
        "RagharnessError",
        "Record",
        "Run",
        "RunCalibration",
        "RunComparison",
        "RunConfig",
        "RunVerdict",
        "TemporaryFailure",
        "Usage",
        "Verdict",
        "__version__",
        "arun",
        "calibrate",
        "compare",
        "gate",
        "grade",
        "label",
        "load_baselines",
        "load_corpus",
        "load_questions",
        "load_run",
        "matrix",
        "run",
    ]
    for name in ragharness.__all__:
        assert getattr(ragharness, name) is not None
    with pytest.raises(AttributeError):
        _ = ragharness.nothing_of_that_name


def test_help_imports_nothing_slow() -> None:
    program = (
        "import sys; sys.argv = ['ragharness', '--help']\n"
        "import ragharness.cli as cli\n"
        "cli._run()\n"
        f"print('LOADED', sorted(set({SLOW_AT_START!r}) & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "LOADED []", done.stdout + done.stderr


def test_a_run_imports_only_what_it_uses(tmp_path: Path) -> None:
    spared = ("httpx", "asyncio", "rank_bm25", "rich")
    program = (
        f"import sys; sys.argv = ['ragharness', 'run', '--quiet', '--out', {str(tmp_path / 'run')!r}]\n"
        "import ragharness.cli as cli\n"
        "cli._run()\n"
        f"print('LOADED', sorted(set({spared!r}) & set(sys.modules)))"
    )
    environment = {**os.environ, "RAGHARNESS_CACHE": str(tmp_path / "cache")}
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment
        )
    assert done.stdout.splitlines()[-1] == "LOADED []", done.stdout + done.stderr
