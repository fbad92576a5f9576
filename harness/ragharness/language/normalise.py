# ruff: noqa: E501 (a pattern reads better with one group of alternatives a line)
"""An answer's text as it is to be read: reasoning dropped, JSON opened, typography made plain."""

from __future__ import annotations

import ast
import json
import re
import unicodedata
from typing import NamedTuple

from ragharness.language.patterns import regex

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_SUPERSCRIPT = regex(r"(?<=[a-z.,;:)\]%\"”][a-z.,;:)\]%\"”])[⁰¹²³⁴⁵⁶⁷⁸⁹]+|(?<=\d[.,;])[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_BRACKETS = str.maketrans(
    {"【": "[", "】": "]", "〔": "[", "〕": "]", "⟦": "[", "⟧": "]", "〖": "[", "〗": "]"}
)
_PRIVATE = regex(r"[\ue000-\uf8ff\u200b-\u200f\u2060\ufeff]")
_REASONING = regex(
    r"[<\[◁](?P<close>/?)(?:think|thinking|thought|thoughts|reasoning|reflection|scratchpad|analysis|inner_monologue)\s*[>\]▷]",
    re.IGNORECASE,
)
_CITE_TAG = regex(
    r"<(?:cite|citation|source|ref)\b[^<>]{0,80}>([^<>]{1,120})</(?:cite|citation|source|ref)>", re.IGNORECASE
)
_TAG = regex(r"</?[a-zA-Z][\w-]{0,20}(?:\s[^<>]{0,120})?/?>")
_FENCE = regex(r"^[ \t]*(?:```|~~~)[\w+-]*[ \t]*$", re.MULTILINE)
_ANSWER_KEYS = (
    "answer",
    "final_answer",
    "finalanswer",
    "response",
    "output",
    "result",
    "value",
    "text",
    "content",
)
_REASON_KEYS = (
    "explanation",
    "reason",
    "reasoning",
    "rationale",
    "justification",
    "details",
    "note",
    "comment",
    "message",
)
_CITATION_KEYS = ("citations", "citation", "sources", "source", "references", "reference", "evidence", "passages",
                  "passage_ids", "cited_passages", "source_ids", "ids", "id", "supporting_passages", "passage_id")  # fmt: skip
_REFUSAL_KEYS = {"refused": True, "refusal": True, "answerable": False, "found": False, "can_answer": False,
                 "unanswerable": True}  # fmt: skip
_LARGEST_OBJECT = 200_000


class Normalised(NamedTuple):
    """The text to read, and the citations that stood beside it in a JSON object (None: there was none)."""

    text: str
    citations: tuple[str, ...] | None = None


def normalise(text: str) -> Normalised:
    """Return the text of an answer without reasoning, fences and markup tags, in NFKC."""
    if not text.isascii():
        text = _PRIVATE.sub("", text)
        text = _SUPERSCRIPT.sub(lambda found: f"[{found[0].translate(_SUPERSCRIPTS)}]", text)
        text = unicodedata.normalize("NFKC", text.translate(_BRACKETS))
    if "<" in text or "[" in text or "◁" in text:
        text = _drop_reasoning(text)
    if "`" in text or "~~~" in text:
        text = _FENCE.sub("", text).replace("`", "")
    citations: tuple[str, ...] | None = None
    if "{" in text:
        text, citations = _open_object(text)
    if "<" in text:
        text = _TAG.sub(" ", _CITE_TAG.sub(r"[\1]", text))
    return Normalised(text.strip(), citations)


def _drop_reasoning(text: str) -> str:
    """Drop what stands between reasoning tags; a tag without its partner reaches to that end of the text."""
    kept: list[str] = []
    depth = position = 0
    for tag in _REASONING.finditer(text):
        if tag["close"]:
            if depth == 0:
                kept.clear()
            depth = max(0, depth - 1)
            position = tag.end()
        else:
            if depth == 0:
                kept.append(text[position : tag.start()])
            depth += 1
    return "\n".join([*kept, "" if depth else text[position:]]) if kept or position else text


def _open_object(text: str) -> tuple[str, tuple[str, ...] | None]:
    start = text.find("{")
    if len(text) > _LARGEST_OBJECT:
        return text, None
    loaded, end = _load(text, start)
    if not isinstance(loaded, dict):
        return text, None
    said = _say(loaded)
    if said is None:
        return text, None
    around = f"{text[:start].strip(' [')}\n{text[end:].strip(' ]')}".strip(" \n:")
    plain = re.sub(
        r"(?i)^\W*(?:here(?:'s| is)[^\n]*|json|output|response|answer)\W*$", "", around, flags=re.MULTILINE
    )
    return f"{plain}\n{said}".strip(), _cited(loaded)


def _load(text: str, start: int) -> tuple[object, int]:
    try:
        return json.JSONDecoder(strict=False).raw_decode(text, start)
    except (ValueError, RecursionError):
        pass
    end = text.rfind("}") + 1
    try:
        return ast.literal_eval(text[start:end]), end
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return None, end


def _say(found: dict[object, object]) -> str | None:
    """What an object says: its answer and its explanation as sentences; None when it carries neither."""
    lower = {str(key).casefold(): value for key, value in found.items()}
    key = next((key for key in _ANSWER_KEYS if key in lower), None)
    refused = any(lower.get(name) is value for name, value in _REFUSAL_KEYS.items())
    if key is None and not refused:
        return None
    parts = [_as_text(lower[key])] if key else []
    parts += [_as_text(lower[name]) for name in _REASON_KEYS if name in lower and name != key]
    if refused and not any(parts):
        parts.append("I cannot answer this.")
    return "\n".join(part for part in parts if part)


def _as_text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "Yes." if value else "No."
    if isinstance(value, dict):
        return _say(value) or "\n".join(f"{key}: {_as_text(each)}" for key, each in value.items())
    if isinstance(value, (list, tuple)):
        return "\n".join(f"- {_as_text(each)}" for each in value)
    return str(value)


def _cited(found: dict[object, object]) -> tuple[str, ...] | None:
    lower = {str(key).casefold(): value for key, value in found.items()}
    key = next((key for key in _CITATION_KEYS if key in lower), None)
    if key is None:
        nested = next((value for value in lower.values() if isinstance(value, dict)), None)
        return _cited(nested) if nested else None
    value = lower[key]
    values = value if isinstance(value, (list, tuple)) else [value]
    ids = [_citation(each) for each in values]
    return tuple(each for each in ids if each)


def _citation(value: object) -> str:
    if isinstance(value, dict):
        lower = {str(key).casefold(): each for key, each in value.items()}
        return next(
            (
                str(lower[key])
                for key in ("id", "passage_id", "source", "passage", "doc", "document")
                if key in lower
            ),
            "",
        )
    return "" if value is None else str(value)
