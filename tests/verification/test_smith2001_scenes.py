"""Scenes of Smith, Witkin, Baraff 2001 and of our look study: what breaks, where, and how much of it comes off."""

import numpy as np
from scipy.stats import ks_2samp

from core.breaking.constraint_lattice.method import verdict
from core.breaking.constraint_lattice.params import ConstraintLatticeParams
from core.cells.retry import cut_with_retry
from core.cells.units import units
from core.geometry.graph import components
from core.geometry.mesh import volume
from core.material import Material
from core.params import from_mapping
from core.pieces import PARTITIONS
from core.strength.choice import fields_from
from core.strength.origin import Origin
from core.strength.stack import strengths_of
from core.types import Impact
from tests import shapes
from tests.struck import struck

CERAMIC = Material(density=2300.0, tensile=40.0)


def blow(point, direction, radius, strength=1.0, speed=5.0, impulse=0.0):
    return Impact(np.array(point), np.array(direction, np.float64), strength, speed, radius, 0.0, impulse)


def cut(body, impact, pieces, seed=1, **layout):
    method = PARTITIONS[pieces]
    params = from_mapping(method.params, layout)
    cells, _ = cut_with_retry(body, lambda attempt: method.run(body, [impact], params, seed, attempt))
    return cells, units(cells)


class Break:
    """What a blow made of some cells."""

    def __init__(self, body, cells, graph, impact, material=None, fields=(), seed=0, **params):
        strengths = strengths_of(Origin(body, np.eye(3), ()), cells, graph, fields_from(list(fields)))
        asked = struck(graph, impact, cells=cells, material=material, strengths=strengths, seed=seed)
        self.cracked = verdict(asked, from_mapping(ConstraintLatticeParams, params)).cracked
        members = np.arange(len(graph.volume))
        self.label = components(len(members), graph.links, ~self.cracked, members)
        self.volumes = np.bincount(self.label, graph.volume) / graph.volume.sum()
        apart = self.label[graph.links[:, 0]] != self.label[graph.links[:, 1]]
        self.separating = float(apart[self.cracked].mean()) if self.cracked.any() else 1.0


# A bowl of 0.24 m that is dropped on its foot: what the floor does to it in the time that a hard contact takes.
def bowl():
    turn, radius, wall = np.linspace(0.0, 0.475 * np.pi, 9), 0.12, 0.005
    outside = np.stack([radius * np.sin(turn), radius - radius * np.cos(turn)], axis=1)
    inside = np.stack([(radius - wall) * np.sin(turn), radius - (radius - wall) * np.cos(turn)], axis=1)
    return shapes.revolved(np.concatenate([outside, inside[::-1]]), 48)


def test_a_bowl_shatters_from_a_fall_and_stands_a_tap():
    body = bowl()
    mass = CERAMIC.density * volume(body.vertices, body.triangles)
    cells, graph = cut(body, blow((0, 0, 0), (0, 0, 1), 0.02), "voronoi", layout="spider", count=120)

    def landed(speed):
        impulse = 1.2 * mass * speed  # with a bounce of 0.2
        return Break(body, cells, graph, blow((0, 0, 0), (0, 0, 1), 0.02, speed=speed, impulse=impulse), CERAMIC)

    fallen, tapped = landed(np.sqrt(2 * 9.81 * 1.0)), landed(0.5)
    assert fallen.volumes.max() < 0.6 and fallen.separating >= 0.7
    assert tapped.volumes.max() > 0.95


def test_cracks_of_a_pane_run_to_its_edges():
    body, hit = shapes.box((-0.5, -0.5, -0.003), (0.5, 0.5, 0.003)), blow((0.1, 0.05, 0.003), (0, 0, -1), 0.1, 0.5)
    cells, graph = cut(body, hit, "voronoi", layout="spider", count=150)
    found = Break(body, cells, graph, hit, Material(tensile=45.0))
    away = graph.centroid_link[:, :2] - hit.point[:2]
    across = np.abs(np.einsum("li,li->l", graph.normal[:, :2], away)) < 0.5 * np.linalg.norm(away, axis=1)
    area = graph.area * found.cracked
    assert area[across].sum() / area.sum() >= 0.5  # radial share of our look study: 1/3 by chance
    rim = found.label[
        cells.unit[cells.outer_cell[np.abs(cells.vertices[cells.outer_vertex[cells.outer_start[:-1]], 0]) > 0.499]]
    ]
    assert len(np.unique(rim)) >= 2 and found.separating >= 0.7


def test_veins_of_other_sizes_make_other_shards_of_one_glass():
    body = shapes.wine_glass(32)
    hit = blow((1.0, 0.0, float(body.vertices[:, 2].max())), (-1, 0, 0), 0.2, 0.5)
    cells, graph = cut(body, hit, "tetrahedra", corners="skin", count=600, layout="blue_noise")
    sizes = [
        Break(body, cells, graph, hit, growth="moderate", fields=[{"kind": "veins", **veins}]).volumes
        for veins in ({"threshold": 0.1}, {"threshold": 0.4, "low": 0.05}, {"threshold": 0.8, "low": 0.02})
    ]
    assert ks_2samp(sizes[0], sizes[2]).pvalue < 0.01
