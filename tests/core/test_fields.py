"""Fields of strength from the settings to what breaks, how it weighs and what is cut."""

from dataclasses import replace

import numpy as np
import pytest

from core.breaking import RULES
from core.config.material import Material
from core.config.params import declared
from core.cutting.cut import cut
from core.diagram import diagram_key
from core.errors import InputError
from core.fragments.mass import masses
from core.pieces import PARTITIONS
from core.pieces.voronoi_complex import voronoi_complex
from core.pipeline import shatter
from core.settings import Settings
from core.simulation.impact_momentum import gather_impact_momentum
from core.strength.choice import FieldChoice
from core.strength.fields import FIELDS
from core.strength.fields.contract import DENSITY
from core.types import Clock, Impact, Mesh, Painted, Scene
from tests import shapes
from tests.field_samples import bonds
from tests.verification.fracture_scenes import broken, counts, item
from tests.verification.fracture_scenes import settings as chosen

BOX = shapes.box(high=(1.0, 0.6, 0.4))
HIT = Impact(np.array([0.5, 0.3, 0.4]), np.array([0.0, 0.0, -1.0]), 1.0, 2.0, 0.1, 0.0)
SCENE = Scene(Mesh("Vase", BOX.vertices, BOX.triangles), (HIT,), np.zeros(3), None, Clock(24.0, 3))


def choice(kind, on=True, **params):
    return FieldChoice(kind, FIELDS[kind].params(**params), on)


def settings(*fields, **rule):
    pieces, how = PARTITIONS["voronoi"].params(count=60), RULES["impact_factor"].params(**rule)
    return Settings(3, "voronoi", pieces, "impact_factor", how, Material(), fields=fields)


def test_a_tweak_of_a_field_never_cuts_anew():
    key = diagram_key(BOX, (HIT,), settings())
    for method in FIELDS:
        assert diagram_key(BOX, (HIT,), settings(FieldChoice(method.id, method.params()))) == key
    diagram = shatter(SCENE, settings()).diagram
    asked = []

    def load(key):
        asked.append(key)
        return diagram

    assert shatter(SCENE, settings(choice("noise", seed=7)), load).diagram is diagram and asked == [diagram.key]


def cracks(result):
    return set(result.fracture.crack_link.tolist())


def test_without_fields_or_with_fields_that_are_off_nothing_changes():
    plain, off = (
        shatter(SCENE, settings()),
        shatter(SCENE, settings(choice("noise", on=False), choice("density", on=False))),
    )
    assert np.array_equal(plain.fragments.vertices, off.fragments.vertices)
    assert np.array_equal(plain.fragments.inertia, off.fragments.inertia)
    assert np.array_equal(plain.motion.position, off.motion.position)


def test_a_field_decides_what_breaks():
    plain = shatter(SCENE, settings())
    weak, strong = (shatter(SCENE, settings(choice("bands", count=1, high=high))) for high in (0.1, 1e6))
    assert cracks(strong) == set() and cracks(plain) < cracks(weak)


def test_inside_of_a_strong_node_nothing_breaks():
    # The hit is in the middle of the top; the node is around it.
    node = choice("nodes", place="placed", at=(0.5, 0.5, 1.0), radius=0.25, edge=0.0, factor=1e6)
    plain, whole = (shatter(SCENE, settings(*fields, durability=0.001)) for fields in ((), (node,)))
    assert cracks(whole) < cracks(plain)
    graph, cells = whole.units, whole.diagram.cells
    away = np.linalg.norm(cells.bond_centroid - [0.5, 0.3, 0.4], axis=1) / np.linalg.norm([1.0, 0.6, 0.4])
    # Links of which any bond lies inside have a share of its strength, which is enough.
    inside = set(graph.bond_link[(away < 0.25) & (graph.bond_link >= 0)].tolist())
    assert len(inside) > 5 and inside & cracks(plain) and not inside & cracks(whole)


def test_paint_decides_what_breaks():
    corner = BOX.vertices[BOX.triangles]
    scene = replace(SCENE, painted=(Painted("group", "Strong", np.ascontiguousarray(corner[..., 0])),))
    field = choice("painted", name="Strong", low=0.001, high=1000.0)
    result = shatter(scene, settings(field))
    cracked = np.isin(np.arange(len(result.units.links)), list(cracks(result)))
    x = result.units.centroid_link[:, 0]
    # 1000 x is above 1 from a thousandth of the length on. What is nearer to the end than to a side has its paint, 0.
    assert cracked.sum() > 5 and x[cracked].max() < 0.2


def test_paint_that_is_missing_is_told_before_anything_runs():
    steps = []
    with pytest.raises(InputError) as caught:
        shatter(SCENE, settings(choice("painted", name="Weak")), progress=lambda step: bool(steps.append(step)))
    assert str(caught.value) == 'The vertex group "Weak" of field 1 is not on "Vase"; choose another one or paint it.'
    assert steps == []


def test_a_wrong_value_is_told_before_anything_runs():
    with pytest.raises(InputError, match=r"^Field 2 \(Bands\): Bands is 0; it must be at least 1\.$"):
        shatter(SCENE, settings(choice("noise"), choice("bands", count=0)))


@pytest.fixture(scope="module")
def cells():
    return cut(
        BOX,
        voronoi_complex(
            np.random.default_rng(1).uniform([0, 0, 0], [1, 0.6, 0.4], (40, 3)), np.zeros(3), np.array([1, 0.6, 0.4])
        ),
    )


def test_masses_of_cells_of_different_density(cells):
    rho = np.random.default_rng(0).uniform(500.0, 3000.0, len(cells.volume))
    start, member = np.array([0, 10, len(rho)]), np.random.default_rng(2).permutation(len(rho))
    found = masses(cells, start, member, rho)
    for k in range(2):
        c = member[start[k] : start[k + 1]]
        m = rho[c] * cells.volume[c]
        centre = (m[:, None] * cells.centroid[c]).sum(axis=0) / m.sum()
        # I = sum of rho (tr S 1 - S) and of m (d.d 1 - d d^T), Steiner.
        d = cells.centroid[c] - centre
        S = (rho[c, None, None] * cells.second_moment[c]).sum(axis=0) + np.einsum("n,ni,nj->ij", m, d, d)
        assert found.mass[k] == pytest.approx(m.sum(), rel=1e-14)
        assert found.volume[k] == pytest.approx(cells.volume[c].sum(), rel=1e-14)
        np.testing.assert_allclose(found.centre[k], centre, rtol=1e-13)
        np.testing.assert_allclose(found.inertia[k], np.trace(S) * np.eye(3) - S, rtol=1e-12, atol=1e-12 * np.trace(S))


def test_equal_densities_are_one_density(cells):
    count = len(cells.volume)
    start, member = np.array([0, 12, count]), np.arange(count)
    one, many = masses(cells, start, member, 800.0), masses(cells, start, member, np.full(count, 800.0))
    for name in ("volume", "mass", "centre", "inertia"):
        np.testing.assert_allclose(getattr(one, name), getattr(many, name), rtol=1e-13, atol=1e-14)


def test_a_blow_hands_heavy_matter_more_momentum(cells):
    count = len(cells.volume)
    owner, centre = np.arange(count), cells.centroid
    rho = np.random.default_rng(0).uniform(500.0, 3000.0, count)
    one, many = (
        gather_impact_momentum(cells, owner, centre, 1.0, HIT, 0.3),
        gather_impact_momentum(cells, owner, centre, rho, HIT, 0.3),
    )
    np.testing.assert_allclose(many.momentum, rho[:, None] * one.momentum, rtol=1e-13)
    np.testing.assert_allclose(many.angular_momentum, rho[:, None] * one.angular_momentum, rtol=1e-12, atol=1e-12)


def test_density_changes_masses_centres_and_inertia():
    field = choice("density", size=0.4, low=0.2, high=1.8)
    plain, uneven = (shatter(SCENE, settings(*fields, durability=0.001)) for fields in ((), (field,)))
    cells, rho = uneven.diagram.cells, Material().density
    # What the field is at the middle of each cell, times its volume, is the mass of it: the total is their sum.
    diagonal = np.linalg.norm([1.0, 0.6, 0.4])
    at = bonds((cells.centroid - [0.5, 0.3, 0.2]) / diagonal)
    expected = rho * (cells.volume * FIELDS["density"].run.values(at, field.params)).sum()
    last = uneven.motion.alive[-1]
    assert last.sum() > 10
    assert uneven.fragments.mass[last].sum() == pytest.approx(expected, rel=1e-12)
    density = uneven.fragments.mass[last] / uneven.fragments.volume[last]
    assert np.ptp(density) > 0.3 * rho and FIELDS["density"].run.acts == DENSITY
    assert cracks(plain) == cracks(uneven)
    # The same pieces, which lie where they did; only those of several cells have another centre of mass.
    one, two = plain.fragments, uneven.fragments
    owner = np.repeat(np.arange(len(one.mass)), np.diff(one.vertex_start))
    np.testing.assert_allclose(one.vertices + one.centre[owner], two.vertices + two.centre[owner], atol=1e-12)
    moved = np.linalg.norm(one.centre - two.centre, axis=1)
    single = np.diff(uneven.fracture.fragment_start) == 1
    assert moved[single].max() < 1e-12 and moved.max() > 1e-3


def test_every_kind_runs_through_a_break():
    paint = (Painted("group", "Weak", np.zeros((12, 3))),)
    for method in FIELDS:
        more = {"name": "Weak"} if "name" in {item.name for item in declared(method.params)} else {}
        result = shatter(replace(SCENE, painted=paint), settings(FieldChoice(method.id, method.params(**more))))
        assert result.report.closed_pieces == result.report.pieces


def test_things_that_break_on_contact_have_fields_and_their_pieces_too():
    # A ball of which one half is painted strong: what breaks, and breaks again, is the other one.
    ball = shapes.icosphere(2, 0.15)
    corner = ball.vertices[ball.triangles]
    paint = Painted("group", "Strong", np.where(corner[..., 0] < 0.0, 1.0, 0.0))
    field = choice("painted", name="Strong", low=1.0, high=1e6)
    how = {"layout": {"kind": "uniform", "count": 12}, "how": {"reach": 20.0}, "speed": 1.0, "cooldown": 0.0}
    fall = {"place": (0.0, 0.0, 0.6), "velocity": np.array([0.0, 0.0, -3.0])}
    everywhere = choice("bands", count=1, high=1e6)

    def pieces(*fields, **scene):
        return broken(item("Ball", ball, replace(chosen(**how), fields=fields), **fall, **scene))[0]

    plain, painted, strong = pieces(), pieces(field, painted=(paint,)), pieces(everywhere)
    assert counts(strong)[-1] == 1 and counts(strong)[-1] < counts(painted)[-1] < counts(plain)[-1]
    assert len(plain.fracture.cells) > 2, "pieces were cut anew"
    with pytest.raises(InputError, match='"Strong" of field 1 is not on "Ball"'):
        pieces(field)
