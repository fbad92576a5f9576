"""A pipeline behind a URL, as in ``http``, over an encrypted connection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.pipelines.http import made

if TYPE_CHECKING:
    from ragharness.pipelines import Context
    from ragharness.pipelines._made import Made


def build(context: Context, argument: str) -> Made:
    """Return the pipeline at ``https:argument``; raises PipelineNotUsable."""
    return made(context, f"https:{argument}")
