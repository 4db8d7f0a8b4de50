"""Fragments of bodies that were really cut: closed, complete, and lying on the source where they say so."""

import numpy as np
import pytest

from core.cutting.cut import cut
from core.fragments.build import are_closed, build_fragments
from core.fragments.inner_uv import face_normals, planar_coordinates
from core.geometry import packed
from core.geometry.corner_values import blend, normalized, triangle_edge
from core.pieces.voronoi_complex import voronoi_complex
from core.types import Body, Cells, Fragments
from tests.core.geometry.solids import box, bumpy, torus

DENSITY = 1000.0
BODIES = {"box": box(), "bumpy": bumpy(4), "torus": torus(around=24, across=12)}


def cut_body(name: str, count: int = 60, scale: float = 1.0) -> tuple[Body, Cells]:
    vertices, triangles = BODIES[name]
    vertices = vertices * scale
    body = Body(vertices, triangles, np.arange(len(triangles)))
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    sites = np.random.default_rng(3).uniform(0.0, 1.0, (count, 3)) * (high - low) + low
    return body, cut(body, voronoi_complex(sites, low, high))


def labelled(cells: Cells, count: int) -> list[np.ndarray]:
    label = np.random.default_rng(4).integers(0, count, int(cells.unit.max()) + 1)
    return [np.flatnonzero(label == k) for k in range(count) if np.any(label == k)]


def face_areas(fragments: Fragments) -> np.ndarray:
    """Area of each face: normal times the sum of the triangles of a fan, which for planar faces may be negative."""
    shift = fragments.vertex_start[packed.owners(fragments.face_start)]
    area = np.zeros(len(fragments.face_triangle))
    normal = face_normals(fragments)
    for f, (first, last) in enumerate(zip(fragments.corner_start[:-1], fragments.corner_start[1:], strict=True)):
        p = fragments.vertices[fragments.corner_vertex[first:last] + shift[f]]
        area[f] = normal[f] @ np.cross(p[1:-1] - p[0], p[2:] - p[0]).sum(axis=0) / 2.0
    return area


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("groups", [None, 7])
def test_pieces_are_closed_and_complete(name: str, groups: int | None) -> None:
    body, cells = cut_body(name)
    count = int(cells.unit.max()) + 1
    members = [np.array([u]) for u in range(count)] if groups is None else labelled(cells, groups)
    fragments = build_fragments(cells, members, DENSITY, body)
    assert are_closed(fragments).all()
    a, b, c = (body.vertices[body.triangles[:, k]] for k in range(3))
    assert fragments.volume.sum() == pytest.approx(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0, rel=1e-12)
    # Every triangle of the body is covered exactly once.
    outer = fragments.face_triangle >= 0
    covered = np.bincount(fragments.face_triangle[outer], face_areas(fragments)[outer], minlength=len(body.triangles))
    expected = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2.0
    assert np.allclose(covered, expected, rtol=1e-9, atol=1e-14)
    # Bonds between fragments have two equal sides.
    side = fragments.face_bond[~outer]
    assert np.all(np.bincount(side)[np.unique(side)] % 2 == 0)


@pytest.mark.parametrize("name", BODIES)
def test_corners_lie_where_their_weights_say(name: str) -> None:
    body, cells = cut_body(name)
    fragments = build_fragments(cells, labelled(cells, 5), DENSITY, body)
    face = packed.owners(fragments.corner_start)
    outer = np.flatnonzero(fragments.face_triangle[face] >= 0)
    fragment = packed.owners(fragments.face_start)[face[outer]]
    row = body.triangles[fragments.face_triangle[face[outer]]]
    position = fragments.vertices[fragments.corner_vertex[outer] + fragments.vertex_start[fragment]]
    position = position + fragments.centre[fragment]
    # Clipping and centring round at a few 1e-16 of the size.
    assert np.allclose(blend(body.vertices, row, fragments.corner_weight[outer]), position, atol=2e-14)


def test_the_whole_body_has_no_inner_faces() -> None:
    body, cells = cut_body("bumpy")
    whole = build_fragments(cells, [np.arange(int(cells.unit.max()) + 1)], DENSITY, body)
    assert are_closed(whole).all()
    assert np.all(whole.face_bond == -1)


@pytest.mark.parametrize("scale", [0.01, 100.0])
def test_planar_coordinates_are_metres_at_every_scale(scale: float) -> None:
    body, cells = cut_body("box", scale=scale)
    fragments = build_fragments(cells, labelled(cells, 5), DENSITY, body)
    faces = np.flatnonzero(fragments.face_bond >= 0)
    uv = planar_coordinates(fragments, faces, face_normals(fragments)[faces])
    next_corner = packed.following(fragments.corner_start)
    face = packed.owners(fragments.corner_start)
    inner = np.flatnonzero(fragments.face_bond[face] >= 0)
    fragment = packed.owners(fragments.face_start)[face]
    p = fragments.vertices[fragments.corner_vertex + fragments.vertex_start[fragment]]
    space = np.linalg.norm(p[next_corner[inner]] - p[inner], axis=1)
    plane = np.linalg.norm(uv[next_corner[inner]] - uv[inner], axis=1)
    assert np.allclose(space, plane, atol=1e-12 * scale)


def test_blending() -> None:
    values = np.array([[0.1], [0.7], [0.3]])
    row = np.array([[0, 1, 2], [2, 1, 0]])
    weight = np.array([[0.2, 0.5, 0.3], [0.0, 1.0, 0.0]])
    assert blend(values, row, weight)[0, 0] == pytest.approx(0.2 * 0.1 + 0.5 * 0.7 + 0.3 * 0.3, rel=1e-15)
    assert blend(values, row, weight)[1, 0] == 0.7  # bit for bit
    assert normalized(np.array([[3.0, 0.0, 4.0], [0.0, 0.0, 0.0]])).tolist() == [[0.6, 0.0, 0.8], [0.0, 0.0, 0.0]]


def test_which_side_of_its_triangle_an_edge_lies_on() -> None:
    corner = np.eye(3)
    middle = np.array([0.5, 0.5, 0.0])
    ends = [
        (corner[0], corner[1], 0),
        (corner[2], corner[1], 1),  # backwards
        (corner[2], corner[0], 2),
        (corner[0], middle, 0),
        (corner[2], middle, -1),  # across
        (middle, np.array([0.6, 0.4, 0.0]), 0),
        (np.zeros(3), np.zeros(3), -1),  # an inner face
    ]
    first, second, expected = zip(*ends, strict=True)
    assert triangle_edge(np.array(first), np.array(second)).tolist() == list(expected)
