"""``ragharness init``: write a pipeline, gates and a workflow into a project."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

_TEMPLATES = {
    "pipeline.py": "pipeline.py.txt",
    "gate.toml": "gate.toml.txt",
    ".github/workflows/ragharness.yml": "workflow.yml.txt",
}
_ACTION = ".github/actions/ragharness/action.yml"


def init(
    folder: Annotated[
        Path, typer.Argument(metavar="[FOLDER]", help="The project.", show_default=False)
    ] = Path(),
) -> None:
    """Write a commented pipeline, gate.toml and a workflow for pull requests into a project.

    They run as they are. Files that are there already are kept: nothing is written then.

    Example: ragharness init my-project
    """
    from ragharness.cli._options import print_lines
    from ragharness.errors import StorageError, UsageError
    from ragharness.support import resources

    home = Path(__file__).parent / "_project"
    files = {name: home / template for name, template in _TEMPLATES.items()}
    files[_ACTION] = resources.root() / "action.yml"
    existing = [name for name in files if (folder / name).exists()]
    if existing:
        message = f"expected none of these files in {folder.absolute()}, found {', '.join(existing)}"
        raise UsageError(message, help="name another folder, or move them away: ragharness init FOLDER")
    try:
        for name, template in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(template.read_bytes())
    except OSError as error:
        message = f"expected to write into {folder.absolute()}, found: {error.strerror or error}"
        raise StorageError(message, help="name a writable folder: ragharness init FOLDER") from error
    step = "next   ragharness run --pipeline pipeline.py:answer"
    print_lines([*(f"written {folder / name}" for name in files), "", step])
