"""Settings given as name=value: typed, named once, none overlooked."""

from __future__ import annotations

import pytest

from ragharness.errors import UnknownName, UsageError
from ragharness.support.options import Options

FLAG = "--retriever-option"


def options(*texts: str) -> Options:
    return Options.parse(texts, flag=FLAG)


def test_settings_are_read_with_their_types() -> None:
    given = options("model=all=in one", "batch_size=1_000", "Scale= 0.5", "prompt=", "normalize=off")
    assert given.text("model") == "all=in one"
    assert given.whole("batch-size", 32) == 1000
    assert given.number("scale", 1.0) == 0.5
    assert given.text("prompt", "query: ") == ""
    assert given.flag("normalize", True) is False
    given.finish("the retriever")


def test_what_is_not_given_has_its_default() -> None:
    given = options()
    assert (given.text("model", "small"), given.whole("k", 3), given.number("x", 0.25)) == ("small", 3, 0.25)
    assert given.flag("normalize", True)
    assert given.choice("index", "exact", ("exact", "hnsw")) == "exact"
    given.finish("the retriever")


@pytest.mark.parametrize(
    ("texts", "found"),
    [(("model",), "NAME=VALUE, not 'model'"), (("=x",), "not '=x'"), (("a=1", "A=2"), "is given twice")],
)
def test_other_shapes_are_refused(texts: tuple[str, ...], found: str) -> None:
    with pytest.raises(UsageError, match=found):
        options(*texts)


@pytest.mark.parametrize("value", ["", "many", "0", "-1", "1.5", "٣x"])
def test_numbers_out_of_range_are_refused(value: str) -> None:
    with pytest.raises(UsageError, match=f"{FLAG} n= takes a whole number from 1"):
        options(f"n={value}").whole("n", 1, least=1)


@pytest.mark.parametrize("value", ["nan", "inf", "-0.1", "much"])
def test_amounts_out_of_range_are_refused(value: str) -> None:
    with pytest.raises(UsageError, match=f"{FLAG} x= takes a number from 0"):
        options(f"x={value}").number("x", 1.0)


def test_unknown_words_and_names_are_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="hnsw"):
        options("index=hnws").choice("index", "exact", ("exact", "hnsw"))
    given = options("modle=x")
    given.text("model")
    with pytest.raises(UnknownName, match="did you mean model"):
        given.finish("the retriever 'dense'")
    with pytest.raises(UsageError, match="takes no settings such as --retriever-option k1"):
        options("k1=2").finish("the retriever 'bm25'")


def test_a_flag_must_be_yes_or_no() -> None:
    with pytest.raises(UsageError, match="yes or no"):
        options("normalize=maybe").flag("normalize", True)
