"""The stack: fields multiply or add, links are means of bonds, and all of it is fixed to the object."""

from dataclasses import replace

import numpy as np
import pytest

from core.cutting.cut import cut
from core.cutting.units import units
from core.cutting.whole import whole_cells
from core.errors import InputError
from core.pieces.voronoi_complex import voronoi_complex
from core.strength.bonded import bonded
from core.strength.choice import FieldChoice
from core.strength.fields import FIELDS
from core.strength.fields.contract import DENSITY, PRESTRESS, STRENGTH
from core.strength.origin import Origin
from core.strength.stack import check_paint, preview, strengths_of
from core.types import Made, Painted
from tests import shapes

BOX = shapes.box(high=(1.0, 0.6, 0.4))


def choice(kind, on=True, **params):
    return FieldChoice(kind, FIELDS[kind].params(**params), on)


def cells_of(body, count=40, seed=0):
    low, high = body.vertices.min(axis=0), body.vertices.max(axis=0)
    return cut(body, voronoi_complex(low + (high - low) * sites(count, seed), low, high))


def sites(count, seed=0):
    return np.random.default_rng(seed).uniform(0.0, 1.0, (count, 3))


def origin_of(body, painted=()):
    return Origin(body, np.eye(3), painted)


@pytest.fixture(scope="module")
def cells():
    return cells_of(BOX)


NOISE, BANDS, SIZE = choice("noise", size=0.3), choice("bands", count=3), choice("size")


def test_without_fields_the_pieces_say_it_all(cells):
    graph = units(cells)
    for fields in ((), (replace(NOISE, on=False),)):
        found, plain = strengths_of(origin_of(BOX), cells, graph, fields), bonded(cells, graph)
        for name in ("bond", "link", "density", "prestress"):
            assert np.array_equal(getattr(found, name), getattr(plain, name))


def test_factors_of_strength_multiply(cells):
    graph, origin = units(cells), origin_of(BOX)
    one, two, three, both = (
        strengths_of(origin, cells, graph, fields).bond
        for fields in ((NOISE,), (BANDS,), (NOISE, replace(BANDS, on=False), SIZE), (NOISE, BANDS, SIZE))
    )
    np.testing.assert_allclose(both, two * three, rtol=1e-14)
    assert not np.allclose(one, 1.0) and not np.allclose(two, 1.0) and not np.allclose(three, one)


def test_prestress_adds_and_densities_multiply(cells):
    graph, origin = units(cells), origin_of(BOX)
    glass, heavy, light = choice("prestress", tension=40.0), choice("density", seed=1), choice("density", seed=2)
    once = strengths_of(origin, cells, graph, (glass,))
    twice = strengths_of(origin, cells, graph, (glass, choice("prestress", tension=20.0)))
    np.testing.assert_allclose(twice.prestress, 1.5 * once.prestress, rtol=1e-12, atol=1e-3)
    assert np.abs(once.prestress).max() > 1e6
    assert np.array_equal(once.bond, cells.bond_strength) and np.array_equal(once.link, graph.strength)
    product = [strengths_of(origin, cells, graph, (one,)).density for one in (heavy, light)]
    np.testing.assert_allclose(
        strengths_of(origin, cells, graph, (heavy, light)).density, product[0] * product[1], rtol=1e-14
    )


def test_a_link_is_the_mean_of_its_bonds_over_the_area():
    # Two groups of cells: several bonds in one link. The mean by hand.
    cells = cells_of(BOX, 30)
    cells = replace(cells, unit=(cells.centroid[:, 0] > 0.5).astype(np.int64))
    graph = units(cells)
    found = strengths_of(origin_of(BOX), cells, graph, (NOISE, BANDS))
    across = graph.bond_link == 0
    assert len(graph.links) == 1 and across.sum() > 5
    expected = (found.bond * cells.bond_area)[across].sum() / cells.bond_area[across].sum()
    assert found.link == pytest.approx([expected], rel=1e-13)


@pytest.mark.parametrize("low", [0.0, 0.5])
def test_what_never_breaks_stays_so(cells, low):
    endless = np.where(np.arange(len(cells.bond_area)) % 3 == 0, np.inf, 1.0)
    cells = replace(cells, bond_strength=endless)
    graph = units(cells)
    found = strengths_of(origin_of(BOX), cells, graph, (choice("bands", low=low, high=low),))
    assert np.array_equal(np.isinf(found.bond), np.isinf(endless)) and np.array_equal(
        np.isinf(found.link), np.isinf(graph.strength)
    )
    assert not np.isnan(found.bond).any() and not np.isnan(found.link).any()


def test_a_body_without_a_bond_has_fields_too():
    whole = whole_cells(BOX)
    stack = tuple(choice(method.id) for method in FIELDS if method.id != "painted")
    found = strengths_of(origin_of(BOX), whole, units(whole), stack)
    assert len(found.bond) == len(found.link) == len(found.prestress) == 0 and found.density.shape == (1,)


#: What a change of size may change: round-off, in a place up to 1e-16 of the object, times slopes of the fields.
ROUND_OFF = 1e-9
EVERY = tuple(choice(method.id) for method in FIELDS if method.id != "painted")


@pytest.mark.parametrize("scale", [0.01, 100.0])
@pytest.mark.parametrize("kind", [method.id for method in FIELDS if method.id != "painted"])
def test_the_same_object_at_every_size_has_the_same_fields(scale, kind):
    large = shapes.moved(BOX, (0.0, 0.0, 0.0), scale)
    low, high = BOX.vertices.min(axis=0), BOX.vertices.max(axis=0)
    place = low + (high - low) * sites(40)
    one = cut(BOX, voronoi_complex(place, low, high))
    two = cut(large, voronoi_complex(scale * place, scale * low, scale * high))
    found = [
        strengths_of(origin_of(body), cells, units(cells), (choice(kind),))
        for body, cells in ((BOX, one), (large, two))
    ]
    for name in ("bond", "link", "density"):
        np.testing.assert_allclose(getattr(found[0], name), getattr(found[1], name), rtol=ROUND_OFF)
    np.testing.assert_allclose(found[0].prestress, found[1].prestress, atol=ROUND_OFF * 45e6)


def test_fields_turn_with_the_object_and_move_with_it(cells):
    c, s = np.cos(0.7), np.sin(0.7)
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    move = np.array([3.0, -2.0, 1.0])
    body = shapes.body(BOX.vertices @ turn.T + move, BOX.triangles)
    turned = replace(
        cells,
        centroid=cells.centroid @ turn.T + move,
        bond_centroid=cells.bond_centroid @ turn.T + move,
        bond_normal=cells.bond_normal @ turn.T,
    )
    graph = units(cells)
    one = strengths_of(origin_of(BOX), cells, graph, EVERY)
    two = strengths_of(Origin(body, turn), turned, graph, EVERY)
    np.testing.assert_allclose(one.bond, two.bond, rtol=1e-9)
    np.testing.assert_allclose(one.density, two.density, rtol=1e-9)
    np.testing.assert_allclose(one.prestress, two.prestress, atol=1.0)


def test_pieces_that_are_cut_anew_keep_the_fields_of_the_object(cells):
    # A half of the box, cut by the same sites: where its bonds are those of the box, they are as strong as before.
    half = shapes.box(high=(0.5, 0.6, 0.4))
    low, high = BOX.vertices.min(axis=0), BOX.vertices.max(axis=0)
    again = cut(half, voronoi_complex(low + (high - low) * sites(40), low, high))
    paint = painted(BOX, lambda corner: corner[..., 0])
    fields = (choice("noise"), choice("bands"), choice("nodes"), choice("cleaving", offset=0.1))
    fields = (*fields, choice("painted", name="Weak"))
    one = strengths_of(origin_of(BOX, (paint,)), cells, units(cells), fields).bond
    two = strengths_of(origin_of(BOX, (paint,)), again, units(again), fields).bond
    away = np.linalg.norm(again.bond_centroid[:, None] - cells.bond_centroid[None], axis=2)
    same = away.argmin(axis=1)
    inner = away.min(axis=1) < 1e-9
    # Cells that the half cuts through have other middles; only their seams may count otherwise.
    whole = np.abs(again.centroid[again.bond_cells] - cells.centroid[cells.bond_cells[same]]).max(axis=(1, 2)) < 1e-9
    assert (inner & whole).sum() > 20
    np.testing.assert_allclose(two[inner & whole], one[same][inner & whole], rtol=1e-9)


def test_a_preview_shows_one_field_and_the_stack(cells):
    fields = (NOISE, choice("density"), replace(BANDS, on=False), SIZE, choice("prestress"))
    origin, graph = origin_of(BOX), units(cells)
    whole = strengths_of(origin, cells, graph, fields)
    for index, acts in enumerate((STRENGTH, DENSITY, STRENGTH, STRENGTH, PRESTRESS)):
        shown = preview(origin, cells, fields, index)
        alone = strengths_of(origin, cells, graph, (replace(fields[index], on=True),))
        expected = {
            STRENGTH: alone.bond,
            DENSITY: alone.density[cells.bond_cells].mean(axis=1),
            PRESTRESS: alone.prestress,
        }
        total = {
            STRENGTH: whole.bond,
            DENSITY: whole.density[cells.bond_cells].mean(axis=1),
            PRESTRESS: whole.prestress,
        }
        assert shown.acts == acts
        np.testing.assert_allclose(shown.field, expected[acts], rtol=1e-14)
        np.testing.assert_allclose(shown.stack, total[acts], rtol=1e-14)


def painted(body, values, source="group", name="Weak"):
    return Painted(source, name, values(body.vertices[body.triangles]))


def test_paint_is_exact_on_corners_and_runs_evenly_between():
    paint = painted(BOX, lambda corner: corner[..., 0])  # linear over the box of length 1
    origin = origin_of(BOX, (paint,))
    at = np.array(
        [[0, 0, 0], [1, 0.6, 0.4], [0.25, 0, 0.1], [0.75, 0.3, 0.4], [0.4, 0.2, 0.39], [1.0, 0.3, 0.2]], np.float64
    )
    found = origin.paint_at(at, frozenset({("group", "Weak")}))["group", "Weak"]
    # What is inside takes after the nearest place of the skin, which here is straight above.
    np.testing.assert_allclose(found, at[:, 0], rtol=1e-13, atol=1e-15)


def test_paint_makes_bonds_weak(cells):
    paint = painted(BOX, lambda corner: corner[..., 0])
    field = choice("painted", name="Weak", low=0.5, high=1.0)
    found = strengths_of(origin_of(BOX, (paint,)), cells, units(cells), (field,)).bond
    # The nearest face is not always one along x: at the ends all of a face has the paint of that end.
    side = np.minimum(cells.bond_centroid, [1.0, 0.6, 0.4] - cells.bond_centroid)
    between = side[:, 0] > side[:, 1:].min(axis=1) + 1e-9
    assert between.sum() > 20
    np.testing.assert_allclose(found[between], 0.5 + 0.5 * cells.bond_centroid[between, 0], rtol=1e-12)


def test_caps_and_broken_faces_are_nobodys_paint():
    # The top is a cap: what lies below it takes after the sides.
    top = (BOX.vertices[BOX.triangles][..., 2] == 0.4).all(axis=1)
    capped = replace(BOX, made=np.where(top, int(Made.CAP), int(Made.OWN)))
    paint = painted(BOX, lambda corner: (corner[..., 2].min(axis=1, keepdims=True) == 0.4) + 0.0 * corner[..., 0])
    under = np.array([[0.5, 0.3, 0.35]])
    key = ("group", "Weak")
    assert origin_of(BOX, (paint,)).paint_at(under, frozenset({key}))[key] == pytest.approx([1.0])
    assert origin_of(capped, (paint,)).paint_at(under, frozenset({key}))[key] == pytest.approx([0.0])
    bare = replace(BOX, made=np.full(12, int(Made.BROKEN)))
    assert origin_of(bare, (paint,)).paint_at(under, frozenset({key}))[key] == pytest.approx([1.0])


def test_missing_paint_is_named_before_anything_runs():
    fields = (NOISE, choice("painted", name="Weak"))
    paint = painted(BOX, lambda corner: corner[..., 0])
    check_paint(fields, (paint,), "Vase")
    with pytest.raises(InputError) as caught:
        check_paint(fields, (replace(paint, name="Strong"),), "Vase")
    assert str(caught.value) == 'The vertex group "Weak" of field 2 is not on "Vase"; choose another one or paint it.'
    with pytest.raises(InputError, match='The vertex group "Weak" of field 2'):
        check_paint(fields, (replace(paint, source="image"),), "Vase")
    with pytest.raises(InputError, match='The image "Weak" of field 1'):
        check_paint((choice("painted", source="image", name="Weak"),), (paint,), "Vase")
    with pytest.raises(InputError, match=r"Field 1 \(Painted\) names no attribute"):
        check_paint((choice("painted", source="attribute"),), (), "Vase")
    check_paint((replace(fields[1], on=False),), (), "Vase")


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_paint_that_is_not_finite_is_refused(cells, bad):
    values = np.zeros((12, 3))
    values[3, 1] = bad
    field, paint = choice("painted", name="Weak"), Painted("group", "Weak", values)
    with pytest.raises(InputError, match='"Weak" of field 1 is not finite everywhere on "Vase"'):
        check_paint((field,), (paint,), "Vase")


def test_a_field_without_its_paint_is_refused_with_its_number(cells):
    with pytest.raises(InputError, match=r'Field 2 \(Painted\): There is no paint "Weak"'):
        strengths_of(origin_of(BOX), cells, units(cells), (NOISE, choice("painted", name="Weak")))
