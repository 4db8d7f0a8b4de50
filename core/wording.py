"""Numbers in sentences for people: every message takes them from here.

None comes out as "inf", "nan", "-0" or "1e+03", and none that is not zero as 0.
"""

import math
from decimal import ROUND_CEILING, Context, Decimal

#: Lengths are told in the largest unit of which there is at least a tenth.
LENGTHS = (("km", 1e4), ("m", 0.1), ("mm", 1e-4), ("µm", 1e-7))
#: Of each unit.
METRES = {"km": 1e3, "m": 1.0, "mm": 1e-3, "µm": 1e-6}
#: Durations are told to so many seconds, minutes or hours: up to a hundred of the first two.
DURATIONS = ((5, 1.0, "s"), (1, 60.0, "min"), (1, 3600.0, "h"))
#: Shares beyond this are no longer told in percent [1].
_MANY = 1e4


def count(number: int, noun: str) -> str:
    """A number of things: "1 face", "2 faces", "1 cavity", "3 cavities"."""
    if number == 1:
        return f"1 {noun}"
    return f"{number} {noun[:-1]}ies" if noun.endswith("y") else f"{number} {noun}s"


def number(value: float, digits: int = 3) -> str:
    """A number with so many significant digits, written out: "12,300", "0.00004"; with a power of ten beyond that."""
    if not math.isfinite(value):
        return "an unknown number" if math.isnan(value) else "an endless number"
    return _written(Context(prec=digits).create_decimal(float(value)))


def percent(share: float, digits: int = 2) -> str:
    """A share in percent: "12 %", "0.4 %"."""
    if not abs(share) <= _MANY:
        return f"more than {number(100.0 * _MANY)} %"
    return f"{number(100.0 * share, digits)} %"


def length(metres: float, digits: int = 2) -> str:
    """A length in the unit in which it is a handy number: "6.2 cm" is "62 mm", "1,200 km"."""
    unit = next((unit for unit, least in LENGTHS if abs(metres) >= least), "m")
    return f"{number(metres / METRES[unit], digits)} {unit}"


def duration(seconds: float) -> str:
    """About how long something takes, as one says it: "10 s", "3 min", "2 h"."""
    if not math.isfinite(seconds):
        return "a long time"
    step, divisor, unit = next((entry for entry in DURATIONS if seconds < 100.0 * entry[1]), DURATIONS[-1])
    return f"{number(max(step, step * round(seconds / divisor / step)))} {unit}"


def at_least(value: float, digits: int = 3) -> str:
    """A number that is advised as enough: rounded up to so many digits."""
    return _written(Context(prec=digits, rounding=ROUND_CEILING).create_decimal(float(value)))


def _written(value: Decimal) -> str:
    if value == 0:
        return "0"
    if not -7 < value.adjusted() < 12:
        mantissa, _, power = f"{value.normalize():e}".partition("e")
        return f"{mantissa}e{int(power)}"
    text = f"{value:,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
