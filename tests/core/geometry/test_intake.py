"""Every mesh that the door takes, what it mends, and every sentence with which it refuses."""

import numpy as np
import pytest

from core.errors import InputError
from core.geometry.intake import intake, source_corners
from core.geometry.mesh import is_closed, volume
from core.types import Mesh

from .solids import box, bumpy, joined, moved, soup, sphere, subdivided, torus

SCALES = [1e-3, 0.02, 2.0, 200.0]


def reverse(solid):
    return solid[0], np.ascontiguousarray(solid[1][:, ::-1])


def take(solid, scale=1.0, shift=(0.0, 0.0, 0.0)):
    vertices, triangles = moved(solid, shift, seed=8, scale=scale)
    return intake(Mesh("Vase", vertices, triangles))


ACCEPTED = {
    "box": box(),
    "sphere": sphere(3),
    "bumpy": bumpy(4, 1),
    "torus": torus(),
    "two apart": joined(box(), moved(sphere(2), (5.0, 0.0, 0.0))),
    "hollow": joined(sphere(3), moved(reverse(sphere(3)), scale=0.8)),
    "island in a hollow": joined(sphere(3), moved(reverse(sphere(3)), scale=0.8), moved(sphere(2), scale=0.5)),
    "touching at an edge": joined(box(), moved(box(), (2.0, 2.0, 0.0))),
    "touching at a vertex": joined(box(), moved(box(), (2.0, 2.0, 2.0))),
    "thin pane": box((-1.0, -1.0, -1e-3), (1.0, 1.0, 1e-3)),
    "needle": box((-1.0, -1e-3, -1e-3), (1.0, 1e-3, 1e-3)),
}


@pytest.mark.parametrize("name", ACCEPTED)
@pytest.mark.parametrize("scale", SCALES)
def test_clean_bodies_pass_unchanged_at_every_size(name, scale):
    vertices, triangles = moved(ACCEPTED[name], seed=8, scale=scale)
    taken = intake(Mesh(name, vertices, triangles))
    assert taken.repaired == ()
    assert (taken.body.vertices == vertices).all()
    assert (taken.body.triangles == triangles).all()
    assert (taken.body.source == np.arange(len(triangles))).all()
    assert len(taken.body.turned) == 0
    assert (source_corners(taken.body) == [0, 1, 2]).all()


def test_a_body_far_from_the_origin_passes():
    assert take(bumpy(3, 1), shift=(1e6, 2e6, -3e6)).repaired == ()


def corner_positions(taken):
    return taken.body.vertices[taken.body.triangles]


def assert_corners_kept(taken, solid):
    """Every corner of the body is that corner of its source triangle, which source_corners names."""
    vertices, triangles = solid
    source = np.take_along_axis(triangles[taken.body.source], source_corners(taken.body), axis=1)
    assert (corner_positions(taken) == vertices[source]).all()


def test_a_soup_is_welded():
    solid = soup(*subdivided(*box()))
    taken = intake(Mesh("Soup", *solid))
    assert taken.repaired == ("118 double points welded.",)  # 48 x 3 corners, 26 points
    assert is_closed(taken.body.triangles)
    assert len(taken.body.vertices) == 26
    assert_corners_kept(taken, solid)


def test_only_open_edges_are_welded_so_that_touching_boxes_stay_two():
    touching = joined(box(), moved(box(), (2.0, 2.0, 0.0)))
    opened = touching[1].copy()
    vertices = np.concatenate([touching[0], touching[0][opened[0]]])
    opened[0] = len(touching[0]) + np.arange(3)  # one face has points of its own
    taken = intake(Mesh("Boxes", vertices, opened))
    assert taken.repaired == ("3 double points welded.",)
    assert len(taken.body.vertices) == 16


def test_zeros_of_both_signs_are_one_point():
    vertices, triangles = soup(*sphere(1))
    vertices = np.where(vertices == 0.0, np.random.default_rng(0).choice([0.0, -0.0], vertices.shape), vertices)
    assert is_closed(intake(Mesh("Zero", vertices, triangles)).body.triangles)


def test_useless_faces_and_points_are_dropped():
    vertices, triangles = sphere(2)
    loose = np.array([[np.nan, 0.0, 0.0], [9.0, 9.0, 9.0]])
    solid = np.concatenate([loose, vertices]), np.concatenate([[[5, 5, 7]], triangles + 2, [[3, 4, 3]]])
    taken = intake(Mesh("Loose", *solid))
    assert taken.repaired == ("2 faces without three different corners dropped.",)
    assert (taken.body.vertices == vertices).all()
    assert (taken.body.triangles == triangles).all()
    assert_corners_kept(taken, solid)


def test_second_copies_of_faces_are_dropped():
    vertices, triangles = sphere(2)
    solid = vertices, np.concatenate([triangles, np.roll(triangles[4:6], 1, axis=1)])
    taken = intake(Mesh("Double", *solid))
    assert taken.repaired == ("2 double faces dropped.",)
    assert (taken.body.source == np.arange(len(triangles))).all()


@pytest.mark.parametrize("scale", SCALES)
def test_a_mesh_that_is_inside_out_is_turned_with_its_cavity(scale):
    solid = moved(reverse(ACCEPTED["hollow"]), scale=scale)
    taken = intake(Mesh("Inverted", *solid))
    assert taken.repaired == ("The mesh was inside out and has been turned.",)
    assert volume(taken.body.vertices, taken.body.triangles) == pytest.approx(-volume(*solid), rel=1e-12)
    assert taken.body.turned.all()
    assert_corners_kept(taken, solid)


def test_one_part_that_is_inside_out_is_turned():
    solid = joined(box(), moved(reverse(box()), (3.0, 0.0, 0.0)), moved(sphere(2), (0.0, 3.0, 0.0)))
    taken = intake(Mesh("Mixed", *solid))
    assert taken.repaired == ("1 part of 3 inside out: turned.",)
    assert taken.body.turned.sum() == 12
    assert volume(taken.body.vertices, taken.body.triangles) == pytest.approx(16.0 + volume(*sphere(2)), rel=1e-12)
    assert_corners_kept(taken, solid)


def test_a_hollow_in_a_hollow_becomes_an_island():
    solid = joined(sphere(2), *[moved(reverse(sphere(2)), scale=s) for s in (0.5, 0.3)])
    taken = intake(Mesh("Nest", *solid))
    assert taken.repaired == ("1 part of 3 inside out: turned.",)
    shares = 1.0 - 0.5**3 + 0.3**3
    assert volume(taken.body.vertices, taken.body.triangles) == pytest.approx(shares * volume(*sphere(2)), rel=1e-12)


def sharing_an_edge():
    vertices, triangles = soup(*joined(box(), moved(box(), (2.0, 2.0, 0.0))))
    return vertices, triangles


def flipped(rows):
    vertices, triangles = sphere(2)
    triangles = triangles.copy()
    triangles[rows] = triangles[rows][:, ::-1]
    return vertices, triangles


def aligned_cubes():
    """Cubes whose faces cross exactly along rows of edges, so that no pair of triangles crosses properly."""
    grid = subdivided(*subdivided(*box()))
    return joined(grid, moved(grid, (0.5, 0.5, 0.5)))


CARD = (
    np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]),
    np.array([[0, 1, 2], [0, 2, 3], [2, 1, 0], [3, 2, 0]]),
)

REFUSED = {
    "a hole": ((sphere(2)[0], sphere(2)[1][1:]), '"Vase" is open, with 3 boundary edges: close the holes '),
    "a sheet": ((box()[0], box()[1][:2]), "give it thickness with a Solidify modifier"),
    "one flipped face": (
        flipped([3]),
        '"Vase" has faces that point in different directions, at 3 edges: use Mesh > Norm',
    ),
    "many flipped faces": (flipped(np.arange(10, 60)), "Recalculate Outside"),
    "a common edge": (sharing_an_edge(), '"Vase" has 1 edge where more than two faces meet: delete the inner faces'),
    "a card": (CARD, '"Vase" encloses no volume: give it thickness with a Solidify modifier.'),
    "a card folded to a point": ((np.ones((3, 3)), np.array([[0, 1, 2]])), '"Vase" encloses no volume: give it thick'),
    "a card beside a box": (joined(box(), moved(CARD, (3.0, 0, 0))), '1 part of "Vase" without volume: delete what'),
    "crossing parts": (joined(box(), moved(box(), (0.7, 0.6, 0.5), seed=1)), '"Vase" crosses or overlaps itself in '),
    "stacked boxes": (joined(box(), moved(box(), (0.0, 0.0, 2.0))), "unite its parts with a Boolean modifier (Union)"),
    "twice the same": (joined(sphere(2), sphere(2)), "crosses or overlaps itself in 128 places"),
    "matter in matter": (
        joined(box(), moved(box(), scale=0.5)),
        'Parts of "Vase" lie inside each other, so their matter',
    ),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("scale", SCALES)
def test_what_cannot_be_broken_is_refused_with_a_sentence(name, scale):
    solid, sentence = REFUSED[name]
    with pytest.raises(InputError) as refusal:
        take(solid, scale)
    message = str(refusal.value)
    assert sentence in message
    assert message.endswith(".")
    assert "Vase" in message


def test_cubes_that_cross_along_their_own_edges_are_refused():
    with pytest.raises(InputError, match=r"crosses or overlaps itself|lie inside each other"):
        intake(Mesh("Cubes", *aligned_cubes()))


def test_no_faces_and_bad_numbers_are_refused():
    vertices, triangles = sphere(1)
    for nothing in (np.empty((0, 3), dtype=np.int64), np.array([[0, 0, 1], [2, 2, 2]])):
        with pytest.raises(InputError, match='"Cloud" has no faces: choose an object with a surface'):
            intake(Mesh("Cloud", vertices, nothing))
    for value in (np.nan, np.inf, -np.inf):
        spoilt = vertices.copy()
        spoilt[[1, 3], [0, 2]] = value
        with pytest.raises(InputError, match='"Spoilt" has 2 points at infinite or undefined coordinates: delete them'):
            intake(Mesh("Spoilt", spoilt, triangles))
    with pytest.raises(InputError, match="point to missing vertices"):
        intake(Mesh("Torn", vertices[:-1], triangles))
    with pytest.raises(InputError, match="point to missing vertices"):
        intake(Mesh("Torn", vertices, triangles - 1))


def test_a_self_crossing_tube_is_refused_with_the_number_of_places():
    def turn(angle):
        return np.stack([2.0 * np.sin(angle), 1.2 * np.sin(2.0 * angle), 0.0 * angle], axis=1)

    with pytest.raises(InputError, match=r"crosses or overlaps itself in \d+ places \(pairs of triangles\)"):
        intake(Mesh("Eight", *torus(minor=0.25, turn=turn)))


def test_one_bad_face_of_many_is_named_and_the_result_is_the_same_every_time():
    solid = joined(bumpy(3, 2), moved(reverse(bumpy(3, 5)), (4.0, 0.0, 0.0)))
    first, second = (intake(Mesh("Twice", *solid)) for _ in range(2))
    assert first.repaired == second.repaired
    assert (first.body.triangles == second.body.triangles).all()
    assert (first.body.vertices == second.body.vertices).all()
