"""Whether a value is denied where it stands: "is not three years", but "not more than three years"."""

from __future__ import annotations

from ragharness.language.latin import lowered, word_set
from ragharness.language.patterns import regex

_NEGATORS = word_set(
    "not no never without cannot neither nor none nunca sin jamás tampoco nicht kein keine keinen keiner "
    "keinem keines nie niemals ohne ne pas jamais sans aucun aucune ni"
)
_STATES_ANYWAY = word_set(
    "more less fewer later earlier only necessarily longer exceed exceeding greater just merely under over "
    "más menos solo sólo solamente necesariamente mehr weniger länger später früher nur unbedingt "
    "plus moins seulement nécessairement que"
)
_NEGATION_WORD = regex(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_CLAUSE_START = regex(
    r"[;:!?\n,]|\.(?=\s)"
    r"|\b(?:but|and|while|whereas|although|because|since|so|then|pero|sino|aber|sondern|mais)\b"
)
_REACH = 80
_TOKENS = 4


def negated(text: str, start: int) -> bool:
    """Whether the value at ``start`` is denied: a negation at most four words before it in its clause.

    "not more than", "no later than", "not only", "not necessarily" and the like state the value.
    """
    before = lowered(text)[max(0, start - _REACH) : start]
    for boundary in reversed(list(_CLAUSE_START.finditer(before))):
        before = before[boundary.end() :]
        break
    words = _NEGATION_WORD.findall(before)[-_TOKENS:]
    for place, word in enumerate(words):
        denies = word in _NEGATORS or word.endswith(("n't", "n’t")) or word.startswith(("n'", "n’"))
        if denies and _STATES_ANYWAY.isdisjoint(words[place + 1 :]):
            return True
    return False
