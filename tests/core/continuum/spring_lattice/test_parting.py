"""Matter of broken cells: where it goes, who takes lonely nodes on, and that nothing of the momenta is lost."""

from dataclasses import replace

import numpy as np
import pytest

from core.arithmetic.small_matrices import rotation_matrices
from core.continuum.lattice_embedding.embedding import embed_steps
from core.continuum.spring_lattice.breaking import broken_bonds, component_labels, isolated_nodes
from core.continuum.spring_lattice.cell_frames import cell_turn
from core.continuum.spring_lattice.lonely_nodes import NodeMotion, catch_nodes, share_nodes
from core.continuum.spring_lattice.parting import SHARD, LatticeDamage, part_matter
from core.continuum.spring_lattice.resolution import choose_spacing
from core.continuum.spring_lattice.taken_nodes import take_nodes
from core.stepwise import result_of
from core.types import Units
from tests import shapes
from tests.spring_lattices import resting, slab


def row_of(count):
    """Units of a bar of so many cells in a row."""
    links = np.stack([np.arange(count - 1), np.arange(1, count)], axis=1)
    ones, places = np.ones(count), np.zeros((count, 3))
    at = np.zeros((count - 1, 3))
    return Units(ones, places, places, links, np.ones(count - 1), at, at, np.ones(count - 1), np.arange(count - 1))


def broken_bar(count, cells):
    lattice = slab((count, 1, 1))
    gone = np.zeros(count, np.bool_)
    gone[cells] = True
    bonds = broken_bonds(lattice, np.zeros(len(lattice.rest_length), np.bool_), gone, np.zeros(1, np.bool_))
    label, lonely = component_labels(lattice, bonds), isolated_nodes(lattice, bonds)
    return lattice, bonds, LatticeDamage(np.arange(count), lattice.cell_node, gone, label, lonely)


def test_matter_of_a_single_broken_cell_goes_with_a_neighbour():
    _, _, state = broken_bar(5, [2])
    parting = part_matter(row_of(5), np.arange(5), state)
    assert parting.total == parting.joined == 2
    assert parting.part.tolist() == [0, 0, 0, 1, 1] and parting.carrier.tolist() == [0, 1, 1, 3, 4]


def test_what_has_no_neighbour_left_is_a_shard():
    _, _, state = broken_bar(7, [2, 3, 4])
    parting = part_matter(row_of(7), np.arange(7), state)
    assert parting.joined == 2 and parting.total == 3
    assert parting.part.tolist() == [0, 0, 0, 2, 1, 1, 1]
    assert parting.carrier[3] == SHARD


def test_lonely_nodes_are_shared_out_and_both_momenta_kept():
    lattice, _, state = broken_bar(7, [2, 3, 4])
    parting = part_matter(row_of(7), np.arange(7), state)
    cells = np.array([2, 3, 4])
    shares = share_nodes(state.lonely, state.corner[cells], parting.carrier[cells], np.array([1.0, 1.0, 1.0]))
    # The eight nodes between the broken cells are lonely, and all are corners of the shard.
    assert state.lonely.sum() == 8 and set(shares.cell.tolist()) == {1}
    np.testing.assert_array_equal(shares.share, 1.0)

    rng = np.random.default_rng(2)
    nodes = NodeMotion(lattice.mass, lattice.rest_position + 0.1 * rng.normal(size=(len(lattice.mass), 3)),
                       rng.normal(size=(len(lattice.mass), 3)))  # fmt: skip
    lattice, _, state = broken_bar(5, [1, 2])
    nodes = NodeMotion(*(values[: len(lattice.mass)] for values in (lattice.mass, *nodes[1:])))
    parting = part_matter(row_of(5), np.arange(5), state)
    cells = np.array([1, 2])
    shares = share_nodes(state.lonely, state.corner[cells], parting.carrier[cells], np.array([1.0, 3.0]))
    assert sorted(set(shares.share.tolist())) == [0.25, 0.75], "by their volumes"
    catcher = state.corner[parting.carrier[cells[shares.cell]]]
    extra = np.zeros((int(state.label.max()) + 1, 3))
    extra[state.label[0]] = [0.0, 0.5, 0.0]
    after = catch_nodes(nodes, shares, catcher, state.label, extra)
    assert after.mass.sum() == pytest.approx(nodes.mass.sum(), rel=1e-14) and not after.mass[state.lonely].any()
    p, q = (n.mass[:, None] * n.velocity for n in (nodes, after))
    np.testing.assert_allclose(q.sum(axis=0), p.sum(axis=0), atol=1e-12 * np.abs(p).sum())
    before, behind = (np.cross(n.position, m).sum(axis=0) for n, m in ((nodes, p), (after, q)))
    np.testing.assert_allclose(behind, before + np.array([0.0, 0.5, 0.0]), atol=1e-12 * np.abs(p).sum() * 5.0)


def test_a_part_of_a_lattice_is_a_lattice():
    lattice, bonds, state = broken_bar(5, [2])
    whole = replace(resting(lattice), broken=bonds, cell_broken=state.broken, label=state.label)
    keep = state.label == state.label[0]
    taken = take_nodes(lattice, whole, keep)
    assert taken.cell.tolist() == [0, 1] and len(taken.lattice.mass) == keep.sum()
    alone = slab((2, 1, 1))
    assert len(taken.lattice.rest_length) == len(alone.rest_length)
    assert taken.lattice.outer.all() and (taken.state.label == 0).all()
    np.testing.assert_array_equal(taken.lattice.mass, lattice.mass[keep])


def test_the_turn_of_a_cell_is_found():
    q = np.array([[0.8, 0.36, 0.48, 0.0]])
    R = rotation_matrices(q)[0]
    corner = np.array([[k & 1, k >> 1 & 1, k >> 2 & 1] for k in range(8)], float) * [1.0, 2.0, 0.5]
    np.testing.assert_allclose(cell_turn(corner, 3.0 + np.einsum("ij,nj->ni", R, corner)), R, atol=1e-12)
    flat = np.zeros((8, 3))
    assert np.isfinite(cell_turn(corner, flat)).all()


@pytest.mark.parametrize(("body", "nodes"), [(shapes.box(), 1000), (shapes.icosphere(3), 3000), (shapes.torus(), 2000)])
def test_about_as_many_nodes_come_out_as_are_asked_for(body, nodes):
    made = result_of(embed_steps(body, choose_spacing(body, nodes), 1))
    assert 0.5 * nodes < len(made.nodes) < 2.0 * nodes
