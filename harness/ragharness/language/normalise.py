"""An answer's text as it is to be read: reasoning dropped, JSON opened, typography made plain."""

from __future__ import annotations

import ast
import json
import re
import unicodedata
from typing import NamedTuple, cast

from ragharness.language.patterns import regex
from ragharness.language.tables import phrases, table

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_SUPERSCRIPT = regex(r"(?<=[a-z.,;:)\]%\"”][a-z.,;:)\]%\"”])[⁰¹²³⁴⁵⁶⁷⁸⁹]+|(?<=\d[.,;])[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_BRACKETS = str.maketrans("【】〔〕⟦⟧〖〗", "[][][][]")
_UNSEEN = regex(r"[\ue000-\uf8ff\u200b-\u200f\u2060\ufeff]")
_REASONING = regex(rf"[<\[◁](?P<close>/?){phrases('answers', 'reasoning_tags')}\s*[>\]▷]", re.IGNORECASE)
_TAG = regex(
    r"<(?:cite|citation|source|ref)\b[^<>]{0,80}>([^<>]{1,120})</(?:cite|citation|source|ref)>", re.IGNORECASE
)
_TAG = regex(r"</?[a-zA-Z][\w-]{0,20}(?:\s[^<>]{0,120})?/?>")
_FENCE = regex(r"^[ \t]*(?:```|~~~)[\w+-]*[ \t]*$", re.MULTILINE)
_LARGEST_OBJECT = 200_000


class Normalised(NamedTuple):
    """The text to read, and the citations that stood beside it in a JSON object (None: there was none)."""

    text: str
    citations: tuple[str, ...] | None = None


def normalise(text: str) -> Normalised:
    """Return the text of an answer without reasoning, fences and markup tags, in NFKC."""
    if not text.isascii():
        text = _UNSEEN.sub("", text)
        text = _SUPERSCRIPT.sub(lambda found: f"[{found[0].translate(_SUPERSCRIPTS)}]", text)
        text = unicodedata.normalize("NFKC", text.translate(_BRACKETS))
    text = _FENCE.sub("", _without_reasoning(text)).replace("`", "")
    citations: tuple[str, ...] | None = None
    if "{" in text and len(text) <= _LARGEST_OBJECT:
        text, citations = _open_object(text)
    if "<" in text:
        text = _TAG.sub(" ", text)
    return Normalised(text.strip(), citations)


def _without_reasoning(text: str) -> str:
    """Drop what stands between reasoning tags; a tag without its partner reaches to that end of the text."""
    tags = list(_REASONING.finditer(text))
    if not tags:
        return text
    before = "" if tags[0]["close"] else text[: tags[0].start()]
    after = text[tags[-1].end() :] if tags[-1]["close"] else ""
    return f"{before}\n{after}"


def _open_object(text: str) -> tuple[str, tuple[str, ...] | None]:
    """Put what the object in a text says after what stands around it."""
    start = text.find("{")
    loaded, end = _load(text, start)
    said = _say(loaded) if isinstance(loaded, dict) else None
    if said is None:
        return text, None
    around = f"{text[:start].strip(' [')}\n{text[end:].strip(' ]')}".strip(" \n:")
    return f"{around}\n{said}".strip(), _cited(loaded)


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


def _say(found: object) -> str | None:
    """What an object says: its answer and its reasons as sentences; None when it has no answer."""
    fields = _folded(found)
    key = _first("answer_keys", fields)
    if key is None:
        return None
    reasons = [name for name in _keys("reason_keys") if name in fields and name != key]
    return "\n".join(filter(None, (_as_text(fields[name]) for name in (key, *reasons))))


def _as_text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "Yes." if value else "No."
    if isinstance(value, dict):
        return _say(value) or str(value)
    if isinstance(value, (list, tuple)):
        return "\n".join(f"- {_as_text(each)}" for each in value)
    return str(value)


def _cited(found: object) -> tuple[str, ...] | None:
    fields = _folded(found)
    key = _first("citation_keys", fields)
    if key is None:
        return None
    value = fields[key]
    ids = map(_id, value if isinstance(value, (list, tuple)) else [value])
    return tuple(each for each in ids if each)


def _id(value: object) -> str:
    if isinstance(value, dict):
        fields = _folded(value)
        value = fields.get(_first("id_keys", fields) or "")
    return "" if value is None else str(value)


def _folded(found: object) -> dict[str, object]:
    return {str(key).casefold(): value for key, value in cast("dict[object, object]", found).items()}


def _first(family: str, fields: dict[str, object]) -> str | None:
    return next((key for key in _keys(family) if key in fields), None)


def _keys(family: str) -> list[str]:
    return cast("list[str]", table("answers")[family])
