"""The reference generator that reads no passage: what a question set gives away to prejudice.

It looks at the titles of the passages that it gets, takes the one that shares most with the question,
gives the answer that the corpus's documents give most often on the question's topic (``priors`` of the set),
and cites the first three passages of that title. A topic on which no two documents agree is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ragharness.language.words import words
from ragharness.pipelines import Context, refuse_argument
from ragharness.pipelines.refuse import refusal
from ragharness.records import Passage, Question

CITED = 3


def build(context: Context, argument: str) -> Callable[[str, Sequence[Passage]], str]:
    """Pipeline that guesses by title and topic."""
    refuse_argument("blind", argument)
    priors = context.questions.priors
    guesses = {question.text: _guess(question, priors) for question in context.questions.questions}

    def answer(question: str, passages: Sequence[Passage]) -> str:
        title, share = best_title(question, passages)
        guess = guesses.get(question, "")
        if not guess or not share:
            return refusal(passages)
        cited = [passage.id for passage in passages if passage.title == title][:CITED]
        return f"{guess} " + " ".join(f"[{passage}]" for passage in cited)

    return answer


def _guess(question: Question, priors: Mapping[str, str]) -> str:
    answer = priors.get(question.topic, "")
    if question.kind != "yesno" or not answer:
        return f"{answer} {question.unit}".strip() + "." if answer else ""
    return "Yes." if (answer == "yes") == question.yes_means else "No."


def best_title(question: str, passages: Sequence[Passage]) -> tuple[str, float]:
    """First title with the largest share of its words in the question, with that share."""
    terms = set(words(question))
    titles = {passage.title: words(passage.title) for passage in passages}
    shares = {
        title: sum(word in terms for word in named) / max(1, len(named)) for title, named in titles.items()
    }
    title = max(shares, key=lambda title: shares[title], default="")
    return title, shares.get(title, 0.0)
