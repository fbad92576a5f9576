"""Question sets: built from a corpus by its recipe, checked, frozen and loaded.

The recipe of a corpus offers every question that could be asked; the builder picks, seeded, the proportions
of the design (40/20/20/20 grounded, 10 unanswerable, 10 adversarial, 10 with an empty retrieval) so that no
shortcut answers them. The frozen set holds our wording, ids, offsets and labels, never a corpus' text.
``loading.py`` is how a run gets its set; ``makers.py`` is the door to ``ragquestions``, where sets are made.
"""
