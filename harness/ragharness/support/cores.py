"""Work that takes seconds, shared out over the cores of the machine."""

from __future__ import annotations

import os
import pickle
import threading
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

_MOST = 8
"""Processes, however many cores there are: each holds a copy of what this one writes to."""


def on_all_cores(work: Callable[[T], R], items: Sequence[T]) -> list[R]:
    """Return what work makes of each item, in their order; raises what it raises.

    Copies of this process do their shares beside it. Where other threads run, which a copy would lack, or
    without ``fork``, all is done here.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    parts = min(cores, len(items), _MOST) if threading.active_count() == 1 else 1
    others = [_begun(work, items[part::parts]) for part in range(1, parts)]
    shares = [[work(each) for each in items[:: parts or 1]]]
    for part, (process, pipe) in enumerate(others, start=1):
        with os.fdopen(pipe, "rb") as answer:
            content, status = answer.read(), 1
        with suppress(ChildProcessError):
            _, status = os.waitpid(process, 0)
        # What failed there is tried here, where it may raise.
        known = None if status else pickle.loads(content)  # noqa: S301 (our own)
        shares.append(known or [work(each) for each in items[part::parts]])
    return [shares[number % parts][number // parts] for number in range(len(items))]


def _begun(work: Callable[[T], R], items: Sequence[T]) -> tuple[int, int]:
    """Start a copy of this process that works; returns its number and where it writes what came of it."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # Python warns of threads, those too that only libraries know of and that hold no lock of ours.
        warnings.simplefilter("ignore", DeprecationWarning)
        process = os.fork()
    if process:
        os.close(writing)
        return process, reading
    status = 1
    try:
        with suppress(BaseException), os.fdopen(writing, "wb") as answer:
            pickle.dump([work(each) for each in items], answer)
            status = 0
    finally:
        os._exit(status)
