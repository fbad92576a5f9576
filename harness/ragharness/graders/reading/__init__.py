"""How the ``rules`` grader reads an answer: sentences, values, slots, refusals, citations."""
