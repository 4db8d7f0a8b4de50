"""Exact coincidences: equal points, and faces on the same three points."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.geometry.mesh import edge_census, edge_table, is_closed, volume
from core.intake.weld import collapsed, exact_weld, first_equal, twins

from ..geometry.solids import box, bumpy, joined, moved, soup, sphere


def welded(solid):
    vertices, triangles = solid
    return vertices, exact_weld(vertices, triangles).map[triangles]


def with_faces(solid, faces):
    return solid[0], np.concatenate([solid[1], np.asarray(faces, np.int64).reshape(-1, 3)])


def test_a_soup_becomes_the_mesh_that_it_was():
    vertices, triangles = sphere(2)
    separate = soup(vertices, triangles)
    found = exact_weld(*separate)
    assert found.welded == 3 * len(triangles) - len(vertices)
    again = found.map[separate[1]]
    assert is_closed(again)
    assert np.array_equal(separate[0][again], vertices[triangles])
    assert (found.map <= np.arange(len(found.map))).all() and np.array_equal(found.map[found.map], found.map)


def chosen(triangles, area=None):
    """The twins of a mesh whose faces are all of one size."""
    return twins(triangles, np.ones(len(triangles)) if area is None else area)


def test_the_two_zeros_are_equal_and_near_is_not():
    vertices = np.array([[0.0, 1, 2], [-0.0, 1, 2], [np.nextafter(0.0, 1.0), 1, 2], [0, 1, 2.0], [5, 5, 5]])
    found = exact_weld(vertices, np.array([[1, 2, 3], [1, 3, 4]]))
    assert found.map.tolist() == [0, 1, 2, 1, 4]  # the first has no face: it takes nobody's place
    assert found.welded == 1


@given(st.lists(st.tuples(*[st.integers(-2, 2)] * 3), max_size=60))
def test_the_first_equal_row_is_that(rows):
    table = np.array(rows, np.int64).reshape(-1, 3)
    assert first_equal(table).tolist() == [rows.index(row) for row in rows]


def test_rows_whose_keys_are_equal_by_chance_are_told_apart(monkeypatch):
    monkeypatch.setattr("core.intake.weld.MIXERS", np.zeros(3, np.uint64))  # all keys are 0
    rows = np.array([[1, 2, 3], [3, 2, 1], [1, 2, 3], [0, 0, 0], [3, 2, 1]])
    assert first_equal(rows).tolist() == [0, 1, 0, 3, 1]


def test_collapsed_means_a_repeated_vertex_not_a_lack_of_area():
    assert collapsed(np.array([[0, 1, 2], [0, 0, 1], [2, 1, 2], [3, 4, 4]])).tolist() == [False, True, True, True]


def test_nothing_is_no_trouble():
    none = np.empty((0, 3), np.int64)
    assert exact_weld(np.empty((0, 3)), none).welded == 0
    assert len(chosen(none).keep) == len(collapsed(none)) == 0


def test_a_mesh_without_twins_stays():
    found = chosen(bumpy(3)[1])
    assert found.keep.all() and (found.twin == -1).all() and found[2:] == (0, 0, 0)


def test_of_equal_faces_the_first_stays_however_its_corners_are_turned():
    triangles = box()[1]
    found = chosen(np.concatenate([triangles, triangles[:5, [1, 2, 0]], triangles[3:6]]))
    assert found.keep.tolist() == [True] * 12 + [False] * 8
    assert (found.equal, found.cancelled, found.backs) == (8, 0, 0) and (found.twin == -1).all()


def test_the_walls_between_planks_go():
    planks = [box((0, 0, i), (3, 1, i + 1)) for i in range(3)] + [box((3, 0, 1), (5, 1, 2))]
    vertices, triangles = welded(joined(*planks))
    found = chosen(triangles)
    assert (found.equal, found.cancelled, found.backs) == (0, 12, 0)
    assert is_closed(triangles[found.keep]) and edge_census(edge_table(triangles[found.keep])) == (0, 0, 0)
    assert volume(vertices, triangles[found.keep]) == pytest.approx(3 * 3.0 + 2.0, rel=1e-12)


def test_eight_cubes_become_one():
    cubes = [moved(box((0, 0, 0), (1, 1, 1)), (x, y, z)) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    vertices, triangles = joined(*((np.round(v), t) for v, t in cubes))
    _, triangles = welded((vertices, triangles))
    found = chosen(triangles)
    assert found.cancelled == 12 * 4  # twelve walls of two triangles, from both sides
    assert edge_census(edge_table(triangles[found.keep])) == (0, 0, 0)
    assert volume(vertices, triangles[found.keep]) == pytest.approx(8.0, rel=1e-12)


def test_loose_folds_go_and_doubled_skin_keeps_one_side():
    # As in the dragon: flaps of two opposite faces on an edge of the skin, and opposite copies of faces of the skin.
    triangles = bumpy(3, 2)[1]
    flap = np.array([triangles[7, 0], triangles[7, 1], triangles[250, 2]])
    backs = triangles[[40, 41, 100]][:, [0, 2, 1]]
    found = chosen(np.concatenate([triangles, flap[None], flap[None, ::-1], backs]))
    count = len(triangles)
    assert found.keep.tolist() == [True] * count + [False] * 5
    assert (found.equal, found.cancelled, found.backs) == (0, 2, 3)
    assert found.twin[[40, 41, 100]].tolist() == [count + 2, count + 3, count + 4]
    assert (np.delete(found.twin, [40, 41, 100]) == -1).all()


def sheet(count=3):
    i, j = np.meshgrid(np.arange(count), np.arange(count), indexing="ij")
    a = (i * (count + 1) + j).reshape(-1)
    return np.concatenate(
        [np.stack([a, a + count + 1, a + count + 2], axis=1), np.stack([a, a + count + 2, a + 1], axis=1)]
    )


@pytest.mark.parametrize("size", [0.1, 10.0])
def test_a_sail_with_two_sides_stays_unless_it_is_too_small_to_be_meant(size):
    triangles = sphere(3)[1]
    count = len(triangles)
    sail = np.array([[triangles[7, 0], triangles[7, 1], count], [triangles[7, 0], count, count + 1]])
    area = np.concatenate([np.ones(count), np.full(4, size)])  # two faces of 512
    found = chosen(np.concatenate([triangles, sail, sail[:, ::-1]]), area)
    assert found.keep.tolist() == [True] * count + [size > 1.0] * 2 + [False] * 2
    assert (found.cancelled, found.backs) == ((0, 2) if size > 1.0 else (4, 0))


@pytest.mark.parametrize("front", [sheet(), box()[1], sphere(1)[1]], ids=["card", "cube", "ball"])
def test_what_has_two_sides_and_nothing_else_keeps_one(front):
    found = chosen(np.concatenate([front, front[:, ::-1]]))
    count = len(front)
    assert found.keep.tolist() == [True] * count + [False] * count
    assert found.twin.tolist() == [*range(count, 2 * count)] + [-1] * count
    assert (found.equal, found.cancelled, found.backs) == (0, 0, count)


@pytest.mark.parametrize("face", range(18))
def test_a_doubled_face_of_an_open_sheet_is_no_hole(face):
    front = sheet()
    found = chosen(np.concatenate([front, front[[face], ::-1]]))
    assert found.keep.tolist() == [True] * 18 + [False] and found.twin[face] == 18


def test_a_doubled_mesh_is_that_mesh():
    vertices, triangles = joined(sphere(2), sphere(2))
    vertices, triangles = welded((vertices, triangles))
    found = chosen(triangles)
    assert found.equal == len(triangles) // 2 and np.array_equal(np.flatnonzero(found.keep), np.arange(found.equal))


def test_flaps_at_all_sides_of_a_doubled_face_do_not_take_it_with_them():
    triangles = bumpy(3, 2)[1]
    face = triangles[40]
    tips = len(triangles) + np.arange(3)  # vertices of their own
    flaps = np.stack([face, np.roll(face, -1), tips], axis=1)
    found = chosen(np.concatenate([triangles, face[None, ::-1], flaps, flaps[:, ::-1]]))
    assert found.keep.tolist() == [True] * len(triangles) + [False] * 7
    assert (found.cancelled, found.backs) == (6, 1) and found.twin[40] == len(triangles)


@given(st.integers(0, 10**6))
def test_every_face_is_kept_dropped_beside_an_equal_one_a_back_or_cancelled_with_its_opposite(seed):
    rng = np.random.default_rng(seed)
    triangles = sphere(1)[1]
    extra = triangles[rng.integers(0, len(triangles), 20)]
    extra = np.where(rng.random((20, 1)) < 0.5, extra, extra[:, ::-1])
    flaps = rng.permuted(np.tile(np.arange(18), (4, 1)), axis=1)[:, :3]
    every = rng.permutation(np.concatenate([triangles, extra, flaps, flaps[:, ::-1]]))
    found = chosen(every)
    assert found.keep.sum() + found.equal + found.cancelled + found.backs == len(every)
    kept = np.sort(every[found.keep], axis=1)
    assert len(np.unique(kept, axis=0)) == len(kept)
    front = np.flatnonzero(found.twin >= 0)
    assert found.keep[front].all() and not found.keep[found.twin[front]].any() and found.backs == len(front)
    assert np.array_equal(np.sort(every[front], axis=1), np.sort(every[found.twin[front]], axis=1))
    # The skin has no hole: none of its edges is a border.
    edges = edge_table(every[found.keep])
    border = edges.ends[np.bincount(edges.of_half, minlength=len(edges.ends)) == 1]
    assert not set(map(tuple, border.tolist())) & set(map(tuple, edge_table(triangles).ends.tolist()))
