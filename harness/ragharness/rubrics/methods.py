"""The methods that score by a named rule: claims as the grader ``rules`` reads them, likeness, rules."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, get_type_hints

import msgspec
from msgspec import Meta

from ragharness.errors import CodeNotUsable, RagharnessError, UsageError
from ragharness.records import Answer, Passage, Question
from ragharness.rubrics import rules
from ragharness.rubrics.items import Item
from ragharness.rubrics.rubric import SCALE, Check
from ragharness.rubrics.rules import Marked

Rule = Callable[..., "Marked | float | None"]
_Against = Annotated[list[Literal["context", "input", "messages", "tool_calls"]], Meta(min_length=1)]
_SHOWN = 80


def grounded(item: Item, *, against: _Against, field: str = "") -> Marked | None:
    """Score the share of claims that the named sources state; None without sources or claims."""
    sources, said = item.sources(against), [text for text, _ in _claims(item, field)]
    left = [each for each in said if not _stated(each, sources)]
    return _supported(len(said), left, "not stated") if sources else None


def invented(item: Item, *, against: _Against, field: str = "") -> Marked | None:
    """Score the share of claims that something given states and nothing given denies; None without claims."""
    from ragharness.graders.reading.axes import contradicts

    sources, said = item.sources(against), [text for text, _ in _claims(item, field)]
    denied = [each for each in said if any(contradicts(source, each) for source in sources)]
    left = [each for each in said if each in denied or not _stated(each, sources)]
    return _supported(len(said), left, "unsupported")


def citations_support(item: Item) -> Marked | None:
    """Every citation names a piece of the context that states the claim it stands in."""
    pieces = {each.id: each for each in item.passages}
    marks = [(mark, text) for text, citations in _claims(item) for mark in citations]
    bad = [mark for mark, text in marks if mark not in pieces or not _stated(text, [pieces[mark]])]
    return Marked.share(bad, len(marks), "not supported") if marks else None


def _claims(item: Item, field: str = "") -> list[tuple[str, tuple[str, ...]]]:
    """Return what an output, or a field of a JSON output, claims: each sentence and what it cites."""
    from ragharness.graders.reading.answer import parse_answer
    from ragharness.graders.reading.axes import role_of
    from ragharness.graders.reading.records import Outcome, profile_of

    text = str((item.json or {}).get(field, "")) if field else item.text
    asked = Question(id=item.id, text=item.input, stratum="grounded", kind="text", answerable=True)
    parsed = parse_answer(Answer(text=text), item.input, [each.id for each in item.passages])
    profile, nothing = profile_of(asked), Outcome()
    roles = [(part, role_of(part, nothing, profile, refusing=False)) for part in parsed.sentences]
    return [(part.text, part.citations) for part, role in roles if role == "claim"]


def _stated(claim: str, sources: Sequence[Passage]) -> bool:
    from ragharness.graders.reading.axes import entails, quotes

    return any(quotes(each, claim) or entails(each, claim) for each in sources)


def _supported(count: int, left: list[str], what: str) -> Marked | None:
    told = f"{len(left)} of {count} claims {what}: {left[0][:_SHOWN]!r}" if left else ""
    return Marked(SCALE * (count - len(left)) / count, told) if count else None


class Embeddings:
    """An embedding model of the extra ``dense``; scores are reproducible up to it."""

    def __init__(self) -> None:
        """Raises RagharnessError for a model that cannot be found; MissingExtra without the extra."""
        from ragharness.retrievers._embedding import locate
        from ragharness.retrievers._models import DEFAULT_MODEL

        model, self._encoder = locate(DEFAULT_MODEL, "", None, "", offline=False)
        self.name = f"{model.name}@{model.identity[:60]}"

    def cosine(self, one: str, other: str) -> float:
        """Return the cosine of two texts."""
        from ragharness.retrievers._embedding import EmbeddingOptions

        first, second = self._encoder.encode([one, other], "passage", EmbeddingOptions(normalize=True))
        return float(first @ second)


def cosine(
    item: Item, by: Embeddings, /, *, to: Literal["expected", "input"], zero_at: float, ten_at: float
) -> Marked | None:
    """Score the likeness to another text, between the cosines that are 0 and 10; None without the other."""
    if not (other := getattr(item, to)):
        return None
    found = by.cosine(item.text, other)
    return Marked(SCALE * min(1.0, max(0.0, (found - zero_at) / (ten_at - zero_at))), f"cosine {found:.3f}")


RULES: dict[str, dict[str, Rule]] = {
    "deterministic": {
        "citations_support": citations_support,
        **{
            name: rule
            for name, rule in inspect.getmembers(rules, inspect.isfunction)
            if rule.__module__ == rules.__name__ and not name.startswith("_")
        },
    },
    "semantic_similarity": {"cosine": cosine},
    "claim_pipeline": {"claims": invented},
    "groundedness": {"claims": grounded},
}
"""Method -> the rules that it takes, by their names."""


def find_rule(method: str, name: str) -> Rule:
    """Return a rule of a method, or the user's own; raises CodeNotUsable or UsageError."""
    own = method == "deterministic"
    if own and ":" in name:
        from ragharness.pipelines.adapters import find

        function: Rule = find(name).value
        if not callable(function):
            raise CodeNotUsable(f"expected a function as {name}, found a {type(function).__name__}")
        return function
    if name not in (known := RULES[method]):
        more = ", or module:function" if own else f" for {method}"
        raise UsageError(f"expected one of {', '.join(sorted(known))}{more}, found {name!r}")
    return known[name]


def fault(method: str, name: str, arguments: dict[str, Any]) -> str:
    """Return why a method cannot use a rule with its arguments ("..., found ..."); empty: it can."""
    try:
        rule = find_rule(method, name)
        inspect.signature(rule).bind(*[None] * (1 + (rule is cosine)), **arguments)
        re.compile(arguments.get("pattern", ""))
        hints = {} if ":" in name else get_type_hints(rule, include_extras=True)
        for each, value in arguments.items():
            msgspec.convert(value, hints.get(each, Any))
    except RagharnessError as error:
        return str(error).removeprefix("expected ")
    except (TypeError, re.error, RecursionError, OverflowError, msgspec.MsgspecError) as error:
        return f"arguments that the rule {name} takes, found: {error}"
    low, high = arguments.get("zero_at", 0), arguments.get("ten_at", 1)
    if rule is cosine and not -1 <= low < high <= 1:
        return f"zero_at below ten_at, both from -1 to 1, found {low:g} and {high:g}"
    return ""


def apply(asked: Check, item: Item, by: Embeddings | None) -> Marked | None:
    """Return the mean of what rules score, those left out that do not apply; None if none does.

    Raises CodeNotUsable where a rule of the user's gives no score.
    """
    found: list[Marked] = []
    for name, arguments in asked.rule.items():
        rule = find_rule(asked.method, name)
        marked: Any = rule(*((item, by) if rule is cosine else (item,)), **arguments)
        if isinstance(marked, (bool, int, float)) and 0 <= marked <= SCALE:
            marked = Marked(SCALE * marked if isinstance(marked, bool) else float(marked))
        elif not (marked is None or isinstance(marked, Marked)):
            raise CodeNotUsable(f"expected a score from 0 to 10, True or False from {name}, found {marked!r}")
        found += [marked] if marked else []
    told = "; ".join(each.told for each in found if each.told)
    return Marked(sum(each.score for each in found) / len(found), told) if found else None
