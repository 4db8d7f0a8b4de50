"""What tetrahedra share with a mesh: closed forms, sums over tetrahedra that fill space, and sampled points."""

import numpy as np
import pytest
from scipy.spatial import Delaunay

from core.geometry.bvh import build_tree
from core.geometry.inside import winding_number
from core.geometry.mesh import mass_properties
from core.geometry.tetrahedron_overlaps import overlap_with_mesh
from tests.shapes import box, icosphere

CORNER = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])


def tree_of(body):
    return build_tree(body.vertices, body.triangles)


def volumes(tetrahedra):
    return np.abs(np.linalg.det(tetrahedra[:, 1:] - tetrahedra[:, :1])) / 6.0


def around(*bodies, count=60, seed=0, size=1.0):
    """Tetrahedra between random points that fill a cube of 2 `size`, with the corners of bodies among the points."""
    rng = np.random.default_rng(seed)
    cube = box((-size,) * 3, (size,) * 3).vertices
    points = np.vstack([rng.uniform(-size, size, (count, 3)), cube, *(body.vertices for body in bodies)])
    tetrahedra = points[Delaunay(points).simplices]
    return tetrahedra[volumes(tetrahedra) > 1e-12]  # none that is flat


@pytest.mark.parametrize("height", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("axis", range(3))
def test_the_corner_of_a_cube_under_a_plane(height, axis):
    """x + y + z < 1 with z < h: the whole without its top, which is smaller by 1 - h (volume, centre, and cut)."""
    far = np.full(3, 5.0)
    far[axis] = height
    volume, centre, area = overlap_with_mesh(tree_of(box((-5.0,) * 3, far)), CORNER[None])
    left = 1.0 - height
    assert volume[0] == pytest.approx((1.0 - left**3) / 6.0, rel=1e-13)
    top = height + left / 4.0
    along = (0.25 - left**3 * top) / (1.0 - left**3)
    across = (0.25 - left**3 * left / 4.0) / (1.0 - left**3)
    np.testing.assert_allclose(centre[0], np.where(np.arange(3) == axis, along, across), rtol=1e-12)
    np.testing.assert_allclose(area[0], np.where(np.arange(3) == axis, 0.5 * left**2, 0.0), atol=1e-14)


@pytest.mark.parametrize("seed", range(6))
def test_what_fills_space_shares_all_of_a_body(seed):
    """Sums over all are the volume, the first moment and the area vector (0) of the body, whatever touches what."""
    body = [icosphere(2, 0.6), box((-0.5, -0.3, -0.4), (0.25, 0.7, 0.5))][seed % 2]
    # Every second time corners lie on corners, sides on sides and faces in faces.
    tetrahedra = around(*([body] if seed >= 2 else []), count=200, seed=seed)
    volume, centre, area = overlap_with_mesh(tree_of(body), tetrahedra)
    V, middle, _ = mass_properties(body.vertices, body.triangles)
    assert volume.sum() == pytest.approx(V, rel=1e-12)
    np.testing.assert_allclose((volume[:, None] * centre).sum(axis=0), V * middle, atol=1e-13)
    if seed < 2:  # else the surface lies in faces, and is given to either side
        np.testing.assert_allclose(area.sum(axis=0), 0.0, atol=1e-13)
        assert np.abs(area).sum() > 1.0
    part = volume / volumes(tetrahedra)
    assert part.min() > -1e-9 and part.max() < 1.0 + 1e-9 and (part > 1.0 - 1e-9).sum() > 10


@pytest.mark.parametrize("subdivisions", [0, 3])
def test_against_points_that_are_sampled(subdivisions):
    """Within five standard deviations of 20,000 points each, by exact winding numbers; corners run either way round."""
    rng = np.random.default_rng(5)
    body = icosphere(subdivisions, 0.7)
    tetrahedra = around(count=30, seed=7, size=0.8)
    tetrahedra = np.where(rng.random(len(tetrahedra))[:, None, None] < 0.5, tetrahedra[:, [0, 2, 1, 3]], tetrahedra)
    volume, centre, _ = overlap_with_mesh(tree_of(body), tetrahedra)
    n, cut = 20_000, 0
    for k, corners in enumerate(tetrahedra):
        points = np.einsum("nk,ki->ni", rng.dirichlet(np.ones(4), n), corners)
        within = winding_number(body.vertices, body.triangles, points) >= 1
        part = volume[k] / volumes(corners[None])[0]
        off = 5.0 * np.sqrt(max(part * (1.0 - part), 1.0 / n) / n)
        assert within.mean() == pytest.approx(part, abs=off)
        if 0.05 < part < 0.95:
            cut += 1
            spread = points[within].std(axis=0) / np.sqrt(within.sum())
            assert (np.abs(points[within].mean(axis=0) - centre[k]) < 5.0 * spread).all()
    assert cut > 20


def test_the_part_of_a_face_within_is_its_area():
    """The corner pokes through the middle of a face of a large cube: all of the surface within is that face's."""
    volume, _, area = overlap_with_mesh(tree_of(box((-4.0, -4.0, 0.25), (4.0, 4.0, 9.0))), CORNER[None])
    assert volume[0] == pytest.approx(0.75**3 / 6.0, rel=1e-13)
    np.testing.assert_allclose(area[0], [0.0, 0.0, -0.5 * 0.75**2], atol=1e-14)


def test_what_is_apart_shares_nothing():
    for away in ([0.0, 0.0, 3.0], [0.0, 0.0, -3.0], [0.0, 5.0, 0.0]):
        volume, centre, area = overlap_with_mesh(tree_of(icosphere(1, 0.5)), CORNER[None] + away)
        assert abs(volume[0]) < 1e-15 and not area.any()
        np.testing.assert_allclose(centre[0], CORNER.mean(axis=0) + away, atol=1.0)
