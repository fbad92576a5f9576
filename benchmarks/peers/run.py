"""What six tools make of the same ten answers: writes ``benchmarks/peers.json``.

    python benchmarks/peers/run.py --venvs FOLDER [--only NAME]

FOLDER holds a virtual environment for each tool (``python -m venv FOLDER/NAME``, then the ``pip`` line of
``TOOLS``) and ``FOLDER/promptfoo`` (``npm install promptfoo``). No key and no network is needed: what asks a
model asks ``judge.py``. A tool that is not there or fails is kept with its error.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
RESULT = HERE.parent / "peers.json"
TOOLS = {
    "ragharness": "",
    "ragas": "pip install ragas 'langchain-community<0.4' rapidfuzz",
    "deepeval": "pip install deepeval",
    "trulens": "pip install trulens trulens-providers-openai",
    "promptfoo": "npm install promptfoo",
    "inspect": "pip install inspect-ai openai",
}
QUIET = {"DEEPEVAL_TELEMETRY_OPT_OUT": "YES", "RAGAS_DO_NOT_TRACK": "true", "TRULENS_OTEL_TRACING": "0"}
LIMIT = 600


def measured(name: str, venvs: Path) -> dict[str, Any]:
    """Return what a tool said of the answers, and how often it asked the judge."""
    own = name in ("ragharness", "promptfoo")
    python = Path(sys.executable) if own else venvs / name / "bin" / "python"
    if not python.is_file():
        return {"error": f"not installed: {TOOLS[name]}"}
    with subprocess.Popen([sys.executable, HERE / "judge.py"], stdout=subprocess.PIPE, text=True) as judge:
        assert judge.stdout is not None
        address = judge.stdout.readline().strip()
        variables = {
            **os.environ,
            **QUIET,
            "JUDGE": address,
            "PROMPTFOO": str(venvs / "promptfoo" / "node_modules" / ".bin" / "promptfoo"),
        }
        if not own:
            variables.pop("PYTHONPATH", None)
        with tempfile.TemporaryDirectory() as place:
            done = subprocess.run(
                [python, "-W", "ignore", HERE / f"with_{name}.py"],
                cwd=place, env=variables, capture_output=True, text=True, timeout=LIMIT, check=False,
            )  # fmt: skip
        with urllib.request.urlopen(address) as asked:
            calls = json.load(asked)
        judge.terminate()
    if done.returncode:
        return {"error": done.stderr.strip().splitlines()[-1][:300]}
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return {"install": TOOLS[name], "judge_calls": calls, **found}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--venvs", required=True, type=Path)
    parser.add_argument("--only", choices=TOOLS, action="append")
    asked = parser.parse_args()
    result = json.loads(RESULT.read_text(encoding="utf-8")) if RESULT.is_file() else {"tools": {}}
    result["python"] = platform.python_version()
    for name in asked.only or TOOLS:
        result["tools"][name] = measured(name, asked.venvs.absolute())
        print(name, json.dumps(result["tools"][name])[:300])
    result["tools"] = {name: result["tools"][name] for name in TOOLS if name in result["tools"]}
    RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
