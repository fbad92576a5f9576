"""Natural questions about the figures and dates of plain statements, made without a model.

Only shapes whose question is certain to be grammatical are used; everything else is passed over:

    SSA obligated $612 million for benefits in 2024.     How much did SSA obligate for benefits in 2024?
    The office employed 57 inspectors in 2020.           How many inspectors did the office employ in 2020?
    About 14 percent of the staff retired in 2024.       What percentage of the staff retired in 2024?
    The total cost of the repair was $5 million.         What was the total cost of the repair?
    The Road Fund was established in 1994.               When was the Road Fund established?
"""

from ragharness.questions.asking.wording import Asked, ask, common_words

__all__ = ["Asked", "ask", "common_words"]
