"""Prompts: files of sections, filled with a question and fenced passages.

A prompt file begins with ``name: value`` lines, of which ``version`` must be there, and goes on in
sections, each headed by a line ``--- name``: ``system``, then ``plain`` and ``json`` (one of them is added to
it: how to cite in text, and how where the reply has to be JSON), then pairs of ``user`` and ``assistant`` as
examples, and at last the ``user`` section with the places ``{passages}`` and ``{question}``. The examples
cite with ``[id]`` marks; where the reply has to be JSON they are rewritten to it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ragharness.errors import UnknownName, UsageError
from ragharness.language.tables import regex
from ragharness.records import Passage
from ragharness.support.files import expand_home

DEFAULT = "refusal-6shot"
NO_PASSAGES = "(no passages)"

_FOLDER = Path(__file__).parent / "prompts"
_HEADING = regex(r"(?m)^--- *([a-z]+) *$\n?")
_PLACE = regex(r"\{(passages|question)\}")
_FENCE = regex(r"(?i)<(?=\s*/?\s*passage)")
_MARK = regex(r"\s*\[([^\[\]\s]+)\]")
_BREAKS = regex(r"\s+")


@dataclass(frozen=True)
class Message:
    """One turn of a conversation: who speaks (``user`` or ``assistant``), and what."""

    role: str
    text: str


@dataclass(frozen=True)
class Prompt:
    """A prompt as its file gives it."""

    name: str
    version: str
    digest: str
    """The first 12 digits of the SHA-256 of its file: another digest, other answers to expect."""
    system: str
    plain: str
    json: str
    examples: tuple[Message, ...]
    last: str

    def instruction(self, as_json: bool) -> str:
        """Return the system message."""
        return f"{self.system}\n{self.json if as_json else self.plain}".strip()

    def messages(self, question: str, passages: Sequence[Passage], as_json: bool) -> list[Message]:
        """Return the turns that follow the system message, the question's own last."""
        values = {"question": question, "passages": fenced(passages)}
        # One pass, so that a text which holds a place is not filled in turn.
        asked = _PLACE.sub(lambda found: values[found[1]], self.last)
        shown = [
            Message(each.role, _as_json(each.text) if as_json and each.role == "assistant" else each.text)
            for each in self.examples
        ]
        return [*shown, Message("user", asked)]


def prompt_names() -> list[str]:
    """Return the names of the prompts that come with the package, in alphabetical order."""
    return sorted(path.stem for path in _FOLDER.glob("*.txt"))


def load_prompt(name: str) -> Prompt:
    """Return the prompt of that name, or the one in the file at that path.

    Raises UnknownName for neither, UsageError for a file that is no prompt.
    """
    known = prompt_names()
    path = _FOLDER / f"{name}.txt" if name in known else expand_home(name)
    if not path.is_file():
        raise UnknownName("prompt", name, known, help="or give the path of a prompt file of your own")
    try:
        content = path.read_bytes()
        return _parsed(content.decode("utf-8-sig").replace("\r\n", "\n"), path, content)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"expected a prompt file in UTF-8 at {path}, found: {error}") from error


def fenced(passages: Sequence[Passage]) -> str:
    """Return the passages with their ids; nothing that stands in one can end it or begin another.

    A title that the passage before has too is not repeated: small models read a few dozen tokens a second.
    """
    if not passages:
        return NO_PASSAGES
    before = ("", *(passage.title for passage in passages))
    heads = [
        f'<passage id="{_attribute(each.id)}"'
        + (f' title="{_attribute(each.title)}"' if each.title != last else "")
        + (f' heading="{_attribute(each.heading)}">' if each.heading else ">")
        for each, last in zip(passages, before, strict=False)
    ]
    return "\n".join(
        f"{head}\n{_FENCE.sub('&lt;', each.text)}\n</passage>"
        for head, each in zip(heads, passages, strict=True)
    )


def _attribute(value: str) -> str:
    words = _BREAKS.sub(" ", value)
    return words.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;")


def _as_json(text: str) -> str:
    ids = dict.fromkeys(_MARK.findall(text))
    return json.dumps({"answer": _MARK.sub("", text), "citations": list(ids)}, ensure_ascii=False)


def read_sections(text: str, path: Path) -> tuple[str, list[tuple[str, str]]]:
    """Return the version and the sections of a prompt file; raises UsageError without a version."""
    head, *rest = _HEADING.split(text)
    sections = [(name, body.strip("\n")) for name, body in zip(rest[::2], rest[1::2], strict=True)]
    told = dict(line.split(":", 1) for line in head.splitlines() if ":" in line)
    version = told.get("version", "").strip()
    if not version:
        raise _refused(path, "a line 'version: ...' at its beginning", "none")
    return version, sections


def _parsed(text: str, path: Path, content: bytes) -> Prompt:
    version, sections = read_sections(text, path)
    once = {name: body for name, body in sections if name in ("system", "plain", "json")}
    turns = [Message(name, body) for name, body in sections if name not in once]
    roles = [turn.role for turn in turns]
    if roles != ["user", "assistant"] * (len(roles) // 2) + ["user"]:
        raise _refused(
            path, "sections user and assistant in turn, the last one user", ", ".join(roles) or "none"
        )
    places = set(_PLACE.findall(turns[-1].text))
    if places != {"passages", "question"}:
        raise _refused(path, "{passages} and {question} in its last section", ", ".join(places) or "neither")
    digest = hashlib.sha256(content).hexdigest()[:12]
    system, plain, as_json = (once.get(name, "") for name in ("system", "plain", "json"))
    return Prompt(path.stem, version, digest, system, plain, as_json, tuple(turns[:-1]), turns[-1].text)


def _refused(path: Path, expected: str, found: str) -> UsageError:
    return UsageError(
        f"expected {expected} in the prompt file {path}, found {found}",
        help="docs/llm.md shows what a prompt file holds",
    )
