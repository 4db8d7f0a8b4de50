"""Which border loops are holes to be closed, and which belong to sheets.

A shell with borders is one or the other as a whole. It is closed where the caps are a small part of it, or where they
cannot be seen because its borders lie within other shells (eyes in a head, the end of a handle in its cup); what
encloses next to nothing then is a sheet all the same, and so is what has only one side.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np

from ..geometry import packed
from ..geometry.capping import Caps, caps
from ..geometry.mesh import areas, cross_rows
from ..geometry.orientation import orient
from ..types import Bools, Floats, Ints
from .loops import BorderLoops, border_loops

Mode = Literal["auto", "close", "thicken"]
#: (shell (T,), points (n,3), shell of each point (n,)) -> winding number (n,) of all shells but the point's own one.
Others = Callable[[Ints, Floats, Ints], Floats]

# Of caps in the area of a closed shell, up to which it is closed without being asked; by eye, tried on a zoo of meshes:
# docs/decisions.md, Intake.
SHARE = 0.15
#: Part of the border within other shells: where their winding number is above the second. 0.5 is that of points in the
#: plane of an opening, as of a lid in its pot. 0.9 by eye; 0.75 is half-way between in and at the opening, where a
#: prototype had 0.5.
HIDDEN, _WITHIN = 0.9, 0.75
ROUNDEST = 6.0 * np.sqrt(np.pi)  # a sphere's area^1.5 / volume
# Volume of a closed shell at least, relative to the sphere of the same area; by eye, as on a prototype: a flat bag has
# less.
_FULL = 1e-3
_LOOKS = 64  # border vertices of a shell that are looked at; chosen by time


class Holes(NamedTuple):
    """Caps for what is closed, and what is not."""

    caps: Ints  #: (n,3) new triangles of given vertices, running as the faces at most edges of their loop want it
    cap_loop: Ints  #: (n,) loop of each, 0.. among those closed, never falling
    cap_neighbour: Ints  #: (n,) the triangle at the longest edge of its loop
    sheet: Bools  #: (T,) triangles of shells with border loops that are left open
    flat: int  #: loops closed that lie in a plane
    curved: int  #: loops closed that do not
    inside: int  #: how many of both are closed because other shells hide them
    share: float  #: area of the caps in that of the mesh with them
    left: int  #: loops left open, and rows of border edges that end at edges with three faces or more


def holes(vertices: Floats, triangles: Ints, mode: Mode, others: Others | None = None) -> Holes:
    """Decide which shells of a mesh are closed, and close them.

    Parameters: `vertices (V,3)` in any unit; `triangles (T,3)` without repeated vertices; `mode`: "auto" as the module
    says, "close" what then has a volume, "thicken" closes nothing; `others` tells where shells lie within others
    (None: nowhere).
    """
    loops = border_loops(triangles)
    if mode == "thicken" or len(loops.of_shell) == 0:
        return _nothing(loops)
    closing = caps(vertices[loops.vertex], loops.start, _barred(loops))
    own, new = areas(vertices, triangles), areas(vertices, loops.vertex[closing.triangles])
    cap_shell = loops.of_shell[closing.loop]
    area_new = np.bincount(cap_shell, weights=new, minlength=_count(loops))
    area = np.bincount(loops.shell, weights=own, minlength=_count(loops)) + area_new
    volume = _volumes(vertices, triangles, loops, closing)
    full = ROUNDEST * volume >= _FULL * area * np.sqrt(area)
    close = (np.bincount(loops.of_shell, minlength=len(area)) > 0) & full & (area > 0.0)
    hidden = np.zeros(len(close), dtype=np.bool_)
    if mode == "auto":
        large = close & (area_new > SHARE * area)
        if others is not None and large.any() and len(close) > 1:
            hidden = large & _hidden(vertices, loops, large, others)
        close &= ~large | hidden
    return _closed(vertices, loops, closing, close, hidden, own, new)


def _count(loops: BorderLoops) -> int:
    return int(loops.shell.max()) + 1 if len(loops.shell) else 0


def _open_shells(loops: BorderLoops) -> Bools:
    """Shells (n,) with loops of border edges alone."""
    return np.asarray(np.bincount(loops.of_shell[loops.whole], minlength=_count(loops)) > 0)


def _nothing(loops: BorderLoops) -> Holes:
    none = np.empty(0, np.int64)
    left = len(loops.of_shell) + len(loops.chains)
    return Holes(none.reshape(0, 3), none, none, _open_shells(loops)[loops.shell], 0, 0, 0, 0.0, left)


def _closed(
    vertices: Floats, loops: BorderLoops, closing: Caps, close: Bools, hidden: Bools, own: Floats, new: Floats
) -> Holes:
    chosen = close[loops.of_shell]  # loops
    if not chosen.any():
        return _nothing(loops)
    rows = chosen[closing.loop]
    added = float(np.cumsum(new[rows])[-1])
    return Holes(
        caps=loops.vertex[closing.triangles[rows]],
        cap_loop=(np.cumsum(chosen) - 1)[closing.loop[rows]],
        cap_neighbour=_neighbours(vertices, loops)[closing.loop[rows]],
        sheet=(_open_shells(loops) & ~close)[loops.shell],
        flat=int((chosen & closing.flat).sum()),
        curved=int((chosen & ~closing.flat).sum()),
        inside=int(hidden[loops.of_shell].sum()),
        share=added / (added + float(np.cumsum(own)[-1])),
        left=int((~chosen).sum()) + len(loops.chains),
    )


def _neighbours(vertices: Floats, loops: BorderLoops) -> Ints:
    """The triangle (L,) at the longest border edge of each loop."""
    side = vertices[loops.vertex[packed.following(loops.start)]] - vertices[loops.vertex]
    length = np.where(loops.half < 0, -1.0, np.square(side).sum(axis=1))
    longest = np.repeat(np.maximum.reduceat(length, loops.start[:-1]), np.diff(loops.start))
    at = np.where(length == longest, np.arange(len(length)), len(length))
    return np.asarray(loops.half[np.minimum.reduceat(at, loops.start[:-1])] // 3)


def _barred(loops: BorderLoops) -> Ints:
    """Pairs (n,2) of points of one loop that an edge of the mesh joins across it."""
    order = np.argsort(loops.vertex, kind="stable")  # the points at each vertex
    vertex, first, times = np.unique(loops.vertex[order], return_index=True, return_counts=True)
    at = np.full(int(loops.edges.ends.max()) + 1, -1, np.int64)
    at[vertex] = np.arange(len(vertex))
    inner = loops.edges.ends[(loops.uses > 1) & (at[loops.edges.ends] >= 0).all(axis=1)]
    pairs = at[inner]
    for k in range(2):  # each pair of vertices to all pairs of points there
        many = times[pairs[:, k]]
        step = np.arange(int(many.sum())) - np.repeat(np.cumsum(many) - many, many)
        pairs = np.repeat(pairs, many, axis=0)
        inner = np.repeat(inner, many, axis=0)
        inner[:, k] = order[first[pairs[:, k]] + step]
    loop = np.repeat(np.arange(len(loops.of_shell)), np.diff(loops.start))
    return np.asarray(inner[loop[inner[:, 0]] == loop[inner[:, 1]]])


def _volumes(vertices: Floats, triangles: Ints, loops: BorderLoops, closing: Caps) -> Floats:
    """Volume (n,) of each shell with its caps, all turned to agree; 0 where that is impossible."""
    against = loops.edges.surplus[loops.edges.of_half[loops.pairs[:, 0]]] != 0
    border = np.flatnonzero(loops.half >= 0)
    loop = np.repeat(np.arange(len(loops.of_shell)), np.diff(loops.start))[border]
    along = triangles.reshape(-1)[loops.half[border]] == loops.vertex[border]
    links = np.concatenate([loops.pairs // 3, np.stack([loops.half[border] // 3, len(triangles) + loop], axis=1)])
    nodes = len(triangles) + len(loops.of_shell)
    turned, conflict = orient(nodes, links, np.concatenate([against, along]))
    shell = np.concatenate([loops.shell, loops.of_shell[closing.loop]])
    faces = np.concatenate([triangles, loops.vertex[closing.triangles]])
    sign = 1.0 - 2.0 * np.concatenate([turned[: len(triangles)], turned[len(triangles) :][closing.loop]])
    origin = np.empty((_count(loops), 3))
    origin[loops.shell[::-1]] = vertices[triangles[::-1, 0]]  # a point of each shell
    a, b, c = (vertices[faces[:, k]] - origin[shell] for k in range(3))
    volume = np.bincount(shell, weights=sign * (a * cross_rows(b, c)).sum(axis=1) / 6.0, minlength=len(origin))
    one_sided = np.bincount(loops.shell, weights=conflict[: len(triangles)], minlength=len(origin)) > 0.0
    one_sided |= np.bincount(loops.of_shell, weights=conflict[len(triangles) :], minlength=len(origin)) > 0.0
    return np.where(one_sided, 0.0, np.abs(volume))


def _hidden(vertices: Floats, loops: BorderLoops, asked: Bools, others: Others) -> Bools:
    """Which of the shells (n,) that are asked for have their borders within other shells."""
    shell = np.repeat(loops.of_shell, np.diff(loops.start))
    at = np.flatnonzero(asked[shell])
    at = at[np.argsort(shell[at], kind="stable")]
    count = np.bincount(shell[at], minlength=len(asked))
    rank = np.arange(len(at)) - np.repeat(np.cumsum(count) - count, count)
    at = at[rank % np.maximum(1, -(-count // _LOOKS))[shell[at]] == 0]
    within = np.abs(others(loops.shell, vertices[loops.vertex[at]], shell[at])) > _WITHIN
    looked = np.bincount(shell[at], minlength=len(asked))
    found = np.bincount(shell[at], weights=within, minlength=len(asked))
    return np.asarray(found > HIDDEN * looked)
