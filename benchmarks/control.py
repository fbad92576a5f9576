"""Labelled answers graded by an earlier version of the rules, as the control of today's.

    python benchmarks/control.py ANSWERS [--commit COMMIT]

ANSWERS is what ``ragharness calibrate --answers`` reads; the commit, by default the last of ``rules@3``, is
taken out of the repository's history. Prints what that version prints, then what today's does.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
from io import BytesIO
from pathlib import Path

from bench import HERE, parser

RULES_3 = "6bd354468609"


def main() -> None:
    """Grade the answers twice."""
    arguments = parser(__doc__)
    arguments.add_argument("answers", type=Path)
    arguments.add_argument("--commit", default=RULES_3)
    options = arguments.parse_args()
    archive = subprocess.run(
        ["git", "archive", options.commit, "harness", "corpora", "questionsets"],
        cwd=HERE.parent,
        check=True,
        stdout=subprocess.PIPE,
    ).stdout
    with tempfile.TemporaryDirectory() as folder, tarfile.open(fileobj=BytesIO(archive)) as files:
        files.extractall(folder, filter="data")
        for name, home in ((options.commit, Path(folder)), ("today", HERE.parent)):
            print(f"--- {name}", flush=True)
            environment = {**os.environ, "PYTHONPATH": str(home / "harness")}
            command = [sys.executable, "-m", "ragharness", "calibrate", "--answers", str(options.answers)]
            subprocess.run(command, env=environment, check=False)


if __name__ == "__main__":
    main()
