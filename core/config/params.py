"""Artist-facing numbers, each declared once: default, unit, limits, tooltip.

A method declares a frozen dataclass whose fields are made by `param`. Settings groups, panels, presets and the
command line are generated from these declarations, and `check_params` holds values against them.
"""

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeVar

from ..errors import InputError
from ..wording import at_least


class DeclaredParams(Protocol):
    """The params of any method: a frozen dataclass whose fields are made by `param`."""

    __dataclass_fields__: ClassVar[dict[str, dataclasses.Field[Any]]]


Params = TypeVar("Params", bound=DeclaredParams)

_KEY = "param"


@dataclass(frozen=True, slots=True)
class Choice:
    """One value of an enumeration; `number` is what files store, so it never changes and is never reused."""

    number: int
    id: str
    label: str
    doc: str


@dataclass(frozen=True, slots=True)
class Axes:
    """What a text of points "x y" is a curve of, for those who draw it.

    `span` is the range of x; None where only the course counts, so that both numbers are relative to the largest.
    """

    across: str
    up: str
    span: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Param:
    """Declaration of one artist-facing value; `limits` are hard, `soft` bounds a slider, None is no bound.

    `needs` names another value of the same class and the settings of that one with which this one counts. `zero` says
    in a word what happens at 0, where that is no number but a choice; `instead` is what one begins with who wants a
    number after all: a value, or a function of the size of the object [m] that gives one. `curve` says of a text that
    it is a curve. `over_time` says that keyframes of the value count, see `types.Course`.
    """

    label: str
    doc: str
    unit: str = ""
    limits: tuple[float | None, float | None] = (None, None)
    soft: tuple[float | None, float | None] = (None, None)
    choices: tuple[Choice, ...] = ()
    needs: tuple[str, tuple[Any, ...]] | None = None
    zero: str = ""
    instead: Any = None
    curve: Axes | None = None
    over_time: bool = False


@dataclass(frozen=True, slots=True)
class Declared:
    """A field of a params dataclass with its declaration; `default` carries the type (bool, int, float, str, tuple)."""

    name: str
    default: Any
    param: Param


def param(
    default: Any,
    label: str,
    doc: str,
    *,
    unit: str = "",
    limits: tuple[float | None, float | None] = (None, None),
    soft: tuple[float | None, float | None] | None = None,
    choices: tuple[Choice, ...] = (),
    needs: tuple[str, tuple[Any, ...]] | None = None,
    zero: str = "",
    instead: Any = None,
    curve: Axes | None = None,
    over_time: bool = False,
) -> Any:
    """Declare a field of a params dataclass.

    The type of `default` is the type of the value: bool, int, float, str (an id of `choices`, or any text where there
    are none), or a tuple of three floats. `unit` is an SI symbol, "1" or "" for a pure number; `doc` says what the
    artist will see. For the others see Param.
    """
    soft = limits if soft is None else soft
    declaration = Param(label, doc, unit, limits, soft, choices, needs, zero, instead, curve, over_time)
    return dataclasses.field(default=default, metadata={_KEY: declaration})


def declared(params: DeclaredParams | type[DeclaredParams]) -> tuple[Declared, ...]:
    """The declared fields of a params dataclass or of an instance of one, in order."""
    return tuple(
        Declared(field.name, field.default, field.metadata[_KEY])
        for field in dataclasses.fields(params)
        if _KEY in field.metadata
    )


def counts(params: DeclaredParams, name: str) -> bool:
    """Whether the value `name` of a params instance matters under its other values; see `Param.needs`."""
    need = next(field.param.needs for field in declared(params) if field.name == name)
    return need is None or getattr(params, need[0]) in need[1]


def check_params(params: DeclaredParams) -> None:
    """Hold every value against its declaration.

    Raises InputError with the label and the limit that was crossed.
    """
    for field in declared(params):
        value = getattr(params, field.name)
        label = field.param.label
        if field.param.choices:
            known = [choice.id for choice in field.param.choices]
            if value not in known:
                raise InputError(f'{label} is "{value}", which does not exist; choose one of {", ".join(known)}.')
            continue
        if isinstance(value, str):
            continue  # what a text says is read by those who use it
        for number in value if isinstance(value, tuple) else (value,):
            _check_number(number, field)


def advised(kind: type[DeclaredParams], name: str, value: float) -> str:
    """What to do where a setting is too low for `value`: "raise the Resolution to about 64"; "" beyond its limit."""
    if not can_be(kind, name, value):
        return ""
    return f"raise the {_field(kind, name).param.label} to about {at_least(value)}"


def can_be(kind: type[DeclaredParams], name: str, value: float) -> bool:
    """Whether a setting can have a value as high as this."""
    high = _field(kind, name).param.limits[1]
    return math.isfinite(value) and (high is None or value <= high)


def _field(kind: type[DeclaredParams], name: str) -> Declared:
    return next(field for field in declared(kind) if field.name == name)


def from_mapping(kind: type[Params], values: Mapping[str, Any]) -> Params:
    """Build a params dataclass from plain data (a preset, a command line), converting int to float where declared.

    Raises InputError for a name that is not declared, a value of the wrong type, or one outside its limits.
    """
    fields = {field.name: field for field in declared(kind)}
    converted = {}
    for name, value in values.items():
        if name not in fields:
            raise InputError(f'There is no setting "{name}"; known are {", ".join(fields)}.')
        converted[name] = _converted(value, fields[name])
    params = kind(**converted)
    check_params(params)
    return params


def _converted(value: Any, field: Declared) -> Any:
    default = field.default
    if isinstance(default, tuple) and isinstance(value, list | tuple) and len(value) == len(default):
        return tuple(_scalar(item, kind, field) for item, kind in zip(value, default, strict=True))
    return _scalar(value, default, field)


def _scalar(value: Any, default: Any, field: Declared) -> Any:
    if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if type(value) is not type(default):
        raise InputError(f"{field.param.label} cannot be {value!r}; give a value like {default!r}.")
    return value


def _check_number(number: float, field: Declared) -> None:
    label, unit = field.param.label, field.param.unit
    low, high = field.param.limits
    suffix = f" {unit}" if unit and unit != "1" else ""
    if not math.isfinite(number):
        raise InputError(f"{label} must be a finite number, not {number}.")
    if low is not None and number < low:
        raise InputError(f"{label} is {number}{suffix}; it must be at least {low}{suffix}.")
    if high is not None and number > high:
        raise InputError(f"{label} is {number}{suffix}; it must be at most {high}{suffix}.")
