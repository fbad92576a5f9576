"""Whom an audit's recommendation addresses: the official, asked for by what he or she should do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from .lines import MOST_PLACES, Found, overlap, stems
from .things import spells

if TYPE_CHECKING:
    from .lines import Line

_OFFICE = r"(?P<office>(?:(?:Acting|Deputy|Assistant|Under) )?(?:Secretary|Administrator|Director|Commissioner|Chairman|Chair|Chief))"
_WHO = rf"(?P<who>{_OFFICE}(?: for [A-Z]\w+)? of (?:the )?(?P<of>[A-Z][\w’-]*(?: (?:(?:and|of|the) )*[A-Z][\w’-]*)*))"
_ASIDE = r"(?:,? (?:in (?:coordination|consultation|collaboration) with|working with) [^,]+,)?"
_SHOULD = re.compile(rf"^(?:Recommendation \d+:? )?The {_WHO} should{_ASIDE} (?P<what>[a-z]+ .+)\.$")
_THAT = re.compile(
    rf"\b(?:[Ww]e|GAO) (?:recommend|recommends|is recommending|are recommending) that the {_WHO}{_ASIDE} (?P<what>[a-z]+ .+)\.$"
)
_ADDRESSED = re.compile(rf"\brecommendation to the {_WHO} to (?P<what>[a-z]+ [^,]+)[.,]")
_ELSEWHERE = re.compile(
    r"\b(?:our|we|us|its|their|his|her|it|they|this|these|that agency|such|following|above|below|and its)\b|[—:;()“”]|\bas well as\b"
)
"""Words that only the recommendation's neighbours, or its addressee, make plain."""
_FEWEST, _LONGEST = 8, 34
"""Words of what should be done."""
_SAME, _LIKE = 0.85, 0.75
"""Share of a question's words from which a sentence recommends the same, or may."""
_MOST = 2
"""Recommendations of a report that are asked about."""


_NAME = r"(?P<name>(?!The )[A-Z][\w’'-]+(?: (?:(?:of|the|and|for|in|on) )*[A-Z][\w’'-]+)+)"


class _Advice(NamedTuple):
    who: str
    office: str
    of: str
    what: str


def addressed(own: list[Line], official: list[Line], author: str, title: str) -> Iterator[Found]:
    """Yield the recommendations of an auditor, each asked for the official to whom it is directed."""
    advised = [(place, each) for place, line in enumerate(own) if (each := _advice(line.text))]
    given = 0
    for place, advice in advised:
        found = _checked(advice, place, own, official, author, title)
        if found and given < _MOST:
            given += 1
            yield found


def _advice(text: str) -> _Advice | None:
    plain = " ".join(text.split())
    found = _SHOULD.search(plain) or _THAT.search(plain) or _ADDRESSED.search(plain)
    return _Advice(found["who"], found["office"], found["of"], found["what"]) if found else None


def _checked(
    advice: _Advice, place: int, own: list[Line], official: list[Line], author: str, title: str
) -> Found | None:
    if not author or not _FEWEST <= len(advice.what.split()) <= _LONGEST or _ELSEWHERE.search(advice.what):
        return None
    body = " ".join(line.text for line in own)
    bodies = _bodies(advice, body)
    told = (advice.of, *bodies)
    if any(word in f"{title} {advice.what}" for each in told for word in re.findall(r"[A-Z][\w’-]+", each)):
        return None
    asked = f"To whom does {author} direct the recommendation to {advice.what}?"
    wanted = stems(advice.what)
    places, alone = [], True
    for at, other in enumerate(own):
        share = overlap(wanted, other)
        named = advice.who in " ".join(other.text.split())
        if at == place or (share >= _SAME and named):
            places.append((other.start, other.end))
        elif share >= _LIKE:
            return None
        else:
            alone = alone and not named
    if len(places) > MOST_PLACES:
        return None
    near: dict[str, tuple[str, int, int]] = {}
    for line in own:
        other_advice = _advice(line.text)
        if other_advice and other_advice.of not in (advice.of, *bodies):
            near.setdefault(other_advice.who, (other_advice.who, line.start, line.end))
    also = any(
        overlap(wanted, each) >= _SAME and advice.who in " ".join(each.text.split()) for each in official
    )
    return Found(
        asked, "text", advice.who, "", "", tuple(places), tuple(near.values())[:1], also, alone,
        "official", _accepted(advice, bodies),
    )  # fmt: skip


def _bodies(advice: _Advice, body: str) -> tuple[str, ...]:
    """Return the names of what the official heads, as the report writes them out."""
    if advice.of.isupper():
        written = re.finditer(rf"{_NAME}\W{{1,3}}\({re.escape(advice.of)}\)", body)
        names = dict.fromkeys(found["name"] for found in written)
        return (advice.of, *(name for name in names if spells(name, advice.of)))
    short = re.findall(rf"{re.escape(advice.of)}(?:[’']s)?\W{{1,3}}\(([A-Z]+)\)", body)
    whole = f"Department of {advice.of}" if advice.office.endswith("Secretary") else advice.of
    return tuple(dict.fromkeys((whole, *short)))


def _accepted(advice: _Advice, bodies: tuple[str, ...]) -> tuple[str, ...]:
    """Return the other ways to say who is addressed: "to the Secretary" and "to the department" are one."""
    headed = dict.fromkeys((advice.of, *bodies))
    named = [form for name in headed for form in (f"{advice.office} of {name}", f"{name} {advice.office}")]
    return tuple(form for form in dict.fromkeys((*named, *bodies)) if form != advice.who)
