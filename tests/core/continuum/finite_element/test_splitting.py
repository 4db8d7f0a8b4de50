"""A mesh that is cut at its nodes fits together, whatever is cut, and what it carries stays what it was."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from core.continuum.finite_element.crack_faces import crack_area, crack_faces, piece_labels
from core.continuum.finite_element.failing_nodes import FailingNodes, FailureLaw, find_failing_nodes, rate
from core.continuum.finite_element.splitting.separate import split_failing_nodes
from core.continuum.finite_element.splitting.split_node import SplitOutcome, split_node
from core.continuum.finite_element.splitting.workspace import SplittingRules
from tests.tetrahedral_meshes import (
    check_mesh,
    delaunay_box,
    kuhn_bar,
    outer_area,
    positive,
    star_of,
    started,
    sums,
)

#: Every plane as it is.
NO_SNAPPING = SplittingRules(snap_distance=0.0, snap_angle=0.0, least_altitude=0.0)
X = np.array([1.0, 0.0, 0.0])


def rough_box(seed, **more):
    """A box of uneven matter, bent, with velocities at random."""
    rng = np.random.default_rng([seed, 7])
    mesh = delaunay_box(seed)
    cut = started(mesh, rng.uniform(500.0, 3000.0, len(mesh.element_node)), **more)
    cut.position[:] = cut.position @ (np.eye(3) + rng.uniform(-0.05, 0.05, (3, 3)))
    cut.velocity[:] = rng.normal(size=cut.velocity.shape)
    return cut, rng


def all_bits(cut):
    nodes, elements = cut.rows.nodes, cut.rows.elements
    arrays = [one[: cut.node_count] for one in nodes] + [one[: cut.element_count] for one in elements[:8]]
    return b"".join(np.ascontiguousarray(one).tobytes() for one in arrays)


@pytest.mark.parametrize("rules", [SplittingRules(), NO_SNAPPING, SplittingRules(tracking_angle=0.7)])
@pytest.mark.parametrize("seed", range(7))
def test_random_splits_keep_every_invariant(seed, rules):
    """Fifty splits of a box: a thousand in all."""
    cut, rng = rough_box(seed, room=1)
    volume, outer, mass = cut.volume.sum(), outer_area(cut), sums(cut)[0]
    splits = 0
    for _ in range(50):
        before, elements = sums(cut), cut.element_count
        split = split_node(cut, int(rng.integers(cut.node_count)), rng.normal(size=3), rules)
        after = sums(cut)
        splits += split.outcome != SplitOutcome.WHOLE
        assert abs(after[0] - mass) < 1e-12 * mass
        assert_allclose(after[1], before[1], atol=1e-12 * mass)  # speeds are about 1 m/s
        assert split.lost_energy >= 0.0
        assert abs(before[3] - after[3] - split.lost_energy) < 1e-12 * before[3]
        if split.outcome == SplitOutcome.WHOLE:
            assert cut.element_count == elements and after[3] == before[3]
        if splits % 10 == 0:
            check_mesh(cut, volume, outer)
    check_mesh(cut, volume, outer)
    assert splits > 30  # of elements that are alone on their side there are more and more
    assert cut.volume.min() >= 1e-6 * cut.mean_volume


def test_equal_splits_give_equal_bits_also_with_the_normal_the_other_way():
    first, second, third = (rough_box(3)[0] for _ in range(3))
    rng = np.random.default_rng(0)
    for _ in range(40):
        node, normal = int(rng.integers(first.node_count)), rng.normal(size=3)
        for cut, sign in ((first, 1.0), (second, 1.0), (third, -1.0)):
            split_node(cut, node, sign * normal, SplittingRules())
    assert all_bits(first) == all_bits(second) == all_bits(third)


def test_room_that_grows_changes_no_bit():
    small, large = rough_box(4, room=1)[0], rough_box(4, room=20)[0]
    rng = np.random.default_rng(1)
    for _ in range(40):
        node, normal = int(rng.integers(small.node_count)), rng.normal(size=3)
        for cut in (small, large):
            split_node(cut, node, normal, NO_SNAPPING)
    assert len(small.rows.nodes.mass) < len(large.rows.nodes.mass)
    assert all_bits(small) == all_bits(large)


def test_new_nodes_move_as_the_matter_they_are_put_into():
    """Where position and velocity are linear in the material, they are so at every node afterwards."""
    cut, rng = rough_box(5)
    bend, spin = np.eye(3) + rng.uniform(-0.2, 0.2, (3, 3)), rng.normal(size=(3, 3))
    cut.position[:], cut.velocity[:] = cut.position @ bend, cut.position @ spin
    place = cut.rows.nodes.material[: cut.node_count].copy()
    to_world, to_speed = (np.linalg.lstsq(place, field, rcond=None)[0] for field in (cut.position, cut.velocity))
    for _ in range(30):
        split_node(cut, int(rng.integers(cut.node_count)), rng.normal(size=3), SplittingRules())
    place = cut.rows.nodes.material[: cut.node_count]
    assert_allclose(cut.position, place @ to_world, atol=1e-12)
    assert_allclose(cut.velocity, place @ to_speed, atol=1e-11)


def test_elements_know_what_they_are_a_part_of():
    cut, rng = rough_box(6)
    before = cut.as_mesh()
    volume = cut.volume.copy()
    for _ in range(30):
        split_node(cut, int(rng.integers(cut.node_count)), rng.normal(size=3), NO_SNAPPING)
    assert_allclose(np.bincount(cut.element_origin, cut.volume, len(volume)), volume, rtol=1e-9)
    inside = cut.rows.nodes.material[cut.element_node].mean(axis=1)
    corner = before.node_material[before.element_node[cut.element_origin]]
    frame = (corner[:, 1:] - corner[:, :1]).transpose(0, 2, 1)
    weight = np.linalg.solve(frame, (inside - corner[:, 0])[:, :, None])[:, :, 0]
    assert (weight > 0.0).all() and (weight.sum(axis=1) < 1.0).all()


def test_a_plane_through_a_block_of_two_halves_it_along_faces():
    """Nodes on the plane: nothing is cut, and the bar falls apart when the last node of its section is split."""
    mesh = kuhn_bar((2, 2, 2))
    cut = started(mesh)
    outer = outer_area(cut)
    section = np.flatnonzero(mesh.node_material[:, 0] == 1.0)
    for k, node in enumerate(section.tolist()):
        assert len(set(piece_labels(cut))) == 1 or k > 0
        split_node(cut, node, X, SplittingRules())
        check_mesh(cut, 8.0, outer)
    assert cut.element_count == 48
    assert len(set(piece_labels(cut))) == 2
    assert_allclose(crack_area(cut), 4.0, rtol=1e-12)
    assert cut.node_count == len(mesh.node_material) + 9
    faces = crack_faces(cut)
    assert_allclose(cut.rows.nodes.material[faces.node][:, :, 0], 1.0)
    assert_allclose(np.bincount(faces.number), 2)


def test_a_crack_inside_of_matter_keeps_its_rim():
    mesh = kuhn_bar((4, 4, 4))
    cut = started(mesh)
    middle = int(np.flatnonzero((mesh.node_material == 2.0).all(axis=1))[0])
    split = split_node(cut, middle, X, SplittingRules())
    assert (split.outcome, split.node_copies, cut.node_count) == (SplitOutcome.SPLIT, 1, len(mesh.node_material) + 1)
    assert len(set(piece_labels(cut))) == 1
    assert len(crack_faces(cut).element) == 12


def test_a_node_with_all_matter_on_one_side_stays_whole():
    mesh = kuhn_bar((2, 1, 1))
    cut = started(mesh)
    before = all_bits(cut)
    split = split_node(cut, 0, X, SplittingRules())
    assert split.outcome == SplitOutcome.WHOLE
    assert all_bits(cut) == before


def test_nodes_near_the_plane_count_as_on_it():
    """The section at x = 1, with nodes moved off by a twentieth of an edge."""
    place = kuhn_bar((2, 2, 2)).node_material.copy()
    place += np.random.default_rng(0).uniform(-0.02, 0.02, place.shape)
    mesh = positive(place, kuhn_bar((2, 2, 2)).element_node)
    middle = int(np.abs(place - 1.0).sum(axis=1).argmin())
    rules = {"snap_distance": 1.0, "snap_share": 0.05, "snap_angle": 0.0}
    near, by_angle, far = (started(mesh) for _ in range(3))
    assert split_node(near, middle, X, SplittingRules(**rules)).outcome == SplitOutcome.SPLIT
    assert near.element_count == 48
    split_node(by_angle, middle, X, SplittingRules(snap_distance=0.0, snap_angle=0.05))
    assert all_bits(by_angle) == all_bits(near)
    split_node(far, middle, X, NO_SNAPPING)
    assert far.element_count > 48


def test_no_element_comes_out_smaller_than_allowed():
    """A plane that would shave a thousandth off an edge goes through the edge's end; nothing else changes."""
    tip = np.array([[0, 0, 0], [1, 0.001, 0], [0, 1, 0], [0, -1, 1], [0, -1, -1]], float)
    mesh = positive(tip, np.array([[0, 1, 2, 3], [0, 1, 2, 4]]))
    y = np.array([0.0, 1.0, 0.0])
    plain, guarded = started(mesh), started(mesh)
    split_node(plain, 0, y, NO_SNAPPING)
    assert plain.volume.min() < 1e-3 * mesh_volume(mesh)
    rules = SplittingRules(snap_distance=0.0, snap_angle=0.0, least_altitude=0.05)
    outer = outer_area(guarded)
    assert split_node(guarded, 0, y, rules).outcome == SplitOutcome.SPLIT
    assert guarded.volume.min() > 0.1 * mesh_volume(mesh)
    check_mesh(guarded, mesh_volume(mesh), outer)


def mesh_volume(mesh):
    return started(mesh).volume.sum()


UNIT = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)


def test_what_would_only_leave_slivers_is_split_along_faces():
    """Two elements on either side of z = 0, by their middles; each cut of one is nearer to the end below."""
    mesh = positive(np.concatenate([UNIT, [[0.0, 0.0, -1.0]]]), np.array([[0, 1, 2, 3], [0, 1, 2, 4]]))
    cut, plain = started(mesh), started(mesh)
    normal = np.array([0.1, -0.08, 0.08])
    outer = outer_area(cut)
    assert split_node(cut, 0, normal, replace(NO_SNAPPING, least_altitude=0.95)).outcome == SplitOutcome.ALONG_FACES
    check_mesh(cut, 1.0 / 3.0, outer)
    assert cut.element_count == 2 and len(set(piece_labels(cut))) == 2
    assert_allclose(crack_area(cut), 0.5, rtol=1e-12)
    assert split_node(plain, 0, normal, NO_SNAPPING).outcome == SplitOutcome.SPLIT
    assert plain.element_count > 2


def test_an_element_by_itself_that_would_only_leave_slivers_stays_whole():
    mesh = positive(UNIT, np.array([[0, 1, 2, 3]]))
    cut = started(mesh)
    before = all_bits(cut)
    rules = replace(NO_SNAPPING, least_altitude=0.95)
    assert split_node(cut, 0, np.array([1.0, -1.0, 0.5]), rules).outcome == SplitOutcome.WHOLE
    assert all_bits(cut) == before
    assert split_node(cut, 0, np.array([1.0, -1.0, 0.5]), NO_SNAPPING).outcome == SplitOutcome.SPLIT


def test_angular_momentum_is_kept_where_wanted():
    plain, rng = rough_box(8)
    kept, _ = rough_box(8)
    start = sums(plain)
    for _ in range(30):
        node, normal = int(rng.integers(plain.node_count)), rng.normal(size=3)
        split_node(plain, node, normal, NO_SNAPPING)
        before = sums(kept)[3]
        lost = split_node(kept, node, normal, replace(NO_SNAPPING, keep_spin=True)).lost_energy
        assert abs(before - sums(kept)[3] - lost) < 1e-12 * before
    drift = np.abs(sums(plain)[2] - start[2]).max()
    assert drift > 1e-3 * np.abs(start[2]).max()
    assert_allclose(sums(kept)[2], start[2], atol=1e-12 * start[0])
    assert_allclose(sums(kept)[1], start[1], atol=1e-12 * start[0])


def test_what_is_cut_between_anchored_nodes_is_anchored():
    mesh = kuhn_bar((2, 2, 2))
    anchored = mesh.node_material[:, 2] == 0.0
    cut = started(mesh, anchored=anchored)
    rng = np.random.default_rng(0)
    for _ in range(30):
        split_node(cut, int(rng.integers(cut.node_count)), rng.normal(size=3), NO_SNAPPING)
    assert (cut.anchored == (cut.rows.nodes.material[: cut.node_count, 2] == 0.0)).all()
    assert cut.anchored.sum() > anchored.sum()


def old_crack():
    """A block with a crack through half of its middle section, whose end is the middle node."""
    mesh = kuhn_bar((4, 4, 1))
    cut = started(mesh)
    for node in np.flatnonzero((mesh.node_material[:, 0] == 2.0) & (mesh.node_material[:, 1] < 2.0)).tolist():
        split_node(cut, node, X, SplittingRules())
    return mesh, cut, int(np.flatnonzero((mesh.node_material == [2.0, 2.0, 0.0]).all(axis=1))[0])


@pytest.mark.parametrize(("tracking", "branches"), [(0.0, True), (0.8, False)])
def test_a_crack_that_turns_grows_no_branch_backwards_where_it_is_tracked(tracking, branches):
    mesh, cut, tip = old_crack()
    turned = np.array([np.cos(0.4), np.sin(0.4), 0.0])
    elements = cut.element_count
    behind = crack_area_below(cut, 2.0 - 1e-9)
    split = split_node(cut, tip, turned, SplittingRules(snap_angle=0.05, tracking_angle=tracking))
    assert split.outcome == SplitOutcome.SPLIT
    assert cut.element_count > elements
    assert (crack_area_below(cut, 2.0 - 1e-9) > behind + 1e-9) == branches
    check_mesh(cut, 16.0, outer_area(started(mesh)))


def crack_area_below(cut, height):
    """Area of crack faces of which the middle lies below a height."""
    corner = cut.rows.nodes.material[crack_faces(cut).node]
    area = 0.25 * np.linalg.norm(np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]), axis=1)
    return area[corner[:, :, 1].mean(axis=1) < height].sum()


def test_bad_input_is_refused():
    cut = started(kuhn_bar((1, 1, 1)))
    before = all_bits(cut)
    with pytest.raises(IndexError, match="no node"):
        split_node(cut, cut.node_count, X, SplittingRules())
    for normal in (np.zeros(3), np.array([np.nan, 0.0, 1.0])):
        with pytest.raises(ValueError, match="normal"):
            split_node(cut, 0, normal, SplittingRules())
    assert all_bits(cut) == before


def pulled_box(seed=0, strain=0.01):
    """A box that is pulled along x, free across it, with toughness at random."""
    cut = started(delaunay_box(seed))
    stretch = 1.0 + strain
    side = np.sqrt(1.0 - (stretch * stretch - 1.0) / 4.0)
    cut.position[:] = cut.position * [stretch, side, side]
    cut.rows.origins.toughness[:] = np.random.default_rng(seed).uniform(2e4, 1e5, cut.element_count)
    return cut


def test_the_worst_node_is_split_first_and_those_beside_it_wait():
    cut, law = pulled_box(), FailureLaw()
    failing = find_failing_nodes(cut, law)
    assert len(failing.node) > 5 and (np.diff(failing.rating) <= 0.0).all()
    volume, outer = cut.volume.sum(), outer_area(cut)
    done = split_failing_nodes(cut, failing, law, SplittingRules())
    assert done.splits > 0 and done.waiting > 0
    assert done.splits + done.whole + done.waiting == len(failing.node)
    check_mesh(cut, volume, outer)
    first = pulled_box()
    split_node(first, int(failing.node[0]), failing.normal[0], SplittingRules())
    assert (cut.as_mesh().node_material[: first.node_count] == first.as_mesh().node_material).all()


def test_nodes_at_cut_elements_are_rated_anew_where_they_need_not_wait():
    cut, law = pulled_box(), FailureLaw()
    failing = find_failing_nodes(cut, law)
    volume, outer = cut.volume.sum(), outer_area(cut)
    done = split_failing_nodes(cut, failing, law, SplittingRules(touched_too=True))
    waited = split_failing_nodes(other := pulled_box(), find_failing_nodes(other, law), law, SplittingRules())
    assert done.splits > waited.splits and done.waiting == 0
    check_mesh(cut, volume, outer)


def test_a_node_is_split_along_several_planes_where_it_still_fails():
    """A cube that is pulled in all directions; each of its worst nodes by itself."""
    law, done = FailureLaw(), {1: [], 3: []}
    for planes, splits in done.items():
        for row in range(5):
            cut = started(delaunay_box(2), toughness=1e3)
            cut.position[:] = cut.position * 1.01
            volume, outer = cut.volume.sum(), outer_area(cut)
            failing = find_failing_nodes(cut, law)
            one = FailingNodes(*(field[row : row + 1] for field in (failing.node, failing.rating, failing.normal)))
            splits.append(split_failing_nodes(cut, one, law, SplittingRules(planes=planes)).splits)
            check_mesh(cut, volume, outer)
    assert set(done[1]) == {1}
    assert set(done[3]) <= {1, 2, 3} and done[3].count(3) >= 3


def test_rating_after_a_split_is_that_of_the_mesh_as_it_is():
    """What elements carry over to their parts gives what a new look at all of them gives."""
    cut, law = pulled_box(), FailureLaw()
    failing = find_failing_nodes(cut, law)
    split_failing_nodes(cut, failing, law, SplittingRules())
    kept, _ = rate(cut, np.arange(cut.node_count), law)
    find_failing_nodes(cut, law)
    fresh, _ = rate(cut, np.arange(cut.node_count), law)
    assert_allclose(kept, fresh, rtol=1e-9, atol=1e-9 * fresh.max())
    assert all(star_of(cut, node) for node in range(cut.node_count))
