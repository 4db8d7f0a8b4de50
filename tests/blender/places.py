"""Where things lie, found without the bridge."""

import numpy as np


def edge_under(ends, mesh):
    """The edge of the source on which both ends lie, None without one."""
    place = np.array([vertex.co for vertex in mesh.vertices])
    a, b = place[np.array([edge.vertices for edge in mesh.edges])].transpose(1, 0, 2)
    d = b - a
    on = np.ones(len(d), bool)
    for end in ends:
        s = np.einsum("ij,ij->i", end - a, d) / (d * d).sum(axis=1)
        on &= np.all(np.abs(end - a - s[:, None] * d) < 2e-6, axis=1) & (s > -1e-5) & (s < 1 + 1e-5)
    return int(np.argmax(on)) if on.any() else None


def in_world_axes(mesh):
    """(V,3) vertices of a `core.types.Mesh` in body coordinates."""
    return mesh.vertices @ mesh.turn.T
