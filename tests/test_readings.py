"""Every frozen question was read by two people who answered it before they saw the gold, or waits for them."""

from __future__ import annotations

import re
from hashlib import sha256

import pytest

from ragharness.questions.questionset import frozen_set
from readings import readings

SETS = ("sample", "contractnli", "edgar", "govreport")
WAITING = {"sample": 0, "contractnli": 0, "edgar": 0, "govreport": 0}
"""Questions that were changed since they were read, or are new."""


@pytest.mark.parametrize("name", SETS)
def test_a_reading_is_of_the_question_as_it_stands(name: str) -> None:
    """A change of a question, its gold or its evidence asks for another reading."""
    frozen = frozen_set(name)
    assert [each.id for each in readings(name)] == [each.id for each in frozen.questions]
    hashes = [sha256(line).hexdigest() for line in frozen.lines.splitlines()]
    assert [each.question_sha256 for each in readings(name)] == hashes
    assert all(re.fullmatch(r"2026-\d\d-\d\d", each.date) for each in readings(name))


@pytest.mark.parametrize("name", SETS)
def test_two_readers_answered_and_passed_each_question_or_it_says_why_it_stands(name: str) -> None:
    for each in readings(name):
        assert len(each.readers) in (0, 2), each.id
        assert all(one.answer.strip() and len(one.remark.split()) >= 4 for one in each.readers), each.id
        doubted = any(one.verdict != "pass" or not one.agrees for one in each.readers)
        assert bool(each.mended) == (doubted or not each.readers), each.id


@pytest.mark.parametrize("name", SETS)
def test_no_more_questions_wait_for_readers_than_are_told_of(name: str) -> None:
    waiting = [each.id for each in readings(name) if not each.readers]
    assert len(waiting) == WAITING[name]
    if waiting:
        pytest.skip(f"{len(waiting)} of {len(readings(name))} questions of {name} wait for two readers")
