"""Graphs of units made by hand or by SciPy, without the cutter: oracles for tests of breaking rules."""

import functools

import numpy as np
from scipy.spatial import Voronoi

from core.types import Impact, Units


def units_of(site, links, volume=None) -> Units:
    """Units at `site (U,3)` whose links have area 1 and the normal from a to b."""
    site = np.asarray(site, dtype=float).reshape(-1, 3)
    links = np.asarray(links, dtype=np.int64).reshape(-1, 2)
    step = site[links[:, 1]] - site[links[:, 0]]
    return Units(
        volume=np.ones(len(site)) if volume is None else np.asarray(volume, dtype=float),
        centroid=site.copy(),
        site=site,
        links=links,
        area=np.ones(len(links)),
        normal=step / np.maximum(np.linalg.norm(step, axis=1, keepdims=True), 1e-300),
        centroid_link=site[links].mean(axis=1),
        strength=np.ones(len(links)),
        bond_link=np.arange(len(links)),
    )


def hit(point=(0.0, 0.0, 0.0), strength=1.0, radius=1.0) -> Impact:
    return Impact(np.asarray(point, dtype=float), np.array([0.0, 0.0, -1.0]), strength, 0.0, radius, 0.0)


def line() -> Units:
    """docs/papers/barr2016.md, V1: sites x = .1 + .2 i, i = 0..5."""
    return units_of([(0.1 + 0.2 * i, 0.0, 0.0) for i in range(6)], [(i, i + 1) for i in range(5)])


def cube() -> Units:
    """docs/papers/barr2016.md, V2: sites (.25|.75)^3; the ends of a link differ in one coordinate."""
    site = np.stack(np.meshgrid(*[(0.25, 0.75)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    links = [(a, b) for a in range(8) for b in range(a + 1, 8) if (site[a] != site[b]).sum() == 1]
    return units_of(site, links, np.full(8, 1 / 8))


def ring() -> Units:
    """docs/papers/barr2016.md, V3: four units a-b-c-d in a loop."""
    return units_of([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [(0, 1), (1, 2), (2, 3), (0, 3)])


def random_graph(rng: np.random.Generator, unit_count: int, link_count: int) -> Units:
    pairs = rng.integers(0, unit_count, (link_count, 2))
    pairs = np.unique(np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1), axis=0)
    return units_of(rng.uniform(0.0, 1.0, (unit_count, 3)), pairs)


def voronoi_links(site) -> np.ndarray:
    """Neighbours in the Voronoi diagram of `site (H,D)` in the unit square or cube; sites are mirrored at its sides."""
    mirrored = [site]
    for axis in range(site.shape[1]):
        for side in (0.0, 1.0):
            image = site.copy()
            image[:, axis] = 2.0 * side - image[:, axis]
            mirrored.append(image)
    pairs = Voronoi(np.concatenate(mirrored)).ridge_points
    pairs = np.sort(pairs[(pairs < len(site)).all(axis=1)], axis=1)
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))].astype(np.int64)


@functools.cache
def square(unit_count: int, seed: int = 42) -> Units:
    """Voronoi cells of uniform random sites in the unit square, in the plane z = 0."""
    site = np.random.default_rng(seed).uniform(0.0, 1.0, (unit_count, 2))
    links = voronoi_links(site)
    return units_of(np.pad(site, ((0, 0), (0, 1))), links, np.full(unit_count, 1.0 / unit_count))
