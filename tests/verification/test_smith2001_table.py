"""A ball, a bowl and a glass table in motion (Smith, Witkin, Baraff 2001, figures 14 and 15).

Scene SB of docs/papers/smith2001.md.
"""

import numpy as np

from core.config.material import Material
from core.types import Clock, Collider
from tests import shapes
from tests.verification.blows import CERAMIC, bowl
from tests.verification.fracture_scenes import ball, broken, counts, first_break, item, last, mesh_of, settings

TOP, THICK = 0.5, 0.01
GLASS = Material(density=2500.0, tensile=45.0)
#: Half of the table's sides.
LONG, WIDE = 0.4, 0.3
CLOCK = Clock(24.0, 3)


def supports():
    """Two blocks under the ends of the table."""
    still = np.zeros((1, 3)), np.array([[1.0, 0.0, 0.0, 0.0]])
    blocks = (shapes.box((x - 0.03, -WIDE, 0.0), (x + 0.03, WIDE, TOP - THICK)) for x in (0.03 - LONG, LONG - 0.03))
    return tuple(Collider(mesh_of("Support", block), *still) for block in blocks)


def of_lattice(seed, material, count, growth, radius):
    layout = {"corners": "skin", "layout": "uniform", "count": count}
    how, contact = {"growth": growth}, {"speed": 1.0, "radius": radius, "generations": 1}
    return settings("tetrahedra", "constraint_lattice", seed, material, layout, how, **contact)


def scene(seed):
    """What becomes of the table, whose cracks grow by equation (4), and of the bowl, whose cracks do not."""
    common = {"clock": CLOCK, "colliders": supports()}
    plate = shapes.box((-LONG, -WIDE, TOP - THICK), (LONG, WIDE, TOP))
    table = item("Table", plate, of_lattice(seed, GLASS, 300, "strong", 0.05), **common)
    dish = item("Bowl", bowl(), of_lattice(seed, CERAMIC, 150, "none", 0.02), (0.05, 0.02, TOP + 0.0005), **common)
    falling = ball(0.04, (0.05, 0.02, TOP + 0.545), (0.0, 0.0, -8.0), density=7800.0, **common)
    return broken(table, dish, falling)[:2]


def stretch(result):
    """(n,) largest over smallest moment of inertia of each piece that is there at the end."""
    principal = np.linalg.eigvalsh(result.fragments.inertia[last(result)])
    return principal[:, 2] / principal[:, 0]


def test_a_ball_breaks_a_bowl_and_the_glass_table_under_it_into_longer_shards():
    # SB. The ball falls 0.5 m at 8 m/s and more and meets the bowl in the second frame.
    tables, bowls = zip(*(scene(seed) for seed in (1, 2)), strict=True)
    for result in (*tables, *bowls):
        assert first_break(result) == 2 and counts(result)[-1] > 5
        assert result.fragments.volume[last(result)].max() < 0.6 * result.report.volume_in
        assert result.report.volume_out / result.report.volume_in > 1.0 - 1e-9
    shards, sherds = (np.concatenate([stretch(result) for result in results]) for results in (tables, bowls))
    assert np.median(shards) > np.median(sherds)
