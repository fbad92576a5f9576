"""Trust-Score from texts: questions, passages and outputs as trust_eval and ALCE have them.

Each item has ``question``, ``answers`` (one list of spellings for each gold claim), ``docs`` (``title``,
``text``, ``answers_found`` for each claim) and ``output``, which cites passages as ``[1]``.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from itertools import compress, repeat
from typing import Any, Literal, NamedTuple

from ragharness.analysis.derived import MOST_CITATIONS, Cited, Item, harmonic, ratio
from ragharness.analysis.derived.alce_citation_precision import citation_precision
from ragharness.analysis.derived.alce_citation_recall import citation_recall
from ragharness.errors import UsageError

Entails = Callable[[str, str], bool]  # whether a premise entails a claim
Mode = Literal["em", "cm", "em5"]  # how a claim is looked for: as a substring, by entailment, in a list

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
        return tuple(any(self._states(doc, claim) for doc in self.docs) for claim in range(len(self.answers)))

    @cached_property
    def stated(self) -> tuple[bool, ...]:
        """For each gold claim whether the output states it."""
        if self.mode == "cm":
            return tuple(any(self.entails(self.plain, each) for each in claim) for claim in self.answers)
        text = set(self.listed) if self.mode == "em5" else normalise(self.plain)
        return tuple(any(normalise(each) in text for each in claim) for claim in self.answers)

    @cached_property
    def grounded(self) -> tuple[bool, ...]:
        """For each gold claim whether the output and some passage state it."""
        return tuple(map(all, zip(self.stated, self.recoverable, strict=True)))

    @property
    def listed(self) -> list[str]:
        """The answers of an output that is a list."""
        parts = self.plain.rstrip().rstrip(".").rstrip(",").split(",")
        return list(filter(None, map(normalise, parts)))

    def _states(self, doc: dict[str, Any], claim: int) -> bool:
        labels = doc.get("answers_found")
        if isinstance(labels, list):
            return claim < len(labels) and bool(labels[claim])
        return any(self.entails(_premise(doc), spelling) for spelling in self.answers[claim])

    def sentences(self, *, shared: bool = True) -> tuple[Cited, ...]:
        """The sentences with what they cite; ``shared``: with the clause that ALCE has not."""
        return tuple(self._cited(each, shared) for each in _SENTENCE.split(self.text.strip()) if each)

    def _cited(self, sentence: str, shared: bool) -> Cited:
        cited = [int(mark) - 1 for mark in _MARK.findall(sentence)]
        if not cited or any(not 0 <= number < len(self.docs) for number in cited):
            return Cited()
        cited, claim = cited[:MOST_CITATIONS], without_citations(sentence).strip()

        def joint(numbers: Sequence[int]) -> bool:
            docs = (self.docs[number] for number in numbers)
            passages = (f"Title: {doc.get('title', '')}\n{doc.get('text', '')}" for doc in docs)
            return self.entails("\n".join(passages), claim)

        others = [cited[:i] + cited[i + 1 :] for i in range(len(cited))] if len(cited) > 1 else []
        pairs = zip(cited, others, strict=False) if shared else ()
        return Cited(
            joint(cited),
            tuple(joint([number]) for number in cited),
            tuple(map(joint, others)),
            tuple(self._shares(number, rest) for number, rest in pairs),
        )

    def _shares(self, number: int, others: Sequence[int]) -> bool:
        return any(
            self._states(self.docs[number], claim)
            and any(self._states(self.docs[other], claim) for other in others)
            for claim in range(len(self.answers))
        )

    def list_figures(self, *, calibrated: bool = False) -> tuple[float, ...]:
        """Precision, recall, recall of five, both F1 scores of a list by all golds, or those in passages."""
        claims = compress(self.answers, self.recoverable) if calibrated else self.answers
        listed, golds = self.listed, [set(map(normalise, claim)) for claim in claims]
        spellings = set().union(*golds)
        precision = ratio(sum(each in spellings for each in listed), len(listed))
        hits = sum(not gold.isdisjoint(listed) for gold in golds)
        recall, five = ratio(hits, len(golds)), ratio(min(5, hits), min(5, len(golds)))
        return precision, recall, five, harmonic(precision, recall), harmonic(precision, five)


def outputs(data: Iterable[Any], *, entails: Entails | None = None, mode: Mode = "em") -> list[Output]:
    """Outputs of items; raises UsageError with the number of the first that cannot be read."""
    return [_read(item, number, entails or contains, mode) for number, item in enumerate(data, 1)]


def _read(item: Any, number: int, entails: Entails, mode: Mode) -> Output:
    fields = item if isinstance(item, dict) else {}
    answers, docs, text = fields.get("answers"), fields.get("docs"), fields.get("output")
    if not (
        (isinstance(answers, list) and isinstance(docs, list) and isinstance(text, str))
        and all(isinstance(doc, dict) for doc in docs)
    ):
        message = f"expected question, answers, docs and output in item {number}, found {str(item)[:60]}"
        raise UsageError(message, help="docs/metrics.md shows the file")
    claims = tuple(tuple(map(str, each)) if isinstance(each, list) else (str(each),) for each in answers)
    return Output(str(fields.get("question", "")), claims, tuple(docs), text, entails, mode)


def item_of(output: Output, refuses: Callable[[str, str], bool | None]) -> Item | None:
    """An output as the metrics see it; None where it cannot be told whether it refuses."""
    refused = refuses(output.question, output.text)
    if refused is None:
        return None
    recoverable = sum(output.recoverable)
    as_list = output.mode == "em5"
    return Item(
        question=output.question,
        refused=refused,
        in_corpus=bool(output.answers),
        in_retrieval=recoverable > 0,
        matched=bool(output.stated) and all(output.stated),
        found=output.list_figures(calibrated=True)[4]
        if as_list
        else ratio(sum(output.grounded), recoverable),
        sentences=output.sentences(),
        text=output.text,
        asked=output.question,
    )


def normalise(text: str) -> str:
    """Text in small letters, without punctuation and articles, its blanks single."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def contains(premise: str, claim: str) -> bool:
    """Whether the claim stands in the premise word for word: what is used without a model of entailment."""
    said = normalise(claim)
    return bool(said) and said in normalise(premise)


def without_citations(text: str) -> str:
    """Text without marks such as ``[1]``."""
    return re.sub(r" ?\[\d+", "", text).replace(" |", "").replace("]", "")


def _premise(doc: dict[str, Any]) -> str:
    return f"{doc.get('title', '')} {doc.get('text', '')}"


def flagged(_: str, text: str) -> bool:
    """Whether an output is a refusal to trust_eval: a fuzzy match of one sentence, quirks included."""
    return partial_ratio(normalise(FLAG), normalise(text)) > THRESHOLD


def partial_ratio(one: str, other: str) -> int:
    """How alike the shorter text is to the likest piece of the longer one, from 0 to 100."""
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
    """Its figures; raises UsageError where it fails: without outputs, or for one without passages."""
    if not found or not all(output.docs for output in found):
        advice = "leave out --compat: a question without passages is unanswerable then"
        raise UsageError("expected passages with every question: trust_eval fails without", help=advice)
    answered = [output for output in found if not refuses(output.question, output.text)]
    answerable, both = ([each for each in group if any(each.recoverable)] for group in (found, answered))
    groups = _Groups(found, answered, answerable, both)
    figures: dict[str, float] = {
        "num_samples": len(found),
        "answered_ratio": round(100 * len(groups.answered) / len(found), 2),
        "answered_num": len(groups.answered),
        "answerable_num": len(groups.answerable),
        "overlapped_num": len(groups.both),
        "regular_length": _mean(len(output.plain.split()) for output in found),
        "answered_length": _mean(len(output.plain.split()) for output in groups.answered),
        **_refusals(*map(len, groups)),
        **(_lists if found[0].mode == "em5" else _claims)(groups),
        **_citations(found, "regular"),
        **_citations(groups.answered, "answered"),
    }
    calibrated = ("calib_qampari_em_f1", *(f"calib_{name}_f1" for name in _CLAIMS.values()))
    correctness = next(value for name, value in figures.items() if name in calibrated)
    figures["trust_score"] = (figures["macro_f1"] + correctness + figures["answered_citation_f1"]) / 3
    return figures


class _Groups(NamedTuple):
    """Outputs: all, those that are no refusal, those that can be answered, and both."""

    found: Sequence[Output]
    answered: Sequence[Output]
    answerable: Sequence[Output]
    both: Sequence[Output]


def _refusals(n: int, answered: int, answerable: int, both: int) -> dict[str, float]:
    neither = n - answered - answerable + both
    refuse = ratio(neither, n - answerable), ratio(neither, n - answered)
    answer = ratio(both, answerable), ratio(both, answered)
    return {
        **_rates("refuse", *refuse),
        **_rates("answerable", *answer),
        "macro_avg": 100 * ((refuse[0] + answer[0]) / 2),
        "macro_f1": 100 * ((harmonic(*refuse) + harmonic(*answer)) / 2),
    }


def _claims(groups: _Groups) -> dict[str, float]:
    name = _CLAIMS[groups.found[0].mode]

    def stated(output: Output) -> float:
        return ratio(sum(output.stated), len(output.answers))

    def parametric(output: Output) -> float:
        return stated(output) - ratio(sum(output.grounded), len(output.answers))

    # Its names and their order are not the same in both modes.
    parametric_of = name if name == "str_em" else f"answered_{name}"
    calibrated = sum(sum(output.grounded) / sum(output.recoverable) for output in groups.both)
    precision, recall = ratio(calibrated, len(groups.answered)), ratio(calibrated, len(groups.answerable))
    last = {
        f"calib_{name}_f1": harmonic(precision, recall),
        f"parametric_{parametric_of}": _mean(map(parametric, groups.answered)),
    }
    figures = {
        f"regular_{name}": _mean(map(stated, groups.found)),
        f"answered_{name}": _mean(map(stated, groups.answered)),
        f"calib_answered_{name}": precision,
        f"calib_answerable_{name}": recall,
        **(last if name == "str_em" else dict(reversed(last.items()))),
    }
    return {label: 100 * figure for label, figure in figures.items()}


def _lists(groups: _Groups) -> dict[str, float]:
    wrong = [_wrong(output) for output in groups.answered]
    lists = [output.list_figures() for output in groups.found]
    answered = [output.list_figures() for output in groups.answered]
    calibrated = [output.list_figures(calibrated=True) for output in groups.both]
    figures = {
        "qampari_presence": 100 * _mean(ratio(known, n) for known, n in wrong),
        "qampari_absence": 100 * _mean(ratio(n - known, n) for known, n in wrong),
    }
    figures |= _list_means("regular", groups.found, lists, len(lists))
    figures |= _list_means("answered", groups.answered, answered, len(answered))
    figures |= _list_means("calib_answered", groups.both, calibrated, len(answered))
    figures |= _list_means("calib_answerable", groups.both, calibrated, len(groups.answerable))
    both = (figures[f"calib_{name}_qampari_f1_top5"] for name in ("answered", "answerable"))
    figures["calib_qampari_em_f1"] = harmonic(*both)
    gaps = (
        recalls[2] - ratio(min(5, sum(output.grounded)), min(5, len(output.answers)))
        for output, recalls in zip(groups.answered, answered, strict=True)
    )
    figures["parametric_qampari_rec_top5"] = 100 * _mean(gaps)
    return figures


def _wrong(output: Output) -> tuple[int, int]:
    """How many listed answers are false but stand in a passage, and how many are false."""
    right = {normalise(each) for claim in compress(output.answers, output.recoverable) for each in claim}
    false = [each for each in output.listed if each not in right]
    premises = [_premise(doc) for doc in output.docs]
    return sum(any(output.entails(text, each) for text in premises) for each in false), len(false)


def _list_means(
    name: str, group: Sequence[Output], figures: Sequence[tuple[float, ...]], n: int
) -> dict[str, float]:
    columns: Iterable[Iterable[float]] = zip(*figures, strict=True) if figures else repeat((), len(_LIST))
    count = {f"{name}_num_preds": ratio(sum(len(output.listed) for output in group), n)}
    means = zip(_LIST, columns, strict=True)
    return count | {f"{name}_{figure}": 100 * ratio(sum(column), n) for figure, column in means}


def _citations(group: Sequence[Output], name: str) -> dict[str, float]:
    read = [sentences for output in group if (sentences := output.sentences())]
    recall, precision = (_mean(map(figure, read)) for figure in (citation_recall, citation_precision))
    return _rates(f"{name}_citation", recall, precision)


def _rates(name: str, recall: float, precision: float) -> dict[str, float]:
    rates = {"rec": recall, "prec": precision, "f1": harmonic(recall, precision)}
    return {f"{name}_{rate}": 100 * value for rate, value in rates.items()}


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return ratio(sum(listed), len(listed))
