"""Deterministic rules: each is a function of an output and its arguments that scores from 0 to 10.

A rule that says nothing of an output returns None: the dimension does not apply. Yours are named
``module:function`` and take the item first, the arguments of the rubric by name.
"""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, get_type_hints

import msgspec
from msgspec import Meta

from ragharness.adapters import find
from ragharness.errors import CodeNotUsable, MissingExtra, RagharnessError, UsageError
from ragharness.rubrics.claims import cited
from ragharness.rubrics.items import json_object
from ragharness.rubrics.rubric import SCALE

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragharness.rubrics.items import Item

    Rule = Callable[..., "Marked | float | None"]

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_DENIED = re.compile(r"(?i)\b(?:not|n't|never|cannot|before|once|until|if|unless)\b[^.!?;]*$|n't\b[^.!?;]*$")
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+")
_DIGITS = re.compile(r"(?<![\w.])\d(?:[ -]?\d){12,18}(?![\w.]\d)")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b")
_SSN = re.compile(r"(?<![\w-])\d{3}-\d{2}-\d{4}(?![\w-])")
_TYPES: dict[str, Any] = {
    "string": str, "number": (int, float), "boolean": bool, "list": list, "object": dict,
}  # fmt: skip
_Type = Literal["string", "number", "boolean", "list", "object"]
_Texts = Annotated[list[str], Meta(min_length=1)]


class Marked(NamedTuple):
    """A score from 0 to 10, and what keeps it from 10."""

    score: float
    told: str = ""


def _kept(good: object, told: str = "") -> Marked:
    return Marked(SCALE if good else 0.0, told)


def _share(bad: list[str], count: int, what: str) -> Marked:
    """Return the share of those that are not bad."""
    return Marked(SCALE * (count - len(bad)) / count if count else SCALE, f"{what}: {', '.join(bad)}")


def _found(text: str, phrase: str) -> list[int]:
    """Return where a phrase stands, whatever its case."""
    found = re.finditer(rf"(?<!\w){re.escape(phrase)}(?!\w)", text, re.IGNORECASE)
    return [each.start() for each in found]


def json_shape(item: Item, *, keys: dict[str, _Type]) -> Marked:
    """The output is a JSON object with these keys, each of this type."""
    held = json_object(item.text)
    if held is None:
        return Marked(0.0, "no JSON object")
    wrong = [
        key
        for key, kind in keys.items()
        if not isinstance(held.get(key), _TYPES[kind])
        or (kind == "number" and isinstance(held.get(key), bool))
    ]
    return _share(wrong, len(keys), "missing or of another type")


def required_phrases(item: Item, *, phrases: _Texts) -> Marked:
    """The output has every phrase, whatever its case."""
    return _share([each for each in phrases if not _found(item.text, each)], len(phrases), "missing")


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
    return _share([each for each in headings if each.casefold() not in lines], len(headings), "missing")


def taxonomy(item: Item, *, allowed: _Texts, field: str = "", fact: str = "") -> Marked:
    """Every label is one of the taxonomy, and those that ``facts`` expects are there.

    Labels are a list under ``field`` of a JSON output, else those of a line ``field: a, b``.
    """
    held = json_object(item.text)
    found = (held or {}).get(field)
    if held is None:
        line = re.search(rf"(?im)^\W*{re.escape(field)}\s*:\s*(.+)$", item.text)
        found = re.split(r"\s*[,;]\s*", line[1].strip(" .")) if line else None
    labels = {str(each).casefold() for each in found} if isinstance(found, list) else set()
    if not labels:
        return Marked(0.0, f"no labels under {field!r}")
    expected = {str(each).casefold() for each in item.facts.get(fact, ())} if fact else set()
    good = (labels & expected if expected else labels) & {each.casefold() for each in allowed}
    every = labels | expected
    return _share(sorted(every - good), len(every), "wrong or missing")


def equals(item: Item, *, field: str, fact: str) -> Marked | None:
    """A field of a JSON output equals what ``facts`` says: 10 or 0."""
    if fact not in item.facts:
        return None
    held, right = (json_object(item.text) or {}).get(field), item.facts[fact]
    return _kept(str(held).casefold() == str(right).casefold(), f"{held!r} where {right!r} is right")


def slots(item: Item, *, names: _Texts, field: str = "") -> Marked:
    """Every slot has a value in a JSON output, under ``field`` if one is named."""
    held = json_object(item.text) or {}
    inner = held.get(field) if field else held
    filled = inner if isinstance(inner, dict) else {}
    return _share([each for each in names if filled.get(each) in (None, "", [])], len(names), "empty")


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
        from phonenumbers import Leniency, PhoneNumberMatcher
        from stdnum import iban, luhn
        from stdnum.us import ssn
    except ImportError as error:
        raise MissingExtra("finding personal data", "pii") from error

    def card(text: str) -> bool:
        return text[0] in "3456" and luhn.is_valid(re.sub(r"\D", "", text))

    forms: dict[str, tuple[re.Pattern[str], Callable[[str], object]]] = {
        "email": (_EMAIL, bool), "iban": (_IBAN, iban.is_valid), "ssn": (_SSN, ssn.is_valid),
        "card": (_DIGITS, card),
    }  # fmt: skip
    found = {kind: [each[0] for each in form.finditer(item.text)] for kind, (form, _) in forms.items()}
    found = {kind: [text for text in texts if forms[kind][1](text)] for kind, texts in found.items()}
    phones = PhoneNumberMatcher(item.text, region, leniency=Leniency.VALID)
    found["phone"] = [each.raw_string for each in phones]
    known = item.input if allow_input else ""
    kinds = sorted(kind for kind, texts in found.items() if any(text not in known for text in texts))
    return _kept(not kinds, f"found: {', '.join(kinds)}")


def citations_support(item: Item) -> Marked | None:
    """Every citation names a piece of the context that states the claim it stands in."""
    marks = cited(item)
    return _share([mark for mark, held in marks if not held], len(marks), "not supported") if marks else None


def bucket_as_wanted(item: Item) -> Marked | None:
    """The answer is in the desired bucket of its question: 10 or 0."""
    if item.verdict is None or item.verdict.bucket is None:
        return None
    found, wanted = item.verdict.bucket, item.facts.get("wanted", "correct")
    return _kept(found == wanted, f"{found}, not {wanted}")


def axis(item: Item, *, name: str) -> Marked | None:
    """One axis of the verdict: yes, 3 of 3, or no extra claim is 10."""
    found = getattr(item.verdict, name, None)
    if found is None:
        return None
    if name == "refusal_quality":
        return Marked(SCALE * found / 3, f"{name} {found} of 3")
    return _kept(found in ("yes", 0), f"{name} {found}")


def ship_gate(item: Item) -> Marked | None:
    """The run may ship in the place of the base that it is compared with: 10 or 0."""
    found = item.facts.get("ship_gate")
    return None if found is None else _kept(found == "ship", f"the ship gate says {found}")


RULES: dict[str, Rule] = {
    name: function
    for name, function in list(globals().items())
    if inspect.isfunction(function) and not name.startswith("_") and function.__module__ == __name__
}
"""Every rule of this module by its name."""


def find_rule(name: str) -> Rule:
    """Return a rule by its name, or the user's own; raises CodeNotUsable or UsageError."""
    if ":" in name:
        function: Rule = find(name).value
        if not callable(function):
            raise CodeNotUsable(f"expected a function as {name}, found a {type(function).__name__}")
        return function
    if name not in RULES:
        raise UsageError(f"expected one of {', '.join(sorted(RULES))}, or module:function, found {name!r}")
    return RULES[name]


def fault(name: str, arguments: dict[str, Any], rule: Rule | None = None) -> str:
    """Return why a rule cannot be used with its arguments ("..., found ..."); empty: it can."""
    try:
        function = rule or find_rule(name)
        inspect.signature(function).bind(None, **arguments)
        re.compile(arguments.get("pattern", ""))
        hints = {} if ":" in name else get_type_hints(function, None, {"Item": Any}, include_extras=True)
        for each, value in arguments.items():
            msgspec.convert(value, hints.get(each, Any))
    except RagharnessError as error:
        return str(error).removeprefix("expected ")
    except (TypeError, re.error, RecursionError, OverflowError, msgspec.MsgspecError) as error:
        return f"arguments that the rule {name} takes, found: {error}"
    return ""


def apply(rules: dict[str, dict[str, Any]], item: Item) -> Marked | None:
    """Return the mean of what the rules score, those left out that do not apply; None if none does.

    Raises CodeNotUsable where a rule of the user's gives no score.
    """
    found: list[Marked] = []
    for name, arguments in rules.items():
        marked: Any = find_rule(name)(item, **arguments)
        if isinstance(marked, bool):
            marked = _kept(marked)
        elif isinstance(marked, (int, float)) and 0 <= marked <= SCALE:
            marked = Marked(float(marked))
        elif marked is not None and not isinstance(marked, Marked):
            raise CodeNotUsable(f"expected a score from 0 to 10, True or False from {name}, found {marked!r}")
        found += [marked] if marked else []
    told = "; ".join(each.told for each in found if each.told and each.score < SCALE)
    return Marked(sum(each.score for each in found) / len(found), told) if found else None
