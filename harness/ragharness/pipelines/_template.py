"""A JSON template with places for a question and its passages, filled on the parsed tree and never as text.

A string may hold ``{question}``, ``{context}`` (the passages' texts, each behind its id) and ``{k}`` among
other words; a string that is nothing but ``{passages}`` (objects), ``{texts}``, ``{ids}`` or ``{k}`` becomes
that value itself. ``{{name}}`` stands for the letters ``{name}``. Keys are left as they are.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ragharness.errors import PipelineNotUsable
from ragharness.language.tables import regex
from ragharness.pipelines._headers import header_option, is_secret

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.records import Passage

_INLINE = ("question", "context", "k")
_WHOLE = ("passages", "texts", "ids", "k")
_OF_PASSAGES = frozenset({"context", "passages", "texts", "ids"})
_PLACE = regex(r"\{\{(\w+)\}\}|\{(\w+)\}")

_HELP = 'write it like {"question": "{question}", "passages": "{passages}"}, or name a file: template=@FILE'

Values = dict[str, Any]


class Template:
    """A checked template; ``fill`` makes the value to send."""

    def __init__(self, written: str) -> None:
        """Read a template from JSON text, or from the file behind ``@``; raises PipelineNotUsable."""
        text = _content(written)
        try:
            self._tree = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise PipelineNotUsable(f"expected a template in JSON, found: {error}", help=_HELP) from error
        self.text = json.dumps(self._tree, ensure_ascii=False)
        """The template in one spelling, as a run keeps it."""
        self._used: set[str] = set()
        _look(self._tree, self._used)
        if "question" not in self._used:
            raise PipelineNotUsable(
                f"expected {{question}} somewhere in the template, found {self.text[:200]}", help=_HELP
            )

    @property
    def takes_passages(self) -> bool:
        """Whether the passages that the harness retrieves are part of what is sent."""
        return not self._used.isdisjoint(_OF_PASSAGES)

    def fill(self, question: str, passages: Sequence[Passage] = (), k: int = 0) -> Any:
        """Return the template's value with everything in its place."""
        values: Values = {"question": question, "k": k}
        if self.takes_passages:
            values |= material(passages)
        return _filled(self._tree, values)


def material(passages: Sequence[Passage]) -> Values:
    """Return passages in the four forms in which a template may ask for them."""
    return {
        "passages": msgspec.to_builtins(list(passages)),
        "texts": [passage.text for passage in passages],
        "ids": [passage.id for passage in passages],
        "context": "\n\n".join(f"[{passage.id}] {passage.text}" for passage in passages),
    }


def _content(written: str) -> str:
    if not written.startswith("@"):
        return written
    try:
        return Path(written[1:]).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise PipelineNotUsable(
            f"expected a template in {written[1:]}, found: {reason}", help=_HELP
        ) from error


def _look(node: Any, used: set[str]) -> None:
    """Collect the names that a template asks for; raises PipelineNotUsable for an unknown one, a secret."""
    if isinstance(node, dict):
        for key, value in node.items():
            if isinstance(value, str) and not _PLACE.search(value) and is_secret(key, value):
                raise PipelineNotUsable(
                    f"expected no secret in the template, which is kept with the run, found {key!r}"
                    " in plain text",
                    help="send it in a header: export NAME=...;"
                    f" --pipeline-option {header_option(key.lower())}",
                )
        node = list(node.values())
    if isinstance(node, list):
        for each in node:
            _look(each, used)
    if not isinstance(node, str):
        return
    for found in _PLACE.finditer(node):
        name = found[2]
        if name is None:
            continue
        alone = found[0] == node
        if name not in _INLINE and not (alone and name in _WHOLE):
            known = ", ".join(f"{{{each}}}" for each in dict.fromkeys((*_INLINE, *_WHOLE)))
            told = "is a list, but is embedded in other text" if name in _WHOLE else "is not known"
            raise PipelineNotUsable(
                f"expected {known} in the template, found {{{name}}}, which {told}",
                help=f"double the braces to keep them as text: {{{{{name}}}}}",
            )
        used.add(name)


def _filled(node: Any, values: Values) -> Any:
    if isinstance(node, dict):
        return {key: _filled(value, values) for key, value in node.items()}
    if isinstance(node, list):
        return [_filled(value, values) for value in node]
    if not isinstance(node, str):
        return node
    alone = _PLACE.fullmatch(node)
    if alone and alone[2]:
        return values[alone[2]]
    return _PLACE.sub(lambda found: f"{{{found[1]}}}" if found[1] else str(values[found[2]]), node)
