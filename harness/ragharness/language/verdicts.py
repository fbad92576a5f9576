"""What a modality that is stated makes of one that was asked about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from ragharness.language.modality import Modality
    from ragharness.language.propositions import Frame

Polarity = Literal["affirms", "denies", "silent", "unclear"]

_VERDICTS: dict[tuple[str, str], Polarity] = {
    ("permit", "permit"): "affirms",
    ("permit", "require"): "affirms",
    ("permit", "fact"): "affirms",
    ("permit", "forbid"): "denies",
    ("permit", "not_fact"): "denies",
    ("permit", "optional"): "unclear",
    ("forbid", "forbid"): "affirms",
    ("forbid", "not_fact"): "affirms",
    ("forbid", "permit"): "denies",
    ("forbid", "require"): "denies",
    ("forbid", "fact"): "denies",
    ("forbid", "optional"): "denies",
    ("require", "require"): "affirms",
    ("require", "fact"): "affirms",
    ("require", "optional"): "denies",
    ("require", "forbid"): "denies",
    ("require", "not_fact"): "denies",
    ("require", "permit"): "unclear",
    ("optional", "optional"): "affirms",
    ("optional", "require"): "denies",
    ("optional", "permit"): "affirms",
    ("optional", "forbid"): "unclear",
    ("optional", "fact"): "unclear",
    ("optional", "not_fact"): "affirms",
    ("fact", "fact"): "affirms",
    ("fact", "require"): "affirms",
    ("fact", "permit"): "affirms",
    ("fact", "not_fact"): "denies",
    ("fact", "forbid"): "denies",
    ("fact", "optional"): "denies",
    ("not_fact", "not_fact"): "affirms",
    ("not_fact", "forbid"): "affirms",
    ("not_fact", "fact"): "denies",
    ("not_fact", "require"): "denies",
    ("not_fact", "permit"): "denies",
    ("not_fact", "optional"): "affirms",
}


def verdict(stated: Modality, wanted: Modality) -> Polarity:
    """Say what a modality makes of a statement with another one: a permission denies a ban."""
    return _VERDICTS[wanted, stated]


def compare(modality: Modality, said: Frame) -> Polarity:
    """Say what a stated modality makes of a proposition."""
    return verdict(modality, said.modality)
