"""The methods on machinery of the package's own: claims by the ``rules`` grader, likeness by an embedding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import Meta

from ragharness.graders.reading.answer import parse_answer
from ragharness.graders.reading.axes import contradicts, entails, quotes, role_of
from ragharness.graders.reading.outcome import Outcome
from ragharness.graders.reading.profile import profile_of
from ragharness.records import Answer, Question
from ragharness.rubrics.items import json_object
from ragharness.rubrics.rubric import SCALE
from ragharness.rubrics.rules import Marked, fault

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ragharness.graders.reading.answer import AnswerSentence
    from ragharness.records import Passage
    from ragharness.rubrics.items import Item

_Against = Annotated[list[Literal["context", "input", "messages", "tool_calls"]], Meta(min_length=1)]
_SHOWN = 80


def grounded(item: Item, *, against: _Against, field: str = "") -> Marked | None:
    """Score the share of claims that the named sources state; None without sources or claims."""
    sources, said = item.sources(against), _claims(item, field)
    left = [part.text for part in said if not _stated(part.text, sources)]
    return _marked(len(said), left, "not stated") if sources and said else None


def invented(item: Item, *, against: _Against, field: str = "") -> Marked | None:
    """Score the share of claims that something given states and nothing given denies."""
    sources, said = item.sources(against), _claims(item, field)
    left = [
        part.text
        for part in said
        if not _stated(part.text, sources) or any(contradicts(each, part.text) for each in sources)
    ]
    return _marked(len(said), left, "unsupported") if said else None


def cited(item: Item) -> list[tuple[str, bool]]:
    """Return each citation of a claim, and whether its piece of the context states the claim."""
    pieces = {each.id: each for each in item.passages}
    return [
        (mark, mark in pieces and _stated(part.text, [pieces[mark]]))
        for part in _claims(item)
        for mark in part.citations
    ]


def _claims(item: Item, field: str = "") -> list[AnswerSentence]:
    """Return the sentences of an output, or of one field of a JSON output, that claim something."""
    text = str((json_object(item.text) or {}).get(field, "")) if field else item.text
    asked = Question(id=item.id, text=item.input, stratum="grounded", kind="text", answerable=True)
    parsed = parse_answer(Answer(text=text), item.input, [each.id for each in item.passages])
    profile, nothing = profile_of(asked), Outcome()
    return [part for part in parsed.sentences if role_of(part, nothing, profile, refusing=False) == "claim"]


def _stated(claim: str, sources: Sequence[Passage]) -> bool:
    return any(quotes(each, claim) or entails(each, claim) for each in sources)


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
