"""Slices: the asked number, uneven thicknesses square to the direction, wedges and hacks in about the asked number."""

import numpy as np
import pytest

from core.cutting.units import units
from core.geometry.mesh import volume
from tests import shapes

from .lattices import cells_of, partition, rotation, turned

PLANK = shapes.box(high=(1.2, 0.12, 0.025))


@pytest.mark.parametrize("count", [2, 7, 100, 999])
def test_parallel_slices_are_exactly_as_many_as_asked(count: int) -> None:
    cells = cells_of("slices", shapes.box(), cuts="parallel", count=count, irregularity=0.3)
    assert len(cells.volume) == count
    assert cells.volume.sum() == pytest.approx(1.0, rel=1e-12)


def test_slices_are_square_to_their_direction_and_uneven_as_asked() -> None:
    direction = np.array((1.0, -2.0, 0.5))
    p = partition("slices", shapes.icosphere(3), cuts="parallel", count=12, direction=tuple(direction))
    inner = p.facet_normal[p.facet_regions[:, 1] >= 0]
    assert len(inner) == 11
    np.testing.assert_allclose(inner @ direction / np.linalg.norm(direction), 1.0, rtol=1e-14)
    spread = {}
    for irregularity in (0.0, 0.2, 1.0):
        thickness = cells_of("slices", shapes.box(), cuts="parallel", count=200, irregularity=irregularity).volume
        spread[irregularity] = np.log(thickness).std()
    # thicknesses are log-normal: the standard deviation of 200 of them is known to 1/sqrt(400) = 5 %, 4 sigma here
    assert spread[0.0] < 1e-3
    np.testing.assert_allclose((spread[0.2], spread[1.0]), (0.2, 1.0), rtol=0.2)


def test_the_default_direction_is_along_the_longest_side() -> None:
    matrix = rotation(0.9, (1.0, 2.0, 0.3))
    p = partition("slices", turned(PLANK, matrix), cuts="parallel", count=5)
    inner = p.facet_normal[p.facet_regions[:, 1] >= 0]
    np.testing.assert_allclose(np.abs(inner @ matrix[:, 0]), 1.0, rtol=1e-9)


@pytest.mark.parametrize("name", ["icosphere", "torus", "hollow_box", "wine_glass"])
@pytest.mark.parametrize("params", [{"cuts": "hacked"}, {"cuts": "parallel", "tilt": 0.2}], ids=["hacked", "tilted"])
def test_cuts_that_cross_give_about_the_asked_number_and_keep_the_volume(name: str, params: dict) -> None:
    body = getattr(shapes, name)()
    cells = cells_of("slices", body, count=60, **params)
    assert 0.7 * 60 <= len(units(cells).volume) <= 1.5 * 60
    assert cells.volume.sum() == pytest.approx(volume(body.vertices, body.triangles), rel=1e-11)


def test_tilted_cuts_lean_at_most_by_the_tilt() -> None:
    p = partition("slices", PLANK, cuts="parallel", count=40, tilt=0.15)
    inner = p.facet_normal[p.facet_regions[:, 1] >= 0]
    angle = np.arccos(np.clip(inner @ (1.0, 0.0, 0.0), -1.0, 1.0))
    assert 0.1 < angle.max() <= 0.15 + 1e-9


def test_hacks_go_in_all_directions() -> None:
    p = partition("slices", shapes.icosphere(3), count=200, cuts="hacked")
    inner = p.facet_normal[p.facet_regions[:, 1] >= 0]
    _, first = np.unique(np.round(inner, 9), axis=0, return_index=True)
    moment = np.linalg.eigvalsh(np.einsum("ni,nj->ij", inner[first], inner[first]) / len(first))
    assert moment[0] > 0.1  # 1/3 each for directions spread evenly


@pytest.mark.parametrize(
    "params",
    [{"cuts": "parallel"}, {"cuts": "hacked"}, {"cuts": "parallel", "tilt": 0.3}],
    ids=["parallel", "hacked", "tilted"],
)
@pytest.mark.parametrize("high", [(2.0, 2.0, 0.01), (1e-3, 1e-3, 1.0), (4.0, 0.25, 2.5)])
def test_thin_bodies_keep_their_volume(high: tuple[float, float, float], params: dict) -> None:
    cells = cells_of("slices", shapes.box(high=high), count=30, **params)
    assert cells.volume.sum() == pytest.approx(np.prod(high), rel=1e-11)
    assert 0.7 * 30 <= len(units(cells).volume) <= 1.5 * 30


@pytest.mark.parametrize(
    "params",
    [{"cuts": "parallel"}, {"cuts": "hacked"}, {"cuts": "parallel", "tilt": 0.3}],
    ids=["parallel", "hacked", "tilted"],
)
def test_seed_attempt_and_size(params: dict) -> None:
    body = shapes.torus()
    p = partition("slices", body, count=30, **params)
    assert partition("slices", body, count=30, **params).vertices.tobytes() == p.vertices.tobytes()
    retried = partition("slices", body, attempt=1, count=30, **params)
    assert np.array_equal(retried.facet_regions, p.facet_regions)
    assert 0.0 < np.abs(retried.site - p.site).max() < 1e-3
    other = partition("slices", body, seed=2, count=30, **params)
    assert other.site.shape != p.site.shape or np.abs(other.site - p.site).max() > 1e-3
    large = partition("slices", shapes.moved(body, np.zeros(3), 32.0), count=30, **params)
    assert np.array_equal(large.facet_regions, p.facet_regions)
    np.testing.assert_allclose(large.site, 32.0 * p.site, rtol=1e-9, atol=1e-9)
