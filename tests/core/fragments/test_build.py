"""Fragments from cells made by hand: blocks of unit cubes, whose every number is known."""

from types import SimpleNamespace

import numpy as np
import pytest

from core.errors import InputError
from core.fragments.build import are_closed, build_fragments, concatenate
from core.fragments.inner_uv import cap_normals, face_normals, planar_coordinates, texel_density
from core.types import Body, Cells, Fragments, Made
from tests.core.cutting.built import blocks, signed_volume

DENSITY = 2500.0


def edge_faces(fragments: Fragments, k: int) -> dict[tuple[int, int], int]:
    """How many faces hold each undirected edge."""
    count: dict[tuple[int, int], int] = {}
    for f in range(fragments.face_start[k], fragments.face_start[k + 1]):
        ring = fragments.corner_vertex[fragments.corner_start[f] : fragments.corner_start[f + 1]].tolist()
        for a, b in zip(ring, ring[1:] + ring[:1], strict=True):
            key = (min(a, b), max(a, b))
            count[key] = count.get(key, 0) + 1
    return count


def cell_sets(*sets: list[int]) -> list[np.ndarray]:
    return [np.array(s, np.int64) for s in sets]


@pytest.mark.parametrize("shape", [(2, 1, 1), (2, 2, 2)])
def test_single_cells_are_cubes(shape: tuple[int, int, int]) -> None:
    body, cells = blocks(shape)
    count = len(cells.volume)
    fragments = build_fragments(cells, cell_sets(*([i] for i in range(count))), DENSITY, body)
    assert are_closed(fragments).all()
    assert np.all(np.diff(fragments.vertex_start) == 8)
    for k in range(count):
        assert signed_volume(fragments, k) == pytest.approx(1.0, rel=1e-14)
    # A cube of mass m and edge s about its centre: m s^2 / 6 on the diagonal.
    assert np.allclose(fragments.inertia, np.eye(3) * DENSITY / 6.0, rtol=1e-14, atol=1e-10)
    assert np.array_equal(fragments.mass, np.full(count, DENSITY))
    assert np.array_equal(fragments.centre, cells.centroid)


def test_whole_body_is_the_source_surface() -> None:
    body, cells = blocks((2, 2, 2))
    whole = build_fragments(cells, cell_sets(list(range(8))), DENSITY, body)
    assert are_closed(whole).all()
    assert np.array_equal(np.sort(whole.face_triangle), np.arange(len(body.triangles)))
    assert np.all(whole.face_bond == -1)
    # 27 grid points without the one inside.
    assert whole.vertex_start[-1] == 26
    position = whole.vertices + whole.centre[0]
    corner = position[whole.corner_vertex].reshape(-1, 3, 3)
    order = np.argsort(whole.face_triangle)
    assert np.array_equal(corner[order], body.vertices[body.triangles])
    # A cube of edge 2 and mass 8 rho: m s^2 / 6.
    assert np.allclose(whole.inertia[0], np.eye(3) * 8.0 * DENSITY * 4.0 / 6.0, rtol=1e-14, atol=1e-9)


def test_inertia_of_a_bar_by_the_parallel_axis_theorem() -> None:
    body, cells = blocks((5, 2, 3), size=0.1, offset=100.0)
    bar = build_fragments(cells, cell_sets(list(range(30))), DENSITY, body)
    a, b, c = 0.5, 0.2, 0.3
    m = DENSITY * a * b * c
    # A cuboid about its centre: m (b^2 + c^2) / 12 and so on.
    expected = np.diag([b * b + c * c, a * a + c * c, a * a + b * b]) * m / 12.0
    assert bar.mass[0] == pytest.approx(m, rel=1e-12)
    # The cells lie 100 m away: 100 * eps / 0.1 relative in positions.
    assert np.allclose(bar.inertia[0], expected, rtol=1e-11, atol=m * 1e-13)
    assert np.allclose(bar.centre[0], 100.0 + np.array([a, b, c]) / 2.0, atol=1e-13)


def test_mates_share_positions_and_are_reversed() -> None:
    body, cells = blocks((2, 1, 1))
    fragments = build_fragments(cells, cell_sets([0], [1]), DENSITY, body)
    faces = np.flatnonzero(fragments.face_bond == 0)
    assert len(faces) == 2
    rings = []
    for f in faces:
        k = int(np.searchsorted(fragments.face_start, f, side="right") - 1)
        corner = slice(fragments.corner_start[f], fragments.corner_start[f + 1])
        vertex = fragments.corner_vertex[corner] + fragments.vertex_start[k]
        assert not fragments.corner_weight[corner].any()
        rings.append((fragments.vertices[vertex] + fragments.centre[k]).tolist())
    assert sorted(rings[0]) == sorted(rings[1])
    start = rings[1].index(rings[0][0])
    turned = rings[1][start:] + rings[1][:start]
    assert [turned[0], *turned[:0:-1]] == rings[0]
    normal = face_normals(fragments)[faces]
    assert np.array_equal(normal, [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]])  # lo is cell 0: its bond looks along +x


def test_units_of_several_cells_and_shared_units() -> None:
    body, cells = blocks((4, 1, 1))
    grouped = Cells(**{name: getattr(cells, name) for name in cells.__slots__} | {"unit": np.array([0, 0, 1, 1])})
    # The whole, and the two halves into which it breaks.
    fragments = build_fragments(grouped, cell_sets([0, 1], [0], [1]), DENSITY, body)
    assert are_closed(fragments).all()
    assert np.array_equal(fragments.volume, [4.0, 2.0, 2.0])
    assert [int((fragments.face_bond[a:b] >= 0).sum()) for a, b in _face_ranges(fragments)] == [0, 1, 1]


def test_edge_with_four_faces_gets_two_vertex_pairs() -> None:
    # Two cubes that touch along one edge: everything along it is doubled, and nothing connects the cubes.
    body, cells = blocks((2, 2, 1))
    fragments = build_fragments(cells, cell_sets([0, 3]), DENSITY, body)
    assert are_closed(fragments).all()
    assert fragments.vertex_start[-1] == 16
    assert set(edge_faces(fragments, 0).values()) == {2}
    assert signed_volume(fragments, 0) == pytest.approx(2.0)


def test_touching_edge_inside_a_connected_fragment() -> None:
    # Two diagonal cubes under a full layer of four: the edge between them ends in one fan at both ends at least once.
    body, cells = blocks((2, 2, 3))
    index = {tuple(c): i for i, c in enumerate(np.ndindex(2, 2, 3))}
    layers = [index[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 2)]
    fragments = build_fragments(cells, cell_sets([*layers, index[0, 0, 1], index[1, 1, 1]]), DENSITY, body)
    assert are_closed(fragments).all()
    assert set(edge_faces(fragments, 0).values()) == {2}
    assert signed_volume(fragments, 0) == pytest.approx(10.0)
    # 12 corners a layer... the middle edge has both its ends in one fan, so one copy of it gets a middle vertex.
    middle = fragments.vertices + fragments.centre[0]
    assert np.any(np.all(middle == [1.0, 1.0, 1.5], axis=1))


def test_cubes_touching_at_a_point_share_no_vertex() -> None:
    body, cells = blocks((2, 2, 2))
    fragments = build_fragments(cells, cell_sets([0, 7]), DENSITY, body)
    assert are_closed(fragments).all()
    assert fragments.vertex_start[-1] == 16


def test_random_sets_of_cubes_are_manifold() -> None:
    body, cells = blocks((4, 4, 4))
    rng = np.random.default_rng(5)
    for _ in range(20):
        label = rng.integers(0, 3, 64)
        fragments = build_fragments(cells, [np.flatnonzero(label == k) for k in range(3)], DENSITY, body)
        assert are_closed(fragments).all()
        for k in range(3):
            assert set(edge_faces(fragments, k).values()) == {2}
            assert signed_volume(fragments, k) == pytest.approx(float(fragments.volume[k]), rel=1e-12)


def test_closed_sees_a_missing_face_a_turned_face_and_an_empty_fragment() -> None:
    body, cells = blocks((2, 1, 1))
    good = build_fragments(cells, cell_sets([0], [1], []), DENSITY, body)
    assert are_closed(good).tolist() == [True, True, False]
    turned = good.corner_vertex.copy()
    turned[:3] = turned[:3][::-1]
    assert are_closed(_with(good, corner_vertex=turned)).tolist() == [False, True, False]
    kept = np.arange(len(good.face_triangle)) != 0
    missing = _with(
        good,
        face_start=np.maximum(good.face_start - 1, 0),
        corner_start=np.concatenate([[0], np.cumsum(np.diff(good.corner_start)[kept])]),
        corner_vertex=good.corner_vertex[good.corner_start[1] :],
        corner_weight=good.corner_weight[good.corner_start[1] :],
        face_triangle=good.face_triangle[kept],
        face_bond=good.face_bond[kept],
    )
    assert are_closed(missing).tolist() == [False, True, False]


def test_concatenate_equals_building_at_once() -> None:
    body, cells = blocks((3, 2, 1))
    members = cell_sets([0, 1], [2], [3, 4, 5])
    whole = build_fragments(cells, members, DENSITY, body)
    parts = concatenate(
        [build_fragments(cells, members[:1], DENSITY, body), build_fragments(cells, members[1:], DENSITY, body)]
    )
    for name in Fragments.__slots__:
        assert np.array_equal(getattr(whole, name), getattr(parts, name)), name
    assert len(concatenate([]).mass) == 0


def test_cells_of_another_mesh_are_refused() -> None:
    _, cells = blocks((2, 1, 1))
    small = SimpleNamespace(triangles=np.zeros((3, 3), np.int64))
    with pytest.raises(InputError, match="another mesh"):
        build_fragments(cells, cell_sets([0]), DENSITY, small)


def test_planar_coordinates_keep_lengths_and_agree_on_both_sides() -> None:
    body, cells = blocks((2, 2, 2), size=0.3)
    fragments = build_fragments(cells, cell_sets(*([i] for i in range(8))), DENSITY, body)
    faces = np.flatnonzero(fragments.face_bond >= 0)
    uv = planar_coordinates(fragments, faces, face_normals(fragments)[faces])
    by_point: dict[tuple[int, tuple[float, ...]], list[np.ndarray]] = {}
    for k, (first, last) in enumerate(_face_ranges(fragments)):
        for f in range(first, last):
            corner = np.arange(fragments.corner_start[f], fragments.corner_start[f + 1])
            if fragments.face_bond[f] < 0:
                assert not uv[corner].any()
                continue
            position = (
                fragments.vertices[fragments.vertex_start[k] + fragments.corner_vertex[corner]] + fragments.centre[k]
            )
            space = np.linalg.norm(position - np.roll(position, 1, axis=0), axis=1)
            plane = np.linalg.norm(uv[corner] - np.roll(uv[corner], 1, axis=0), axis=1)
            assert np.allclose(space, plane, rtol=1e-12)
            for p, w in zip(position.round(9), uv[corner], strict=True):
                by_point.setdefault((int(fragments.face_bond[f]), tuple(p)), []).append(w)
    assert all(len(pair) == 2 and np.allclose(pair[0], pair[1], atol=1e-14) for pair in by_point.values())


def test_texel_density_is_the_median_over_area() -> None:
    # Three triangles of 1, 1 and 4 m^2 with 1, 4 and 4 texture units^2: most of the area has density 1.
    assert texel_density(np.array([1.0, 1.0, 4.0]), np.array([1.0, 4.0, 4.0])) == 1.0
    assert texel_density(np.array([1.0]), np.array([0.0])) == 1.0


def _face_ranges(fragments: Fragments) -> list[tuple[int, int]]:
    return list(zip(fragments.face_start[:-1].tolist(), fragments.face_start[1:].tolist(), strict=True))


def _with(fragments: Fragments, **changes: np.ndarray) -> Fragments:
    return Fragments(**{name: getattr(fragments, name) for name in Fragments.__slots__} | changes)


def test_the_triangles_of_a_cap_share_one_plane() -> None:
    """Two pyramids without bases in common: each mean normal is that of the base, whatever the apex is."""
    base = np.array([[0.0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0]])
    vertices = np.concatenate([base, [[0.5, 1.5, 0.3]], 5.0 + base[:, [2, 0, 1]], [[5.4, 5.3, 5.2]]])
    fan = np.array([[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]])
    triangles = np.concatenate([fan, [[0, 2, 1]], fan + 5])
    made = np.array([*[Made.CAP] * 4, Made.OWN, *[Made.CAP] * 4])
    normals = cap_normals(Body(vertices, triangles, np.zeros(9, np.int64), made=made))
    # Half the sum of the triangles' area vectors is that of their common border.
    assert np.allclose(normals[:4], (0.0, 0.0, 1.0), atol=1e-15)
    assert not normals[4].any()
    assert np.allclose(normals[5:], (1.0, 0.0, 0.0), atol=1e-14)
