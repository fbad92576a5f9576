"""Rules that score an output from 0 to 10, and the methods that use them.

A rule is a function of an output and its arguments in the rubric; it returns None where it does not apply.
Claims are read as the grader ``rules`` reads them. Yours are named ``module:function`` and take the item
first, the arguments of the rubric by name.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, get_type_hints

import msgspec
from msgspec import Meta

from ragharness.errors import CodeNotUsable, MissingExtra, RagharnessError, UnknownName
from ragharness.records import Answer, Passage, Question
from ragharness.rubrics.rubric import SCALE, Check, Item

if TYPE_CHECKING:
    from ragharness.graders.reading.answer import ParsedAnswer

Rule = Callable[..., "Marked | float | None"]
_Against = Annotated[list[Literal["context", "input", "messages", "tool_calls"]], Meta(min_length=1)]
_EXCERPT = 80  # characters of an unsupported claim in a reason
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_DENIED = re.compile(r"(?i)\b(?:not|n't|never|cannot|before|once|until|if|unless)\b[^.!?;]*$|n't\b[^.!?;]*$")
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+")
_DIGITS = re.compile(r"(?<![\w.])\d(?:[ -]?\d){12,18}(?![\w.]\d)")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b")
_SSN = re.compile(r"(?<![\w-])\d{3}-\d{2}-\d{4}(?![\w-])")
_TYPES: dict[str, set[object]] = {
    "string": {str}, "number": {int, float}, "boolean": {bool}, "list": {list}, "object": {dict},
}  # fmt: skip
_Type = Literal["string", "number", "boolean", "list", "object"]
_Texts = Annotated[list[str], Meta(min_length=1)]


class Marked(NamedTuple):
    """A score from 0 to 10, and the reason why it is below 10."""

    score: float
    told: str = ""

    @classmethod
    def share(cls, bad: list[str], count: int, problem: str) -> Marked:
        """Score by the share of those that are not bad."""
        return cls(SCALE * (count - len(bad)) / count, f"{problem}: {', '.join(bad)}") if bad else cls(SCALE)


def _all_or_nothing(good: object, reason: str = "") -> Marked:
    return Marked(SCALE) if good else Marked(0.0, reason)


def _positions(text: str, phrase: str) -> list[int]:
    """Offsets of a phrase, whatever its case."""
    return [match.start() for match in re.finditer(rf"(?i)(?<!\w){re.escape(phrase)}(?!\w)", text)]


def json_shape(item: Item, *, keys: dict[str, _Type]) -> Marked:
    """The output is a JSON object with these keys, each of this type."""
    content = item.json
    if content is None:
        return Marked(0.0, "no JSON object")
    wrong = [key for key, kind in keys.items() if type(content.get(key)) not in _TYPES[kind]]
    return Marked.share(wrong, len(keys), "missing or of another type")


def required_phrases(item: Item, *, phrases: _Texts) -> Marked:
    """The output has every phrase, whatever its case."""
    missing = [phrase for phrase in phrases if not _positions(item.text, phrase)]
    return Marked.share(missing, len(phrases), "missing")


def banned_phrases(item: Item, *, phrases: _Texts) -> Marked:
    """The output has none of the phrases: 10 or 0."""
    banned = [phrase for phrase in phrases if _positions(item.text, phrase)]
    return _all_or_nothing(not banned, f"found: {', '.join(banned)}")


def length(item: Item, *, least: int = 0, most: int | None = None) -> Marked:
    """The output has so many words: 10 or 0."""
    words = len(_WORD.findall(item.text))
    return _all_or_nothing(words >= least and (most is None or words <= most), f"{words} words")


def matches(item: Item, *, pattern: str) -> Marked:
    """The whole output has this form, a regular expression: 10 or 0."""
    return _all_or_nothing(re.fullmatch(pattern, item.text.strip(), re.DOTALL))


def sections(item: Item, *, headings: _Texts) -> Marked:
    """Each heading stands on a line of its own, with or without # or a colon."""
    lines = {line.strip().strip("#*: \t").casefold() for line in item.text.splitlines()}
    missing = [heading for heading in headings if heading.casefold() not in lines]
    return Marked.share(missing, len(headings), "missing")


def taxonomy(item: Item, *, allowed: _Texts, field: str = "", fact: str = "") -> Marked:
    """Every label is one of the taxonomy, and those that ``facts`` expects are there.

    Labels are a list under ``field`` of a JSON output, else those of a line ``field: a, b``.
    """
    value = (item.json or {}).get(field)
    if item.json is None:
        line = re.search(rf"(?im)^\W*{re.escape(field)}\s*:\s*(.+)$", item.text)
        value = re.split(r"\s*[,;]\s*", line[1].strip(" .")) if line else None
    labels = {str(label).casefold() for label in value} if isinstance(value, list) else set()
    if not labels:
        return Marked(0.0, f"no labels under {field!r}")
    expected = {str(label).casefold() for label in item.facts.get(fact, ())} if fact else set()
    good = (labels & expected if expected else labels) & {label.casefold() for label in allowed}
    every = labels | expected
    return Marked.share(sorted(every - good), len(every), "wrong or missing")


def equals(item: Item, *, field: str, fact: str) -> Marked | None:
    """A field of a JSON output equals what ``facts`` says: 10 or 0."""
    if fact not in item.facts:
        return None
    value, right = (item.json or {}).get(field), item.facts[fact]
    same = str(value).casefold() == str(right).casefold()
    return _all_or_nothing(same, f"{value!r} where {right!r} is right")


def slots(item: Item, *, names: _Texts, field: str = "") -> Marked:
    """Every slot has a value in a JSON output, under ``field`` if one is named."""
    content = item.json or {}
    inner = content.get(field) if field else content
    values = inner if isinstance(inner, dict) else {}
    return Marked.share([name for name in names if values.get(name) in (None, "", [])], len(names), "empty")


def only_after_call(item: Item, *, phrases: _Texts, tool: str) -> Marked:
    """Claims that only a successful call of a tool makes true follow such a call: 10 or 0.

    A phrase that its own sentence denies or puts under a condition claims nothing.
    """
    text = item.text
    claims = [p for p in phrases if any(not _DENIED.search(text[:start]) for start in _positions(text, p))]
    if claims and item.tool_calls is None:
        return Marked(0.0, f"{claims[0]!r}, and no tool_calls are known")
    done = any(call.name == tool and call.ok for call in item.tool_calls or ())
    return _all_or_nothing(done or not claims, f"{claims[:1]} without a successful call of {tool}")


def no_pii(item: Item, *, region: str = "US", allow_input: bool = False) -> Marked:
    """The output contains no e-mail address, telephone, card, account or social security number: 10 or 0.

    Names and addresses are not looked for: they have no form. ``region`` is that of telephone numbers
    without a country code. Raises MissingExtra.
    """
    try:
        from phonenumbers import PhoneNumberMatcher
        from stdnum import iban, luhn
        from stdnum.us import ssn
    except ImportError as error:
        raise MissingExtra("finding personal data", "pii") from error
    text = item.text
    hits = [("email", email) for email in _EMAIL.findall(text)]
    hits += [("iban", account) for account in _IBAN.findall(text) if iban.is_valid(account)]
    hits += [("ssn", number) for number in _SSN.findall(text) if ssn.is_valid(number)]
    cards = [digits for digits in _DIGITS.findall(text) if digits[0] in "3456"]
    hits += [("card", digits) for digits in cards if luhn.is_valid(re.sub(r"\D", "", digits))]
    hits += [("phone", number.raw_string) for number in PhoneNumberMatcher(text, region)]
    allowed = item.input if allow_input else ""
    kinds = sorted({kind for kind, hit in hits if hit not in allowed})
    return _all_or_nothing(not kinds, f"found: {', '.join(kinds)}")


def bucket_as_wanted(item: Item) -> Marked | None:
    """The answer is in the desired bucket of its question: 10 or 0."""
    if item.verdict is None or item.verdict.bucket is None:
        return None
    bucket, desired = item.verdict.bucket, item.facts.get("wanted", "correct")
    return _all_or_nothing(bucket == desired, f"{bucket}, not {desired}")


def axis(item: Item, *, name: str) -> Marked | None:
    """One axis of the verdict: yes, 3 of 3, or no extra claim is 10."""
    value = getattr(item.verdict, name, None)
    if value is None or name != "refusal_quality":
        return None if value is None else _all_or_nothing(value in ("yes", 0), f"{name} {value}")
    return Marked(SCALE * value / 3, f"{name} {value} of 3" if value < 3 else "")


def ship_gate(item: Item) -> Marked | None:
    """The run may replace the base that it is compared with: 10 or 0."""
    verdict = item.facts.get("ship_gate")
    return None if verdict is None else _all_or_nothing(verdict == "ship", f"the ship gate says {verdict}")


def grounded(item: Item, *, against: _Against, field: str = "") -> Marked | None:
    """Share of claims that the named sources state; None without sources or claims."""
    sources, claims = item.sources(against), [text for text, _ in _claims(item, field)]
    unstated = [claim for claim in claims if not _stated(claim, sources)]
    return _supported(len(claims), unstated, "not stated") if sources else None


def invented(item: Item, *, against: _Against, field: str = "") -> Marked | None:
    """Share of claims that some source states and none denies; None without claims."""
    from ragharness.graders.reading.support import contradicts

    sources, claims = item.sources(against), [text for text, _ in _claims(item, field)]
    denied = [claim for claim in claims if any(contradicts(source, claim) for source in sources)]
    unsupported = [claim for claim in claims if claim in denied or not _stated(claim, sources)]
    return _supported(len(claims), unsupported, "unsupported")


def citations_support(item: Item) -> Marked | None:
    """Every citation names a piece of the context that states the claim it stands in."""
    parsed, claims = _parsed(item)
    pieces = parsed.cited_texts(item.passages)
    citations = [(mark, text) for text, marks in claims for mark in marks]
    bad = [mark for mark, text in citations if mark not in pieces or not _stated(text, [pieces[mark]])]
    return Marked.share(bad, len(citations), "not supported") if citations else None


def _claims(item: Item, field: str = "") -> list[tuple[str, tuple[str, ...]]]:
    return _parsed(item, field)[1]


def _parsed(item: Item, field: str = "") -> tuple[ParsedAnswer, list[tuple[str, tuple[str, ...]]]]:
    """Output, or a field of a JSON output, and its claims: each sentence with its citations."""
    from ragharness.graders.reading.answer import parse_answer
    from ragharness.graders.reading.axes import roles_of
    from ragharness.graders.reading.records import Outcome, profile_of

    text = str((item.json or {}).get(field, "")) if field else item.text
    question = Question(id=item.id, text=item.input, stratum="grounded", kind="text", answerable=True)
    parsed = parse_answer(Answer(text=text), item.input, item.passages)
    profile, nothing = profile_of(question), Outcome()
    roles = roles_of(parsed.sentences, nothing, profile, refusing=False)
    read = zip(parsed.sentences, roles, strict=True)
    return parsed, [(part.text, part.citations) for part, role in read if role == "claim"]


def _stated(claim: str, sources: Sequence[Passage]) -> bool:
    """Whether a source states a claim; what is undetermined is not stated."""
    from ragharness.graders.reading.support import support

    return any(support(claim, (source,)).verdict for source in sources)


def _supported(count: int, bad: list[str], problem: str) -> Marked | None:
    reason = f"{len(bad)} of {count} claims {problem}: {bad[0][:_EXCERPT]!r}" if bad else ""
    return Marked(SCALE * (count - len(bad)) / count, reason) if count else None


class Embeddings:
    """An embedding model of the extra ``dense``; scores are reproducible up to it."""

    def __init__(self) -> None:
        """Raises RagharnessError for a model that cannot be found; MissingExtra without the extra."""
        from ragharness.retrievers.models import DEFAULT_MODEL
        from ragharness.retrievers.models.embedding import locate

        model, self._encoder = locate(DEFAULT_MODEL, "", None, "", offline=False)
        self.name = f"{model.name}@{model.identity[:60]}"

    def cosine(self, one: str, other: str) -> float:
        """Cosine similarity of two texts."""
        from ragharness.retrievers.models.embedding import EmbeddingOptions

        vectors = self._encoder.encode([one, other], "passage", EmbeddingOptions(normalize=True))
        return float(vectors[0] @ vectors[1])


def cosine(
    item: Item, by: Embeddings, /, *, to: Literal["expected", "input"], zero_at: float, ten_at: float
) -> Marked | None:
    """Similarity to another text, between the cosines that score 0 and 10; None without that text."""
    if not (target := getattr(item, to)):
        return None
    similarity = by.cosine(item.text, target)
    share = min(1.0, max(0.0, (similarity - zero_at) / (ten_at - zero_at)))
    return Marked(SCALE * share, f"cosine {similarity:.3f}")


RULES: dict[str, dict[str, Rule]] = {  # by name, for each method
    "deterministic": {
        rule.__name__: rule
        for rule in (
            json_shape, required_phrases, banned_phrases, length, matches, sections, taxonomy, equals, slots,
            only_after_call, no_pii, bucket_as_wanted, axis, ship_gate, citations_support,
        )
    },
    "semantic_similarity": {"cosine": cosine},
    "claim_pipeline": {"claims": invented},
    "groundedness": {"claims": grounded},
}  # fmt: skip


def find_rule(method: str, name: str) -> Rule:
    """A rule of a method, or the user's own; raises CodeNotUsable or UnknownName."""
    if _is_own(method, name):
        from ragharness.pipelines.adapters import find

        function: Rule = find(name).value
        if not callable(function):
            raise CodeNotUsable(f"{name} is no function but a {type(function).__name__}")
        return function
    if name not in RULES[method]:
        raise UnknownName(f"rule of {method}", name, RULES[method])
    return RULES[method][name]


def _is_own(method: str, name: str) -> bool:
    return method == "deterministic" and ":" in name


def fault(method: str, name: str, arguments: dict[str, Any]) -> tuple[str, str]:
    """What a method expects instead of a rule with its arguments, and what it got; empty if it fits."""
    if not _is_own(method, name) and name not in RULES[method]:
        more = ", or module:function" if method == "deterministic" else f" for {method}"
        return f"one of {', '.join(sorted(RULES[method]))}{more}", repr(name)
    try:
        rule = find_rule(method, name)
        inspect.signature(rule).bind(*[None] * (1 + (rule is cosine)), **arguments)
        re.compile(arguments.get("pattern", ""))
        hints = {} if ":" in name else get_type_hints(rule, include_extras=True)
        for argument, value in arguments.items():
            msgspec.convert(value, hints.get(argument, Any))
    except RagharnessError as error:
        return f"a function {name} that can be used", str(error)
    except (TypeError, re.error, RecursionError, OverflowError, msgspec.MsgspecError) as error:
        return f"arguments that the rule {name} takes", str(error)
    low, high = arguments.get("zero_at", 0), arguments.get("ten_at", 1)
    if rule is cosine and not -1 <= low < high <= 1:
        return "zero_at below ten_at, both from -1 to 1", f"{low:g} and {high:g}"
    return "", ""


def apply(check: Check, item: Item, embeddings: Embeddings | None) -> Marked | None:
    """Mean score of the rules that apply, None if none does; raises CodeNotUsable for one without a score."""
    scored: list[Marked] = []
    for name, arguments in check.rule.items():
        rule = find_rule(check.method, name)
        mark: Any = rule(*((item, embeddings) if rule is cosine else (item,)), **arguments)
        if isinstance(mark, (bool, int, float)) and 0 <= mark <= SCALE:
            mark = Marked(SCALE * mark if isinstance(mark, bool) else float(mark))
        elif not (mark is None or isinstance(mark, Marked)):
            raise CodeNotUsable(f"{name} must return a score from 0 to 10, True or False; it gave {mark!r}")
        scored += [mark] if mark else []
    reason = "; ".join(mark.told for mark in scored if mark.told)
    return Marked(sum(mark.score for mark in scored) / len(scored), reason) if scored else None
