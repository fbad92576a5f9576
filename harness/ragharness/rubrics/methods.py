"""The methods on machinery of the package's own: claims by the ``rules`` grader, likeness by an embedding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import Meta

from ragharness.graders.reading.axes import contradicts
from ragharness.rubrics.claims import claims_of, is_stated
from ragharness.rubrics.rubric import SCALE
from ragharness.rubrics.rules import Marked, fault

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragharness.rubrics.items import Item

_Against = Annotated[list[Literal["context", "input", "messages", "tool_calls"]], Meta(min_length=1)]
_SHOWN = 80


def grounded(item: Item, *, against: _Against, field: str = "") -> Marked | None:
    """Score the share of claims that the named sources state; None without sources or claims."""
    sources, said = item.sources(against), claims_of(item, field)
    left = [part.text for part in said if not is_stated(part.text, sources)]
    return _marked(len(said), left, "not stated") if sources and said else None


def invented(item: Item, *, against: _Against, field: str = "") -> Marked | None:
    """Score the share of claims that something given states and nothing given denies."""
    sources, said = item.sources(against), claims_of(item, field)
    left = [
        part.text
        for part in said
        if not is_stated(part.text, sources) or any(contradicts(each, part.text) for each in sources)
    ]
    return _marked(len(said), left, "unsupported") if said else None


def _marked(count: int, left: list[str], what: str) -> Marked:
    told = f"{len(left)} of {count} claims {what}: {left[0][:_SHOWN]!r}" if left else ""
    return Marked(SCALE * (count - len(left)) / count, told)


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
    item: Item, by: Any = None, /, *, to: Literal["expected", "input"], zero_at: float, ten_at: float
) -> Marked | None:
    """Score the likeness to another text by Embeddings, between the cosines that are 0 and 10."""
    other = getattr(item, to)
    if not other:
        return None
    found = by.cosine(item.text, other)
    return Marked(SCALE * min(1.0, max(0.0, (found - zero_at) / (ten_at - zero_at))), f"cosine {found:.3f}")


METHOD_RULES: dict[str, tuple[str, Callable[..., Marked | None]]] = {
    "semantic_similarity": ("cosine", cosine),
    "claim_pipeline": ("claims", invented),
    "groundedness": ("claims", grounded),
}
"""Method -> the only rule that it takes."""


def fault_of(method: str, name: str, arguments: dict[str, Any]) -> str:
    """Return why a method cannot use a rule with its arguments ("..., found ..."); empty: it can."""
    only, rule = METHOD_RULES.get(method, (name, None))
    if name != only:
        return f"the rule {only} for {method}, found {name}"
    told = fault(name, arguments, rule)
    if rule is cosine and not told and not -1 <= arguments["zero_at"] < arguments["ten_at"] <= 1:
        low, high = arguments["zero_at"], arguments["ten_at"]
        return f"zero_at below ten_at, both from -1 to 1, found {low:g} and {high:g}"
    return told
