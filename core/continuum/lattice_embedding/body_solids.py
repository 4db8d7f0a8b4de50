"""A body taken apart into solids, each of which gets a lattice of its own: nothing is glued that only lies close."""

from typing import NamedTuple

import numpy as np

from ...cutting.parts import split_parts
from ...geometry.enclosure import relations
from ...geometry.mesh import edge_table, find_shells
from ...geometry.shells import measure_shells
from ...types import Body, Ints


class BodySolid(NamedTuple):
    """A solid in one piece, with its hollows."""

    body: Body
    rows: Ints  #: triangles of the whole body


def split_solids(body: Body) -> list[BodySolid]:
    """The solids of a body, part by part, in the order of their first triangles."""
    found = []
    first = 0
    for part in split_parts(body):
        label = _solid_of_triangles(part)
        for solid in range(int(label.max()) + 1):
            rows = np.flatnonzero(label == solid)
            found.append(BodySolid(_taken(part, rows), first + rows))
        first += len(part.triangles)
    return found


def _taken(body: Body, rows: Ints) -> Body:
    if len(rows) == len(body.triangles):
        return Body(body.vertices, body.triangles, body.source)
    used, corner = np.unique(body.triangles[rows], return_inverse=True)
    return Body(body.vertices[used], corner.reshape(-1, 3).astype(np.int64), body.source[rows])


def _solid_of_triangles(body: Body) -> Ints:
    """The solid (T,) of each triangle: shells that face outward, and with each the hollows that it holds."""
    shell = find_shells(edge_table(body.triangles, len(body.vertices)))
    count = int(shell.max()) + 1
    if count == 1:
        return shell
    volume = measure_shells(body.vertices, body.triangles, shell).volume
    outward = volume > 0.0
    owner = np.arange(count)
    around = relations(body.vertices, body.triangles, shell, count)
    held = np.concatenate([around.hold, around.touch, around.touch[:, ::-1]])
    for hollow in np.flatnonzero(~outward):
        holders = held[(held[:, 1] == hollow) & outward[held[:, 0]], 0]
        if len(holders):
            owner[hollow] = holders[volume[holders].argmin()]
        elif outward.any():
            owner[hollow] = volume.argmax()
    _, label = np.unique(owner[shell], return_inverse=True)
    order = np.full(int(label.max()) + 1, len(shell))
    np.minimum.at(order, label, np.arange(len(shell)))
    rank = np.empty(len(order), np.int64)
    rank[np.argsort(order, kind="stable")] = np.arange(len(order))
    return np.asarray(rank[label], dtype=np.int64)
