"""Delaunay tetrahedra by insertion: the same as Qhull's, linked both ways, and refused where round-off decides."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import Delaunay

from core.errors import CutError
from core.pieces import delaunay as ours
from core.pieces.delaunay import FEW, along_curve, delaunay, far_corners
from core.types import Floats


def enclosed(points: Floats) -> Floats:
    return np.concatenate([points, far_corners(np.concatenate([points, [np.zeros(3), np.ones(3)]]))])


def as_sets(corners: Floats) -> set[tuple[int, ...]]:
    return set(map(tuple, np.sort(corners, axis=1).tolist()))


def clouds() -> dict[str, Floats]:
    rng = np.random.default_rng(4)
    cloud = rng.random((FEW + 300, 3))
    lattice = np.stack(np.meshgrid(*3 * [np.arange(9.0)]), axis=-1).reshape(-1, 3) / 8.0
    return {
        "even": cloud,
        "crowded": cloud ** np.array([8.0, 5.0, 3.0]),
        "flat": cloud * np.array([1.0, 1.0, 1e-3]),
        "long": cloud * np.array([1e-3, 1.0, 1e-3]),
        "on a sphere": cloud / np.linalg.norm(cloud - 0.5, axis=1)[:, None],
        "lattice": lattice + rng.uniform(-1e-6, 1e-6, lattice.shape),
        "layers": np.round(cloud, 1) + rng.uniform(-1e-6, 1e-6, cloud.shape),
    }


@pytest.mark.parametrize("name", clouds())
def test_tetrahedra_are_those_of_qhull(name: str) -> None:
    points = enclosed(clouds()[name])
    found = ours._inserted(points)
    assert found is not None
    assert as_sets(found[0]) == as_sets(Delaunay(points).simplices)


@pytest.mark.parametrize("name", clouds())
def test_neighbours_share_the_three_other_corners(name: str) -> None:
    corners, neighbours = delaunay(enclosed(clouds()[name]))
    for k in range(4):
        inner = np.flatnonzero(neighbours[:, k] >= 0)
        n = neighbours[inner, k]
        assert np.array_equal(np.count_nonzero(neighbours[n] == inner[:, None], axis=1), np.ones(len(inner)))
        shared = (corners[inner][:, :, None] == corners[n][:, None, :]).any(axis=2)
        assert np.array_equal(shared, np.arange(4) != np.full((len(inner), 1), k))
    assert np.count_nonzero(neighbours < 0) == 4  # the faces of the tetrahedron around all


def test_spheres_hold_no_point() -> None:
    points = enclosed(np.random.default_rng(8).random((FEW + 100, 3)))
    corners, _ = delaunay(points)
    p = points[corners]
    # |x - o|^2 = r^2 for all corners: 2 (p_k - p_0) . (o - p_0) = |p_k - p_0|^2
    edges = p[:, 1:] - p[:, :1]
    centre = p[:, 0] + np.linalg.solve(2.0 * edges, np.square(edges).sum(axis=2)[:, :, None])[:, :, 0]
    radius = np.linalg.norm(centre - p[:, 0], axis=1)
    nearest = np.linalg.norm(points[:, None] - centre, axis=2).min(axis=0)
    assert np.all(nearest > radius * (1.0 - 1e-9))


def test_the_same_points_give_the_same_tables() -> None:
    points = enclosed(np.random.default_rng(2).random((FEW + 50, 3)))
    one, other = delaunay(points), delaunay(points.copy())
    assert np.array_equal(one[0], other[0]) and np.array_equal(one[1], other[1])


@pytest.mark.parametrize("power", [-30, 12])
def test_scaling_by_a_power_of_two_changes_nothing(power: int) -> None:
    points = enclosed(np.random.default_rng(2).random((FEW + 50, 3)))
    assert np.array_equal(delaunay(points)[0], delaunay(points * 2.0**power)[0])


def test_where_round_off_decides_nothing_is_inserted() -> None:
    axis = np.arange(9.0) / 8.0
    lattice = np.stack(np.meshgrid(axis, axis, axis), axis=-1).reshape(-1, 3)
    assert ours._inserted(enclosed(lattice)) is None  # eight corners of a cube lie on one sphere


@pytest.mark.parametrize("count", [20, FEW + 50])
def test_coincident_points_are_refused(count: int) -> None:
    points = np.random.default_rng(6).random((count, 3))
    points[3] = points[7]
    with pytest.raises(CutError):
        delaunay(enclosed(points))


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6), count=st.integers(1, 60))
def test_insertion_agrees_with_qhull_on_few_points(seed: int, count: int) -> None:
    points = enclosed(np.random.default_rng(seed).normal(size=(count, 3)))
    found = ours._inserted(points)
    assert found is not None
    assert as_sets(found[0]) == as_sets(Delaunay(points).simplices)


@pytest.mark.parametrize("count", [0, 1, 7, 500])
def test_the_curve_visits_every_point_once(count: int) -> None:
    points = np.random.default_rng(0).random((count, 3))
    assert np.array_equal(np.sort(along_curve(points)), np.arange(count))


def test_the_curve_steps_to_cells_that_touch() -> None:
    # One point in each cell of a grid: Hilbert's curve goes from cell to cell through their faces.
    side = 8
    cell = np.stack(np.meshgrid(*3 * [np.arange(side)], indexing="ij"), axis=-1).reshape(-1, 3)
    step = np.abs(np.diff(cell[along_curve(cell + 1e-3 * cell[:, ::-1])], axis=0)).sum(axis=1)
    assert np.median(step) == 1 and step.max() <= 3
