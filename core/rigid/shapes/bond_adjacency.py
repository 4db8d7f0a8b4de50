"""Which faces of parts lie in the planes of bonds, and which parts lie beyond them."""

from collections.abc import Generator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...geometry import packed
from ...record_arrays import Records, read_only_view
from ...types import Bools, Cells, Floats, Ints
from .convex_hulls import offsets
from .convex_parts import ConvexParts
from .face_patches import SAME, PatchedFace, divide_faces, face_areas
from .split_adjacency import NARROW, ON

_NEAR = 1e-3  # distance between the planes of a face and of a bond that may be one, in sizes of the part; chosen
WHOLE = 0.999  # share of the face of a part that its bond covers if nothing of it is open; chosen, for round-off
_PAIRS = 1 << 20  # faces times bonds that are compared at a time


class CellBonds(NamedTuple):
    """The bonds of each of C cells, each bond twice."""

    start: Ints  #: (C+1,)
    other: Ints  #: (2B,) the cell beyond
    plane: Floats  #: (2B,4) unit normal, outwards, and offset
    middle: Floats  #: (2B,3) mean of its corners
    area: Floats  #: (2B,) [m^2]


def bonds_of_cells(cells: Cells) -> CellBonds:
    """The bonds seen from either side."""
    lo, hi = cells.bond_cells[:, 0], cells.bond_cells[:, 1]
    start, order = packed.group_by_owner(np.concatenate([lo, hi]), len(cells.volume))
    bond = np.repeat(cells.inner_bond, np.diff(cells.inner_start))
    corners = np.maximum(np.bincount(bond, minlength=len(lo)), 1)
    corner = cells.vertices[cells.inner_vertex]
    mean = np.stack([np.bincount(bond, corner[:, k], len(lo)) / corners for k in range(3)], axis=1)
    middle = np.concatenate([mean, mean])[order]
    normal = np.concatenate([cells.bond_normal, -cells.bond_normal])[order]
    offset = (normal * middle).sum(axis=1)
    area = np.tile(cells.bond_area, 2)[order]
    return CellBonds(start, np.concatenate([hi, lo])[order], np.column_stack([normal, offset]), middle, area)


def with_bond_adjacency(
    shapes: ConvexParts, part_cell: Ints, bonds: CellBonds, limit: Floats, hulls: Bools
) -> Generator[None, None, ConvexParts]:
    """The same parts, where faces in the plane of a bond of their cell have its normal, the same bits on both sides.

    They are adjacent to the first part of the cell beyond, where that bond covers all of them; else they are divided,
    see `face_patches`. `limit` (C,) is what the hulls of cells may be off [m]; faces of the cells `hulls` (C,) are not
    divided: where several bonds lie in one plane, they have the nearest one.
    """
    if len(shapes.faces) == 0 or len(bonds.other) == 0:
        return shapes
    geometry, faces = shapes.geometry, shapes.faces.copy()
    parts = geometry.parts
    part = packed.owners(np.append(parts.face[:, 0], len(faces)))
    start = np.append(faces["loop"][:, 0], len(geometry.loop))
    corner = geometry.vertices[geometry.loop + parts.vertex[part[packed.owners(start)], 0]]
    size = 2.0 * parts.radius[part]
    face, entry = _same_planes(geometry.faces, part_cell[part], bonds, size)
    on = _all_on(face, entry, corner, start, bonds, size)
    every = face[on], entry[on]
    face, entry = _nearest(*every, corner, start, bonds)
    first = np.full(len(bonds.start) - 1, -1, np.int64)
    first[part_cell[::-1]] = np.arange(len(part_cell))[::-1]
    faces["adjacent"][face] = first[bonds.other[entry]]
    faces["normal"][face] = bonds.plane[entry, :3]
    faces["offset"][face] = offsets(faces["normal"], start, corner)[face]
    cell = part_cell[part[face]]
    several = (np.bincount(every[0], minlength=len(faces))[face] > 1) | (np.bincount(part_cell)[cell] > 1)
    open_ = several | (bonds.area[entry] < WHOLE * face_areas(geometry)[face])
    divided = np.flatnonzero(open_ & ~hulls[cell])
    against = _against(face[divided], every, part_cell[part], bonds)
    narrow = (NARROW * limit[cell[divided]]).tolist()
    some = [PatchedFace(*one) for one in zip(face[divided].tolist(), against, narrow, strict=True)]
    return (yield from divide_faces(replace(shapes, faces=read_only_view(faces)), some))


def _against(which: Ints, every: tuple[Ints, Ints], cell: Ints, bonds: CellBonds) -> list[Ints]:
    """For each of some faces, those of the cells beyond its bonds that lie on these; `cell` (F,) is that of each face.

    `every` face and bond whose planes are one.
    """
    count = len(bonds.start) - 1
    beyond = bonds.other[every[1]]
    own, other = cell[every[0]] * count + beyond, beyond * count + cell[every[0]]
    order = np.argsort(own, kind="stable")
    first, last = (np.searchsorted(own[order], other, side=side) for side in ("left", "right"))
    start, rows = packed.group_by_owner(every[0], len(cell))
    result = []
    for f in which.tolist():
        mine = rows[start[f] : start[f + 1]]
        found = order[packed.ranges(first[mine], last[mine] - first[mine])]
        result.append(np.unique(every[0][found]))
    return result


def _same_planes(faces: Records, cell: Ints, bonds: CellBonds, size: Floats) -> tuple[Ints, Ints]:
    """Pairs of a face and an entry of `bonds` of its cell whose planes are nearly one."""
    many = np.diff(bonds.start)[cell]
    found = [(np.zeros(0, np.int64), np.zeros(0, np.int64))]
    blocks = np.append(np.unique(np.cumsum(many) // _PAIRS, return_index=True)[1], len(cell))
    for begin, end in zip(blocks[:-1].tolist(), blocks[1:].tolist(), strict=True):
        face = np.repeat(np.arange(begin, end), many[begin:end])
        entry = packed.ranges(bonds.start[cell[begin:end]], many[begin:end])
        plane = bonds.plane[entry]
        n = faces.normal[face]
        aligned = n[:, 0] * plane[:, 0] + n[:, 1] * plane[:, 1] + n[:, 2] * plane[:, 2]
        near = (aligned > SAME) & (np.abs(faces.offset[face] - plane[:, 3]) < _NEAR * size[face])
        found.append((face[near], entry[near]))
    return np.concatenate([pair[0] for pair in found]), np.concatenate([pair[1] for pair in found])


def _all_on(face: Ints, entry: Ints, corner: Floats, start: Ints, bonds: CellBonds, size: Floats) -> Ints:
    """Rows of the pairs in which all corners of the face lie on the plane."""
    many = np.diff(start)[face]
    if len(face) == 0:
        return face
    pair = np.repeat(np.arange(len(face)), many)
    p, plane = corner[packed.ranges(start[face], many)], bonds.plane[entry[pair]]
    away = p[:, 0] * plane[:, 0] + p[:, 1] * plane[:, 1] + p[:, 2] * plane[:, 2] - plane[:, 3]
    far = np.maximum.reduceat(np.abs(away), packed.packed_starts(many)[:-1])
    return np.flatnonzero(far <= ON * size[face])


def _nearest(face: Ints, entry: Ints, corner: Floats, start: Ints, bonds: CellBonds) -> tuple[Ints, Ints]:
    """One pair for each face: the bond whose middle is the nearest."""
    middle = np.add.reduceat(corner, start[:-1]) / np.diff(start)[:, None]
    away = np.square(middle[face] - bonds.middle[entry]).sum(axis=1)
    order = np.lexsort((away, face))
    once = np.unique(face[order], return_index=True)[1]
    return face[order[once]], entry[order[once]]
