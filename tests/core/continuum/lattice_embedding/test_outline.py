"""Smooth borders of pieces: closed, of the same matter, less of a staircase, and flat where they were."""

from dataclasses import replace

import numpy as np
import pytest

from core.config.material import Material
from core.config.surface import Surface
from core.continuum.contract import ContinuumObject
from core.continuum.lattice_embedding.embedding import embed_steps
from core.continuum.lattice_embedding.outline import smooth_outline, spread_to_all
from core.continuum.lattice_embedding.own_lattice import embed_own_lattice
from core.continuum.spring_lattice.drawn_pieces import draw_outlines
from core.continuum.spring_lattice.params import ROUGH_BORDERS, SMOOTH_BORDERS
from core.cutting.units import units
from core.errors import CutError
from core.fragments.build import are_closed, build_fragments
from core.geometry.graph import connected_labels
from core.geometry.mesh import volume
from core.stepwise import result_of
from core.strength.origin import Origin
from core.types import Clock, Influence
from tests import shapes
from tests.core.continuum.lattice_embedding.test_own_lattice import added
from tests.core.cutting.closedness import assert_sound


def slab():
    """A plate of 12 x 12 x 2 cells in its own lattice."""
    body, recipe, _ = added("slab", cells_x=12, cells_y=12)
    return body, embed_own_lattice(body, recipe)


def block():
    """A block in cells that were fitted to it."""
    body = shapes.box(high=(1.0, 0.6, 0.5))
    return body, result_of(embed_steps(body, 0.09, 1))


def teapot():
    """The teapot in its own lattice, and its lid."""
    body, recipe, _ = added("teapot")
    return body, embed_own_lattice(body, recipe)


def places(body, embedding):
    """(U,3) where the units are, 0..1 in the body's box."""
    low, high = body.vertices.min(axis=0), body.vertices.max(axis=0)
    return (units(embedding.cells).centroid - low) / (high - low)


def near_points(body, embedding, count):
    """Pieces by the nearest of some random points."""
    point = np.random.default_rng(4).random((count, 3))
    near = ((places(body, embedding)[:, None] - point) ** 2).sum(axis=2).argmin(axis=1)
    return np.unique(near, return_inverse=True)[1]


def border_area(cells, piece):
    """Area of the bonds between pieces (C,)."""
    a, b = piece[cells.bond_cells].T
    return cells.bond_area[a != b].sum()


def area_ratio(body, embedding, owner):
    """Of borders, smooth over as they were."""
    cells = smooth_outline(embedding, body, owner, 1)
    return border_area(cells, cells.unit) / border_area(embedding.cells, owner[embedding.cells.unit])


@pytest.mark.parametrize("made", [slab, block, teapot])
@pytest.mark.parametrize("count", [5, 40])
def test_pieces_are_closed_and_none_is_lost(made, count):
    body, embedding = made()
    owner = near_points(body, embedding, count)
    cells = smooth_outline(embedding, body, owner, 1)
    assert_sound(body, cells)
    # Sums over some thousand cells: round-off.
    assert cells.volume.sum() == pytest.approx(volume(body.vertices, body.triangles), rel=1e-12)
    before = np.bincount(owner, units(embedding.cells).volume)
    after = np.bincount(cells.unit, cells.volume)
    assert len(after) == len(before) and (after > 0.3 * before).all()
    np.testing.assert_allclose(after[before > 0.05 * before.sum()], before[before > 0.05 * before.sum()], rtol=0.1)


def test_a_straight_border_stays_and_stairs_become_slopes():
    body, embedding = slab()
    x, y, _ = places(body, embedding).T
    half = (x > 0.5).astype(np.int64)
    # It may move by some hundredths of half a cell.
    assert area_ratio(body, embedding, half) == pytest.approx(1.0, abs=1e-3)
    cells = smooth_outline(embedding, body, half, 1)
    middle = 0.5 * (body.vertices[:, 0].min() + body.vertices[:, 0].max())
    inner = cells.vertices[np.unique(cells.inner_vertex)][:, 0]
    assert np.abs(inner - middle).max() < 0.02 * np.ptp(body.vertices[:, 0]) / 12
    # Planes of 1:1, 1:2, 1:3 have sqrt(2)/2 = 0.71, sqrt(5)/3 = 0.75, sqrt(10)/4 = 0.79 of the area of their stairs.
    # These come near it, but for the ends at the sides.
    for steep, most in ((1.0, 0.80), (2.0, 0.88), (3.0, 0.94)):
        sloping = (x + steep * y > 0.5 * (1.0 + steep) + 0.01).astype(np.int64)
        assert np.sqrt(1.0 + steep * steep) / (1.0 + steep) < area_ratio(body, embedding, sloping) < most


def test_a_cell_by_itself_is_kept():
    body, embedding = slab()
    x, y, z = places(body, embedding).T
    alone = ((np.abs(x - 0.54) < 0.04) & (np.abs(y - 0.54) < 0.04) & (z > 0.5)).astype(np.int64)
    assert alone.sum() == 1
    cells = smooth_outline(embedding, body, alone, 1)
    before, after = units(embedding.cells).volume[alone == 1][0], cells.volume[cells.unit == 1].sum()
    assert 0.4 * before < after < before


def test_the_same_seed_gives_the_same_bits_and_pieces_hang_together():
    body, embedding = block()
    owner = near_points(body, embedding, 12)
    first, second = (smooth_outline(embedding, body, owner, 1) for _ in range(2))
    np.testing.assert_array_equal(first.vertices, second.vertices)
    np.testing.assert_array_equal(first.unit, second.unit)
    for piece in range(int(owner.max()) + 1):
        inside = first.bond_cells[(first.unit[first.bond_cells] == piece).all(axis=1)]
        label = connected_labels(len(first.unit), inside)
        assert len(np.unique(label[first.unit == piece])) == 1


def test_many_pieces_that_meet_in_lines_are_told_apart():
    # Four cells around each edge of the lattice, all alike: fields would be equal along it.
    body, embedding = slab()
    x, y, _ = places(body, embedding).T
    owner = np.floor(12.0 * x).astype(np.int64) * 12 + np.floor(12.0 * y).astype(np.int64)
    cells = smooth_outline(embedding, body, owner, 1)
    assert_sound(body, cells)
    assert len(np.unique(cells.unit)) == 144


def test_cells_outside_take_the_piece_of_the_nearest_and_folded_ones_are_refused():
    body, embedding = block()
    (box,) = embedding.boxes
    piece = np.arange(len(embedding.hexahedra)) % 3
    everywhere = spread_to_all(box, piece)
    inside = box.number >= 0
    assert (~inside).any() and (everywhere >= 0).all()
    np.testing.assert_array_equal(everywhere[inside], piece[box.number[inside]])
    body, embedding = slab()
    (box,) = embedding.boxes
    nodes = box.nodes.copy()
    nodes[box.hexahedra[100]] = nodes[box.hexahedra[100]][:, [1, 0, 2]]
    folded = replace(embedding, boxes=(replace(box, nodes=nodes),))
    with pytest.raises(CutError, match="bent too far"):
        smooth_outline(folded, body, near_points(body, embedding, 3), 1)


def test_rough_faces_fit_and_keep_all_matter():
    body, embedding = block()
    owner = near_points(body, embedding, 6)
    none = np.zeros(3)
    obj = ContinuumObject(
        body, Material(), Origin(body, np.eye(3)), (), (), none, none, none, Influence(), Clock(24.0, 5), 1,
        surface=Surface(octaves=2, quality="preview"),
    )  # fmt: skip
    cells, note = draw_outlines(embedding, obj, owner, ROUGH_BORDERS)
    assert note == ""
    assert cells.volume.sum() == pytest.approx(0.3, rel=1e-9)  # as the rough cutter promises
    fragments = build_fragments(cells, [np.array([k]) for k in range(int(owner.max()) + 1)], 1.0, body)
    assert are_closed(fragments).all()
    smooth, _ = draw_outlines(embedding, obj, owner, SMOOTH_BORDERS)
    before, after = (np.bincount(some.unit, some.volume) for some in (smooth, cells))
    np.testing.assert_allclose(after, before, rtol=0.1)
    # A flat border lies about its plane as far as was asked for: 0.03 of a wavelength of 0.4 pieces, the rms of a
    # component. In a preview its points are far apart, so that only the order is sure.
    half = (places(body, embedding)[:, 0] > 0.455).astype(np.int64)
    asked = 0.03 * 0.4 * np.cbrt(0.3 / 2.0)
    for borders, least, most in ((SMOOTH_BORDERS, 0.0, 0.05), (ROUGH_BORDERS, 0.3, 2.0)):
        some, _ = draw_outlines(embedding, obj, half, borders)
        between = some.unit[some.bond_cells[:, 0]] != some.unit[some.bond_cells[:, 1]]
        faces = np.repeat(between[some.inner_bond], np.diff(some.inner_start))
        off = np.std(some.vertices[np.unique(some.inner_vertex[faces]), 0])
        assert least * asked <= off <= most * asked
    body, embedding = slab()
    own = replace(obj, body=body)
    assert "added as a lattice" in draw_outlines(embedding, own, near_points(body, embedding, 3), ROUGH_BORDERS)[1]
