"""A stated amount against the gold one: unit, scale, rounding and tolerance."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, InvalidOperation
from typing import TYPE_CHECKING, Literal

from msgspec.structs import replace

from ragharness.language.units import in_base, is_duration, read_unit

if TYPE_CHECKING:
    from ragharness.language.quantity import Quantity

Relation = Literal["match", "mismatch", "other_unit"]
_TOLERANCE = Decimal("0.005")
_SMALL = Decimal(1000)
_ROUNDINGS = (ROUND_HALF_UP, ROUND_HALF_EVEN)
_CALENDAR_YEARS = frozenset({"year", "calendar year", "fiscal year"})


def compare_quantity(gold: str | Decimal, gold_unit: str, quantity: Quantity) -> tuple[Relation, bool]:
    """Compare an amount with the gold one; the second value says that its scale was taken from the question.

    A missing unit is the question's; another unit or currency is ``other_unit``. It is a match iff the gold,
    rounded to the significant digits written, equals it and the relative error is at most 0.5 %. Calendar
    years, durations and counts below 1,000 must be equal. A fraction below one matches a percentage.
    """
    try:
        number = Decimal(gold.replace(",", "") if isinstance(gold, str) else gold)
    except InvalidOperation:
        return "mismatch", False
    measure = read_unit(gold_unit)
    unit = measure.unit
    if not number.is_finite():
        return "mismatch", False
    if quantity.unit and quantity.unit != unit and not (is_duration(unit) and is_duration(quantity.unit)):
        return "other_unit", False
    if quantity.year and gold_unit.strip().casefold() in _CALENDAR_YEARS:
        return ("match" if quantity.value == number else "mismatch"), False
    readings = (
        [quantity]
        if quantity.alternative is None
        else [quantity, replace(quantity, value=quantity.alternative)]
    )
    wanted = number * measure.factor
    for reading in readings:
        if _equal(wanted, unit, reading):
            return "match", False
        if unit == "percent" and not quantity.unit and abs(reading.value) < 1:
            if _equal(wanted, unit, replace(reading, value=reading.value * 100)):
                return "match", False
        elif (
            measure.factor != 1
            and not quantity.scaled
            and not is_duration(unit)
            and _equal(number, unit, reading)
        ):
            return "match", True
    return "mismatch", False


def _equal(wanted: Decimal, unit: str, quantity: Quantity) -> bool:
    value = quantity.value
    if is_duration(unit):
        return in_base(wanted, unit) == in_base(value, quantity.unit or unit)
    if wanted == value:
        return True
    counted = not unit and abs(wanted) < _SMALL and wanted == wanted.to_integral_value()
    if counted or quantity.year or abs(wanted - value) > _TOLERANCE * abs(wanted):
        return False
    step = Decimal(1).scaleb(wanted.adjusted() - quantity.significant + 1)
    return any(
        (wanted / step).quantize(Decimal(1), rounding=rounding) * step == value for rounding in _ROUNDINGS
    )
