"""The Utah teapot from its 32 Bezier patches (M. Newell 1975, flattened as usual), each tessellated on its own.

The published control points are regular: 24 patches are quarter turns of six profiles, whose control nets hold
(r, 0), (r, 0.56 r), (0.56 r, r), (0, r) (the print rounds 0.448 to 0.45 in the knob); handle and spout are two patches
on either side of the plane y = 0.
"""

import numpy as np

from core.arithmetic.products import multiply
from core.continuum.lattice_shapes.teapot_parts import HANDLE, SPOUT

from .parts import area, closed_by_fans, diagonal, joined, reverse, signed_volume, surface

QUARTER = 0.56  # of the radius; a circle would be 0.5523
#: Control points (r, z) of the profiles: rim, two of the body, two of the lid, bottom.
PROFILES = (
    ((1.4, 2.4), (1.3375, 2.53125), (1.4375, 2.53125), (1.5, 2.4)),
    ((1.5, 2.4), (1.75, 1.875), (2.0, 1.35), (2.0, 0.9)),
    ((2.0, 0.9), (2.0, 0.45), (1.5, 0.225), (1.5, 0.15)),
    ((0.0, 3.15), (0.8, 3.15), (0.0, 2.85), (0.2, 2.7)),
    ((0.2, 2.7), (0.4, 2.55), (1.3, 2.55), (1.3, 2.4)),
    ((1.5, 0.15), (1.5, 0.075), (1.425, 0.0), (0.0, 0.0)),
)


def patches():
    """The 32 control nets (4,4,3)."""
    nets = []
    for profile in PROFILES:
        radius, height = np.array(profile).T
        for turn in range(4):
            corner = np.array([(1.0, 0.0), (1.0, QUARTER), (QUARTER, 1.0), (0.0, 1.0)])
            for _ in range(turn):
                corner = np.stack([-corner[:, 1], corner[:, 0]], axis=1)
            across = radius[:, None, None] * corner
            nets.append(np.concatenate([across, np.repeat(height[:, None, None], 4, axis=1)], axis=2))
    for rows in (HANDLE, SPOUT):
        for first in (0, 3):
            for side in (-1.0, 1.0):
                nets.append(_half_ring(rows[first : first + 4], side))
    return nets


def _half_ring(rows, side):
    x, z, far_x, far_z, width = rows.T
    width = side * width
    net = np.stack(
        [
            np.stack([x, 0.0 * x, z], axis=1),
            np.stack([x, width, z], axis=1),
            np.stack([far_x, width, far_z], axis=1),
            np.stack([far_x, 0.0 * x, far_z], axis=1),
        ],
        axis=1,
    )
    return net if side > 0.0 else net[:, ::-1]


def tessellated(net, steps):
    """An open grid of (steps+1)^2 points on a bicubic Bezier patch."""
    t = np.arange(steps + 1) / steps
    r = 1.0 - t
    bernstein = np.stack([r * r * r, 3.0 * t * r * r, 3.0 * t * t * r, t * t * t], axis=1)
    across = multiply(bernstein, net)  # (4,v,3)
    # No powers and no products of a library: which points that nearly meet are welded hangs on their last bits.
    return surface(multiply(bernstein, across.reshape(4, -1)).reshape(steps + 1, steps + 1, 3))


def teapot(steps=6):
    """32 open shells that meet bit for bit or nearly, 2 x 32 x steps^2 triangles."""
    return joined(*(tessellated(net, steps) for net in patches()))


def whole_parts(steps=6):
    """Pot, lid, handle and spout as closed shells: what is missing is a flat lid on each opening."""
    nets = patches()
    groups = (nets[:12] + nets[20:24], nets[12:20], nets[24:28], nets[28:])
    shells = [closed_by_fans(joined(*(tessellated(net, steps) for net in group))) for group in groups]
    return [shell if signed_volume(shell) > 0.0 else reverse(shell) for shell in shells]


def lid_as_sheet():
    """Volume of the lid alone, 1 % of the teapot's diagonal thick [m^3]; curvature left out."""
    lid = joined(*(tessellated(net, 6) for net in patches()[12:20]))
    return 0.01 * diagonal(teapot()) * area(lid)
