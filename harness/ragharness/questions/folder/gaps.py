"""Cloze questions for names of programs: the one name of a plain sentence is left out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ragharness.questions.asking.statement import Asked
from ragharness.questions.folder.content_words import content_words
from ragharness.questions.folder.facts import NAME, Fact, is_name, stands_alone
from ragharness.questions.questionset import GAP

if TYPE_CHECKING:
    from ragharness.records import Document

_PROGRAM = re.compile(r"--[a-z]\w+|\w+_\w+|\w\(\)|[a-z]\w+\.[a-z]\w+")
_DENSE = 800
"""Characters of technical texts for one name of a program, or fewer."""

_GAPPED = re.compile(rf"(?<![\w.'’\"/-])(?P<name>{NAME})(?![\w.(\[=/-]|\.\w)")
_QUOTABLE = re.compile(r"[“”\"\[\]{}|<>\\#*_~`:;]|--\s|https?|\?|=|\(\s*\)")
_WELL_KNOWN = frozenset(
    {"GitHub", "GitLab", "JavaScript", "TypeScript", "PyPI", "YouTube", "LinkedIn", "PyCon", "MacOS"}
)
_FRAGMENT = re.compile(
    rf"\s[-–]\s|^\w+, {GAP}|^{GAP} \w+ (?:to|that|which)\b|^(?:Added?|Fix|Fixed|Remove|Support|Please)\b"
    rf"|^{GAP} (?:FILE|that|which|when|whenever|if|for|to)\b|[’']{GAP}|{GAP}['’]|^\w+ing\b|^(?:Most|Some|All|Many|Another|Similar|Rather|Say|Any|Call|If None|Components|In other words|At that point|Note that|For \w+ing)\b"
    rf"|^{GAP} (?:is|are) an?\b|{GAP} ref\b|{GAP} [A-Z]|\b\d{{3,4}} (?:that|which)\b|/ \d"
)
"""What is no whole statement: an entry of a list, a remark, half a sentence."""
_RELATIVE = re.compile(r"\b(?:that|which|who|whose|where|when|whenever|if|as)\b[^,]*")
_FINITE = re.compile(
    r"\b(?:is|are|was|were|has|have|had|can|must|should|will|may|does|do|did|cannot|contain|use|need|remain|work|defaults|"
    r"returns?|specifies|controls|sets|determines|defines|provides|creates|allows|enables|disables|contains|represents|holds|"
    r"stores|takes|accepts|raises|handles|reads|writes|loads|makes|adds|removes|generates|implements|supports|runs|starts|stops|"
    r"shows|displays|configures|registers|converts|parses|wraps|sends|opens|closes|checks|ensures|gives|renders|manages|requires|"
    r"uses|includes|keeps|treats|tells|blocks|waits|expects|works|protects|means|needs|receives|remains)\b"
)
_LEAST = 4
_SHORTEST, _LONGEST = 8, 32


def is_technical(documents: Sequence[Document]) -> bool:
    """Whether the texts of a folder document programs."""
    size = sum(len(each.text) for each in documents)
    return sum(len(_PROGRAM.findall(each.text)) for each in documents) * _DENSE > size


def names_left_out(sentence: str, start: int) -> Iterator[Fact]:
    """Yield a cloze question for the only name of a program in a plain sentence."""
    found = list(_GAPPED.finditer(sentence))
    size = len(sentence.split())
    if (
        len(found) != 1
        or not sentence.endswith(".")
        or sentence.endswith("..")
        or not _SHORTEST <= size <= _LONGEST
    ):
        return
    name = found[0]["name"]
    left = f"{sentence[: found[0].start('name')]}{GAP}{sentence[found[0].end('name') :]}".rstrip(" .")
    bare = left.replace(GAP, "X")
    last = re.split(r"[._]", name.strip("-()"))[-1].lower()
    if (
        not is_name(name)
        or (not sentence[0].isupper() and not sentence.startswith(name))
        or _QUOTABLE.search(bare)
        or last in bare.lower()
        or len(content_words(bare)) < _LEAST
        or name in _WELL_KNOWN
        or _FRAGMENT.search(left)
        or not stands_alone(bare)
        or not _FINITE.search(_RELATIVE.sub(" ", bare))
    ):
        return
    asked = Asked(f"Which name completes the statement “{left}”?", "text", name.removesuffix("()"), left=left)
    yield Fact(asked, start, start + len(sentence), "gap", name.removesuffix("()"))
