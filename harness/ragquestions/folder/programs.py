"""Names of programs: settings below a heading, sentences about a name, and those that lack only the name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import takewhile

from ragharness.language.dates import find_dates, iso
from ragharness.questions.questionset import GAP
from ragharness.records import Document
from ragquestions.folder.facts import (
    NAME,
    VERSION,
    Fact,
    Line,
    content_words,
    is_name,
    lines_of,
    stands_alone,
)
from ragquestions.grammar import Asked
from ragquestions.wording import precision

_DEFAULT = re.compile(
    r"(?:Default(?: value)?s?(?: to)?|The default(?: value)? is):?\s+(?P<value>\S.{0,60}?)\.?"
)
_ADDED = re.compile(rf"(?:Added|New) in (?:version )?v?(?P<version>{VERSION})\.?(?P<rest>:.*)?")
_DATED = re.compile(r"(?:Added|New|Changed|Deprecated) (?:in|since)\b")
_VALUE = re.compile(r"[\"'“‘]?(?P<bare>[\w./:%+-](?:[\w ./:%+()=,-]*[\w)%])?)[\"'”’]?")
_TITLE = re.compile(r"[A-Z][a-z]+(?: [A-Za-z][a-z]+)+")  # the heading that follows an open default
_NO_VALUE = re.compile(r"none|null|n/a|empty|unset|not set|undefined|no default|the|a", re.IGNORECASE)
_HEADING = re.compile(r"[A-Z][\w,'’()/-]*(?: [\w,'’()/-]+){0,8}")
_SOON = 5
_LOOKED_AT = 8  # lines below a name that belong to it, unless another name comes first
_FAR = 900  # characters from a name to what is said of it, so that one passage may hold both


def settings(text: str) -> Iterator[Fact]:
    """Yield what is stated below the headings of names."""
    every = list(lines_of(text))
    for place, line in enumerate(every):
        if line.name:
            yield from _of_name(line, every[place + 1 : place + 1 + _LOOKED_AT])


def _is_of(below: Line, line: Line) -> bool:
    """Whether a line belongs to the name above it, and is no heading of something else."""
    told = _DEFAULT.match(below.text) or _DATED.match(below.text)
    near = not below.name and below.end - line.start <= _FAR
    return near and bool(told or not _HEADING.fullmatch(below.text))


def _of_name(line: Line, near: Sequence[Line]) -> Iterator[Fact]:
    below = list(takewhile(lambda each: _is_of(each, line), near))
    name, told = line.name, line.name + "()" * line.calls
    defaults = [(each, found) for each in below if (found := _DEFAULT.fullmatch(each.text))]
    if len(defaults) == 1 and not line.calls and (value := _value(defaults[0][1]["value"])):
        asked = Asked(f"What is the default of {name}?", "text", value)
        yield Fact(asked, line.start, defaults[0][0].end, "default", name, (name.lower(), "default"))
    added = [(each, found) for each in below if (found := _ADDED.fullmatch(each.text))]
    plain = [(each, found) for each, found in added if not found["rest"]]
    if len(added) == 1 and plain and plain[0][0] in below[:_SOON]:
        asked = Asked(f"In which version was {told} added?", "text", plain[0][1]["version"])
        yield Fact(asked, line.start, plain[0][0].end, "version", name, (name.lower(), "version"))


def _value(words: str) -> str:
    """Value as an answer gives it; empty for one that no rule can compare."""
    found = _VALUE.fullmatch(words.strip().rstrip(".,"))
    bare = found["bare"] if found else ""
    running = re.search(r"\b(?:the|of|it|that|this|value|same|your|see|is|are|if)\b", bare)
    vague = _NO_VALUE.fullmatch(bare) or _TITLE.fullmatch(bare) or running
    return bare if not vague and len(bare.split()) <= _LONGEST_VALUE and re.search(r"\w", bare) else ""


_LONGEST_VALUE = 3


_NOUNS = (
    "option|setting|parameter|argument|attribute|property|method|function|class|command|module|package|flag|variable|"
    "environment variable|decorator|exception|header|middleware|field|key|object|library|signal|hook|extension|filter|"
    "context manager|config key|configuration value|type|interface|subcommand|plugin|directive|handler|backend|fixture|keyword|test|tag"
)
_VERBS = (
    "is used to|is used for|is raised when|is called when|is sent when|returns|specifies|controls|sets|determines|"
    "defines|provides|creates|allows|enables|disables|contains|represents|holds|stores|takes|accepts|raises|handles|reads|"
    "writes|loads|makes|adds|removes|generates|implements|supports|runs|starts|stops|shows|prints|displays|tells|indicates|"
    "configures|registers|converts|parses|wraps|sends|opens|closes|checks|ensures|gives|turns|maps|renders|manages|lets|requires"
)
_SUBJECT = re.compile(
    rf"(?:The\s+)?(?P<name>{NAME})(?:\s+(?P<noun>{_NOUNS}))?\s+(?P<does>(?:{_VERBS})\s[^\n]{{12,170}}?)\.?"
)
_AT_LEAST = re.compile(
    r"(?:The\s+)?(?P<who>[A-Z][\w.-]*\w)\s+(?:officially\s+|currently\s+)?(?P<verb>requires|supports|needs)\s+(?P<what>[A-Z][\w.-]*[a-z])\s+"
    r"(?:version\s+)?(?:>=\s*)?(?P<version>\d+\.\d+(?:\.\d+)?)(?:\s*\+|\s+(?:and|or)\s+(?:newer|later|higher|above|up))"
)

_SHORTEST_ABOUT = 3


def asked_of(sentence: str, start: int) -> Iterator[Fact]:
    """Yield the facts of one sentence."""
    yield from _subject(sentence, start)
    yield from _requirement(sentence, start)


def _subject(sentence: str, start: int) -> Iterator[Fact]:
    found = _SUBJECT.fullmatch(sentence)
    if not found or not is_name(found["name"]):
        return
    name, does = found["name"].removesuffix("()"), found["does"]
    # Of "what" there may be many.
    noun = found["noun"] or ("option" if name.startswith("--") else "")
    noun = noun or ("function or method" if found["name"].endswith("()") else "")
    if noun and name.rsplit(".", 1)[-1].lower() not in does.lower() and _says_enough(does):
        yield Fact(
            Asked(f"Which {noun} {does}?", "text", name), start, start + len(sentence), "subject", name
        )


def _requirement(sentence: str, start: int) -> Iterator[Fact]:
    if found := _AT_LEAST.match(sentence):
        what, who, version = found["what"], found["who"], found["version"]
        question = f"What is the minimum version of {what} that {who} {found['verb']}?"
        marks = (what.lower(), version)
        yield Fact(Asked(question, "text", version), start, start + len(sentence), "requirement", who, marks)


_LONGEST_ABOUT = 40


def _says_enough(words: str) -> bool:
    return (
        stands_alone(words)
        and len(content_words(words)) >= _SHORTEST_ABOUT
        and len(words.split()) <= _LONGEST_ABOUT
    )


_PROGRAM = re.compile(r"--[a-z]\w+|\w+_\w+|\w\(\)|[a-z]\w+\.[a-z]\w+")
_DENSE = 800  # characters of technical texts for one name of a program, or fewer
_GAPPED = re.compile(rf"(?<![\w.'’\"/-])(?P<name>{NAME})(?![\w.(\[=/-]|\.\w)")
_QUOTABLE = re.compile(r"[“”\"\[\]{}|<>\\#*_~`:;]|--\s|https?|\?|=|\(\s*\)")
_WELL_KNOWN = frozenset(
    {"GitHub", "GitLab", "JavaScript", "TypeScript", "PyPI", "YouTube", "LinkedIn", "PyCon", "MacOS"}
)
_FRAGMENT = re.compile(
    rf"\s[-–]\s|^\w+, {GAP}|^{GAP} \w+ (?:to|that|which)\b|^(?:Added?|Fix|Fixed|Remove|Support|Please)\b"
    rf"|^{GAP} (?:FILE|that|which|when|whenever|if|for|to)\b|[’']{GAP}|{GAP}['’]|^\w+ing\b|^(?:Most|Some|All|Many|Another|Similar|Rather|Say|Any|Call|If None|Components|In other words|At that point|Note that|For \w+ing)\b"
    rf"|^{GAP} (?:is|are) an?\b|{GAP} ref\b|{GAP} [A-Z]|\b\d{{3,4}} (?:that|which)\b|/ \d"
)  # what is no whole statement: an entry of a list, a remark, half a sentence
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
    whole = re.search(r"(?<!\.)\.$", sentence) and _SHORTEST <= len(sentence.split()) <= _LONGEST
    if len(found) != 1 or not whole:
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


_RELEASE_HEADING = re.compile(
    rf"(?:[A-Z][\w-]+ )?(?:Version |v|Release )?\[?(?P<version>{VERSION})\]?(?:\s*[-–—(,:]+\s*|\s+)?(?P<date>[^()]{{6,30}}?)?\)?"
)
_RELEASED = re.compile(r"(?:Released?|Release date|Date)(?: on)?:?\s+(?P<date>[^.]{6,30})\.?")
_PASTS = {
    "add": "added", "allow": "allowed", "fix": "fixed", "remove": "removed", "drop": "dropped", "deprecate": "deprecated",
    "rename": "renamed", "improve": "improved", "introduce": "introduced", "replace": "replaced", "restore": "restored",
    "make": "made", "correct": "corrected", "expose": "exposed", "implement": "implemented", "enable": "enabled",
    "disable": "disabled", "extend": "extended", "document": "documented", "simplify": "simplified",
}  # fmt: skip
_OBJECT = re.compile(
    rf"(?:(?:an?|the|all|some|several|support|two|three|many|most|both)\s|[a-z]+(?<![sui])s\s(?:in|on|for|to|from|with|of|that|and|or|which|when|by|as|where|using)\b|{NAME}(?=$|\s(?:in|on|for|to|from|with|of|and|as|by|when)\b))"
)  # what a plain object begins with: notes in the style of telegrams leave the article out
_GERUNDS = frozenset(_PASTS.values())
_ITEM = re.compile(r"(?P<verb>[A-Z][a-z]+)\s(?P<rest>[^.]*(?:\.\w[^.]*)*?)(?:\.(?:\s.*)?)?")
_REFERENCE = re.compile(
    r"\s*(?:[({\[]\s*)?(?:(?:PR|GH|issue|pull)[ -]?)?#?\d{2,6}(?:,\s*#?\d{2,6})*\s*[)}\]]?(?=\s*\.?$)|\s*\([^()]*#\d+[^()]*\)",
    re.IGNORECASE,
)
_SHORTEST_CHANGE, _LONGEST_CHANGE = 4, 22
_FAR_BELOW = 1500  # characters from the heading of a version to a change: farther off no passage holds both
_TELLING = 3  # content words that make a change one of its own


def changes(text: str) -> Iterator[Fact]:
    """Yield release dates and changes; nothing where a text is no list of versions."""
    every = list(lines_of(text))
    heads = [(place, found) for place, each in enumerate(every) if (found := _heading(each))]
    if len(heads) < _FEWEST:
        return
    counts = Counter(version for _, (version, _) in heads)
    ends = [*(place for place, _ in heads[1:]), len(every)]
    for (place, (version, date)), end in zip(heads, ends, strict=True):
        if counts[version] == 1:
            yield from _of_version(every[place:end], version, date)


_FEWEST = 3


def _heading(line: Line) -> tuple[str, str] | None:
    found = _RELEASE_HEADING.fullmatch(line.text) if len(line.text) < 60 else None
    if not found or (found["date"] and not _day(found["date"])):
        return None
    return found["version"], _day(found["date"] or "")


def _day(words: str) -> str:
    dates = [each for each in find_dates(words) if each.year]
    plain = len(dates) == 1 and precision(dates[0]) == "day" and not dates[0].ambiguous
    return iso(dates[0]) if plain else ""


def _of_version(lines: list[Line], version: str, date: str) -> Iterator[Fact]:
    head, *below = lines
    end = head.end
    for each in below[:2]:
        if not date and (found := _RELEASED.fullmatch(each.text)):
            date, end = _day(found["date"]), each.end
    if date:
        asked = Asked(f"When was version {version} released?", "date", date, "", "day")
        yield Fact(asked, head.start, end, "release", version, (version, "released"))
    for each in below:
        if each.end - head.start > _FAR_BELOW:
            return
        if said := _change(each.text):
            yield Fact(Asked(f"Which version {said}?", "text", version), head.start, each.end, "change")


def _change(line: str) -> str:
    """What a version did, in the past tense; empty for a line that is no plain change."""
    found = _ITEM.fullmatch(_REFERENCE.sub("", line.removeprefix("- ").strip()))
    if not found:
        return ""
    verb = found["verb"].lower()
    past = _PASTS.get(verb) or _PASTS.get(verb.removesuffix("s")) or (verb if verb in _GERUNDS else "")
    rest = _REFERENCE.sub("", found["rest"].strip()).strip(" ,")
    fits = _SHORTEST_CHANGE <= len(rest.split()) <= _LONGEST_CHANGE and len(content_words(rest)) >= _TELLING
    plain = fits and _OBJECT.match(rest) and stands_alone(rest) and not _ODD.search(rest)
    return f"{past} {rest}" if past and plain else ""


_ODD = re.compile(r"\b\d+\.\d+|\b(?:is|are|was|were) (?:now )?(?:added|fixed|removed|deprecated)\b")
