"""Solids as few convex parts: all of the solid is in them, and little else."""

import numpy as np
import pytest

from core.geometry.inside import inside
from core.geometry.mesh import area, diagonal
from core.geometry.nearest import nearest
from core.rigid.shapes.convex_hulls import make_convex_parts
from core.rigid.shapes.decomposition import decompose
from core.rigid.shapes.solids import halve_solid, make_solid
from core.rigid.shapes.split_adjacency import with_split_adjacency
from core.stepwise import result_of
from tests import shapes as bodies
from tests.core.rigid.convexity import assert_sound, faces_of, height_over, inside_some, points_in
from tests.core.rigid.convexity import volume_of as part_volume
from tests.core.rigid.solids_of import angle_bar, cup, head

CONCAVE = {
    "L": angle_bar(),
    "hollow": bodies.hollow_box(),
    "cup": cup(),
    "torus": bodies.torus(),
    "glass": bodies.wine_glass(24),
    "head": head(),
    "bumpy": bodies.bumpy_sphere(3),
}


def parts_of(body, share=0.01, most=400, scale=1.0):
    size = diagonal(body.vertices) * scale
    return decompose(make_solid(body.vertices * scale, body.triangles), share * size, most)


@pytest.mark.parametrize("body", [bodies.box(), bodies.icosphere(3), bodies.plate(), bodies.uv_sphere()])
def test_convex_solids_are_one_part(body):
    assert len(parts_of(body).points) == 1


def test_flat_sided_solids_fall_apart_along_their_faces():
    found = parts_of(angle_bar())
    shapes = make_convex_parts(found.points)
    assert len(found.points) == 2
    assert sum(part_volume(shapes, k) for k in range(2)) == pytest.approx(3.0, rel=1e-9)
    hollow = parts_of(bodies.hollow_box())
    shapes = make_convex_parts(hollow.points)
    volume = sum(part_volume(shapes, k) for k in range(len(hollow.points)))
    assert volume == pytest.approx(1.0 - 0.8**3, rel=1e-9)


@pytest.mark.parametrize("name", CONCAVE)
def test_parts_hold_the_solid_and_little_else(name):
    body, share = CONCAVE[name], 0.02
    size = diagonal(body.vertices)
    found = parts_of(body, share)
    assert found.gap <= share * size
    shapes = make_convex_parts(found.points)
    assert_sound(shapes)
    rng = np.random.default_rng(0)
    points = rng.uniform(body.vertices.min(axis=0), body.vertices.max(axis=0), (4000, 3))
    solid = points[inside(body, points)]
    # round parts leave up to 1 % of their radius away
    slack = 0.01 * shapes.geometry.parts.radius.max()
    assert inside_some(shapes, solid, slack).all()
    within, _ = points_in(shapes, 60)
    outside = within[~inside(body, within)]
    # gaps are measured at corners and middles of triangles, under hulls of some of the points: a tenth is between them
    assert len(outside) == 0 or nearest(body.vertices, body.triangles, outside)[2].max() <= 1.1 * share * size


def test_hollows_stay_free():
    for body, point in ((cup(), [0, 0, 1]), (bodies.torus(), [0, 0, 0]), (bodies.hollow_box(), [0.5, 0.5, 0.5])):
        shapes = make_convex_parts(parts_of(body).points)
        assert not inside_some(shapes, np.array([point], float)).any()


def test_the_number_of_parts_is_limited():
    assert len(parts_of(bodies.wine_glass(24), most=7).points) == 7


def test_faces_of_splits_have_the_part_beyond_as_mate():
    found = parts_of(cup(), 0.02)
    shapes = result_of(with_split_adjacency(make_convex_parts(found.points), [(0, found, 0.0)]))
    g = shapes.geometry
    part_of = np.repeat(np.arange(len(shapes.parts)), np.diff(g.parts.face[:, :2])[:, 0])
    adjacent = np.flatnonzero(g.faces.adjacent >= 0)
    assert len(adjacent) >= 2 * len(found.plane)
    size = diagonal(cup().vertices)
    for f in adjacent:
        begin = g.parts.vertex[part_of[f], 0]
        corner = shapes.vertices[begin + g.loop[slice(*g.faces.loop[f])]]
        other = shapes.vertices[slice(*g.parts.vertex[g.faces.adjacent[f]])]
        # the adjacent part lies wholly beyond the face, and reaches it
        height = other @ g.faces.normal[f] - g.faces.offset[f]
        assert height.min() > -1e-8 * size
        assert height.min() < 1e-8 * size
        # parts of curved solids differ by the tolerance
        assert height_over(shapes, g.faces.adjacent[f], corner.mean(axis=0)[None])[0] < 0.05 * size
    for k in range(len(shapes.parts)):
        normals = np.array([normal for normal, _, _ in faces_of(shapes, k)])
        offsets = np.array([offset for _, offset, _ in faces_of(shapes, k)])
        for plane, side in found.sides[k]:
            on = np.abs(offsets + side * found.plane[plane, 3]) < 1e-9 * size
            face = np.flatnonzero(on & (normals @ found.plane[plane, :3] * -side > 1.0 - 1e-12))
            assert all(g.faces.adjacent[g.parts.face[k, 0] + f] >= 0 for f in face)


@pytest.mark.parametrize(
    ("name", "scale"),
    # symmetric bodies have ties that round-off decides: they get scales that leave no round-off
    [("L", 0.01), ("L", 100.0), ("cup", 1 / 128), ("cup", 128.0), ("bumpy", 1 / 128), ("bumpy", 128.0)],
)
def test_size_does_not_matter(name, scale):
    one, other = parts_of(CONCAVE[name]), parts_of(CONCAVE[name], scale=scale)
    assert len(one.points) == len(other.points)
    # round-off may add cut points where a plane meets a corner, but they change no hull
    first, second = make_convex_parts(one.points), make_convex_parts(other.points)
    for k in range(len(one.points)):
        assert part_volume(second, k) == pytest.approx(part_volume(first, k) * scale**3, rel=1e-6)


@pytest.mark.parametrize("name", CONCAVE)
def test_halves_share_the_skin(name):
    body = CONCAVE[name]
    rng = np.random.default_rng(1)
    whole = area(body.vertices, body.triangles)
    for _ in range(5):
        normal = rng.normal(size=3)
        normal /= np.linalg.norm(normal)
        offset = float(normal @ body.vertices.mean(axis=0))
        above, below = halve_solid(make_solid(body.vertices, body.triangles), normal, offset, 0.0)
        assert (above.vertices @ normal - offset).min() > -1e-14
        assert (below.vertices @ normal - offset).max() < 1e-14
        total = area(above.vertices, above.triangles) + area(below.vertices, below.triangles)
        assert total == pytest.approx(whole, rel=1e-13)


def test_triangles_in_the_splitting_plane_go_where_their_matter_is():
    pair = bodies.joined(bodies.box(), bodies.box((0, 0, 1), (1, 1, 2)))
    above, below = halve_solid(make_solid(pair.vertices, pair.triangles), np.array([0.0, 0.0, 1.0]), 1.0, 1e-9)
    assert len(above.triangles) == len(below.triangles) == 12
    assert above.vertices[:, 2].min() == 1.0
    assert below.vertices[:, 2].max() == 1.0
