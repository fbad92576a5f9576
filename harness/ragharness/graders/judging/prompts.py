"""The judge's prompts: one versioned file a decision, filled with untrusted texts as quoted lines.

Nothing in a quoted text can end the quotation or look like a turn of the model's: every line begins with
``MARK``, which no line of a prompt does. What a chat template might take for its own (``<|im_start|>``,
``</s>``, ``[INST]``) is written with other signs, and characters that nobody sees (of direction, of no width,
of the tag block) are left out: a model would read what a person does not.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragharness.errors import UsageError
from ragharness.language.tables import regex
from ragharness.pipelines._llm.prompting import Message, read_sections
from ragharness.pipelines._llm.services import Form

MARK = "| "
EMPTY = "(empty)"

_SEEN = frozenset("\t")
_UNSEEN = frozenset(("Cc", "Cf", "Cn", "Co", "Cs"))
_TAG = re.compile(r"[<＜﹤](?=[^\s\d=])")
_TURN = re.compile(r"\[(/?[A-Z][A-Z_]{2,})\]")


def fenced(text: str) -> str:
    """Return a text as quoted lines."""
    lines = [_plain(line) for line in text.splitlines()]
    while lines and not lines[-1].strip():
        lines.pop()
    return "\n".join(MARK + line for line in lines) or MARK + EMPTY


def outside(prompt: str) -> str:
    """Return what a prompt says itself: its lines that are not quoted."""
    return "\n".join(line for line in prompt.split("\n") if not line.startswith(MARK.rstrip()))


def _plain(line: str) -> str:
    if not (line.isascii() and line.isprintable()):
        line = "".join(each for each in line if each in _SEEN or unicodedata.category(each) not in _UNSEEN)
    return _TURN.sub(r"(\1)", _TAG.sub("&lt;", line))


FOLDER = Path(__file__).parent / "prompts"
DECISIONS = ("refusal", "answer", "support", "claims", "quality")

_PLACE = regex(r"(?m)^\{([a-z]+)\}$")
_TEXT: dict[str, Any] = {"type": "string"}
_FLAG: dict[str, Any] = {"type": "boolean"}


def _form(name: str, **last: dict[str, Any]) -> Form:
    """Return a form in which the flaw is found before anything is judged."""
    properties = {"flaw": _TEXT, "rationale": _TEXT, "evidence": _TEXT, **last}
    return Form(
        name,
        {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        },
    )


_SCORE = {"type": "integer", "minimum": 0, "maximum": 10}
_CLAIM = {
    "type": "object",
    "properties": {"claim": _TEXT, "supported": _FLAG},
    "required": ["claim", "supported"],
    "additionalProperties": False,
}
FORMS: dict[str, Form] = {
    "refusal": Form(
        "refusal",
        {
            "type": "object",
            "properties": {
                "reasoning": _TEXT,
                "span": _TEXT,
                "judgement": {"type": "string", "enum": ["REFUSED", "NOT REFUSED"]},
            },
            "required": ["reasoning", "span", "judgement"],
            "additionalProperties": False,
        },
    ),
    "answer": _form("answer", score=_SCORE),
    "support": _form("support", score=_SCORE),
    "claims": _form("claims", claims={"type": "array", "items": _CLAIM}),
    "quality": _form("quality", explained=_FLAG, nearest=_FLAG, next_step=_FLAG, urgency=_FLAG),
}
"""What a structured reply to each decision is."""


@dataclass(frozen=True)
class JudgePrompt:
    """One prompt: its text before and after the quoted ones."""

    decision: str
    version: str
    digest: str
    system: str
    user: str

    @property
    def identity(self) -> str:
        """Its version, and the digest of its file: another digest, other judgements to expect."""
        return f"{self.decision} version {self.version} ({self.digest})"

    def messages(self, texts: Mapping[str, str]) -> list[Message]:
        """Return the turn of the user, every text in its place as quoted lines."""
        quoted = {name: fenced(text) for name, text in texts.items()}
        return [Message("user", _PLACE.sub(lambda found: quoted[found[1]], self.user))]


def load_prompts(folder: Path = FOLDER) -> dict[str, JudgePrompt]:
    """Return the prompts of a folder, which must have one for each decision; raises UsageError."""
    return {decision: _load(folder / f"{decision}.txt", decision) for decision in DECISIONS}


def digest_of(prompts: Mapping[str, JudgePrompt]) -> str:
    """Return one digest of all prompts."""
    return hashlib.sha256("".join(each.digest for each in prompts.values()).encode()).hexdigest()[:8]


def _load(path: Path, decision: str) -> JudgePrompt:
    try:
        content = path.read_bytes()
        text = content.decode("utf-8-sig").replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"expected a prompt file in UTF-8 at {path}, found: {error}",
            help=f"copy the prompts from {FOLDER}",
        ) from error
    version, sections = read_sections(text, path)
    named = dict(sections)
    ours = FOLDER / f"{decision}.txt"
    wanted = _PLACE.findall(named["user"]) if path == ours else _PLACE.findall(_user(ours))
    found = _PLACE.findall(named.get("user", ""))
    if sorted(found) != sorted(wanted):
        places = ", ".join(f"{{{each}}}" for each in sorted(wanted))
        raise UsageError(
            f"expected {places} on lines of their own in the section user of {path}, found"
            f" {', '.join(found) or 'none'}",
            help=f"copy {ours}",
        )
    digest = hashlib.sha256(content).hexdigest()[:8]
    return JudgePrompt(decision, version, digest, named.get("system", ""), named["user"])


def _user(path: Path) -> str:
    return dict(read_sections(path.read_text(encoding="utf-8"), path)[1])["user"]
