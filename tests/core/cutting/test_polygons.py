"""Fragments of bodies whose triangles are parts of flat polygons: one face for each, and the same matter and skin."""

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.cutting.cut import cut
from core.fragments import surface
from core.fragments.build import are_closed, build_fragments, concatenate
from core.fragments.inner_uv import face_normals
from core.fragments.spread import corner_points, corner_triangles, following_weights
from core.fragments.triangulate import triangulated
from core.geometry import packed
from core.roughness.bend import rough
from core.roughness.rough import Grain, rough_cut
from core.types import Body, Cells, Floats, Fragments, Ints
from tests import shapes
from tests.core.cutting.built import blocks, signed_volume, surface_faults
from tests.core.cutting.closedness import voronoi


def with_planes(body: Body) -> Body:
    """The body with all its coplanar triangles as one polygon; only where each plane holds one side of it."""
    a, b, c = (body.vertices[body.triangles[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    plane = np.round(np.column_stack([normal, np.einsum("ti,ti->t", normal, a)]), 6) + 0.0
    _, first, which = np.unique(plane, axis=0, return_index=True, return_inverse=True)
    return replace(body, polygon=first[which.ravel()])


def in_pairs(body: Body) -> Body:
    """The body with triangles 2i and 2i + 1 as one quad."""
    return replace(body, polygon=np.arange(len(body.triangles)) // 2 * 2)


def singles(cells: Cells) -> list[Ints]:
    return [np.array([unit]) for unit in range(int(cells.unit.max()) + 1)]


def points(fragments: Fragments) -> Floats:
    """(N,3) place of each corner in the body."""
    vertex = corner_points(fragments)
    return fragments.vertices[vertex] + fragments.centre[packed.owners(fragments.vertex_start)[vertex]]


def assert_on_skin(fragments: Fragments, body: Body) -> None:
    """Corners lie where their weights say, and the ends of their sides where those say that go with them."""
    triangle = corner_triangles(fragments)
    corner = np.flatnonzero(triangle >= 0)
    face = packed.owners(fragments.corner_start)[corner]
    polygon = body.polygon if len(body.polygon) else np.arange(len(body.triangles))
    assert np.array_equal(polygon[triangle[corner]], polygon[fragments.face_triangle[face]])
    place, size = points(fragments), np.linalg.norm(np.ptp(body.vertices, axis=0))
    end = place[packed.following(fragments.corner_start)]
    ahead = following_weights(fragments, body, fragments.corner_weight)
    three = body.vertices[body.triangles[triangle[corner]]]
    for weight, wanted in ((fragments.corner_weight, place), (ahead, end)):
        assert np.abs(np.einsum("nk,nki->ni", weight[corner], three) - wanted[corner]).max() < 1e-12 * size


def assert_same_skin(fragments: Fragments, plain: Fragments, body: Body) -> None:
    """The area of each polygon on each fragment is that of its triangles; volumes are the same."""
    for f in (fragments, plain):
        assert are_closed(f).all()
    assert np.array_equal(fragments.volume, plain.volume) and np.array_equal(fragments.centre, plain.centre)
    first, second = (areas(f, body) for f in (fragments, plain))
    assert first.keys() == second.keys()
    for key, area in first.items():
        assert area == pytest.approx(second[key], rel=1e-9, abs=1e-14)
    for k in range(len(fragments.mass)):
        assert signed_volume(fragments, k) == pytest.approx(signed_volume(plain, k), rel=1e-11)


def areas(fragments: Fragments, body: Body) -> dict[tuple[int, int], float]:
    found: dict[tuple[int, int], float] = defaultdict(float)
    place, normal, start = points(fragments), face_normals(fragments), fragments.corner_start
    fragment = packed.owners(fragments.face_start)
    for f in np.flatnonzero(fragments.face_triangle >= 0):
        p = place[start[f] : start[f + 1]]
        area = normal[f] @ np.cross(p[1:-1] - p[0], p[2:] - p[0]).sum(axis=0) / 2.0
        found[int(fragment[f]), int(body.polygon[fragments.face_triangle[f]])] += float(area)
    return found


@pytest.mark.parametrize("count", [1, 3, 40, 300])
def test_each_side_of_a_box_is_one_face_of_each_fragment_and_loses_its_diagonal(count: int) -> None:
    body = with_planes(shapes.box())
    cells = cut(body, voronoi(body, count, seed=count))
    made = build_fragments(cells, singles(cells), 1.0, body)
    plain = build_fragments(cells, singles(cells), 1.0, shapes.box())
    assert_same_skin(made, plain, body)
    assert_on_skin(made, body)
    fragment, outer = packed.owners(made.face_start), made.face_triangle >= 0
    pairs = np.column_stack([fragment, body.polygon[made.face_triangle]])[outer]
    assert len(np.unique(pairs, axis=0)) == len(pairs) < np.count_nonzero(plain.face_triangle >= 0)
    # A convex polyhedron of which no three faces share a line has as many edges as Euler and 3 at each vertex say.
    for k in range(len(made.mass)):
        faces = int(np.diff(made.face_start)[k])
        assert int(np.diff(made.vertex_start)[k]) == 2 * (faces - 2)


def test_a_rough_box_too() -> None:
    body = with_planes(shapes.box())
    cells = rough_cut(body, voronoi(body, 12, seed=2), rough(0.02, 0.4, 1, seed=1), Grain(0.02, 0.2))
    made = build_fragments(cells, singles(cells), 1.0, body)
    plain = build_fragments(cells, singles(cells), 1.0, shapes.box())
    assert_same_skin(made, plain, body)
    assert_on_skin(made, body)
    outer = made.face_triangle >= 0
    pairs = np.column_stack([packed.owners(made.face_start), body.polygon[made.face_triangle]])[outer]
    # Space is bent too little for a cell to reach a side twice.
    assert len(np.unique(pairs, axis=0)) == len(pairs) < np.count_nonzero(plain.face_triangle >= 0)


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), labels=st.integers(1, 6), planes=st.booleans())
def test_sets_of_cubes_that_touch_themselves_keep_matter_and_skin(seed: int, labels: int, planes: bool) -> None:
    # Sides are split where two sheets share both ends of an edge: that wants weights on joined faces too.
    plain_body, cells = blocks((3, 3, 3))
    body = with_planes(plain_body) if planes else in_pairs(plain_body)
    label = np.random.default_rng(seed).integers(0, labels, 27)
    members = [np.flatnonzero(label == k) for k in range(labels) if np.any(label == k)]
    made = build_fragments(cells, members, 1.0, body)
    assert_same_skin(made, build_fragments(cells, members, 1.0, plain_body), body)
    assert_on_skin(made, body)
    for k in range(len(made.mass)):
        assert surface_faults(made, k) == []


def test_a_point_in_the_middle_of_a_side_that_ends_in_another_triangle_lies_on_it() -> None:
    body = with_planes(shapes.box())
    cells = cut(body, voronoi(body, 5, seed=3))
    made = surface.gather(cells, np.arange(len(cells.volume) + 1), np.arange(len(cells.volume)), body)
    face = packed.owners(made.corner_start)
    fragment = packed.owners(made.face_start)[face]
    vertex = made.corner_vertex + made.vertex_start[fragment]
    following = packed.following(made.corner_start)
    after = np.flatnonzero((made.corner_triangle != made.corner_triangle[following]) & (made.corner_triangle >= 0))
    assert len(after) > 6
    for c in after:
        mate = np.flatnonzero((vertex == vertex[following[c]]) & (vertex[following] == vertex[c]))
        ends = np.array([[c, mate[0]], [following[c], following[mate[0]]]])[:, :, None]
        split = surface._split_edges(made, fragment[[c]], ends[0], ends[1], body)
        at = c + 1 + (mate[0] < c)
        assert split.corner_triangle[at] == made.corner_triangle[c]
        found = split.corner_weight[at] @ body.vertices[body.triangles[split.corner_triangle[at]]]
        assert np.allclose(found, (made.vertices[vertex[c]] + made.vertices[vertex[following[c]]]) / 2.0, atol=1e-14)


def test_a_side_around_a_hole_stays_in_two_parts() -> None:
    plain_body, cells = blocks((3, 3, 1))
    body = with_planes(plain_body)
    ring = np.setdiff1d(np.arange(9), [4])
    made = build_fragments(cells, [ring], 1.0, body)
    assert surface_faults(made, 0) == []
    level = (np.abs(face_normals(made)[:, 2]) > 0.5) & (made.face_triangle >= 0)
    assert np.count_nonzero(level) == 4
    assert areas(made, body)[0, int(body.polygon[made.face_triangle[level][0]])] == pytest.approx(8.0, rel=1e-15)


def test_a_corner_between_two_polygons_of_one_plane_stays() -> None:
    """Polygons may share two sides: the vertex between them has two faces only, and is none that cuts have made."""
    plain_body, cells = blocks((2, 2, 1))
    body = with_planes(plain_body)
    a, b, c = (plain_body.vertices[plain_body.triangles[:, k]] for k in range(3))
    top = np.cross(b - a, c - a)[:, 2] > 0.5
    corner = top & np.all(np.stack([a, b, c])[:, :, :2] <= 1.0, axis=(0, 2))
    polygon = body.polygon.copy()
    polygon[corner], polygon[top & ~corner] = np.flatnonzero(corner)[0], np.flatnonzero(top & ~corner)[0]
    body = replace(plain_body, polygon=polygon)
    made = build_fragments(cells, [np.arange(4)], 1.0, body)
    up = face_normals(made)[:, 2] > 0.5
    # Around three of the four squares are eight vertices of the body.
    assert sorted(np.diff(made.corner_start)[up].tolist()) == [4, 8]
    assert np.count_nonzero(np.all(np.abs(points(made) - 1.0) < 1e-15, axis=1)) == 2


def test_fragments_of_polygons_go_together_and_into_triangles() -> None:
    body = with_planes(shapes.box())
    cells = cut(body, voronoi(body, 30, seed=7))
    members = singles(cells)
    whole = build_fragments(cells, members, 1.0, body)
    parts = concatenate([build_fragments(cells, [m], 1.0, body) for m in members])
    for name in Fragments.__slots__:
        assert np.array_equal(getattr(whole, name), getattr(parts, name)), name
    small = triangulated(whole)
    assert np.all(np.diff(small.corner_start) == 3)
    assert_on_skin(small, body)
    assert_same_skin(small, whole, body)


def test_without_polygons_nothing_is_joined() -> None:
    body = shapes.bumpy_sphere(3)
    cells = cut(body, voronoi(body, 30, seed=7))
    alone = replace(body, polygon=np.arange(len(body.triangles)))
    one, other = (build_fragments(cells, singles(cells), 1.0, b) for b in (body, alone))
    for name in set(Fragments.__slots__) - {"corner_triangle"}:
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert len(one.corner_triangle) == 0
