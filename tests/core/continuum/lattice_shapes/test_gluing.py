"""Shapes glued at their nodes: docs/papers/norton1991.md, N8."""

import numpy as np
import pytest

from core.continuum.lattice_shapes.alternation import alternate_parities
from core.continuum.lattice_shapes.gluing import beside, glue_shapes, select_cells
from core.continuum.spring_lattice.blocks import ring_complex, slab_complex
from core.continuum.spring_lattice.breaking import component_labels
from core.continuum.spring_lattice.hexahedra import HexahedralComplex, exposed_faces, hexahedron_volumes
from core.continuum.spring_lattice.lattice import build_lattice, joined_nodes
from core.errors import InputError
from tests.spring_lattices import RUBBER, A, B, C


def moved(solid, by):
    return HexahedralComplex(solid.node_position + np.asarray(by), solid.cell_node, solid.cell_parity)


def two_slabs(shift=0.0):
    """3x2x2 cells beside 2x2x2 of the same size, and the nodes at the face between them."""
    slab = slab_complex((3, 2, 2), (3.0, 2.0, 2.0))
    other = moved(slab_complex((2, 2, 2), (2.0, 2.0, 2.0)), (3.0 + shift, 0.0, 0.0))
    return slab, other, np.flatnonzero(other.node_position[:, 0] == 3.0 + shift)


@pytest.mark.parametrize("kind", [A, B, C])
def test_two_slabs_glued_are_the_longer_slab(kind):
    slab, other, face = two_slabs()
    glued = glue_shapes(slab, other, face, 1e-9)
    whole = slab_complex((5, 2, 2), (5.0, 2.0, 2.0))
    assert len(glued.solid.node_position) == len(whole.node_position) == 6 * 3 * 3
    assert glued.notes == () and glued.farthest == 0.0
    pairs, _ = joined_nodes(glued.solid, kind)
    assert len(np.unique(pairs, axis=0)) == len(pairs) == len(joined_nodes(whole, kind)[0])
    assert len(exposed_faces(glued.solid.cell_node)) == len(exposed_faces(whole.cell_node)) == 2 * (4 + 10 + 10)
    lattice = build_lattice(glued.solid, RUBBER, kind)
    assert (component_labels(lattice, np.zeros(len(pairs), np.bool_)) == 0).all()


def test_masses_are_kept():
    # Nodes that give way lay on the others, so no volume changes; sums of some tens of numbers, round-off of each.
    slab, other, face = two_slabs()
    glued = build_lattice(glue_shapes(slab, other, face, 1e-9).solid, RUBBER)
    apart = build_lattice(beside([slab, other]), RUBBER)
    assert glued.mass.sum() == pytest.approx(apart.mass.sum(), rel=1e-14)
    assert glued.mass.sum() == pytest.approx(20.0 * RUBBER.density, rel=1e-14)


def test_nodes_keep_their_numbers_and_say_where_they_went():
    slab, other, face = two_slabs()
    glued = glue_shapes(slab, other, face, 1e-9)
    np.testing.assert_array_equal(glued.solid.cell_node[: len(slab.cell_node)], slab.cell_node)
    np.testing.assert_array_equal(glued.solid.node_position[glued.node], other.node_position)


def test_what_is_far_is_glued_and_told():
    slab, other, face = two_slabs(shift=0.25)
    glued = glue_shapes(slab, other, face, 0.1)
    assert glued.farthest == 0.25
    assert "9 glued nodes moved by up to" in glued.notes[0]
    assert hexahedron_volumes(glued.solid).sum() == pytest.approx(21.0)


def test_a_cell_cannot_lose_a_corner():
    coarse = slab_complex((1, 1, 1), (2.0, 2.0, 2.0))
    fine = moved(slab_complex((2, 4, 4), (2.0, 2.0, 2.0)), (2.0, 0.0, 0.0))
    with pytest.raises(InputError, match="finer"):
        glue_shapes(coarse, fine, np.flatnonzero(fine.node_position[:, 0] == 2.0), 1.0)


def test_diagonals_agree_whatever_way_the_grids_run():
    # A slab turned by half a turn about z has its corners numbered otherwise: no face may have both diagonals.
    slab, other, face = two_slabs()
    turned = HexahedralComplex(other.node_position, other.cell_node[:, [3, 2, 1, 0, 7, 6, 5, 4]], other.cell_parity)
    glued = glue_shapes(slab, turned, face, 1e-9)
    assert len(joined_nodes(glued.solid, B)[0]) == len(joined_nodes(slab_complex((5, 2, 2), (5.0, 2.0, 2.0)), B)[0])


def test_a_grid_keeps_its_parities_and_an_odd_ring_has_none():
    slab = slab_complex((3, 2, 2), (3.0, 2.0, 2.0))
    np.testing.assert_array_equal(alternate_parities(slab.cell_node), slab.cell_parity)
    for around, seam in ((6, 0), (5, 1)):
        ring = ring_complex((around, 1, 1), 1.0, 2.0, 1.0)
        own = HexahedralComplex(ring.node_position, ring.cell_node, alternate_parities(ring.cell_node))
        faces = 5 * around  # each cell has four of its own and one to the next
        edges = 8 * around
        assert len(joined_nodes(own, B)[0]) == edges + faces + seam


def test_cells_that_are_left_out_take_their_nodes_along():
    slab = slab_complex((3, 1, 1), (3.0, 1.0, 1.0))
    rest, node = select_cells(slab, np.array([True, False, False]))
    assert len(rest.node_position) == 8 and (node >= 0).sum() == 8
    np.testing.assert_array_equal(rest.node_position[node[node >= 0]], slab.node_position[node >= 0])
