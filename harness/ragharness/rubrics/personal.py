"""Personal data that a program can find: what has a form or a check digit."""

from __future__ import annotations

import re

from ragharness.errors import MissingExtra

_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+")
_DIGITS = re.compile(r"(?<![\w.])\d(?:[ -]?\d){12,18}(?![\w.]\d)")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b")
_SSN = re.compile(r"(?<![\w-])\d{3}-\d{2}-\d{4}(?![\w-])")


def find_personal_data(text: str, region: str = "US") -> list[tuple[str, str]]:
    """Return (kind, text) of each find; ``region`` reads telephone numbers without a country's code.

    Names and addresses are not found: they have no form. Raises MissingExtra.
    """
    try:
        from phonenumbers import Leniency, PhoneNumberMatcher
        from stdnum import iban, luhn
        from stdnum.us import ssn
    except ImportError as error:
        raise MissingExtra("finding personal data", "pii") from error
    found = [("email", each[0]) for each in _EMAIL.finditer(text)]
    found += [("iban", each[0]) for each in _IBAN.finditer(text) if iban.is_valid(each[0])]
    found += [("ssn", each[0]) for each in _SSN.finditer(text) if ssn.is_valid(each[0])]
    for each in _DIGITS.finditer(text):
        digits = re.sub(r"\D", "", each[0])
        if luhn.is_valid(digits) and digits[0] in "3456":
            found.append(("card", each[0]))
    phones = PhoneNumberMatcher(text, region, leniency=Leniency.VALID)
    found += [("phone", each.raw_string) for each in phones]
    return found
