# ruff: noqa: E501 (a pattern reads better with one group of alternatives a line)
"""Which modality a clause gives to an action: permitted, forbidden, required, not required, so, or not so."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from ragharness.language.patterns import regex
from ragharness.language.words import remembered

Modality = Literal["permit", "forbid", "require", "optional", "fact", "not_fact"]

_ADVERB = r"(?:\s+(?:also|expressly|explicitly|generally|specifically|only|solely|strictly|fully|still|then|therefore|clearly|in fact|otherwise|hereby|legally|contractually|be|been|being|\w+ly))?"
_NOT = r"(?:\s+(?:not|never)|n['’]t|not)"

_CUE = regex(
    rf"""
      (?P<may_not>\b(?:may|can|could|might|shall|will|would|must|should|do|does){_NOT}{_ADVERB}\s+be{_ADVERB}\s+(?:able|allowed|permitted|free|entitled|authori[sz]ed)\b
        | \b(?:may|can|could|shall|will|must|should)\s+(?:in\s+no|under\s+no|at\s+no)\s+\w+
        | \b(?:may|can|could|might|shall|will|must|should){_NOT}\b | \bcannot\b | \bcan['’]t\b | \bwo(?:n['’]t|nt)\b | \bshan['’]t\b | \bmustn['’]t\b
        | \b(?:agree[sd]?|undert(?:akes?|aken|ook)|covenant(?:s|ed)?|required|obliged|obligated|bound|has|have|is|are|commits?|promises?|duty|obligation)\s+(?:never|not)\s+to\b
        | \b(?:refrains?|refraining|abstains?)\s+from\b)
    | (?P<optional>\b(?:need{_NOT}\b|needn['’]t\b) | \b(?:does|do|did){_NOT}{_ADVERB}\s+(?:have|need)\s+to\b
        | \b(?:whether\s+or\s+not|regardless\s+of\s+(?:whether|any|how|the)|irrespective\s+of|even\s+(?:if|when|where|though))\b(?=[^,;]{{0,60}}\b(?:not\b|n['’]t\b|mark|label|identif|designat))
        | \b(?:not|n['’]t)\s+(?:necessarily|always|automatically)\b | \b(?:optional|voluntary|unnecessary)\b | \bexempt(?:ed|s)?\s+from\b)
    | (?P<forbid>\b(?:(?:restriction|prohibition|limitation|provision|clause|rule)s?\s+(?:that\s+|which\s+)?)?\b(?:prohibit(?:s|ed|ing)?|(?:restriction|prohibition|limitation)s?(?=\s+(?:on|against|to|for|regarding|of|in)\b)|prevent(?:s|ed|ing)?|forbid(?:s|den|ding)?|bar(?:s|red|ring)?|ban(?:s|ned|ning)?|preclud(?:es?|ed|ing)
        |restrict(?:s|ed|ing)?|disallow(?:s|ed|ing)?|impermissible|stop(?:s|ped)?|limit(?:s|ing)?\s+the\s+(?:right|ability)|unlawful|outlaw(?:s|ed)?|enjoin(?:s|ed)?|rul(?:es?|ed|ing)\s+out|debar(?:s|red)?|off[-\s]limits|out\s+of\s+bounds|(?:covenant|undertaking|agreement|promise|rule)s?\s+(?:against|not\s+to)|such\s+(?:an?\s+)?(?:\w+\s+)?(?:prohibition|restriction|ban|limitation)s?|non-?solicit\w*|non-?compet\w*)\b
        | \b(?:keep|keeps|kept|keeping|hold|holds|hinder|hinders)\s+(?:\S+\s+){{1,8}}?from\b
        | \b(?:limit|restriction|bar|ban|obstacle|barrier|prohibition)s?\s+(?:is\s+|are\s+|was\s+)?(?:placed\s+|imposed\s+|set\s+|put\s+)?(?:on|to|against)\b)
    | (?P<not_among>\b(?:is|are|was|were)(?:\s+not|n['’]t)\s+(?:\w+\s+)?(?:among|one\s+of|part\s+of)\b)
    | (?P<permit>\b(?:is|are|be|was|were|remains?){_ADVERB}\s+(?:able|free(?!\s+from)|entitled|at\s+liberty|welcome|eligible)\b
        | \b(?:allow(?:s|ed|ing|able)?|permit(?:s|ted|ting)?|permissible|(?:ha(?:s|ve)|given|gives?|with)\s+permission\s+to|authori[sz](?:es?|ed|ing)|entitl(?:es?|ed)|lets?|enabl(?:es?|ed)|(?:the|a|any)\s+right\s+to|acceptable|possible|liberty)\b
        | \b(?:may|can|could|might)\b)
    | (?P<require>\b(?:must|shall|should|ought\s+to|needs?\s+to|has\s+to|have\s+to|having\s+to|will\s+be\s+(?:required|obliged|obligated)\s+to)\b
        | \b(?:requir(?:es?|ed|ing)|(?:requirement|obligation|duty|need)s?(?=\s+(?:to|that)\b)|such\s+(?:an?\s+)?(?:\w+\s+)?(?:requirement|obligation|duty|need)s?|oblig(?:ed?|es|ated|ates)|mandat(?:es?|ed|ory)|compulsory|necessary|bound\s+to|needs?(?=\s+(?:\w+\s+){{0,2}}(?:permission|consent|approval|authori))|(?:a\s+)?(?:pre)?condition\s+(?:of|for)|prerequisite|needed|demands?)\b
        | \b(?:agrees?|undertakes?|covenants?)\s+to\b | \bwill\b)
    """,
    re.VERBOSE,
)
"""For lower-case text: matching case for case is three times faster."""

_NEGATOR = regex(
    r"\b(?:not|never|no|nothing|nobody|none|neither|nor|cannot|hardly|lacks?|absence\s+of|exceptions?\s+to|den(?:y|ies)|waiv(?:es?|ed|ing)|rather\s+than|instead\s+of"
    r"|without(?=\s+(?:any\s+)?(?:\w+ing|requirements?|obligations?|rights?|restrictions?|limitations?)\b))\b|n['’]t\b",
    re.IGNORECASE,
)
_NOT_ONLY = regex(
    r"\bnot\s+(?:only|just|merely|limited|necessarily)\b|\bno\s+(?:later|less|more|fewer|doubt|longer\s+than)\b|\bwhether\s+or\s+not\b|\bwithout\s+limit\w*|\b(?:not|n['’]t)\s+(?:always|automatically)\b",
    re.IGNORECASE,
)
_EMPHASIS = regex(r"^[\s,]*(?:not|never)\b", re.IGNORECASE)

_BRIDGE = regex(r"\s*(?:be|been|that|it|they|\w+ly|\s)*\s*", re.IGNORECASE)

_JOINED = regex(r"(?:,|\band|\bor|\bnor)(?:\s+\w+)?\s*$", re.IGNORECASE)
_MODAL = regex(r"may|can|could|might|must|shall|should|will", re.IGNORECASE)

_NEGATED: dict[Modality, Modality] = {
    "permit": "forbid",
    "forbid": "permit",
    "require": "optional",
    "optional": "require",
    "fact": "not_fact",
    "not_fact": "fact",
}


class Cue(NamedTuple):
    """A word that sets a modality, with the negation around it resolved."""

    start: int
    end: int
    modality: Modality


def negate(modality: Modality) -> Modality:
    """Return the modality of the contrary."""
    return _NEGATED[modality]


def negations(text: str) -> list[re.Match[str]]:
    """Return the negating words of a text, idioms such as "not only" left out."""
    idioms = [found.span() for found in _NOT_ONLY.finditer(text)]
    return [
        found
        for found in _NEGATOR.finditer(text)
        if not any(start <= found.start() < end for start, end in idioms)
    ]


def is_negated(text: str, nots: list[re.Match[str]]) -> bool:
    """Say whether negating words leave a clause negated: two cancel out, unless "and", "or" or a comma joins them."""
    count = 0
    for place, found in enumerate(nots):
        if found.group().casefold() == "nor" and place:
            continue
        if place == 0 or not _JOINED.search(text[nots[place - 1].end() : found.start()]):
            count += 1
    return count % 2 == 1


@remembered
def find_cues(text: str) -> tuple[Cue, ...]:
    """Return the modality cues of a clause in order, each with the negations between it and the cue before."""
    cues: list[Cue] = []
    nots = negations(text)
    start = 0
    lowered = text.lower()
    for found in _CUE.finditer(lowered if len(lowered) == len(text) else text):
        kind = found.lastgroup or ""
        modality: Modality = "forbid" if kind in ("may_not", "not_among") else kind  # type: ignore[assignment]
        before = [each for each in nots if start <= each.start() < found.start()]
        if is_negated(text, before):
            modality = "forbid" if _MODAL.fullmatch(found.group()) else negate(modality)
        if kind in ("permit", "require") and _EMPHASIS.match(text[found.end() :]):
            modality = "forbid"
        outer = (
            cues[-1]
            if cues
            and found.start() - cues[-1].end < 40
            and _BRIDGE.fullmatch(text[cues[-1].end : found.start()])
            else None
        )
        if outer and outer.modality in ("forbid", "optional") and kind not in ("may_not", "not_among"):
            # "shall not be required to", "does not require that it must": the outer negation governs.
            modality = negate(modality) if modality != "optional" else modality
        cues.append(Cue(found.start(), found.end(), modality))
        start = found.end()
    return tuple(cues)
