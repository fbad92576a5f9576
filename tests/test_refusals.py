"""What a folder's documents are asked although they do not say it, and what is withheld of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragharness.corpus.loading import load_corpus
from ragharness.records import Question
from ragquestions.corpus_index import CorpusIndex
from ragquestions.folder import candidates

SETTINGS = (
    "# Settings\n\nRETRY_TIMES\n\nAdded in version 2.1\n\nDefault: 3\n\nLOG_LEVEL\n\nDefault: quiet\n\n"
    + "The walls of the harbor are painted every spring by the same two men from the village.\n\n" * 12
    + "UPLOAD_LIMIT\n\nHow many pages the harbor office takes at once from a visitor of the town.\n"
)
CHANGES = "".join(
    f"Version {version}\n\nReleased {date}\n\n- Removed a leak.\n\n"
    for version, date in (
        ("3.0.0", "2024-03-01"), ("2.1.1", "2023-08-09"), ("2.1.0", "2023-05-04"), ("2.0.0", "2022-01-02"),
    )
)  # fmt: skip


def asked(folder: Path, **texts: str) -> list[Question]:
    """Return the candidates of a folder of Markdown files whose silence is proven, each in its first wording."""
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text)
    corpus = load_corpus(str(folder))
    index = CorpusIndex(corpus)
    return [each for each in candidates(corpus, 130) if each.wording == 1 and not index.hits(each)]


def texts_of(questions: list[Question], row: str) -> set[str]:
    """Return what is asked in a row."""
    return {each.text for each in questions if row in (each.target, each.stratum)}


def test_a_name_is_asked_of_pages_that_mention_it_and_do_not_say(tmp_path: Path) -> None:
    found = asked(
        tmp_path,
        settings=SETTINGS,
        silent="# Fetching\n\nA page that is slow is asked for again RETRY_TIMES times.\n",
        telling="# Tuning\n\nThe default of RETRY_TIMES is what most people want.\n",
        foreign="# Painting\n\nBlue is the color of the harbor.\n",
    )
    refused = texts_of(found, "refused")
    assert 'According to "Fetching", what is the default of RETRY_TIMES?' in refused
    assert not any("Tuning" in each and "default" in each for each in refused)
    assert not any("Painting" in each for each in refused)


def test_versions_that_would_follow_and_names_that_are_still_there(tmp_path: Path) -> None:
    found = asked(tmp_path, settings=SETTINGS, history=f"# History of changes\n\n{CHANGES}")
    traps = texts_of(found, "adversarial")
    assert 'According to "History of changes", when was version 2.1.2 released?' in traps
    assert not any("3.0.1" in each or "2.1.1 " in each for each in traps)  # yet to come; and it exists
    assert 'According to "Settings", in which version was RETRY_TIMES removed?' in traps
    unanswerable = texts_of(found, "unanswerable")
    assert 'According to "Settings", in which version was UPLOAD_LIMIT added?' in unanswerable
    assert not any("RETRY_TIMES" in each for each in unanswerable)


REPORT = (
    "In 2020, the Harbor Office employed 57 inspectors for timber. FTC issued 12 permits for lanterns in 2021."
    " SEC issued a warning, and SEC officials met in the old town hall of Lindholm.\n\n"
)


def test_a_figure_is_asked_of_another_year_and_of_somebody_else(tmp_path: Path) -> None:
    filler = "Nobody spoke of the walls of the village or of the men who paint them in the spring.\n\n" * 12
    text = f"# Report of the coast\n\n{REPORT}{filler}SEC reported on boats. SEC reported on ropes.\n"
    found = asked(tmp_path, report=text, other="# Another\n\nBlue is the color of the harbor.\n")
    traps = texts_of(found, "adversarial")
    assert any("inspectors" in each and "in 2019" in each for each in traps)
    assert any("inspectors" in each and "Harbor Office" not in each for each in traps)
    assert all(each.absence_patterns for each in found if not each.answerable)


def test_a_name_that_the_rest_still_holds_is_not_withheld(tmp_path: Path) -> None:
    told = "The open_harbor() function opens every gate of the town before the boats arrive from the islands."
    filler = "Nobody spoke of the walls of the village or of the men who paint them in the spring.\n\n" * 40
    rest = "Whoever calls `open_harbor()` pays for a lantern.\n"
    for name, text in (("gone", ""), ("left", rest)):
        folder = tmp_path / name
        folder.mkdir()
        found = asked(folder, harbor=f"# Gates\n\n{told}\n\n{filler}{text}", other="# Another\n\n`a_b()`\n")
        withheld = {each.withheld for each in found if "opens every gate" in each.text}
        assert ("clause" in withheld) == (name == "gone")


def test_what_is_said_of_a_whole_list_is_said_of_its_names(tmp_path: Path) -> None:
    listed = "The following names are deprecated:\n\n- LOG_LEVEL\n\n- RETRY_TIMES\n"
    found = asked(tmp_path, settings=SETTINGS, history=f"# History\n\n{CHANGES}\n\n{listed}")
    assert not any("RETRY_TIMES" in each for each in texts_of(found, "adversarial"))


@pytest.mark.parametrize("told", ["", "Dummy policy (default)", "GATE_POLICY may name the DummyPolicy."])
def test_a_default_that_is_told_in_other_words_is_not_withheld(told: str, tmp_path: Path) -> None:
    filler = "Nobody spoke of the walls of the village or of the men who paint them in the spring.\n\n" * 40
    text = f"# Gates\n\nGATE_POLICY\n\nDefault: 'app.gates.DummyPolicy'\n\n{filler}{told}\n"
    found = asked(tmp_path, gates=text, other="# Another\n\n`a_b()`\n")
    assert ("clause" in {each.withheld for each in found}) == (not told)
