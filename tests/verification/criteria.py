"""Measures of the look of a broken thing: numbers that reject the football, the crater and the speckle.

They certify no beauty. Definitions: tau and near/far after our look study; volumes [m^3], lengths [m].
"""

from dataclasses import dataclass

import numpy as np

from core.types import Bools, Cells, Floats, Ints


@dataclass(frozen=True)
class Pieces:
    """Broken pieces: unions of cells with equal labels."""

    volume: Floats  #: (K,)
    centroid: Floats  #: (K,3)
    second_moment: Floats  #: (K,3,3) about the centroid


def pieces(cells: Cells, label: Ints) -> Pieces:
    """Pieces of the cells' labels (C,) in 0..K-1; moments by the parallel-axis theorem."""
    count = int(label.max()) + 1
    volume = np.bincount(label, weights=cells.volume, minlength=count)
    centroid = np.zeros((count, 3))
    np.add.at(centroid, label, cells.volume[:, None] * cells.centroid)
    centroid /= volume[:, None]
    arm = cells.centroid - centroid[label]
    moment = np.zeros((count, 3, 3))
    np.add.at(moment, label, cells.second_moment + np.einsum("c,ci,cj->cij", cells.volume, arm, arm))
    return Pieces(volume, centroid, moment)


def tau(volume: Floats) -> float:
    """Exponent of the size law N(>v) ~ v^-(tau-1): a line through log rank on log volume, top 5 % to 80 %."""
    v = np.sort(volume)[::-1]
    rank = np.arange(1, len(v) + 1)
    used = (rank >= 0.05 * len(v)) & (rank <= 0.8 * len(v))
    return 1.0 - float(np.polyfit(np.log(v[used]), np.log(rank[used]), 1)[0])


def radial_share(cells: Cells, broken: Bools, hit: Floats) -> float:
    """Share of the broken area whose normal is more than 60 degrees off the line to the hit; chance 1/3 in a plate."""
    line = cells.bond_centroid[broken] - hit
    cosine = np.abs(np.einsum("bi,bi->b", cells.bond_normal[broken], line)) / np.linalg.norm(line, axis=1)
    area = cells.bond_area[broken]
    return float(area[cosine < 0.5].sum() / area.sum())


def near_far(broken: Pieces, hit: Floats) -> float:
    """Pieces per volume within R/3 of the hit over those beyond 2R/3; R = 95 % quantile of their distances."""
    d = np.linalg.norm(broken.centroid - hit, axis=1)
    R = np.quantile(d, 0.95)
    near, far = d < R / 3.0, d > 2.0 * R / 3.0
    density = [part.sum() / broken.volume[part].sum() if part.any() else 0.0 for part in (near, far)]
    return float(density[0] / density[1]) if density[1] > 0.0 else float("inf")


def cv(volume: Floats) -> float:
    """Spread of the volumes: standard deviation over mean."""
    return float(volume.std() / volume.mean())


def largest(volume: Floats) -> float:
    """Share of the largest piece in the whole."""
    return float(volume.max() / volume.sum())


def elongation(broken: Pieces) -> Floats:
    """Ratio (K,) of the two largest root-mean-square axes of each piece."""
    moment = np.sort(np.linalg.eigvalsh(broken.second_moment), axis=1)
    return np.sqrt(moment[:, 2] / moment[:, 1])


def separating_share(cells: Cells, broken: Bools, label: Ints) -> float:
    """Share (by number) of the broken bonds that part two pieces; low where cracks are speckle."""
    lo, hi = cells.bond_cells[broken].T
    return float(np.mean(label[lo] != label[hi])) if broken.any() else 0.0


def along_share(cells: Cells, broken: Bools, grain: Floats) -> float:
    """Share of the broken area that runs along the grain: normal more than 60 degrees off it."""
    cosine = np.abs(cells.bond_normal[broken] @ (grain / np.linalg.norm(grain)))
    area = cells.bond_area[broken]
    return float(area[cosine < 0.5].sum() / area.sum())
