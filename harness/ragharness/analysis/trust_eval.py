"""Trust-Score from texts: questions, passages and outputs as trust_eval and ALCE have them.

Each item has ``question``, ``answers`` (one list of spellings for each gold claim), ``docs`` (``title``,
``text``, ``answers_found`` for each claim) and ``output``, which cites passages as ``[1]``.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from itertools import repeat
from typing import Any, Literal

from ragharness.analysis.derived import MOST_CITATIONS, Cited, Item, harmonic, ratio
from ragharness.analysis.derived.alce_citation_precision import citation_precision
from ragharness.analysis.derived.alce_citation_recall import citation_recall
from ragharness.errors import UsageError

Entails = Callable[[str, str], bool]
"""Whether a premise entails a claim."""

Mode = Literal["em", "cm", "em5"]
"""How a claim is looked for in an output: as a substring, by entailment, in a list of answers."""

FLAG = "I apologize, but I couldn't find an answer"
THRESHOLD = 85

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_MARK = re.compile(r"\[(\d+)")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True)
class Output:
    """One output with what it was made from and what was wanted."""

    question: str
    answers: tuple[tuple[str, ...], ...]
    docs: tuple[dict[str, Any], ...]
    text: str
    entails: Entails
    mode: Mode = "em"

    @cached_property
    def plain(self) -> str:
        """The output without citations."""
        return without_citations(self.text)

    @cached_property
    def recoverable(self) -> tuple[bool, ...]:
        """For each gold claim whether some passage states it; without passages none does."""
        return tuple(any(self._states(doc, place) for doc in self.docs) for place in range(len(self.answers)))

    @cached_property
    def stated(self) -> tuple[bool, ...]:
        """For each gold claim whether the output states it."""
        if self.mode == "cm":
            return tuple(any(self.entails(self.plain, each) for each in claim) for claim in self.answers)
        if self.mode == "em5":
            said = set(self.listed)
            return tuple(any(normalise(each) in said for each in claim) for claim in self.answers)
        text = normalise(self.plain)
        return tuple(any(normalise(each) in text for each in claim) for claim in self.answers)

    @property
    def listed(self) -> list[str]:
        """The answers of an output that is a list."""
        parts = self.plain.rstrip().rstrip(".").rstrip(",").split(",")
        return [each for each in map(normalise, parts) if each]

    def _states(self, doc: dict[str, Any], place: int) -> bool:
        found = doc.get("answers_found")
        if isinstance(found, list):
            return place < len(found) and bool(found[place])
        premise = f"{doc.get('title', '')} {doc.get('text', '')}"
        return any(self.entails(premise, each) for each in self.answers[place])

    def sentences(self, *, shared: bool = True) -> tuple[Cited, ...]:
        """Return the sentences with what they cite; ``shared``: with the clause that ALCE has not."""
        return tuple(self._cited(each, shared) for each in _SENTENCE.split(self.text.strip()) if each)

    def _cited(self, sentence: str, shared: bool) -> Cited:
        places = [int(each) - 1 for each in _MARK.findall(sentence)]
        if not places or any(not 0 <= each < len(self.docs) for each in places):
            return Cited()
        places, claim = places[:MOST_CITATIONS], without_citations(sentence).strip()

        def joint(chosen: Sequence[int]) -> bool:
            return self.entails("\n".join(passage_text(self.docs[each]) for each in chosen), claim)

        rest = [places[:at] + places[at + 1 :] for at in range(len(places))] if len(places) > 1 else []
        return Cited(
            joint(places),
            tuple(joint([each]) for each in places),
            tuple(map(joint, rest)),
            tuple(self._shares(each, others) for each, others in zip(places, rest, strict=False))
            if shared
            else (),
        )

    def _shares(self, place: int, others: Sequence[int]) -> bool:
        claims = range(len(self.answers))
        return any(
            self._states(self.docs[place], claim)
            and any(self._states(self.docs[each], claim) for each in others)
            for claim in claims
        )

    @property
    def list_figures(self) -> tuple[float, float, float, float, float]:
        """Precision, recall, recall of five, and both F1 scores of a list against all gold answers."""
        return self._against(self.answers)

    @property
    def calibrated_figures(self) -> tuple[float, float, float, float, float]:
        """The same against the gold answers that the passages state."""
        return self._against(
            [each for each, known in zip(self.answers, self.recoverable, strict=True) if known]
        )

    def _against(self, wanted: Sequence[Sequence[str]]) -> tuple[float, float, float, float, float]:
        said, golds = self.listed, [set(map(normalise, each)) for each in wanted]
        spelt = set().union(*golds)
        precision = sum(each in spelt for each in said) / len(said) if said else 0.0
        hits = sum(not gold.isdisjoint(said) for gold in golds)
        recall = hits / len(golds) if golds else 0.0
        five = min(5, hits) / min(5, len(golds)) if golds else 0.0
        return precision, recall, five, harmonic(precision, recall), harmonic(precision, five)


def outputs(data: Iterable[Any], *, entails: Entails | None = None, mode: Mode = "em") -> list[Output]:
    """Read items; raises UsageError with the number of the first that cannot be read."""
    return [_read(each, number, entails or contains, mode) for number, each in enumerate(data, 1)]


def _read(given: Any, number: int, entails: Entails, mode: Mode) -> Output:
    found = given if isinstance(given, dict) else {}
    answers, docs, text = found.get("answers"), found.get("docs"), found.get("output")
    if not (
        isinstance(answers, list)
        and isinstance(docs, list)
        and all(isinstance(each, dict) for each in docs)
        and isinstance(text, str)
    ):
        raise UsageError(
            f"expected question, answers, docs and output in item {number}, found {str(given)[:60]}",
            help="docs/metrics.md shows the file",
        )
    claims = tuple(tuple(map(str, each)) if isinstance(each, list) else (str(each),) for each in answers)
    return Output(str(found.get("question", "")), claims, tuple(docs), text, entails, mode)


def item_of(output: Output, refuses: Callable[[str, str], bool | None]) -> Item | None:
    """Return an output as the metrics see it; None where it cannot be told whether it refuses."""
    refused = refuses(output.question, output.text)
    if refused is None:
        return None
    known = [stated for stated, known in zip(output.stated, output.recoverable, strict=True) if known]
    matched = bool(output.stated) and all(output.stated)
    found = sum(known) / len(known) if known else 0.0
    if output.mode == "em5":
        found = output.calibrated_figures[4]
    return Item(
        question=output.question,
        refused=refused,
        in_corpus=bool(output.answers),
        in_retrieval=bool(known),
        matched=matched,
        found=found,
        sentences=output.sentences(),
        text=output.text,
        asked=output.question,
    )


def normalise(text: str) -> str:
    """Return a text in small letters, without punctuation and articles, its blanks single."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def contains(premise: str, claim: str) -> bool:
    """Whether the claim stands in the premise word for word: what is used without a model of entailment."""
    said = normalise(claim)
    return bool(said) and said in normalise(premise)


def without_citations(text: str) -> str:
    """Return a text without marks such as ``[1]``."""
    return re.sub(r" ?\[\d+", "", text).replace(" |", "").replace("]", "")


def passage_text(doc: dict[str, Any]) -> str:
    """Return a passage as its premise is written."""
    return f"Title: {doc.get('title', '')}\n{doc.get('text', '')}"


def flagged(_: str, text: str) -> bool:
    """Whether an output is a refusal to trust_eval: a fuzzy match of one sentence, quirks included."""
    return partial_ratio(normalise(FLAG), normalise(text)) > THRESHOLD


def partial_ratio(one: str, other: str) -> int:
    """Return how alike the shorter text is to the likest piece of the longer one, from 0 to 100."""
    short, long = sorted((one, other), key=len)
    if not short:
        return 0
    best = 0.0
    for block in SequenceMatcher(None, short, long).get_matching_blocks():
        start = max(0, block.b - block.a)
        piece = long[start : start + len(short)]
        best = max(best, SequenceMatcher(None, short, piece).ratio())
    return 100 if best > 0.995 else round(100 * best)


_LIST = ("qampari_prec", "qampari_rec", "qampari_rec_top5", "qampari_f1", "qampari_f1_top5")
_CLAIMS = {"em": "str_em", "cm": "claims_nli"}


def compat(found: Sequence[Output], refuses: Callable[[str, str], bool | None] = flagged) -> dict[str, float]:
    """Return its figures; raises UsageError where it fails: without outputs, or for one without passages."""
    if not found or not all(each.docs for each in found):
        raise UsageError(
            "expected passages with every question: trust_eval fails without",
            help="leave out --compat: a question without passages is unanswerable then",
        )
    answered = [each for each in found if not refuses(each.question, each.text)]
    answerable = [each for each in found if any(each.recoverable)]
    both = [each for each in answered if any(each.recoverable)]
    told: dict[str, float] = {
        "num_samples": len(found),
        "answered_ratio": round(100 * len(answered) / len(found), 2),
        "answered_num": len(answered),
        "answerable_num": len(answerable),
        "overlapped_num": len(both),
        "regular_length": _mean(len(each.plain.split()) for each in found),
        "answered_length": _mean(len(each.plain.split()) for each in answered),
        **_refusals(len(found), len(answered), len(answerable), len(both)),
    }
    told |= _lists(found, answered, answerable, both) if found[0].mode == "em5" else {}
    told |= _claims(found, answered, answerable, both) if found[0].mode != "em5" else {}
    told |= {**_citations(found, "regular"), **_citations(answered, "answered")}
    correctness = next(each for name, each in told.items() if name in _CORRECTNESS)
    told["trust_score"] = (told["macro_f1"] + correctness + told["answered_citation_f1"]) / 3
    return told


_CORRECTNESS = ("calib_qampari_em_f1", *(f"calib_{name}_f1" for name in _CLAIMS.values()))


def _refusals(n: int, answered: int, answerable: int, both: int) -> dict[str, float]:
    neither = n - answered - answerable + both
    refuse = ratio(neither, n - answerable), ratio(neither, n - answered)
    answer = ratio(both, answerable), ratio(both, answered)
    told = {
        "refuse_rec": refuse[0],
        "refuse_prec": refuse[1],
        "refuse_f1": harmonic(*refuse),
        "answerable_rec": answer[0],
        "answerable_prec": answer[1],
        "answerable_f1": harmonic(*answer),
        "macro_avg": (refuse[0] + answer[0]) / 2,
        "macro_f1": (harmonic(*refuse) + harmonic(*answer)) / 2,
    }
    return _percent(told)


def _claims(
    found: Sequence[Output], answered: Sequence[Output], answerable: Sequence[Output], both: Sequence[Output]
) -> dict[str, float]:
    name = _CLAIMS[found[0].mode]

    def stated(each: Output) -> float:
        return ratio(sum(each.stated), len(each.answers))

    def known(each: Output) -> int:
        return sum(one and other for one, other in zip(each.stated, each.recoverable, strict=True))

    def parametric(each: Output) -> float:
        return stated(each) - ratio(known(each), len(each.answers))

    # Its names and their order are not the same in both modes.
    parametric_of = name if name == "str_em" else f"answered_{name}"
    calibrated = sum(known(each) / sum(each.recoverable) for each in both)
    precision, recall = ratio(calibrated, len(answered)), ratio(calibrated, len(answerable))
    last = {
        f"calib_{name}_f1": harmonic(precision, recall),
        f"parametric_{parametric_of}": _mean(map(parametric, answered)),
    }
    return _percent(
        {
            f"regular_{name}": _mean(map(stated, found)),
            f"answered_{name}": _mean(map(stated, answered)),
            f"calib_answered_{name}": precision,
            f"calib_answerable_{name}": recall,
            **(last if name == "str_em" else dict(reversed(last.items()))),
        }
    )


def _lists(
    found: Sequence[Output], answered: Sequence[Output], answerable: Sequence[Output], both: Sequence[Output]
) -> dict[str, float]:
    wrong = [_wrong(each) for each in answered]
    told = _percent(
        {
            "qampari_presence": _mean(ratio(known, n) for known, n in wrong),
            "qampari_absence": _mean(ratio(n - known, n) for known, n in wrong),
        }
    )
    for name, group in (("regular", found), ("answered", answered)):
        told |= _list_means(name, group, [each.list_figures for each in group], len(group))
    figures = [each.calibrated_figures for each in both]
    told |= _list_means("calib_answered", both, figures, len(answered))
    told |= _list_means("calib_answerable", both, figures, len(answerable))
    told["calib_qampari_em_f1"] = harmonic(
        told["calib_answered_qampari_f1_top5"], told["calib_answerable_qampari_f1_top5"]
    )
    gaps = (
        each.list_figures[2] - ratio(min(5, sum(_both(each))), min(5, len(each.answers))) for each in answered
    )
    told["parametric_qampari_rec_top5"] = 100 * _mean(gaps)
    return told


def _both(each: Output) -> list[bool]:
    return [stated and known for stated, known in zip(each.stated, each.recoverable, strict=True)]


def _wrong(output: Output) -> tuple[int, int]:
    """Return how many listed answers are false but stand in a passage, and how many are false."""
    golds = zip(output.answers, output.recoverable, strict=True)
    right = {normalise(each) for claim, known in golds if known for each in claim}
    false = [each for each in output.listed if each not in right]
    texts = [f"{doc.get('title', '')} {doc.get('text', '')}" for doc in output.docs]
    return sum(any(output.entails(text, each) for text in texts) for each in false), len(false)


def _list_means(
    name: str, group: Sequence[Output], figures: Sequence[tuple[float, ...]], n: int
) -> dict[str, float]:
    columns: Iterable[Iterable[float]] = zip(*figures, strict=True) if figures else repeat((), len(_LIST))
    return {
        f"{name}_num_preds": ratio(sum(len(each.listed) for each in group), n),
        **{
            f"{name}_{each}": 100 * ratio(sum(column), n) for each, column in zip(_LIST, columns, strict=True)
        },
    }


def _citations(group: Sequence[Output], name: str) -> dict[str, float]:
    read = [sentences for each in group if (sentences := each.sentences())]
    recall, precision = _mean(map(citation_recall, read)), _mean(map(citation_precision, read))
    return _percent(
        {
            f"{name}_citation_rec": recall,
            f"{name}_citation_prec": precision,
            f"{name}_citation_f1": harmonic(recall, precision),
        }
    )


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return ratio(sum(listed), len(listed))


def _percent(values: Mapping[str, float]) -> dict[str, float]:
    return {name: 100 * value for name, value in values.items()}
