"""The rule as drivers call it: loads and limits of links, what it gives to units, what it tells, what it refuses."""

from dataclasses import replace

import numpy as np
import pytest

from core.breaking.constraint_lattice.params import NOMINAL, ConstraintLatticeParams
from core.errors import InputError
from core.geometry.graph import components
from core.simulation.impact_fracture import CrackRecord
from core.simulation.spec import FractureModel
from core.stepwise import result_of
from core.strength.bonded import bonded
from core.types import Impact
from tests.core.cutting.built import blocks
from tests.verification.lattices import boxes, told, verdict

SHAPE, SIZE = (6, 4, 3), (0.5, 0.25, 0.1)
CELLS = boxes(SHAPE, SIZE)
DOWN = np.array([0.0, 0.0, -1.0])
TENSILE = 20.0  # MPa


def hit(strength=1.0, speed=1.0, point=(1.4, 0.4, 0.3), impulse=0.0, radius=0.3):
    return Impact(np.array(point), DOWN, strength, speed, radius, 0.0, impulse)


def struck(impacts=None, tensile=TENSILE, cells=CELLS, **how):
    return told(cells, hit() if impacts is None else impacts, tensile, **how)


def judged(fragment, **params):
    return verdict(fragment, ConstraintLatticeParams(**params))


def pieces(fragment, cracked):
    count = len(fragment.units.volume)
    return components(count, fragment.units.links, ~cracked, np.arange(count))


def test_links_crack_where_load_is_above_the_limit_and_limits_are_strengths():
    fragment = struck()
    answer = judged(fragment)
    assert 0 < answer.cracked.sum() < len(answer.cracked)
    np.testing.assert_allclose(answer.limit, 1e6 * TENSILE * fragment.units.area, rtol=1e-12)
    assert np.array_equal(answer.load > answer.limit, answer.cracked)
    assert pieces(fragment, answer.cracked).max() > 0


def test_outside_of_the_fragment_nothing_happens():
    members = np.flatnonzero(CELLS.centroid[:, 0] < 2.0)
    fragment = struck(hit(strength=8.0), members=members)
    answer = judged(fragment)
    outside = ~np.isin(fragment.units.links, members).all(axis=1)
    assert answer.cracked.any() and outside.any()
    assert (answer.load[outside] == 0.0).all() and np.isinf(answer.limit[outside]).all()
    rest = np.setdiff1d(np.arange(len(CELLS.volume)), members)
    assert (answer.unit_impulses.momentum[rest] == 0.0).all() and (answer.unit_impulses.spin[rest] == 0.0).all()


@pytest.mark.parametrize("lattice", ["dual", "braced", "welded"])
@pytest.mark.parametrize("prestress", [None, 5e4 * TENSILE], ids=["free of stress", "prestressed"])
def test_units_are_given_the_impulse_of_the_blow(lattice, prestress):
    # Contacts hand over 3000 and 5000 N s along their direction: the units have the sum of it.
    impacts = (hit(impulse=3000.0), hit(impulse=5000.0, point=(0.3, 0.5, 0.3)))
    fragment = replace(struck(impacts[0], prestress=prestress), impacts=impacts)
    answer = judged(fragment, lattice=lattice, most_solutions=20)
    p = answer.unit_impulses.momentum
    assert answer.cracked.any() or lattice == "dual"  # in a grid its bars only press
    along = p.sum(axis=0) @ DOWN
    assert along == pytest.approx(8000.0, rel=1e-9)


def test_moments_of_what_units_are_given_are_those_of_the_loads():
    # With and without cracks the whole of a free body is given the same: forces between units give nothing.
    strong, weak = (judged(struck(hit(impulse=3000.0), tensile)) for tensile in (1e4, TENSILE))
    assert weak.cracked.any() and not strong.cracked.any()
    totals = []
    for answer in (strong, weak):
        p, L = answer.unit_impulses.momentum, answer.unit_impulses.spin
        totals.append((p.sum(axis=0), (np.cross(CELLS.centroid, p) + L).sum(axis=0)))
    for one, other in zip(*totals, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-10 * 3000.0)


def test_a_placed_blow_presses_by_its_strength_and_throws_by_its_speed():
    # Strength 1 is NOMINAL times what first cracks the bare material, whatever that is; the speed alone throws.
    answers = [
        judged(struck(hit(strength / NOMINAL), tensile)) for strength, tensile in ((0.2, 20.0), (0.8, 20.0), (0.8, 3.0))
    ]
    for answer, expected in zip(answers, (0.2, 0.8, 0.8), strict=True):
        assert (answer.load / answer.limit).max() == pytest.approx(expected, rel=1e-9) and not answer.cracked.any()
        momentum = answer.unit_impulses.momentum
        np.testing.assert_allclose(momentum, answers[0].unit_impulses.momentum, atol=1e-9 * np.abs(momentum).max())
    fast = judged(struck(hit(0.2 / NOMINAL, speed=3.0)))
    np.testing.assert_allclose(fast.load, answers[0].load, rtol=1e-9)
    size = np.abs(fast.unit_impulses.momentum).max()
    np.testing.assert_allclose(fast.unit_impulses.momentum, 3.0 * answers[0].unit_impulses.momentum, atol=1e-9 * size)


def test_strength_is_that_of_the_bare_material():
    # Fields make it weaker or stronger where the blow is the same.
    weak = judged(struck(hit(0.9 / NOMINAL), bond=0.5))
    assert weak.cracked.any() and not judged(struck(hit(0.9 / NOMINAL))).cracked.any()
    assert not judged(struck(hit(1.9 / NOMINAL), bond=2.0)).cracked.any()


def test_a_blow_without_strength_cracks_nothing():
    # Not even where the matter is strained beyond its strength.
    answer = judged(struck(hit(strength=0.0), prestress=2e6 * TENSILE))
    assert not answer.cracked.any() and (answer.load == 0.0).all() and answer.unit_impulses is None


def test_a_blow_without_speed_cracks_and_throws_nothing():
    answer = judged(struck(hit(strength=2.0, speed=0.0)))
    assert (
        answer.cracked.any()
        and (answer.unit_impulses.momentum == 0.0).all()
        and (answer.unit_impulses.spin == 0.0).all()
    )


def test_a_touch_bursts_what_is_strained_almost_to_its_strength():
    touch = hit(strength=0.05 / NOMINAL)
    assert not judged(struck(touch)).cracked.any()
    assert judged(struck(touch, prestress=0.98e6 * TENSILE)).cracked.sum() > 10


def test_what_is_infinitely_strong_holds():
    bond = np.where(np.arange(len(CELLS.bond_area)) % 3 == 0, np.inf, 1.0)
    fragment = struck(hit(strength=30.0), bond=bond)
    answer = judged(fragment)
    never = np.isin(np.arange(len(fragment.units.links)), fragment.units.bond_link[np.isinf(bond)])
    assert not answer.cracked[never].any() and answer.cracked.any()
    assert np.isinf(answer.limit[never]).all() and np.isfinite(answer.load).all()


def test_held_units_are_given_nothing():
    anchored = CELLS.centroid[:, 0] < 0.5
    answer = judged(struck(anchored=anchored))
    assert answer.cracked.any()
    assert (answer.unit_impulses.momentum[anchored] == 0.0).all() and (answer.unit_impulses.spin[anchored] == 0.0).all()


def test_a_fragment_that_is_held_all_over_bears_all():
    # Only a part of the object is anchored: no mistake of the artist's.
    members = np.flatnonzero(CELLS.centroid[:, 0] < 0.5)
    answer = judged(struck(members=members, anchored=CELLS.centroid[:, 0] < 0.5))
    assert not answer.cracked.any()


def bad(**changes):
    fragment = struck()
    values = {name: np.array(getattr(fragment.strengths, name)) for name in changes}
    for name, value in changes.items():
        values[name][3] = value
    return replace(fragment, strengths=replace(fragment.strengths, **values))


@pytest.mark.parametrize(
    ("fragment", "params"),
    [
        (struck(anchored=np.ones(len(CELLS.volume), bool)), {}),
        (bad(bond=np.nan), {}),
        (bad(bond=-1.0), {}),
        (bad(density=np.nan), {}),
        (bad(density=np.inf), {}),
        (bad(density=0.0), {}),
        (bad(density=-1.0), {}),
        (bad(prestress=np.inf), {}),
        (bad(prestress=np.nan), {}),
        (struck(), {"schedule": "up and down"}),
        (struck(), {"schedule": "0 0, 1 0"}),
        (struck(), {"growth": "curve", "growth_curve": "steep"}),
        (struck(), {"growth": "curve", "growth_curve": "90 1, 0 1"}),
    ],
)
def test_what_cannot_be_solved_is_said_in_one_sentence(fragment, params):
    with pytest.raises(InputError) as error:
        judged(fragment, **params)
    text = str(error.value)
    assert text[0].isupper() and text.endswith(".") and ". " not in text and "\n" not in text


def test_a_cap_that_is_reached_is_reported():
    (note,) = judged(struck(hit(strength=5.0)), most_solutions=3).notes
    assert "4 times" in note  # what is left is made sure of
    assert note.startswith("Cracks were stopped") and note.endswith(".")
    assert judged(struck()).notes == ()


def test_votes_are_among_cells():
    # Pieces of three cells in a row: with Cells as bodies nothing within a piece ever breaks.
    cells = replace(CELLS, unit=np.arange(len(CELLS.volume)) // 3)
    fragment = struck(hit(strength=2.0), cells=cells)
    for bodies in ("piece", "cell"):
        answer = judged(fragment, bodies=bodies)
        assert answer.cracked.any() and len(answer.cracked) == len(fragment.units.links)
        assert np.array_equal(answer.load > answer.limit, answer.cracked)


def test_dust_are_single_pieces_below_a_share_and_the_report_says_how_much():
    # Blocks are 1/72 of the body; the weak ones around a corner come off one by one.
    fragment = struck()
    assert not judged(fragment, dust=0.0).dust.any()
    assert not judged(fragment, dust=0.0138).dust.any()
    assert judged(fragment, dust=0.0140).dust.all()  # 1/72 = .01389
    body, _ = blocks(SHAPE)
    matter = FractureModel(
        body,
        CELLS,
        fragment.units,
        bonded(CELLS, fragment.units),
        fragment.material,
        verdict,
        ConstraintLatticeParams(dust=0.02, growth="strong"),
        0,
    )
    count = len(CELLS.volume)
    cracks = CrackRecord()
    anchored = np.zeros(count, bool)
    left, answer = result_of(cracks.broken(matter, 0, np.arange(count), anchored, fragment.impacts, 0.0))
    alone = np.bincount(pieces(fragment, answer.cracked)) == 1
    assert alone.sum() > 0 and cracks.dust == alone.sum()
    assert all(len(piece) > 1 for piece in left)
    assert cracks.dust_volume == pytest.approx(alone.sum() * np.prod(SIZE), rel=1e-12)
    assert sum(len(piece) for piece in left) + cracks.dust == count
    (note,) = cracks.rule_notes(float(CELLS.volume.sum()))
    assert note.startswith(f"{cracks.dust} pieces of dust") and f"{100 * alone.sum() / count:.2g} %" in note


@pytest.mark.parametrize("size", [2.0**-7, 2.0**7])
def test_a_body_breaks_alike_at_any_size(size):
    # Masses grow by size^3 and strengths by size^2: a contact of the same speed hands over size^3 as much, and one that
    # takes as much longer as the body is larger has forces by size^2. Without growth, which lets round-off decide.
    shape = {name: getattr(CELLS, name) * size for name in ("vertices", "bond_centroid", "centroid", "site")}
    shape |= {"bond_area": CELLS.bond_area * size**2, "volume": CELLS.volume * size**3}
    cells = replace(CELLS, second_moment=CELLS.second_moment * size**5, **shape)
    usual = ConstraintLatticeParams().duration
    first = judged(struck(hit(impulse=3000.0)), growth="none")
    point = np.array((1.4, 0.4, 0.3)) * size
    second = judged(
        struck(hit(point=point, radius=0.3 * size, impulse=3000.0 * size**3), cells=cells),
        duration=usual * size,
        growth="none",
    )
    assert first.cracked.any() and np.array_equal(first.cracked, second.cracked)
    np.testing.assert_allclose(second.load, first.load * size**2, rtol=1e-2, atol=1e-3 * first.load.max() * size**2)
    largest = np.abs(first.unit_impulses.momentum).max()
    np.testing.assert_allclose(
        second.unit_impulses.momentum / size**3, first.unit_impulses.momentum, atol=1e-2 * largest
    )


def test_the_same_verdict_twice():
    one, two = (judged(struck(hit(strength=2.0), prestress=5e4 * TENSILE)) for _ in range(2))
    for name in ("load", "limit", "cracked"):
        assert getattr(one, name).tobytes() == getattr(two, name).tobytes()
    assert one.unit_impulses.momentum.tobytes() == two.unit_impulses.momentum.tobytes()


def test_cracks_that_part_nothing_are_told():
    # Just above what first cracks the material, and no second look: its neighbours hold the two sides together.
    fragment = struck(hit(strength=1.01 / NOMINAL))
    found = judged(fragment, growth="none", steps=1, settle=False)
    assert found.cracked.any() and pieces(fragment, found.cracked).max() == 0
    assert found.notes == (f"The hit made {found.cracked.sum()} cracks that part nothing: it is a little too weak.",)
