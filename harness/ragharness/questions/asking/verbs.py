"""The base form of verbs that statements of fact use: "obligated" -> "obligate"."""

from __future__ import annotations

_REGULAR = """
account achieve acquire add administer adopt affect allocate allow announce apply appropriate approve assess assign
assist attend authorize authorise average award ban borrow cancel carry certify charge cite claim close collect
combine commission commit complete compile conduct confirm consider consist contain contract contribute convene
cover create cut decide declare decline decrease defer deliver deny deploy describe design designate detain
determine develop direct disburse discover display distribute donate double earn employ enact encounter end enforce
enroll ensure enter establish estimate evaluate examine exceed execute exempt expand expend expire explain export
extend fail file finance fine finish fire fulfil function fund gain generate grow handle hire host house identify
impose impose include increase indicate initiate inspect install interview introduce invest investigate invite
involve issue join launch lease license list locate maintain manage manufacture measure merge modify monitor move
need notify obligate observe obtain occupy occur offer open operate order organize organise oversee participate
perform permit place plan pledge possess process procure produce project promote propose provide publish purchase
raise range reach realize recall receive recognize recommend record recover recruit redeem reduce refer refund
register reject release remain remove renew repeal replace report represent request require reserve resolve respond
retain retire return review revise save schedule screen seize select serve settle share sign start store submit
succeed sue supply support survey suspend target terminate test total track train transfer transport treat use
vacate value verify visit vote waive warn withhold yield
abolish amend appoint arrest audit ban clarify codify comprise consolidate convict correct create dedicate dismiss dissolve
elect eliminate encourage endorse enhance enlist exclude exercise expel finalize finance formalize fulfill halt implement
incorporate inform initiate instruct integrate invoke levy liquidate mandate name nominate obligate opt outline overturn pass
prohibit promise promulgate prosecute publicize purchase ratify rate reaffirm reassign reauthorize recognise redirect
rename reopen reorganize reorganise reprogram rescind resume resubmit revoke rule settle solicit sponsor strengthen
streamline subpoena update upgrade urge calculate sample analyze question
""".split()  # noqa: SIM905 (a list of words reads better as lines of them)
_IRREGULAR = {
    "became": "become", "began": "begin", "bore": "bear", "bought": "buy", "brought": "bring", "built": "build",
    "chose": "choose", "cost": "cost", "cut": "cut", "drew": "draw", "fell": "fall", "found": "find", "gave": "give",
    "grew": "grow", "had": "have", "held": "hold", "kept": "keep", "laid": "lay", "led": "lead", "lent": "lend",
    "left": "leave", "lost": "lose", "made": "make", "met": "meet", "oversaw": "oversee", "paid": "pay",
    "put": "put", "ran": "run", "rose": "rise", "saw": "see", "sent": "send", "set": "set", "sold": "sell",
    "sought": "seek", "spent": "spend", "sued": "sue", "took": "take", "won": "win", "withheld": "withhold",
    "wrote": "write", "withdrew": "withdraw", "upheld": "uphold", "rebuilt": "rebuild", "underwent": "undergo",
}  # fmt: skip
_VOWELS = "aeiou"
_DOUBLED = frozenset("ban commit defer expel opt permit plan refer reprogram submit transfer".split())  # noqa: SIM905


def _past(base: str) -> str:
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and base[-2] not in _VOWELS:
        return base[:-1] + "ied"
    return base + (base[-1] if base in _DOUBLED else "") + "ed"


_PASTS = {_past(base): base for base in _REGULAR if base not in {"cut", "withhold", "oversee"}} | _IRREGULAR
_BASES = frozenset(_PASTS.values())
_PARTICIPLES = frozenset(_PASTS) - {
    "became", "began", "bore", "chose", "drew", "fell", "gave", "grew", "oversaw", "ran", "rose", "saw", "took",
    "wrote", "had",
} | {"begun", "born", "chosen", "drawn", "given", "grown", "known", "seen", "taken", "written", "run", "become"}  # fmt: skip
_OTHERS = frozenset(
    [
        "said",
        "told",
        "says",
        "say",
        "tell",
        "stated",
        "reported",
        "found",
        "noted",
        "indicated",
        "explained",
        "testified",
        "agreed",
        "believed",
        "thought",
        "knew",
        "came",
        "went",
        "stood",
        "read",
        "spoke",
        "felt",
        "understood",
        "meant",
        "heard",
        "asked",
        "answered",
        "called",
        "named",
        "seemed",
        "appeared",
        "happened",
    ]
)
"""Verbs that are never asked with, but tell that a sentence has another one."""
_THIRD = {"has": "have", "does": "do", "is": "be"}


def base_of_past(word: str) -> str:
    """Return the base form of a verb in the past tense; empty for a word that is none of those known."""
    return _PASTS.get(word, "")


def base_of_present(word: str) -> str:
    """Return the base form of a verb in the third person singular; empty for a word that is none of those known."""
    if word in _THIRD:
        return _THIRD[word]
    for base in (word[:-1], word[:-2], word[:-3] + "y"):
        if word.endswith("s") and base in _BASES:
            return base
    return ""


def is_participle(word: str) -> bool:
    """Say whether a word is the past participle of a known verb."""
    return word in _PARTICIPLES


def is_progressive(word: str) -> bool:
    """Say whether a word is the -ing form of a known verb."""
    stem = word.removesuffix("ing")
    return stem != word and bool({stem, f"{stem}e", stem[:-1]} & _BASES)


def is_base(word: str) -> bool:
    """Say whether a word is the base form of a known verb."""
    return word in _BASES


def is_known(word: str) -> bool:
    """Say whether a word is, or may be, a finite verb in the past tense."""
    return word in _PASTS or word in _OTHERS
