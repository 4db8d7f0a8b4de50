"""Radial pieces: straight rays through the whole sheet, chords between them, and cuts of awkward hits."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.cutting.cut import cut
from core.cutting.retry import cut_with_retry
from core.fragments.build import are_closed, build_fragments
from core.geometry.mesh import volume
from core.pieces.convention import JITTER
from core.pieces.prism_complex import Frame, prism_complex
from core.pieces.radial import RadialParams, build
from core.pieces.radial_plan import (
    CHORD_PLACES,
    SHARD_FAR,
    SHARD_NEAR,
    PlanWeb,
    draw,
    log_radius,
    place_at,
    rings_for,
    spacing_of,
)
from core.types import Body, Cells, Floats, Impact, Partition
from tests import shapes
from tests.core.cutting.closedness import assert_sound

SHEET = shapes.box((-1.0, -1.0, 0.0), (1.0, 1.0, 0.01))
MIDDLE = (0.1, 0.2, 0.01)


def hit(point: Floats, direction: Floats = (0.0, 0.0, -1.0), strength: float = 1.0, speed: float = 10.0) -> Impact:
    unit = np.asarray(direction, np.float64) / np.linalg.norm(direction)
    return Impact(np.asarray(point, np.float64), unit, strength, speed, 0.0, 0.0)


def web(rays: int = 11, rings: float = 6.0, jitter: float = 0.8, branching: float = 0.7) -> PlanWeb:
    return PlanWeb(rays, rings, 0.01, 1.0, spacing_of(rings, 0.01, 1.0), jitter, branching)


def shattered(body: Body, blow: Impact, seed: int = 0, **params: object) -> Cells:
    return cut_with_retry(body, lambda attempt: build(body, [blow], RadialParams(**params), seed, attempt))[0]


def number(cells: Cells) -> int:
    return int(cells.unit.max()) + 1


def same(p: Partition, q: Partition) -> bool:
    return all(np.array_equal(getattr(p, f.name), getattr(q, f.name)) for f in dataclasses.fields(Partition))


@settings(max_examples=60)
@given(
    rays=st.integers(3, 90),
    rings=st.floats(0.3, 60.0),
    jitter=st.sampled_from((0.0, 0.5, 1.0)),
    branching=st.sampled_from((0.0, 0.7, 1.0)),
    seed=st.integers(0, 2**32),
)
def test_every_plan_is_convex_and_edge_to_edge(
    rays: int, rings: float, jitter: float, branching: float, seed: int
) -> None:
    plan = draw(web(rays, rings, jitter, branching), np.random.default_rng(seed))
    level = Frame(np.zeros(3), np.eye(3))
    # Raises where a polygon is not convex, a corner lies inside another's edge, or a polygon overlaps its neighbour.
    p = prism_complex(plan.points, plan.polygons, np.array((0.0, 1.0)), level, plan.runs)
    rim = p.facet_regions[:, 1] < 0
    wall = np.abs(p.facet_normal[:, 2]) < 0.5
    # The rim clears the circle that is to be covered.
    reach = np.einsum("fk,fk->f", p.facet_normal, p.facet_point)[rim & wall]
    assert reach.min() > 1.0
    # Nothing is covered twice: the areas sum to that inside of the rim.
    area = [0.5 * np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) for x, y in (plan.points[c].T for c in plan.polygons)]
    outer = plan.points[[run[-1] for run in plan.runs]]
    x, y = outer[np.argsort(np.arctan2(outer[:, 1], outer[:, 0]))].T
    assert np.sum(area) == pytest.approx(0.5 * np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)), rel=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_rays_are_straight_and_run_from_the_hit_or_a_chord_to_the_rim(seed: int) -> None:
    plan = draw(web(), np.random.default_rng(seed))
    assert len(plan.runs) > 11  # some sectors split
    ends = {run[-1] for run in plan.runs}
    assert len(ends) == len(plan.runs)
    for i, run in enumerate(plan.runs):
        assert (run[0] == 0) == (i < 11)
        assert np.all(np.diff(plan.radius[run]) > 0.0)
        direction = np.array((np.cos(plan.angle[i]), np.sin(plan.angle[i])))
        assert np.abs(plan.points[run] - plan.radius[run][:, None] * direction).max() < 1e-14


def test_without_jitter_the_plan_is_a_web_of_closed_rings() -> None:
    plan = draw(web(8, 5.5, jitter=0.0, branching=0.0), np.random.default_rng(0))
    turn = np.sort(plan.angle)
    assert np.diff(turn) == pytest.approx(np.full(7, np.pi / 4), abs=1e-14)
    corners = [plan.radius[run[1:]] for run in plan.runs]
    assert len({tuple(radii) for radii in corners}) == 1
    # The core, five rings inside of the farthest point, the rim.
    assert len(corners[0]) == 1 + 5 + 1
    # Every shard is one quadrangle: one for each ray and ring.
    shard = plan.shard[8:]
    assert len(np.unique(shard)) == len(shard) == 8 * (5 + 1)
    assert {len(polygon) for polygon in plan.polygons[8:]} == {4}


def test_with_jitter_rings_are_broken_from_ray_to_ray() -> None:
    plan = draw(web(12, 6.0, jitter=1.0, branching=0.0), np.random.default_rng(1))
    corners = [set(plan.radius[run[2:-1]]) for run in plan.runs]
    shared = [len(a & b) / len(a) for a, b in zip(corners, corners[1:] + corners[:1], strict=True)]
    assert np.mean(shared) < 0.6  # each chord has two ends; those at unequal radii are slanted


def test_shards_grow_outwards_as_declared() -> None:
    w = web(rings=rings_for(1.0, 0.01, 1.0))
    place = np.linspace(0.0, CHORD_PLACES * w.rings, 400)
    log_r = np.array([log_radius(w, p) for p in place])
    assert log_r[0] == pytest.approx(np.log(0.01)) and log_r[-1] == pytest.approx(0.0, abs=1e-12)
    # Length of a ring, d ln r per ring, at the core and at the farthest point; differences are of first order.
    length = np.diff(log_r) / np.diff(place) * CHORD_PLACES
    assert length[0] == pytest.approx(SHARD_NEAR, rel=1e-2) and length[-1] == pytest.approx(SHARD_FAR, rel=1e-2)
    assert [place_at(w, r) for r in log_r] == pytest.approx(place, abs=1e-9)
    assert rings_for(spacing_of(7.0, 0.01, 1.0), 0.01, 1.0) == pytest.approx(7.0)


def test_cracks_are_square_to_the_sheet_and_rays_meet_the_axis_through_the_hit() -> None:
    turn = np.linalg.qr(np.random.default_rng(2).normal(size=(3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn))
    body = shapes.body(SHEET.vertices @ turn.T, SHEET.triangles)
    axis, point = turn[:, 2], turn @ np.array(MIDDLE)
    cells = shattered(body, hit(point, turn @ (0.3, 0.2, -1.0)), rays=12)  # the blow need not be square to it
    assert np.abs(cells.bond_normal @ axis).max() < 1e-12
    off = np.abs(np.einsum("bk,bk->b", cells.bond_normal, cells.bond_centroid - point))
    diagonal = np.linalg.norm(np.ptp(body.vertices, axis=0))
    away = np.linalg.norm(cells.bond_centroid - point, axis=1)
    lo, hi = cells.unit[cells.bond_cells].T
    radial = (lo != hi) & (off < 0.2 * away)
    # Shifted by up to JITTER along two axes; the farthest chord of the cut is at a distance, not near zero.
    on_axis = off[radial] < 2.0 * JITTER * diagonal
    assert on_axis.sum() >= 12 and np.mean(on_axis) > 0.8
    # The same to round-off: all planes of rays meet in one line, wherever the jitter has put it.
    normal = cells.bond_normal[radial][on_axis]
    offset = np.einsum("bk,bk->b", normal, cells.bond_centroid[radial][on_axis])
    solution = np.linalg.lstsq(normal, offset, rcond=1e-9)[0]
    assert np.abs(normal @ solution - offset).max() < 1e-9 * diagonal


@pytest.mark.parametrize(
    ("count", "rays", "rings"),
    [(20, 0, 0), (100, 0, 0), (500, 0, 0), (20, 9, 0), (60, 9, 0), (500, 9, 0), (60, 0, 5), (150, 0, 5)],
)
def test_there_are_about_as_many_pieces_as_asked_for(count: int, rays: int, rings: int) -> None:
    assert 0.75 * count <= number(shattered(SHEET, hit(MIDDLE), count=count, rays=rays, rings=rings)) <= 1.25 * count


def test_walls_behind_each_other_count() -> None:
    body = shapes.hollow_box(0.1)
    cells = shattered(body, hit((0.5, 0.5, 1.0)))
    assert 75 <= number(cells) <= 125


def test_rays_and_rings_that_are_given_are_there() -> None:
    cells = shattered(SHEET, hit((0.0, 0.0, 0.01)), rays=16, rings=5, jitter=0.0, branching=0.0)
    # Five wedges (one for three rays), five closed rings, and what is left beyond them: the farthest ring lies outside
    # of the circle in the square but inside its corners.
    wedges = round(16 / 3)
    assert wedges + 16 * 5 <= number(cells) <= wedges + 16 * 6


def test_fewer_than_three_rays_are_three() -> None:
    # Two rays from a point leave a half-plane at best: no bounded convex polygon lies between them.
    pane, blow = shapes.box(high=(1.0, 1.0, 0.01)), hit((0.4, 0.5, 0.01))
    three = build(pane, (blow,), RadialParams(rays=3), 0, 0)
    for rays in (1, 2):
        assert same(build(pane, (blow,), RadialParams(rays=rays), 0, 0), three)


AWKWARD = {
    "corner": (SHEET, hit((1.0, 1.0, 0.01))),
    "edge": (SHEET, hit((1.0, 0.3, 0.01))),
    "exactly the middle": (SHEET, hit((0.0, 0.0, 0.0))),
    "outside": (SHEET, hit((1.5, 0.2, 0.5))),
    "far outside": (SHEET, hit((300.0, 20.0, 0.0))),
    "thin": (shapes.plate(), hit((0.5, 0.5, 0.0))),
    "cube": (shapes.box(), hit((0.5, 0.5, 1.0))),
    "corner of a cube": (shapes.box(), hit((1.0, 1.0, 1.0), (-1.0, -1.0, -1.0))),
    "edge of a cube": (shapes.box(), hit((1.0, 1.0, 0.5), (-1.0, 0.0, 0.0))),
    "ring": (shapes.torus(), hit((1.3, 0.0, 0.0), (-1.0, 0.0, 0.0))),
    "wine glass": (shapes.wine_glass(24), hit((0.5, 0.0, 1.8), (-1.0, 0.1, 0.0))),
    "two boxes": (shapes.two_boxes(), hit((0.5, 0.5, 1.0))),
}


@pytest.mark.parametrize("params", [{}, {"jitter": 0.0, "rays": 4}, {"jitter": 1.0, "rays": 3}], ids=str)
@pytest.mark.parametrize("name", AWKWARD)
def test_awkward_hits_give_closed_pieces_and_keep_the_volume(name: str, params: dict[str, float]) -> None:
    body, blow = AWKWARD[name]
    cells = shattered(body, blow, seed=5, **params)
    assert_sound(body, cells)
    assert number(cells) > 20
    members = [np.array([unit]) for unit in range(number(cells))]
    fragments = build_fragments(cells, members, 1000.0, body)
    assert are_closed(fragments).all()
    assert fragments.volume.sum() == pytest.approx(volume(body.vertices, body.triangles), rel=1e-12)


@pytest.mark.parametrize("name", ["cube", "ring"])
def test_solids_are_cut_along_the_blow_and_across_it_below_the_crater_alone(name: str) -> None:
    body, blow = AWKWARD[name]
    blow = dataclasses.replace(blow, direction=np.array((-0.6, 0.0, -0.8)))
    cells = shattered(body, blow)
    along = np.abs(cells.bond_normal @ blow.direction)
    floor = along > 0.5
    assert along[~floor].max() < 1e-12 and along[floor].min() > 1.0 - 1e-12
    lo, hi = cells.unit[cells.bond_cells].T
    crack = floor & (lo != hi)
    assert crack.any()
    # A tenth of the diagonal wide and deep; a shard may begin within the radius and end outside.
    radius = 0.1 * np.linalg.norm(np.ptp(body.vertices, axis=0))
    depth = (cells.bond_centroid[crack] - blow.point) @ blow.direction
    assert np.all(np.minimum(np.abs(depth - 0.5 * radius), np.abs(depth - radius)) < 1e-4 * radius)
    assert np.linalg.norm(cells.bond_centroid[crack] - blow.point, axis=1).max() < 2.0 * radius


def test_chips_at_the_hit_are_smaller_than_what_lies_below() -> None:
    cells = shattered(*AWKWARD["cube"])
    volume = np.bincount(cells.unit, cells.volume)
    near = np.linalg.norm(cells.centroid - AWKWARD["cube"][1].point, axis=1) < 0.1
    assert near.sum() > 10
    assert volume[np.unique(cells.unit[near])].max() < 0.1 * volume.max()


def test_sites_lie_on_the_sheet_in_their_region() -> None:
    p = build(SHEET, [hit(MIDDLE)], RadialParams(), 3, 0)
    cells = cut(SHEET, p)
    shown = np.unique(cells.region)
    site = p.site[shown]
    for k, region in enumerate(shown):
        facets = p.region_facet[p.region_start[region] : p.region_start[region + 1]]
        outward = np.where(p.facet_regions[facets, 0] == region, 1.0, -1.0)
        gap = np.einsum("fk,fk->f", p.facet_normal[facets], site[k] - p.facet_point[facets]) * outward
        assert np.all(gap < 1e-12)
    beyond = np.abs(site[:, :2]).max(axis=1) - 1.0
    # The jitter moves sites at the outline. Regions of which only a corner lies on the sheet may keep theirs beside it.
    assert np.mean(beyond < 1e-5) > 0.9
    assert beyond.max() < 0.3
    assert np.abs(site[:, 2] - 0.005).max() <= JITTER * np.linalg.norm((2.0, 2.0, 0.01))


def test_the_same_bits_again_and_other_seeds_differ() -> None:
    p, q = (build(SHEET, [hit(MIDDLE)], RadialParams(), 3, 0) for _ in range(2))
    assert same(p, q)
    assert not np.array_equal(p.vertices[:9], build(SHEET, [hit(MIDDLE)], RadialParams(), 4, 0).vertices[:9])


def test_an_attempt_moves_the_pattern_by_the_jitter_alone() -> None:
    p, q = (build(SHEET, [hit(MIDDLE)], RadialParams(), 3, attempt) for attempt in (0, 1))
    assert np.array_equal(p.facet_edge, q.facet_edge) and np.array_equal(p.group, q.group)
    reach = np.linalg.norm(p.vertices, axis=1).max()
    moved = np.linalg.norm(p.vertices - q.vertices, axis=1)
    assert 0.0 < moved.max() < 10.0 * JITTER * reach


@pytest.mark.parametrize("power", [-7, 7])
def test_the_same_pattern_at_any_size(power: int) -> None:
    scale = 2.0**power
    body = shapes.moved(SHEET, (0.0, 0.0, 0.0), scale)
    p = build(SHEET, [hit(MIDDLE)], RadialParams(), 3, 0)
    q = build(body, [hit(np.array(MIDDLE) * scale)], RadialParams(), 3, 0)
    assert np.array_equal(p.vertices * scale, q.vertices)
    assert np.array_equal(p.facet_normal, q.facet_normal)
    assert np.array_equal(p.group, q.group)


def test_the_strongest_hit_makes_the_pattern() -> None:
    weak, strong = hit((0.5, 0.5, 0.01), strength=0.5), hit(MIDDLE, strength=2.0)
    alone = build(SHEET, [strong], RadialParams(), 0, 0)
    assert same(alone, build(SHEET, [weak, strong], RadialParams(), 0, 0))
    assert same(alone, build(SHEET, [strong, hit((0.5, 0.5, 0.01), strength=2.0)], RadialParams(), 0, 0))


def test_without_a_hit_the_pattern_lies_around_the_middle() -> None:
    p = build(SHEET, [], RadialParams(), 0, 0)
    q = build(SHEET, [hit((0.0, 0.0, 0.005))], RadialParams(), 0, 0)
    assert p.vertices == pytest.approx(q.vertices, abs=1e-12)


def test_faster_hits_make_more_rays() -> None:
    # N = 11 sqrt(V / 10 m/s), as for the layout Spider; rings are given, so only the count could change it.
    def rays(speed: float, count: int) -> int:
        p = build(SHEET, [hit(MIDDLE, speed=speed)], RadialParams(count=count, branching=0.0), 0, 0)
        centre = np.flatnonzero(np.abs(p.vertices[:, :2] - MIDDLE[:2]).max(axis=1) < 1e-4)
        return int((p.edge_vertices == centre[0]).any(axis=1).sum()) - 1  # less the strut

    assert rays(2.5, 40) < rays(10.0, 100) < rays(40.0, 250)
