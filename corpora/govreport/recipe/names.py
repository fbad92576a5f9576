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
_DUTY = "is (?:responsible for|required to|authorized to)"
_DONE = "(?P<what>.+?) (?P<be>was|were|is|are) (?P<verb>[a-z]+)"
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
    counts: Counter[str] = Counter()
    for line in own:
        if "|" in line.text or counts.total() == _MOST:
            continue
        for agency, ask in _asked(line.text, known, author):
            finding = _checked(ask, agency, line, own, official, known, title)
            if finding and counts[agency.short] < _MOST_OF_ONE:
                counts[agency.short] += 1
                yield finding


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
    if (said := statement(by_author(plain, author) if author else plain)) is None:
        return
    for agency in known:
        if agency.name not in said.text and agency.short not in said.text:
            continue
        whose = rf"(?:(?:[Tt]he )?(?:U\.S\. )?{agency.pattern})"
        doing = re.fullmatch(rf"{whose} (?P<has>has )?(?P<verb>[a-z]+) (?P<rest>.+)", said.text)
        duty = re.fullmatch(rf"{whose} (?P<rest>{_DUTY} .+)", said.text)
        done = re.fullmatch(rf"{_DONE} by {whose}(?P<rest>(?: .+)?)", said.text)
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
    ask: str,
    agency: _Agency,
    line: Line,
    own: list[Line],
    official: list[Line],
    known: list[_Agency],
    title: str,
) -> Found | None:
    """Finding, or None where its wording or another sentence leaves a doubt."""
    wanted = stems(ask) - {"agency", "depart", "office"}
    telling = stems(agency.name) - _COMMON
    if len(wanted) < _TELLING or telling & wanted or telling <= stems(title) or agency.short in title:
        return None
    naming = {each for each in own if re.search(agency.pattern, each.text)}
    stating = _stating(line, wanted, own, {each for each in naming if "|" not in each.text}, _SAME, _LIKE)
    if stating is None:
        return None
    places, others = stating
    alone = len(places) == 1 and not any(overlap(wanted, each) >= _KNOWN for each in naming & {*others})
    also = any(overlap(wanted, each) >= _SAME and re.search(agency.pattern, each.text) for each in official)
    near = tuple(_tempting(ask, agency, own.index(line), own, known))
    return Found(ask, "text", agency.name, "", "", places, near, also, alone, "agency", (agency.short,))


def _stating(
    line: Line, wanted: frozenset[str], own: list[Line], naming: set[Line], same: float, like: float
) -> tuple[tuple[tuple[int, int], ...], list[Line]] | None:
    """Places that say what a sentence says, its own first, and all other sentences; None where one may say it."""
    stating, others = [line], []
    for other in own:
        share = overlap(wanted, other)
        if other is line:
            continue
        if share >= same and other in naming:
            stating.append(other)
        elif share >= like:
            return None
        else:
            others.append(other)
    places = tuple((each.start, each.end) for each in stating)
    return (places, others) if len(places) <= MOST_PLACES else None


def _tempting(
    ask: str, agency: _Agency, place: int, own: list[Line], known: list[_Agency]
) -> Iterator[tuple[str, int, int]]:
    """Yield another agency that a sentence close by names, the closest one."""
    alike = [each for each in known if each != agency and each.sort == agency.sort]
    others = [each for each in alike if not re.search(each.pattern, ask)]
    around = range(max(0, place - _CLOSE), min(len(own), place + _CLOSE + 1))
    for line in (own[at] for at in sorted(around, key=lambda at: abs(at - place))):
        for each in others:
            if re.search(each.pattern, line.text) and line.text.endswith("."):
                value = each.short if re.search(rf"\b{re.escape(each.short)}\b", line.text) else each.name
                yield value, line.start, line.end
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
    advised = [(advice, line) for line in own if (advice := _advice(line.text))]
    checked = (_checked_official(advice, line, own, official, author, title) for advice, line in advised)
    yield from islice(filter(None, checked), _MOST_OFFICIALS)


def _advice(text: str) -> _Advice | None:
    plain = " ".join(text.split())
    found = _SHOULD.search(plain) or _THAT.search(plain) or _ADDRESSED.search(plain)
    return _Advice(found["who"], found["office"], found["of"], found["what"]) if found else None


def _checked_official(
    advice: _Advice, line: Line, own: list[Line], official: list[Line], author: str, title: str
) -> Found | None:
    brief = _FEWEST <= len(advice.what.split()) <= _LONGEST
    if not author or not brief or _NOT_ADDRESSED.search(advice.what):
        return None
    bodies = _bodies(advice, " ".join(line.text for line in own))
    heads = (advice.of, *bodies)
    if any(word in f"{title} {advice.what}" for head in heads for word in re.findall(r"[A-Z][\w’-]+", head)):
        return None
    wanted = stems(advice.what)
    naming = {each for each in (*own, *official) if advice.who in " ".join(each.text.split())}
    stating = _stating(line, wanted, own, naming, _SAME_ADVICE, _LIKE_ADVICE)
    if stating is None:
        return None
    places, others = stating
    ask = f"To whom does {author} direct the recommendation to {advice.what}?"
    also = any(overlap(wanted, each) >= _SAME_ADVICE for each in naming.intersection(official))
    rivals = ((rival, each) for each in own if (rival := _advice(each.text)) and rival.of not in heads)
    near = tuple((rival.who, each.start, each.end) for rival, each in rivals)[:1]
    alone, accepted = naming.isdisjoint(others), _accepted(advice, bodies)
    return Found(ask, "text", advice.who, "", "", places, near, also, alone, "official", accepted)


def _bodies(advice: _Advice, body: str) -> tuple[str, ...]:
    """Names of what the official heads, as the report writes them out."""
    if advice.of.isupper():
        names = re.findall(rf"{_NAME}\W{{1,3}}\({re.escape(advice.of)}\)", body)
        return (advice.of, *(name for name in dict.fromkeys(names) if spells(name, advice.of)))
    short = re.findall(rf"{re.escape(advice.of)}(?:[’']s)?\W{{1,3}}\(([A-Z]+)\)", body)
    whole = f"Department of {advice.of}" if advice.office.endswith("Secretary") else advice.of
    return tuple(dict.fromkeys((whole, *short)))


def _accepted(advice: _Advice, bodies: tuple[str, ...]) -> tuple[str, ...]:
    """Other ways to say who is addressed: "to the Secretary" and "to the department" are one."""
    headed = dict.fromkeys((advice.of, *bodies))
    named = [form for name in headed for form in (f"{advice.office} of {name}", f"{name} {advice.office}")]
    return tuple(form for form in dict.fromkeys((*named, *bodies)) if form != advice.who)
