"""The axes of graded answers: citations, uncited claims, refusals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.scores.layout import Axes, ExtraClaims, RefusalQuality, YesNoAxis, share

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ragharness.records import Verdict
    from ragharness.scores.layout import Share
    from ragharness.scores.tally import Outcome


def axes(outcomes: Sequence[Outcome]) -> Axes:
    """Return all axes; rates of refusal count every question asked, the others graded answers."""
    verdicts = [each.verdict for each in outcomes if each.verdict is not None and each.status == "ok"]
    flags = [flag for verdict in verdicts for flag in verdict.flags]
    return Axes(
        citation_exists=_yes_no([verdict.citation_exists for verdict in verdicts]),
        citation_supports=_yes_no([verdict.citation_supports for verdict in verdicts]),
        extra_claim_count=_extra_claims(verdicts),
        refusal_quality=_refusal_quality(verdicts),
        over_refusal=_rate(outcomes, lambda each: _in_reach(each) and each.evidence_found, _refused),
        over_refusal_all=_rate(outcomes, _in_reach, _refused),
        under_refusal=_rate(outcomes, lambda each: not _in_reach(each), _answered),
        hedged=flags.count("hedged"),
        mixed=flags.count("mixed"),
    )


def _in_reach(outcome: Outcome) -> bool:
    return outcome.question.wanted == "correct"


def _refused(outcome: Outcome) -> bool:
    return outcome.bucket == "refused"


def _answered(outcome: Outcome) -> bool:
    return outcome.bucket not in {None, "refused"}


def _rate(
    outcomes: Sequence[Outcome], counts: Callable[[Outcome], bool], hit: Callable[[Outcome], bool]
) -> Share:
    base = [outcome for outcome in outcomes if counts(outcome)]
    return share(sum(hit(outcome) for outcome in base), len(base))


def _yes_no(values: Sequence[str | None]) -> YesNoAxis:
    yes, no = values.count("yes"), values.count("no")
    rate = share(yes, yes + no)
    return YesNoAxis(yes=yes, no=no, null=len(values) - yes - no, low=rate.low, high=rate.high)


def _extra_claims(verdicts: Sequence[Verdict]) -> ExtraClaims:
    counts = [each.extra_claim_count for each in verdicts if each.extra_claim_count is not None]
    return ExtraClaims(
        sum=sum(counts),
        mean=sum(counts) / len(counts) if counts else None,
        n=len(counts),
        answers=sum(count > 0 for count in counts),
    )


def _refusal_quality(verdicts: Sequence[Verdict]) -> RefusalQuality:
    grades = [each.refusal_quality for each in verdicts if each.refusal_quality is not None]
    return RefusalQuality(
        mean=sum(grades) / len(grades) if grades else None,
        n=len(grades),
        distribution={str(grade): grades.count(grade) for grade in range(4)},
    )
