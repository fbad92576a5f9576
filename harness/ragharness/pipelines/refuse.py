"""The reference generator that always refuses: a baseline."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ragharness.pipelines import Context, refuse_argument
from ragharness.records import Passage

NEAREST = 3  # passages that a refusal names


def build(context: Context, argument: str) -> Callable[[str, Sequence[Passage]], str]:  # noqa: ARG001
    """The pipeline that gives the same refusal to every question."""
    refuse_argument("refuse", argument)
    return lambda question, passages: refusal(passages)  # noqa: ARG005


def refusal(passages: Sequence[Passage]) -> str:
    """A refusal that names the best of the passages, or says that there are none."""
    if not passages:
        return (
            "I don't have evidence that answers this question: nothing was retrieved for it. "
            "Please check the original document, or ask again with other words."
        )
    titles: dict[str, list[str]] = {}
    for passage in passages[:NEAREST]:
        titles.setdefault(passage.title, []).append(f"[{passage.id}]")
    nearest = "; ".join(f'"{title}" {" ".join(ids)}' for title, ids in titles.items())
    return (
        "I don't have evidence that answers this question: none of the retrieved passages states the answer. "
        f"The nearest passages are {nearest}. Please check the original document or ask its owner."
    )
