"""People's labels of a run's answers: which ones, how they are given, kept and settled."""
