"""Inline XBRL pages to text and facts: small pages for each rule, then real ones bent at random."""

from __future__ import annotations

import random
import tracemalloc
from decimal import Decimal
from pathlib import Path
from time import monotonic

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ixbrl import HEAD, annual_report
from ragharness.corpus.filings import Filing, filing_of, read_filing, read_page
from ragharness.corpus.pages import looks_like_html
from ragharness.errors import CorruptDownload
from ragquestions.filings import Tagged, amount, tagged_facts

REPORT = annual_report("Tarn & Fell Co", "903", "2023-12-31", 1013)


def page_of(body: str, resources: str) -> bytes:
    hidden = (
        f'<div style="display:none"><ix:header><ix:resources>{resources}</ix:resources></ix:header></div>'
    )
    return f"{HEAD}<body>{hidden}{body}</body></html>".encode()


def read(body: str, resources: str = "") -> Filing:
    return read_filing(page_of(body, resources))


def facts_in(body: str, resources: str = "") -> list[Tagged]:
    return tagged_facts(read_page(page_of(body, resources)))


def context(name: str, inner: str, dimension: str = "") -> str:
    segment = f"<xbrli:entity><xbrli:segment>{dimension}</xbrli:segment></xbrli:entity>" if dimension else ""
    return f'<xbrli:context id="{name}">{segment}<xbrli:period>{inner}</xbrli:period></xbrli:context>'


def check(filing: Filing, facts: list[Tagged]) -> None:
    """What holds for every page: pieces in order that hold all text, spans inside it."""
    position = 0
    for start, end in filing.pieces:
        assert position <= start < end <= len(filing.text)
        assert not filing.text[position:start].strip()
        position = end
    assert not filing.text[position:].strip()
    for fact in facts:
        for span in (fact.span, fact.row):
            assert span is None or 0 <= span[0] < span[1] <= len(filing.text)
        if fact.value is not None and fact.span:
            assert "".join(filing.text[slice(*fact.span)].split()) == "".join(fact.text.split())


def survive(content: bytes) -> None:
    """A page is read soundly, or refused in a sentence; nothing else may happen."""
    try:
        page = read_page(content)
    except CorruptDownload:
        return
    check(filing_of(page), tagged_facts(page))


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<p>One  <b>two</b>\n three</p><div>four</div>", "One two three\n\nfour"),
        ("<div>un<span>brok</span>en</div>", "unbroken"),
        ("<p>first<br/>second</p>", "first\n\nsecond"),
        ("<p>a\u00a0\u00a0b&#8203;c&nbsp;d</p>", "a bc d"),
        ("<p>seen</p><div style='display: none'>unseen</div><!-- unseen --><?unseen?>", "seen"),
        ("<p>cut off<p>and never closed", "cut off\n\nand never closed"),
        ("<p>AT&T & more &nosuch; &#150; &#xD800; &#128512;</p>", "AT&T & more &nosuch; \u2013 \U0001f600"),
        ("<div>Item 1A.</div><div>Risk Factors</div>", "Item 1A.\n\nRisk Factors"),
        ("<div><span>ITEM 7.</span><span>MANAGEMENT</span></div>", "ITEM 7. MANAGEMENT"),
    ],
)  # fmt: skip
def test_paragraphs(body: str, text: str) -> None:
    assert read(body).text == text


@pytest.mark.parametrize(
    ("cells", "row"),
    [
        ("<td>Sales</td><td>$</td><td>1,234</td><td> </td><td>$</td><td>987</td>", "Sales | $1,234 | $987"),
        ("<td>Loss</td><td>$</td><td>(34</td><td>)</td><td>(5.6</td><td>)</td>", "Loss | $(34) | (5.6)"),
        ("<td>Margin</td><td>24.5</td><td>%</td><td>(1.2</td><td>)%</td>", "Margin | 24.5% | (1.2)%"),
        ("<td>Other</td><td>—</td><td>—</td><td>(49)</td>", "Other | — | — | (49)"),
        ("<td>•</td><td>A point</td>", "• A point"),
        ("<td>Item 1A.</td><td>Risk Factors</td><td>5</td>", "Item 1A. Risk Factors | 5"),
        ("<td>Long<br/>label</td><td><div>1</div></td>", "Long label | 1"),
        ("<td/><td>alone</td><td> </td>", "alone"),
        ("<td>A<table><tr><td>x</td><td>y</td></tr></table></td><td>B</td>", "A x y | B"),
    ],
)  # fmt: skip
def test_rows(cells: str, row: str) -> None:
    assert read(f"<table><tr>{cells}</tr></table>").text == row


def test_rows_of_a_table_follow_each_other_and_stay_in_one_piece() -> None:
    filing = read("<p>before</p><table><tr><td>a</td><td>1</td></tr><tr><td>b</td><td>2</td></tr></table>")
    assert filing.text == "before\n\na | 1\nb | 2"
    assert [filing.text[start:end] for start, end in filing.pieces] == ["before", "a | 1\nb | 2"]


def test_a_large_table_is_cut_between_rows() -> None:
    rows = "".join(f"<tr><td>line {number} of many</td><td>{number}</td></tr>" for number in range(200))
    filing = read(f"<table>{rows}</table>")
    sizes = [len(filing.text[start:end].split()) for start, end in filing.pieces]
    assert len(sizes) > 5
    assert max(sizes) <= 120
    assert all(filing.text[start:end].startswith("line") for start, end in filing.pieces)


def test_furniture_goes_and_what_it_cut_is_joined() -> None:
    pages = [
        f"<p>{word} begins with a sentence of some length that the page's end cuts,</p>"
        f"<p>Oberland Mills | Form 10-K | {number}</p><hr style='page-break-after:always'/>"
        f"<p>Table of Contents</p><p>and it goes on here. {word} ends.</p>"
        for number, word in enumerate(["Alpha", "Beta", "Gamma", "Delta", "Epsilon"], start=1)
    ]
    text = read("".join(pages)).text
    assert "Form 10-K" not in text
    assert "Table of Contents" not in text
    assert text.count("the page's end cuts, and it goes on here.") == 5


def test_a_line_above_tables_is_no_furniture() -> None:
    page = "<p>Balance</p><hr style='page-break-after:always'/><p>(in millions, except per share)</p><p>x</p>"
    assert read(page * 5).text.count("(in millions") == 5


PERIOD = context(
    "now", "<xbrli:startDate>2023-01-30</xbrli:startDate><xbrli:endDate>2024-01-28</xbrli:endDate>"
)
NAMED = '<p><ix:nonNumeric name="dei:DocumentPeriodEndDate" contextRef="now">January 28</ix:nonNumeric></p>'
UNITS = (
    '<xbrli:unit id="usd"><xbrli:measure>iso4217:USD</xbrli:measure></xbrli:unit>'
    '<xbrli:unit id="each"><xbrli:divide><xbrli:unitNumerator><xbrli:measure>iso4217:USD</xbrli:measure>'
    "</xbrli:unitNumerator><xbrli:unitDenominator><xbrli:measure>xbrli:shares</xbrli:measure>"
    "</xbrli:unitDenominator></xbrli:divide></xbrli:unit>"
)


def number(text: str, attributes: str = "", name: str = "us-gaap:Revenues", where: str = "now") -> str:
    return (
        f'<ix:nonFraction name="{name}" contextRef="{where}" unitRef="usd" {attributes}>{text}'
        "</ix:nonFraction>"
    )


def test_a_fact_knows_its_value_period_and_row() -> None:
    tagged = number("(1,234", 'scale="6" sign="-" format="ixt:num-dot-decimal"').replace("(", "", 1)
    body = NAMED + f"<table><tr><td>Loss</td><td>$ (</td><td>{tagged}</td><td>)</td></tr></table>"
    filing = read(body, PERIOD + UNITS)
    fact = next(each for each in facts_in(body, PERIOD + UNITS) if each.value is not None)
    assert (fact.value, fact.unit, fact.context.start, fact.context.end) == (
        Decimal(-1234000000),
        "USD",
        "2023-01-30",
        "2024-01-28",
    )
    assert fact.span
    assert filing.text[slice(*fact.span)] == "1,234"
    assert fact.row
    assert filing.text[slice(*fact.row)].startswith("Loss | $")
    assert filing.period
    assert filing.period.end == "2024-01-28"


def test_a_fact_in_prose_has_its_sentence() -> None:
    tagged = number("12.5", 'scale="9"')
    body = f"<p>First sentence here. We earned ${tagged} billion. A third follows.</p>"
    filing = read(NAMED + body, PERIOD + UNITS)
    fact = next(each for each in facts_in(NAMED + body, PERIOD + UNITS) if each.value is not None)
    assert fact.row
    assert filing.text[slice(*fact.row)] == "We earned $12.5 billion."
    assert fact.value == Decimal(12500000000)


def test_dimensions_nested_facts_nil_and_unknown_contexts() -> None:
    member = (
        '<xbrldi:explicitMember dimension="us-gaap:StatementBusinessSegmentsAxis">x</xbrldi:explicitMember>'
    )
    where = context("part", "<xbrli:instant>2024-01-28</xbrli:instant>", member)
    nested = number(number("7", name="us-gaap:Assets"), name="us-gaap:LiabilitiesAndStockholdersEquity")
    nil = number("", 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"')
    body = f"<p>{number('5', where='part')} {nested} {nil} {number('9', where='nowhere')} {number('x9')}</p>"
    values = [
        (each.concept, each.value, each.context.dimensions) for each in facts_in(body, PERIOD + where + UNITS)
    ]
    assert values == [
        ("us-gaap:Revenues", Decimal(5), 1),
        ("us-gaap:LiabilitiesAndStockholdersEquity", Decimal(7), 0),
        ("us-gaap:Assets", Decimal(7), 0),
    ]


def test_a_continuation_is_followed_but_not_in_circles() -> None:
    body = (
        '<p><ix:nonNumeric name="dei:EntityRegistrantName" contextRef="now" continuedAt="a">Tarn'
        "</ix:nonNumeric></p>"
        '<p><ix:continuation id="a" continuedAt="b">and</ix:continuation>'
        '<ix:continuation id="b" continuedAt="b">Fell</ix:continuation></p>'
    )
    assert facts_in(body, PERIOD)[0].text.startswith("Tarn and Fell")


def test_a_fact_is_without_what_it_excludes() -> None:
    body = (
        '<p><ix:nonNumeric name="dei:EntityRegistrantName" contextRef="now">Tarn and <ix:exclude><b>12</b>'
        "</ix:exclude>Fell<br/> Co</ix:nonNumeric>Ltd</p>"
    )
    assert facts_in(body, PERIOD)[0].text == "Tarn and Fell Co"


@pytest.mark.parametrize(
    ("text", "rule", "scale", "sign", "value"),
    [
        ("391,035", "ixt:num-dot-decimal", "6", "", "391035000000"),
        ("391.035", "ixt:numcommadecimal", "3", "", "391035000"),
        ("1 234,5", "ixt:num-comma-decimal", "0", "-", "-1234.5"),
        ("1.234,5", "ixt:numdotcomma", "0", "", "1234.5"),
        ("1 234,5", "ixt:numspacecomma", "0", "", "1234.5"),
        ("1234,5", "ixt:numcomma", "0", "", "1234.5"),
        ("1,234.5", "ixt:numcommadot", "0", "", "1234.5"),
        ("1 234.5", "ixt:numspacedot", "0", "", "1234.5"),
        ("1’234.5", "ixt:num-dot-decimal-apos", "0", "", "1234.5"),
        ("1’234,5", "ixt:num-comma-decimal-apos", "0", "", "1234.5"),
        ("12,34,567.8", "ixt:numdotdecimalin", "0", "", "1234567.8"),
        ("-", "ixt:numdash", "0", "", "0"),
        ("—", "ixt:fixed-zero", "6", "", "0"),
        ("—", "ixt:zerodash", "6", "-", "0"),
        ("no", "ixt-sec:numwordsen", "0", "", "0"),
        ("twenty-one", "ixt-sec:numwordsen", "0", "", "21"),
        ("24.1", "ixt:num-dot-decimal", "-2", "", "0.241"),
        (".05", "", "", "", "0.05"),
    ],
)
def test_values(text: str, rule: str, scale: str, sign: str, value: str) -> None:
    assert amount(text, rule, scale, sign) == Decimal(value)


@pytest.mark.parametrize("text", ["", "n/a", "1.2.3", "12 apples", "9" * 70])
def test_no_values(text: str) -> None:
    assert amount(text, "ixt:num-dot-decimal", "0", "") is None


@pytest.mark.parametrize("day", ["2024-13-45", "2023-02-29", "0001-01-01", "9999-12-31", "soon", ""])
def test_a_period_that_is_no_day_is_none(day: str) -> None:
    where = context("odd", f"<xbrli:instant>{day}</xbrli:instant>")
    assert facts_in(f"<p>{number('5', where='odd')}</p>", PERIOD + where + UNITS) == []


@pytest.mark.parametrize("text", ["--", "", "0", "½", "é", "**", "n/a"])
def test_what_is_no_number_in_words_is_no_value(text: str) -> None:
    assert amount(text, "ixt-sec:numwordsen", "0", "") == (0 if text == "0" else None)


@pytest.mark.parametrize(("text", "scale"), [("9" * 22, ""), ("5", "21"), ("1." + "3" * 30, "")])
def test_more_digits_than_money_has_are_no_value(text: str, scale: str) -> None:
    assert amount(text, "", scale, "") is None


def test_a_scale_beyond_reason_is_no_value() -> None:
    assert amount("1", "ixt:num-dot-decimal", "999999999", "") is None


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"   ",
        b"<?xml version='1.0'?><!DOCTYPE x [<!ENTITY a 'aaaa'>]>",
        b"\xff\xfe\x00",
        b"<html>" + b"<div>" * 5000 + b"deep",
        REPORT[: len(REPORT) // 2],
    ],
)
def test_broken_pages_are_read_or_refused(content: bytes) -> None:
    survive(content)


def test_entities_do_not_explode() -> None:
    levels = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    bomb = f'<?xml version="1.0"?><!DOCTYPE html [<!ENTITY e0 "ha">{levels}]><html><body>&e11;</body></html>'
    assert len(read_filing(bomb.encode()).text) < 1000


def test_document_types_that_never_end_are_looked_at_once() -> None:
    began = monotonic()
    read_filing(b"<html><body>" + b"<!DOCTYPE [" * 100_000 + b"</body></html>")
    assert monotonic() - began < 20  # minutes, when each of them was followed


@pytest.mark.parametrize("levels", [300, 1500])
def test_deep_pages_are_read(levels: int) -> None:
    assert read_filing(nested(levels)).text == "kept"


@pytest.mark.parametrize("levels", [3000, 100_000])
def test_what_is_nested_without_end_is_refused(levels: int) -> None:
    with pytest.raises(CorruptDownload, match="nested deeper"):
        read_filing(nested(levels))


def nested(levels: int) -> bytes:
    return f"<html><body>{'<div>' * levels}kept{'</div>' * levels}</body></html>".encode()


def test_long_texts_are_kept_whole() -> None:
    page = f"<html><body><p>{'word ' * 2_500_000}end</p></body></html>"
    assert read_filing(page.encode()).text.endswith("word end")


def test_a_page_beyond_reason_is_refused() -> None:
    with pytest.raises(CorruptDownload, match="more than the 64000000 of any page"):
        read_filing(b"<html><body>" + b" " * 64_000_000)


@pytest.mark.parametrize("lost", ["</td>", "</tr>", "</div>", "</span>", "</table>"])
@pytest.mark.parametrize("place", [0, 3, 7])
def test_a_lost_end_costs_no_text(lost: str, place: int) -> None:
    """A parser of XML takes the next end for it, so that the rest of the page would lie in one cell."""
    rows = "".join(
        f"<tr><td><div><span>Line {each}</span></div></td><td>$</td><td>{each},000</td></tr>"
        for each in range(4)
    )
    body = f"<div><div>Before</div><table>{rows}</table><p>Between</p><table>{rows}</table></div><p>After</p>"
    parts = body.split(lost)
    place = min(place, len(parts) - 2)
    bent = lost.join(parts[: place + 1]) + lost.join(["", *parts[place + 1 :]])[len(lost) :]
    assert len(bent) == len(body) - len(lost)
    text = read(bent).text
    for each in ("Before", "Between", "After", "Line 3 | $3,000"):
        assert each in text
    assert text.count("Line 0 | $0,000\nLine 1 | $1,000\n") == 2


def test_no_file_is_read_for_an_entity(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("do not tell")
    page = f'<!DOCTYPE html [<!ENTITY s SYSTEM "{secret.as_uri()}">]><html><body>a &s; b</body></html>'
    assert "do not tell" not in read_filing(page.encode()).text


def test_encodings() -> None:
    page = '<html><head><meta charset="windows-1252"/></head><body><p>caf\u00e9 \u2019</p></body></html>'
    assert read_filing(page.encode("cp1252")).text == "caf\u00e9 \u2019"
    assert read_filing(page.replace("windows-1252", "utf-8").encode()).text == "caf\u00e9 \u2019"
    wide = "<html><body><p>caf\u00e9 &amp;&nbsp;& Co&#8217;s</p></body></html>".encode("utf-16")
    assert looks_like_html(wide)
    assert read_filing(wide).text == "caf\u00e9 & & Co\u2019s"
    assert not looks_like_html(b"%PDF-1.7")


TAGS = st.sampled_from(
    ["div", "p", "table", "tr", "td", "span", "ix:nonFraction", "ix:nonNumeric", "b", "br", "hr"]
)
SOUP = st.recursive(
    st.text(max_size=20),
    lambda inner: st.builds(
        lambda tag, parts, close: (
            f"<{tag} name='us-gaap:X' contextRef='now'>{''.join(parts)}{f'</{tag}>' * close}"
        ),
        TAGS,
        st.lists(inner, max_size=4),
        st.integers(0, 2),
    ),
    max_leaves=25,
)


@given(SOUP)
@settings(max_examples=150)
def test_any_soup_of_elements(soup: str) -> None:
    body = NAMED + soup.encode(errors="replace").decode()
    check(read(body, PERIOD + UNITS), facts_in(body, PERIOD + UNITS))


@given(st.binary(max_size=400))
@settings(max_examples=150)
def test_any_bytes(content: bytes) -> None:
    survive(content)


def bent(content: bytes, seed: int) -> bytes:
    """Return a page with pieces cut out, doubled, moved or overwritten."""
    draw = random.Random(seed)
    page = bytearray(content)
    for _ in range(draw.randint(1, 30)):
        start = draw.randrange(len(page))
        size = draw.choice([1, 3, 40, 2000])
        kind = draw.randrange(4)
        if kind == 0:
            del page[start : start + size]
        elif kind == 1:
            page[start:start] = page[start : start + size]
        elif kind == 2:
            page[start : start + 1] = bytes([draw.randrange(256)])
        else:
            page[start:start] = draw.choice(
                [b"</div>", b"<table>", b"</td></tr>", b"<ix:header>", b"&", b"<!--"]
            )
    return bytes(page)


@pytest.mark.parametrize("seed", range(40))
def test_a_bent_report(seed: int) -> None:
    survive(bent(REPORT, seed))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_a_bent_real_filing(edgar_folder: Path, seed: int) -> None:
    files = sorted(edgar_folder.glob("*.html"))
    content = files[seed * 4 % len(files)].read_bytes()
    tracemalloc.start()
    began = monotonic()
    survive(bent(content, seed))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert monotonic() - began < 60
    assert most < 40 * len(content)
