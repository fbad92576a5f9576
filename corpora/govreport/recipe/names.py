"""Which agency did something: plain statements whose subject, or agent, is surely an agency."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from ragquestions.grammar import (
    base_of_past,
    base_of_present,
    by_author,
    clean,
    is_participle,
    is_rest,
    is_subject,
    joined,
    statement,
)

from .lines import MOST_PLACES, Found, Line, overlap, spells, stems, things

_HEAD = re.compile(
    r"^(?:Bureau|Office|Institute|Board|Commission) |"
    r"\b(?:Agency|Administration|Office|Commission|Bureau|Service|Board|Corporation|Institute)$"
)  # what is surely an agency; an authority or a center may be of anybody
_DEPARTMENT = re.compile(
    r"\b(?P<name>Department of (?:the )?[A-Z]\w+(?: (?:and )?[A-Z]\w+)*)[’']?s? \((?P<short>[A-Z][A-Za-z]{1,5})\)"
)
_VAGUE = frozenset(
    re.findall(
        r"\w+",
        """be become face find have include involve lead make meet need receive remain require run say see take
        use consist contain comprise plan project report rule""",
    )
)  # what many do at once, who else, no report says; and what may be a noun: "SEC rules for"
_COMMON = frozenset(("agency", "depart", "office", "nation", "admini", "bureau", "servic", "commis"))
"""Stems that the names of many agencies have."""
_UNFIT = re.compile(r"\b(?:with|jointly|together|alongside|its|their|other|various|some|\w+ing that)\b")
"""Two who do something together, what belongs to the one who is asked for, and what is told in part only."""
_TELLING = 5  # words that make it certain which act is meant
_SAME, _LIKE, _KNOWN = 0.9, 0.75, 0.3  # shares of words: says the same, may say it, lets one guess
_CLOSE = 4  # sentences before and behind among which another agency tempts
_MOST, _MOST_OF_ONE = 4, 2  # statements about agencies, and about one of them, that a report is asked for


class _Agency(NamedTuple):
    name: str
    short: str

    @property
    def sort(self) -> str:
        """What a question calls it where the report knows several such."""
        return next((each for each in ("department", "office") if each in self.name.casefold()), "agency")

    @property
    def pattern(self) -> str:
        return rf"\b(?:{re.escape(self.name)}|{re.escape(self.short)})\b"


def named(own: list[Line], official: list[Line], body: str, title: str, author: str) -> Iterator[Found]:
    """Yield what an agency did, asked for that agency, if nothing else in the report could be the answer."""
    known = _agencies(body, author)
    if len(known) < 2:
        return
    given: Counter[str] = Counter()
    told = 0
    for place, line in enumerate(own):
        if "|" in line.text or told == _MOST:
            continue
        for agency, asked in _asked(line.text, known, author):
            found = _checked(asked, agency, place, own, official, known, title)
            if found and given[agency.short] < _MOST_OF_ONE:
                given[agency.short] += 1
                told += 1
                yield found


def _agencies(body: str, author: str) -> list[_Agency]:
    found = {
        each.short: _Agency(each.name, each.short)
        for each in things(body)
        if each.sort == "agency" and each.short and _HEAD.search(each.name)
    }
    for each in _DEPARTMENT.finditer(body):
        found.setdefault(each["short"], _Agency(each["name"], each["short"]))
    return [each for short, each in sorted(found.items()) if short != author]


def _asked(text: str, known: list[_Agency], author: str) -> Iterator[tuple[_Agency, str]]:
    """Yield the questions for the agency that a sentence answers."""
    plain = clean(text)
    said = statement(by_author(plain, author) if author else plain)
    if said is None:
        return
    for agency in known:
        if agency.name not in said.text and agency.short not in said.text:
            continue
        whose = rf"(?:(?:[Tt]he )?(?:U\.S\. )?{agency.pattern})"
        doing = re.fullmatch(rf"{whose} (?P<has>has )?(?P<verb>[a-z]+) (?P<rest>.+)", said.text)
        duty = re.fullmatch(
            rf"{whose} (?P<rest>is (?:responsible for|required to|authorized to) .+)", said.text
        )
        done = re.fullmatch(
            rf"(?P<what>.+?) (?P<be>was|were|is|are) (?P<verb>[a-z]+) by {whose}(?P<rest>(?: .+)?)", said.text
        )
        several = sum(each.sort == agency.sort for each in known) > 1
        which = f"Which {agency.sort if several else 'agency'}"
        question = ""
        if doing and _is_verb(doing["verb"], helped=bool(doing["has"])) and is_rest(f" {doing['rest']}"):
            question = f"{which} {doing['has'] or ''}{doing['verb']} {doing['rest']}"
        elif duty and is_rest(f" {duty['rest'].partition(' ')[2]}"):
            question = f"{which} {duty['rest']}"
        elif done and is_participle(done["verb"]) and is_subject(done["what"]) and is_rest(done["rest"]):
            what = done["what"]
            what = what[0].lower() + what[1:] if what.startswith(("The ", "A ", "An ")) else what
            question = f"By {which.lower()} {done['be']} {what} {done['verb']}{done['rest']}"
        asked = joined(question, said)
        if asked and not _UNFIT.search(asked) and not re.search(agency.pattern, asked):
            yield agency, asked


def _is_verb(word: str, *, helped: bool) -> bool:
    """Whether a word surely tells what one did, does or, helped by "has", has done."""
    if base_of_past(word) in _VAGUE or base_of_present(word) in _VAGUE:
        return False
    return is_participle(word) if helped else bool(base_of_past(word) or base_of_present(word))


def _checked(
    asked: str,
    agency: _Agency,
    place: int,
    own: list[Line],
    official: list[Line],
    known: list[_Agency],
    title: str,
) -> Found | None:
    """Finding, or None where its wording or another sentence leaves a doubt."""
    wanted = stems(asked) - {"agency", "depart", "office"}
    telling = stems(agency.name) - _COMMON
    if len(wanted) < _TELLING or telling & wanted or telling <= stems(title) or agency.short in title:
        return None
    places, alone = [(own[place].start, own[place].end)], True
    for other in own:
        if other is own[place]:
            continue
        share = overlap(wanted, other)
        same = re.search(agency.pattern, other.text)
        if share >= _SAME and same and "|" not in other.text:
            places.append((other.start, other.end))
        elif share >= _LIKE:
            return None
        alone = alone and not (same and share >= _KNOWN)
    if len(places) > MOST_PLACES:
        return None
    also = any(overlap(wanted, each) >= _SAME and re.search(agency.pattern, each.text) for each in official)
    return Found(
        asked, "text", agency.name, "", "", tuple(places), tuple(_tempting(asked, agency, place, own, known)), also, alone,
        "agency", (agency.short,),
    )  # fmt: skip


def _tempting(
    asked: str, agency: _Agency, place: int, own: list[Line], known: list[_Agency]
) -> Iterator[tuple[str, int, int]]:
    """Yield other agencies that sentences close by name, the closest first."""
    others = [
        each
        for each in known
        if each != agency and each.sort == agency.sort and not re.search(each.pattern, asked)
    ]
    around = sorted(
        range(max(0, place - _CLOSE), min(len(own), place + _CLOSE + 1)), key=lambda at: abs(at - place)
    )
    for at in around:
        for each in others:
            if re.search(each.pattern, own[at].text) and own[at].text.endswith("."):
                value = each.short if re.search(rf"\b{re.escape(each.short)}\b", own[at].text) else each.name
                yield value, own[at].start, own[at].end
                return


_OFFICE = r"(?P<office>(?:(?:Acting|Deputy|Assistant|Under) )?(?:Secretary|Administrator|Director|Commissioner|Chairman|Chair|Chief))"
_WHO = rf"(?P<who>{_OFFICE}(?: for [A-Z]\w+)? of (?:the )?(?P<of>[A-Z][\w’-]*(?: (?:(?:and|of|the) )*[A-Z][\w’-]*)*))"
_ASIDE = r"(?:,? (?:in (?:coordination|consultation|collaboration) with|working with) [^,]+,)?"
_SHOULD = re.compile(rf"^(?:Recommendation \d+:? )?The {_WHO} should{_ASIDE} (?P<what>[a-z]+ .+)\.$")
_THAT = re.compile(
    rf"\b(?:[Ww]e|GAO) (?:recommend|recommends|is recommending|are recommending) that the {_WHO}{_ASIDE} (?P<what>[a-z]+ .+)\.$"
)
_ADDRESSED = re.compile(rf"\brecommendation to the {_WHO} to (?P<what>[a-z]+ [^,]+)[.,]")
_NOT_ADDRESSED = re.compile(
    r"\b(?:our|we|us|its|their|his|her|it|they|this|these|that agency|such|following|above|below|and its)\b|[—:;()“”]|\bas well as\b"
)  # words that only the recommendation's neighbours, or its addressee, make plain
_FEWEST, _LONGEST = 8, 34  # words of what should be done
_SAME_ADVICE, _LIKE_ADVICE = 0.85, 0.75  # shares of words: recommends the same, or may
_MOST_OFFICIALS = 2  # recommendations of a report that are asked about
_NAME = r"(?P<name>(?!The )[A-Z][\w’'-]+(?: (?:(?:of|the|and|for|in|on) )*[A-Z][\w’'-]+)+)"


class _Advice(NamedTuple):
    who: str
    office: str
    of: str
    what: str


def addressed(own: list[Line], official: list[Line], author: str, title: str) -> Iterator[Found]:
    """Yield the recommendations of an auditor, each asked for the official to whom it is directed."""
    advised = [(place, each) for place, line in enumerate(own) if (each := _advice(line.text))]
    checked = (_checked_official(advice, place, own, official, author, title) for place, advice in advised)
    yield from islice(filter(None, checked), _MOST_OFFICIALS)


def _advice(text: str) -> _Advice | None:
    plain = " ".join(text.split())
    found = _SHOULD.search(plain) or _THAT.search(plain) or _ADDRESSED.search(plain)
    return _Advice(found["who"], found["office"], found["of"], found["what"]) if found else None


def _checked_official(
    advice: _Advice, place: int, own: list[Line], official: list[Line], author: str, title: str
) -> Found | None:
    if (
        not author
        or not _FEWEST <= len(advice.what.split()) <= _LONGEST
        or _NOT_ADDRESSED.search(advice.what)
    ):
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
        if at == place or (share >= _SAME_ADVICE and named):
            places.append((other.start, other.end))
        elif share >= _LIKE_ADVICE:
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
        overlap(wanted, each) >= _SAME_ADVICE and advice.who in " ".join(each.text.split())
        for each in official
    )
    return Found(
        asked, "text", advice.who, "", "", tuple(places), tuple(near.values())[:1], also, alone,
        "official", _accepted(advice, bodies),
    )  # fmt: skip


def _bodies(advice: _Advice, body: str) -> tuple[str, ...]:
    """Names of what the official heads, as the report writes them out."""
    if advice.of.isupper():
        written = re.finditer(rf"{_NAME}\W{{1,3}}\({re.escape(advice.of)}\)", body)
        names = dict.fromkeys(found["name"] for found in written)
        return (advice.of, *(name for name in names if spells(name, advice.of)))
    short = re.findall(rf"{re.escape(advice.of)}(?:[’']s)?\W{{1,3}}\(([A-Z]+)\)", body)
    whole = f"Department of {advice.of}" if advice.office.endswith("Secretary") else advice.of
    return tuple(dict.fromkeys((whole, *short)))


def _accepted(advice: _Advice, bodies: tuple[str, ...]) -> tuple[str, ...]:
    """Other ways to say who is addressed: "to the Secretary" and "to the department" are one."""
    headed = dict.fromkeys((advice.of, *bodies))
    named = [form for name in headed for form in (f"{advice.office} of {name}", f"{name} {advice.office}")]
    return tuple(form for form in dict.fromkeys((*named, *bodies)) if form != advice.who)
