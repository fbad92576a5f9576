"""What a yes/no question asks, as a plain sentence: "May the tenant sublet?" is "the tenant may sublet"."""

from __future__ import annotations

import re

from ragharness.language.tables import regex

_AUXILIARY = r"(?:is|are|was|were|can|could|may|might|must|shall|should|will|would|do|does|did|has|have|had)"

_OPENING = (
    rf"(?:(?:at|by|for|from|in|on|to|until|up\ to)\s+)?(?:{_AUXILIARY}|wh(?:at|en|ere|ich|om?|ose|y)|how)"
)

_LEAD = regex(rf"^(?:according to|under|in|by|per|as for)\s.*?,\s+(?={_OPENING}\b)", re.IGNORECASE)
_TAIL = regex(r",?\s+(?:under|according to)\s[^?]*$", re.IGNORECASE)
_ASKED = regex(rf"^({_AUXILIARY})\s+(.+)$", re.IGNORECASE | re.DOTALL)
_SUBJECT = regex(
    r"""(?:(?:at\ least|there|the|an?|any|some|all|every|each|both|either|its|their|only)\s+)*
        (?:(?:receiving|disclosing|other|third|outside|confidential|express|independently|orally)\s+)*
        (?:[A-Z][\w.&’'-]*\s+)*
        [\w’'-]+
        (?:\s+(?:of|by)\s+(?:the\s+)?(?:receiving|disclosing|other)\s+\w+)?""",
    re.VERBOSE,
)
"""The first noun with what stands before it: a rule of thumb, enough for a reference pipeline."""

_DROPPED = frozenset({"do", "does", "did"})


def core(question: str) -> str:
    """Return the question without its question mark and without the name of the document it is about."""
    text = _LEAD.sub("", question.strip().rstrip("?").strip())
    return _TAIL.sub("", text)


def proposition(question: str) -> str:
    """Return what "yes" to the question would state; empty when it is not a yes/no question."""
    asked = _ASKED.match(core(question))
    if asked is None:
        return ""
    auxiliary, rest = asked[1].lower(), asked[2]
    found = _SUBJECT.match(rest)
    subject, predicate = (found[0], rest[found.end() :].strip()) if found else ("", rest)
    return " ".join(word for word in (subject, "" if auxiliary in _DROPPED else auxiliary, predicate) if word)
