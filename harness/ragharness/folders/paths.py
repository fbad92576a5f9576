"""A corpus given as a path."""

from __future__ import annotations

import os
from pathlib import Path

from ragharness.download.remote import fetched, is_remote
from ragharness.errors import UsageError
from ragharness.support.files import expanded

EXAMPLE = "ragharness corpus show ./FOLDER tells what is read of a folder"


def is_folder(name: str) -> bool:
    """Whether a corpus is named by a path: it has a separator in it, or is a folder here."""
    written = name.strip()
    parts = {os.sep, os.altsep or os.sep, "/"}
    return written in {".", ".."} or any(part in written for part in parts) or written.startswith("~")


def folder_name(name: str) -> str:
    """Return the one way to write a path by which a folder is known: ``./docs`` for ``docs/``."""
    if is_remote(name):
        return name.rstrip("/")
    path = Path(os.path.normpath(expanded(name.strip())))
    written = path.as_posix()
    return written if path.is_absolute() or written.startswith(".") else f"./{written}"


def folder_path(name: str) -> Path:
    """Return the folder that a name means, or the copy of a remote one; raises UsageError for none."""
    path = fetched(name) if is_remote(name) else expanded(name)
    if path.is_dir():
        return path
    found = "a file" if path.exists() else "nothing"
    help_text = f"give the folder that holds it: --corpus {path.parent}" if path.is_file() else EXAMPLE
    raise UsageError(f"expected a folder of documents at {path}, found {found}", help=help_text)
