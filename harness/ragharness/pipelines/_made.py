"""``Made``: what the module of a pipeline kind returns, a callable and its settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ragharness.records import Answer, Passage

Setting = str | int | float
Recall = Callable[[str, Sequence[Passage]], Answer | None]


@dataclass(frozen=True)
class Made:
    """A callable of one of the three signatures, with its settings."""

    function: Callable[..., object]
    name: str = ""
    """A short name for headings and folders; empty: the name of its module."""
    settings: Mapping[str, Setting] = field(default_factory=dict)
    """What the answers depend on; kept with the run, so no secret is among them."""
    source: bytes = b""
    """What else belongs into the fingerprint: the bytes of a file that it reads its answers from."""
    recall: Recall | None = None
    """Returns an answer that is already known, or None; costs no call."""
