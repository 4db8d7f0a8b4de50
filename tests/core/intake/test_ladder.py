"""What passes the ladder untouched, which step mends what, and what is said where that step is not allowed."""

import numpy as np
import pytest

from core.config.repair import Repair
from core.errors import InputError, MeshError
from core.geometry.mesh import is_closed, volume
from core.intake.ladder import intake, intake_steps
from core.types import Made, Mesh

from ..geometry.solids import box, bumpy, joined, moved, rotation, soup, sphere, subdivided, torus

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
    assert taken.body.weight.shape == (0, 3, 3)


def test_a_body_stands_as_its_object_is_turned():
    vertices, triangles = bumpy(3, 1)
    turn = rotation(4)
    for solid in ((vertices, triangles), reverse((vertices, triangles))):
        body = intake(Mesh("Turned", *solid, turn)).body
        assert np.allclose(body.vertices, vertices @ turn.T, atol=1e-15 * 8)  # 3 products of numbers up to 2
        assert (body.triangles[:, 0] == triangles[:, 0]).all() or len(body.weight)
        assert volume(body.vertices, body.triangles) == pytest.approx(volume(vertices, triangles), rel=1e-12)
    mesh = Mesh("Straight", vertices, triangles)
    assert np.shares_memory(intake(mesh).body.vertices, mesh.vertices)


def test_a_body_far_from_the_origin_passes():
    assert take(bumpy(3, 1), shift=(1e6, 2e6, -3e6)).repaired == ()


def corner_positions(taken):
    return taken.body.vertices[taken.body.triangles]


def assert_corners_kept(taken, solid):
    """Every corner of the body is the corner of its source triangle that its weight names, to the bit."""
    vertices, triangles = solid
    corner = vertices[triangles[taken.body.source]]
    if len(taken.body.weight) > 0:
        corner = np.einsum("tkj,tji->tki", taken.body.weight, corner)
    assert (corner_positions(taken) == corner).all()


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
    assert (taken.body.weight == np.eye(3)[[0, 2, 1]]).all()
    assert_corners_kept(taken, solid)


def test_one_part_that_is_inside_out_is_turned():
    solid = joined(box(), moved(reverse(box()), (3.0, 0.0, 0.0)), moved(sphere(2), (0.0, 3.0, 0.0)))
    taken = intake(Mesh("Mixed", *solid))
    assert taken.repaired == ("12 faces turned.",)
    facing = np.linalg.det(taken.body.weight)  # 1 where a triangle looks as its source does, -1 where it is turned
    assert (facing[:12] == 1.0).all()
    assert (facing[12:24] == -1.0).all()
    assert (facing[24:] == 1.0).all()
    assert volume(taken.body.vertices, taken.body.triangles) == pytest.approx(16.0 + volume(*sphere(2)), rel=1e-12)
    assert_corners_kept(taken, solid)


def test_a_hollow_in_a_hollow_becomes_an_island():
    solid = joined(sphere(2), *[moved(reverse(sphere(2)), scale=s) for s in (0.5, 0.3)])
    taken = intake(Mesh("Nest", *solid))
    assert taken.repaired == ("128 faces turned.",)
    shares = 1.0 - 0.5**3 + 0.3**3
    assert volume(taken.body.vertices, taken.body.triangles) == pytest.approx(shares * volume(*sphere(2)), rel=1e-12)


def flipped(rows):
    vertices, triangles = sphere(2)
    triangles = triangles.copy()
    triangles[rows] = triangles[rows][:, ::-1]
    return vertices, triangles


def aligned_cubes():
    """Cubes whose faces cross exactly along rows of edges, so that no pair of triangles crosses properly."""
    grid = subdivided(*subdivided(*box()))
    return joined(grid, moved(grid, (0.5, 0.5, 0.5)))


def eight():
    """A tube along a curve that crosses itself."""

    def turn(angle):
        return np.stack([2.0 * np.sin(angle), 1.2 * np.sin(2.0 * angle), 0.0 * angle], axis=1)

    return torus(minor=0.25, turn=turn)


BALL = volume(*sphere(2))
CARD = (
    np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]),
    np.array([[0, 1, 2], [0, 2, 3], [2, 1, 0], [3, 2, 0]]),
)
SQUARE = CARD[0], CARD[1][:2]
#: Mesh, the step that it needs, its volume afterwards (None: see the zoo), and what is said where that is forbidden.
MENDED = {
    "a soup": (soup(*sphere(2)), "weld", BALL, "has 318 double points: allow Weld Points under Mesh, or merge them"),
    "a copied face": (
        (sphere(2)[0], np.concatenate([sphere(2)[1], sphere(2)[1][:1]])),
        "twins",
        BALL,
        "has 1 double face: allow",
    ),
    "a hole": (
        (sphere(2)[0], sphere(2)[1][1:]),
        "holes",
        BALL,
        "is open, with 1 hole: allow Close Holes under Mesh, or",
    ),
    "a sheet": (SQUARE, "thickness", 0.01 * 2.0**0.5, "has 2 faces of open sheets, without thickness: allow Thicken"),
    "a card": (CARD, "thickness", 0.01 * 2.0**0.5, "has 2 faces of open sheets, without thickness"),
    "one flipped face": (flipped([3]), "turn", BALL, "has 1 face turned the wrong way: allow Turn Faces under"),
    "flipped faces": (flipped(np.arange(10, 60)), "turn", BALL, "has 50 faces turned the wrong way"),
    "a common edge": (soup(*joined(box(), moved(box(), (2.0, 2.0, 0.0)))), "edges", 16.0, "has 1 edge where more than"),
    "crossing parts": (joined(box(), moved(box(), (0.7, 0.6, 0.5), seed=1)), "unite", None, "has 2 parts that overlap"),
    "stacked boxes": (joined(box(), moved(box(), (0.0, 0.0, 2.0))), "unite", 16.0, "has 2 parts that overlap or touch"),
    "twice the same": (joined(sphere(2), sphere(2)), "unite", BALL, "has 2 parts that overlap or touch"),
    "aligned cubes": (aligned_cubes(), "unite", 16.0 - 1.5**3, "has 2 parts that overlap or touch"),
    "matter in matter": (joined(box(), moved(box(), scale=0.5)), "nested", 8.0, "has 1 shell inside its solid: allow"),
    "a tube through itself": (eight(), "crossings", None, "crosses itself in "),
}


@pytest.mark.parametrize("name", MENDED)
@pytest.mark.parametrize("scale", SCALES)
def test_each_fault_has_its_step_and_each_step_can_be_forbidden(name, scale):
    solid, step, size, sentence = MENDED[name]
    vertices, triangles = moved(solid, scale=scale)
    mesh = Mesh("Vase", vertices, triangles)
    taken = intake(mesh)
    assert step in [item.name for item in taken.steps]
    assert is_closed(taken.body.triangles)
    if size is not None:  # coordinates are snapped to 2^-34 of the size
        assert taken.volume_after == pytest.approx(size * scale**3, rel=1e-8)
    with pytest.raises(MeshError) as refusal:
        intake(mesh, Repair(**{f"allow_{step}": False}))
    message = str(refusal.value)
    assert message.startswith(f'"Vase" {sentence}') and message.endswith(".")
    assert set(refusal.value.rows) <= set(range(len(triangles)))


def test_the_same_mesh_needs_the_same_steps_at_every_size():
    for solid, *_ in MENDED.values():
        said = [intake(Mesh("Vase", *moved(solid, scale=scale))).steps for scale in SCALES]
        assert len({tuple((step.name, tuple(step.counts.items())) for step in steps) for steps in said}) == 1


def test_no_faces_and_bad_numbers_are_refused():
    vertices, triangles = sphere(1)
    for nothing in (np.empty((0, 3), dtype=np.int64), np.array([[0, 0, 1], [2, 2, 2]])):
        with pytest.raises(InputError, match='"Cloud" has no usable faces: choose an object with a surface'):
            intake(Mesh("Cloud", vertices, nothing))
    with pytest.raises(InputError, match='"Cloud" has all of its points in one place'):
        intake(Mesh("Cloud", np.ones((3, 3)), np.array([[0, 1, 2]])))
    with pytest.raises(InputError, match="point to missing vertices"):
        intake(Mesh("Torn", vertices[:-1], triangles))
    with pytest.raises(InputError, match="point to missing vertices"):
        intake(Mesh("Torn", vertices, triangles - 1))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_faces_with_undefined_points_are_dropped_and_the_hole_is_closed(value):
    vertices, triangles = sphere(3)
    vertices = vertices.copy()
    vertices[7, 1] = value
    taken = intake(Mesh("Spoilt", vertices, triangles))
    assert [step.name for step in taken.steps] == ["dropped", "holes"]
    assert taken.volume_after == pytest.approx(volume(*sphere(3)), rel=0.01)
    with pytest.raises(MeshError, match=r'"Spoilt" has .* at infinite or undefined coordinates: allow Drop'):
        intake(Mesh("Spoilt", vertices, triangles), Repair(allow_dropped=False))


def test_a_scan_that_is_all_noise_is_refused_with_what_to_do_and_the_faces_to_see():
    vertices, triangles = torus(1.0, 0.4, 100, 50)
    rough = vertices + np.random.default_rng(1).normal(0.0, 1.0, vertices.shape)
    with pytest.raises(
        MeshError, match=r'"Scan" crosses itself in more than 100,000 places.*smooth.*Remesh'
    ) as failure:
        intake(Mesh("Scan", rough, triangles))
    assert 0 < len(failure.value.rows) <= len(triangles)
    # A quarter of an edge of noise crosses here and there: that is repaired.
    rough = vertices + np.random.default_rng(1).normal(0.0, 0.015, vertices.shape)
    taken = intake(Mesh("Scan", rough, triangles))
    assert [step.name for step in taken.steps] == ["crossings"]


def test_coarse_numbers_are_refused_and_rough_ones_named():
    vertices, triangles = sphere(3)
    far = (vertices + 1e6).astype(np.float32).astype(np.float64)
    with pytest.raises(MeshError, match=r"stores its points only to 62 mm .* move the origin to the mesh"):
        intake(Mesh("Far", far, triangles))
    with pytest.raises(MeshError, match="stores its points only to"):
        intake(Mesh("Far", vertices, triangles, spacing=0.1))
    rough = intake(Mesh("Far", vertices, triangles, spacing=1e-4))
    assert rough.steps == () and "stores its points only to" in rough.advice[0]


def test_a_thin_material_makes_a_vessel_of_what_auto_would_close():
    cup = sphere(3)[0], sphere(3)[1][(sphere(3)[0][sphere(3)[1], 2] < 0.8).all(axis=1)]
    assert [step.name for step in intake(Mesh("Cup", *cup)).steps] == ["holes"]
    assert [step.name for step in intake(Mesh("Cup", *cup), thin=True).steps] == ["thickness"]
    closing = intake(Mesh("Cup", *cup), Repair(open="close"), thin=True)  # the artist's word goes first
    assert [step.name for step in closing.steps] == ["holes"]


def test_remesh_happens_on_request_only():
    solid = joined(sphere(4), moved(sphere(4), (0.7, 0.1, 0.2)))
    made = intake(Mesh("Pair", *solid), Repair(remesh=True, resolution=48))
    plain = intake(Mesh("Pair", *solid))
    assert [step.name for step in made.steps] == ["remesh"] and "remesh" not in [s.name for s in plain.steps]
    assert made.volume_after == pytest.approx(plain.volume_after, rel=0.02)
    assert (made.body.made == Made.REMESHED).all() and len(made.body.weight) == len(made.body.triangles)


def test_a_card_keeps_the_values_of_both_of_its_sides():
    taken = intake(Mesh("Card", *CARD), Repair(thickness=0.02))
    body = taken.body
    for made, rows in ((Made.OWN, {0, 1}), (Made.BACK, {2, 3})):
        chosen = body.made == made
        assert set(body.source[chosen]) == rows
        there = np.einsum("tki,tij->tkj", body.weight[chosen], CARD[0][CARD[1][body.source[chosen]]])
        flat = body.vertices[body.triangles[chosen]][:, :, :2]
        assert np.abs(there[:, :, :2] - flat).max() < 1e-9


def test_what_is_said_is_measured():
    taken = intake(Mesh("Cup", sphere(2)[0], sphere(2)[1][8:]))
    assert taken.exact + taken.new == pytest.approx(1.0, abs=1e-9)
    assert 0.0 < taken.new < 0.15
    # Near the hole the winding number is a fraction; counted at 2^14 points.
    assert taken.volume_before == pytest.approx(taken.volume_after, rel=0.05)


def test_an_overlapping_part_that_is_inside_out_is_turned_and_named():
    solid = joined(box(), moved(reverse(box()), (1.5, 0.1, 0.2)))  # less than half of it lies in the other one
    taken = intake(Mesh("Pair", *solid))
    assert [step.name for step in taken.steps] == ["turn", "unite"]
    assert taken.volume_after == pytest.approx(16.0 - 0.5 * 1.9 * 1.8, rel=1e-8)
    with pytest.raises(MeshError, match="has 12 faces of parts that are inside out: allow Turn Faces under Mesh"):
        intake(Mesh("Pair", *solid), Repair(allow_turn=False))


def test_lost_surface_and_loose_points_are_named():
    inner = moved(box(), scale=0.5)  # a quarter of the area of the outer one
    taken = intake(Mesh("Nest", *joined(box(), inner)))
    assert taken.lost == pytest.approx(0.2, rel=1e-6)
    assert intake(Mesh("Box", *box())).lost == 0.0
    loose = np.concatenate([box()[0], [[0.0, 0.0, 0.0], [9.0, 9.0, 9.0]]])
    assert intake(Mesh("Box", loose, box()[1])).advice == ("2 points without faces left out.",)


def test_one_bad_part_of_many_is_named_and_the_result_is_the_same_every_time():
    solid = joined(bumpy(3, 2), moved(reverse(bumpy(3, 5)), (4.0, 0.0, 0.0)), moved(SQUARE, (0.0, 4.0, 0.0)))
    first, second = (intake(Mesh("Twice", *solid)) for _ in range(2))
    assert first.repaired == second.repaired
    assert (first.body.triangles == second.body.triangles).all()
    assert (first.body.vertices == second.body.vertices).all()
    assert (first.body.weight == second.body.weight).all()


def test_specks_are_no_pieces_and_a_visible_hair_is_one():
    speck, hair = moved(box(), (3.0, 2.0, 0.0), scale=1e-5), box((2.0, 0.0, 0.0), (3.0, 1e-3, 1e-3))
    taken = intake(Mesh("Dusty", *joined(box(), speck, moved(speck, (1.0, 0.0, 0.0)), hair)))
    assert taken.repaired == ("2 shells of next to no volume dropped.",)
    assert taken.volume_after == pytest.approx(8.0 + 1e-6, rel=1e-12)
    assert taken.warnings == ()
    with pytest.raises(MeshError, match="has 1 shell of next to no volume: allow Drop Damaged Faces"):
        intake(Mesh("Dusty", *joined(box(), speck)), Repair(allow_dropped=False))


def test_large_changes_are_warnings_and_small_ones_are_not():
    # 1/8 of the area of a cube inside of another one, of half its size: 1 - 1 / (1 + 1/4)
    nested = intake(Mesh("Nest", *joined(box(), moved(box(), scale=0.5))))
    assert nested.warnings == ("20 % of the mesh's surface lies inside the solid or is there twice: dropped.",)
    twice = intake(Mesh("Twice", *joined(sphere(3), moved(sphere(3), (1e-5, 0.0, 0.0)))))
    assert twice.warnings[0].endswith("Is there a Mirror modifier on a whole model?")
    opened = intake(Mesh("Cup", box()[0], box()[1][2:]), Repair(open="close"))
    assert opened.warnings[0].startswith("17 % of the surface was made")
    small = joined(box(), moved(box(), (1.01, 0.0, 0.0), scale=0.05))
    for solid in (box(), reverse(sphere(3)), (sphere(4)[0], sphere(4)[1][4:]), small):
        assert intake(Mesh("Good", *solid)).warnings == ()


def test_a_shape_whose_volume_changes_says_so():
    vertices, triangles = box()
    cup = vertices, triangles[vertices[triangles][:, :, 2].min(axis=1) < 0.9]
    taken = intake(Mesh("Cup", *cup), Repair(thickness=0.01, open="auto"))
    assert any(text.startswith("The mesh encloses") for text in taken.warnings) == (taken.volume_after < 1.0)
    assert intake(Mesh("Cup", *cup), Repair(thickness=0.01, open="thicken")).warnings == ()


def test_progress_rises_through_every_repair_and_can_be_left():
    solid = joined(bumpy(3, 1), moved(bumpy(3, 2), (1.0, 0.2, 0.1)))
    solid = solid[0], np.concatenate([solid[1][5:], solid[1][9:12]])
    steps = list(intake_steps(Mesh("Heap", *solid)))
    fractions = [step.fraction for step in steps]
    assert fractions == sorted(fractions) and len(steps) >= 7
    assert all(0.0 <= fraction < 1.0 for fraction in fractions)
    job = intake_steps(Mesh("Heap", *solid))
    next(job)
    job.close()
