"""Faces cut into triangles: nothing turned over, nothing flat, nothing lost."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.cutting.cut import cut
from core.fragments.build import are_closed, build_fragments
from core.fragments.triangulate import triangulated
from core.geometry import packed
from core.types import Floats, Fragments
from tests import shapes
from tests.core.cutting.built import rings_of, signed_volume, surface_faults
from tests.core.cutting.closedness import voronoi


def prism(outline: Floats) -> Fragments:
    """A counter-clockwise polygon (n,2) and the same one unit above it, as one fragment."""
    n = len(outline)
    vertices = np.concatenate([np.column_stack([outline, np.full(n, z)]) for z in (0.0, 1.0)])
    i = np.arange(n)
    walls = np.stack([i, (i + 1) % n, n + (i + 1) % n, n + i], axis=1)
    corner = np.concatenate([i[::-1], n + i, walls.ravel()])
    length = np.array([n, n] + [4] * n)
    return Fragments(
        vertex_start=np.array([0, 2 * n]),
        vertices=vertices,
        face_start=np.array([0, n + 2]),
        corner_start=packed.packed_starts(length),
        corner_vertex=corner,
        corner_weight=np.random.default_rng(0).uniform(size=(len(corner), 3)),
        face_triangle=np.arange(n + 2) - 2,
        face_bond=np.where(np.arange(n + 2) < 2, np.arange(n + 2), -1),
        mass=np.ones(1),
        volume=np.ones(1),
        centre=np.zeros((1, 3)),
        inertia=np.eye(3)[None],
    )


def top_triangles(fragments: Fragments, size: int) -> Floats:
    """The triangles (n,3,2) of the top of a prism, seen from above."""
    top = np.flatnonzero(fragments.face_bond == 1)
    corner = fragments.corner_vertex.reshape(-1, 3)[top]
    assert np.all(corner >= size)
    return fragments.vertices[corner][:, :, :2]


def doubled_area(triangles: Floats) -> Floats:
    u, v = triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    return u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]


def outline_area(outline: Floats) -> float:
    x, y = outline.T
    return float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) / 2.0)


SQUARE = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])


def subdivided(outline: Floats, parts: int) -> Floats:
    """Straight corners between the corners."""
    share = np.arange(parts)[:, None] / parts
    ends = np.roll(outline, -1, axis=0)
    return np.concatenate([a + share * (b - a) for a, b in zip(outline, ends, strict=True)])


def spiral(turns: int) -> Floats:
    angle = np.linspace(0.5, 2 * np.pi * turns, 20 * turns)
    inside = np.stack([angle * np.cos(angle), angle * np.sin(angle)], axis=1)
    outside = np.stack([(angle + 3) * np.cos(angle), (angle + 3) * np.sin(angle)], axis=1)
    return np.concatenate([outside, inside[::-1]])


def comb(teeth: int) -> Floats:
    up = [[x, y] for i in range(teeth, 0, -1) for x, y in ((2 * i, 5), (2 * i - 1, 5), (2 * i - 1, 1), (2 * i - 2, 1))]
    return np.array([[0.0, 0], [2 * teeth, 0], *up], float)


OUTLINES = {
    "square": SQUARE,
    "square with straight corners": subdivided(SQUARE, 4),
    "triangle with straight corners": subdivided(SQUARE[:3], 5),
    "arrow": np.array([[0.0, 0], [2, -1], [0.5, 0], [2, 1]]),
    "angle": subdivided(np.array([[0.0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]]), 3),
    "frame with a slit": np.array(
        [[0.0, 0], [3, 0], [3, 3], [0, 3], [0, 0.1], [1, 1], [1, 2], [2, 2], [2, 1], [0.1, 0.9 * 0.1]]
    ),
    "comb": comb(6),
    "spiral": spiral(3),
    "needle": np.array([[0.0, 0], [1, 1e-7], [2, 0], [1, 2e-7]]),
}


@pytest.mark.parametrize("name", OUTLINES)
@pytest.mark.parametrize("scale", [1.0, 1e-4, 1e4])
def test_outlines_are_filled_without_flips_and_flat_triangles(name: str, scale: float) -> None:
    outline = OUTLINES[name] * scale
    solid = prism(outline)
    made = triangulated(solid)
    assert np.all(np.diff(made.corner_start) == 3)
    assert are_closed(made).all()
    assert surface_faults(made, 0) == []
    area = doubled_area(top_triangles(made, len(outline)))
    assert len(area) == len(outline) - 2
    assert np.all(area > 1e-11 * np.ptp(outline, axis=0).max() ** 2)
    assert area.sum() / 2.0 == pytest.approx(outline_area(outline), rel=1e-9)
    assert signed_volume(made, 0) == pytest.approx(signed_volume(solid, 0), rel=1e-9)


@settings(max_examples=50)
@given(seed=st.integers(0, 10**6), size=st.integers(4, 60))
def test_stars_are_filled(seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    angle = np.sort(rng.uniform(0.0, 2 * np.pi, size)) + np.arange(size) * 1e-3
    angle = angle / (1.0 + size * 1e-3 / (2 * np.pi))
    radius = rng.uniform(0.05, 1.0, size)
    outline = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    area = outline_area(outline)
    made = doubled_area(top_triangles(triangulated(prism(outline)), size))
    # Gaps of half a turn or more leave the middle outside: such a ring may cross itself.
    if np.diff(np.append(angle, angle[0] + 2 * np.pi)).max() < np.pi:
        assert np.all(made > 0.0)
        assert made.sum() / 2.0 == pytest.approx(area, rel=1e-9)


def test_corners_keep_their_weights_and_faces_what_they_are() -> None:
    solid = prism(OUTLINES["angle"])
    made = triangulated(solid)
    before = {}
    for f, (a, b) in enumerate(zip(solid.corner_start[:-1], solid.corner_start[1:], strict=True)):
        for c in range(a, b):
            before[f, int(solid.corner_vertex[c])] = solid.corner_weight[c].tolist()
    face = packed.owners(packed.packed_starts(np.diff(solid.corner_start) - 2))
    assert np.array_equal(made.face_triangle, solid.face_triangle[face])
    assert np.array_equal(made.face_bond, solid.face_bond[face])
    for t, corners in enumerate(rings_of(made, 0)):
        for i, v in enumerate(corners):
            assert made.corner_weight[3 * t + i].tolist() == before[int(face[t]), v]


def test_a_quad_is_cut_along_its_better_diagonal() -> None:
    kite = np.array([[0.0, 0.0], [1.0, -0.2], [2.0, 0.0], [1.0, 0.2]])
    made = triangulated(prism(kite))
    top = made.corner_vertex.reshape(-1, 3)[made.face_bond == 1] - 4
    assert all({1, 3} <= set(row) for row in top.tolist())


def test_triangles_stay_as_they_are() -> None:
    body = shapes.torus()
    cells = cut(body, voronoi(body, 30, seed=2))
    fragments = build_fragments(cells, [np.array([u]) for u in range(int(cells.unit.max()) + 1)], 1.0, body)
    once = triangulated(fragments)
    twice = triangulated(once)
    for name in Fragments.__slots__:
        assert np.array_equal(getattr(once, name), getattr(twice, name)), name


def test_a_face_without_area_is_cut_anyhow() -> None:
    flat = prism(np.array([[0.0, 0], [1, 0], [2, 0], [3, 0], [1.5, 0]]))
    made = triangulated(flat)
    assert np.all(np.diff(made.corner_start) == 3)
    assert len(made.face_bond) == 2 * 3 + 5 * 2


@pytest.mark.parametrize("name", ["hollow", "glass"])
def test_groups_of_cells(name: str) -> None:
    body = {"hollow": shapes.hollow_box(), "glass": shapes.wine_glass(24)}[name]
    cells = cut(body, voronoi(body, 200, seed=5))
    label = np.random.default_rng(5).integers(0, 12, int(cells.unit.max()) + 1)
    fragments = build_fragments(cells, [np.flatnonzero(label == k) for k in range(12)], 1.0, body)
    made = triangulated(fragments)
    assert are_closed(made).all()
    corner = made.vertices[made.corner_vertex + np.repeat(made.vertex_start[packed.owners(made.face_start)], 3)]
    t = corner.reshape(-1, 3, 3)
    volume = np.bincount(
        packed.owners(made.face_start), np.einsum("ij,ij->i", t[:, 0], np.cross(t[:, 1], t[:, 2])) / 6.0
    )
    assert np.allclose(volume, made.volume, rtol=1e-12)
