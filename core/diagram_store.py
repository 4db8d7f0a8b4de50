"""Cells as bytes, for files that keep a diagram between sessions: compressed npz without pickle."""

import dataclasses
import io
import zipfile
import zlib
from typing import Any

import numpy as np

from .errors import InputError
from .types import Cells

#: Of the format: one more where a field comes or goes, so that older files are cut anew.
VERSION = 5
#: Marks the arrays of rough cells.
_ROUGH = "rough_"
_FLOATS = {
    "vertices", "outer_weight", "bond_area", "bond_normal", "bond_centroid", "bond_strength", "volume", "centroid",
    "second_moment", "site",
}  # fmt: skip
#: Shapes of the rows of arrays, where they are not plain numbers.
_WIDTHS = {
    "vertices": (3,), "outer_weight": (3,), "bond_cells": (2,), "bond_normal": (3,), "bond_centroid": (3,),
    "centroid": (3,), "second_moment": (3, 3), "site": (3,),
}  # fmt: skip


def to_bytes(cells: Cells, rough: Cells | None = None) -> bytes:
    """All arrays of the cells and of what is seen of them, packed; equal ones give equal bytes."""
    arrays = _arrays(cells)
    if rough is not None:
        arrays |= {_ROUGH + name: array for name, array in _arrays(rough).items()}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, version=np.int64(VERSION), **arrays)
    return buffer.getvalue()


def _arrays(cells: Cells) -> dict[str, Any]:
    return {field.name: getattr(cells, field.name) for field in dataclasses.fields(cells)}


def from_bytes(data: bytes) -> tuple[Cells, Cells | None]:
    """What `to_bytes` packed. Raises InputError where the data is damaged or of another version."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            if int(archive["version"]) != VERSION:
                raise InputError("The stored pieces come from another version of Brittle; shatter the object again.")
            cells = _cells(archive, "")
            if _ROUGH + "unit" not in archive:
                return cells, None
            rough = _cells(archive, _ROUGH)
    except (OSError, ValueError, KeyError, EOFError, TypeError, zipfile.BadZipFile, zlib.error) as failure:
        raise _damaged() from failure
    if not np.array_equal(np.unique(rough.unit), np.unique(cells.unit)):
        raise _damaged()
    return cells, rough


def _damaged() -> InputError:
    return InputError("The stored pieces are damaged; shatter the object again.")


def _cells(archive: Any, mark: str) -> Cells:
    arrays = {field.name: archive[mark + field.name] for field in dataclasses.fields(Cells)}
    for name, array in arrays.items():
        kind = np.float64 if name in _FLOATS else np.bool_ if name == "crumb" else np.int64
        if array.dtype != kind or array.shape[1:] != _WIDTHS.get(name, ()):
            raise _damaged()
    cells = Cells(**arrays)
    if not _is_sound(cells):
        raise _damaged()
    return cells


def _is_sound(c: Cells) -> bool:
    """Whether all tables fit together, so that no kernel can read past an end."""
    cells, bonds, vertices = len(c.volume), len(c.bond_cells), len(c.vertices)
    rows: list[tuple[Any, ...]] = [
        (cells, c.centroid, c.second_moment, c.region, c.site, c.unit, c.crumb),
        (bonds, c.bond_area, c.bond_normal, c.bond_centroid, c.bond_strength),
        (len(c.outer_triangle), c.outer_cell, c.outer_start[1:]),
        (len(c.outer_vertex), c.outer_weight),
        (len(c.inner_bond), c.inner_start[1:]),
    ]
    if any(len(array) != count for count, *arrays in rows for array in arrays):
        return False
    ranges = [
        (c.outer_vertex, vertices),
        (c.inner_vertex, vertices),
        (c.outer_cell, cells),
        (c.inner_bond, bonds),
        (c.bond_cells, cells),
        (c.unit, cells),
        (c.region, np.iinfo(np.int64).max),
        (c.outer_triangle, np.iinfo(np.int64).max),
    ]
    if any(array.size and not (array.min() >= 0 and array.max() < limit) for array, limit in ranges):
        return False
    return _is_packed(c.outer_start, len(c.outer_vertex)) and _is_packed(c.inner_start, len(c.inner_vertex))


def _is_packed(start: np.ndarray, total: int) -> bool:  # type: ignore[type-arg]
    return bool(len(start) and start[0] == 0 and start[-1] == total and np.all(np.diff(start) >= 3))
