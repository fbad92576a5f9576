"""Keeping scores with their run, and printing them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragharness.cli._console import Output
    from ragharness.scores import Scores
    from ragharness.store import RunFolder


def keep(folder: RunFolder, scores: Scores) -> Scores:
    """Write the scores into the run's folder and return them."""
    from ragharness.reports import load_format

    folder.write("scores.json", load_format("json")(scores).encode())
    return scores


def show(scores: Scores, output: Output, *, as_json: bool, reference: str = "") -> None:
    """Print the report, or the scores as JSON; ``reference`` names the run in the commands at the end."""
    from ragharness.reports import load_format

    render = load_format("json" if as_json else "terminal")
    output.write(render(scores, width=output.width, colour=output.colour, reference=reference))


def current(folder: RunFolder) -> Scores:
    """Return a run's scores, counted anew from its records; what the blind reference reached is kept."""
    import msgspec

    from ragharness.reports import read_scores
    from ragharness.scores import score_folder

    path = folder.path / "scores.json"
    try:
        kept = read_scores(path.read_bytes())
    except (OSError, msgspec.MsgspecError):
        return score_folder(folder, None, "not computed: the run is not finished")
    known = kept.references
    scores = score_folder(folder, known.blind, known.blind_note)
    if scores.asked == kept.asked or known.blind is None:
        return scores
    # Beside counts of other questions it would mislead.
    return score_folder(folder, None, f"it was counted when {kept.asked} were asked; the run counts it anew")
