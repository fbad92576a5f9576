# ruff: noqa: E501 (a table of words reads better with one group a line)
"""Content words of a text, reduced to stems and to one name per group of synonyms."""

from __future__ import annotations

from functools import lru_cache

from ragharness.language.patterns import regex
from ragharness.language.words import remembered

_WORD = regex(r"[^\W_]+(?:['’][^\W_]+)?")


def _split(words: str) -> list[str]:
    return words.split()


_ENDINGS = frozenset(("t", "s", "re", "ve", "ll", "m", "d"))
STOPWORDS = frozenset(
    _split(
        """
    a an the this that these those such same said it its itself he she they them their theirs his her hers
    him i me my we us our you your who whom whose which what when where why how is are was were be been
    being am do does did done doing have has had having may can could might must shall should will would
    need ought not no nor never none neither nothing nobody cannot don doesn didn isn aren wasn weren won
    wouldn shouldn couldn hasn haven hadn mustn needn shan t s d ll re ve m and or but if then than so
    because as while whereas although though however also only just even still yet of in on at by for with
    about against between into through during before after above below to from up down out off over under
    again further once per via within without upon onto toward towards any all some each every either both
    few more most other others another much many own very too yes there here thereof herein hereof therefore
    thus hence el la los las un una unos unas de del al que en por para con sin no se su sus lo es son y o u
    como der die das ein eine einer eines einem einen den dem des und oder nicht kein keine ist sind zu im
    am von für mit le les un une des du de et ou ne pas est sont dans sur pour par avec ce cette ces qui que
        """
    )
)
"""Words that say nothing about what a sentence is about."""

GENERIC = frozenset(
    _split(
        """
    agreement contract document nda passage text source context excerpt file report filing provision clause
    section article paragraph material corpus party parties company question answer information
        """
    )
)
"""Words that name any document or any part of one, so that sharing them shows no common subject."""

_GROUPS = """
disclose: share disclose disclosure convey access given gave shown told tell see seen announce announcement publish publicise publicize hand impart provide provision-of pass reveal communicate transfer divulge release furnish transmit distribute show
copy: copy reproduce reproduction duplicate duplication replicate photocopy
return: return surrender redeliver destroy destruction delete deletion erase dispose disposal shred
retain: retain retention keep kept preserve possess store possession
notify: notify notification notice inform alert
mark: mark label labelled identify identification designate designation legend stamp
reverse: reverse decompile disassemble deconstruct dismantle apart analyse analyze
solicit: solicit hire recruit poach solicitation
develop: develop development
acquire: acquire acquisition acquirement receive receipt obtain get buy bought purchase
use: use used using utilise utilize usage utilisation utilization exploit
survive: survive survival continue persist outlast outlive endure
include: include inclusion cover encompass comprise contain extend qualify protect protection protected count
grant: grant confer license licence
employee: employee staff personnel worker workforce
thirdparty: third outsider consultant agent advisor adviser contractor subcontractor professional
oral: oral orally verbal verbally spoken speech conversation mouth
marked: express expressly
terminate: terminate termination end expire expiry expiration
law: compel compelled law legal judicial regulation subpoena court regulatory
independent: independent independently
govern: govern governing law-of
similar: similar like
consent: consent approve approval permission permit-of authorisation authorization leave-of assent
effect: effect effective effectively force
sign: sign signature signatory
record: record recorded recognise recognize recognised recognized book booked
secret: secrecy secret confidence confidentiality
negotiation: negotiation negotiations negotiate talks discussions discussion
conceal: conceal conceals concealed
existence: exist exists existence existing
technical: technical
"""


def _irregular() -> dict[str, str]:
    table = {}
    for line in _GROUPS.strip().splitlines():
        name, members = line.split(":")
        for member in members.split():
            table[_strip(member)] = name
            for ending in ("s", "ed", "ing"):
                # "reveal" loses its ending, "revealing" only the last one.
                table.setdefault(_strip(member + ending), name)
    return table


_SUFFIXES = _split(
    "izations isations ization isation ations ation ingly edly ings ing ments ment ures ure ies ied ed es s ly al y e"
)


def _strip(word: str) -> str:
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            if suffix == "y" and word[-2] in "aeiou":
                break
            word = word[: -len(suffix)]
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls":
        word = word[:-1]
    if len(word) > 3 and word[-1] == "e":
        word = word[:-1]
    # "appropriated" and "appropriation" are one word.
    return word[:-2] if len(word) > 7 and word.endswith("at") else word


_SYNONYMS = _irregular()


@lru_cache(maxsize=16384)
def concept(word: str) -> str:
    """Return the name under which a case-folded word is compared: its synonym group, or its stem."""
    word = word.removesuffix("'s").removesuffix("’s")
    if word.startswith("agreement"):
        return "agreement"
    if word == "information":
        # Not a form of "inform", which stands for giving notice.
        return word
    stem = _strip(word)
    return _SYNONYMS.get(stem, stem)


def raw_words(text: str) -> list[str]:
    """Return the case-folded words of a text, apostrophes inside words kept."""
    return _WORD.findall(text.casefold())


@remembered
def content(text: str) -> tuple[str, ...]:
    """Return the concepts of a text's content words, in order, stop words left out."""
    if "R&D" in text:
        text = text.replace("R&D", "research development")
    return tuple(
        concept(word)
        for word in raw_words(text)
        if word not in STOPWORDS and not (("'" in word or "’" in word) and _is_contraction(word))
    )


def _is_contraction(word: str) -> bool:
    """Say whether a word is a contraction of stop words ("couldn't", "it's")."""
    place = max(word.find("'"), word.find("’"))
    return place > 0 and word[place + 1 :] in _ENDINGS and word[:place] in STOPWORDS


@lru_cache(maxsize=4096)
def generic_concepts() -> frozenset[str]:
    """Return the concepts of ``GENERIC``."""
    return frozenset(concept(word) for word in GENERIC)
