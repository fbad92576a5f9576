"""Digits that are no amount: citation marks, section references, list enumerators, identifiers."""

from __future__ import annotations

import re

_CITATION = re.compile(r"\^?[\w.:/-]*[\d#][\w.:/#-]*(?:\s*[,;]\s*[\w.:/#-]+)*\s*")
_REFERENCE_WORDS = frozenset(
    [
        "section",
        "sections",
        "sec",
        "secs",
        "article",
        "articles",
        "art",
        "arts",
        "clause",
        "clauses",
        "item",
        "items",
        "exhibit",
        "exhibits",
        "page",
        "pages",
        "p",
        "pp",
        "paragraph",
        "paragraphs",
        "para",
        "paras",
        "schedule",
        "schedules",
        "annex",
        "annexes",
        "appendix",
        "appendices",
        "attachment",
        "chapter",
        "chapters",
        "part",
        "note",
        "notes",
        "footnote",
        "table",
        "figure",
        "fig",
        "rule",
        "passage",
        "passages",
        "source",
        "sources",
        "document",
        "documents",
        "doc",
        "line",
        "no",
        "nos",
        "number",
        "nr",
        "step",
        "form",
        "publication",
        "title",
        "question",
        "version",
        "subsection",
        "subclause",
        "recital",
        "option",
        "point",
        "bullet",
        "sección",
        "artículo",
        "artículos",
        "cláusula",
        "cláusulas",
        "página",
        "páginas",
        "apartado",
        "anexo",
        "párrafo",
        "pasaje",
        "abschnitt",
        "artikel",
        "ziffer",
        "ziffern",
        "klausel",
        "absatz",
        "abs",
        "seite",
        "seiten",
        "anhang",
        "anlage",
        "paragraf",
        "passage",
        "annexe",
        "paragraphe",
        "alinéa",
        "chapitre",
    ]
)
_PLURAL_SINGLE = frozenset({"art", "sec", "abs"})
_LAST_WORD = re.compile(r"([^\W\d_]+)[.:]?\s*[#(]?\s*$")
_CONNECTOR = re.compile(
    r"(?:\([\w]{1,4}\))*\s*(?:,|;|and|or|to|through|&|-|–|y|und|et|,\s*(?:and|or))\s*(?:§+\s*)?$"
)
_ENUMERATOR = re.compile(r"(?:^|\n)[\s>#*_-]*\(?$")
_NEIGHBOURHOOD = 64


def in_citation(text: str, start: int, end: int) -> bool:
    """Whether ``text[start:end]`` lies in a mark such as [c1#3], [12], 【p4】 or (c1#3)."""
    for left, right in ("[]", "【】", "()"):
        opening = text.rfind(left, max(0, start - _NEIGHBOURHOOD), start)
        if opening < 0 or text.find(right, opening, start) >= 0:
            continue
        closing = text.find(right, end, end + _NEIGHBOURHOOD)
        if closing < 0:
            continue
        inside = text[opening + 1 : closing]
        if left == "【" or (_CITATION.fullmatch(inside) and (left == "[" or "#" in inside)):
            return True
    return False


def is_reference(text: str, start: int, previous: int) -> bool:
    """Whether the numeral at ``start`` names a place ("Section 4.2", "Articles 5 and 6").

    ``previous``: where the reference just before ends, or -1; it carries a list on.
    """
    before = text[max(0, start - 24) : start]
    if before.rstrip().endswith("§"):
        return True
    match = _LAST_WORD.search(before)
    if match is not None and match[1].casefold() in _REFERENCE_WORDS:
        return True
    return (
        0 <= previous < start
        and start - previous < 12
        and _CONNECTOR.fullmatch(text[previous:start]) is not None
    )


def is_enumerator(text: str, start: int, end: int) -> bool:
    """Whether the numeral begins a list item: "1. ", "2) " or "(3) " at the start of a line."""
    if end - start > 2 or text[end : end + 1] not in {".", ")"} or not text[end + 1 : end + 2].isspace():
        return False
    return _ENUMERATOR.search(text, max(0, start - 12), start) is not None and bool(text[end + 1 :].strip())
