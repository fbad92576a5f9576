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
_PLACEHOLDER = regex(r"\{(passages|question)\}")
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
    digest: str  # the first 12 digits of the SHA-256 of its file: another digest, other answers to expect
    system: str
    plain: str
    json: str
    examples: tuple[Message, ...]
    last: str

    def instruction(self, as_json: bool) -> str:
        """The system message."""
        return f"{self.system}\n{self.json if as_json else self.plain}".strip()

    def messages(self, question: str, passages: Sequence[Passage], as_json: bool) -> list[Message]:
        """The turns that follow the system message, the question's own last."""
        values = {"question": question, "passages": fenced(passages)}
        # One pass, so that a text which holds a placeholder is not filled in turn.
        turn = Message("user", _PLACEHOLDER.sub(lambda match: values[match[1]], self.last))
        return [*(_as_json(message) if as_json else message for message in self.examples), turn]


def prompt_names() -> list[str]:
    """Names of the prompts that come with the package, in alphabetical order."""
    return sorted(path.stem for path in _FOLDER.glob("*.txt"))


def load_prompt(name: str) -> Prompt:
    """The prompt of that name, or in the file at that path; raises UnknownName, UsageError for no prompt."""
    names = prompt_names()
    path = _FOLDER / f"{name}.txt" if name in names else expand_home(name)
    if not path.is_file():
        raise UnknownName("prompt", name, names, help="or give the path of a prompt file of your own")
    try:
        content = path.read_bytes()
        return _parsed(content.decode("utf-8-sig").replace("\r\n", "\n"), path, content)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the prompt file {path} is not readable as UTF-8: {error}") from error


def read_sections(text: str, path: Path) -> tuple[str, list[tuple[str, str]]]:
    """The version and the sections of a prompt file; raises UsageError without a version."""
    head, *parts = _HEADING.split(text)
    fields = dict(line.split(":", 1) for line in head.splitlines() if ":" in line)
    version = fields.get("version", "").strip()
    if not version:
        raise _unusable(path, "must begin with a line 'version: ...'")
    return version, [(name, body.strip("\n")) for name, body in zip(parts[::2], parts[1::2], strict=True)]


def _parsed(text: str, path: Path, content: bytes) -> Prompt:
    version, sections = read_sections(text, path)
    once = {name: body for name, body in sections if name in ("system", "plain", "json")}
    turns = [Message(name, body) for name, body in sections if name not in once]
    roles = [turn.role for turn in turns]
    if roles != ["user", "assistant"] * (len(roles) // 2) + ["user"]:
        needs = "needs sections user and assistant in turn, the last one user"
        raise _unusable(path, f"{needs}; it has {', '.join(roles) or 'none'}")
    if set(_PLACEHOLDER.findall(turns[-1].text)) != {"passages", "question"}:
        raise _unusable(path, "needs {passages} and {question} in its last section")
    digest = hashlib.sha256(content).hexdigest()[:12]
    system, plain, as_json = (once.get(name, "") for name in ("system", "plain", "json"))
    return Prompt(path.stem, version, digest, system, plain, as_json, tuple(turns[:-1]), turns[-1].text)


def _unusable(path: Path, why: str) -> UsageError:
    return UsageError(f"the prompt file {path} {why}", help="docs/llm.md shows what a prompt file holds")


def fenced(passages: Sequence[Passage]) -> str:
    """Passages with their ids; nothing that stands in one can end it or begin another.

    A title that the passage before has too is not repeated: small models read a few dozen tokens a second.
    """
    if not passages:
        return NO_PASSAGES
    blocks, title = [], ""
    for passage in passages:
        attributes = [f'id="{_attribute(passage.id)}"']
        attributes += [f'title="{_attribute(passage.title)}"'] if passage.title != title else []
        attributes += [f'heading="{_attribute(passage.heading)}"'] if passage.heading else []
        title = passage.title
        text = _FENCE.sub("&lt;", passage.text)
        blocks.append(f"<passage {' '.join(attributes)}>\n{text}\n</passage>")
    return "\n".join(blocks)


def _attribute(value: str) -> str:
    line = _BREAKS.sub(" ", value)
    return line.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;")


def _as_json(message: Message) -> Message:
    if message.role != "assistant":
        return message
    ids = dict.fromkeys(_MARK.findall(message.text))
    reply = {"answer": _MARK.sub("", message.text), "citations": list(ids)}
    return Message(message.role, json.dumps(reply, ensure_ascii=False))
