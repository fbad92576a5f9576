"""Sentences whose subject is a name or a plain noun phrase: who or what does it, and names left out of them."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from ragharness.questions.asking.statement import Asked
from ragharness.questions.folder.content_words import content_words
from ragharness.questions.folder.facts import NAME, Fact, is_name, stands_alone
from ragharness.questions.questionset import GAP

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ragharness.records import Document

_THIRD = (
    "returns|specifies|controls|sets|determines|defines|provides|creates|allows|enables|disables|contains|represents|holds|stores|"
    "takes|accepts|raises|handles|reads|writes|loads|makes|adds|removes|generates|implements|supports|runs|starts|stops|shows|"
    "prints|displays|indicates|configures|registers|converts|parses|wraps|sends|opens|closes|checks|ensures|gives|maps|renders|"
    "manages|lets|requires|uses|includes|administers|oversees|conducts|receives|collects|compiles|packages|keeps|treats|tells|"
    "blocks|waits|expects|connects|applies|covers|limits|prohibits|regulates|operates|owns|reports|publishes|reviews|approves"
)
_PAST = (
    "established|created|issued|published|developed|launched|introduced|awarded|approved|enacted|required|implemented|"
    "administered|conducted|designated|transferred|appointed|funded|directed|authorized|acquired|sold|opened|closed|signed|"
    "completed|selected|provided|led|hired|proposed|announced|adopted|amended|replaced|assumed|managed|coordinated|revised"
)
_CAPITAL = r"[A-Z][\w&’'-]*[\w]"
_PROPER = rf"(?:the\s+|The\s+)?(?P<name>{_CAPITAL}(?:\s+(?:(?:of|for|and|on|the)\s+){{0,2}}{_CAPITAL}){{0,6}})(?:\s+\((?P<short>[A-Z][A-Za-z&-]{{1,9}})\))?"
_ACTS = re.compile(rf"{_PROPER}\s+(?P<does>(?:is|was|{_THIRD}|{_PAST})\s[^\n]{{20,170}}?)\.")
_WEAK = re.compile(
    r"(?:is|are|was|were)\s+(?:not|very|also|only|just|still|now|more|less|the\s+same|available|easy|simple|possible|important|similar|different|useful)\b"
)
_SENTENCE_WORDS = frozenset(
    [
        "The",
        "This",
        "That",
        "These",
        "Those",
        "It",
        "If",
        "When",
        "While",
        "As",
        "In",
        "On",
        "For",
        "By",
        "To",
        "From",
        "After",
        "Before",
        "Although",
        "However",
        "Because",
        "Since",
        "There",
        "Some",
        "Many",
        "All",
        "Each",
        "Every",
        "Any",
        "No",
        "Both",
        "Most",
        "Such",
        "Other",
        "Another",
        "What",
        "Which",
        "Who",
        "How",
        "Why",
        "Where",
        "Section",
        "Figure",
        "Table",
        "Note",
        "Chapter",
        "Part",
        "Article",
        "Appendix",
        "Under",
        "With",
        "Without",
        "And",
        "But",
        "Or",
        "Not",
        "Only",
        "Also",
        "Congress",
        "Members",
        "Officials",
        "Department",
        "Agency",
        "Office",
    ]
)
_COMMON_NAME = 12
"""Times that a text names somebody from which the name is guessed without reading."""

_LEAST = 4
_LONGEST = 30
_GAP_SHORTEST, _GAP_LONGEST = 8, 32


class Folder(NamedTuple):
    """What the texts of a folder have in common."""

    technical: bool
    """Whether they document programs."""
    everywhere: frozenset[str]
    """Names that stand in many of them: what the folder is about is guessed without reading."""


_PROGRAM = re.compile(r"--[a-z]\w+|\w+_\w+|\w\(\)|[a-z]\w+\.[a-z]\w+")
_DENSE = 800
"""Characters of technical texts for one name of a program, or fewer."""

_SHARE, _FEW = 0.2, 3
"""Share, and number, of documents from which a name is everywhere."""


def folder_of(documents: Sequence[Document]) -> Folder:
    """Return what the documents of a folder have in common."""
    size = sum(len(each.text) for each in documents)
    names = sum(len(_PROGRAM.findall(each.text)) for each in documents)
    held = Counter(name for each in documents for name in set(_CAPITALS.findall(each.text)))
    most = max(_FEW, _SHARE * len(documents))
    return Folder(names * _DENSE > size, frozenset(name for name, count in held.items() if count > most))


_CAPITALS = re.compile(rf"\b{_CAPITAL}")


def actors(
    sentence: str, start: int, lower: Callable[[str], bool], counts: Counter[str], folder: Folder
) -> Iterator[Fact]:
    """Yield the question for the subject of a sentence; ``counts``: how often the text has each word."""
    found = _ACTS.fullmatch(sentence)
    if (
        found
        and not is_name(found["name"])
        and _is_proper(found["name"], lower, counts)
        and not folder.everywhere & set(found["name"].split())
    ):
        name, does = found["name"], found["does"]
        if _is_plain(does) and not any(part in does for part in name.split() if part[0].isupper()):
            asks = "What" if folder.technical else "Who or what"
            yield Fact(Asked(f"{asks} {does}?", "text", name), start, start + len(sentence), "actor", name)


def _is_proper(name: str, lower: Callable[[str], bool], counts: Counter[str]) -> bool:
    parts = name.split()
    last = parts[-1]
    if parts[0] in _SENTENCE_WORDS or any(lower(part.lower()) for part in (parts[0], last)):
        return False
    if len(parts) == 1 and counts[last] < _SEEN:
        return False  # a capital at the beginning of a sentence is no name
    return min(counts[part] for part in parts if part[0].isupper()) <= _COMMON_NAME


_SEEN = 2


def _is_plain(does: str) -> bool:
    return (
        stands_alone(does)
        and not _WEAK.match(does)
        and len(content_words(does)) >= _LEAST
        and len(does.split()) <= _LONGEST
    )


_GAPPED = re.compile(rf"(?<![\w.'’\"/-])(?P<name>{NAME})(?![\w.(\[=/-]|\.\w)")
_POINTS = re.compile(
    r"\b(?:it|its|this|these|those|they|their|them|he|she|such|above|below|following|here|see|example|you|your|we|our|i)\b|^(?:and|or|but|so|then|also)\b|n['’]t\b",
    re.IGNORECASE,
)
_QUOTABLE = re.compile(r"[“”\"\[\]{}|<>\\#*_]{1}|--\s|https?|\?|:$|=|\(\s*\)")


_WELL_KNOWN = frozenset(
    {"GitHub", "GitLab", "JavaScript", "TypeScript", "PyPI", "YouTube", "LinkedIn", "PyCon", "MacOS"}
)
_FRAGMENT = re.compile(
    rf":|\s[-–]\s|^\w+, {GAP}|;|^{GAP} \w+ (?:to|that|which)\b|\b\d{{3,4}} (?:that|which)\b|^(?:Added?|Fix|Fixed|Remove|Support|In other words|At that point|Note that|Please)\b|^{GAP} (?:FILE|that|which|when|whenever|if|for|to)\b|[~`’']{GAP}|{GAP}['’]|^\w+ing\b|\b(?:a|an|the|of|in|on|for|to|by|with|from|at|as|and|or|is|are|be)\s*$|^(?:Most|Some|All|Many|Another|Similar|If None|Rather|Say|For holding|Components)\b|/ \d"
)
"""What is no whole statement: an entry of a list, a remark, half a sentence."""
_RELATIVE = re.compile(r"\b(?:that|which|who|whose|where|when|whenever|if|as)\b[^,]*")
_FINITE = re.compile(
    rf"\b(?:is|are|was|were|has|have|had|can|must|should|will|may|does|do|did|cannot|{_THIRD}|{_PAST}|contain|use|need|remain|exist|work|protect|protects|bind|binds|beats|works|remains|needs|means|receives|accepts|defaults)\b"
)


def names_left_out(sentence: str, start: int) -> Iterator[Fact]:
    """Yield a cloze question for the only name of a program in a plain sentence."""
    found = list(_GAPPED.finditer(sentence))
    size = len(sentence.split())
    if len(found) != 1 or not sentence.endswith(".") or not _GAP_SHORTEST <= size <= _GAP_LONGEST:
        return
    name = found[0]["name"]
    left = f"{sentence[: found[0].start('name')]}{GAP}{sentence[found[0].end('name') :]}".rstrip(".")
    bare = left.replace(GAP, "X")
    last = re.split(r"[._]", name.strip("-()"))[-1].lower()
    if (
        not is_name(name)
        or (not sentence[0].isupper() and not sentence.startswith(name))
        or _POINTS.search(bare)
        or _QUOTABLE.search(bare)
        or last in bare.lower()
        or len(content_words(bare)) < _LEAST
        or name in _WELL_KNOWN
        or _FRAGMENT.search(left)
        or not _FINITE.search(_RELATIVE.sub(" ", bare))
    ):
        return
    asked = Asked(f"Which name completes the statement “{left}”?", "text", name.removesuffix("()"), left=left)
    yield Fact(asked, start, start + len(sentence), "gap", name.removesuffix("()"))
