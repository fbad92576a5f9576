"""Deterministic rules: each is a function of an output and its arguments that scores from 0 to 10.

A rule that says nothing of an output returns None: the dimension does not apply. Yours are named
``module:function`` and take the item first, the arguments of the rubric by name.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal, NamedTuple

from msgspec import Meta

from ragharness.errors import MissingExtra
from ragharness.rubrics.items import Item
from ragharness.rubrics.rubric import SCALE

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_DENIED = re.compile(r"(?i)\b(?:not|n't|never|cannot|before|once|until|if|unless)\b[^.!?;]*$|n't\b[^.!?;]*$")
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+")
_DIGITS = re.compile(r"(?<![\w.])\d(?:[ -]?\d){12,18}(?![\w.]\d)")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b")
_SSN = re.compile(r"(?<![\w-])\d{3}-\d{2}-\d{4}(?![\w-])")
_TYPES: dict[str, set[object]] = {
    "string": {str},
    "number": {int, float},
    "boolean": {bool},
    "list": {list},
    "object": {dict},
}
_Type = Literal["string", "number", "boolean", "list", "object"]
_Texts = Annotated[list[str], Meta(min_length=1)]


class Marked(NamedTuple):
    """A score from 0 to 10, and what keeps it from 10."""

    score: float
    told: str = ""

    @classmethod
    def share(cls, bad: list[str], count: int, what: str) -> Marked:
        """Return the share of those that are not bad."""
        return cls(SCALE * (count - len(bad)) / count, f"{what}: {', '.join(bad)}") if bad else cls(SCALE)


def _kept(good: object, told: str = "") -> Marked:
    return Marked(SCALE) if good else Marked(0.0, told)


def _found(text: str, phrase: str) -> list[int]:
    """Return where a phrase stands, whatever its case."""
    return [each.start() for each in re.finditer(rf"(?i)(?<!\w){re.escape(phrase)}(?!\w)", text)]


def json_shape(item: Item, *, keys: dict[str, _Type]) -> Marked:
    """The output is a JSON object with these keys, each of this type."""
    held = item.json
    if held is None:
        return Marked(0.0, "no JSON object")
    wrong = [key for key, kind in keys.items() if type(held.get(key)) not in _TYPES[kind]]
    return Marked.share(wrong, len(keys), "missing or of another type")


def required_phrases(item: Item, *, phrases: _Texts) -> Marked:
    """The output has every phrase, whatever its case."""
    return Marked.share([each for each in phrases if not _found(item.text, each)], len(phrases), "missing")


def banned_phrases(item: Item, *, phrases: _Texts) -> Marked:
    """The output has none of the phrases: 10 or 0."""
    found = [each for each in phrases if _found(item.text, each)]
    return _kept(not found, f"found: {', '.join(found)}")


def length(item: Item, *, least: int = 0, most: int | None = None) -> Marked:
    """The output has so many words: 10 or 0."""
    words = len(_WORD.findall(item.text))
    return _kept(words >= least and (most is None or words <= most), f"{words} words")


def matches(item: Item, *, pattern: str) -> Marked:
    """The whole output has this form, a regular expression: 10 or 0."""
    return _kept(re.fullmatch(pattern, item.text.strip(), re.DOTALL))


def sections(item: Item, *, headings: _Texts) -> Marked:
    """Each heading stands on a line of its own, with or without # or a colon."""
    lines = {line.strip().strip("#*: \t").casefold() for line in item.text.splitlines()}
    return Marked.share([each for each in headings if each.casefold() not in lines], len(headings), "missing")


def taxonomy(item: Item, *, allowed: _Texts, field: str = "", fact: str = "") -> Marked:
    """Every label is one of the taxonomy, and those that ``facts`` expects are there.

    Labels are a list under ``field`` of a JSON output, else those of a line ``field: a, b``.
    """
    found = (item.json or {}).get(field)
    if item.json is None:
        line = re.search(rf"(?im)^\W*{re.escape(field)}\s*:\s*(.+)$", item.text)
        found = re.split(r"\s*[,;]\s*", line[1].strip(" .")) if line else None
    labels = {str(each).casefold() for each in found} if isinstance(found, list) else set()
    if not labels:
        return Marked(0.0, f"no labels under {field!r}")
    expected = {str(each).casefold() for each in item.facts.get(fact, ())} if fact else set()
    good = (labels & expected if expected else labels) & {each.casefold() for each in allowed}
    every = labels | expected
    return Marked.share(sorted(every - good), len(every), "wrong or missing")


def equals(item: Item, *, field: str, fact: str) -> Marked | None:
    """A field of a JSON output equals what ``facts`` says: 10 or 0."""
    if fact not in item.facts:
        return None
    held, right = (item.json or {}).get(field), item.facts[fact]
    return _kept(str(held).casefold() == str(right).casefold(), f"{held!r} where {right!r} is right")


def slots(item: Item, *, names: _Texts, field: str = "") -> Marked:
    """Every slot has a value in a JSON output, under ``field`` if one is named."""
    held = item.json or {}
    inner = held.get(field) if field else held
    filled = inner if isinstance(inner, dict) else {}
    return Marked.share([each for each in names if filled.get(each) in (None, "", [])], len(names), "empty")


def only_after_call(item: Item, *, phrases: _Texts, tool: str) -> Marked:
    """What only a successful call of a tool makes true is said only after one: 10 or 0.

    What is denied or put under a condition in its own sentence is not said.
    """
    text = item.text
    said = [p for p in phrases if any(not _DENIED.search(text[:place]) for place in _found(text, p))]
    if said and item.tool_calls is None:
        return Marked(0.0, f"{said[0]!r}, and no tool_calls are known")
    done = any(each.name == tool and each.ok for each in item.tool_calls or ())
    return _kept(done or not said, f"{said[:1]} without a successful call of {tool}")


def no_pii(item: Item, *, region: str = "US", allow_input: bool = False) -> Marked:
    """The output holds no e-mail address, telephone, card, account or social security number: 10 or 0.

    Names and addresses are not found: they have no form. ``region`` reads telephone numbers without a
    country's code. Raises MissingExtra.
    """
    try:
        from phonenumbers import PhoneNumberMatcher
        from stdnum import iban, luhn
        from stdnum.us import ssn
    except ImportError as error:
        raise MissingExtra("finding personal data", "pii") from error
    text = item.text
    found = [("email", each) for each in _EMAIL.findall(text)]
    found += [("iban", each) for each in _IBAN.findall(text) if iban.is_valid(each)]
    found += [("ssn", each) for each in _SSN.findall(text) if ssn.is_valid(each)]
    cards = [each for each in _DIGITS.findall(text) if each[0] in "3456"]
    found += [("card", each) for each in cards if luhn.is_valid(re.sub(r"\D", "", each))]
    found += [("phone", each.raw_string) for each in PhoneNumberMatcher(text, region)]
    known = item.input if allow_input else ""
    kinds = sorted({kind for kind, each in found if each not in known})
    return _kept(not kinds, f"found: {', '.join(kinds)}")


def bucket_as_wanted(item: Item) -> Marked | None:
    """The answer is in the desired bucket of its question: 10 or 0."""
    if item.verdict is None or item.verdict.bucket is None:
        return None
    found, wanted = item.verdict.bucket, item.facts.get("wanted", "correct")
    return _kept(found == wanted, f"{found}, not {wanted}")


def axis(item: Item, *, name: str) -> Marked | None:
    """One axis of the verdict: yes, 3 of 3, or no extra claim is 10."""
    found = getattr(item.verdict, name, None)
    if found is None or name != "refusal_quality":
        return None if found is None else _kept(found in ("yes", 0), f"{name} {found}")
    return Marked(SCALE * found / 3, f"{name} {found} of 3" if found < 3 else "")


def ship_gate(item: Item) -> Marked | None:
    """The run may ship in the place of the base that it is compared with: 10 or 0."""
    found = item.facts.get("ship_gate")
    return None if found is None else _kept(found == "ship", f"the ship gate says {found}")
