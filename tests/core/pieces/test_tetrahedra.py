"""The method Tetrahedra: about as many pieces as asked, where the layout says, and the same at every size."""

import numpy as np
import pytest

from core.cutting.cut import cut
from core.cutting.retry import cut_with_retry
from core.pieces.layouts.shape import measure
from core.pieces.tetrahedra import TetrahedraParams, build, spacing_for
from core.types import Body, Impact
from tests import shapes

BODIES = {
    "box": shapes.box(),
    "pane": shapes.box(high=(1.0, 1.0, 0.01)),
    "torus": shapes.torus(0.5, 0.2, 32, 16),
    "glass": shapes.wine_glass(24),
}


def hit(point) -> Impact:
    return Impact(np.asarray(point, float), np.array([0.0, 0.0, -1.0]), 1.0, 1.0, 0.0, 0.0)


def pieces_of(body: Body, params: TetrahedraParams, seed: int = 1, impacts: tuple[Impact, ...] = ()) -> int:
    cells, _ = cut_with_retry(body, lambda attempt: build(body, impacts, params, seed, attempt))
    return len(np.unique(cells.unit))


@pytest.mark.parametrize("layout", ["uniform", "blue_noise", "graded"])
@pytest.mark.parametrize("name", BODIES)
def test_about_as_many_pieces_as_asked(name: str, layout: str) -> None:
    found = pieces_of(BODIES[name], TetrahedraParams(count=400, layout=layout))
    assert 0.75 * 400 < found < 1.35 * 400


def test_spacing_gives_the_mean_number_of_tetrahedra_that_meet_a_ball() -> None:
    # A large ball holds 6.77 V / h^3 tetrahedra: the border adds little.
    shape = measure(shapes.icosphere(3, 0.3))
    h = spacing_for(shape, 1e6)
    assert 6.768 * shape.volume / h**3 == pytest.approx(1e6, rel=0.06)
    assert spacing_for(shape, 100) > spacing_for(shape, 200)


def test_graded_pieces_are_small_near_the_hit() -> None:
    body = shapes.box()
    params = TetrahedraParams(count=300, layout="graded", grading=2.0)
    cells = cut(body, build(body, (hit((0.0, 0.5, 0.5)),), params, 3, 0))
    x = cells.centroid[:, 0]
    assert np.count_nonzero(x < 0.5) > 2 * np.count_nonzero(x >= 0.5)


def test_only_the_graded_layout_follows_the_hit() -> None:
    body = shapes.box()
    for layout in ("uniform", "blue_noise", "graded"):
        params = TetrahedraParams(count=50, layout=layout)
        one, other = (build(body, (hit(point),), params, 3, 0) for point in ((0, 0, 0), (1, 1, 1)))
        assert params.placed_by_impact == (not np.array_equal(one.vertices, other.vertices))
    assert not TetrahedraParams(layout="graded", grading=0.0).placed_by_impact


def test_one_seed_gives_the_same_bits_and_an_attempt_moves_them_by_a_millionth() -> None:
    body, params = shapes.torus(0.5, 0.2, 32, 16), TetrahedraParams(count=200)
    one, same, next_ = (build(body, (), params, 5, attempt) for attempt in (0, 0, 1))
    assert np.array_equal(one.vertices, same.vertices) and np.array_equal(one.facet_edge, same.facet_edge)
    diagonal = np.linalg.norm(np.ptp(body.vertices, axis=0))
    step = np.abs(one.vertices[:-4] - next_.vertices[:-4]).max()
    assert 0.0 < step <= 2e-6 * diagonal
    assert not np.array_equal(build(body, (), params, 6, 0).vertices, one.vertices)


@pytest.mark.parametrize("scale", [0.01, 100.0])
def test_the_same_body_at_any_size_gives_the_same_pieces(scale: float) -> None:
    body, params = shapes.box(), TetrahedraParams(count=120)
    large = shapes.moved(body, (0.0, 0.0, 0.0), scale)
    one = cut(body, build(body, (hit((0.2, 0.9, 1.0)),), params, 5, 0))
    other = cut(large, build(large, (hit(scale * np.array((0.2, 0.9, 1.0))),), params, 5, 0))
    assert np.array_equal(one.bond_cells, other.bond_cells)
    assert np.allclose(one.volume * scale**3, other.volume, rtol=1e-6, atol=0.0)
