"""The fields that an artist has stacked up, as settings and as plain data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..config.params import DeclaredParams, check_params, declared, from_mapping
from ..config.registry import Method
from ..errors import InputError
from .fields import FIELDS
from .fields.contract import Field


@dataclass(frozen=True, slots=True)
class FieldChoice:
    """One field of a stack."""

    kind: str  #: id in FIELDS
    params: DeclaredParams  #: the kind's
    on: bool = True  #: what is off counts as not there


def titled(number: int, kind: str) -> str:
    """What sentences call a field of a stack, counted from 1: "Field 2 (Noise)"."""
    return f"Field {number} ({FIELDS[kind].label})"


def check_fields(fields: Sequence[FieldChoice]) -> None:
    """Hold every value of a stack against its declaration. Raises InputError with the number of the field."""
    for number, choice in enumerate(fields, 1):
        method = _method(choice.kind, number)
        if type(choice.params) is not method.params:
            raise InputError(f"{titled(number, choice.kind)} has the settings of another kind; choose the kind anew.")
        try:
            check_params(choice.params)
        except InputError as error:
            raise InputError(f"{titled(number, choice.kind)}: {error}") from error


def fields_from(tables: Sequence[Mapping[str, Any]]) -> tuple[FieldChoice, ...]:
    """A stack from plain data, a table {"kind": ..., values, "on": true} for each field.

    What a table leaves out keeps its default. Raises InputError with the number of the field and the key.
    """
    if not isinstance(tables, list | tuple):
        raise InputError("fields must be a list of tables: a line [[fields]] above the settings of each.")
    return tuple(_field_from(table, number) for number, table in enumerate(tables, 1))


def tables_of(fields: Sequence[FieldChoice]) -> list[dict[str, Any]]:
    """A stack as plain data, for `fields_from`: values that are not the default, and `on` only where it is off."""
    return [{"kind": one.kind, **({} if one.on else {"on": False}), **changed(one)} for one in fields]


def changed(choice: FieldChoice) -> dict[str, Any]:
    """The values of a field that are not the default of its kind."""
    values = {item.name: (getattr(choice.params, item.name), item.default) for item in declared(choice.params)}
    return {name: value for name, (value, default) in values.items() if value != default}


def _method(kind: Any, number: int) -> Method[Field]:
    try:
        return FIELDS[kind]
    except (InputError, TypeError) as error:
        raise InputError(f"Field {number}: {error}") from error


def _field_from(table: Any, number: int) -> FieldChoice:
    if not isinstance(table, Mapping):
        raise InputError(f"Field {number} must be a table: a line [[fields]] with its settings below.")
    if "kind" not in table:
        known = ", ".join(method.id for method in FIELDS)
        raise InputError(f"Field {number} has no kind; choose one of {known}.")
    method = _method(table["kind"], number)
    title, values = titled(number, method.id), {}
    for key, value in table.items():
        if key in ("kind", "on"):
            continue
        try:
            values[key] = getattr(from_mapping(method.params, {key: value}), key)
        except InputError as error:
            raise InputError(f"{title}, {key}: {error}") from error
    on = table.get("on", True)
    if not isinstance(on, bool):
        raise InputError(f"{title}, on: it must be true or false, not {on!r}.")
    return FieldChoice(method.id, method.params(**values), on)
