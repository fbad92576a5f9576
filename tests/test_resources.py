"""The data is found in the clone and in the wheel; modules of its folders load once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from conftest import ROOT
from ragharness.errors import RagharnessError, UnknownName
from ragharness.support import resources


def test_the_data_of_a_clone_is_found() -> None:
    assert resources.root() == ROOT
    assert "contractnli" in resources.names("corpora")
    assert resources.folder("corpora", "contractnli") == ROOT / "corpora" / "contractnli"


def test_the_data_of_a_wheel_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = tmp_path / "_data" / "baselines" / "plain"
    packed.mkdir(parents=True)
    (packed / "baseline.toml").touch()
    (tmp_path / "_data" / "baselines" / "not-one").mkdir()
    monkeypatch.setattr(resources, "_PACKAGE", tmp_path)
    assert resources.names("baselines") == ["plain"]
    assert resources.folder("baselines", "plain") == packed


@pytest.mark.parametrize("name", ["contractnil", "", "../corpora/contractnli", "contractnli/.."])
def test_an_unknown_name_offers_the_nearest(name: str) -> None:
    with pytest.raises(UnknownName, match="contractnli"):
        resources.folder("corpora", name)


def test_an_incomplete_installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "_PACKAGE", tmp_path / "site-packages" / "ragharness")
    with pytest.raises(RagharnessError, match="installation is incomplete"):
        resources.names("corpora")


def test_modules_load_once_and_keep_apart(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "parse.py").write_text(f"NAME = {name!r}\nSEEN = []\n")
    one = resources.load_module(tmp_path / "one" / "parse.py")
    one.SEEN.append(1)
    assert resources.load_module(tmp_path / "two" / "parse.py").NAME == "two"
    assert resources.load_module(tmp_path / "one" / "parse.py") is one


def test_the_files_of_a_folder_import_each_other(tmp_path: Path) -> None:
    home = tmp_path / "my-corpus.v2"
    home.mkdir()
    (home / "parse.py").write_text("from . import names\nfrom .names import Name\n")
    (home / "names.py").write_text("class Name: ...\n")
    parser = resources.load_module(home / "parse.py")
    assert parser.Name is parser.names.Name is resources.load_module(home / "names.py").Name


def test_threads_that_load_a_module_together_find_it_whole(tmp_path: Path) -> None:
    path = tmp_path / "parse.py"
    path.write_text("import time\ntime.sleep(0.1)\nNAME = 'whole'\n")
    with ThreadPoolExecutor(4) as pool:
        names = list(pool.map(lambda each: resources.load_module(each).NAME, [path] * 4))
    assert names == ["whole"] * 4


def test_a_module_that_fails_is_not_remembered(tmp_path: Path) -> None:
    path = tmp_path / "parse.py"
    with pytest.raises(RagharnessError, match="there is no Python file"):
        resources.load_module(path)
    path.write_text("1 / 0")
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            resources.load_module(path)
