"""Questions about a folder of unknown documents: figures, dates and short definitions.

The recipe of every folder of the user's own. A statement is worded as a question where the grammar of that is
certain, else quoted with a gap; it is asked about only where nothing else in its document says the same or
might be meant instead.
"""

from ragharness.questions.folder.definitions import Posed
from ragharness.questions.folder.recipe import VERSION, candidates, candidates_about
from ragharness.questions.folder.statements import Statement, statement_at

__all__ = ["VERSION", "Posed", "Statement", "candidates", "candidates_about", "statement_at"]
