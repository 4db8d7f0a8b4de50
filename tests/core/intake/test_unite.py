"""Solids in one mesh: volumes in closed form, winding numbers point by point, and every triangle in its parent."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.geometry.crossings import CROSSING_MARGIN
from core.geometry.inside import winding_number
from core.geometry.mesh import edge_table, volume
from core.intake import unite as unite_module
from core.intake.unite import Untied

from ..geometry.solids import box, bumpy, joined, moved, rotation, sphere, torus

INNER = moved(box(), scale=0.5)  # volume 1 in a box of volume 8
CORE = moved(box(), scale=0.25)  # volume 1/8


def mesh_of(solids):
    vertices, triangles = joined(*solids)
    return vertices, triangles, np.repeat(np.arange(len(solids)), [len(t) for _, t in solids])


def unite(*solids, inward=(), turn=None, scale=1.0, **options):
    """The union, checked for what holds of every union."""
    vertices, triangles, solid = mesh_of(solids)
    if turn is not None:
        vertices = scale * (vertices @ rotation(turn).T)
    made = unite_module.unite(vertices, triangles, solid, np.isin(np.arange(len(solids)), inward), **options)
    assert_sound(made)
    assert_in_parents(vertices, triangles, made)
    return made


def assert_sound(made):
    edges = edge_table(made.triangles)
    assert (np.bincount(edges.of_half) == 2).all()
    assert not edges.surplus.any()
    assert (np.diff(made.part) >= 0).all()
    assert (np.unique(made.part) == np.arange(made.part[-1] + 1)).all()
    used = [np.unique(made.triangles[made.part == k]) for k in range(made.part[-1] + 1)]
    assert len(np.unique(np.concatenate(used))) == sum(map(len, used)) == len(made.vertices)
    assert all(size > 0.0 for size in part_volumes(made))


def assert_in_parents(vertices, triangles, made):
    """Every corner lies in the plane of its triangle's parent and within it; facing as `flip` says."""
    near = 1e-10 * np.linalg.norm(np.ptp(vertices, axis=0))
    corner, parent = made.vertices[made.triangles], vertices[triangles[made.parent]]
    normal = np.cross(parent[:, 1] - parent[:, 0], parent[:, 2] - parent[:, 0])
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    for k in range(3):
        arm = corner - parent[:, k, None]
        assert np.abs(np.einsum("nki,ni->nk", arm, normal)).max() <= near
        side = parent[:, (k + 1) % 3] - parent[:, k]
        inwards = np.cross(normal, side) / np.linalg.norm(side, axis=1)[:, None]
        assert np.einsum("nki,ni->nk", arm, inwards).min() >= -near
    area = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    facing = np.einsum("ni,ni->n", area, normal)
    # Slivers between nearly collinear points may turn over in the rounding of coordinates: as wide as that, at most.
    rounding = 2.0**-50 * np.square(np.ptp(vertices, axis=0)).sum()
    assert np.where(made.flip, -facing, facing).min() >= -rounding


def part_volumes(made):
    return [volume(made.vertices, made.triangles[made.part == k]) for k in range(made.part[-1] + 1)]


def size(made):
    return volume(made.vertices, made.triangles)


def probes(vertices, count=4000):
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    return low + np.random.default_rng(5).uniform(size=(count, 3)) * (high - low)


@pytest.mark.parametrize("scale", [1e-2, 1.0, 300.0])
@pytest.mark.parametrize("turn", [None, 3])
def test_two_overlapping_boxes(scale, turn):
    made = unite(box(), moved(box(), (0.5, 0.5, 0.527)), turn=turn, scale=scale if turn else 1.0)
    cube = scale**3 if turn else 1.0
    assert size(made) == pytest.approx((16.0 - 1.5 * 1.5 * 1.473) * cube, rel=1e-12)
    assert made.overlap == pytest.approx(1.5 * 1.5 * 1.473 * cube, rel=1e-12)
    assert (made.fused, made.overlapping, made.absorbed, made.part.max()) == (2, 0, 0, 0)


NESTED = {  # what becomes of boxes of 8, 1 and 1/8 in each other: volumes of the parts, and the counts
    ("absorb", (8.0,), (8.0,)): ((0, 1, 0, 0), (0, 2, 0, 0)),
    ("hollow", (7.0,), (7.125,)): ((0, 0, 1, 0), (0, 0, 1, 0)),
    ("solid", (7.0, 1.0), (7.0, 0.875, 0.125)): ((0, 0, 0, 1), (0, 0, 0, 2)),
}


@pytest.mark.parametrize("turn", [None, 1])
@pytest.mark.parametrize("rule", NESTED, ids=lambda rule: rule[0])
def test_solids_in_solids_follow_the_rule(rule, turn):
    nested, two, three = rule
    for solids, volumes, counts in (
        ((box(), INNER), two, NESTED[rule][0]),
        ((CORE, box(), INNER), three, NESTED[rule][1]),
    ):
        made = unite(*solids, nested=nested, turn=turn)
        assert sorted(part_volumes(made), reverse=True) == pytest.approx(volumes, rel=1e-12)
        assert (made.cavities, made.absorbed, made.hollowed, made.own) == counts
        counted = sum(volume(*solid) for solid in solids)
        assert nested == "hollow" or made.overlap == pytest.approx(counted - sum(volumes), rel=1e-12)


def test_a_solid_of_its_own_fills_its_cavity_bit_by_bit():
    made = unite(box(), moved(sphere(2), scale=0.5), nested="solid", turn=2)
    wall = made.vertices[made.triangles[(made.part == 0) & made.flip]]
    skin = made.vertices[made.triangles[made.part == 1]]
    assert len(wall) == len(skin) == 128
    assert (wall == skin[:, [0, 2, 1]]).all()


@pytest.mark.parametrize("nested", ["absorb", "hollow", "solid"])
@pytest.mark.parametrize(
    ("inward", "volumes", "cavities"),
    [((1,), 7.0, 1), ((0,), 7.0, 1), ((0, 1), None, 0)],
    ids=["cavity", "all turned", "inside out twice"],
)
def test_what_faces_against_the_matter_around_it_is_a_cavity(nested, inward, volumes, cavities):
    made = unite(box(), INNER, inward=inward, nested=nested)
    assert made.cavities == cavities
    assert size(made) == pytest.approx(volumes or {"absorb": 8.0, "hollow": 7.0, "solid": 8.0}[nested], rel=1e-12)


@pytest.mark.parametrize("inward", [(1,), (1, 2), (0, 2), (1, 2, 4)])
def test_islands_in_cavities_to_any_depth(inward):
    """Shells of sides 8, 4, 2, 1, 1/2: what is in empty space is matter, however it was given."""
    shells = [moved(box(), scale=2.0**-k) for k in range(5)]
    made = unite(*shells, inward=inward, turn=6)
    sizes = 8.0 * 8.0 ** -np.arange(5)
    signs = {
        (1,): [1, -1, 1, 0, 0],  # box, cavity, island; two absorbed
        (1, 2): [1, -1, 1, -1, 1],  # the island was given inside out, so what is in it faces against it
        (0, 2): [1, -1, 1, -1, 1],
        (1, 2, 4): [1, -1, 1, -1, 1],
    }[inward]
    assert size(made) == pytest.approx(float(signs @ sizes), rel=1e-12)
    assert made.absorbed == signs.count(0)


def test_what_is_in_an_absorbed_solid_counts_with_it():
    """Outward, outward, inward, inward: winding numbers 1, 2, 1, 0. Only the innermost is a hollow."""
    shells = [moved(box(), scale=2.0**-k) for k in range(4)]
    made = unite(*shells, inward=(2, 3))
    assert size(made) == pytest.approx(8.0 - 8.0 / 512, rel=1e-12)
    assert (made.cavities, made.absorbed) == (1, 2)


ROD = box((-2.0, -0.2, -0.2), (2.0, 0.2, 0.2))
PLUG = box((-0.7, -0.2, -0.2), (0.7, 0.2, 0.2))


@pytest.mark.parametrize("turn", [None, 4])
def test_a_rod_through_a_hollow_box_stays_whole(turn):
    made = unite(box(), INNER, ROD, inward=[1], turn=turn)
    assert size(made) == pytest.approx(7.0 + (4.0 - 1.0) * 0.16, rel=1e-12)
    assert (made.cavities, made.fused) == (1, 2)
    made = unite(box(), INNER, ROD, inward=[1], parts="keep", turn=turn)
    assert part_volumes(made) == pytest.approx([7.0, 4.0 * 0.16], rel=1e-12)
    assert (made.cavities, made.overlapping) == (1, 2)


@pytest.mark.parametrize("turn", [None, 4])
def test_a_rod_that_only_bridges_a_cavity(turn):
    made = unite(box(), INNER, PLUG, inward=[1], turn=turn)
    assert size(made) == pytest.approx(7.0 + 0.16, rel=1e-12)
    made = unite(box(), INNER, PLUG, inward=[1], parts="keep", turn=turn)
    assert part_volumes(made) == pytest.approx([7.0, 1.4 * 0.16], rel=1e-12)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_a_cavity_that_is_filled_to_its_walls_vanishes(scale):
    shells = [moved(solid, scale=scale) for solid in (box(), INNER, INNER)]
    made = unite(*shells, inward=[1])
    assert size(made) == pytest.approx(8.0 * scale**3, rel=1e-12)
    assert len(made.triangles) == 12
    kept = unite(*shells, inward=[1], parts="keep")
    assert part_volumes(kept) == pytest.approx([7.0 * scale**3, scale**3], rel=1e-12)


def test_what_is_united_in_a_cavity_does_not_drown_in_what_is_united_around_it():
    beam = box((0.9, -0.1, -0.1), (3.0, 0.1, 0.1))
    pebbles = box((-0.2, -0.2, -0.2), (0.2, 0.2, 0.2)), box((-0.1, -0.1, -0.1), (0.3, 0.3, 0.3))
    far = box((5.0, 0.0, 0.0), (6.0, 1.0, 1.0)), box((5.5, 0.5, 0.5), (6.5, 1.5, 1.5))
    made = unite(pebbles[0], box(), INNER, beam, far[0], pebbles[1], far[1], inward=[2], turn=9)
    assert size(made) == pytest.approx(7.0 + 2.0 * 0.04 + (2 * 0.064 - 0.027) + (2.0 - 0.125), rel=1e-12)
    assert (made.cavities, made.fused, made.absorbed) == (1, 6, 0)


@pytest.mark.parametrize("parts", ["fuse", "keep"])
def test_a_notch_is_given_inside_out_and_flush_with_a_face(parts):
    made = unite(box(), box((0.5, -0.5, -0.5), (1.0, 0.5, 0.5)), inward=[1], parts=parts)
    assert size(made) == pytest.approx(7.5, rel=1e-12)
    assert made.cavities == 1


def test_a_part_that_is_inside_out_and_sticks_out_is_turned():
    made = unite(box(), box((0.5, -0.5, -0.5), (1.5, 0.5, 0.5)), inward=[1])
    assert size(made) == pytest.approx(8.5, rel=1e-12)
    assert made.cavities == 0


TOUCHING = {"face": ((2.0, 0.3, 0.2), 1), "edge": ((2.0, 2.0, 0.3), 2), "vertex": ((2.0, 2.0, 2.0), 2)}


@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("kind", TOUCHING)
def test_touching_boxes(kind, scale):
    offset, _ = TOUCHING[kind]
    solids = [moved(box(), scale=scale), moved(box(), scale * np.array(offset), scale=scale)]
    fused = unite(*solids)
    assert size(fused) == pytest.approx(16.0 * scale**3, rel=1e-12)
    assert fused.fused == 2
    assert fused.overlap == 0.0
    if kind == "face":  # no wall is left between them
        middle = fused.vertices[fused.triangles].mean(axis=1)
        inner = np.abs(middle - scale * np.array([1.0, 0.15, 0.1])).max(axis=1) < scale * np.array(0.3)
        assert not inner.any()
        assert winding_number(fused.vertices, fused.triangles, scale * np.array([[1.0, 0.15, 0.1]])) == 1
    kept = unite(*solids, parts="keep")
    assert part_volumes(kept) == pytest.approx([8.0 * scale**3] * 2, rel=1e-12)
    assert kept.overlapping == 2


def plank(low, high):
    return box(np.array(low) / 64.0, np.array(high) / 64.0)  # on a grid, as the ladder leaves coordinates


def test_a_crate_of_touching_planks_is_one_solid():
    """Four posts with boards between them that touch them exactly, and a floor that they stand on."""
    posts = [plank((x, y, 0), (x + 4, y + 4, 64)) for x in (0, 60) for y in (0, 60)]
    boards = [plank((4, y, z), (60, y + 2, z + 8)) for y in (0, 62) for z in (0, 20, 40)]
    boards += [plank((x, 4, z), (x + 2, 60, z + 8)) for x in (0, 62) for z in (0, 20, 40)]
    floor = [plank((0, 0, -2), (64, 64, 0))]
    planks = posts + boards + floor
    made = unite(*planks)
    assert size(made) == pytest.approx(sum(volume(*p) for p in planks), rel=1e-12)
    assert (made.fused, made.overlap, made.part.max()) == (len(planks), 0.0, 0)
    kept = unite(*planks, parts="keep")
    assert kept.part.max() == len(planks) - 1 == kept.overlapping - 1


def test_a_ladder_has_rungs_that_stick_in_its_rails():
    rails = [box((x, -0.1, 0.0), (x + 0.2, 0.1, 8.0)) for x in (0.0, 2.0)]
    rungs = [box((0.1, -0.05, z), (2.1, 0.05, z + 0.1)) for z in np.arange(1.0, 8.0)]
    made = unite(*rails, *rungs, turn=7)
    assert size(made) == pytest.approx(2 * 0.04 * 8.0 + 7 * 1.8 * 0.01, rel=1e-12)
    assert made.overlap == pytest.approx(7 * 0.2 * 0.01, rel=1e-9)


def test_solids_apart_keep_their_bits():
    solids = [moved(bumpy(2, k), (3.0 * k, 0.0, 0.0), seed=k) for k in range(4)]
    vertices, triangles, solid = mesh_of(solids)
    shuffled = np.random.default_rng(0).permutation(len(triangles))
    for parts in ("fuse", "keep"):
        made = unite_module.unite(vertices, triangles[shuffled], solid[shuffled], np.zeros(4, bool), parts=parts)
        assert (made.vertices == vertices).all()
        assert (made.triangles == triangles[shuffled]).all()
        assert (made.parent == np.arange(len(triangles))).all()
        assert not made.flip.any()
        assert not made.part.any()
        assert not any(made[5:])


def test_what_touches_nothing_keeps_its_bits_beside_what_is_united():
    far = moved(bumpy(2, 1), (9.0, 0.0, 0.0), seed=2)
    made = unite(far, box(), moved(box(), (0.7, 0.1, 0.2)))
    own = made.parent < len(far[1])
    assert (made.vertices[made.triangles[own]] == far[0][far[1][made.parent[own]]]).all()
    assert own.sum() == len(far[1])


def test_gravel_is_passed_on():
    at = np.stack(np.meshgrid(*[np.arange(8)] * 3), axis=-1).reshape(-1, 3) * 2.5
    stones = [moved(sphere(1), place, seed=k) for k, place in enumerate(at)]
    vertices, triangles, solid = mesh_of(stones)
    made = unite_module.unite(vertices, triangles, solid, np.zeros(len(stones), bool))
    assert (made.vertices == vertices).all()
    assert (made.triangles == triangles).all()


def random_solids(seed):
    rng = np.random.default_rng(seed)
    kinds = [box(), sphere(1), torus(around=9, across=5), bumpy(2, seed), box((-2, -0.2, -0.3), (2, 0.2, 0.3))]
    count = int(rng.integers(2, 7))
    return [
        moved(kinds[int(rng.integers(len(kinds)))], rng.uniform(-1.2, 1.2, 3), int(rng.integers(1 << 30)), size)
        for size in rng.uniform(0.3, 1.2, count)
    ]


@settings(max_examples=40)
@given(st.integers(0, 1 << 30))
def test_random_unions_are_where_the_winding_number_is_positive(seed):
    solids = random_solids(seed)
    vertices, triangles, _ = mesh_of(solids)
    points = probes(vertices)
    before = winding_number(vertices, triangles, points)
    made = unite(*solids)
    assert (winding_number(made.vertices, made.triangles, points) == (before >= 1)).all()
    counted = sum(volume(*solid) for solid in solids)
    assert size(made) + made.overlap == pytest.approx(counted, rel=1e-9)
    other = unite(*solids[::-1])
    assert size(other) == pytest.approx(size(made), rel=1e-11)
    kept = unite(*solids, parts="keep")
    parts = [winding_number(kept.vertices, kept.triangles[kept.part == k], points) for k in range(kept.part[-1] + 1)]
    assert (np.min(parts, axis=0) >= 0).all()
    assert (np.max(parts, axis=0) == (before >= 1)).all()


@settings(max_examples=40)
@given(st.integers(0, 1 << 30))
def test_hollow_solids_that_overlap_keep_what_is_hollow_in_all(seed):
    """Shells with a cavity each: matter is where some outer shell is, and not its cavity."""
    rng = np.random.default_rng(seed)
    solids = []
    for k in range(int(rng.integers(2, 5))):
        turn, shift, scale = int(rng.integers(1 << 30)), rng.uniform(-0.7, 0.7, 3), rng.uniform(0.6, 1.0)
        shell = [bumpy(2, k), box(), torus(0.8, 0.4, 12, 8)][int(rng.integers(3))]
        wall = torus(0.8, 0.3, 12, 8) if len(shell[1]) == 192 else moved(shell, scale=0.7)
        solids += [moved(shell, shift, turn, scale), moved(wall, shift, turn, scale)]
    made = unite(*solids, inward=range(1, len(solids), 2))
    points = probes(mesh_of(solids)[0])
    within = [winding_number(*solid, points) for solid in solids]
    expected = (np.array(within[::2]) & ~np.array(within[1::2])).any(axis=0)
    assert (winding_number(made.vertices, made.triangles, points) == expected).all()
    assert made.cavities <= len(solids) // 2 <= made.cavities + made.absorbed
    kept = unite(*solids, inward=range(1, len(solids), 2), parts="keep")
    parts = [winding_number(kept.vertices, kept.triangles[kept.part == k], points) for k in range(kept.part[-1] + 1)]
    assert (np.max(parts, axis=0) == expected).all()


@settings(max_examples=40)
@given(st.integers(0, 1 << 30), st.sampled_from([2, 3, 4]))
def test_unions_of_boxes_on_a_lattice_are_exact(seed, cells):
    """Coplanar faces, common edges and vertices everywhere: the volume is a count of lattice cells."""
    rng = np.random.default_rng(seed)
    filled, solids = np.zeros((cells,) * 3, bool), []
    for _ in range(int(rng.integers(2, 7))):
        low = rng.integers(0, cells, 3)
        high = low + 1 + rng.integers(0, cells - low)
        filled[tuple(slice(a, b) for a, b in zip(low, high, strict=True))] = True
        solids.append(box(low, high))
    made = unite(*solids)
    assert size(made) == pytest.approx(float(filled.sum()), rel=1e-12)
    middles = np.stack(np.meshgrid(*[np.arange(cells)] * 3, indexing="ij"), axis=-1) + np.array([0.49, 0.52, 0.51])
    inside = winding_number(made.vertices, made.triangles, middles.reshape(-1, 3)).reshape(filled.shape)
    assert (inside == filled).all()


def test_the_same_union_has_the_same_bits():
    solids = random_solids(11)
    for one, other in zip(unite(*solids)[:5], unite(*solids)[:5], strict=True):
        assert (one == other).all()


def test_a_hair_apart_is_not_crossing():
    """Far nearer than the margin of contact, but not touching: both keep their volume."""
    made = unite(box(), moved(box(), (2.0 + 0.01 * CROSSING_MARGIN, 0.0, 0.0)))
    assert size(made) == pytest.approx(16.0, rel=1e-9)


def test_a_solid_that_is_no_closed_surface_is_named():
    vertices, triangles = moved(box(), (0.3, 0.2, 0.5))
    with pytest.raises(Untied) as refused:
        unite(box((4, 4, 4), (5, 5, 5)), box(), (vertices, triangles[:-1]))
    assert refused.value.solid == 2


def test_inconsistent_input_is_refused():
    vertices, triangles = box()
    with pytest.raises(IndexError):
        unite_module.unite(vertices[:-1], triangles, np.zeros(12, int), np.zeros(1, bool))
    with pytest.raises(ValueError, match="numbered"):
        unite_module.unite(vertices, triangles, np.ones(12, int), np.zeros(1, bool))
    with pytest.raises(ValueError, match="needs a solid"):
        unite_module.unite(vertices, triangles, np.zeros(11, int), np.zeros(1, bool))
    alone = unite_module.unite(vertices, triangles, np.zeros(12, int), np.ones(1, bool))
    assert (alone.vertices[alone.triangles] == vertices[triangles]).all()
    assert not alone.flip.any()
    empty = unite_module.unite(np.zeros((0, 3)), np.zeros((0, 3), int), np.zeros(0, int), np.zeros(0, bool))
    assert len(empty.triangles) == 0
