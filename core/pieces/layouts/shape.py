"""What kind of thing a body is: a flat plate, a curved shell or a solid. Sites of thin bodies lie in one layer."""

from dataclasses import dataclass

import numpy as np

from ...geometry.mesh import cross
from ...types import Body, Floats, Frozen

#: A plate is thinner than this share of its middle extent.
PLATE_RATIO = 0.25
#: A plate's extent across may exceed its mean thickness by this factor (rims count); more means that it is bent.
PLATE_FLATNESS = 1.6
#: A shell is thinner than this share of the root of its area.
SHELL_RATIO = 0.1
#: Cells go through the whole thickness until the wall is this much thicker than the cells are wide.
LAYER_RATIO = 1.5


@dataclass(frozen=True, eq=False, slots=True)
class Shape(Frozen):
    """A body with its proportions."""

    body: Body
    kind: str  #: "plate", "shell" or "solid"
    centre: Floats  #: (3,) middle of the oriented box
    axes: Floats  #: (3,3) rows: for a plate two directions in it and its normal, else the world's axes
    extent: Floats  #: (3,) lengths along the axes
    thickness: float  #: of the wall; for a solid twice its volume over its area
    area: float  #: of the middle surface: half of the skin
    volume: float

    @property
    def thin(self) -> bool:
        """Whether there is a middle surface to speak of."""
        return self.kind != "solid"

    def layered(self, count: int) -> bool:
        """Whether `count` cells reach from one side of the body to the other, so that their sites form one layer."""
        return self.thin and self.thickness < LAYER_RATIO * float(np.sqrt(self.area / count))

    def spacing(self, count: int) -> float:
        """Mean distance of the sites of `count` equal cells."""
        if self.layered(count):
            return float(np.sqrt(self.area / count))
        return float(np.cbrt(self.volume / count))


def skin(body: Body) -> tuple[Floats, Floats]:
    """Area (T,) and outward unit normal (T,3) of each triangle; zero normals where a triangle has no area."""
    a, b, c = (body.vertices[body.triangles[:, k]] for k in range(3))
    normal = cross(b - a, c - a)
    squared = np.square(normal)
    length = np.sqrt(squared[:, 0] + squared[:, 1] + squared[:, 2])
    return 0.5 * length, normal / np.where(length > 0.0, length, 1.0)[:, None]


def measure(body: Body) -> Shape:
    """Find the proportions of a closed body.

    The normal of a plate is the shortest axis of the skin's second moment about its centroid; a triangle abc with
    centroid g contributes A (aa + bb + cc + 9 gg)/12.
    """
    area, _ = skin(body)
    total = float(area.sum())
    a, b, c = np.ascontiguousarray(body.vertices.T)[:, body.triangles.T].swapaxes(0, 1)  # coordinates (3,T) each
    g = (a + b + c) / 3.0
    middle = (area * g).sum(axis=1)[:, None] / total
    a, b, c, g = a - middle, b - middle, c - middle, g - middle
    moment = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            moment[i, j] = (area * (a[i] * a[j] + b[i] * b[j] + c[i] * c[j] + 9.0 * g[i] * g[j])).sum()
    normal = np.linalg.eigh(moment)[1][:, 0]
    along = body.vertices @ axes_around(normal).T
    extent = np.ptp(along, axis=0)
    volume = float((a * cross(b.T, c.T).T).sum()) / 6.0
    wall, plate = 2.0 * volume / total, False
    if extent[2] < PLATE_RATIO * extent[:2].min() and extent[2] < PLATE_FLATNESS * wall:
        kind, wall, plate = "plate", float(extent[2]), True
    else:
        kind = "shell" if wall < SHELL_RATIO * np.sqrt(0.5 * total) else "solid"
    # Principal directions of a cube or a ball are round-off; the world's axes are the same at every size.
    axes = axes_around(normal) if plate else np.eye(3)
    along = body.vertices @ axes.T
    low, high = along.min(axis=0), along.max(axis=0)
    return Shape(body, kind, 0.5 * (low + high) @ axes, axes, high - low, wall, 0.5 * total, volume)


def axes_around(normal: Floats) -> Floats:
    """Rows: two directions across a normal and the normal itself, from the normal alone and whatever its sign."""
    size = np.round(np.abs(normal), 6)  # ties must not be decided by round-off
    normal = normal * np.sign(normal[size.argmax()])
    first = np.eye(3)[size.argmin()]
    first = first - (first @ normal) * normal
    first /= np.linalg.norm(first)
    return np.stack((first, np.cross(normal, first), normal))
