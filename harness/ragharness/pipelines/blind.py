"""The reference generator that reads no passage: what a question set gives away to prejudice.

It looks at the titles of the passages that it gets, takes the one that shares most with the question,
gives the answer that the corpus's documents give most often on the question's topic, and cites the first
three passages of that title. A topic on which no two documents agree has no usual answer, and is refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from ragharness.language.words import words
from ragharness.pipelines import Context, refuse_argument
from ragharness.pipelines.refuse import refusal
from ragharness.records import Fact, Passage, Question

CITED = 3


def build(context: Context, argument: str) -> Callable[[str, Sequence[Passage]], str]:
    """Return the pipeline that guesses by title and topic."""
    refuse_argument("blind", argument)
    usual = usual_answers(context.corpus.facts)
    guesses = {question.text: _guess(question, usual) for question in context.questions.questions}

    def answer(question: str, passages: Sequence[Passage]) -> str:
        title, share = best_title(question, passages)
        guess = guesses.get(question, "")
        if not guess or not share:
            return refusal(passages)
        cited = [passage.id for passage in passages if passage.title == title][:CITED]
        return f"{guess} " + " ".join(f"[{each}]" for each in cited)

    return answer


def usual_answers(facts: Iterable[Fact]) -> dict[str, str]:
    """Return the most common stated answer of each topic that two documents or more agree on."""
    counts: dict[str, Counter[str]] = {}
    for fact in facts:
        counts.setdefault(fact.topic, Counter()).update(fact.answers[:1])
    # Equal counts are decided by the answer itself, so that the order of the facts does not matter.
    best = {
        topic: max(found.items(), key=lambda item: (item[1], item[0]))
        for topic, found in counts.items()
        if found
    }
    return {topic: answer for topic, (answer, count) in best.items() if count > 1}


def _guess(question: Question, usual: dict[str, str]) -> str:
    answer = usual.get(question.topic, "")
    if question.kind != "yesno" or not answer:
        return f"{answer} {question.unit}".strip() + "." if answer else ""
    return "Yes." if (answer == "yes") == question.yes_means else "No."


def best_title(question: str, passages: Sequence[Passage]) -> tuple[str, float]:
    """Return the first title with the largest share of its words in the question, and the share."""
    asked = set(words(question))
    shares = {title: _share(words(title), asked) for title in dict.fromkeys(each.title for each in passages)}
    title = max(shares, key=lambda each: shares[each], default="")
    return title, shares.get(title, 0.0)


def _share(title: list[str], asked: set[str]) -> float:
    return sum(word in asked for word in title) / len(title) if title else 0.0
