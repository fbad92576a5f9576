"""``ragharness doctor``: what it finds, what it never shows, and what it costs."""

from __future__ import annotations

import ast
import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from commands import PROGRAM
from ragharness.cli import doctor
from ragharness.retrievers import models
from ragharness.support import resources

if TYPE_CHECKING:
    from commands import Verb

SECRET = "sk-planted-0123456789abcdef"


def findings(verb: Verb) -> dict[str, dict[str, Any]]:
    """Return what doctor finds, by group and name."""
    told = json.loads(verb("doctor", "--json").output)
    return {f"{each['group']} {each['name'].strip()}": each for each in told["findings"]}


def test_a_working_installation_is_fine(verb: Verb) -> None:
    code, output, errors = verb("doctor")
    assert (code, errors) == (0, "")
    assert max(map(len, output.splitlines())) <= 80
    assert output.splitlines()[-1].startswith("nothing is broken")
    found = findings(verb)
    assert all(each["state"] != "broken" for each in found.values())
    assert {name.partition(" ")[0] for name in found} == {
        "installation", "extras", "models", "corpora", "folders", "keys", "network",
    }  # fmt: skip
    assert found["installation python"]["found"].startswith(platform.python_version())
    assert found["corpora sample"]["found"] == "embedded"
    assert found["corpora contractnli"]["help"] == "ragharness corpus fetch contractnli"


def test_every_extra_that_a_run_may_need_is_named_with_its_command(verb: Verb) -> None:
    imported = {
        name.partition(".")[0]
        for path in Path(doctor.__file__).parents[1].rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for name in (
            [each.name for each in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else [node.value]
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
            else []
        )
    }
    modules = {"faiss-cpu": "faiss", "opensearch-py": "opensearchpy"}
    known = {
        extra
        for extra, here in doctor.packages().items()
        if {modules.get(name, name.replace("-", "_")) for name in here} & imported
    }
    found = findings(verb)
    assert {each["name"] for each in found.values() if each["group"] == "extras"} == known >= {"dense", "ray"}
    for name in known:
        each = found[f"extras {name}"]
        first = "pip install torch --index-url https://download.pytorch.org/whl/cpu && "
        command = f"{first if name == 'dense' else ''}pip install 'ragharness[{name}]'"
        assert each["help"] == (command if each["state"] == "missing" else "")
        assert (each["state"] == "ok") is all(doctor.packages()[name].values())


@pytest.mark.parametrize("name", doctor.KEYS)
def test_keys_are_present_or_absent_and_never_shown(
    verb: Verb, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    for value, state, word in (
        (SECRET, "ok", "present"),
        (SECRET + SECRET, "ok", "present"),
        ("", "missing", "absent"),
    ):
        monkeypatch.setenv(name, value)
        found = findings(verb)[f"keys {name}"]
        assert found["state"] == state
        assert word in found["found"]
        code, output, errors = verb("doctor")
        assert code == 0
        assert SECRET not in output + errors
        # Not even the length: two keys of other lengths are told alike.
        assert str(len(value)) not in found["found"]
    monkeypatch.delenv(name)
    assert findings(verb)[f"keys {name}"]["found"].startswith("absent")


def test_a_proxy_with_a_password_is_named_and_not_shown(verb: Verb, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", f"http://user:{SECRET}@127.0.0.1:1")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    code, output, _ = verb("doctor")
    assert code == 0
    assert "set: HF_HUB_OFFLINE, HTTPS_PROXY" in output
    assert SECRET not in output


def test_an_installation_without_its_corpora_is_broken(
    verb: Verb, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(resources, "root", lambda: tmp_path / "nowhere")
    code, output, _ = verb("doctor")
    assert code == 1
    assert output.splitlines()[-1] == "1 broken: see above for the fix"
    found = findings(verb)["corpora all"]
    assert (found["state"], found["help"]) == ("broken", "pip install --force-reinstall ragharness")


def test_a_cache_that_is_a_file_is_broken(
    verb: Verb, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "taken").write_text("")
    monkeypatch.setenv("RAGHARNESS_CACHE", str(tmp_path / "taken" / "below"))
    found = findings(verb)["folders cache"]
    assert (found["state"], found["help"]) == ("broken", "RAGHARNESS_CACHE=FOLDER chooses another")
    assert "taken is no writable folder" in found["found"]


def test_the_model_is_found_where_the_hub_keeps_it(
    verb: Verb, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(models, "PACKAGE", "no-such-package")
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    name = f"models {models.DEFAULT_MODEL}"
    assert findings(verb)[name]["state"] == "missing"
    home = tmp_path / "hub" / "models--sentence-transformers--all-MiniLM-L6-v2"
    for folder in ("refs", "snapshots/1110a243"):
        (home / folder).mkdir(parents=True)
    (home / "snapshots" / "1110a243" / "config.json").write_text("{}")
    (home / "refs" / "main").write_text("1110a243")
    assert findings(verb)[name]["state"] == "ok"
    assert models.find_model(models.DEFAULT_MODEL).revision == "1110a243", "dense finds the same one"


def test_it_loads_nothing_heavy_and_writes_nothing(tmp_path: Path) -> None:
    heavy = ("torch", "faiss", "sentence_transformers", "openai", "anthropic", "httpx", "numpy", "rank_bm25")
    program = (
        "import sys; sys.argv = ['ragharness', 'doctor']\n"
        "import ragharness.cli as cli\n"
        "cli._run()\n"
        f"print('LOADED', sorted(set({heavy!r}) & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "RAGHARNESS_CACHE": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "LOADED []"
    assert not list(tmp_path.iterdir())


def test_it_works_where_the_terminal_knows_ascii_alone(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "doctor"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONIOENCODING": "ascii", "COLUMNS": "40"},
        capture_output=True,
        check=True,
    )
    assert max(map(len, done.stdout.splitlines())) <= 60
