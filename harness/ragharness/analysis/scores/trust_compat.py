"""What trust_eval prints for outputs, from 0 to 100, with the quirks that docs/metrics.md lists."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import repeat

from ragharness.analysis.derived import harmonic, ratio
from ragharness.analysis.derived.alce_citation_precision import citation_precision
from ragharness.analysis.derived.alce_citation_recall import citation_recall
from ragharness.analysis.scores.trust_eval import Output, flagged, normalise
from ragharness.errors import UsageError

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
