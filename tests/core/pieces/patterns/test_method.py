"""The same pattern at every hit, up to a similarity; twists, the jitter of an attempt, sizes of the body."""

import dataclasses

import numpy as np
import pytest

from core.geometry.mesh import bounds, diagonal
from core.pieces.convention import JITTER
from core.pieces.patterns.kinds import GENERATORS, generated
from core.pieces.patterns.method import PatternParams, build, placement_of
from core.pieces.patterns.placement import turn_about, turn_to
from core.pieces.patterns.similarity import similar
from core.types import Floats, Impact, Partition
from tests import shapes

WALL = shapes.box((-1.5, -0.1, 0.0), (1.5, 0.1, 2.0))
kinds = pytest.mark.parametrize("kind", sorted(GENERATORS))


def hit(point: Floats, direction: Floats = (0.0, 1.0, 0.0), strength: float = 1.0, radius: float = 0.0) -> Impact:
    unit = np.asarray(direction, np.float64) / np.linalg.norm(direction)
    return Impact(np.asarray(point, np.float64), unit, strength, 5.0, radius, 0.0)


HITS = (hit((0.0, -0.1, 1.0)), hit((1.2, -0.1, 0.3), (0.2, 1.0, 0.1)), hit((-1.5, 0.0, 1.9), (1.0, 0.1, -0.5)))


def same(p: Partition, q: Partition) -> bool:
    return all(np.array_equal(getattr(p, f.name), getattr(q, f.name)) for f in dataclasses.fields(Partition))


def place(blow: Impact, body=WALL, seed: int = 1, **params):
    chosen = PatternParams(count=30, **params)
    return placement_of(generated(chosen.kind, chosen.count, seed), body, [blow], chosen, seed)


@kinds
def test_the_same_pattern_at_each_hit_up_to_a_similarity(kind: str) -> None:
    pattern, params = generated(kind, 30, 1), PatternParams(kind=kind, count=30)
    for blow in HITS:
        p, at = build(WALL, [blow], params, 1, 0), place(blow, kind=kind)
        assert np.array_equal(p.facet_edge, pattern.partition.facet_edge)
        assert np.array_equal(p.group, pattern.partition.group)
        back = (p.vertices - at.centre) @ at.turn / at.scale
        # The jitter shifts and turns by 1e-6; nothing else differs.
        far = np.linalg.norm(pattern.partition.vertices, axis=1)
        off = np.linalg.norm(back - pattern.partition.vertices, axis=1)
        assert np.all(off < 1.01 * JITTER * (np.sqrt(3.0) * diagonal(WALL.vertices) / at.scale + far))
        assert at.turn[:, 2] == pytest.approx(blow.direction, abs=1e-14)
        assert at.centre == pytest.approx(blow.point, abs=1e-15)


def test_facets_that_shared_a_plane_share_its_bits_wherever_they_go() -> None:
    pattern = generated("brick", 30, 0).partition
    moved = similar(
        pattern, 0.37, turn_to(np.array((0.6, 0.0, 0.8))) @ turn_about(np.array((0.0, 0.0, 1.0)), 0.7), np.ones(3)
    )
    for plane in ("facet_normal", "facet_point"):
        before, after = getattr(pattern, plane), getattr(moved, plane)
        _, first, of = np.unique(before, axis=0, return_index=True, return_inverse=True)
        assert len(first) < len(before)
        assert np.array_equal(after, after[first][of.ravel()])


def test_random_twists_differ_from_hit_to_hit_and_locked_ones_do_not() -> None:
    points = [(x, -0.1, z) for x in (-1.0, 0.0, 0.7) for z in (0.2, 1.0)]
    for twist, aligned, different in (("random", False, 6), ("locked", False, 1), ("level", False, 1)):
        turns = {tuple(place(hit(point), twist=twist, aligned=aligned, angle=0.3).turn.ravel()) for point in points}
        assert len(turns) == different
    first = place(hit(points[0]), twist="random").turn
    assert np.array_equal(first, place(hit(points[0]), twist="random").turn)
    assert not np.array_equal(first, place(hit(points[0]), twist="random", seed=2).turn)


def test_a_locked_angle_turns_about_the_blow() -> None:
    blow = HITS[1]
    for twist in ("locked", "level"):
        start, turned = (place(blow, twist=twist, angle=angle).turn for angle in (0.0, 0.4))
        assert turned == pytest.approx(turn_about(blow.direction, 0.4) @ start, abs=1e-14)


def test_bricks_lie_level_by_themselves() -> None:
    for direction in ((0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (-0.6, 0.7, 0.0)):
        turn = place(hit((0.2, 0.0, 1.0), direction), kind="brick").turn
        assert turn[:, 1] == pytest.approx((0.0, 0.0, 1.0), abs=1e-15)


def test_aligned_patterns_stay_on_the_grid() -> None:
    seen = set()
    for x in np.linspace(-1.4, 1.4, 24):
        turn = place(hit((x, -0.1, 1.0), (0.1, 1.0, 0.3)), twist="random", aligned=True).turn
        assert set(np.unique(turn)) == {-1.0, 0.0, 1.0} or set(np.unique(turn)) == {0.0, 1.0}
        assert turn[1, 2] == 1.0
        seen.add(tuple(turn.ravel()))
    assert len(seen) == 4


@kinds
@pytest.mark.parametrize("power", [-7, 7])
def test_the_same_pattern_at_any_size(kind: str, power: int) -> None:
    scale, params = 2.0**power, PatternParams(kind=kind, count=30)
    body = shapes.moved(WALL, (0.0, 0.0, 0.0), scale)
    p = build(WALL, [HITS[1]], params, 1, 0)
    q = build(body, [dataclasses.replace(HITS[1], point=HITS[1].point * scale)], params, 1, 0)
    assert np.array_equal(p.vertices * scale, q.vertices)
    assert np.array_equal(p.facet_normal, q.facet_normal)
    assert np.array_equal(p.group, q.group)


def test_a_size_is_in_radii_of_the_hit() -> None:
    sizes = [place(hit(point, radius=0.2), size=5.0).scale for point in ((0.0, -0.1, 1.0), (1.4, -0.1, 0.1))]
    assert sizes == pytest.approx([1.0, 1.0])
    assert place(hit((0.0, -0.1, 1.0)), size=5.0).scale == pytest.approx(0.5 * diagonal(WALL.vertices))


def test_an_attempt_moves_the_pattern_by_the_jitter_alone() -> None:
    p, q = (build(WALL, [HITS[0]], PatternParams(count=30), 1, attempt) for attempt in (0, 1))
    assert np.array_equal(p.facet_edge, q.facet_edge)
    moved = np.linalg.norm(p.vertices - q.vertices, axis=1)
    assert moved.min() > 0.0 and moved.max() < 10.0 * JITTER * np.linalg.norm(p.vertices, axis=1).max()


def test_the_strongest_hit_makes_the_pattern_and_one_beside_the_body_acts_at_its_skin() -> None:
    params = PatternParams(count=30)
    alone = build(WALL, [HITS[0]], params, 1, 0)
    assert same(alone, build(WALL, [dataclasses.replace(HITS[1], strength=0.5), HITS[0]], params, 1, 0))
    beside = place(hit((0.3, -0.7, 1.0)))
    assert beside.centre == pytest.approx((0.3, -0.1, 1.0), abs=1e-12)


def test_without_a_hit_the_pattern_lies_in_the_middle() -> None:
    at = placement_of(generated("radial", 30, 1), WALL, [], PatternParams(count=30), 1)
    low, high = bounds(WALL.vertices)
    assert at.centre == pytest.approx(0.5 * (low + high), abs=1e-12)
    assert np.abs(at.turn[:, 2]) == pytest.approx((0.0, 1.0, 0.0), abs=1e-12)  # through the plate
