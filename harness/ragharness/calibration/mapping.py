"""``Mapping``: the names of columns and labels in someone else's file, given as ``name=theirs``."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ragharness.errors import UnknownName, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

LABELS = ("correct", "incorrect", "refusal")
"""What people say of an answer."""

COLUMNS = (
    "id", "question", "answers", "answer", "label", "kind", "unit", "passages", "citations",
)  # fmt: skip
_LABEL = "label."
_SEPARATOR = "answers.separator"
_SHOWN = "--map NAME=THEIRS"
NONE = "-"
"""``answers=-``: a file without golds, whose labels tell refusals apart and nothing else."""


class Mapping(NamedTuple):
    """Their name of each column, their words for each label, and what stands between several golds."""

    columns: dict[str, str]
    words: dict[str, str]
    """A word in small letters -> the label that it means."""
    separator: str = "|"

    @classmethod
    def parse(cls, texts: Iterable[str] = ()) -> Mapping:
        """Read ``answer=response``, ``label.correct=1,true`` and the like; raises UsageError."""
        columns = dict(zip(COLUMNS, COLUMNS, strict=True))
        words: dict[str, str] = {}
        separator, seen = "|", set[str]()
        for text in texts:
            name, equals, theirs = text.partition("=")
            name = name.strip().lower()
            if not equals or not theirs.strip():
                raise UsageError(f"expected {_SHOWN}, found {text!r}")
            if name in seen:
                raise UsageError(f"expected {name!r} once in --map, found it twice")
            seen.add(name)
            if name == _SEPARATOR:
                separator = theirs
            elif name.removeprefix(_LABEL) in LABELS and name.startswith(_LABEL):
                _add(words, name.removeprefix(_LABEL), theirs)
            elif name in columns:
                columns[name] = theirs.strip()
            else:
                raise UnknownName("column", name, [*COLUMNS, *(_LABEL + each for each in LABELS), _SEPARATOR])
        for label in LABELS:
            words.setdefault(label, label)
        return cls(columns, words, separator)

    def label(self, value: object) -> str:
        """Return the label that a value means; raises ValueError for one that means none."""
        written = word_of(value)
        label = self.words.get(written.casefold(), "")
        if not label:
            raise ValueError(f"expected the label {', '.join(self.words)}, found {written[:40]!r}")
        return label


def word_of(value: object) -> str:
    """Return a value as the word that a mapping names: true, 1, yes."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    # Half of a character, which JSON can hold, cannot be written anywhere.
    return "" if value is None else str(value).encode("utf-8", "replace").decode().strip()


def _add(words: dict[str, str], label: str, theirs: str) -> None:
    for word in filter(None, (each.strip().casefold() for each in theirs.split(","))):
        if words.setdefault(word, label) != label:
            raise UsageError(f"expected {word!r} to mean one label, found {words[word]} and {label}")
