"""What cuts leave behind where nothing parts: gone, and nothing else with it."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.cutting.cut import cut
from core.fragments.build import are_closed, build_fragments
from core.fragments.inner_uv import face_normals
from core.geometry import packed
from core.types import Body, Cells, Fragments
from tests import shapes
from tests.core.cutting.built import blocks, rings_of, signed_volume, surface_faults
from tests.core.cutting.closedness import voronoi

BODIES = {
    "box": shapes.box(),
    "plate": shapes.plate(),
    "torus": shapes.torus(),
    "hollow": shapes.hollow_box(),
    "glass": shapes.wine_glass(24),
    "bumpy": shapes.bumpy_sphere(3),
    "coincident": shapes.with_coincident_vertices(shapes.bumpy_sphere(3)),
}


def labelled(cells: Cells, labels: int, seed: int) -> list[np.ndarray]:
    label = np.random.default_rng(seed).integers(0, labels, int(cells.unit.max()) + 1)
    return [np.flatnonzero(label == k) for k in range(labels) if np.any(label == k)]


def corner_points(fragments: Fragments) -> np.ndarray:
    fragment = packed.owners(fragments.face_start)[packed.owners(fragments.corner_start)]
    vertex = fragments.corner_vertex + fragments.vertex_start[fragment]
    return fragments.vertices[vertex] + fragments.centre[fragment]


@pytest.mark.parametrize("name", BODIES)
def test_the_whole_body_is_the_mesh_of_the_artist(name: str) -> None:
    body = BODIES[name]
    cells = cut(body, voronoi(body, 200, seed=1))
    whole = build_fragments(cells, [np.arange(int(cells.unit.max()) + 1)], 1.0, body)
    order = np.argsort(whole.face_triangle)
    assert np.array_equal(whole.face_triangle[order], np.arange(len(body.triangles)))
    assert np.all(np.diff(whole.corner_start) == 3)
    assert len(whole.vertices) == len(np.unique(body.triangles))
    # Corners of a triangle begin anywhere; their weights say which corner of the triangle they are.
    which = np.argmax(whole.corner_weight, axis=1)
    assert np.array_equal(whole.corner_weight, np.eye(3)[which])
    found = np.empty((len(body.triangles), 3, 3))
    found[np.repeat(whole.face_triangle, 3), which] = corner_points(whole)
    size = np.linalg.norm(np.ptp(body.vertices, axis=0))
    assert np.abs(found - body.vertices[body.triangles]).max() <= 4e-16 * size  # centred and back


def straight_corners(fragments: Fragments, k: int) -> list[int]:
    """Vertices with two faces of more than three corners, on the line between their neighbours, but for the body's."""
    rings = rings_of(fragments, k)
    faces = Counter(v for ring in rings for v in ring)
    size = {v: min(len(ring) for ring in rings if v in ring) for v, n in faces.items() if n == 2}
    first = int(fragments.face_start[k])
    own = set()
    for i in range(len(rings)):
        corner = slice(fragments.corner_start[first + i], fragments.corner_start[first + i + 1])
        at = fragments.corner_weight[corner].max(axis=1) == 1.0
        own |= set(fragments.corner_vertex[corner][at].tolist())
    p = fragments.vertices[fragments.vertex_start[k] :]
    found = []
    for ring in rings:
        for a, b, c in zip([ring[-1], *ring], ring, ring[1:] + ring[:1], strict=False):
            if faces[b] == 2 and size[b] > 3 and b not in own:
                line = p[c] - p[a]
                off = np.linalg.norm(np.cross(p[b] - p[a], line)) / np.linalg.norm(line)
                found += [b] if off < 1e-13 and 0.0 < (p[b] - p[a]) @ line < line @ line else []
    return found


@settings(max_examples=30)
@given(
    seed=st.integers(0, 10**6),
    count=st.integers(2, 80),
    labels=st.integers(1, 8),
    name=st.sampled_from(sorted(BODIES)),
)
def test_sets_of_cells_keep_their_volume_their_skin_and_the_body_vertices(
    seed: int, count: int, labels: int, name: str
) -> None:
    body = BODIES[name]
    cells = cut(body, voronoi(body, count, seed))
    fragments = build_fragments(cells, labelled(cells, labels, seed), 1.0, body)
    assert are_closed(fragments).all()
    for k in range(len(fragments.mass)):
        assert surface_faults(fragments, k) == []
        assert straight_corners(fragments, k) == []
        # The plate is a thousand times wider than thick, and its volume is small beside the terms of the sum.
        assert signed_volume(fragments, k) == pytest.approx(
            float(fragments.volume[k]), rel=1e-9 if name == "plate" else 1e-11
        )
    assert np.allclose(covered(fragments, body), areas(body), rtol=1e-9, atol=1e-14)
    outer = np.repeat(fragments.face_triangle, np.diff(fragments.corner_start)) >= 0
    at = np.flatnonzero(outer & (fragments.corner_weight.max(axis=1) == 1.0))
    triangle = np.repeat(fragments.face_triangle, np.diff(fragments.corner_start))[at]
    kept = body.triangles[triangle, np.argmax(fragments.corner_weight[at], axis=1)]
    assert np.array_equal(np.unique(kept), np.unique(body.triangles))


def areas(body: Body) -> np.ndarray:
    a, b, c = (body.vertices[body.triangles[:, i]] for i in range(3))
    return np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2.0


def covered(fragments: Fragments, body: Body) -> np.ndarray:
    """How much of each triangle the outer faces cover."""
    point = corner_points(fragments)
    normal = face_normals(fragments)
    total = np.zeros(len(body.triangles))
    for f in np.flatnonzero(fragments.face_triangle >= 0):
        p = point[fragments.corner_start[f] : fragments.corner_start[f + 1]]
        total[fragments.face_triangle[f]] += normal[f] @ np.cross(p[1:-1] - p[0], p[2:] - p[0]).sum(axis=0) / 2.0
    return total


def number(shape: tuple[int, int, int]) -> dict[tuple[int, ...], int]:
    return {c: i for i, c in enumerate(np.ndindex(*shape))}


@pytest.mark.parametrize("length", [1, 2, 5])
def test_a_bar_of_cubes_is_a_box(length: int) -> None:
    # Inside the block, where all faces are facets: those of one plane become one face.
    shape = (3, 3, length + 2)
    body, cells = blocks(shape)
    bar = [number(shape)[1, 1, 1 + i] for i in range(length)]
    made = build_fragments(cells, [np.array(bar)], 1.0, body)
    assert surface_faults(made, 0) == []
    assert np.array_equal(np.diff(made.corner_start), np.full(6, 4))
    assert len(made.vertices) == 8
    assert signed_volume(made, 0) == pytest.approx(length, rel=1e-15)


def test_an_angle_of_cubes_has_eight_faces() -> None:
    shape = (4, 4, 3)
    body, cells = blocks(shape)
    angle = [number(shape)[c] for c in ((1, 1, 1), (2, 1, 1), (1, 2, 1))]
    made = build_fragments(cells, [np.array(angle)], 1.0, body)
    assert surface_faults(made, 0) == []
    assert sorted(np.diff(made.corner_start).tolist()) == [4] * 6 + [6] * 2
    assert len(made.vertices) == 12


def test_a_face_with_a_hole_stays_in_parts() -> None:
    shape = (5, 5, 3)
    body, cells = blocks(shape)
    frame = [number(shape)[x, y, 1] for x in (1, 2, 3) for y in (1, 2, 3) if (x, y) != (2, 2)]
    made = build_fragments(cells, [np.array(frame)], 1.0, body)
    assert surface_faults(made, 0) == []
    assert signed_volume(made, 0) == pytest.approx(8.0, rel=1e-15)
    level = np.abs(face_normals(made)[:, 2]) > 0.5
    assert np.count_nonzero(level) == 4  # above and below: all of it but one square, and that square
    assert np.count_nonzero(~level) == 8


def test_facets_that_are_not_quite_parallel_stay_apart() -> None:
    body, cells = blocks((3, 3, 4))
    normal = cells.bond_normal.copy()
    normal += 1e-9 * np.random.default_rng(0).normal(size=normal.shape)
    tilted = Cells(**{name: getattr(cells, name) for name in cells.__slots__} | {"bond_normal": normal})
    bar = np.array([number((3, 3, 4))[1, 1, i] for i in (1, 2)])
    assert len(build_fragments(tilted, [bar], 1.0, body).face_bond) == 10
    assert len(build_fragments(cells, [bar], 1.0, body).face_bond) == 6


def test_single_cells_are_left_as_they_are() -> None:
    body = BODIES["torus"]
    cells = cut(body, voronoi(body, 60, seed=3))
    alone = np.flatnonzero(np.bincount(cells.unit)[cells.unit] == 1)
    made = build_fragments(cells, [cells.unit[[c]] for c in alone], 1.0, body)
    outer = np.isin(cells.outer_cell, alone).sum()
    inner = np.isin(cells.bond_cells[cells.inner_bond], alone).sum()
    assert len(made.face_bond) == outer + inner


def test_in_batches_as_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    body, cells = blocks((4, 4, 4))
    members = [np.flatnonzero(np.random.default_rng(1).integers(0, 5, 64) == k) for k in range(6)]
    once = build_fragments(cells, members, 1.0, body)
    monkeypatch.setattr("core.fragments.surface.BATCH", 50)
    parts = build_fragments(cells, members, 1.0, body)
    for name in Fragments.__slots__:
        assert np.array_equal(getattr(once, name), getattr(parts, name)), name
