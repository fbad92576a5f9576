"""An answer's text as it is to be read: no reasoning, no JSON, plain typography."""

from __future__ import annotations

import ast
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import NamedTuple, cast

from ragharness.language.tables import phrases, regex, table

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_SUPERSCRIPT = regex(r"(?<=[a-z.,;:)\]%\"”][a-z.,;:)\]%\"”])[⁰¹²³⁴⁵⁶⁷⁸⁹]+|(?<=\d[.,;])[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_BRACKETS = str.maketrans("【】〔〕⟦⟧〖〗", "[][][][]")
_UNSEEN = regex(r"[\ue000-\uf8ff\u200b-\u200f\u2060\ufeff\ufffd]")
_COLOUR = regex(r"\x1b\[[\d;]*m")
_REASONING = regex(rf"[<\[◁](?P<close>/?){phrases('answers', 'reasoning_tags')}\s*[>\]▷]", re.IGNORECASE)
_TAG = regex(r"</?[a-zA-Z][\w-]{0,20}(?:\s[^<>]{0,120})?/?>")
_FENCE = regex(r"^[ \t]*(?:```|~~~)[\w+-]*[ \t]*$", re.MULTILINE)
_LOST_MARK = regex(
    r"[1-9](?<=(?:\bin|\w,)\s(?:1[5-9]|20)\d\d.)\d?(?=[.,;]|$)"
)  # of a footnote: "May, 200712."
_LOST_BLANK = regex(r"(?=[A-Z])(?<=\b[oi]n)(?=[A-Z][a-z]{2,8} \d)")  # before a date: "onMarch 6"
_LARGEST_OBJECT = 200_000
_OPENING = "\"'“”‘«„*_("
_BEFORE_MARK = regex(r"[\"'“”’»*_)]{0,4}[ \t,:–—-]{0,3}(?=[\[\u3010])")  # between a title and its mark

Fields = dict[str, object]


class Normalised(NamedTuple):
    """The text to read, and the citations that stood beside it in a JSON object (None: there was none)."""

    text: str
    citations: tuple[str, ...] | None = None


def normalise(text: str) -> Normalised:
    """Text of an answer without reasoning, fences, markup tags and colours, in NFKC."""
    if "\x1b" in text:
        text = _COLOUR.sub("", text)
    if not text.isascii():
        text = _UNSEEN.sub("", text)
        text = _SUPERSCRIPT.sub(lambda found: f"[{found[0].translate(_SUPERSCRIPTS)}]", text)
        text = unicodedata.normalize("NFKC", text.translate(_BRACKETS))
    text = _LOST_MARK.sub("", _LOST_BLANK.sub(" ", text))
    text = _FENCE.sub("", _without_reasoning(text)).replace("`", "")
    citations: tuple[str, ...] | None = None
    if "{" in text and len(text) <= _LARGEST_OBJECT:
        text, citations = _open_object(text)
    return Normalised(_TAG.sub(" ", text).strip(), citations)


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
    start, end = text.find("{"), text.rfind("}") + 1
    loaded: object = None
    try:
        loaded, end = json.JSONDecoder(strict=False).raw_decode(text, start)
    except (ValueError, RecursionError):
        try:
            loaded = ast.literal_eval(text[start:end])
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            return text, None
    fields = _fields(loaded)
    if not _present("answer_keys", fields):
        return text, None
    around = f"{text[:start].strip(' [')}\n{text[end:].strip(' ]')}".strip(" \n:")
    listed = _present("citation_keys", fields)
    return f"{around}\n{_say(loaded)}".strip(), _ids(listed[0]) if listed else None


def _fields(loaded: object) -> Fields:
    fields = cast("dict[object, object]", loaded) if isinstance(loaded, dict) else {}
    return {str(key).casefold(): value for key, value in fields.items()}


def _present(family: str, fields: Fields) -> list[object]:
    return [fields[key] for key in cast("list[str]", table("answers")[family]) if key in fields]


def _say(value: object) -> str:
    """A value as sentences; of an object, its answer and its reasons."""
    if isinstance(value, dict):
        fields = _fields(value)
        parts = [*_present("answer_keys", fields)[:1], *_present("reason_keys", fields)]
        return "\n".join(filter(None, map(_say, parts))) if parts else str(value)
    if isinstance(value, (list, tuple)):
        return "\n".join(f"- {_say(element)}" for element in value)
    if isinstance(value, bool):
        return "Yes." if value else "No."
    return "" if value is None else str(value)


def _ids(value: object) -> tuple[str, ...]:
    """The ids in a field of citations: one or several, bare or in objects."""
    listed = value if isinstance(value, (list, tuple)) else [value]
    ids = ((_present("id_keys", _fields(id_)) or [""])[0] if isinstance(id_, dict) else id_ for id_ in listed)
    return tuple(str(id_) for id_ in ids if id_ not in (None, ""))


_INSIDE = r"\^?[\w./:#-]{1,64}(?:\s?[,;]\s?[\w./:#-]{1,64}){0,8}\s?"
_CITED = regex(
    rf"\[(?=[^\],;]{{0,64}}[\d#]){_INSIDE}\]|\((?=[^)]{{0,64}}#){_INSIDE}\)|【[^】]{{0,64}}】"
    r"|https?://\S+|www\.\S+"
)


def without_labels(text: str, titles: Iterable[str]) -> str:
    """Text with "this document" for titles right before a citation mark: they name its passage.

    ``"Annual Report 2023" [annual-1#4]`` cites a passage; it states neither a report nor a year.
    """
    # The longest first: a title may begin another one. No pattern of the titles: to compile one takes long.
    named = sorted((title for title in set(titles) if title.strip() and title in text), key=len, reverse=True)
    labels = (label for title in named for label in _labels(text, title))
    written, position = [], 0
    for start, end in sorted(labels, key=lambda label: label[0]):
        if start >= position:
            written += [text[position:start], "this document "]
            position = end
    return "".join([*written, text[position:]])


def _labels(text: str, title: str) -> Iterator[tuple[int, int]]:
    start = text.find(title)
    while start >= 0:
        if ends := _BEFORE_MARK.match(text, start + len(title)):
            quoted = text[max(0, start - 4) : start]
            yield start - len(quoted) + len(quoted.rstrip(_OPENING)), ends.end()
        start = text.find(title, start + 1)


def without_marks(text: str) -> str:
    """Text with web addresses and citation marks ([c1#3], [12], 【p4】, (c1#3)) blotted out."""
    return _CITED.sub(lambda mark: "]" * len(mark[0]), text)
