"""Which solids touch: held against crossing triangles, distances in closed form, and how solids hold each other."""

import numpy as np
import pytest

from core.geometry.contacts import find_shell_contacts
from core.geometry.crossings import CROSSING_MARGIN, crossing_pairs
from core.geometry.enclosure import relations
from core.geometry.mesh import diagonal

from .solids import box, bumpy, joined, moved, sphere, torus


def mesh_of(solids):
    vertices, triangles = joined(*solids)
    return vertices, triangles, np.repeat(np.arange(len(solids)), [len(t) for _, t in solids])


def pairs_of(*solids, seed=None, scale=1.0):
    vertices, triangles, label = mesh_of(solids)
    vertices, triangles = moved((vertices, triangles), seed=seed, scale=scale)
    return find_shell_contacts(vertices, triangles, label, diagonal(vertices)).tolist()


@pytest.mark.parametrize("seed", range(6))
def test_pairs_are_those_with_crossing_triangles(seed):
    rng = np.random.default_rng(seed)
    solids = [moved(bumpy(2, k), rng.uniform(0.0, 6.0, 3), seed=k) for k in range(14)]
    vertices, triangles, label = mesh_of(solids)
    crossing = np.sort(label[crossing_pairs(vertices, triangles)], axis=1)
    assert len(crossing) > 0
    assert (
        find_shell_contacts(vertices, triangles, label, diagonal(vertices)).tolist()
        == np.unique(crossing, axis=0).tolist()
    )


@pytest.mark.parametrize("scale", [1e-3, 1.0, 200.0])
@pytest.mark.parametrize("seed", [None, 0, 1])
@pytest.mark.parametrize(
    "shift", [(2, 0, 0), (2, 0.3, 0.7), (2, 2, 0), (2, 2, 0.4), (2, 2, 2), (0, 0, 0), (0, 2, -1)], ids=str
)
def test_touching_at_a_face_an_edge_or_a_vertex_counts(shift, seed, scale):
    assert pairs_of(box(), moved(box(), shift), seed=seed, scale=scale) == [[0, 1]]


@pytest.mark.parametrize("scale", [1e-3, 1.0, 200.0])
@pytest.mark.parametrize(("gap", "found"), [(1e-6, 1), (0.3, 1), (4.0, 0), (1e3, 0)])
@pytest.mark.parametrize("shift", [(2, 0.3, 0.7), (2, 2, 0.4), (2, 2, 2)], ids=str)
def test_gaps_within_the_margin_count_as_none(shift, gap, found, scale):
    vertices, _ = joined(box(), moved(box(), shift))
    wide = gap * CROSSING_MARGIN * np.linalg.norm(np.ptp(vertices, axis=0))
    far = np.where(np.array(shift) == 2, 2 + wide, shift)
    assert len(pairs_of(box(), moved(box(), far), scale=scale)) == found


def test_an_edge_on_a_face_and_a_vertex_on_a_face_touch():
    eighth = np.array([[1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, np.sqrt(2.0)]]) / np.sqrt(2.0)
    wedge = box((0.0, 0.0, -0.5), (1.0, 1.0, 0.5))[0] @ eighth, box()[1]
    assert pairs_of(box(), moved(wedge, (1.0, 0.0, 0.0)), seed=2) == [[0, 1]]
    tip = moved(sphere(0), (2.0, 0.1, 0.2))  # an octahedron
    assert pairs_of(box(), tip, seed=2) == [[0, 1]]


def test_nested_and_linked_solids_do_not_touch():
    rings = torus(1.0, 0.2), moved((torus(1.0, 0.2)[0][:, [1, 2, 0]], torus()[1]), (1.0, 0.0, 0.0))
    assert pairs_of(*rings) == []
    assert pairs_of(box(), moved(box(), scale=0.5)) == []


def test_more_pairs_than_there_was_room_for():
    many = [moved(sphere(0), (1e-3 * k, 0.0, 0.0)) for k in range(60)]
    assert len(pairs_of(*many)) == 60 * 59 // 2


def test_empty_and_wrong_input():
    assert find_shell_contacts(np.zeros((0, 3)), np.zeros((0, 3), int), np.zeros(0, int), 1.0).shape == (0, 2)
    with pytest.raises(IndexError):
        find_shell_contacts(*box(), np.full(12, -1), 1.0)


@pytest.mark.parametrize("seed", range(4))
def test_relations_find_the_same_contacts_in_boxes_that_meet(seed):
    rng = np.random.default_rng(seed)
    solids = [moved(sphere(1), rng.uniform(0.0, 8.0, 3), k, rng.uniform(0.3, 1.2)) for k in range(60)]
    solids += [box((0, 0, -1), (8, 8, -0.5)), box((0, 0, -0.5), (1, 1, 0.1))]
    vertices, triangles, label = mesh_of(solids)
    mixed = rng.permutation(len(triangles))
    found = relations(vertices, triangles[mixed], label[mixed], len(solids))
    assert found.touch.tolist() == find_shell_contacts(vertices, triangles, label, diagonal(vertices)).tolist()
    assert [60, 61] in found.touch.tolist()


def held(*solids):
    vertices, triangles, label = mesh_of(solids)
    return relations(vertices, triangles, label, len(solids))


def test_a_solid_holds_what_lies_within_it():
    found = held(moved(box(), scale=0.25), box(), moved(sphere(1), (0.6, 0.6, 0.6), scale=0.2), moved(box(), scale=0.5))
    assert found.hold.tolist() == [[1, 0], [1, 2], [1, 3], [3, 0]]
    assert len(np.unique(found.group)) == 4


def test_what_lies_in_the_box_around_a_solid_need_not_lie_in_it():
    found = held(torus(1.0, 0.2), moved(box(), scale=0.1), moved(box(), (1.0, 0.0, 0.0), scale=0.05))
    assert found.hold.tolist() == [[0, 2]]


def test_what_touches_is_not_held():
    found = held(box(), box((0.0, -0.5, -0.5), (1.0, 0.5, 0.5)), moved(box(), (5.0, 0.0, 0.0)))
    assert found.touch.tolist() == [[0, 1]]
    assert found.hold.tolist() == []
    assert found.group.tolist() == [0, 0, 1]
