"""A body of springs on its way: what leaves it."""

import numpy as np
import pytest

from core.config.material import Material
from core.continuum.contract import ContinuumObject
from core.continuum.spring_lattice.divided_body import divide_steps
from core.continuum.spring_lattice.lattice_run import SpringLatticeRun
from core.continuum.spring_lattice.params import SpringLatticeParams
from core.stepwise import result_of
from core.strength.origin import Origin
from core.types import Clock, Influence
from tests import shapes
from tests.spring_lattices import Around

SIDE, SPIN = 0.2, np.array([0.0, 0.0, 40.0])  # [m], [rad/s]


def test_a_single_cell_that_breaks_is_a_shard_that_leaves_with_all_it_had():
    body = shapes.box(high=(SIDE,) * 3)
    pivot = np.full(3, 0.5 * SIDE)
    thing = ContinuumObject(
        body, Material(density=1000.0), Origin(body, np.eye(3)), (), (), np.array([0.3, 0.0, 0.0]), SPIN, pivot,
        Influence(), Clock(24.0, 5), 1,
    )  # fmt: skip
    # It is pulled to (1/2) rho (w r)^2 = 4 kPa and so by some percent, and breaks at a thousandth.
    params = SpringLatticeParams(nodes=8, failure_strain=1e-3, youngs_modulus=0.1)
    divided = result_of(divide_steps(thing, params))
    assert len(divided.embedding.hexahedra) == 1
    run = SpringLatticeRun(thing, divided, params)
    (left,) = result_of(run.advance(1, Around(1.0 / 24.0)))
    assert left.mass == pytest.approx(1000.0 * SIDE**3, rel=1e-6)
    np.testing.assert_allclose(left.momentum, left.mass * np.array([0.3, 0.0, 0.0]), rtol=0.0, atol=1e-9)
    assert left.angular_momentum[2] > 0.0, "it goes on turning"
    assert run.pieces[left.piece].parent == 0 and run.is_calm()
    places = run.deform(left.piece, body.vertices, 1)
    assert np.isfinite(places).all()
