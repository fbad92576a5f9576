"""``ragharness review``: the answers of a run that need a person, and those on which graders differ."""

from __future__ import annotations

from ragharness.cli._options import JSON, RUN, columns, print_facts


def review(run: str = RUN, as_json: bool = JSON) -> None:
    """List the answers of a run that no grader could decide, and those on which graders differ.

    Shows how many answers each grader decided, and what it said of those listed.

    Example: ragharness review runs/mine
    """
    from ragharness.reports.people import review_facts, review_lines
    from ragharness.runner.run_search import find_run

    facts = review_facts(find_run(run).records())
    print_facts(facts, review_lines(facts, columns()), as_json=as_json)
