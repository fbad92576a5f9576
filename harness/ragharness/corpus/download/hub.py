"""Rows of a data set on the Hugging Face hub, through its own client, kept as JSON Lines.

The client follows its own settings (``HF_ENDPOINT``, ``HF_HOME``, ``HF_HUB_OFFLINE``, a login) and keeps
what it fetched, so that a broken download goes on where it stopped.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatch
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from ragharness.corpus.download.pinned import DownloadRequest, Listener, Pinned, hash_file
from ragharness.corpus.download.storage import new_file, require_space
from ragharness.errors import CorpusUnavailable, CorruptDownload, MissingExtra, RagharnessError

_CONVERTED = "refs/convert/parquet"
"""The branch that the hub itself writes: data sets that are a script on ``main`` have their rows there."""

_BY_HAND = "or --from FOLDER with a copy that you have"
_LISTED = 6
"""Folders of a data set that are named where the wanted one is not there."""

_TOLD = 200
"""Characters of a foreign error that are repeated."""


def fetch_rows(request: DownloadRequest, source: str, folder: Path, on_progress: Listener) -> dict[str, str]:
    """Write the wanted files from a data set and return their sha256 by name.

    ``source`` is the published address, or the name of another data set with the same columns
    ("owner/name", "owner/name/folder", "owner/name@revision"). Raises MissingExtra, CorpusUnavailable,
    CorruptDownload or StorageError.
    """
    require_space(folder, request.space)
    hub = _Hub(request, folder, on_progress)
    return {
        file: hub.fetched(file, pinned, source, published=source == request.url)
        for file, pinned in request.wanted.items()
    }


def fetch_besides(
    request: DownloadRequest, files: Iterable[str], folder: Path, on_progress: Listener
) -> dict[str, str]:
    """Write files that the corpus can do without; return the sha256 of those that came, say which did not."""
    hub = _Hub(request, folder, on_progress)
    found: dict[str, str] = {}
    for file in files:
        pinned = request.besides[file]
        try:
            found[file] = hub.fetched(file, pinned, pinned.url, published=True)
        except RagharnessError as error:
            advice = error.help or request.fetch_command
            on_progress(f"{request.corpus} is read without {file}: {error}; {advice}", 0, 0)
    return found


class _Wanted(NamedTuple):
    """Which Parquet files of a data set are meant."""

    name: str
    revisions: tuple[str, ...]
    """Looked at in turn: a data set that is a script on ``main`` has no rows there."""
    inside: str = ""
    split: str = ""
    part: str = ""
    """The folder that is read where ``inside`` names none and there are several."""
    pattern: str = ""
    """What the paths look like, where that is known."""

    def chosen(self, paths: Iterable[str]) -> list[str]:
        """Return which of the paths are meant."""
        if self.pattern:
            return [each for each in paths if fnmatch(each, self.pattern)]
        home = f"{self.inside}/" if self.inside else ""
        below = [each for each in paths if each.startswith(home) and self._of_split(each[len(home) :])]
        usual = [each for each in below if not self.inside and each.startswith(f"{self.part}/")]
        return usual or below

    def _of_split(self, path: str) -> bool:
        return any(self.split in re.split(r"[\W_]+", each) for each in path.split("/"))


class _Hub:
    """One fetch of rows."""

    def __init__(self, request: DownloadRequest, folder: Path, on_progress: Listener) -> None:
        self._folder = folder
        self._on_progress = on_progress
        self._command = request.fetch_command
        self._part = request.part

    def fetched(self, file: str, pinned: Pinned, source: str, *, published: bool) -> str:
        """Write one file from a data set and return its sha256."""
        path, _, revision = source.partition("/datasets/")[2 if published else 0].partition("@")
        name, inside = "/".join(path.split("/")[:2]), "/".join(path.split("/")[2:]).strip("/")
        split = file.partition(".")[0]
        if published:
            wanted = _Wanted(name, (revision or _CONVERTED,), pattern=pinned.parquet)
        else:
            revisions = (revision,) if revision else ("main", _CONVERTED)
            wanted = _Wanted(name, revisions, inside, split, self._part)
        rows = self._rows(wanted, split, pinned.columns)
        if published and pinned.rows and len(rows) != pinned.rows:
            raise CorruptDownload(
                f"expected {pinned.rows} rows in {split} of {name}, found {len(rows)}", help=self._command
            )
        found = self._written(rows, self._folder / file)
        if not (published and pinned.sha256):
            self._on_progress(f"{file} has no published hash; recorded sha256 {found}", 0, 0)
        elif found != pinned.sha256:
            raise CorruptDownload(
                f"expected rows with sha256 {pinned.sha256[:12]} for {file}, found {found[:12]}:"
                " the data set was changed",
                help=f"{self._command}, {_BY_HAND}",
            )
        return found

    def _rows(self, wanted: _Wanted, split: str, columns: tuple[str, ...]) -> Any:
        # It would report to its makers what it is used by.
        os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
        try:
            import datasets
        except ImportError:
            raise MissingExtra(f"fetching {wanted.name} from the hub", "hub") from None
        datasets.disable_progress_bars()
        try:
            revision, files = self._files(wanted)
            self._on_progress(
                f"{wanted.name} at {revision}, {_told(files, split)}: the rows come from the hub", 0, 0
            )
            self._check_files(wanted.name, revision, files)
            rows = datasets.load_dataset(
                wanted.name, data_files={split: list(files)}, split=split, revision=revision
            )
            return rows.select_columns(list(columns)) if columns else rows
        except RagharnessError:
            raise
        except Exception as error:
            raise self._in_words(error, wanted.name) from error

    def _files(self, wanted: _Wanted) -> tuple[str, dict[str, str]]:
        """Return the revision that has the wanted rows, and its files with the sha256 that the hub has."""
        from huggingface_hub import HfApi
        from huggingface_hub.errors import RevisionNotFoundError

        seen: set[str] = set()
        for revision in wanted.revisions:
            try:
                tree = HfApi().list_repo_tree(
                    wanted.name, revision=revision, repo_type="dataset", recursive=True
                )
                known = {
                    each.path: getattr(getattr(each, "lfs", None), "sha256", "")
                    for each in tree
                    if each.path.endswith(".parquet")
                }
            except RevisionNotFoundError:
                if revision == wanted.revisions[-1]:
                    raise
                continue
            seen |= {each.rpartition("/")[0] or each for each in known}
            if chosen := wanted.chosen(sorted(known)):
                return revision, {each: known[each] for each in chosen}
        where = f"{wanted.name}/{wanted.inside}".rstrip("/")
        told = ", ".join(sorted(seen)[:_LISTED]) + (" ..." if len(seen) > _LISTED else "")
        raise CorpusUnavailable(
            f"expected Parquet of {wanted.split or wanted.pattern} in {where}, found {told or 'none'}",
            help=f"{self._command} --from hub:OWNER/NAME/FOLDER names a folder of it, {_BY_HAND}",
        )

    def _check_files(self, name: str, revision: str, files: Mapping[str, str]) -> None:
        """Fetch the files behind the rows and compare each with the sha256 that the hub knows it by.

        The client compares sizes alone, and would keep a file with a false byte for ever.
        """
        from huggingface_hub import hf_hub_download

        for file, known in files.items():
            if not known:
                continue
            path = Path(hf_hub_download(name, file, revision=revision, repo_type="dataset")).resolve()
            if (found := hash_file(path)) != known:
                path.unlink(missing_ok=True)
                raise CorruptDownload(
                    f"expected sha256 {known[:12]} for {file} of {name}, found {found[:12]}",
                    help=f"{self._command} downloads it again, {_BY_HAND}",
                )

    def _in_words(self, error: Exception, name: str) -> CorpusUnavailable:
        """Return what went wrong with the hub in words: not there, not reached, or not what it should be."""
        chain: list[BaseException] = [error]
        while (cause := chain[-1].__cause__) is not None and cause not in chain:
            chain.append(cause)
        kinds = " ".join(type(each).__name__ for each in chain)
        told = (" ".join(str(each).split()) for each in chain)
        reason = next((each for each in told if each), type(error).__name__)[:_TOLD]
        if "Consistency check failed" in reason or any(
            word in kinds for word in ("Arrow", "Parquet", "Decode", "NonMatching", "Consistency")
        ):
            return CorruptDownload(
                f"what the hub gave for {name} is no Parquet of its rows: {reason}",
                help=f"{self._command}, {_BY_HAND}",
            )
        if any(word in kinds for word in ("NotFound", "Gated", "EntryNotFound")):
            return CorpusUnavailable(f"the hub has no rows of {name} to read: {reason}", help=_BY_HAND)
        return CorpusUnavailable(
            f"cannot fetch {name} from the hub: {reason}",
            help=f"{self._command} goes on where it stopped, {_BY_HAND}",
        )

    def _written(self, rows: Iterable[dict[str, Any]], path: Path) -> str:
        digest = sha256()
        with new_file(path) as file:
            for number, row in enumerate(rows, 1):
                line = json.dumps(row, ensure_ascii=False, sort_keys=True).encode() + b"\n"
                digest.update(line)
                file.write(line)
                self._on_progress(path.name, number, 0)
        return digest.hexdigest()


def _told(files: Iterable[str], split: str) -> str:
    """Return in words which rows come: the split, and in which folders they lie."""
    folders = sorted({each.rpartition("/")[0] for each in files} - {""})
    return f"{split} ({', '.join(folders)})" if folders else split
