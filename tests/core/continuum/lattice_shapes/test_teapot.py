"""The teapot of six glued parts and a lid: docs/papers/norton1991.md, N9."""

import numpy as np
import pytest

from core.continuum.lattice_shapes.teapot import TEAPOT_PARTS, make_teapot
from core.continuum.spring_lattice.breaking import component_labels
from core.continuum.spring_lattice.hexahedra import corner_volumes, exposed_faces, hexahedron_volumes
from core.continuum.spring_lattice.lattice import build_lattice
from core.geometry.mesh import edge_census, edge_table, find_shells
from core.geometry.nearest import nearest
from tests.spring_lattices import RUBBER
from tests.zoo.teapot import teapot as published


@pytest.mark.parametrize(("fineness", "through"), [(2, 1), (2, 2), (3, 1), (4, 2), (5, 1), (6, 1)])
def test_cells_are_sound_whatever_the_fineness(fineness, through):
    solid = make_teapot(0.2, fineness, through).solid
    assert (corner_volumes(solid) > 0.0).all()
    face = exposed_faces(solid.cell_node)
    table = edge_table(np.concatenate([face[:, [0, 1, 2]], face[:, [0, 2, 3]]]))
    assert edge_census(table) == (0, 0, 0)
    assert np.ptp(solid.node_position[:, 0]) == pytest.approx(0.2)


def test_the_lid_is_apart_and_all_else_hangs_together():
    teapot = make_teapot(0.2, 2, 1)
    lattice = build_lattice(teapot.solid, RUBBER)
    label = component_labels(lattice, np.zeros(len(lattice.rest_length), np.bool_))
    of_cells = label[teapot.solid.cell_node[:, 0]]
    lid = teapot.part == TEAPOT_PARTS.index("lid")
    assert len(np.unique(label)) == 2
    assert len(np.unique(of_cells[lid])) == len(np.unique(of_cells[~lid])) == 1
    face = exposed_faces(teapot.solid.cell_node)
    table = edge_table(np.concatenate([face[:, [0, 1, 2]], face[:, [0, 2, 3]]]))
    assert find_shells(table).max() == 1


def test_parts_are_glued_at_whole_faces():
    teapot = make_teapot(0.2, 2, 1)
    own = [len(exposed_faces(teapot.solid.cell_node[teapot.part == k])) for k in range(len(TEAPOT_PARTS))]
    lost = sum(own) - len(exposed_faces(teapot.solid.cell_node))
    # Each glued face is lost on both sides: the rim has 48, the ends of the handle 4 each and so has its middle, the
    # spout 12 at its end and 2 along 10 rows where its slabs meet.
    assert lost == 2 * (48 + 3 * 4 + 12 + 2 * 10)


def test_it_has_the_form_of_the_published_one():
    # Outer nodes lie on its curves, with chords and quarter turns between: some tenths of a millimetre. Inner ones lie
    # a wall of 3 mm within, and the middle of the ends of the handle, half as deep as that is thick.
    teapot = make_teapot(0.2, 3, 1)
    vertices, triangles = published(12)
    vertices = vertices * (0.2 / 6.43)
    seen = ~np.isin(teapot.part, [TEAPOT_PARTS.index("lid"), TEAPOT_PARTS.index("rim")])
    outside = np.unique(exposed_faces(teapot.solid.cell_node[seen]))
    _, _, distance = nearest(vertices, triangles, teapot.solid.node_position[outside])
    assert np.quantile(distance, 0.5) < 0.0004, "half of the nodes are on the outer side"
    assert distance.max() < 0.005


def test_the_lid_rests_above_the_rim():
    teapot = make_teapot(0.2, 2, 1)
    lid, rim = (
        teapot.solid.node_position[teapot.solid.cell_node[teapot.part == TEAPOT_PARTS.index(name)]]
        for name in ("lid", "rim")
    )
    gap = lid[..., 2][np.hypot(lid[..., 0], lid[..., 1]) > 0.0425].min() - rim[..., 2].max()
    assert 0.0 < gap < 0.0005
    assert hexahedron_volumes(teapot.solid).min() > 0.0
