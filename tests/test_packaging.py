"""The wheel carries the two packages and their data, and works outside the checkout."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from conftest import ROOT

DATA = (
    "corpora/sample/corpus.toml",
    "corpora/contractnli/corpus.toml",
    "questionsets/contractnli/questions.jsonl",
    "rubrics/rag-answer-1.0/rubric.yaml",
)


@pytest.fixture(scope="module")
def unpacked_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)],
        check=True,
        capture_output=True,
    )
    [wheel] = folder.glob("*.whl")
    site = folder / "site"
    zipfile.ZipFile(wheel).extractall(site)
    return site


@pytest.mark.slow
def test_wheel_holds_the_packages_with_their_data_and_nothing_else(unpacked_wheel: Path) -> None:
    tops = {path.name.split("-")[0] for path in unpacked_wheel.iterdir()}
    assert tops == {"ragharness", "ragquestions"}
    for name in DATA:
        assert (unpacked_wheel / "ragharness" / "_data" / name).is_file()
    assert (unpacked_wheel / "ragharness" / "py.typed").is_file()
    assert (unpacked_wheel / "ragharness" / "schemas" / "question.json").is_file()


@pytest.mark.slow
def test_wheel_has_what_was_composed_and_not_the_program(unpacked_wheel: Path) -> None:
    sample = unpacked_wheel / "ragharness" / "_data" / "corpora" / "sample"
    assert (sample / "documents.jsonl").is_file()
    assert [path.name for path in sample.iterdir() if path.is_dir()] == ["recipe"]
    assert not list(unpacked_wheel.rglob("*compose*"))


@pytest.mark.slow
def test_wheel_runs_outside_the_checkout(unpacked_wheel: Path, tmp_path: Path) -> None:
    program = (
        f"import sys; sys.path.insert(0, {str(unpacked_wheel)!r})\n"
        "import ragharness; from ragharness.cli import main\n"
        f"assert ragharness.__file__.startswith({str(unpacked_wheel)!r}), ragharness.__file__\n"
        "sys.argv = ['ragharness', 'run', '--json']\n"
        "main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert '"questions":130' in done.stdout.replace(" ", "").replace("\n", "")


def test_editable_install_finds_the_data() -> None:
    from ragharness.support import resources

    assert {"sample", "contractnli"} <= set(resources.names("corpora"))
    assert resources.folder("corpora", "sample") == ROOT / "corpora" / "sample"
