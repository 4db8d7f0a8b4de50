"""Find Threshold: docs/papers/norton1991.md, N19."""

import numpy as np
import pytest

from core.config.material import Material
from core.continuum.spring_lattice import find_threshold as module
from core.continuum.spring_lattice.find_threshold import find_threshold_steps
from core.continuum.spring_lattice.params import SpringLatticeParams
from core.errors import InputError
from core.stepwise import result_of

SOFT = SpringLatticeParams(youngs_modulus=1.0, damping=0.1, keeps_volume=0.0)
MATERIAL = Material(density=1000.0, restitution=0.1)


def found(params=SOFT, height=0.8, share=0.25, seed=3):
    return result_of(find_threshold_steps(params, MATERIAL, height, share, seed))


def test_as_much_breaks_as_was_wanted_and_not_at_the_first_touch():
    made = found()
    at = int(np.flatnonzero(made.tried == made.failure_strain)[0])
    assert made.cells == 72 and made.broken[at] >= 18
    # It is found to a hundredth: what was tried next above it breaks less.
    above = made.tried > made.failure_strain
    assert made.broken[above][0] < 18 and made.tried[above][0] <= 1.0101 * made.failure_strain
    assert not made.at_touch
    # NC: with the highest nothing breaks, with the lowest most does.
    assert made.broken[-1] == 0 and made.broken[0] > made.broken[at]


@pytest.mark.parametrize("seed", [3, 4, 5])
def test_the_higher_the_strain_the_less_breaks(seed):
    # NC, at the five strains that are shown besides, from a tenth of what was found to two and a half of it.
    made = found(seed=seed)
    near = np.abs(made.tried[:, None] / made.failure_strain - module._SHOWN) < 1e-12
    broken = made.broken[near.argmax(axis=0)]
    assert near.any(axis=0).all() and len(broken) == 5
    assert (np.diff(broken) <= 0).all() and broken[0] > broken[2] > broken[-1] == 0


def test_shares_that_are_smaller_take_strains_that_are_higher():
    strains = [found(share=share).failure_strain for share in (0.05, 0.25, 0.6)]
    assert strains == sorted(strains, reverse=True)


def test_stiff_matter_bears_what_soft_matter_does_by_the_speed_of_sound():
    # A blow of speed v strains matter by v/c, and c goes with the root of the modulus, beyond where it is dropped
    # softer. The step and the parts of the fall are others, so the search is as exact as it is: a hundredth.
    stiff, stiffer = (
        found(SpringLatticeParams(youngs_modulus=E, damping=0.1, keeps_volume=0.0)).failure_strain for E in (1e3, 1e5)
    )
    assert stiff / stiffer == pytest.approx(10.0, rel=0.02)


def test_the_same_seed_gives_the_same_bits_and_another_one_other_defects():
    first, again, other = found(), found(), found(seed=4)
    np.testing.assert_array_equal(first.tried, again.tried)
    np.testing.assert_array_equal(first.broken, again.broken)
    assert first.failure_strain != other.failure_strain


def test_progress_never_falls():
    shares = list(find_threshold_steps(SOFT, MATERIAL, 0.8, 0.25, 3))
    assert shares == sorted(shares) and shares[0] >= 0.0 and shares[-1] <= 1.0


@pytest.mark.parametrize(("always", "said"), [(72, "at any strain"), (0, "does not break")])
def test_what_cannot_be_found_gets_a_sentence(always, said, monkeypatch):
    monkeypatch.setattr(module, "_count_broken", lambda fall, strain: (always, False))
    with pytest.raises(InputError, match=said):
        found()
