"""Titles before citation marks are taken out as one pattern of all titles would take them out."""

import re

from hypothesis import given
from hypothesis import strategies as st

from ragharness.language.markup import normalise, without_labels

_PIECES = ["T 1", "T 12", "T", "ab", " ", ",", "[", "]", "【", "*", '"', "(", ")", ":", "-", "“", "’", "_"]


@given(
    st.lists(st.sampled_from(_PIECES), max_size=30).map("".join),
    st.lists(st.sampled_from(["T 1", "T 12", "T", "ab", '"T', "1)"]), max_size=3),
)
def test_titles_before_marks(text: str, titles: list[str]) -> None:
    named = sorted({each for each in titles if each in text}, key=len, reverse=True)
    any_title = "|".join(map(re.escape, named))
    label = rf"[\"'“”‘«„*_(]{{0,4}}(?:{any_title})[\"'“”’»*_)]{{0,4}}[ \t,:–—-]{{0,3}}(?=[\[\u3010])"
    assert without_labels(text, titles) == (re.sub(label, "this document ", text) if named else text)


def test_a_title_elsewhere_stays() -> None:
    text = 'The "Report 1" [a#1] says so, and Report 1 is long.'
    assert without_labels(text, ["Report 1"]) == "The this document [a#1] says so, and Report 1 is long."


def test_colours_and_lost_characters_say_nothing() -> None:
    assert normalise("\x1b[1;31mIt is \ufffdfive.\x1b[0m").text == "It is five."
