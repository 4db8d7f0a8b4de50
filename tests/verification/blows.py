"""Blows to cells of a body, and what is measured of them: for scenes of the lattice."""

import functools
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from core.breaking.constraint_lattice.params import ConstraintLatticeParams
from core.config.material import Material
from core.config.params import from_mapping
from core.cutting.retry import cut_with_retry
from core.cutting.units import units
from core.geometry.graph import components
from core.geometry.mesh import volume
from core.pieces import PARTITIONS
from core.presets import load
from core.strength.choice import fields_from
from core.strength.origin import Origin
from core.strength.stack import strengths_of
from core.types import Impact
from tests import shapes
from tests.struck import struck
from tests.verification.lattices import verdict

PRESETS = Path(__file__).resolve().parents[2] / "presets" / "brittle"
CERAMIC = Material(density=2300.0, tensile=40.0)
CLAY = Material(density=1900.0, tensile=10.0)


def blow(point, direction, radius, strength=1.0, speed=5.0, impulse=0.0):
    return Impact(np.array(point), np.array(direction, np.float64), strength, speed, radius, 0.0, impulse)


def cut(body, impact, pieces, seed=1, **layout):
    method = PARTITIONS[pieces]
    params = from_mapping(method.params, layout)
    cells, _ = cut_with_retry(body, lambda attempt: method.run(body, [impact], params, seed, attempt))
    return cells, units(cells)


class Break:
    """What a blow made of some cells; fields as in presets, or as read from one."""

    def __init__(self, body, cells, graph, impact, material=None, fields=(), seed=0, **params):
        told = [one for one in fields if isinstance(one, Mapping)]
        chosen = fields_from(told) if told else tuple(fields)
        strengths = strengths_of(Origin(body, np.eye(3), ()), cells, graph, chosen)
        asked = struck(graph, impact, cells=cells, material=material, strengths=strengths, seed=seed)
        self.cracked = verdict(asked, from_mapping(ConstraintLatticeParams, params)).cracked
        members = np.arange(len(graph.volume))
        self.label = components(len(members), graph.links, ~self.cracked, members)
        self.volumes = np.bincount(self.label, graph.volume) / graph.volume.sum()
        apart = self.label[graph.links[:, 0]] != self.label[graph.links[:, 1]]
        self.separating = float(apart[self.cracked].mean()) if self.cracked.any() else 1.0


def by_preset(name, body, impact, **breaking):
    """The graph of a body cut as a shipped preset says, and what the impact made of it."""
    preset = load(PRESETS / f"{name}.toml")
    cells, graph = cut(body, impact, preset.pieces, **preset.pieces_params)
    how = {**preset.breaking_params, **breaking}
    return graph, Break(body, cells, graph, impact, preset.material, preset.fields, 1, **how)


def around_axis(graph, cracked):
    """Share of the area of some cracks whose normal lies within 30 degrees of z."""
    along = np.abs(graph.normal[:, 2]) >= np.cos(np.radians(30.0))
    return graph.area[cracked & along].sum() / graph.area[cracked].sum()


@functools.cache
def bowl():
    """A bowl of 0.24 m on its foot, with a wall of 5 mm."""
    turn, radius, wall = np.linspace(0.0, 0.475 * np.pi, 9), 0.12, 0.005
    outside = np.stack([radius * np.sin(turn), radius - radius * np.cos(turn)], axis=1)
    inside = np.stack([(radius - wall) * np.sin(turn), radius - (radius - wall) * np.cos(turn)], axis=1)
    return shapes.revolved(np.concatenate([outside, inside[::-1]]), 48)


def dropped(body, material, speed, radius=0.02):
    """What the floor does to a body that lands on its lowest point at this speed, with a bounce of 0.2."""
    impulse = 1.2 * material.density * volume(body.vertices, body.triangles) * speed
    return blow((0, 0, 0), (0, 0, 1), radius, speed=speed, impulse=impulse)


@functools.cache
def pot():
    """A pot of 0.2 m with a belly and a wall of 8 mm."""
    height = np.linspace(0.0, 0.2, 10)
    outside = 0.11 * (0.62 + 0.38 * np.sin(np.pi * (0.12 + 0.8 * height / 0.2)))
    wall = [(r, z) for r, z in zip(outside, height, strict=True)]
    inner = [(r - 0.008, max(z, 0.008)) for r, z in wall[::-1]]
    return shapes.revolved(np.array([(0.0, 0.0), *wall, *inner, (0.0, 0.008)]), 40)


def side_blow(turn, strength):
    """A blow to the side of the pot, half way up, at this angle about z."""
    c, s = np.cos(turn), np.sin(turn)
    return blow((0.09 * c, 0.09 * s, 0.1), (-c, -s, 0), 0.02, strength)
