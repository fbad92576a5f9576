"""The buckets on one line."""

from ragharness.analysis.scores import Scores


def render(scores: Scores, **_: object) -> str:
    return " ".join(f"{count} {bucket}" for bucket, count in scores.buckets.items()) + "\n"
