"""Work on all cores comes back whole and in order, whatever becomes of the copies of the process."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable

import pytest

from ragharness.support.concurrency import map_on_cores

HERE = os.getpid()
NUMBERS = list(range(7))


@pytest.fixture(autouse=True)
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)


def squared(number: int) -> int:
    return number * number


def told(number: int) -> tuple[int, bool]:
    return number, os.getpid() == HERE


def killed_elsewhere(number: int) -> int:
    if os.getpid() != HERE and number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return squared(number)


def unspeakable_elsewhere(number: int) -> Callable[[], int]:
    return lambda: number


def refused(number: int) -> int:
    if number == 3:
        raise ValueError(f"not {number}")
    return number


def test_results_are_in_order_and_two_processes_made_them() -> None:
    found = map_on_cores(told, NUMBERS)
    assert [number for number, _ in found] == NUMBERS
    assert [here for _, here in found] == [threading.active_count() > 1 or n % 2 == 0 for n in NUMBERS]
    assert map_on_cores(squared, []) == []


def test_the_share_of_a_copy_that_is_killed_is_done_here() -> None:
    assert map_on_cores(killed_elsewhere, NUMBERS) == list(map(squared, NUMBERS))


def test_what_cannot_be_sent_is_made_here() -> None:
    assert [each() for each in map_on_cores(unspeakable_elsewhere, NUMBERS)] == NUMBERS


def test_what_the_work_raises_is_raised() -> None:
    with pytest.raises(ValueError, match="not 3"):
        map_on_cores(refused, NUMBERS)


def test_beside_other_threads_nothing_is_copied() -> None:
    done = threading.Event()
    other = threading.Thread(target=done.wait)
    other.start()
    try:
        assert all(here for _, here in map_on_cores(told, NUMBERS))
    finally:
        done.set()
        other.join()
