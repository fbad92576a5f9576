"""Guard process: ends what the harness has started once the harness itself has ended, for whatever reason.

It reads the groups of processes from its standard input, which ends with the harness. On Linux it also finds
those that left their group, by a variable of their environment. It imports little, to start in no time.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress
from threading import Lock

VARIABLE = "RAGHARNESS_STARTED_BY"
_PAUSE = 0.05  # seconds between two scans: a process that waits for a disk dies when it has it


class Guard:
    """The guard of this process, started when there is something to watch."""

    def __init__(self) -> None:
        self._token = os.urandom(16).hex()
        self._lock = Lock()
        self._process: object = None
        self._pipe = -1
        os.register_at_fork(after_in_child=self._reset)

    def mark(self) -> dict[str, str]:
        """The environment variable that identifies a started process and its children."""
        return {VARIABLE: self._token}

    def watch(self, group: int) -> None:
        """Have a group of processes ended with this process."""
        with self._lock:
            if self._pipe < 0:
                self._start()
        self._send(f"+{group}\n")

    def forget(self, group: int) -> None:
        """Leave a group alone that has ended: its number may become another's."""
        self._send(f"-{group}\n")

    def _start(self) -> None:
        import subprocess

        reading, writing = os.pipe()
        try:
            # It holds neither our output nor our folder.
            self._process = subprocess.Popen(  # noqa: S603 (our own program)
                [sys.executable, "-I", "-S", __file__, self._token],
                stdin=reading,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                start_new_session=True,
            )
            self._pipe = writing
        except OSError:
            os.close(writing)
        finally:
            os.close(reading)

    def _send(self, line: str) -> None:
        with suppress(OSError):
            os.write(self._pipe, line.encode())

    def _reset(self) -> None:
        """In a fork of this process: the guard waits for the end of the original alone."""
        with suppress(OSError):
            os.close(self._pipe)
        self._pipe, self._token, self._lock = -1, os.urandom(16).hex(), Lock()


GUARD = Guard()


def main(token: str) -> None:
    """Wait for the end of the harness, then kill what it left."""
    groups: set[int] = set()
    for line in sys.stdin:
        number = int(line[1:])
        (groups.add if line[0] == "+" else groups.discard)(number)
    for group in groups:
        with suppress(OSError):
            os.killpg(group, signal.SIGKILL)
    while detached := _marked(f"{VARIABLE}={token}".encode()):
        for number in detached:
            with suppress(OSError):
                os.kill(number, signal.SIGKILL)
        time.sleep(_PAUSE)


def _marked(variable: bytes) -> list[int]:
    """Live processes with this variable in their environment; an ended one has none."""
    processes = []
    for name in os.listdir("/proc") if sys.platform == "linux" else ():  # noqa: PTH208
        with suppress(OSError, ValueError), open(f"/proc/{int(name)}/environ", "rb") as file:  # noqa: PTH123
            if variable in file.read().split(b"\0"):
                processes.append(int(name))
    return processes


if __name__ == "__main__":
    main(sys.argv[1])
