"""What is foretold of a run is what it comes to."""

import math
from dataclasses import replace

import numpy as np
import pytest

from core.config.material import Material
from core.continuum.contract import ContinuumObject
from core.continuum.spring_lattice.advance_lattice import frame_substeps
from core.continuum.spring_lattice.divided_body import divide_steps
from core.continuum.spring_lattice.estimate_run import estimate_run
from core.continuum.spring_lattice.params import PAPER, SPACE, SpringLatticeParams
from core.errors import InputError
from core.stepwise import result_of
from core.strength.origin import Origin
from core.types import Clock, Influence
from tests import shapes

CLOCK = Clock(24.0, 25)
MATERIAL = Material(density=1000.0)
SOFT = SpringLatticeParams(nodes=1500, most_substeps=0)
BODIES = {
    "bar": shapes.box(high=(4.0, 0.5, 0.5)),
    "ball": shapes.icosphere(3),
    "ring": shapes.torus(),
    "walls": shapes.hollow_box(0.1),
}


def foretold(body, params, clock=CLOCK):
    return estimate_run(body, MATERIAL, None, params, clock)


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize(
    "params",
    [SOFT, replace(SOFT, damping=0.5, keeps_volume=0.0), replace(SOFT, springs=SPACE, failure_strain=0.01)],
    ids=["soft", "damped", "brittle"],
)
def test_nodes_and_substeps_are_foretold(name, params):
    """Cells that fit a round body are narrower than even ones, by half and by twice in the most: see there."""
    body, none = BODIES[name], np.zeros(3)
    obj = ContinuumObject(body, MATERIAL, Origin(body, np.eye(3)), (), (), none, none, none, Influence(), CLOCK, 1)
    divided, found = result_of(divide_steps(obj, params)), foretold(body, params)
    real = frame_substeps(divided.lattice, divided.laws, 1.0 / CLOCK.fps, divided.anchored)
    assert 0.6 < found.substeps / real < 1.7
    assert 0.6 < found.elements / len(divided.lattice.mass) < 2.2
    assert found.element == "nodes"


def test_it_takes_as_long_as_there_is_work():
    body, one = BODIES["bar"], foretold(BODIES["bar"], SOFT)
    longer = foretold(body, SOFT, Clock(24.0, 49))
    division = 2.0 * one.seconds - longer.seconds  # what does not go with the frames
    assert 0.0 < division < one.seconds
    # Half as wide cells are eight times as many, and the step goes with their width.
    fine = foretold(body, replace(SOFT, nodes=8 * SOFT.nodes))
    assert fine.elements == 8 * one.elements and fine.substeps == pytest.approx(2 * one.substeps, rel=0.15)
    stiff = foretold(body, replace(SOFT, youngs_modulus=4.0 * SOFT.youngs_modulus))
    assert stiff.substeps == pytest.approx(2 * one.substeps, abs=2.0)  # as the root of the modulus


def test_what_is_softened_takes_the_substeps_that_it_may():
    stiff = replace(SOFT, youngs_modulus=1e5, most_substeps=900)
    assert foretold(BODIES["bar"], stiff).substeps == 900
    assert foretold(BODIES["bar"], replace(stiff, nodes=0)).elements > 1000
    assert math.isfinite(foretold(BODIES["bar"], replace(SOFT, steps=PAPER)).seconds)


def test_what_would_take_for_ever_is_refused():
    with pytest.raises(InputError, match="substeps a frame"):
        foretold(BODIES["bar"], replace(SOFT, youngs_modulus=1e6, nodes=1_000_000))
