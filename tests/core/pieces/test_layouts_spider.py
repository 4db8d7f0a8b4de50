"""The geometry behind the spider: exact rays, slanting ring cracks, bent planes, distances along walls."""

import numpy as np
import pytest
from scipy.spatial import cKDTree

from core.pieces.layouts.bend import bend
from core.pieces.layouts.cones import cones_around, shards
from core.pieces.layouts.geodesic import polar
from core.pieces.layouts.sectors import rays_around, sectors
from core.pieces.layouts.spider import rays_at


def flat(log_r: np.ndarray, angle: np.ndarray) -> np.ndarray:
    return np.exp(log_r)[:, None] * np.stack((np.cos(angle), np.sin(angle)), axis=1)


def test_number_of_rays_is_eleven_times_the_root_of_the_speed() -> None:
    # N = 11 sqrt(V / 10 m/s): twice as many for four times the speed (Vandenberghe et al. 2013).
    assert [rays_at(v) for v in (10.0, 40.0, 2.5, 0.01, 1e4, 0.0)] == [11, 22, 6, 5, 30, 11]


@pytest.mark.parametrize("count", [5, 11, 30])
def test_rays_have_twins_at_equal_radii_on_both_sides(count: int) -> None:
    rays = rays_around(count, 0.01, 1.0, np.random.default_rng(count))
    assert np.all(np.diff(rays.angle) > 2.0 * rays.twin)
    log_r, angle, _ = sectors(rays, 1.0, 0.0, np.random.default_rng(0))
    for ray in rays.angle:
        off = np.angle(np.exp(1j * (angle - ray)))
        for side in (-1.0, 1.0):
            column = np.abs(off - side * rays.twin) < 1e-9
            found = np.sort(log_r[column])
            # Twins of ring cracks may fall on the column by chance; those of the ray are at all common radii.
            assert np.abs(found[:, None] - rays.log_r).min(axis=0).max() < 1e-9


@pytest.mark.parametrize("seed", range(3))
def test_cells_part_exactly_along_the_rays(seed: int) -> None:
    rays = rays_around(9, 0.01, 1.0, np.random.default_rng(seed))
    log_r, angle, shard = sectors(rays, 1.0, 0.0, np.random.default_rng(seed))
    # Sector of each shard: that of its first site; without branching every shard stays between its two rays.
    turned = (angle - rays.angle[0]) % (2.0 * np.pi)
    sector = np.searchsorted(rays.angle - rays.angle[0], turned, side="right") - 1
    rng = np.random.default_rng(seed + 10)
    # Points 0.4 mrad beside a ray, away from the core and from the last radius.
    pick = rng.integers(len(rays.angle), size=4000)
    side = rng.choice((-1.0, 1.0), 4000)
    points = flat(rng.uniform(rays.log_r[1], rays.log_r[-2], 4000), rays.angle[pick] + 4e-4 * side)
    nearest = cKDTree(flat(log_r, angle)).query(points)[1]
    wanted = np.where(side > 0.0, pick, pick - 1) % len(rays.angle)
    assert np.mean(sector[nearest] == wanted) > 0.999
    assert len(np.unique(shard)) > 20


def test_longer_shards_are_fewer_and_branching_makes_more() -> None:
    rays = rays_around(11, 0.01, 1.0, np.random.default_rng(0))
    number = {
        key: len(np.unique(sectors(rays, *key, np.random.default_rng(1))[2]))
        for key in ((0.5, 0.0), (1.0, 0.0), (2.0, 0.0), (1.0, 1.0))
    }
    assert number[0.5, 0.0] > number[1.0, 0.0] > number[2.0, 0.0] >= 11
    assert number[1.0, 1.0] > number[1.0, 0.0]


def test_bent_planes_keep_angles_and_do_not_fold() -> None:
    rng = np.random.default_rng(2)
    points = rng.uniform(-0.7, 0.7, (500, 2))
    points = points[np.hypot(*points.T) < 1.0]
    h = 1e-6
    dx, dy = (
        (bend(points + s, 1.0, np.random.default_rng(7)) - bend(points - s, 1.0, np.random.default_rng(7))) / (2.0 * h)
        for s in ((h, 0.0), (0.0, h))
    )
    # Cauchy-Riemann: u_x = v_y, u_y = -v_x.
    assert np.allclose(dx[:, 0], dy[:, 1], atol=1e-8)
    assert np.allclose(dy[:, 0], -dx[:, 1], atol=1e-8)
    assert (dx[:, 0] * dy[:, 1] - dx[:, 1] * dy[:, 0]).min() > 0.3
    assert np.allclose(bend(np.zeros((1, 2)), 1.0, rng), 0.0)


def test_polar_coordinates_are_exact_on_a_flat_wall() -> None:
    rng = np.random.default_rng(0)
    points = np.concatenate((np.zeros((1, 2)), rng.uniform(-1.0, 1.0, (1500, 2))))
    distance, angle = polar(np.column_stack((points, np.zeros(len(points)))), 0.15)
    assert np.allclose(distance, np.hypot(*points.T), atol=1e-9)
    # The azimuth is free in its zero and its sense.
    true = np.exp(1j * np.arctan2(points[1:, 1], points[1:, 0]))
    got = np.exp(1j * angle[1:])
    assert max(abs(np.mean(got * np.conj(true))), abs(np.mean(got * true))) == pytest.approx(1.0, abs=1e-9)


def test_polar_coordinates_follow_a_sphere() -> None:
    rng = np.random.default_rng(1)
    points = rng.normal(size=(4000, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    points[0] = (0.0, 0.0, 1.0)
    distance, angle = polar(points, 0.1)
    arc = np.arccos(np.clip(points[:, 2], -1.0, 1.0))
    away = (arc > 0.2) & (arc < 2.5)
    assert np.abs(distance[away] / arc[away] - 1.0).max() < 0.03
    true = np.exp(1j * np.arctan2(points[away, 1], points[away, 0]))
    got = np.exp(1j * angle[away])
    assert max(abs(np.mean(got * np.conj(true))), abs(np.mean(got * true))) > 0.99


def test_unreached_walls_are_infinitely_far() -> None:
    rng = np.random.default_rng(3)
    near, far = rng.uniform(-1.0, 1.0, (2, 300, 3)) * (1.0, 1.0, 0.0)
    distance, _ = polar(np.concatenate((near, far + np.array((50.0, 0.0, 0.0)))), 0.3)
    assert np.isfinite(distance[:300]).all()
    assert np.isinf(distance[300:]).all()


def test_cones_part_along_planes_through_the_hit() -> None:
    cones = cones_around(7, 0.02, 1.0, np.random.default_rng(0))
    shard = shards(cones, 1.0, 0.0, np.random.default_rng(1))
    sites = (np.exp(cones.log_r)[:, None, None] * cones.vector).reshape(-1, 3)
    rng = np.random.default_rng(2)
    u = rng.normal(size=(1000, 3))
    u /= np.linalg.norm(u, axis=1)[:, None]
    points = u * rng.uniform(0.05, 0.9, (1000, 1))
    nearest = cKDTree(sites).query(points)[1] % len(cones.vector)
    # At equal radii the nearer direction wins whatever the radius.
    assert np.array_equal(nearest, np.argmax(u @ cones.vector.T, axis=1))
    # A shard is one cone between two radii.
    for k in np.unique(shard):
        radius, direction = np.nonzero(shard == k)
        assert np.ptp(cones.level[0, direction]) == 0
        assert len(np.unique(radius)) == np.ptp(radius) + 1
