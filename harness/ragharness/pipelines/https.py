"""A pipeline behind a URL, as in ``http``, over an encrypted connection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.pipelines.http import build_at

if TYPE_CHECKING:
    from ragharness.pipelines import BuiltPipeline, Context


def build(context: Context, argument: str) -> BuiltPipeline:
    """Return the pipeline at ``https:argument``; raises PipelineNotUsable."""
    return build_at(context, f"https:{argument}")
