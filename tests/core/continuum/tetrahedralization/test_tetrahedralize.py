"""Tetrahedra of bodies: they fit together, fill the body, are of good shape, and know no direction."""

from functools import cache

import numpy as np
import pytest

from core.config.repair import Repair
from core.continuum.lattice_embedding.body_solids import split_solids
from core.continuum.tetrahedralization.tetrahedralize import Tetrahedralization, tetrahedralize_steps
from core.errors import InputError
from core.geometry.graph import connected_labels
from core.geometry.mesh import edge_table, is_manifold, volume
from core.geometry.nearest import nearest
from core.intake.ladder import intake
from core.stepwise import result_of
from core.types import Body, Floats, Ints, Mesh
from tests import shapes
from tests.zoo.meshes import ZOO

#: Bodies with the size of their elements [m].
BODIES = {
    "cube": (shapes.box(), 0.2),
    "block": (shapes.box(high=(1.0, 2.0, 0.3)), 0.15),
    "ball": (shapes.icosphere(3), 0.25),
    "torus": (shapes.torus(), 0.15),
    "plate 1:50": (shapes.box(high=(1.0, 1.0, 0.02)), 0.2),
    "wine glass": (shapes.wine_glass(wall=0.06), 0.2),
    "hollow box": (shapes.hollow_box(0.1), 0.2),
    "bumps": (shapes.bumpy_sphere(4), 0.3),
}
#: Shares of their volume that elements of curved ones miss: their faces are chords. Measured: .022, .030, .009, .027.
MISSED = {"ball": 0.03, "torus": 0.04, "wine glass": 0.02, "bumps": 0.04}


@cache
def made(name: str, seed: int = 0) -> Tetrahedralization:
    return result_of(tetrahedralize_steps(*BODIES[name], seed))


def six_volumes(nodes: Floats, corners: Ints) -> Floats:
    return np.linalg.det(nodes[corners[:, 1:]] - nodes[corners[:, :1]])


def faces(corners: Ints) -> Ints:
    """(4 M,3) sorted nodes."""
    return np.sort(corners[:, [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]]].reshape(-1, 3), axis=1)


@pytest.mark.parametrize("name", BODIES)
def test_elements_fill_the_body_face_to_face(name):
    (body, _), found = BODIES[name], made(name)
    size = six_volumes(found.nodes, found.elements) / 6.0
    assert size.min() > 0.0
    assert size.sum() == pytest.approx(volume(body.vertices, body.triangles) * (1.0 + found.excess), rel=1e-12)
    assert abs(found.excess) <= MISSED.get(name, 1e-9)
    _, uses = np.unique(faces(found.elements), axis=0, return_counts=True)
    assert uses.max() == 2
    assert np.count_nonzero(uses == 1) == len(found.outer_faces)
    assert np.array_equal(np.unique(found.elements), np.arange(len(found.nodes)))


@pytest.mark.parametrize("name", BODIES)
def test_outer_faces_close_around_the_elements_and_lie_on_the_body(name):
    (body, spacing), found = BODIES[name], made(name)
    assert is_manifold(edge_table(found.outer_faces))
    matter = six_volumes(found.nodes, found.elements).sum() / 6.0
    assert volume(found.nodes, found.outer_faces) == pytest.approx(matter, rel=1e-12)
    _, _, distance = nearest(body.vertices, body.triangles, found.nodes[np.unique(found.outer_faces)])
    assert distance.max() <= 1e-12
    # the middle of a chord is h^2/8R off an arc; here h is at most the radius, faces reach farther than edges
    assert found.distance <= (0.25 * spacing if name in MISSED else 1e-9)


@pytest.mark.parametrize("name", BODIES)
def test_elements_are_of_good_shape(name):
    quality = made(name).quality
    # measured with three seeds: at most 16 of 10,000 below 15 degrees and none below 7.7, and 1 of 100 below 17.2; with
    # this one at most 5 of 10,000, and none below 13.5
    assert np.count_nonzero(quality.smallest_angle < 15.0) <= 1e-3 * len(quality.smallest_angle)
    assert np.sort(quality.smallest_angle)[int(0.01 * len(quality.smallest_angle))] > 16.0
    assert quality.bad == 0.0


@pytest.mark.parametrize("name", BODIES)
def test_all_of_space_is_filled_and_the_elements_are_a_part_of_it(name):
    found = made(name)
    assert six_volumes(found.moved, found.complex).min() > 0.0
    _, uses = np.unique(faces(found.complex), axis=0, return_counts=True)
    assert np.count_nonzero(uses == 1) == 4  # the sides of the tetrahedron far away
    inside = np.flatnonzero(found.owner >= 0)
    assert np.array_equal(found.owner[inside], np.arange(len(found.elements)))
    assert np.array_equal(found.complex[inside], found.elements)
    size = np.linalg.norm(np.ptp(found.nodes, axis=0))
    assert np.abs(found.moved[: len(found.nodes)] - found.nodes).max() <= 5e-6 * size


def test_walls_have_a_layer_of_elements_as_wide_as_they_are_thick():
    found = made("plate 1:50")
    edge = found.nodes[found.elements[:, 0]] - found.nodes[found.elements[:, 1]]
    assert np.median(np.linalg.norm(edge, axis=1)) == pytest.approx(0.03, rel=0.2)
    assert found.quality.altitude.min() > 0.1 * 0.02


def test_a_finer_mesh_has_eight_times_the_elements_for_half_the_size():
    # those at the surface, h/1 of all, are fewer than inside by volume
    fine = result_of(tetrahedralize_steps(shapes.box(), 0.1, 0))
    assert len(fine.elements) / len(made("cube").elements) == pytest.approx(8.0, rel=0.15)
    assert made("cube").quality.edge == pytest.approx(0.2, rel=0.1)


def test_faces_have_no_direction():
    found = result_of(tetrahedralize_steps(shapes.icosphere(3), 0.16, 0))
    corner = found.nodes[np.unique(faces(found.elements), axis=0)]
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    weight = np.linalg.norm(normal, axis=1)
    normal /= weight[:, None]
    share = weight / weight.sum()
    # Of directions that are spread evenly, by n of them: means of x_i x_j are 1/3 or 0, that of x^4 + y^4 + z^4 is 3/5
    # (1 for cubes), each to a few deviations of sqrt(4/45 n) and sqrt(16/525 n).
    count = 1.0 / np.square(share).sum()
    second = (share[:, None, None] * normal[:, :, None] * normal[:, None, :]).sum(axis=0)
    assert np.abs(second - np.eye(3) / 3.0).max() <= 4.0 * np.sqrt(4.0 / 45.0 / count)
    assert (share * (normal**4).sum(axis=1)).sum() == pytest.approx(0.6, abs=4.0 * np.sqrt(16.0 / 525.0 / count))


def test_another_seed_gives_another_mesh_and_the_same_one_the_same_bits():
    one, again, other = made("torus"), result_of(tetrahedralize_steps(*BODIES["torus"], 0)), made("torus", 1)
    for field in ("nodes", "elements", "outer_faces", "moved", "complex", "owner"):
        assert getattr(again, field).tobytes() == getattr(one, field).tobytes()
    assert len(other.nodes) != len(one.nodes) or not np.array_equal(other.nodes, one.nodes)


def test_powers_of_two_in_size_give_the_same_bits():
    body, spacing = BODIES["torus"]
    again = result_of(tetrahedralize_steps(shapes.moved(body, np.zeros(3), 2.0**7), 2.0**7 * spacing, 0))
    assert np.array_equal(again.nodes, 2.0**7 * made("torus").nodes)
    assert np.array_equal(again.elements, made("torus").elements)


def solids(name: str) -> list[Body]:
    body = intake(Mesh(name, *ZOO[name].make()), Repair(**ZOO[name].options)).body
    return [solid.body for solid in split_solids(body)]


@pytest.mark.parametrize(
    "name",
    [
        "metaballs",
        "wall with windows, no UV",
        "cube with a cavity",
        "dragon",
        "cup wall without bottom",
        "text",
        "ladder",
    ],
)
def test_meshes_of_artists_are_divided(name):
    for body in solids(name)[:2]:
        matter = volume(body.vertices, body.triangles)
        found = result_of(tetrahedralize_steps(body, float(np.cbrt(matter / 150.0)), 0))
        assert six_volumes(found.nodes, found.elements).min() > 0.0
        assert abs(found.excess) <= 0.2
        ends = found.elements[:, [[0, 1], [1, 2], [2, 3]]].reshape(-1, 2)
        assert connected_labels(len(found.nodes), ends).max() == 0
        _, _, distance = nearest(body.vertices, body.triangles, found.nodes[np.unique(found.outer_faces)])
        # triangles of an artist may be so slim that round-off is this far across them
        assert distance.max() <= 1e-10 * np.abs(body.vertices).max()


def test_rods_that_chords_would_halve_get_smaller_elements_and_a_note():
    found = result_of(tetrahedralize_steps(shapes.torus(minor=0.1), 0.3, 0))
    assert abs(found.excess) <= 0.2
    assert any("0.15 m large instead of 0.3 m" in note for note in found.notes)


@pytest.mark.parametrize("spacing", [0.0, -1.0, np.nan, np.inf, 1e-9])
def test_a_spacing_that_is_no_size_of_elements_is_refused(spacing):
    with pytest.raises(InputError, match=r"lements .*\.$"):
        result_of(tetrahedralize_steps(shapes.box(), spacing, 0))


def test_what_is_too_thin_is_refused_with_what_to_do():
    with pytest.raises(InputError, match=r"thinner than elements of 1 m can be: take elements of .*\.$"):
        result_of(tetrahedralize_steps(shapes.icosphere(1, 0.01), 1.0, 0))
