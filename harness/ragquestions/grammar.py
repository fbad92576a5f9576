"""A sentence as a plain statement: connectives gone, a leading "In 2023," apart, nothing that points elsewhere."""

from __future__ import annotations

import re
from collections.abc import Callable
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
)  # who says so may go: the text states it all the same
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
)  # a law or a place: it can end a question too
_TAIL = regex(
    r"(?:,\s+(?:which|who|whose|where|while|including|up\s+from|down\s+from|compared|but|although|though|whereas|making|resulting|according\s+to|as\s+well\s+as|"
    r"primarily|particularly|mainly|mostly|followed\s+by|with|an?|or)\b"
    r"|,\s+(?:and\s+)?(?:(?:about|approximately|roughly|nearly)\s+)?(?:\$|\d[\d.,]*\s?(?:%|percent\b))|—)[^—]*$"
)  # what says more about a statement that is complete without it
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
)  # an adverbial of time alone: it can end a question as well as begin a statement
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
)  # a definite noun without a name or an attribute: which one, another sentence says
_BARE_ACCOUNT = regex(
    r"\b[Tt]he\s+(?:[a-z][\w-]*|Senate|House)\s+(?:program|account|agency|office|department|bill|report|request)\b(?!\s+(?:of|to|on|that|which|accompanying)\b)"
)  # the same with a common word before it: "the science program", "the Senate bill" are some of many
_NAMED = regex(r"\bthe\s+(?:federal\s+government|states|president|secretary|country|tax)\b", re.IGNORECASE)
"""Definite nouns that everybody knows."""
_ASIDE = regex(r"\s*\([^()]{1,80}\)")
_QUOTED_NAME = regex(r"[“\"](?P<name>[A-Z][^“”\"]{1,60}?)(?P<stop>[,.]?)[”\"]")
_BLANK_COMMA = regex(r"\s+(?=,(?:\s|$))")
_MARK = regex(
    r"\s*\[(?:\d{1,3}|note\s*\d+)\]|(?<=[a-z][.,;\"”)])\d{1,3}(?=\s|$)|(?<=[a-z]{3})\d{1,3}(?=\s|$)|\*+|_{2,}"
)  # footnote marks and emphasis
_NOTE_NUMBER = regex(r"^(?:\d{1,3}\s+(?=[A-Z])|[-•▪–]\s+)")
_ODD = regex(
    r" ,|,,|[|•▪→<>{}\\^~_=\"“”]|https?:|\bU\.S\.C\b|\bet al\b|\bibid\b|\be\.g\.|\bi\.e\.|\.\.\.|…|[?;]|:\s|\(|\)|\[|\b(\w+)\s+\1\b|[a-z][A-Z]{2}|—|–\s|\s-\s"
)
SHORTEST, LONGEST = 6, 45  # words of a sentence that can be asked about


class PlainStatement(NamedTuple):
    """A plain declarative sentence without its stop."""

    text: str
    when: str  # the adverbial that stood in front, to be put at the end of a question; empty: none


class Asked(NamedTuple):
    """A question that a sentence answers, without the name of its document."""

    question: str  # it begins with a capital and ends with a question mark
    kind: Literal["number", "date", "text"]
    answer: str
    unit: str = ""
    precision: Precision = ""  # for a date
    left: str = ""  # of a statement with a gap: what is left of it, by which it is compared

    @property
    def about(self) -> str:
        """The words that tell what is asked about."""
        return self.left or self.question


_OF_AUTHORS = {"have": "has", "were": "was", "are": "is"}
_WE = regex(r"\b[Ww]e\b(?:\s(?P<verb>have|were|are)\b)?")
_OUR = regex(r"\b[Oo]ur\b")


def by_author(sentence: str, author: str) -> str:
    """Sentence with the name of its author for "we"."""
    named = _WE.sub(
        lambda found: f"{author} {_OF_AUTHORS[found['verb']]}" if found["verb"] else author, sentence
    )
    whose = "its" if named != sentence else f"{author}'s"
    return _OUR.sub(lambda _: whose, named)


def clean(sentence: str) -> str:
    """Sentence on one line, without footnote marks, emphasis and what stands in parentheses."""
    unquoted = _QUOTED_NAME.sub(r"\g<name>\g<stop>", _MARK.sub("", sentence))
    plain = _BLANK_COMMA.sub(",", " ".join(_ASIDE.sub("", unquoted).split()))
    return without_number(_NOTE_NUMBER.sub("", plain))


def statement(sentence: str) -> PlainStatement | None:
    """Clean sentence as a statement that stands by itself, or None."""
    if not sentence.endswith(".") or len(sentence.split()) > LONGEST or not sentence[0].isalnum():
        return None
    text = sentence[:-1]
    for pattern in (_CONNECTIVE, _SAID_BY, _SAID_THAT):
        if found := pattern.match(text):
            text = text[found.end() :]
            text = text[:1].upper() + text[1:]
    when = ""
    if adverbial := _ADVERBIAL.match(text):
        words = adverbial["words"]
        if not (_TIME.fullmatch(words) or _PLACE.fullmatch(words)):
            return None
        when = words[0].lower() + words[1:]
        text = text[adverbial.end() :]
        text = text[:1].upper() + text[1:]
    if _GOES_ON.search(text):
        return None
    filler = _FILLER if _YEAR.search(text) else _STILL
    text = filler.sub("", _TAIL.sub("", _APPOSITION.sub(r"\g<head> ", text)))
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


HEDGE = (
    r"(?:(?:about|approximately|roughly|nearly|almost|around|an\s+estimated|some|a\s+total\s+of|just\s+over|just\s+under|"
    r"slightly\s+(?:more|less)\s+than|exactly|only)\s+)?"
)  # words before a figure that are none of the question's
CLAUSE = regex(
    r"\b(?:that|which|who|whom|whose|because|although|while|if|when|where|whether|since(?!\s+(?:(?:fiscal|calendar)\s+(?:year\s+)?)?(?:FY)?\d|\s+[A-Z])|unless|but|how|what|why|and\s+(?:was|were|is|are|had|has|have|would|could)|than|compared|versus|as\s+well|thereby|thus|therefore|however|among\s+other)\b",
    re.IGNORECASE,
)
SECOND_VERB = regex(
    r"\b(?:was|were|is|are|has|have|had|would|will|could|did|does|do|may|might|can|in\s+comparison|in\s+contrast|being|respectively|or\s+(?:about|approximately))\b"
)
_SUBJECT = regex(
    r"(?:[A-Za-z0-9$%][\w.'’&/$%-]*)(?:\s+(?:[\w.'’&/$%-]+)(?:(?<=Act),(?=\s(?:1[89]|20)\d\d\b))?)*"
)
_REST = regex(r"(?:,?\s+[\w.'’&/$%-]+(?:,\d{3})*)*")
_RELATIVE = regex(r"\s(?:that|which|who)\s")
_COMMA = regex(
    r",(?!\d{3}|\s(?:and\s+|or\s+)?[\w’'&/-]+(?:\s+[\w’'&/-]+){0,3},?\s(?:and|or)\s|\s(?:1[89]|20)\d\d\b|\sD\.C\b|\s(?:and|or)\s)"
)  # a comma that does not stand in a list of names or in a date: what follows it may be another thought
_MEASURED = regex(r"[$€£]\s?\d|\d\s?%|\bpercent(?:age)?\b|\b(?:million|billion|trillion|thousand)\b")
_PARTICIPLE_CLAUSE = regex(r",\s+(?:\w+ing|\w+ed)\b")
_LONGEST_SUBJECT = 12
_LONGEST_REST = 22
_LONGEST_QUESTION = 30  # words above which nobody would ask so
_AUXILIARIES = frozenset(
    "was were is are been be has have had will would could should may might can must do does did to not and or that which who also as by if than only just merely".split()  # noqa: SIM905
)
_ARTICLES = frozenset(
    "the a an total most many some all each every no federal state total annual average median overall".split()  # noqa: SIM905
)
_ANCHOR = regex(r"\b(?:[A-Z]{2,}[\w&-]*|(?:1[89]|20)\d\d|\d+)\b|(?<=\s)[A-Z][a-z]+")
_TIMED = regex(
    r"\b(?:in|during|for|from|through|since|between|as of|by|on|and)\s+(?:(?:the|early|late|fiscal|calendar|academic|school|years?|end|of|[A-Z][a-z]+)\s+){0,4}(?:\d{1,2},\s+)?(?:FY\s?)?(?:1[89]|20)\d\d"
)  # when something was: two of them in one question stumble over each other
_EXACT = regex(r"\d,\d{3}|\b(?:approximately|about|roughly|nearly|almost)\s+\d")
"""Figures that only who reads the statement would put into a question."""
_BRIEF = 6  # words of a question for a count that does not say which: "How many studies has it sponsored?"
_NAMED_TELLING = 2  # the same where it names something
_TELLING = 6  # words of content that make a question specific where it names nothing
_SMALL_WORDS = frozenset(
    "the a an of in on for to and or by with from at as was were is are did do does how many much what when percentage has have had been be its their into during between among total through per under over within".split()  # noqa: SIM905
)

_GIVEN = frozenset(
    "allocated appropriated authorized awarded allotted assigned granted given paid fined assessed charged".split()  # noqa: SIM905
)
_PREPOSITIONS = frozenset(
    "of in on for to and or by with from at as into than the a an per within about".split()  # noqa: SIM905
)
_SECOND_PREDICATE = regex(r"\s+and\s+(?:\w+ly\s+)?(?P<verb>[a-z]+)\b.*$")

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
    "said told says say tell stated reported found noted indicated explained testified agreed believed thought knew came went stood read spoke felt understood meant heard asked answered called named seemed appeared happened".split()  # noqa: SIM905
)  # verbs that are never asked with, but tell that a sentence has another one
_THIRD = {"has": "have", "does": "do", "is": "be"}


class Verb(NamedTuple):
    """A finite verb with what helps it."""

    helper: str
    word: str
    and_word: str = ""


def is_subject(words: str) -> bool:
    """Whether words can only be the subject of the verb behind them."""
    tokens = words.split()
    return (
        0 < len(tokens) <= _LONGEST_SUBJECT
        and not tokens[0].isdigit()
        and tokens[0].lower() not in {"a", "an"}  # which one, it does not say
        and _SUBJECT.fullmatch(words) is not None
        and not CLAUSE.search(words)
        and tokens[-1].lower() not in _PREPOSITIONS
        and not any(is_known(word) and word.islower() and word != "cost" for word in tokens[1:])
        and not any(word in _AUXILIARIES - {"and", "or", "to", "as", "by"} for word in tokens)
        and not _MEASURED.search(words)
    )


def first_predicate(words: str) -> str:
    """Words behind a figure without a second verb that "and" joins to the first."""
    found = _SECOND_PREDICATE.search(words)
    return words[: found.start()] if found and base_of_past(found["verb"]) else words


def is_rest(words: str) -> bool:
    """Whether the words behind a verb and its object hold no second thought and no second figure."""
    first, *relative = _RELATIVE.split(words, maxsplit=1)
    if relative and (_MEASURED.search(words) or "," in relative[0] or CLAUSE.search(relative[0])):
        return False
    second = (CLAUSE, SECOND_VERB, _COMMA, _MEASURED, _PARTICIPLE_CLAUSE)
    return (
        len(first.split()) <= _LONGEST_REST
        and not any(pattern.search(first) for pattern in second)
        and not any(map(is_known, first.partition(", and ")[2].split()))
        and _REST.fullmatch(first) is not None
        and "".join(first.split()[-1:]).lower() not in _PREPOSITIONS
    )


def order(verb: Verb, subject: str) -> str:
    """Subject and verb as a question has them; empty where the verb is not known."""
    helper, word = verb.helper, verb.word
    if helper.endswith(" have"):
        modal = helper.split()[0]
        return f"{modal} {subject} have {word}" if is_participle(word) and not verb.and_word else ""
    if helper:
        being, having = helper in {"is", "are", "was", "were"}, helper in {"has", "have", "had"}
        fits = is_progressive(word) if being else is_participle(word) if having else word in _BASES
        fits = (fits and not verb.and_word) or (being and word in _GIVEN)
        return f"{helper} {subject} {word}" if fits else ""
    base, second = base_of_past(word), base_of_past(verb.and_word) if verb.and_word else ""
    if verb.and_word and not (base and second):
        return ""
    if base:
        return f"did {subject} {base}{f' and {second}' if second else ''}"
    if base := base_of_present(word):
        return f"does {subject} {base}"
    plural = subject.rsplit(maxsplit=1)[-1].endswith("s") and not subject.endswith("ss")
    return f"do {subject} {word}" if word in _BASES and not base_of_past(word) and plural else ""


def lowered(subject: str, lower: Callable[[str], bool]) -> str:
    """Subject as it stands inside a sentence; ``lower`` knows words that are no names."""
    first, blank, rest = subject.partition(" ")
    small = first.lower()
    if small in _ARTICLES or (first[1:].islower() and lower(small)):
        return f"{small}{blank}{rest}"
    return subject


def joined(question: str, said: PlainStatement) -> str:
    """Question with its adverbial and mark; empty where it is too long or too vague to be asked."""
    if not question or (_TIMED.search(said.when) and _TIMED.search(question)):
        return ""
    tail = f" {said.when}" if said.when else ""
    text = f"{' '.join(question.split()).rstrip(' ,.')}{tail}?"
    telling = {word for word in re.findall(r"[a-z][a-z-]+", text.lower()) if word not in _SMALL_WORDS}
    least = _NAMED_TELLING if _ANCHOR.search(text[1:]) else _TELLING
    if len(text.split()) > _LONGEST_QUESTION or len(telling) < least or _EXACT.search(text):
        return ""
    if text.startswith("How many") and len(text.split()) <= _BRIEF:
        return ""
    if text.startswith("By what") and not any(letter.isdigit() for letter in text):
        return ""  # from when to when, it does not say
    return text


def base_of_past(word: str) -> str:
    """Base form of a verb in the past tense; empty for a word that is none of those known."""
    return _PASTS.get(word, "")


def base_of_present(word: str) -> str:
    """Base form of a verb in the third person singular; empty for a word that is none of those known."""
    bases = (word[:-1], word[:-2], word[:-3] + "y") if word.endswith("s") else ()
    return _THIRD.get(word) or next(filter(_BASES.__contains__, bases), "")


def is_participle(word: str) -> bool:
    """Whether a word is the past participle of a known verb."""
    return word in _PARTICIPLES


def is_progressive(word: str) -> bool:
    """Whether a word is the -ing form of a known verb."""
    stem = word.removesuffix("ing")
    return stem != word and bool({stem, f"{stem}e", stem[:-1]} & _BASES)


def is_known(word: str) -> bool:
    """Whether a word is, or may be, a finite verb in the past tense."""
    return word in _PASTS or word in _OTHERS
