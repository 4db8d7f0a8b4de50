"""Cells as bytes: exact round trip, and InputError on any damage."""

import dataclasses
import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.cutting.cut import cut
from core.diagram_store import from_bytes, to_bytes
from core.errors import InputError
from core.types import Cells
from tests import shapes
from tests.core.cutting.closedness import voronoi

CELLS = cut(shapes.box(), voronoi(shapes.box(), 12))
DATA = to_bytes(CELLS)


def test_round_trip_keeps_every_bit() -> None:
    back, rough = from_bytes(DATA)
    assert rough is None
    for field in dataclasses.fields(Cells):
        before, after = getattr(CELLS, field.name), getattr(back, field.name)
        assert before.dtype == after.dtype
        assert before.tobytes() == after.tobytes()


def test_a_cell_count_of_one_survives() -> None:
    one = cut(shapes.box(), voronoi(shapes.box(), 1))
    assert len(from_bytes(to_bytes(one))[0].bond_cells) == 0


@settings(max_examples=30)
@given(length=st.integers(0, len(DATA) - 1))
def test_truncated_data_is_refused(length: int) -> None:
    with pytest.raises(InputError):
        from_bytes(DATA[:length])


def repacked(**changes: np.ndarray) -> bytes:
    with np.load(io.BytesIO(DATA)) as archive:
        arrays = {name: archive[name] for name in archive.files} | changes
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


@pytest.mark.parametrize(
    "changes",
    [
        {"version": np.int64(99)},
        {"volume": CELLS.volume.astype(np.float32)},
        {"volume": CELLS.volume[:-1]},
        {"outer_vertex": np.full_like(CELLS.outer_vertex, 10**6)},
        {"bond_cells": CELLS.bond_cells - 1},
        {"inner_start": CELLS.inner_start[::-1]},
        {"unit": np.array([None] * len(CELLS.unit))},
    ],
)
def test_wrong_tables_are_refused(changes: dict[str, np.ndarray]) -> None:
    with pytest.raises(InputError):
        from_bytes(repacked(**changes))


def test_unchanged_tables_are_accepted() -> None:
    assert np.array_equal(from_bytes(repacked())[0].volume, CELLS.volume)
