"""What kind of thing a body is: a flat plate, a curved shell or a solid. Sites of thin bodies lie in one layer."""

from dataclasses import dataclass

import numpy as np

from ...arithmetic.elementary import cbrt
from ...arithmetic.products import apply, dot, norm
from ...arithmetic.small_matrices import eigen_symmetric
from ...geometry.mesh import bounds, cross_rows, map_vectors
from ...jit import njit_no_refs, sealed_floats, sealed_ints
from ...types import Body, Floats, Frozen, Ints

#: A plate is thinner than this share of its middle extent. Chosen by eye; with 0.12, tried before, thick slabs were no
#: plates.
PLATE_RATIO = 0.25
#: A plate's extent across may exceed its mean thickness by this factor (rims count); more means that it is bent. Chosen
#: by eye: more takes shallow bowls for plates, less takes trays for shells.
PLATE_FLATNESS = 1.6
#: A shell is thinner than this share of the root of its area. Chosen by eye: what is thicker is cut as a solid, with
#: several layers of pieces.
SHELL_RATIO = 0.1
#: Cells go through the whole thickness until the wall is this much thicker than the cells are wide. Chosen by eye:
#: pieces as thick as wide read as sugar cubes (the look study), so a second layer comes late.
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
        return float(cbrt(self.volume / count))


def measure_skin(body: Body) -> tuple[Floats, Floats]:
    """Area (T,) and outward unit normal (T,3) of each triangle; zero normals where a triangle has no area."""
    a, b, c = (body.vertices[body.triangles[:, k]] for k in range(3))
    normal = cross_rows(b - a, c - a)
    squared = np.square(normal)
    length = np.sqrt(squared[:, 0] + squared[:, 1] + squared[:, 2])
    return 0.5 * length, normal / np.where(length > 0.0, length, 1.0)[:, None]


def measure(body: Body) -> Shape:
    """Find the proportions of a closed body.

    The normal of a plate is the shortest axis of the skin's second moment about its centroid; a triangle abc with
    centroid g contributes A (aa + bb + cc + 9 gg)/12.
    """
    sums = np.zeros(11)
    _sum_up(sealed_floats(body.vertices), sealed_ints(body.triangles), sums)
    total, volume = float(sums[0]), float(sums[10])
    xx, yy, zz, xy, yz, zx = sums[4:10]
    normal = eigen_symmetric(np.array([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]]))[1][:, 0]
    low, high = bounds(map_vectors(body.vertices, axes_around(normal)))
    extent = high - low
    wall, plate = 2.0 * volume / total, False
    if extent[2] < PLATE_RATIO * extent[:2].min() and extent[2] < PLATE_FLATNESS * wall:
        kind, wall, plate = "plate", float(extent[2]), True
    else:
        kind = "shell" if wall < SHELL_RATIO * np.sqrt(0.5 * total) else "solid"
    # Principal directions of a cube or a ball are round-off; the world's axes are the same at every size.
    axes = axes_around(normal) if plate else np.eye(3)
    low, high = bounds(map_vectors(body.vertices, axes))
    return Shape(body, kind, apply(axes.T, 0.5 * (low + high)), axes, high - low, wall, 0.5 * total, volume)


@njit_no_refs
def _sum_up(vertices: Floats, triangles: Ints, sums: Floats) -> None:
    """Area; centroid of the skin; its second moment about it, twelvefold (xx, yy, zz, xy, yz, zx); volume."""
    for turn in range(2):
        mx, my, mz = sums[1], sums[2], sums[3]
        for t in range(len(triangles)):
            i, j, k = triangles[t, 0], triangles[t, 1], triangles[t, 2]
            ax, ay, az = vertices[i, 0] - mx, vertices[i, 1] - my, vertices[i, 2] - mz
            bx, by, bz = vertices[j, 0] - mx, vertices[j, 1] - my, vertices[j, 2] - mz
            cx, cy, cz = vertices[k, 0] - mx, vertices[k, 1] - my, vertices[k, 2] - mz
            ux, uy, uz, wx, wy, wz = bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az
            nx, ny, nz = uy * wz - uz * wy, uz * wx - ux * wz, ux * wy - uy * wx
            area = 0.5 * np.sqrt(nx * nx + ny * ny + nz * nz)
            sx, sy, sz = ax + bx + cx, ay + by + cy, az + bz + cz  # three times the centroid
            if turn == 0:
                sums[0] += area
                sums[1] += area * sx / 3.0
                sums[2] += area * sy / 3.0
                sums[3] += area * sz / 3.0
                continue
            sums[4] += area * (ax * ax + bx * bx + cx * cx + sx * sx)
            sums[5] += area * (ay * ay + by * by + cy * cy + sy * sy)
            sums[6] += area * (az * az + bz * bz + cz * cz + sz * sz)
            sums[7] += area * (ax * ay + bx * by + cx * cy + sx * sy)
            sums[8] += area * (ay * az + by * bz + cy * cz + sy * sz)
            sums[9] += area * (az * ax + bz * bx + cz * cx + sz * sx)
            sums[10] += (ax * nx + ay * ny + az * nz) / 6.0
        if turn == 0 and sums[0] > 0.0:
            for c in range(1, 4):
                sums[c] /= sums[0]


def axes_around(normal: Floats) -> Floats:
    """Rows: two directions across a normal and the normal itself, from the normal alone and whatever its sign."""
    size = np.round(np.abs(normal), 6)  # ties must not be decided by round-off
    normal = normal * np.sign(normal[size.argmax()])
    first = np.eye(3)[size.argmin()]
    first = first - dot(first, normal) * normal
    first /= norm(first)
    return np.stack((first, np.cross(normal, first), normal))
