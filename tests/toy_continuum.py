"""A continuum method for tests: a bar of springs that bends, breaks in the middle, and lets one half go.

It stands for `core/continuum/toy.py`: tests put it there, or load it as that, so its imports are those of the core.
Nodes stand along the longest side of the body, and springs pull each to where its neighbours went. The link in the
middle breaks when its ends have gone apart; a frame later the half behind it is rigid.
"""

from dataclasses import dataclass

import numpy as np

from ..config.params import param
from ..config.registry import Method
from ..cutting.cut import cut
from ..pieces.voronoi_complex import voronoi_complex
from .contract import Continuum, ContinuumEstimate, ContinuumPiece, ReleasedPiece


@dataclass(frozen=True, slots=True)
class ToyBarParams:
    """What a bar is like."""

    stiffness: float = param(400.0, "Stiffness", "Pull of a spring on its ends", unit="1", limits=(0.0, 1e6))
    stretch: float = param(0.2, "Stretch", "How far the middle spring gives", unit="m", limits=(0.0, 9.0))
    nodes: int = param(12, "Nodes", "Number of nodes along the bar", limits=(2, 100))


@dataclass(frozen=True)
class ToyBar:
    """A bar divided: its halves as cells, and its nodes."""

    cells: object
    axis: int
    at: np.ndarray  # (n,) of nodes along the axis [m]
    mass: np.ndarray  # (n,) [kg]


def divide(obj, params):
    """Halves on both sides of the middle, and nodes in equal distances."""
    yield 0.5
    low, high = obj.body.vertices.min(axis=0), obj.body.vertices.max(axis=0)
    axis, size = int(np.argmax(high - low)), high - low
    quarter = np.eye(3)[axis] * 0.25 * size
    middle = 0.5 * (low + high)
    cells = cut(obj.body, voronoi_complex(np.stack([middle - quarter, middle + quarter]), low - size, high + size))
    at = np.linspace(low[axis], high[axis], params.nodes)
    mass = np.full(params.nodes, obj.material.density * float(cells.volume.sum()) / params.nodes)
    return ToyBar(cells, axis, at, mass)


class ToyBarRun:
    """The bar on its way: how far its nodes have gone at each stored frame."""

    def __init__(self, obj, bar, params):
        self.obj, self.bar, self.params = obj, bar, params
        self.pieces = [ContinuumPiece(obj.body, bar.cells, np.arange(2), -1, 0)]
        self.notes = []
        self.way = [np.zeros((params.nodes, 3))]
        place = np.repeat(obj.pivot[None], params.nodes, axis=0)
        place[:, bar.axis] = bar.at
        self.velocity = obj.velocity + np.cross(obj.spin, place - obj.pivot)
        self.first = np.arange(params.nodes) < params.nodes // 2  # nodes of the half that stays
        self.holds = np.ones(params.nodes, bool)  # nodes that have not left
        self.broken_at = None
        self._strike(0)

    def _strike(self, frame):
        for hit in self.obj.impacts:
            if round(hit.time * self.obj.clock.fps) == frame:
                near = np.abs(self.bar.at - hit.point[self.bar.axis]) <= 2.0 * hit.radius
                self.velocity[near] += hit.speed * hit.direction

    def advance(self, frame, around):
        """Springs pull, gravity pulls, and what is in the way stops the nodes."""
        u, steps = self.way[-1].copy(), 64
        h = around.dt / steps
        for step in range(steps):
            self.velocity += h * (self._pull(u) + around.gravity) * self.holds[:, None]
            place = self._places(u)
            found = around.find_nearest(place, step / steps)
            inside = found.distance < 0.0
            closing = ((self.velocity - found.velocity) * found.normal).sum(axis=1)
            stop = inside & (closing < 0.0)
            self.velocity[stop] -= closing[stop, None] * found.normal[stop]
            u += h * self.velocity * self.holds[:, None]
            self._tear(u, frame)
            yield step / steps
        self.way.append(u)
        released = ()
        if self.broken_at is not None and frame == self.broken_at + 1:
            released = (self._let_go(u),)
        self._strike(frame)
        return released

    def _pull(self, u):
        force = np.zeros_like(u)
        stretch = np.diff(u, axis=0) * self.params.stiffness
        if self.broken_at is not None:
            stretch[self.params.nodes // 2 - 1] = 0.0
        force[:-1] += stretch
        force[1:] -= stretch
        return force / self.bar.mass[:, None] * self.bar.mass.mean()

    def _tear(self, u, frame):
        middle = self.params.nodes // 2
        if self.broken_at is None and np.linalg.norm(u[middle] - u[middle - 1]) > self.params.stretch:
            self.broken_at = frame
            first, second = (0, 1) if self._centre(0) < self._centre(1) else (1, 0)
            for unit in (first, second):
                self.pieces.append(ContinuumPiece(self.obj.body, self.bar.cells, np.array([unit]), 0, frame))

    def _centre(self, unit):
        return self.bar.cells.centroid[unit, self.bar.axis]

    def _let_go(self, u):
        far, mass = ~self.first, self.bar.mass[:, None]
        place, momentum = self._places(u), self.velocity * mass
        centre = (place * mass)[far].sum(axis=0) / mass[far].sum()
        turning = np.cross(place - centre, momentum)[far].sum(axis=0)
        self.holds = self.first
        return ReleasedPiece(2, float(mass[far].sum()), centre, momentum[far].sum(axis=0), turning)

    def _places(self, u):
        place = np.repeat(self.obj.body.vertices.mean(axis=0)[None], self.params.nodes, axis=0)
        place[:, self.bar.axis] = self.bar.at
        return place + u

    def deform(self, piece, points, frame):
        """Points go with the nodes on both sides; those of a half with its own nodes."""
        u = self.way[frame]
        rows = np.arange(self.params.nodes)
        if piece > 0:
            rows = rows[self.first] if piece == 1 else rows[~self.first]
        along = points[:, self.bar.axis]
        moved = np.stack([np.interp(along, self.bar.at[rows], u[rows, k]) for k in range(3)], axis=1)
        return points + moved

    def energy(self):
        """Of what has not left."""
        stays = self.holds
        kinetic = 0.5 * (self.bar.mass[stays] * np.square(self.velocity[stays]).sum(axis=1)).sum()
        return np.array([kinetic, 0.0])

    def draw(self):
        """As its cells are."""

    def is_calm(self):
        """Never: it swings on."""
        return False


METHOD = Method(
    "toy_bar",
    "Toy Bar",
    "A bar of springs",
    "none",
    ToyBarParams,
    Continuum(divide, ToyBarRun, lambda params, area: 0.0, lambda *given: ContinuumEstimate(2, "nodes", 1, 0.0)),
)
