"""Makers of question sets: facts of documents, questions about them, the choice of a set, and its checks.

recipes       facts and candidates of a corpus; ``folder`` is the recipe of a folder of the user's own
filings       tagged figures of filings, for recipes that need them
wording       questions for plain statements; ``grammar`` says which statements are plain
corpus_index  one corpus searched: silences, near-duplicates, further ``statements``, ``derivations``
candidates    what a set is picked from, by ``picking``; ``building`` makes and freezes the set
checks        every property of a set; ``probe`` measures what its wording alone tells
llm_author    questions about a folder written by a model, and believed only if verified

Nothing in ``ragharness`` imports this package but ``ragharness.questions.makers``, the one door.
"""
