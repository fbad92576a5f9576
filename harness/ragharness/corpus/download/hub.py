"""Rows of a data set on the Hugging Face hub, through its own client, kept as JSON Lines.

The client follows its own settings (``HF_ENDPOINT``, ``HF_HOME``, ``HF_HUB_OFFLINE``, a login) and keeps
what it fetched, so that a broken download goes on where it stopped.
"""

from __future__ import annotations

import fnmatch
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from ragharness.corpus.download.pinned import (
    DownloadRequest,
    Listener,
    Pinned,
    hash_file,
    new_file,
    require_space,
)
from ragharness.errors import CorpusUnavailable, CorruptDownload, MissingExtra, RagharnessError

_CONVERTED = "refs/convert/parquet"  # the hub's branch of rows for data sets that are a script on ``main``
_Select = Callable[[list[str]], list[str]]
_OWN_COPY = "or --from FOLDER with a copy that you have"
_LISTED_FOLDERS = 6  # folders of a data set that are named where none has the rows
_LONGEST_REASON = 200  # characters of a foreign error that are repeated


def fetch_rows(request: DownloadRequest, source: str, folder: Path, on_progress: Listener) -> dict[str, str]:
    """Write the required files from a data set; their sha256 by name.

    ``source`` is the published address, or the name of another data set with the same columns
    ("owner/name", "owner/name/folder", "owner/name@revision"). Raises MissingExtra, CorpusUnavailable,
    CorruptDownload or StorageError.
    """
    require_space(folder, request.space)
    hub = _Hub(request, folder, on_progress)
    return {
        file: hub.fetch(file, pinned, source, published=source == request.url)
        for file, pinned in request.required.items()
    }


def fetch_optional(
    request: DownloadRequest, files: Iterable[str], folder: Path, on_progress: Listener
) -> dict[str, str]:
    """Write files that the corpus can do without; the sha256 of those that came, a notice for the others."""
    hub = _Hub(request, folder, on_progress)
    hashes: dict[str, str] = {}
    for file in files:
        pinned = request.optional[file]
        try:
            hashes[file] = hub.fetch(file, pinned, pinned.url, published=True)
        except RagharnessError as error:
            advice = error.help or request.fetch_command
            on_progress(f"{request.corpus} is read without {file}: {error}; {advice}", 0, 0)
    return hashes


def _of_split(paths: Iterable[str], split: str, folder: str, part: str) -> list[str]:
    """The paths in a folder that a split is part of; those in ``part`` where no folder is named."""
    home = f"{folder}/" if folder else ""
    words = re.compile(rf"(?:^|[\W_]){re.escape(split)}(?:$|[\W_])")
    below = [path for path in paths if path.startswith(home) and words.search(path[len(home) :])]
    usual = [path for path in below if not folder and path.startswith(f"{part}/")]
    return usual or below


class _Hub:
    def __init__(self, request: DownloadRequest, folder: Path, on_progress: Listener) -> None:
        self._folder = folder
        self._on_progress = on_progress
        self._command = request.fetch_command
        self._part = request.part

    def fetch(self, file: str, pinned: Pinned, source: str, *, published: bool) -> str:
        """Write one file from a data set and return its sha256."""
        path, _, revision = source.partition("/datasets/")[2 if published else 0].partition("@")
        name, folder = "/".join(path.split("/")[:2]), "/".join(path.split("/")[2:]).strip("/")
        split = file.partition(".")[0]
        if published:
            revisions = [revision or _CONVERTED]
            select: _Select = partial(fnmatch.filter, pat=pinned.parquet)
        else:
            # A data set that is a script on main has no rows there.
            revisions = [revision] if revision else ["main", _CONVERTED]
            select = partial(_of_split, split=split, folder=folder, part=self._part)
        where, sought = f"{name}/{folder}".rstrip("/"), pinned.parquet if published else split
        rows = self._rows(name, revisions, select, split, pinned.columns, f"{sought} in {where}")
        if published and pinned.rows and len(rows) != pinned.rows:
            raise CorruptDownload(
                f"expected {pinned.rows} rows in {split} of {name}, found {len(rows)}", help=self._command
            )
        digest = self._write(rows, self._folder / file)
        if not (published and pinned.sha256):
            self._on_progress(f"{file} has no published hash; recorded sha256 {digest}", 0, 0)
        elif digest != pinned.sha256:
            raise CorruptDownload(
                f"expected rows with sha256 {pinned.sha256[:12]} for {file}, found {digest[:12]}:"
                " the data set was changed",
                help=f"{self._command}, {_OWN_COPY}",
            )
        return digest

    def _rows(
        self,
        name: str,
        revisions: Sequence[str],
        select: _Select,
        split: str,
        columns: Iterable[str],
        sought: str,
    ) -> Any:
        # It would report to its makers what it is used by.
        os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
        try:
            import datasets
        except ImportError:
            raise MissingExtra(f"fetching {name} from the hub", "hub") from None
        datasets.disable_progress_bars()
        try:
            revision, files = self._files(name, revisions, select, sought)
            folders = sorted({file.rpartition("/")[0] for file in files} - {""})
            origin = f"{split} ({', '.join(folders)})" if folders else split
            self._on_progress(f"{name} at {revision}, {origin}: the rows come from the hub", 0, 0)
            self._check_files(name, revision, files)
            paths = {split: list(files)}
            rows = datasets.load_dataset(name, data_files=paths, split=split, revision=revision)
            return rows.select_columns(list(columns)) if columns else rows
        except RagharnessError:
            raise
        except Exception as error:
            raise self._translated(error, name) from error

    def _files(
        self, name: str, revisions: Sequence[str], select: _Select, sought: str
    ) -> tuple[str, dict[str, str]]:
        """The earliest revision that has selected files, and these with the sha256 that the hub has."""
        from huggingface_hub import HfApi
        from huggingface_hub.errors import RevisionNotFoundError

        folders: set[str] = set()
        for revision in revisions:
            try:
                tree = HfApi().list_repo_tree(name, revision=revision, repo_type="dataset", recursive=True)
                hashes = {
                    file.path: getattr(getattr(file, "lfs", None), "sha256", "")
                    for file in tree
                    if file.path.endswith(".parquet")
                }
            except RevisionNotFoundError:
                if revision == revisions[-1]:
                    raise
                continue
            folders |= {path.rpartition("/")[0] or path for path in hashes}
            if paths := select(sorted(hashes)):
                return revision, {path: hashes[path] for path in paths}
        more = " ..." if len(folders) > _LISTED_FOLDERS else ""
        listed = ", ".join(sorted(folders)[:_LISTED_FOLDERS]) or "none"
        raise CorpusUnavailable(
            f"expected Parquet of {sought}, found {listed}{more}",
            help=f"{self._command} --from hub:OWNER/NAME/FOLDER names a folder of it, {_OWN_COPY}",
        )

    def _check_files(self, name: str, revision: str, files: Mapping[str, str]) -> None:
        """Fetch the files and compare each with the hub's sha256: the client compares sizes alone."""
        from huggingface_hub import hf_hub_download

        for file, expected in files.items():
            if not expected:
                continue
            path = Path(hf_hub_download(name, file, revision=revision, repo_type="dataset")).resolve()
            if (digest := hash_file(path)) != expected:
                path.unlink(missing_ok=True)
                raise CorruptDownload(
                    f"expected sha256 {expected[:12]} for {file} of {name}, found {digest[:12]}",
                    help=f"{self._command} downloads it again, {_OWN_COPY}",
                )

    def _translated(self, error: Exception, name: str) -> CorpusUnavailable:
        """Error of the hub in words: not there, not reached, or not what it should be."""
        chain: list[BaseException] = [error]
        while (cause := chain[-1].__cause__) is not None and cause not in chain:
            chain.append(cause)
        kinds = " ".join(type(error).__name__ for error in chain)
        messages = (" ".join(str(error).split()) for error in chain)
        reason = next(filter(None, messages), type(error).__name__)[:_LONGEST_REASON]
        broken = re.search("Arrow|Parquet|Decode|NonMatching|Consistency", kinds)
        if broken or "Consistency check failed" in reason:
            return CorruptDownload(
                f"what the hub gave for {name} is no Parquet of its rows: {reason}",
                help=f"{self._command}, {_OWN_COPY}",
            )
        if re.search("NotFound|Gated", kinds):
            return CorpusUnavailable(f"the hub has no rows of {name} to read: {reason}", help=_OWN_COPY)
        return CorpusUnavailable(
            f"cannot fetch {name} from the hub: {reason}",
            help=f"{self._command} goes on where it stopped, {_OWN_COPY}",
        )

    def _write(self, rows: Iterable[dict[str, Any]], path: Path) -> str:
        digest = sha256()
        with new_file(path) as file:
            for number, row in enumerate(rows, 1):
                line = json.dumps(row, ensure_ascii=False, sort_keys=True).encode() + b"\n"
                digest.update(line)
                file.write(line)
                self._on_progress(path.name, number, 0)
        return digest.hexdigest()
