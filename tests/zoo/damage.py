"""Random breakages of good meshes: what accidents, careless modelling and file formats do, on about 2 % of the faces.

`case(seed)` is one damaged mesh; `damaged()` is a hypothesis strategy of them. Beside the damaged mesh goes its truth:
the closed mesh that it would be without the holes, flips and copies, of which `matter` measures the volume.
"""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from tests import shapes

from . import architecture, solids
from .parts import box, bumpy, joined, moved, reverse, sphere, subdivided, torus, tube

SHARE = 0.02
STREAM = 4_001


@dataclass
class Wreck:
    """A mesh on its way down."""

    vertices: np.ndarray  #: (V,3); vertices 0.. of `truth` are the first ones
    triangles: np.ndarray
    truth: tuple[np.ndarray, np.ndarray]  #: closed
    rng: np.random.Generator

    def some(self, least=1):
        """Rows of about 2 % of the triangles."""
        count = min(len(self.triangles), max(least, round(SHARE * len(self.triangles))))
        return np.sort(self.rng.choice(len(self.triangles), count, replace=False))

    def move(self, rows, offset):
        """Move vertices of the damaged mesh, and the same of the truth. Copies of them stay behind."""
        self.vertices = self.vertices.copy()
        self.vertices[rows] += offset
        vertices = self.truth[0].copy()
        vertices[rows] += offset
        self.truth = vertices, self.truth[1]

    def add(self, vertices, triangles):
        """Further vertices, and triangles that may use them."""
        self.vertices = np.concatenate([self.vertices, np.reshape(vertices, (-1, 3))])
        self.triangles = np.concatenate([self.triangles, np.reshape(triangles, (-1, 3))])

    def edge(self):
        """A typical length of an edge."""
        p = self.truth[0][self.truth[1]]
        return float(np.median(np.linalg.norm(p[:, 1] - p[:, 0], axis=1)))


def delete(wreck):
    """Faces are gone."""
    wreck.triangles = np.delete(wreck.triangles, wreck.some(), axis=0)


def flip(wreck):
    """Faces look the other way."""
    rows = wreck.some()
    wreck.triangles = wreck.triangles.copy()
    wreck.triangles[rows] = wreck.triangles[rows][:, ::-1]


def duplicate(wreck):
    """Faces are there twice."""
    wreck.triangles = np.concatenate([wreck.triangles, wreck.triangles[wreck.some()]])


def back(wreck):
    """Faces have a copy that looks the other way."""
    wreck.triangles = np.concatenate([wreck.triangles, wreck.triangles[wreck.some()][:, ::-1]])


def jitter(wreck):
    """All points are moved by up to 3 % of an edge."""
    size = 0.03 * wreck.rng.random() * wreck.edge()
    count = len(wreck.truth[0])
    wreck.move(np.arange(count), wreck.rng.uniform(-size, size, (count, 3)))


def pull(wreck):
    """One point is pulled through the body, as far as to its other side."""
    row = int(wreck.rng.choice(wreck.truth[1].reshape(-1)))
    middle = wreck.truth[0].mean(axis=0)
    wreck.move([row], wreck.rng.uniform(0.5, 2.2) * (middle - wreck.truth[0][row]))


def merge(wreck):
    """A second body, which overlaps the first one or lies beside it, is part of the mesh."""
    size = float(np.ptp(wreck.truth[0], axis=0).max())
    other = moved(bumpy(2, int(wreck.rng.integers(9))), seed=int(wreck.rng.integers(99)), scale=0.2 * size)
    at = wreck.truth[0][wreck.rng.integers(len(wreck.truth[0]))] + wreck.rng.normal(0.0, 0.05 * size, 3)
    other = moved(other, at)
    wreck.add(other[0], other[1] + len(wreck.vertices))
    wreck.truth = joined(wreck.truth, other)


def unweld(wreck):
    """Faces have vertices of their own."""
    rows = wreck.some()
    own = wreck.vertices[wreck.triangles[rows]].reshape(-1, 3)
    wreck.triangles = wreck.triangles.copy()
    wreck.triangles[rows] = len(wreck.vertices) + np.arange(len(own)).reshape(-1, 3)
    wreck.vertices = np.concatenate([wreck.vertices, own])


def undefine(wreck):
    """A point or two are undefined."""
    rows = wreck.rng.choice(wreck.triangles.reshape(-1), wreck.rng.integers(1, 3))
    wreck.vertices = wreck.vertices.copy()
    wreck.vertices[rows] = wreck.rng.choice([np.nan, np.inf, -np.inf], (len(rows), 3))


def fin(wreck):
    """A triangle hangs on an edge."""
    a, b, c = wreck.triangles[wreck.some()[0]]
    p, q, r = wreck.vertices[[a, b, c]]
    out = np.cross(q - p, r - p)
    length = np.linalg.norm(out)
    tip = 0.5 * (p + q) + (wreck.edge() * out / length if length > 0.0 else 0.0)
    wreck.add(tip, [a, b, len(wreck.vertices)])


def collapse(wreck):
    """Faces use a vertex twice, so that a sliver of a hole is left; their neighbours know nothing of it."""
    rows = wreck.some()
    wreck.triangles = wreck.triangles.copy()
    wreck.triangles[rows, 1] = wreck.triangles[rows, 0]


def shrink(wreck):
    """The corners of a face are moved into one point, exactly: faces without area, still joined."""
    row = int(wreck.rng.integers(len(wreck.truth[1])))
    corners = wreck.truth[1][row]
    wreck.move(corners, wreck.truth[0][corners].mean(axis=0) - wreck.truth[0][corners])


def split(wreck):
    """Edges have a vertex in the middle on one of their two sides."""
    for row in wreck.some():
        a, b, c = wreck.triangles[row]
        middle = len(wreck.vertices)
        wreck.triangles = wreck.triangles.copy()
        wreck.triangles[row] = [a, middle, c]
        wreck.add(0.5 * (wreck.vertices[a] + wreck.vertices[b]), [middle, b, c])


#: What moves the truth comes first, while its vertices are those of the mesh; within each group in the order drawn.
MOVES = {f.__name__: f for f in (jitter, pull, shrink)}
BREAKS = {f.__name__: f for f in (delete, flip, duplicate, back, unweld, undefine, fin, collapse, split)}
KINDS = (*MOVES, "merge", *BREAKS)


def _refined(solid, times):
    for _ in range(times):
        solid = subdivided(*solid)
    return solid


def _hollow_ball():
    return joined(sphere(2), moved(reverse(sphere(2)), scale=0.7))


def _bottle():
    body = shapes.bottle(12)
    return body.vertices, body.triangles


def _glass():
    body = shapes.wine_glass(10, 0.04)
    return body.vertices, body.triangles


#: Good meshes of 200 to 800 triangles.
GOOD = {
    "cube": lambda: _refined(box(), 3),
    "coarse cube": lambda: _refined(box(), 2),
    "ball": lambda: sphere(3),
    "stone": lambda: bumpy(3, 1),
    "ring": lambda: torus(1.0, 0.4, 24, 12),
    "knot": lambda: tube(solids.knot(2.0 * np.pi * np.arange(48) / 48), 0.3, 6, closed=True),
    "hollow ball": _hollow_ball,
    "two stones": lambda: joined(bumpy(2, 2), moved(bumpy(2, 3), (3.0, 0.5, 0.2))),
    "bottle": _bottle,
    "wine glass": _glass,
    "wall": architecture.wall_with_windows,
}


@dataclass(frozen=True)
class Damaged:
    """A damaged mesh and what it should be."""

    good: str
    kinds: tuple[str, ...]
    seed: int
    solid: tuple[np.ndarray, np.ndarray]
    truth: tuple[np.ndarray, np.ndarray]  #: closed, in the same place

    def __repr__(self) -> str:  # what hypothesis prints of a failure, and what runs it again
        return f"damage.damaged_by({self.good!r}, {self.kinds!r}, {self.seed})"


def damaged_by(good: str, kinds: tuple[str, ...], seed: int) -> Damaged:
    """A good mesh, turned at random and scaled to 0.01 .. 100, then broken. The same arguments give the same bits."""
    rng = np.random.default_rng([STREAM, seed])
    vertices, triangles = moved(GOOD[good](), seed=int(rng.integers(1 << 30)), scale=10.0 ** rng.uniform(-2.0, 2.0))
    wreck = Wreck(vertices, triangles, (vertices, triangles), rng)
    for kind in kinds:
        if kind in MOVES:
            MOVES[kind](wreck)
    if "merge" in kinds:
        merge(wreck)
    for kind in kinds:
        if kind in BREAKS:
            BREAKS[kind](wreck)
    return Damaged(good, kinds, seed, (wreck.vertices, wreck.triangles), wreck.truth)


def case(seed: int) -> Damaged:
    """One to three breakages of one of the good meshes, all by the seed."""
    rng = np.random.default_rng([STREAM, seed, 1])
    good = str(rng.choice(list(GOOD)))
    kinds = rng.choice(KINDS, rng.integers(1, 4), replace=False)
    return damaged_by(good, tuple(str(kind) for kind in kinds), seed)


def damaged() -> st.SearchStrategy[Damaged]:
    """Damaged meshes; shrinks to fewer breakages of an earlier mesh."""
    kinds = st.lists(st.sampled_from(KINDS), min_size=1, max_size=3, unique=True).map(tuple)
    return st.builds(damaged_by, st.sampled_from(list(GOOD)), kinds, st.integers(0, 2**20))
