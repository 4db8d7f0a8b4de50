"""Pillars and gallows that stand on the ground or are painted fast."""

import numpy as np

from core.types import Influence
from tests import shapes
from tests.core.simulation.breaking import breaking_object, model_of

PILLAR = shapes.box(high=np.array([0.2, 0.2, 1.0]))
#: Of the pillar: five blocks one above the other.
FLOORS = [[0.1, 0.1, z] for z in (0.1, 0.3, 0.5, 0.7, 0.9)]


def pillar(body=PILLAR, sites=FLOORS, influence=None, place=(0, 0, 0), **params):
    how = {"speed": 1.0, "stands": True, "cooldown": 0.0} | params
    return breaking_object("Pillar", model_of(body, sites=sites), place, influence=influence, **how)


def painted(body, which):
    """An influence that holds the triangles whose middle fulfils a condition."""
    middle = body.vertices[body.triangles].mean(axis=1)
    return Influence(anchored=np.repeat(which(middle).astype(np.float64)[:, None], 3, axis=1))


def gallows(reach):
    """A post of 0.2 x 0.2 x 1 m with an arm of a length [m] at its top."""
    side = np.array([[0, 0], [0.2, 0], [0.2, 0.8], [0.2 + reach, 0.8], [0.2 + reach, 1.0], [0, 1.0]])
    ring = [(0, 1, 2), (0, 2, 5), (2, 4, 5), (2, 3, 4)]
    vertices = np.concatenate([np.insert(side, 1, y, axis=1) for y in (0.0, 0.2)])
    caps = [tri for a, b, c in ring for tri in ((a, b, c), (6 + a, 6 + c, 6 + b))]
    walls = [tri for k in range(6) for tri in ((k, 6 + k, 6 + (k + 1) % 6), (k, 6 + (k + 1) % 6, (k + 1) % 6))]
    return shapes.body(vertices, np.array(caps + walls))
