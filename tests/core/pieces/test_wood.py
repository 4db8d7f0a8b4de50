"""Wood: the grain is found, splinters lie along it, facets across it are strong by Hankinson's formula."""

import numpy as np
import pytest

from core.cutting.units import units
from core.geometry.mesh import volume
from core.pieces import PARTITIONS
from core.pieces.frames import flat_axes, longest_axis, upright_axes
from core.pieces.wood import hankinson
from core.types import Body, Impact
from tests import shapes

from .lattices import cells_of, partition, rotation, turned

PLANK = shapes.box(high=(1.2, 0.12, 0.025))


def test_hankinson_has_its_closed_form() -> None:
    # N(0) = P along the fibres, N(90) = Q = 1 square to them, N(45) = 2 P Q/(P + Q)
    values = hankinson(np.array((1.0, 0.0, np.sqrt(0.5), -1.0)), 5.0)
    np.testing.assert_allclose(values, (5.0, 1.0, 10.0 / 6.0, 5.0), rtol=1e-15)
    angles = hankinson(np.cos(np.linspace(0.0, np.pi / 2.0, 50)), 22.0)
    assert np.all(np.diff(angles) < 0.0)
    assert np.all(hankinson(np.linspace(-1.0, 1.0, 9), 1.0) == 1.0)


def test_every_facet_has_the_strength_of_its_angle_to_the_grain() -> None:
    grain = np.array((1.0, 2.0, -0.5))
    p = partition("wood", shapes.box(), count=60, grain=tuple(grain), across=6.0)
    angle = np.arccos(np.clip(p.facet_normal @ grain / np.linalg.norm(grain), -1.0, 1.0))
    expected = 6.0 / (6.0 * np.sin(angle) ** 2 + np.cos(angle) ** 2)
    np.testing.assert_allclose(p.facet_strength, expected, rtol=1e-12)


@pytest.mark.parametrize("angle", [0.0, 0.7, 2.0])
def test_splinters_lie_along_the_longest_side_whatever_way_it_points(angle: float) -> None:
    matrix = rotation(angle, (0.3, 1.0, 0.5))
    grain = matrix @ (1.0, 0.0, 0.0)
    cells = cells_of("wood", turned(PLANK, matrix), count=100, layout="even")
    moment = np.linalg.eigh(cells.second_moment)
    aspect = np.sqrt(moment.eigenvalues[:, 2] / moment.eigenvalues[:, 1])
    assert 5.0 < np.median(aspect) < 15.0
    along = np.abs(moment.eigenvectors[:, :, 2] @ grain)
    assert np.median(along) > np.cos(np.radians(10.0))
    assert cells.volume.sum() == pytest.approx(1.2 * 0.12 * 0.025, rel=1e-12)


def test_graded_splinters_are_thinner_at_the_hit() -> None:
    hit = Impact(np.array((0.6, 0.06, 0.025)), np.array((0.0, 0.0, -1.0)), 1.0, 5.0, 0.0, 0.0)
    wood = PARTITIONS["wood"]
    near = {}
    for grading in (0.0, 2.0):
        p = wood.run(PLANK, (hit,), wood.params(count=200, grading=grading), 1, 0)
        near[grading] = np.count_nonzero(np.abs(p.site[:, 0] - 0.6) < 0.1)
    assert near[2.0] > 1.5 * near[0.0]
    assert wood.params().placed_by_impact and not wood.params(layout="even").placed_by_impact
    assert not wood.params(grading=0.0).placed_by_impact


@pytest.mark.parametrize(
    "body", [shapes.box(high=(2.0, 2.0, 0.01)), shapes.box(high=(1e-3, 1e-3, 1.0)), shapes.torus()]
)
def test_thin_and_round_bodies_keep_their_volume_and_number(body) -> None:
    cells = cells_of("wood", body, count=60)
    assert cells.volume.sum() == pytest.approx(volume(body.vertices, body.triangles), rel=1e-11)
    assert 0.8 * 60 <= len(units(cells).volume) <= 1.3 * 60


def test_size_does_not_matter_and_the_seed_does() -> None:
    p = partition("wood", PLANK, count=50)
    q = partition("wood", shapes.moved(PLANK, np.zeros(3), 64.0), count=50)
    assert np.array_equal(p.facet_regions, q.facet_regions)
    np.testing.assert_allclose(q.site, 64.0 * p.site, rtol=1e-12)
    assert partition("wood", PLANK, count=50).vertices.tobytes() == p.vertices.tobytes()
    assert np.abs(partition("wood", PLANK, seed=2, count=50).site - p.site).max() > 1e-3
    retried = partition("wood", PLANK, attempt=1, count=50)
    assert 0.0 < np.abs(retried.site - p.site).max() < 3e-6 * 1.3


@pytest.mark.parametrize("high", [(0.5, 0.4, 0.3), (1.0, 1.0, 1.0), (4.0, 0.25, 2.5)])
@pytest.mark.parametrize("seed", range(4))
def test_the_frame_of_a_box_is_that_of_its_sides(high: tuple[float, float, float], seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = rotation(rng.uniform(0.1, 3.0), rng.normal(size=3))
    frame = flat_axes(turned(shapes.box(high=high), matrix))
    assert frame is not None and np.linalg.det(frame) == pytest.approx(1.0, abs=1e-12)
    np.testing.assert_allclose(np.abs(frame @ matrix).max(axis=1), 1.0, atol=1e-12)
    assert np.abs(frame @ matrix).round(6).sum() == 3.0
    assert flat_axes(shapes.box(high=high)).tolist() == np.eye(3).tolist()


def test_a_frame_is_found_among_triangles_without_area_and_in_small_ones() -> None:
    assert flat_axes(shapes.with_flat_caps(shapes.box())).tolist() == np.eye(3).tolist()
    # sides of many small triangles beside a few large ones that lie askew
    matrix = rotation(0.5, (1.0, 2.0, 0.5))
    fine = shapes.box()
    for _ in range(5):
        fine = quartered(fine)
    ball = shapes.moved(shapes.icosphere(1), np.array((3.0, 0.0, 0.0)), 0.4)
    frame = flat_axes(turned(shapes.joined(fine, ball), matrix))
    assert frame is not None and len(fine.triangles) == 12 * 4**5
    np.testing.assert_allclose(np.abs(frame @ matrix).max(axis=1), 1.0, atol=1e-9)


def quartered(body: Body) -> Body:
    """Each triangle in four, at the middles of its edges."""
    a, b, c = (body.vertices[body.triangles[:, k]] for k in range(3))
    p, q, r = (a + b) / 2, (b + c) / 2, (c + a) / 2
    parts = np.concatenate([np.stack(t, axis=1) for t in ((a, p, r), (p, b, q), (r, q, c), (p, q, r))])
    return shapes.body(parts.reshape(-1, 3), np.arange(3 * len(parts)).reshape(-1, 3))


def test_round_bodies_have_no_frame_and_the_longest_axis_still() -> None:
    assert flat_axes(shapes.icosphere(3)) is None
    assert flat_axes(shapes.icosphere(5)) is None  # the mean of many normals is parallel to none of them
    matrix = rotation(0.8, (1.0, 0.2, 0.0))
    ball = shapes.icosphere(3)
    bat = turned(shapes.body(ball.vertices * (0.2, 0.2, 1.0), ball.triangles), matrix)
    assert abs(longest_axis(bat) @ matrix[:, 2]) == pytest.approx(1.0, abs=1e-6)
    assert longest_axis(ball).tolist() == longest_axis(shapes.box()).tolist() == [0.0, 0.0, 1.0]
    assert longest_axis(PLANK).tolist() == [1.0, 0.0, 0.0]


@pytest.mark.parametrize("angle", [0.0, 0.3, 1.3, 3.0])
def test_upright_axes_run_along_a_wall_through_it_and_up(angle: float) -> None:
    wall = turned(shapes.box(high=(4.0, 0.25, 2.5)), rotation(angle))
    along, through, up = upright_axes(wall)
    assert abs(along @ rotation(angle)[:, 0]) == pytest.approx(1.0, abs=1e-9)
    assert abs(through @ rotation(angle)[:, 1]) == pytest.approx(1.0, abs=1e-9)
    assert up.tolist() == [0.0, 0.0, 1.0]
    assert np.cross(along, through) @ up == pytest.approx(1.0, abs=1e-9)
