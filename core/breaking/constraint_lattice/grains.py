"""Grains and their joints: what the lattice of a fragment is made of.

A grain is a piece, or a cell with the crumbs that belong to it where pieces are made of many cells and the lattice
shall see each; a joint is all that holds two grains together.
"""

from dataclasses import dataclass

import numpy as np

from ...config.material import MEGAPASCAL
from ...geometry.graph import components
from ...geometry.sums import summed
from ...types import Bools, Cells, Floats, Frozen, Ints
from ..contract import ImpactContext, struck_units
from .faces import sum_joint_faces


@dataclass(frozen=True, eq=False, slots=True)
class Grains(Frozen):
    """The bodies of a structure."""

    of_cell: Ints  #: (C,) grain of each cell, -1 outside of the fragment
    unit: Ints  #: (G,)
    mass: Floats  #: (G,) [kg]
    centre: Floats  #: (G,3) centre of mass [m]
    second: Floats  #: (G,3,3) second moment over the mass, about the centre [m^2]
    anchored: Bools  #: (G,) cannot move


@dataclass(frozen=True, eq=False, slots=True)
class Joints(Frozen):
    """What holds two grains together: all bonds between them."""

    pair: Ints  #: (J,2) grains a < b
    area: Floats  #: (J,) [m^2]
    strength: Floats  #: (J,) tension that it bears, infinite inside a unit [N]
    nominal: Floats  #: (J,) the same of the bare material, without what patterns and fields make of it [N]
    prestress: Floats  #: (J,) tension before anything hits [N]
    normal: Floats  #: (J,3) unit, from a to b
    middle: Floats  #: (J,3) centroid of its face [m]
    spread: Floats  #: (J,3,3) integral of r r^T over its face, about the middle [m^4]
    link: Ints  #: (J,) link of the units, -1 inside a unit
    around: Ints  #: (n,2) pairs of joints whose faces share an edge, each once
    across: Ints  #: (p,2) pairs of grains a < b that share an edge but no face


def grains_of(struck: ImpactContext, by_cell: bool = False) -> Grains:
    """The grains of a fragment, pieces or cells: mass by its material's density and the density of each cell."""
    cells, inside = struck.cells, struck_units(struck)[struck.cells.unit]
    member = np.flatnonzero(inside)
    label = np.full(len(inside), -1, np.int64)
    label[member] = components(len(inside), cells.bond_cells, _within_grain(cells, by_cell), member)
    grain, count = label[member], int(label.max()) + 1
    cell_mass = struck.material.density * struck.strengths.density[member] * cells.volume[member]
    mass = np.bincount(grain, cell_mass, count).astype(np.float64, copy=False)
    # About the fragment's first cell, so that bodies far from the origin lose no digits.
    origin = cells.centroid[member[0]]
    offset = cells.centroid[member] - origin
    shift = summed(cell_mass[:, None] * offset, grain, count) / mass[:, None]
    arm = offset - shift[grain]
    spread = cells.second_moment[member] / cells.volume[member, None, None] + arm[:, :, None] * arm[:, None, :]
    second = summed((cell_mass[:, None, None] * spread).reshape(-1, 9), grain, count) / mass[:, None]
    unit = np.empty(count, np.int64)
    unit[grain] = cells.unit[member]
    return Grains(label, unit, mass, origin + shift, second.reshape(-1, 3, 3), struck.anchored[unit])


def joints_of(struck: ImpactContext, grains: Grains) -> Joints:
    """The joints of a fragment's grains, sorted by their pairs."""
    cells, material = struck.cells, struck.material
    ends = np.sort(grains.of_cell[cells.bond_cells], axis=1)
    between = np.flatnonzero((ends[:, 0] >= 0) & (ends[:, 0] != ends[:, 1]))
    count = len(grains.mass)
    key, joint = np.unique(ends[between, 0] * count + ends[between, 1], return_inverse=True)
    of_bond = np.full(len(ends), -1, np.int64)
    of_bond[between] = joint.ravel()
    turned = np.where(grains.of_cell[cells.bond_cells[between, 0]] == ends[between, 0], 1.0, -1.0)
    faces = sum_joint_faces(cells, between, joint.ravel(), turned, len(key))
    link = np.empty(len(key), np.int64)
    link[joint] = struck.units.bond_link[between]
    area, pair = cells.bond_area[between], np.stack([key // count, key % count], axis=1)
    strength = np.bincount(joint, area * struck.strengths.bond[between], len(key)) * material.tensile * MEGAPASCAL
    around, across = _neighbours(cells, of_bond, pair, count)
    return Joints(
        pair=pair,
        area=faces.area,
        normal=faces.normal,
        middle=faces.middle,
        spread=faces.spread,
        strength=np.where(link < 0, np.inf, strength),
        nominal=np.where(link < 0, np.inf, faces.area * material.tensile * MEGAPASCAL),
        prestress=np.bincount(joint, area * struck.strengths.prestress[between], len(key)).astype(np.float64),
        link=link,
        around=around,
        across=across,
    )


def _within_grain(cells: Cells, by_cell: bool) -> Bools:
    """(B,) bonds inside of a grain. A crumb alone would be a body of almost no mass."""
    pair = cells.bond_cells
    same = cells.unit[pair[:, 0]] == cells.unit[pair[:, 1]]
    return np.asarray(same & cells.crumb[pair].any(axis=1) if by_cell else same)


def _neighbours(cells: Cells, joint_of_bond: Ints, pair: Ints, grain_count: int) -> tuple[Ints, Ints]:
    """Pairs of joints whose faces share an edge, and pairs of grains around an edge that have no joint."""
    joint = joint_of_bond[np.repeat(cells.inner_bond, np.diff(cells.inner_start))]
    first = cells.inner_vertex
    last = np.empty_like(first)
    last[:-1] = first[1:]
    last[cells.inner_start[1:] - 1] = first[cells.inner_start[:-1]]
    some = joint >= 0
    edge = np.minimum(first, last)[some] * len(cells.vertices) + np.maximum(first, last)[some]
    around = pairs_of_equal(edge, joint[some], len(pair))
    grains = pair[around].reshape(-1, 4)
    corners = np.concatenate([grains[:, [a, b]] for a in (0, 1) for b in (2, 3)])
    corners = np.sort(corners, axis=1)
    candidate = np.unique(corners[:, 0] * grain_count + corners[:, 1])
    lower, upper = candidate // grain_count, candidate % grain_count
    apart = (lower != upper) & ~np.isin(candidate, pair[:, 0] * grain_count + pair[:, 1], assume_unique=True)
    return around, np.stack([lower[apart], upper[apart]], axis=1)


def pairs_of_equal(key: Ints, value: Ints, count: int) -> Ints:
    """(n,2) all pairs of different values a < b below `count` that occur with one key, each once."""
    order = np.lexsort((value, key))
    key, value = key[order], value[order]
    fresh = np.ones(len(key), np.bool_)
    fresh[1:] = (key[1:] != key[:-1]) | (value[1:] != value[:-1])
    key, value = key[fresh], value[fresh]
    found = [np.zeros(0, np.int64)]
    for step in range(1, len(key)):  # ends soon: an edge has few faces around it
        same = np.flatnonzero(key[step:] == key[:-step])
        if len(same) == 0:
            break
        found.append(value[same] * count + value[same + step])
    pairs = np.unique(np.concatenate(found))
    return np.stack([pairs // count, pairs % count], axis=1)
