"""The generated kinds: each is a sound complex, and looks as its name says."""

import dataclasses

import numpy as np
import pytest
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from core.cutting.complex import as_complex
from core.cutting.retry import cut_with_retry
from core.pieces.patterns.kinds import GENERATORS, generated
from core.pieces.patterns.method import PatternParams, build
from core.pieces.patterns.splinter import STRETCH
from core.types import Cells, Floats, Impact, Ints, Partition
from tests import shapes
from tests.core.cutting.closedness import assert_sound

CUBE = shapes.box((-0.5, -0.5, -1.0), (0.5, 0.5, 0.0))
PANE = shapes.box((-1.5, -1.0, -0.01), (1.5, 1.0, 0.0))
DOWN = np.array((0.0, 0.0, -1.0))
kinds = pytest.mark.parametrize("kind", sorted(GENERATORS))


def shattered(body, kind: str, count: int = 100, seed: int = 1, point=(0.03, 0.02, 0.0)) -> Cells:
    hit, params = Impact(np.array(point), DOWN, 1.0, 5.0, 0.0, 0.0), PatternParams(kind=kind, count=count)
    return cut_with_retry(body, lambda attempt: build(body, [hit], params, seed, attempt))[0]


def pieces(cells: Cells) -> tuple[Floats, Floats]:
    """Volume (U,) and centroid (U,3) of each piece."""
    volume = np.bincount(cells.unit, cells.volume)
    moment = [np.bincount(cells.unit, cells.volume * cells.centroid[:, k]) for k in range(3)]
    return volume, np.stack(moment, axis=1) / volume[:, None]


def outer_polygon(p: Partition, facet: int) -> Ints:
    """Corners of a facet, counter-clockwise seen from hi."""
    slots = slice(p.facet_start[facet], p.facet_start[facet + 1])
    ends, sign = p.edge_vertices[p.facet_edge[slots]], p.facet_edge_sign[slots]
    after = dict(zip(*np.where(sign[:, None] > 0, ends, ends[:, ::-1]).T.tolist(), strict=True))
    ring = [next(iter(after))]
    while after[ring[-1]] != ring[0]:
        ring.append(after[ring[-1]])
    assert len(ring) == len(after)  # one closed polygon
    return np.array(ring)


@kinds
def test_it_is_a_complex_whose_facets_are_flat_and_turn_the_right_way(kind: str) -> None:
    p = generated(kind, 30, 3).partition
    as_complex(p)  # every region meets each of its edges with two facets, or this raises
    assert len(p.group) == len(p.site) == len(p.region_start) - 1
    for f in range(len(p.facet_regions)):
        corner = p.vertices[outer_polygon(p, f)] - p.facet_point[f]
        reach = np.abs(corner).max()
        # Far circumcentres of Voronoi regions carry the round-off of their distance.
        assert np.abs(corner @ p.facet_normal[f]).max() < 1e-8 * reach
        area = 0.5 * np.cross(corner, np.roll(corner, -1, axis=0)).sum(axis=0)
        assert area @ p.facet_normal[f] > 0.0


@kinds
def test_each_site_lies_in_its_convex_region_and_all_facets_bound_it(kind: str) -> None:
    p = generated(kind, 30, 3).partition
    for sign, column in ((1.0, 0), (-1.0, 1)):
        region = p.facet_regions[:, column]
        inner = region >= 0
        gap = np.einsum("fk,fk->f", p.facet_normal, p.site[region] - p.facet_point)
        assert np.all(sign * gap[inner] < 1e-12)


@kinds
@pytest.mark.parametrize("body", [CUBE, PANE], ids=["cube", "pane"])
def test_cuts_are_sound(kind: str, body) -> None:
    assert_sound(body, shattered(body, kind, 60))


@kinds
@pytest.mark.parametrize("count", [20, 100, 400])
def test_a_solid_breaks_into_about_as_many_pieces_as_asked_for(kind: str, count: int) -> None:
    made = int(shattered(CUBE, kind, count, point=(0.0, 0.0, 0.0)).unit.max()) + 1
    assert 0.7 * count <= made <= 1.5 * count


@kinds
def test_the_same_bits_again_and_another_seed_is_another_pattern(kind: str) -> None:
    one, two, other = GENERATORS[kind](30, 5), GENERATORS[kind](30, 5), GENERATORS[kind](30, 6)
    for field in dataclasses.fields(Partition):
        assert np.array_equal(getattr(one.partition, field.name), getattr(two.partition, field.name))
    a, b = one.partition.site, other.partition.site
    assert a.shape != b.shape or not np.array_equal(a, b)


@pytest.mark.parametrize("kind", ["radial", "mixed"])
@pytest.mark.parametrize("body", [CUBE, PANE], ids=["cube", "pane"])
def test_pieces_grow_with_the_distance_from_the_hit(kind: str, body) -> None:
    volume, centroid = pieces(shattered(body, kind, 150))
    away = np.hypot(centroid[:, 0], centroid[:, 1]) if kind == "radial" else np.linalg.norm(centroid, axis=1)
    thirds = np.array_split(volume[np.argsort(away)], 3)
    median = [np.median(third) for third in thirds]
    assert median[0] < median[1] < median[2]
    assert median[0] < 0.2 * median[2]


def test_mixed_pieces_at_one_distance_differ_much_in_size() -> None:
    # Far from the hit the law of spacing changes sizes little; unlike claims make some pieces large beside small ones.
    volume, centroid = pieces(shattered(CUBE, "mixed", 300))
    away = np.linalg.norm(centroid, axis=1)
    far = np.sort(volume[(away > 0.4) & (away < 0.6)])
    assert len(far) > 30
    assert far[int(0.9 * len(far))] > 8.0 * far[int(0.1 * len(far))]


def test_uniform_pieces_do_not_grow() -> None:
    volume, centroid = pieces(shattered(CUBE, "uniform", 400))
    inside = np.all((np.abs(centroid - (0.0, 0.0, -0.5)) < 0.4), axis=1)  # the skin cuts others
    away = np.linalg.norm(centroid, axis=1)[inside]
    assert abs(np.corrcoef(away, np.log(volume[inside]))[0, 1]) < 0.25


def test_radial_and_concentric_cracks_run_straight_along_the_axis() -> None:
    for kind in ("radial", "concentric"):
        p = generated(kind, 60, 2).partition
        inner = p.facet_regions[:, 1] >= 0
        assert np.abs(p.facet_normal[inner, 2]).max() == 0.0


def test_splinters_are_long_along_the_axis() -> None:
    p = generated("splinter", 100, 2).partition
    inner = np.linalg.norm(p.site * (1.0, 1.0, 1.0 / STRETCH), axis=1) < 0.7
    ratio = []
    for region in np.flatnonzero(inner):
        facets = p.region_facet[p.region_start[region] : p.region_start[region + 1]]
        corner = p.vertices[np.concatenate([outer_polygon(p, f) for f in facets])]
        size = np.ptp(corner, axis=0)
        ratio.append(size[2] / np.sqrt(size[0] * size[1]))
    assert len(ratio) > 30
    # Regions of an even layout are as long as wide; the axis is stretched eightfold.
    assert 0.8 * STRETCH < np.median(ratio) < 1.25 * STRETCH
    assert np.min(ratio) > 3.0


def rings_between(p: Partition) -> Ints:
    """Number of closed cracks around the axis: boundaries that separate all that is nearer from all that is farther."""
    inner = p.facet_regions[:, 1] >= 0
    lo, hi = p.facet_regions[inner].T
    normal = p.facet_normal[inner]
    ends = p.vertices[p.edge_vertices[p.facet_edge]].mean(axis=1)
    middle = (np.add.reduceat(ends, p.facet_start[:-1]) / np.diff(p.facet_start)[:, None])[inner]
    turned = np.abs(normal[:, 0] * middle[:, 1] - normal[:, 1] * middle[:, 0])  # |n x r|: 0 on a ring, r on a ray
    ray = turned > 0.9 * np.hypot(middle[:, 0], middle[:, 1])
    same = ray | (p.group[lo] == p.group[hi])
    links = coo_matrix((np.ones(same.sum()), (lo[same], hi[same])), shape=(len(p.group),) * 2)
    return np.asarray(connected_components(links, directed=False)[1])


@pytest.mark.parametrize("seed", range(3))
def test_concentric_rings_close_all_the_way(seed: int) -> None:
    # Cross only rays, never a ring: if one ring had a gap, the two sides of it would be one part.
    p = generated("concentric", 100, seed).partition
    part = rings_between(p)
    away = np.hypot(p.site[:, 0], p.site[:, 1])
    angle = np.arctan2(p.site[:, 1], p.site[:, 0])
    count = len(np.unique(part))
    assert count > 6
    for ring in range(count):
        of = np.flatnonzero(part == ring)
        # It goes around: no gap between neighbouring sites wider than two sides of the polygon of 48.
        assert np.diff(np.sort(angle[of])).max() < 2.0 * 2.0 * np.pi / 48.0
    assert len(np.unique(p.group)) < 12 * count  # few rays: arcs are long
    order = [away[part == ring].mean() for ring in range(count)]
    assert np.diff(np.sort(order)).min() > 0.0


def test_radial_rings_do_not_close() -> None:
    # The same question: through the gaps of broken rings all sectors are one, but for a few.
    part = rings_between(generated("radial", 100, 0).partition)
    concentric = rings_between(generated("concentric", 100, 0).partition)
    share = [np.bincount(parts).max() / len(parts) for parts in (part, concentric)]
    assert share[0] > 2.0 * share[1]


def test_bricks_are_whole_and_shifted_by_half_from_course_to_course() -> None:
    pattern = generated("brick", 100, 0)
    p = pattern.partition
    inside = np.all(np.abs(p.site) < 0.6 * pattern.half, axis=1)
    size = np.bincount(p.group)
    assert np.all(size[np.unique(p.group[inside])] == 2)
    # Joints between bricks have the strength of mortar, the middles of bricks that of the material.
    inner = p.facet_regions[:, 1] >= 0
    lo, hi = p.facet_regions[inner].T
    assert np.array_equal(p.facet_strength[inner] < 1.0, p.group[lo] != p.group[hi])
    # Above every upright joint lies the middle of a brick.
    step = np.diff(np.unique(np.round(p.site[inside, 0], 9))).min()
    height = np.diff(np.unique(np.round(p.site[inside, 1], 9))).min()
    row = {tuple(np.round(site / (step, height, 1.0), 3)): group for site, group in zip(p.site, p.group, strict=True)}
    checked = 0
    for (x, y, z), group in row.items():
        right, above, corner = (row.get(key) for key in ((x + 1, y, z), (x, y + 1, z), (x + 1, y + 1, z)))
        if None not in (right, above, corner) and abs(x) < 5 and abs(y) < 5:
            checked += 1
            assert (group == right) != (above == corner)
    assert checked > 20
