"""A rubric as its file gives it: dimensions with weights and thresholds, gates, safety checks."""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import Any, Literal, get_args

import msgspec
from msgspec import Struct
from msgspec.structs import replace

Method = Literal[
    "deterministic",
    "semantic_similarity",
    "llm_judge",
    "human",
    "claim_pipeline",
    "groundedness",
    "safety_layer",
]
METHODS: tuple[str, ...] = get_args(Method)
"""The brief's four, and the three that it names without defining: claims, grounded claims, safety checks."""

JUDGED = "llm_judge"
MOST_DIMENSIONS = 10
SCALE = 10.0
"""Methods score from 0 to 10; thresholds run from 0 to 100."""

ChangeClass = Literal["patch", "minor", "major"]
Rules = dict[str, dict[str, Any]]


class Check(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What is asked of an output by one method; in a safety policy passed or failed, never weighed."""

    id: str = ""
    description: str = ""
    method: str = ""
    rule: Rules = {}
    """Names of rules, each with its arguments."""
    prompt: str = ""
    votes: int | None = None
    """Calls of the judge for one output."""
    model: str = ""
    """The judge's model; empty: the one given for the run."""
    human: Literal["", "on_flag", "required"] = ""
    """When a person must look: at what a detector flags, or at every output."""


class SafetyPolicy(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Which safety checks are enabled."""

    reference: str = ""
    checks: tuple[Check, ...] = ()


class Dimension(Check, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One row of a rubric; everything may be missing in a draft."""

    name: str = ""
    method_from: str = ""
    """Where the method comes from if the source of the rubric states none."""
    gate: bool = False
    weight: float | None = None
    threshold: float | None = None

    @property
    def weighted(self) -> bool:
        """Whether it counts in the total."""
        return not self.gate and (self.weight or 0.0) > 0


class Rubric(Struct, frozen=True, kw_only=True, omit_defaults=True, dict=True, forbid_unknown_fields=True):
    """One version of a rubric."""

    id: str = ""
    name: str = ""
    version: str = ""
    owner: str = ""
    status: Literal["draft", "active"] = "draft"
    parent: str = ""
    """The version that it was branched from, and its hash: ``rag-answer-1.0@0123456789ab``."""
    change_class: Literal["", "patch", "minor", "major"] = ""
    safety_policy: SafetyPolicy = SafetyPolicy()
    dimensions: tuple[Dimension, ...] = ()

    @property
    def asked(self) -> tuple[Check, ...]:
        """The dimensions and the safety checks."""
        return (*self.dimensions, *self.safety_policy.checks)

    @property
    def title(self) -> str:
        """Id and version: how it is named."""
        return f"{self.id}-{self.version}"

    @cached_property
    def hash(self) -> str:
        """A digest of everything but the status, which changes no score."""
        content = msgspec.json.encode(msgspec.to_builtins(replace(self, status="draft")), order="sorted")
        return hashlib.sha256(content).hexdigest()[:16]

    @cached_property
    def normalised(self) -> dict[str, float]:
        """The weight of each weighted dimension as a share of all."""
        return normalise({each.id: each.weight or 0.0 for each in self.dimensions if each.weighted})


class Header(Struct, frozen=True):
    """What every report says of its rubric."""

    id: str
    version: str
    owner: str
    hash: str

    @classmethod
    def of(cls, rubric: Rubric) -> Header:
        """Return a rubric's header."""
        return cls(rubric.id, rubric.version, rubric.owner, rubric.hash)


def normalise(weights: dict[str, float]) -> dict[str, float]:
    """Return weights as shares that sum to 1; nothing for none."""
    # Scaled first: the sum of large weights may not fit a number.
    largest = max(weights.values(), default=0.0)
    scaled = {name: weight / largest for name, weight in weights.items() if weight > 0}
    whole = sum(scaled.values())
    return {name: weight / whole for name, weight in scaled.items()}


def weighed(scores: dict[str, float], weights: dict[str, float]) -> float | None:
    """Return the weighted mean of the dimensions that have a score; None without one."""
    shares = normalise({name: weights[name] for name in scores if name in weights})
    return sum(share * scores[name] for name, share in shares.items()) if shares else None
