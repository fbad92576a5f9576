"""A sentence as a plain statement: connectives gone, a leading "In 2023," apart, nothing that points elsewhere."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from ragharness.language.tables import regex
from ragharness.language.words import without_number

Precision = Literal["", "year", "month", "day"]

_CONNECTIVE = regex(
    r"(?:however|moreover|in addition|additionally|further|furthermore|also|for example|for instance|specifically|in particular|overall|"
    r"similarly|in total|notably|meanwhile|in turn|as a result|consequently|therefore|thus|accordingly|in fact|indeed|in general|finally|"
    r"ultimately|conversely|in contrast|by contrast|on the other hand|nevertheless|nonetheless|historically|traditionally|to date),\s+",
    re.IGNORECASE,
)
_SAID_BY = regex(
    r"According to (?:the\s+)?(?:[A-Z][\w’'&.-]*)(?:\s+(?:(?:of|the|and|for)\s+)?[\w’'&.-]+){0,6}?,\s+(?=\S)"
)
"""Who says so may go: the text states it all the same."""
_SAID_THAT = regex(
    r"(?:The\s+)?[A-Z][\w’'&.-]*(?:\s+(?:(?:of|the|and|for)\s+)?[A-Z][\w’'&.-]*){0,6}(?:\s+(?:officials|data|staff))?\s+"
    r"(?:has\s+|have\s+)?(?:estimate[sd]?|report(?:s|ed)?|said|note[sd]?|found|state[sd]?|show(?:s|ed)?|indicate[sd]?|calculate[sd]?|determine[sd]?)\s+that\s+(?=\S)"
)
_ADVERBIAL = regex(
    r"(?P<words>(?:In|As of|During|Since|By|From|Between|For|At the end of|On|Through|Throughout|Until|Before|After)\s"
    r"(?:[^,;:()]{0,60}\s\d{1,2},\s(?:1[89]|20)\d\d|[^,;:()]{3,70}(?!,\s(?:1[89]|20)\d\d\b))),\s+(?=\S)"
)
_PLACE = regex(
    r"(?:Under|In)\s+(?:the\s+)?[A-Z][\w.'’&-]*(?:\s+(?:(?:of|the|and|for)\s+)?[A-Z0-9][\w.'’&-]*)*"
)
"""A law or a place: it can end a question too."""
_TAIL = regex(
    r"(?:,\s+(?:which|who|whose|where|while|including|up\s+from|down\s+from|compared|but|although|though|whereas|making|resulting|according\s+to|as\s+well\s+as|"
    r"primarily|particularly|mainly|mostly|followed\s+by|with|an?|or)\b"
    r"|,\s+(?:and\s+)?(?:(?:about|approximately|roughly|nearly)\s+)?(?:\$|\d[\d.,]*\s?(?:%|percent\b))|—)[^—]*$"
)
"""What says more about a statement that is complete without it."""
_GOES_ON = regex(r",\s+including\b[^,]*,\s+(?:to|in|for|on|with|that|by|from)\b")
"""An aside in the midst of a thought: what follows it belongs to what precedes it."""
_APPOSITION = regex(
    r"^(?P<head>[^,]{2,80}),\s(?:an?|the|which|who|whose|part\s+of|formerly|known\s+as)\s[^,]{3,120},\s(?=(?:was|were|is|are|has|have|had|will|would|made|took|gave|held|spent|paid|led|[a-z]{2,}ed)\b)"
)
_FILLER = regex(r"\b(?:also|subsequently|ultimately|eventually|further|alone)\s(?=[a-z])")
_STILL = regex(r"\b(?:ultimately|eventually|alone)\s(?=[a-z])")
"""The same where no year stands: what was done "also" was done beside something that is not said."""
_YEAR = regex(r"\b(?:FY)?(?:1[89]|20)\d\d\b")
_TIME = regex(
    r"(?:in|as of|during|since|by|from|between|for|at the end of|on|through|throughout|until|before|after)\s+"
    r"(?:(?:the\s+)?(?:early|late|mid-?|fiscal|calendar|academic|school|years?|months?|quarter|end|beginning|start|first|second|third|fourth|period|of|and|to|through|the|"
    r"january|february|march|april|may|june|july|august|september|october|november|december|summer|fall|spring|winter|"
    r"FY\d{2,4}(?:-FY\d{2,4})?|\d{1,2}|(?:1[89]|20)\d\ds?(?:[-–](?:1[89]|20)?\d\d)?),?\s*)+",
    re.IGNORECASE,
)
"""An adverbial of time alone: it can end a question as well as begin a statement."""
_ELSEWHERE = regex(
    r"\b(?:this|these|those|that(?=\s+(?:year|amount|figure|time|total|period|date|day|month|report|law|act|number|same|program|agency)\b)|such|"
    r"the\s+(?:former|latter|same|above|following|previous|preceding|first|second|third|other|others|remaining|rest|two|three|four|five|six|new|current|proposed|original|resulting|corresponding|final|next|last|past|relevant|respective|associated)|"
    r"our|my|your|it|they|he|she|we|you|i|us|them|him|himself|itself|themselves|there(?!\s+(?:was|were|are|is)\b)|herein|above|below|here|then|now|currently|today|recently|respectively|aforementioned|former|latter|"
    r"another|(?<!and\s)(?<!or\s)other|others|additional|both|either|neither|so|see|table|figure|appendix|footnote|chapter|example|section\s+\w+\s+of\s+this|ago|earlier|later|previously|"
    r"last\s+year|next\s+year|per\s+se|instead|remaining|extra|similarly|likewise|also|subsequently|further|again|still|yet|already|too|not|never|no\s+longer|nor|without)\b"
    r"|^(?:its|their|his|her)\b|n['’]t\b",
    re.IGNORECASE,
)
_HEAD = (
    r"bills?|acts?|laws?|rules?|legislation|statutes?|amendments?|provisions?|resolutions?|proposals?|plans?|programs?|projects?|agency|agencies|departments?|office|offices|"
    r"committees?|commissions?|bureaus?|boards?|administration|organi[sz]ations?|company|companies|firms?|contractors?|grants?|awards?|funds?|funding|amounts?|"
    r"stud(?:y|ies)|surveys?|reviews?|audits?|reports?|budgets?|requests?|initiatives?|agreements?|contracts?|officials?|respondents?|recipients?|participants?|stakeholders?|"
    r"increases?|decreases?|changes?|figures?|numbers?|estimates?|limits?|deadlines?|system|service|court|case|cases|order|orders|policy|policies|regulations?|decision|"
    r"treaty|bank|university|state|states|city|county|country|countries|group|groups|team|model|process|facility|facilities|site|sites|measures?|period|data|tax|fee|fees|rate|rates|cap|ban|convention|secretary|president|director|commissioner|administrator|chairman|chair"
)
_BARE = regex(
    rf"\bthe\s+(?:(?:final|interim|draft|proposed|annual|whole|entire|overall|federal|agency|program|grant)\s+)?(?:{_HEAD})(?=$|[,.?’']|\s+(?!of\b|for\b|on\b|to\b|that\b|which\b|between\b|at\b|in\b)|\s+(?:on|between|at|in|for|of)\s+(?:the\s+)?(?:end\s+of\s+)?(?:early\s+|late\s+|mid-?)?"
    r"(?:fiscal\b|calendar\b|years?\b|FY\s?\d|(?:19|20)\d\d|(?:January|February|March|April|May|June|July|August|September|October|November|December)\b))",
    re.IGNORECASE,
)
"""A definite noun without a name or an attribute: which one, another sentence says."""
_BARE_ACCOUNT = regex(
    r"\b[Tt]he\s+(?:[a-z][\w-]*|Senate|House)\s+(?:program|account|agency|office|department|bill|report|request)\b(?!\s+(?:of|to|on|that|which|accompanying)\b)"
)
"""The same with a common word before it: "the science program", "the Senate bill" are some of many."""
_NAMED = regex(r"\bthe\s+(?:federal\s+government|states|president|secretary|country|tax)\b", re.IGNORECASE)
"""Definite nouns that everybody knows."""
_ASIDE = regex(r"\s*\([^()]{1,80}\)")
_QUOTED_NAME = regex(r"[“\"](?P<name>[A-Z][^“”\"]{1,60}?)(?P<stop>[,.]?)[”\"]")
_BLANK_COMMA = regex(r"\s+(?=,(?:\s|$))")
_MARK = regex(
    r"\s*\[(?:\d{1,3}|note\s*\d+)\]|(?<=[a-z][.,;\"”)])\d{1,3}(?=\s|$)|(?<=[a-z]{3})\d{1,3}(?=\s|$)|\*+|_{2,}"
)
"""Footnote marks and emphasis."""
_NOTE_NUMBER = regex(r"^(?:\d{1,3}\s+(?=[A-Z])|[-•▪–]\s+)")
_ODD = regex(
    r" ,|,,|[|•▪→<>{}\\^~_=\"“”]|https?:|\bU\.S\.C\b|\bet al\b|\bibid\b|\be\.g\.|\bi\.e\.|\.\.\.|…|[?;]|:\s|\(|\)|\[|\b(\w+)\s+\1\b|[a-z][A-Z]{2}|—|–\s|\s-\s"
)
SHORTEST, LONGEST = 6, 45
"""Words of a sentence that can be asked about."""


class PlainStatement(NamedTuple):
    """A plain declarative sentence without its stop."""

    text: str
    when: str
    """The adverbial that stood in front, to be put at the end of a question; empty: none."""


class Asked(NamedTuple):
    """A question that a sentence answers, without the name of its document."""

    question: str
    """It begins with a capital and ends with a question mark."""
    kind: Literal["number", "date", "text"]
    answer: str
    unit: str = ""
    precision: Precision = ""
    """For a date."""
    left: str = ""
    """Of a statement with a gap: what is left of it, by which it is compared."""

    @property
    def about(self) -> str:
        """The words that tell what is asked about."""
        return self.left or self.question


_OF_AUTHORS = {"have": "has", "were": "was", "are": "is"}
_WE = regex(r"\b[Ww]e\b(?:\s(?P<verb>have|were|are)\b)?")
_OUR = regex(r"\b[Oo]ur\b")


def by_author(sentence: str, author: str) -> str:
    """Return a sentence with the name of its author for "we"."""
    named = _WE.sub(
        lambda found: f"{author} {_OF_AUTHORS[found['verb']]}" if found["verb"] else author, sentence
    )
    whose = "its" if named != sentence else f"{author}'s"
    return _OUR.sub(lambda _: whose, named)


def clean(sentence: str) -> str:
    """Return a sentence on one line, without footnote marks, emphasis and what stands in parentheses."""
    unquoted = _QUOTED_NAME.sub(r"\g<name>\g<stop>", _MARK.sub("", sentence))
    plain = _BLANK_COMMA.sub(",", " ".join(_ASIDE.sub("", unquoted).split()))
    return without_number(_NOTE_NUMBER.sub("", plain))


def statement(sentence: str) -> PlainStatement | None:
    """Return a clean sentence as a statement that stands by itself, or None."""
    if not sentence.endswith(".") or len(sentence.split()) > LONGEST or not sentence[0].isalnum():
        return None
    text = sentence[:-1]
    for pattern in (_CONNECTIVE, _SAID_BY, _SAID_THAT):
        found = pattern.match(text)
        if found:
            text = text[found.end() :]
            text = text[:1].upper() + text[1:]
    when = ""
    adverbial = _ADVERBIAL.match(text)
    if adverbial:
        words = adverbial["words"]
        if not (_TIME.fullmatch(words) or _PLACE.fullmatch(words)):
            return None
        when = words[0].lower() + words[1:]
        text = text[adverbial.end() :]
        text = text[:1].upper() + text[1:]
    if _GOES_ON.search(text):
        return None
    text = (_FILLER if _YEAR.search(text) else _STILL).sub(
        "", _TAIL.sub("", _APPOSITION.sub(r"\g<head> ", text))
    )
    if len(text.split()) < SHORTEST - 2 or _ODD.search(text) or _ODD.search(when):
        return None
    return None if points_elsewhere(text) or points_elsewhere(when) else PlainStatement(text, when)


def points_elsewhere(text: str) -> bool:
    """Whether words of a text mean something that another sentence names."""
    return bool(_ELSEWHERE.search(text) or is_bare(text))


def is_bare(text: str) -> bool:
    """Whether a text, or a question, speaks of "the plan" as if it were known which one."""
    told = _NAMED.sub(" ", text)
    return bool(_BARE.search(told) or _BARE_ACCOUNT.search(told))
