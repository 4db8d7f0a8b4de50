"""Several closed solids in one mesh become one body: overlaps united, cavities cut out, nested solids by rule.

Which solids touch and which lie in which is found by geometry/enclosure.py, what becomes of each is decided by
nesting.py. Solids that touch nothing pass with their bits. Those that pass through each other are united by our own
arrangement, the others by manifold3d, which decides every tie by one symbolic shift and treats faces that lie on each
other exactly. It gets triangles with their row as `face_id`, so every triangle of the result knows the one it lies in.

Limitation: solids nearer than 1e-12 of the size that do not touch stay apart with a slit between them; coordinates on
a grid (the ladder's) have none.
"""

from collections.abc import Iterable
from typing import Literal, NamedTuple

import manifold3d
import numpy as np

from ..errors import InputError
from ..geometry.arrangement import TangleError, find_winding_skin
from ..geometry.enclosure import Relations, relations
from ..geometry.mesh import edge_table, is_manifold, volume
from ..geometry.shells import measure_shells
from ..types import Bools, Floats, Ints
from .nesting import NestingPlan, Piece, plan
from .surface import used_vertices

# Of the volumes that go in: what a union may be off; chosen: manifold3d works to 1e-12 of the size, which is more of
# the volume where solids are thin.
_SAME = 1e-9
_FAILED = "Overlapping parts of the mesh could not be united: allow Remesh, or keep the parts."
# Of a solid's volume: what of it must lie in another one, which it touches, to be a cavity of that; a majority.
_WITHIN = 0.5


class Untied(InputError):
    """A solid, or a union, that manifold3d refuses; `solid` is its number."""

    def __init__(self, message: str, solid: int) -> None:
        super().__init__(message)
        self.solid = solid


class United(NamedTuple):
    """The solids put together. Parts are closed, face outward, do not overlap themselves and share no vertices."""

    vertices: Floats  #: (V,3) [m]
    triangles: Ints  #: (n,3)
    parent: Ints  #: (n,) input triangle in which each lies
    flip: Bools  #: (n,) whether it faces against that: walls of cavities
    part: Ints  #: (n,) ascending, 0.. without gaps
    cavities: int  #: solids given inside out within matter: cut out of it
    absorbed: int  #: solids within matter that were dropped
    hollowed: int  #: solids within matter that became cavities
    own: int  #: solids within matter that became parts, in cavities of their shape
    fused: int  #: solids that were united with another
    overlapping: int  #: solids that touch another and were kept as parts
    overlap: float  #: volumes of all solids, those of cavities negative, minus that of the result: counted twice [m^3]


def unite(
    vertices: Floats,
    triangles: Ints,
    solid: Ints,
    inside_out: Bools,
    *,
    nested: Literal["absorb", "hollow", "solid"] = "absorb",
    parts: Literal["fuse", "keep"] = "fuse",
) -> United:
    """Put the solids 0..S-1 of a mesh together.

    Args:
        vertices: (V,3) [m], around the middle of the box.
        triangles: (T,3); each solid is closed, faces outward, does not cross itself, shares no vertex with another.
        solid: (T,) to which solid each triangle belongs.
        inside_out: (S,) whether the artist gave the solid facing inward.
        nested: what becomes of a solid that lies in the matter of others, touches none and faces as they do: dropped,
            a cavity, or a part of its own in a cavity of its shape (the two walls have equal bits).
        parts: whether solids that touch or overlap are united, or each becomes a part of its own with its cavities;
            `overlap` then leaves out what different parts share.

    Raises Untied where manifold3d refuses a solid or a union comes out wrong: remeshing is what is left.

    """
    triangles = np.ascontiguousarray(triangles, np.int64).reshape(-1, 3)
    vertices = np.ascontiguousarray(vertices, np.float64)
    _check(vertices, triangles, solid, inside_out)
    if len(inside_out) < 2:
        same = np.arange(len(triangles))
        return United(vertices, triangles, same, same < 0, np.zeros_like(same), 0, 0, 0, 0, 0, 0, 0.0)
    relation = relations(vertices, triangles, solid, len(inside_out))
    solids = _Solids(vertices, triangles, solid, len(inside_out), relation)
    made = plan(relation, np.asarray(inside_out, np.bool_), nested, parts == "fuse", solids.lies_in)
    return _assembled(solids, made)


def _check(vertices: Floats, triangles: Ints, solid: Ints, inside_out: Bools) -> None:
    # Compiled code checks no bounds: a wrong number would read foreign memory.
    if len(solid) != len(triangles):
        raise ValueError("every triangle needs a solid")
    if len(triangles) and (triangles.min() < 0 or triangles.max() >= len(vertices)):
        raise IndexError("a triangle has a vertex that does not exist")
    numbers = np.unique(solid)
    if len(numbers) != len(inside_out) or (numbers != np.arange(len(numbers))).any():
        raise ValueError("solids are numbered 0.. without gaps, one entry of inside_out each")


class _Solids:
    """The solids as manifold3d takes them."""

    def __init__(self, vertices: Floats, triangles: Ints, solid: Ints, count: int, relation: Relations) -> None:
        self.vertices, self.triangles, self.solid = vertices, triangles, solid
        self.order = np.argsort(solid, kind="stable")
        self.start = np.searchsorted(solid[self.order], np.arange(count + 1))
        self.volume = measure_shells(vertices, triangles, solid).volume
        self.group = relation.group
        self.linked = np.zeros(count, np.bool_)  # lies in, or holds, one of another group
        self.linked[relation.hold[relation.group[relation.hold[:, 0]] != relation.group[relation.hold[:, 1]]]] = True
        self.number = manifold3d.Manifold.reserve_ids(1)
        self.beside: list[set[int]] = [set() for _ in range(count)]  # cannot be in one mesh: touching or nested
        for a, b in np.concatenate([relation.touch, relation.hold]).tolist():
            self.beside[a].add(b)
            self.beside[b].add(a)

    def rows(self, solids: Iterable[int]) -> Ints:
        """The triangles of some solids."""
        return np.concatenate([self.order[:0], *(self.order[self.start[s] : self.start[s + 1]] for s in solids)])

    def lies_in(self, s: int, t: int) -> bool:
        """Whether more of solid s lies in solid t, which it touches, than sticks out of it."""
        common = self._mesh([s]) ^ self._mesh([t])
        return bool(common.volume() >= _WITHIN * self.volume[s])

    def _mesh(self, solids: list[int]) -> manifold3d.Manifold:
        """Solids of which no two touch, as one."""
        rows = self.rows(solids)
        points, corner = used_vertices(self.vertices, self.triangles[rows])
        mesh = manifold3d.Mesh64(
            points,
            corner.astype(np.uint64),
            run_index=np.array([0, 3 * len(rows)], np.uint64),
            run_original_id=np.array([self.number], np.uint32),
            face_id=rows.astype(np.uint64),
        )
        made = manifold3d.Manifold(mesh)
        if made.status() != manifold3d.Error.NoError:
            if len(solids) > 1:
                for s in solids:
                    self._mesh([s])
            raise Untied(
                "A part of the mesh overlaps others and cannot be united with them, because it is no clean closed "
                "surface: allow Remesh, or keep the parts.",
                solids[0],
            )
        return made

    def _union(self, solids: list[int]) -> list[manifold3d.Manifold]:
        """Meshes whose union is that of the solids: as many of them in one as do not touch each other."""
        classes: list[list[int]] = []
        taken: list[set[int]] = []  # what each class cannot take in
        for s in solids:
            k = next((k for k, beside in enumerate(taken) if s not in beside), len(classes))
            if k == len(classes):
                classes.append([])
                taken.append(set())
            classes[k].append(s)
            taken[k] |= self.beside[s]
        return [self._mesh(some) for some in classes]

    def made(self, piece: Piece) -> tuple[Floats, Ints, Ints]:
        """Vertices, triangles and parents of a piece, checked; facing outward.

        Solids that only pass through each other are the skin of their triangles, which is quicker; what touches, or has
        hollows, is manifold3d's. What is filled again (`minus`) may have hollows of its own, which only the skin sees.
        """
        crossed = None if piece.hollows else self._by_arrangement(piece)
        points, triangles, parent = crossed or self._by_booleans(piece)
        self._check_volumes(piece, points, triangles, self.group[self.solid[parent]])
        return points, triangles, parent

    def _by_arrangement(self, piece: Piece) -> tuple[Floats, Ints, Ints] | None:
        rows = np.concatenate([self.rows(piece.solids), self.rows(piece.minus)])
        triangles = self.triangles[rows]
        reverse = len(rows) - len(self.rows(piece.minus))
        triangles[reverse:] = triangles[reverse:, [0, 2, 1]]
        try:
            found = find_winding_skin(*used_vertices(self.vertices, triangles), tries=1)
        except (TangleError, ValueError):  # what touches, and what is not closed
            return None
        return found.vertices, found.triangles, rows[found.parent]

    def _by_booleans(self, piece: Piece) -> tuple[Floats, Ints, Ints]:
        add, subtract = manifold3d.OpType.Add, manifold3d.OpType.Subtract
        meshes = self._union([s for s in piece.solids if s not in piece.hollows])
        for s, hollows in piece.hollows.items():
            meshes.append(manifold3d.Manifold.batch_boolean([self._mesh([s]), *self._union(hollows)], subtract))
        whole = manifold3d.Manifold.batch_boolean(meshes, add)
        if piece.minus:
            whole = manifold3d.Manifold.batch_boolean([whole, *self._union(piece.minus)], subtract)
        if whole.status() != manifold3d.Error.NoError:
            raise Untied(_FAILED, piece.solids[0])
        mesh = whole.to_mesh64()
        points = np.array(mesh.vert_properties, np.float64).reshape(-1, 3)
        triangles = np.array(mesh.tri_verts).astype(np.int64).reshape(-1, 3)
        if not is_manifold(edge_table(triangles)):
            raise Untied(_FAILED, piece.solids[0])
        return points, triangles, np.array(mesh.face_id).astype(np.int64)

    def _check_volumes(self, piece: Piece, points: Floats, triangles: Ints, group: Ints) -> None:
        """Raise Untied where the volume of a group is none that its union can have; `group` of each triangle."""
        found = np.zeros(len(self.volume))
        measured = measure_shells(points, triangles, group).volume
        found[: len(measured)] = measured
        least, most = np.zeros(len(found)), np.zeros(len(found))
        for s in piece.solids:
            alone = self.volume[s] - sum(self.volume[t] for t in piece.hollows.get(s, []))
            least[self.group[s]] = max(least[self.group[s]], alone)
            most[self.group[s]] += self.volume[s]
        np.subtract.at(least, self.group[piece.minus], self.volume[piece.minus])
        wrong = (found < least - _SAME * most) | (found > (1.0 + _SAME) * most)
        if wrong.any():
            raise Untied(_FAILED, int(np.flatnonzero(wrong[self.group])[0]))

    def pooled(self, pieces: list[Piece]) -> list[Piece]:
        """The same pieces, with plain unions of different groups in one: manifold3d takes many as fast as one."""
        plain = [p.part == 0 and not (p.inward or p.hollows or p.minus or self.linked[p.solids].any()) for p in pieces]
        solids = sorted(s for piece, pool in zip(pieces, plain, strict=True) if pool for s in piece.solids)
        rest = [piece for piece, pool in zip(pieces, plain, strict=True) if not pool]
        return [Piece(0, solids), *rest] if solids else rest


class _Sheet(NamedTuple):
    """Triangles of some pieces."""

    vertices: Floats
    triangles: Ints
    parent: Ints
    flip: Bools
    part: Ints


def _assembled(solids: _Solids, made: NestingPlan) -> United:
    """All pieces in one mesh, in the order of their parts; of a part, first what passes as it is, in its own order."""
    single = [len(piece.solids) == 1 and not piece.hollows and not piece.minus for piece in made.pieces]
    sheets = [_passed(solids, [piece for piece, alone in zip(made.pieces, single, strict=True) if alone])]
    several = [piece for piece, alone in zip(made.pieces, single, strict=True) if not alone]
    sheets += [_built(solids, piece) for piece in solids.pooled(several)]
    first = np.cumsum([0, *(len(sheet.vertices) for sheet in sheets)])
    vertices = np.concatenate([sheet.vertices for sheet in sheets])
    triangles = np.concatenate([sheet.triangles + at for sheet, at in zip(sheets, first[:-1], strict=True)])
    parent, flip, part = (np.concatenate([sheet[k] for sheet in sheets]) for k in (2, 3, 4))
    part = _numbered(part, solids.solid[parent], made.parts)
    order = np.argsort(part, kind="stable")
    counted = float((made.sign * solids.volume).sum())
    overlap = counted - volume(vertices, triangles)
    return United(
        vertices,
        np.ascontiguousarray(triangles[order]),
        parent[order],
        flip[order],
        part[order],
        made.cavities,
        made.absorbed,
        made.hollowed,
        made.own,
        made.fused,
        made.overlapping,
        overlap if abs(overlap) > _SAME * float(solids.volume.sum()) else 0.0,
    )


def _numbered(part: Ints, solid: Ints, count: int) -> Ints:
    """New numbers of the parts, without gaps: the common one first, the others by the first solid in them."""
    first = np.full(count, np.iinfo(np.int64).max)
    np.minimum.at(first, part, solid)
    first[0] = -1
    rank = np.empty(count, np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(count)
    return np.asarray(np.unique(rank[part], return_inverse=True)[1], np.int64)


def _passed(solids: _Solids, pieces: list[Piece]) -> _Sheet:
    """Solids as they are. One that is there twice, as a part and as the cavity around it, gets vertices twice."""
    chosen = [piece.solids[0] for piece in pieces]
    first = {s: at for at, s in reversed(list(enumerate(chosen)))}
    size = [int(solids.start[s + 1] - solids.start[s]) for s in chosen]
    row = solids.rows(chosen)
    again = np.repeat(np.array([first[s] != at for at, s in enumerate(chosen)], np.bool_), size)
    inward = np.repeat(np.array([piece.inward for piece in pieces], np.bool_), size)
    of = np.repeat(np.array([piece.part for piece in pieces], np.int64), size)
    order = np.argsort(row, kind="stable")
    row, again, inward, of = row[order], again[order], inward[order], of[order]
    corner = solids.triangles[row] + again[:, None] * len(solids.vertices)
    corner = np.where(inward[:, None], corner[:, [0, 2, 1]], corner)
    used = np.zeros(2 * len(solids.vertices), np.bool_)
    used[corner] = True
    vertices = solids.vertices[np.flatnonzero(used) % len(solids.vertices)]
    return _Sheet(vertices, (np.cumsum(used) - 1)[corner], row, inward, of)


def _built(solids: _Solids, piece: Piece) -> _Sheet:
    """A piece that is put together."""
    vertices, triangles, parent = solids.made(piece)
    taken = np.zeros(len(solids.volume), np.bool_)
    taken[[*piece.minus, *(s for some in piece.hollows.values() for s in some)]] = True
    flip = taken[solids.solid[parent]] ^ piece.inward
    if piece.inward:
        triangles = triangles[:, [0, 2, 1]]
    return _Sheet(vertices, triangles, parent, flip, np.full(len(parent), piece.part))
