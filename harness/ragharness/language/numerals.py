"""Written numerals ("1.234,5") and number words (English, Spanish, German, French) as decimals."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from ragharness.language.latin import vocabulary, word_set
from ragharness.language.patterns import regex

DIGITS = regex(
    r"\d{1,3}(?:,\d{2})+,\d{3}(?:\.\d+)?(?![\d])"
    r"|\d{1,3}(?:(?P<group>[,.'’\u00a0\u202f\u2009 ])\d{3})(?:(?P=group)\d{3})*(?!\d)(?:[.,]\d+)?"
    r"|\d+(?:[.,]\d+)?"
)
"""One numeral with its separators; a leading decimal point (".5") is added by the caller."""

_CONTINENTAL_WORDS = word_set(
    "der die das und ist sind von für betrug el los las una del por fue son de le les des est et du "
    "une al en el año ejercicio millones millón millionen mio mrd milliarden milliarde milliards "
    "milliard prozent jahr jahre jahren años ans"
)
_CONTINENTAL_SCALES = word_set(
    "millones millón millionen mio mrd milliarden milliarde milliards milliard prozent"
)


class Numeral(NamedTuple):
    """The value of a written numeral."""

    value: Decimal
    significant: int
    """Significant digits; trailing zeros count after a decimal mark, not in an integer."""
    alternative: Decimal | None = None
    """The other reading where comma or point could mean either."""


def continental(text: str) -> bool:
    """Whether a text writes decimals with a comma, judged by its es, de and fr words."""
    present = vocabulary(text)
    return not _CONTINENTAL_SCALES.isdisjoint(present) or len(_CONTINENTAL_WORDS & present) > 1


def read_digits(written: str, text: str) -> Numeral:
    """Read a numeral that ``DIGITS`` matched, in the light of the whole text it stands in.

    With both marks present the last is the decimal mark; a mark that repeats separates thousands, and so do
    spaces and apostrophes; one mark with other than three digits after it, or after a lone zero, is a decimal
    mark. One mark with three digits after it is read as English ("1,234" thousands, "1.234" decimal) unless
    the text is continental: then the other way round, with the English reading as the alternative.
    """
    if written.isdecimal():
        return _numeral(written, "")
    last = max(written.rfind(","), written.rfind("."))
    if last < 0:
        return _numeral(_only_digits(written), "")
    whole, fraction = written[:last], written[last + 1 :]
    if whole.isdecimal():
        if len(fraction) != 3 or len(whole) > 3 or whole == "0":
            return _numeral(whole, fraction)
        grouped, decimal = _numeral(whole + fraction, ""), _numeral(whole, fraction)
        english = grouped if written[last] == "," else decimal
        if not continental(text):
            return english
        other = decimal if english is grouped else grouped
        return other._replace(alternative=english.value)
    if written[last] in whole:
        return _numeral(_only_digits(written), "")
    return _numeral(_only_digits(whole), fraction)


def _only_digits(written: str) -> str:
    return "".join(filter(str.isdecimal, written))


def _numeral(whole: str, fraction: str) -> Numeral:
    if fraction:
        digits = (whole + fraction).lstrip("0")
        return Numeral(Decimal(f"{whole}.{fraction}"), len(digits) or 1)
    return (
        Numeral(Decimal(whole), len(whole.strip("0")) or 1)
        if whole[:1] == "0"
        else Numeral(Decimal(whole), len(whole.rstrip("0")) or 1)
    )
