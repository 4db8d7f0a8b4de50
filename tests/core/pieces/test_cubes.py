"""Cubes: whole ones in boxes of any pose, the asked number, equal volumes, and no dependence on size."""

import numpy as np
import pytest

from core.cutting.units import units
from core.geometry.mesh import volume
from core.pieces.cubes import rotation_rows as turned_axes
from core.types import Body
from tests import shapes

from .lattices import cells_of, partition, rotation, turned


def gridded_box(n: int) -> Body:
    """The cube 0..1 with n x n squares on each side: its edges lie exactly on the planes of a lattice."""
    grid = np.arange(n + 1) / n
    index = np.arange((n + 1) ** 2).reshape(n + 1, n + 1)
    a, b, c, d = (index[i : n + i, j : n + j].ravel() for i, j in ((0, 0), (1, 0), (1, 1), (0, 1)))
    square = np.concatenate([np.stack((a, b, c), axis=1), np.stack((a, c, d), axis=1)])
    u, v = (values.ravel() for values in np.meshgrid(grid, grid, indexing="ij"))
    vertices, triangles = [], []
    for axis in range(3):
        for side in (0.0, 1.0):
            corners = np.empty((len(u), 3))
            corners[:, axis], corners[:, (axis + 1) % 3], corners[:, (axis + 2) % 3] = side, u, v
            triangles.append((square if side else square[:, ::-1]) + len(vertices) * len(u))
            vertices.append(corners)
    unique, index = np.unique(np.concatenate(vertices), axis=0, return_inverse=True)
    return shapes.body(unique, index.ravel()[np.concatenate(triangles)])


@pytest.mark.parametrize("body", [shapes.box((-1.0, -1.0, -1.0)), gridded_box(10)], ids=["plain", "on the planes"])
def test_a_thousand_cubes_of_a_cube_are_exactly_a_thousand(body: Body) -> None:
    cells = cells_of("cubes", body, count=1000)
    assert len(cells.volume) == len(units(cells).volume) == 1000
    # a shift of 1e-6 of the diagonal changes a cube of a tenth by 1e-5 of its edge, times sqrt(3) and 3 axes
    mean = volume(body.vertices, body.triangles) / 1000
    np.testing.assert_allclose(cells.volume, mean, rtol=1e-4)
    assert cells.volume.sum() == pytest.approx(1000 * mean, rel=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_a_turned_box_falls_into_whole_cubes_as_well(seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = rotation(rng.uniform(0.0, 3.0), rng.normal(size=3))
    cells = cells_of("cubes", turned(shapes.box(high=(0.5, 0.4, 0.3)), matrix), count=60)
    assert len(cells.volume) == 60
    np.testing.assert_allclose(cells.volume, 0.001, rtol=1e-4)
    askew = cells_of("cubes", turned(shapes.box(), matrix), count=27, alignment="world")
    assert askew.volume.max() > 2.0 * askew.volume.min()


@pytest.mark.parametrize("count", [2, 7, 30, 300, 900])
@pytest.mark.parametrize("high", [(1.0, 1.0, 1.0), (4.0, 0.25, 2.5), (2.0, 2.0, 0.01), (1e-3, 1e-3, 1.0)])
def test_boxes_get_about_the_asked_number(high: tuple[float, float, float], count: int) -> None:
    # numbers of boxes are products of integers: within a seventh of what is asked
    p = partition("cubes", shapes.box(high=high), count=count)
    assert abs(len(p.site) - count) <= count / 7 + 1


@pytest.mark.parametrize("name", ["icosphere", "torus", "wine_glass", "hollow_box"])
def test_round_and_hollow_bodies_get_about_the_asked_number(name: str) -> None:
    body = getattr(shapes, name)()
    cells = cells_of("cubes", body, count=120)
    assert 0.75 * 120 <= len(units(cells).volume) <= 1.35 * 120
    assert cells.volume.sum() == pytest.approx(volume(body.vertices, body.triangles), rel=1e-12)


def test_blocks_have_the_asked_proportions() -> None:
    p = partition("cubes", shapes.box(high=(4.0, 2.0, 1.0)), count=64, proportions=(4.0, 2.0, 1.0))
    assert len(p.site) == 64 and all(len(np.unique(p.site[:, axis].round(6))) == 4 for axis in range(3))


def test_turn_is_about_x_then_y_then_z() -> None:
    # R = Rz Ry Rx; the rows of the frame are the turned axes
    angles = (0.3, -0.8, 1.1)
    matrix = rotation(1.1, (0, 0, 1)) @ rotation(-0.8, (0, 1, 0)) @ rotation(0.3, (1, 0, 0))
    np.testing.assert_allclose(turned_axes(angles), matrix.T, atol=1e-15)
    p = partition("cubes", shapes.box(), count=27, turn=angles)
    assert np.abs(p.facet_normal @ matrix).max(axis=1).min() > 1.0 - 1e-12


@pytest.mark.parametrize("scale", [2.0**-6, 2.0**7])
def test_size_does_not_matter(scale: float) -> None:
    ball = shapes.icosphere(2)
    p = partition("cubes", ball, count=50)
    q = partition("cubes", shapes.moved(ball, np.zeros(3), scale), count=50)
    assert np.array_equal(p.facet_regions, q.facet_regions)
    np.testing.assert_allclose(q.vertices, p.vertices * scale, rtol=1e-12, atol=1e-12 * scale)


def test_seed_and_attempt_change_the_jitter_alone() -> None:
    body = shapes.torus()
    one, same, other, retry = (partition("cubes", body, *key) for key in ((1, 0), (1, 0), (2, 0), (1, 1)))
    assert one.vertices.tobytes() == same.vertices.tobytes()
    for p in (other, retry):
        assert np.array_equal(p.facet_regions, one.facet_regions)
        shift = np.abs(p.vertices - one.vertices).max()
        assert 0.0 < shift < 3e-6 * np.linalg.norm(np.ptp(body.vertices, axis=0))
