"""How the ``rules`` grader reads an answer: its parts, its slots, its citations, its manners."""
