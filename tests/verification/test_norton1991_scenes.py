"""Norton et al. 1991: scenes of docs/papers/norton1991.md that drop something."""

from dataclasses import replace

import numpy as np
import pytest

from core.continuum.spring_lattice.blocks import ring_complex
from core.continuum.spring_lattice.lattice import build_lattice
from core.continuum.spring_lattice.material import SpringMaterial, vary_thresholds
from core.continuum.spring_lattice.state import LatticeLaws
from tests.spring_lattices import DOWN, A, Around, B, resting, run

SOFT = SpringMaterial(1e6, 1000.0, 1.0, damping_ratio=0.05)


def cylinder(threshold, kind):
    lattice = build_lattice(ring_complex((12, 1, 6), 0.08, 0.1, 0.2), SOFT, kind)
    defects = vary_thresholds(np.ones(len(lattice.rest_length)), 0.2, np.random.default_rng(3))
    return replace(lattice, threshold=threshold * defects)


def dropped(threshold, kind, frames=24):
    """A cylinder that falls on its rim at 4 m/s: the state afterwards, and when bonds tripped and surfaces pushed."""
    lattice = cylinder(threshold, kind)
    around = Around(1 / 240, DOWN, floor=-0.01)
    state, reports = run(lattice, resting(lattice, [0.0, 0.0, -4.0]), LatticeLaws(), around, frames)
    first = next((k for k, report in enumerate(reports) if len(report.trip_time)), None)
    touched = next(k for k, report in enumerate(reports) if report.impulse[2] > 0.0)
    return state, first, touched


@pytest.mark.parametrize("kind", [A, B])
def test_fewer_cells_break_with_a_higher_threshold(kind):
    # NC: at the highest nothing breaks, next to zero everything does.
    thresholds = (1e-6, 0.01, 0.03, 0.1, 1e3)
    runs = [dropped(threshold, kind) for threshold in thresholds]
    broken = [int(state.cell_broken.sum()) for state, _, _ in runs]
    assert broken == sorted(broken, reverse=True)
    assert broken[0] == 72 and broken[-1] == 0
    assert all(first is None or first >= touched for _, first, touched in runs)
