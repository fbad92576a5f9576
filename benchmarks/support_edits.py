"""Edits of real sentences of the public corpora: what a passage states, and what it states no longer.

Each edit is a sentence of a passage word for word, in a slightly other order, or with one thing changed: a
name, a figure, a denial, a direction, who does it to whom, or a clause of another document added.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from ragharness.corpus.loading import Corpus
from ragharness.corpus.passages import split_document
from ragharness.language.words import sentences
from ragharness.records import Passage

_NAME = re.compile(r"(?<=[a-z,] )(?:the )?([A-Z][a-zA-Z&’'-]+(?: (?:[A-Z][a-zA-Z&’'-]+))*)")
_VERB = re.compile(
    r"\b(is|are|was|were|shall|may|will|must|can|has|have|does|do|could|would|should)\b(?! not)"
)
_PLAIN = re.compile(
    r"(?:(?:The|This|Each|Any) )?(?:Agreements?|Part(?:y|ies)|(?:Confidential )?Information|Contract|Section"
    r"|Company|Materials?|Client|The|This|In|One|Two|I|We|It|May|PARTIES|AGREEMENT)\b.{0,3}$"
)
_FIGURE = re.compile(r"(?<![\w.,-])\d[\d,]*(?:\.\d+)?(?![\w-])")
_LEAD = re.compile(r"^((?:In|On|As of|During|For|Since|By|At|Under|After|Before) [^,]{3,60}), (\w)(.+)\.$")
_TAIL = re.compile(
    r"^([A-Z])(.+) ((?:in|during|as of|on) (?:fiscal |the year |year |[A-Z][a-z]+ )?(?:\d\d, )?\d{4})\.$"
)
_AMOUNT = re.compile(r"(?:US)?\$ ?\d[\d,.]*\d(?: (?:million|billion|thousand))?|\d[\d,.]* ?(?:%|percent)")
_ASIDE = re.compile(
    r" \([^()]{3,80}\)|, which [^,.]{5,90}(?=[,.])|\b(?:also|hereby|currently|generally|further) "
)
_DIRECTIONS = """
increased/decreased increase/decrease increases/decreases higher/lower more/less greater/smaller
rose/fell rising/falling growth/decline gain/loss gains/losses above/below before/after
exceeds/trails maximum/minimum expand/reduce improved/worsened include/exclude includes/excludes
including/excluding permitted/prohibited approved/rejected favorable/unfavorable accept/reject
prior/subsequent inbound/outbound buy/sell first/last strengthened/weakened public/private
internal/external assets/liabilities positive/negative raise/lower success/failure allow/prevent
allows/prevents start/end begins/ends early/late always/never all/some may/must shall/may over/under
with/without up/down most/few
"""


class Edit(NamedTuple):
    """A sentence, the passage that it is cited to, and whether that states it."""

    kind: str
    claim: str
    passage: Passage
    supported: bool
    document: str


def plain_sentences(text: str) -> list[str]:
    """Sentences of prose of some eight to forty words."""
    found = (re.sub(r"\s+", " ", text[start:end]) for start, end in sentences(text))
    return [
        sentence
        for sentence in found
        if 8 <= len(sentence.split()) <= 40
        and sentence[0].isupper()
        and sentence.endswith(".")
        and "|" not in sentence
        and re.search(r"\b[a-z]+ [a-z]+ [a-z]+\b", sentence)
    ]


def edits(corpora: Sequence[Corpus], seed: int = 0, most: int = 40) -> Iterator[Edit]:
    """Edits of sentences of every document, at most so many sentences of each."""
    for corpus in corpora:
        pool = [
            sentence
            for document in corpus.documents[:200]
            for sentence in plain_sentences(document.text[:20_000])
        ]
        for document in corpus.documents:
            randomly = random.Random(f"{seed} {document.id}")
            passages = split_document(document, 120)
            pairs = [
                (passage, sentence) for passage in passages for sentence in plain_sentences(passage.text)
            ]
            randomly.shuffle(pairs)
            names = sorted(
                {
                    match[1]
                    for _, sentence in pairs
                    for match in _NAME.finditer(sentence)
                    if not _PLAIN.match(match[1])
                }
            )
            for passage, sentence in pairs[:most]:
                context = Context(randomly, names, pool, passage.text, passage.title)
                for kind, (edit, supported) in KINDS.items():
                    if claim := edit(sentence, context):
                        yield Edit(kind, claim, passage, supported, document.id)
                others = [other for other in passages if sentence not in re.sub(r"\s+", " ", other.text)]
                if others:
                    yield Edit("elsewhere", sentence, randomly.choice(others), False, document.id)


class Context(NamedTuple):
    """What an edit may draw from."""

    randomly: random.Random
    names: Sequence[str]
    pool: Sequence[str]
    passage: str
    title: str


def verbatim(sentence: str, _context: Context) -> str:
    return sentence


def reordered(sentence: str, _context: Context) -> str:
    """Sentence with its lead behind, its last date in front, or an aside left out; empty: none of these."""
    if lead := _LEAD.match(sentence):
        return f"{lead[2].upper()}{lead[3]} {lead[1][0].lower()}{lead[1][1:]}."
    if tail := _TAIL.match(sentence):
        return f"{tail[3][0].upper()}{tail[3][1:]}, {tail[1].lower()}{tail[2]}."
    shorter = _ASIDE.sub(lambda match: " " if match[0][0] not in " ," else "", sentence)
    return shorter if shorter != sentence and len(shorter.split()) > 6 else ""


def prefixed(sentence: str, context: Context) -> str:
    """Sentence with the source that it is said by."""
    opening = context.randomly.choice(("According to {}, ", "{} states that ", "As {} says, "))
    source = context.randomly.choice((context.title, "the document", "the passage", "the report"))
    first = (
        sentence
        if sentence[:2].strip() == "I" or sentence[1].isupper()
        else sentence[0].lower() + sentence[1:]
    )
    return opening.format(source)[:1].upper() + opening.format(source)[1:] + first if source else ""


def shortened(sentence: str, _context: Context) -> str:
    """Sentence up to a clause that only adds to it; empty: there is none, or a condition would be lost."""
    parts = re.split(r"(?:, (?:and|which|while|as well as)|;) ", sentence, maxsplit=1)
    if (
        len(parts) < 2
        or len(parts[0].split()) < 7
        or re.search(r"\b(?:if|unless|except|not|neither)\b", sentence)
    ):
        return ""
    return f"{parts[0].rstrip(',')}."


def fused(sentence: str, context: Context) -> str:
    """Sentence and another one of its passage in one."""
    others = [other for other in plain_sentences(context.passage) if other != sentence]
    if not others or len(sentence.split()) > 22:
        return ""
    other = context.randomly.choice(others)
    small = (
        other
        if other.split()[0].isupper() or other[:4] not in ("The ", "This", "In t", "It i")
        else other[0].lower() + other[1:]
    )
    return f"{sentence[:-1]}, and {small}"


def other_name(sentence: str, context: Context) -> str:
    """Sentence with another name of its document."""
    found = [match for match in _NAME.finditer(sentence) if len(match[1]) > 2 and not _PLAIN.match(match[1])]
    if not found:
        return ""
    match = context.randomly.choice(found)
    near = [name for name in context.names if name in context.passage]
    names = near if context.randomly.random() < 0.4 else context.names
    names = [name for name in names if name not in sentence and match[1] not in name]
    if not names:
        return ""
    return sentence[: match.start(1)] + context.randomly.choice(names) + sentence[match.end(1) :]


def other_value(sentence: str, _context: Context) -> str:
    """Sentence up to its first figure or name, with a later one of the same sentence in its place."""
    for pattern in (_AMOUNT, _NAME):
        found = [match for match in pattern.finditer(sentence) if not _PLAIN.match(match[0])]
        if len(found) > 1 and found[0].start() > 25 and found[0][0] != found[-1][0]:
            rest = re.split(r"[,;]| and | compared ", sentence[found[0].end() :])[0]
            return f"{sentence[: found[0].start()]}{found[-1][0]}{rest}".rstrip(".") + "."
    return ""


def first_value(sentence: str, context: Context) -> str:
    """Sentence up to its first figure or name, and what follows up to the next part."""
    for pattern in (_AMOUNT, _NAME):
        found = [match for match in pattern.finditer(sentence) if not _PLAIN.match(match[0])]
        if other_value(sentence, context) and len(found) > 1 and found[0].start() > 25:
            rest = re.split(r"[,;]| and | compared ", sentence[found[0].end() :])[0]
            return f"{sentence[: found[0].end()]}{rest}".rstrip(".") + "."
    return ""


def denial(sentence: str, _context: Context) -> str:
    """Sentence with a denial, or without the one that it has."""
    if " not " in sentence:
        return sentence.replace(" not ", " ", 1).replace(" cannot ", " can ", 1)
    if match := _VERB.search(sentence):
        return f"{sentence[: match.end()]} not{sentence[match.end() :]}"
    return ""


def roles(sentence: str, context: Context) -> str:
    """Sentence with two names in each other's place, a verb between them."""
    found = list(_NAME.finditer(sentence))
    if sentence.startswith("The ") and (first := re.match(r"The ([A-Z]\w+(?: [A-Z]\w+)*)", sentence)):
        found.insert(0, first)
    pairs = [
        (one, other)
        for one, other in pairwise(found)
        if one[1] not in other[1]
        and other[1] not in one[1]
        and not _PLAIN.match(one[1])
        and not _PLAIN.match(other[1])
        and _VERB.search(sentence, one.end(), other.start())
    ]
    if not pairs:
        return ""
    one, other = context.randomly.choice(pairs)
    (a, b), (c, d) = one.span(1), other.span(1)
    return sentence[:a] + other[1] + sentence[b:c] + one[1] + sentence[d:]


def direction(sentence: str, _context: Context) -> str:
    """Sentence with the contrary of a word."""
    for one, other in (pair.split("/") for pair in _DIRECTIONS.split()):
        for word, contrary in ((one, other), (other, one)):
            if re.search(rf"\b{word}\b", sentence):
                return re.sub(rf"\b{word}\b", contrary, sentence, count=1)
    return ""


def figure(sentence: str, context: Context) -> str:
    """Sentence with another figure."""
    found = list(_FIGURE.finditer(sentence))
    if not found:
        return ""
    match = context.randomly.choice(found)
    digits = list(match.group())
    places = [place for place, digit in enumerate(digits) if digit.isdigit()]
    place = context.randomly.choice(places)
    digits[place] = str((int(digits[place]) + context.randomly.choice((1, 2, 3, 4))) % 10 or 5)
    changed = "".join(digits)
    return "" if changed == match.group() else sentence[: match.start()] + changed + sentence[match.end() :]


def added(sentence: str, context: Context) -> str:
    """Sentence with a clause of another one."""
    other = context.randomly.choice(context.pool)
    half = re.split(r", | and | that ", other)[-1].rstrip(".")
    if len(half.split()) < 3 or half in context.passage:
        return ""
    return f"{sentence[:-1]}, and {half}."


KINDS: Mapping[str, tuple[Callable[[str, Context], str], bool]] = {
    "verbatim": (verbatim, True),
    "reordered": (reordered, True),
    "prefixed": (prefixed, True),
    "shortened": (shortened, True),
    "fused": (fused, True),
    "first value": (first_value, True),
    "other value": (other_value, False),
    "name": (other_name, False),
    "denial": (denial, False),
    "role": (roles, False),
    "direction": (direction, False),
    "figure": (figure, False),
    "added": (added, False),
}
