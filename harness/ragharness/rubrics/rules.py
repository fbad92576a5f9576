"""Deterministic rules: each is a function of an output and its arguments that scores from 0 to 10.

A rule that says nothing of an output returns None: the dimension does not apply. Yours are named
``module:function`` and take the item first, the arguments of the rubric by name.
"""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

import msgspec
from msgspec import Meta

from ragharness.adapters import find
from ragharness.errors import CodeNotUsable, RagharnessError, UsageError
from ragharness.rubrics.items import Marked, json_object
from ragharness.rubrics.rubric import SCALE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ragharness.rubrics.items import Item

    Rule = Callable[..., "Marked | float | None"]

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_TYPES: dict[str, Any] = {
    "string": str, "number": (int, float), "boolean": bool, "list": list, "object": dict,
}  # fmt: skip
_Type = Literal["string", "number", "boolean", "list", "object"]
_Texts = Annotated[list[str], Meta(min_length=1)]


def _share(good: int, whole: int, told: str = "") -> Marked:
    return Marked(SCALE * good / whole if whole else SCALE, told)


def _all(wanted: Iterable[str], missing: list[str], what: str) -> Marked:
    count = len(list(wanted))
    return _share(count - len(missing), count, f"{what}: {', '.join(missing)}" if missing else "")


def _holds(text: str, phrase: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", text, re.IGNORECASE) is not None


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
    return _all(keys, wrong, "missing or of another type")


def required_phrases(item: Item, *, phrases: _Texts) -> Marked:
    """The output has every phrase, whatever its case."""
    return _all(phrases, [each for each in phrases if not _holds(item.text, each)], "missing")


def banned_phrases(item: Item, *, phrases: _Texts) -> Marked:
    """The output has none of the phrases: 10 or 0."""
    found = [each for each in phrases if _holds(item.text, each)]
    return Marked(0.0 if found else SCALE, f"found: {', '.join(found)}" if found else "")


def length(item: Item, *, least: int = 0, most: int | None = None) -> Marked:
    """The output has so many words: 10 or 0."""
    words = len(_WORD.findall(item.text))
    good = words >= least and (most is None or words <= most)
    return Marked(SCALE if good else 0.0, f"{words} words")


def matches(item: Item, *, pattern: str) -> Marked:
    """The whole output has this form, a regular expression: 10 or 0."""
    return Marked(SCALE if re.fullmatch(pattern, item.text.strip(), re.DOTALL) else 0.0)


def sections(item: Item, *, headings: _Texts) -> Marked:
    """Each heading stands on a line of its own, with or without # or a colon."""
    lines = {line.strip().strip("#*: \t").casefold() for line in item.text.splitlines()}
    return _all(headings, [each for each in headings if each.casefold() not in lines], "missing")


def taxonomy(item: Item, *, allowed: _Texts, field: str = "", fact: str = "") -> Marked | None:
    """Every label is one of the taxonomy, and those that ``facts`` expects are there.

    Labels are a list under ``field`` of a JSON output, else those of a line ``field: a, b``.
    """
    held = json_object(item.text)
    found = (held or {}).get(field)
    if held is None:
        line = re.search(rf"(?im)^\W*{re.escape(field)}\s*:\s*(.+)$", item.text)
        found = re.split(r"\s*[,;]\s*", line[1].strip(" .")) if line else None
    labels = {str(each).casefold() for each in found} if isinstance(found, list) else set()
    known = {each.casefold() for each in allowed}
    expected = {str(each).casefold() for each in item.facts.get(fact, ())} if fact else set()
    if not labels:
        return Marked(0.0, f"no labels under {field!r}")
    good, every = (labels & expected if expected else labels) & known, labels | expected
    strange = sorted(every - good)
    return _share(len(good), len(every), f"wrong or missing: {', '.join(strange)}" if strange else "")


def equals(item: Item, *, field: str, fact: str) -> Marked | None:
    """A field of a JSON output equals what ``facts`` says: 10 or 0."""
    if fact not in item.facts:
        return None
    held = (json_object(item.text) or {}).get(field)
    good = str(held).casefold() == str(item.facts[fact]).casefold()
    return Marked(SCALE if good else 0.0, f"{held!r} where {item.facts[fact]!r} is right")


def slots(item: Item, *, names: _Texts, field: str = "") -> Marked:
    """Every slot has a value in a JSON output, under ``field`` if one is named."""
    held = json_object(item.text) or {}
    inner = held.get(field) if field else held
    filled = inner if isinstance(inner, dict) else {}
    return _all(names, [each for each in names if filled.get(each) in (None, "", [])], "empty")


def only_after_call(item: Item, *, phrases: _Texts, tool: str) -> Marked | None:
    """What only a successful call of a tool makes true is said only after one: 10 or 0."""
    said = [each for each in phrases if _claims(item.text, each)]
    if not said:
        return Marked(SCALE)
    if item.tool_calls is None:
        return Marked(0.0, f"{said[0]!r}, and no tool_calls are known")
    done = any(each.name == tool and each.ok for each in item.tool_calls)
    return Marked(SCALE if done else 0.0, "" if done else f"{said[0]!r} without a successful call of {tool}")


_DENIED = re.compile(r"(?i)\b(?:not|n't|never|cannot|before|once|until|if|unless)\b[^.!?;]*$|n't\b[^.!?;]*$")


def _claims(text: str, phrase: str) -> bool:
    """Say whether a phrase is stated anywhere, not denied or put under a condition in its own sentence."""
    found = re.finditer(rf"(?<!\w){re.escape(phrase)}(?!\w)", text, re.IGNORECASE)
    return any(not _DENIED.search(text[: each.start()]) for each in found)


def no_pii(item: Item, *, region: str = "US", allow_input: bool = False) -> Marked:
    """The output holds no e-mail address, telephone, card, account or social security number: 10 or 0."""
    from ragharness.rubrics.personal import find_personal_data

    found = find_personal_data(item.text, region)
    known = item.input if allow_input else ""
    kinds = sorted({kind for kind, text in found if text not in known})
    return Marked(0.0 if kinds else SCALE, f"found: {', '.join(kinds)}" if kinds else "")


def citations_support(item: Item) -> Marked | None:
    """Every citation names a piece of the context that states the claim it stands in."""
    from ragharness.rubrics.claims import cited

    supported = cited(item)
    good = sum(held for _, held in supported)
    wrong = ", ".join(mark for mark, held in supported if not held)
    return _share(good, len(supported), f"not supported: {wrong}" if wrong else "") if supported else None


def bucket_as_wanted(item: Item) -> Marked | None:
    """The answer is in the desired bucket of its question: 10 or 0."""
    if item.verdict is None or item.verdict.bucket is None:
        return None
    wanted = item.facts.get("wanted", "correct")
    return Marked(SCALE if item.verdict.bucket == wanted else 0.0, f"{item.verdict.bucket}, not {wanted}")


def axis(item: Item, *, name: str) -> Marked | None:
    """One axis of the verdict: yes, 3 of 3, or no extra claim is 10."""
    found = getattr(item.verdict, name, None)
    if found is None:
        return None
    if name == "refusal_quality":
        return _share(found, 3)
    good = found == "yes" if isinstance(found, str) else found == 0
    return Marked(SCALE if good else 0.0, f"{name} {found}")


def ship_gate(item: Item) -> Marked | None:
    """The run may ship in the place of the base that it is compared with: 10 or 0."""
    found = item.facts.get("ship_gate")
    return None if found is None else Marked(SCALE if found == "ship" else 0.0, f"the ship gate says {found}")


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
        raise UsageError(f"one of {', '.join(sorted(RULES))}, or module:function, found {name!r}")
    return RULES[name]


def fault(name: str, arguments: dict[str, Any]) -> str:
    """Return why a rule cannot be used with its arguments ("..., found ..."); empty: it can."""
    try:
        function = find_rule(name)
        inspect.signature(function).bind(None, **arguments)
        re.compile(arguments.get("pattern", ""))
        hints = get_type_hints(function, None, {"Item": Any}, include_extras=True) if name in RULES else {}
        for each, value in arguments.items():
            msgspec.convert(value, hints.get(each, Any))
    except RagharnessError as error:
        return str(error).removeprefix("expected ")
    except (TypeError, re.error, RecursionError, OverflowError, msgspec.MsgspecError) as error:
        return f"arguments that the rule {name} takes, found: {error}"
    return ""


def apply(rules: dict[str, dict[str, Any]], item: Item) -> Marked | None:
    """Return the mean of what the rules score, those left out that do not apply; None if none does."""
    found: list[Marked] = []
    for name, arguments in rules.items():
        marked = find_rule(name)(item, **arguments)
        if marked is not None:
            found.append(marked if isinstance(marked, Marked) else _own(name, marked))
    told = "; ".join(each.told for each in found if each.told and each.score < SCALE)
    return Marked(sum(each.score for each in found) / len(found), told) if found else None


def _own(name: str, value: object) -> Marked:
    """Return what a rule of the user's scored; raises CodeNotUsable for what is no score."""
    if isinstance(value, bool):
        return Marked(SCALE if value else 0.0)
    if isinstance(value, (int, float)) and 0 <= value <= SCALE:
        return Marked(float(value))
    raise CodeNotUsable(f"expected a score from 0 to 10 or True or False from {name}, found {value!r}")
