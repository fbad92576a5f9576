"""Rows of a data set on the Hugging Face hub, through its own client, kept as JSON lines.

The client follows its own settings (``HF_ENDPOINT``, ``HF_HOME``, ``HF_HUB_OFFLINE``, a login) and keeps
what it fetched, so that a broken download goes on where it stopped.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from ragharness.download.storage import new_file, require_space
from ragharness.errors import CorpusUnavailable, CorruptDownload, MissingExtra

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from ragharness.download.pinned import Listener, Pinned, Wish

_CONVERTED = "refs/convert/parquet"
"""The branch that the hub itself writes: data sets that are a script on ``main`` have their rows there."""

_BY_HAND = "or --from FOLDER with a copy that you have"
_TOLD = 200
"""Characters of a foreign error that are repeated."""


def fetch_rows(wish: Wish, source: str, folder: Path, tell: Listener) -> dict[str, str]:
    """Write the wanted files from a data set and return their sha256 by name.

    ``source`` is the published address, or the name of another data set with the same columns
    ("owner/name", "owner/name@revision"). Raises MissingExtra, CorpusUnavailable, CorruptDownload or
    StorageError.
    """
    published = source == wish.url
    name, _, revision = source.partition("/datasets/")[2 if published else 0].partition("@")
    revision = revision or (_CONVERTED if published else "main")
    require_space(folder, wish.space)
    found: dict[str, str] = {}
    for file, pinned in wish.wanted.items():
        split = file.partition(".")[0]
        pattern = pinned.parquet if published else f"**/{split}*.parquet"
        tell(f"{name} at {revision}, {split}: the rows come from the hub", 0, 0)
        rows = _rows(name, revision, split, pattern, wish)
        if published and pinned.rows and len(rows) != pinned.rows:
            raise CorruptDownload(
                f"expected {pinned.rows} rows in {split} of {name}, found {len(rows)}",
                help=wish.fetch_command,
            )
        found[file] = _written(rows, folder / file, tell)
        _compare(file, found[file], pinned if published else None, wish, tell)
    return found


def _rows(name: str, revision: str, split: str, pattern: str, wish: Wish) -> Any:
    try:
        import datasets
    except ImportError:
        raise MissingExtra(f"fetching {name} from the hub", "hub") from None
    datasets.disable_progress_bars()
    try:
        return datasets.load_dataset(name, data_files={split: pattern}, split=split, revision=revision)
    except Exception as error:
        raise _in_words(error, name, wish) from error


def _in_words(error: Exception, name: str, wish: Wish) -> CorpusUnavailable:
    """Return what went wrong with the hub as a sentence: not there, not reached, or not what it should be."""
    chain: list[BaseException] = [error]
    while (cause := chain[-1].__cause__ or chain[-1].__context__) is not None and cause not in chain:
        chain.append(cause)
    kinds = " ".join(type(each).__name__ for each in chain)
    reason = " ".join(str(chain[-1]).split())[:_TOLD] or type(error).__name__
    if any(word in kinds for word in ("Arrow", "Parquet", "Decode", "NonMatching", "Consistency")):
        return CorruptDownload(
            f"what the hub gave for {name} is no Parquet of its rows: {reason}",
            help=f"{wish.fetch_command}, {_BY_HAND}",
        )
    if any(word in kinds for word in ("NotFound", "Gated", "EntryNotFound")):
        return CorpusUnavailable(f"the hub has no rows of {name} to read: {reason}", help=_BY_HAND)
    return CorpusUnavailable(
        f"cannot fetch {name} from the hub: {reason}",
        help=f"{wish.fetch_command} goes on where it stopped, {_BY_HAND}",
    )


def _written(rows: Iterable[dict[str, Any]], path: Path, tell: Listener) -> str:
    digest = sha256()
    with new_file(path) as file:
        for number, row in enumerate(rows, 1):
            line = json.dumps(row, ensure_ascii=False, sort_keys=True).encode() + b"\n"
            digest.update(line)
            file.write(line)
            tell(path.name, number, 0)
    return digest.hexdigest()


def _compare(file: str, found: str, pinned: Pinned | None, wish: Wish, tell: Listener) -> None:
    if pinned is None or not pinned.sha256:
        tell(f"{file} has no published hash; recorded sha256 {found}", 0, 0)
    elif found != pinned.sha256:
        raise CorruptDownload(
            f"expected rows with sha256 {pinned.sha256[:12]} for {file}, found {found[:12]}:"
            " the data set was changed",
            help=f"{wish.fetch_command}, {_BY_HAND}",
        )
