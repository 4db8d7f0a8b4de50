"""Uneven matter that is cut anew: mass, centre of mass and momentum stay what they were."""

from dataclasses import replace

import numpy as np
import pytest

from core.breaking import RULES
from core.config.material import Material
from core.cutting.cut import cut
from core.cutting.units import units
from core.cutting.whole import whole_cells
from core.fragments.mass import masses
from core.pieces.voronoi_complex import voronoi_complex
from core.simulation.live_fragments import FragmentBreak, LiveFragments
from core.simulation.mass_moments import match_mass_moments
from core.simulation.spec import FractureModel, InitialMotion, SimObject
from core.strength.bonded import bonded
from core.strength.choice import FieldChoice
from core.strength.fields import FIELDS
from tests import shapes
from tests.verification.fracture_scenes import broken, item, settings

SIZE = np.array([1.0, 0.6, 0.4])
BOX = shapes.box(high=SIZE)
LIGHT_AND_HEAVY = FieldChoice("density", FIELDS["density"].params(size=0.5, low=0.3, high=2.0))


def model_of(cells, density=None):
    graph, rule = units(cells), RULES["placed_pattern"]
    strengths = bonded(cells, graph)
    if density is not None:
        strengths = replace(strengths, density=np.asarray(density, np.float64))
    return FractureModel(BOX, cells, graph, strengths, Material(), rule.run, rule.params(), 0)


def pieces(count=20, seed=3):
    sites = np.random.default_rng(seed).uniform(np.zeros(3), SIZE, (count, 3))
    return cut(BOX, voronoi_complex(sites, np.zeros(3), SIZE))


def whole_of(model):
    count = len(model.cells.volume)
    return masses(model.cells, np.array([0, count]), np.arange(count), model.density)


@pytest.fixture
def old():
    return model_of(whole_cells(BOX), [1.3])


@pytest.fixture
def new():
    cells = pieces()
    return model_of(cells, np.random.default_rng(1).uniform(0.5, 1.5, len(cells.volume)))


def test_even_matter_is_left_alone():
    cells = pieces()
    cut_anew = model_of(cells)
    assert match_mass_moments(cut_anew, model_of(whole_cells(BOX)), np.array([0])) is cut_anew


def test_mass_and_centre_of_mass_are_those_of_before(old, new):
    before, after = whole_of(old), whole_of(match_mass_moments(new, old, np.array([0])))
    assert whole_of(new).mass[0] != pytest.approx(before.mass[0], rel=1e-3)
    assert after.mass[0] == pytest.approx(before.mass[0], rel=1e-13)
    np.testing.assert_allclose(after.centre, before.centre, atol=1e-13)
    assert np.abs(whole_of(new).centre - before.centre).max() > 1e-3


def test_a_piece_of_several_units_keeps_its_own(new):
    some = np.array([0, 4, 7])
    part = masses(new.cells, np.array([0, 3]), some, new.density)
    heavy = match_mass_moments(model_of(pieces(15, 8), np.full(15, 2.0)), new, some)
    assert whole_of(heavy).mass[0] == pytest.approx(part.mass[0], rel=1e-13)


def test_no_cell_loses_its_mass(old):
    # All of the mass at one end: the centre cannot be brought back without cells of negative mass.
    cells = pieces()
    one_end = model_of(cells, np.where(cells.centroid[:, 0] > 0.8, 10.0, 0.1))
    heavy = match_mass_moments(one_end, old, np.array([0]))
    assert (heavy.strengths.density > 0.0).all()
    assert whole_of(heavy).mass[0] == pytest.approx(whole_of(old).mass[0], rel=1e-13)


def test_pieces_that_are_cut_anew_keep_both_momenta(old, new):
    moving = InitialMotion(np.array([1.0, -2.0, 0.5]), np.array([0.0, 3.0, -1.0]), np.array([0.2, 0.1, 0.0]))
    live = LiveFragments([SimObject("Box", old, momentum=moving)])

    def momenta():
        p = live.rest.mass[:, None] * live.state.velocity
        return p.sum(axis=0), (np.cross(live.state.position, p) + live.state.angular_momentum).sum(axis=0)

    before = momenta()
    heavy = match_mass_moments(new, old, np.array([0]))
    live.fall_apart([FragmentBreak(0, live.add(heavy), [np.array([k]) for k in range(len(heavy.units.volume))])], 1)
    for one, two in zip(before, momenta(), strict=True):
        np.testing.assert_allclose(two, one, rtol=1e-12, atol=1e-10)
    assert len(live.alive) == 20


def test_no_mass_is_lost_at_any_frame_of_a_fall():
    chosen = settings(
        layout={"kind": "uniform", "count": 12}, how={"reach": 0.0}, speed=1.0, cooldown=0.0, smallest=0.02
    )
    cube = shapes.box(np.full(3, -0.15), np.full(3, 0.15))
    falling = {"place": (0.0, 0.0, 0.6), "velocity": np.array([0.0, 0.0, -3.0])}
    even, uneven = (
        broken(item("Cube", cube, replace(chosen, fields=fields), **falling))[0] for fields in ((), (LIGHT_AND_HEAVY,))
    )
    total = uneven.motion.alive @ uneven.fragments.mass
    assert uneven.motion.alive.sum(axis=1)[-1] > 12, "pieces were cut anew"
    np.testing.assert_allclose(total, total[0], rtol=1e-9)
    mean = uneven.fragments.mass / uneven.fragments.volume
    assert np.ptp(mean) > 0.2 * mean.mean() and np.ptp(even.fragments.mass / even.fragments.volume) < 1e-6
