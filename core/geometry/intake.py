"""The door: an artist's mesh becomes a closed, outward, non-overlapping body, or one sentence says why not.

What is mended without asking, with a note: bit-equal border vertices are welded, faces that use a vertex twice and
second copies of a face are dropped, parts that are inside out are turned. Everything else is refused: holes, faces
that run against each other, more than two faces at an edge, flat parts, crossing faces, matter inside matter.
All lengths are relative to the mesh: the verdict does not depend on its size.

Limitation: overlap that shows in no crossing pair (surfaces that meet exactly along edges) is looked for at the best
face of each shell and at 4,096 faces spread over the mesh.
"""

from dataclasses import dataclass

import numpy as np

from ..errors import InputError
from ..jit import sealed_floats, sealed_ints
from ..types import Body, Bools, Floats, Ints, Mesh
from .crossings import LIMIT, crossing_pairs
from .inside import winding_number
from .mesh import Edges, edge_census, edge_table, shells, unbalanced_edges
from .shells import Measures, measures

FLAT = 2.0**-23  # volume / area^1.5 below which a shell encloses nothing; half the spacing of float32
PROBES = 4096  # faces at which the winding number is looked at, besides the best face of each shell
PROBE_STEP = 1e-3  # distance of a probe from its face, in inradii of the face


@dataclass(frozen=True, eq=False, slots=True)
class Taken:
    """A body that can be cut, and what had to be mended: one sentence each."""

    body: Body
    repaired: tuple[str, ...]


def intake(mesh: Mesh) -> Taken:
    """Check and mend a mesh; raises InputError with a sentence for the artist when that is impossible."""
    notes: list[str] = []
    triangles, source = _usable_faces(mesh, notes)
    triangles, source, edges = _welded(mesh, triangles, source, notes)
    vertices, triangles = _used_vertices(sealed_floats(mesh.vertices), triangles)
    shell = shells(edges)
    found = measures(vertices, triangles, shell)
    _refuse_open_or_tangled(mesh.name, edges, found)
    _refuse_crossings(mesh.name, vertices, triangles)
    turned = _turned_shells(mesh.name, vertices, triangles, shell, found)
    if turned.any():
        notes.append(
            "The mesh was inside out and has been turned."
            if turned.all()
            else f"{_count(int(turned.sum()), 'part')} of {len(turned)} inside out: turned."
        )
        flip = turned[shell]
        triangles = np.where(flip[:, None], triangles[:, [0, 2, 1]], triangles)
        return Taken(Body(vertices, triangles, source, flip), tuple(notes))
    return Taken(Body(vertices, triangles, source), tuple(notes))


def source_corners(body: Body) -> Ints:
    """The corner (T,3) of its source triangle at which each corner of the body's triangles lies: 0, 1, 2 or 0, 2, 1."""
    corners = np.tile(np.arange(3), (len(body.triangles), 1))
    if len(body.turned) > 0:
        corners[body.turned] = [0, 2, 1]
    return corners


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _degenerate(triangles: Ints) -> Bools:
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    return np.asarray((a == b) | (b == c) | (c == a))


def _usable_faces(mesh: Mesh, notes: list[str]) -> tuple[Ints, Ints]:
    """Triangles with three different, finite vertices, and their rows in the mesh."""
    triangles = sealed_ints(mesh.triangles).reshape(-1, 3)
    if len(triangles) > 0 and (triangles.min() < 0 or triangles.max() >= len(mesh.vertices)):
        raise InputError(
            f'"{mesh.name}" has faces that point to missing vertices: its data is damaged, import it again.'
        )
    bad = _degenerate(triangles)
    source = np.flatnonzero(~bad)
    if len(source) == 0:
        raise InputError(
            f'"{mesh.name}" has no faces: choose an object with a surface, or convert it to a mesh first '
            "(Object > Convert > Mesh)."
        )
    if bad.any():
        notes.append(f"{_count(int(bad.sum()), 'face')} without three different corners dropped.")
        triangles = triangles[source]
    finite = np.isfinite(mesh.vertices)
    infinite = 0 if finite.all() else len(np.intersect1d(triangles, np.flatnonzero(~finite.all(axis=1))))
    if infinite > 0:
        raise InputError(
            f'"{mesh.name}" has {_count(infinite, "point")} at infinite or undefined '
            "coordinates: delete them, or turn off the modifier that makes them."
        )
    return triangles, source


def _welded(mesh: Mesh, triangles: Ints, source: Ints, notes: list[str]) -> tuple[Ints, Ints, Edges]:
    """Weld what is bit-equal where the surface is not closed: triangles, their rows in the mesh, their edges."""
    edges = edge_table(triangles)
    loose = np.unique(unbalanced_edges(edges))
    if len(loose) == 0:
        return triangles, source, edges
    del edges  # memory: the welded mesh has others
    weld, welded = _weld(sealed_floats(mesh.vertices), loose)
    triangles = weld[triangles]
    keep = ~_degenerate(triangles)
    vanished = int((~keep).sum())
    keep &= _first_copies(triangles)
    copies = len(triangles) - vanished - int(keep.sum())
    triangles, source = triangles[keep], source[keep]
    if welded > 0:
        notes.append(f"{_count(welded, 'double point')} welded.")
    if vanished > 0:
        notes.append(f"{_count(vanished, 'face')} without three different corners dropped.")
    if copies > 0:
        notes.append(f"{_count(copies, 'double face')} dropped.")
    return triangles, source, edge_table(triangles)


def _refuse_open_or_tangled(name: str, edges: Edges, found: Measures) -> None:
    border, turned, crowded = edge_census(edges)
    if border > 0:
        raise InputError(
            f'"{name}" is open, with {_count(border, "boundary edge")}: close the holes '
            "(Mesh > Clean Up > Fill Holes) or give it thickness with a Solidify modifier."
        )
    if turned == 0:  # a sheet with two sides has crowded edges as well, but thickness is what it lacks
        _refuse_flat_parts(name, found)
    if crowded > 0:
        raise InputError(
            f'"{name}" has {_count(crowded, "edge")} where more than two faces meet: delete the inner faces '
            "(Select > Select All by Trait > Non Manifold shows them) or apply a Remesh modifier."
        )
    if turned > 0:
        raise InputError(
            f'"{name}" has faces that point in different directions, at {_count(turned, "edge")}: '
            "use Mesh > Normals > Recalculate Outside in edit mode."
        )


def _weld(vertices: Floats, chosen: Ints) -> tuple[Ints, int]:
    """The first of the chosen vertices with equal coordinates, for each vertex (V,); and how many were replaced."""
    weld = np.arange(len(vertices))
    points = vertices[chosen]
    order = np.lexsort((points[:, 2], points[:, 1], points[:, 0]))  # stable: the lowest number comes first
    first = np.ones(len(order), dtype=np.bool_)
    first[1:] = (points[order[1:]] != points[order[:-1]]).any(axis=1)
    weld[chosen[order]] = chosen[order[np.flatnonzero(first)[np.cumsum(first) - 1]]]
    return weld, int((~first).sum())


def _first_copies(triangles: Ints) -> Bools:
    """False at triangles that repeat an earlier one, corners in the same cyclic order."""
    start = triangles.argmin(axis=1)
    cyclic = np.take_along_axis(triangles, (start[:, None] + np.arange(3)) % 3, axis=1)
    order = np.lexsort((cyclic[:, 2], cyclic[:, 1], cyclic[:, 0]))
    keep = np.ones(len(triangles), dtype=np.bool_)
    keep[order[1:]] = (cyclic[order[1:]] != cyclic[order[:-1]]).any(axis=1)
    return keep


def _used_vertices(vertices: Floats, triangles: Ints) -> tuple[Floats, Ints]:
    used = np.zeros(len(vertices), dtype=np.bool_)
    used[triangles] = True
    if used.all():
        return vertices, triangles
    return vertices[used], (np.cumsum(used) - 1)[triangles]


def _refuse_flat_parts(name: str, found: Measures) -> None:
    flat = np.abs(found.volume) <= FLAT * found.area**1.5
    if flat.all():
        raise InputError(f'"{name}" encloses no volume: give it thickness with a Solidify modifier.')
    if flat.any():
        raise InputError(
            f'{_count(int(flat.sum()), "part")} of "{name}" without volume: delete what is flat, '
            "or give it thickness with a Solidify modifier."
        )


def _refuse_crossings(name: str, vertices: Floats, triangles: Ints) -> None:
    found = len(crossing_pairs(vertices, triangles))
    if found > 0:
        places = f"{LIMIT} places or more" if found == LIMIT else _count(found, "place")
        raise InputError(
            f'"{name}" crosses or overlaps itself in {places} (pairs of triangles): '
            "unite its parts with a Boolean modifier (Union), or apply a Remesh modifier."
        )


def _turned_shells(name: str, vertices: Floats, triangles: Ints, shell: Ints, found: Measures) -> Bools:
    """Which shells (n,) are inside out; refuses matter within matter.

    The winding number just in front of a face must be 0 and just behind it 1. At a shell that is inside out and not
    nested it is -1 and 0; turning adds 1 on both sides, which repairs a body that is inside out together with its
    cavities as well.
    """
    radius, best = found.radius, found.best
    spread = np.arange(0, len(triangles), max(1, len(triangles) // PROBES))
    faces = np.concatenate([best, spread])
    faces = faces[PROBE_STEP * radius[faces] > 1e-13 * max(vertices.max(), -vertices.min())]
    corner = vertices[triangles[faces]]
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    step = (PROBE_STEP * radius[faces] / np.sqrt(np.einsum("ti,ti->t", normal, normal)))[:, None] * normal
    centre = _incentres(corner)
    probes = np.concatenate([centre + step, centre - step])
    front, behind = winding_number(vertices, triangles, probes).reshape(2, -1)
    turned = np.zeros(len(best), dtype=np.bool_)
    known = np.isin(faces, best)
    turned[shell[faces[known]]] = (front == -1)[known] & (behind == 0)[known]
    if turned.any():
        flipped = np.where(turned[shell][:, None], triangles[:, [0, 2, 1]], triangles)
        front, behind = winding_number(vertices, flipped, probes).reshape(2, -1)
        front, behind = np.where(turned[shell[faces]], (behind, front), (front, behind))
    if (front != 0).any() or (behind != 1).any():
        raise InputError(
            f'Parts of "{name}" lie inside each other, so their matter would count twice: unite them with a Boolean '
            "modifier (Union), delete the inner one, or flip its normals (Mesh > Normals > Flip) to make it a hollow."
        )
    return turned


def _incentres(corner: Floats) -> Floats:
    """Centre of the inscribed circle of triangles (n,3,3): the point farthest from all sides."""
    length = np.stack(
        [np.linalg.norm(corner[:, (k + 2) % 3] - corner[:, (k + 1) % 3], axis=1) for k in range(3)], axis=1
    )
    return np.asarray(np.einsum("tk,tki->ti", length / length.sum(axis=1)[:, None], corner))
