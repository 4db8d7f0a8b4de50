"""Bodies and scenes that the tests of motion share."""

from dataclasses import replace

import numpy as np
from scipy.spatial import ConvexHull

from core.rigid.shapes.convex_hulls import make_convex_parts
from core.rigid.state import RigidBodies, World, at_rest
from core.types import Ground
from tests.rigid_bodies import join_bodies

CORNERS = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
G = 9.81
FLOOR = World(np.array([0.0, 0.0, -G]), Ground(0.0))
AIR = World(np.array([0.0, 0.0, -G]), None)
SPACE = World(np.zeros(3), None)


def solid(points, friction=0.5, restitution=0.0, density=2500.0):
    """One homogeneous convex body, the hull of `points` (n,3): volume integrals over tetrahedra to the mean point."""
    points = np.asarray(points, np.float64)
    points = points - points.mean(axis=0)
    hull = ConvexHull(points)
    corner = points[hull.simplices]
    volume = np.abs(np.linalg.det(corner)) / 6
    total = corner.sum(axis=1)
    centre = (volume / 4) @ total / volume.sum()
    second = np.einsum("t,tka,tkb->ab", volume / 20, corner, corner) + np.einsum(
        "t,ta,tb->ab", volume / 20, total, total
    )
    second -= volume.sum() * np.outer(centre, centre)
    inertia = density * (np.trace(second) * np.eye(3) - second)
    return RigidBodies(
        mass=np.array([density * volume.sum()]),
        inertia=inertia[None],
        centre=np.zeros((1, 3)),
        part_start=np.array([0, 1]),
        part=np.array([0]),
        shapes=make_convex_parts([points[hull.vertices] - centre]),
        friction=friction,
        restitution=restitution,
    )


def box(x, y, z, **more):
    return solid(CORNERS * [x, y, z], **more)


def bowl(radius=0.05, height=0.9, thickness=0.003, around=16, **more):
    """A shell like a shard of a bowl: a spherical cap of opening angle `height` [rad], as point masses."""
    lean, turn = np.meshgrid(np.linspace(0, height, 8), np.arange(around) * 2 * np.pi / around, indexing="ij")
    points = radius * np.stack([np.sin(lean) * np.cos(turn), np.sin(lean) * np.sin(turn), -np.cos(lean)], axis=-1)
    points, weight = points.reshape(-1, 3), np.sin(lean).ravel() + 1e-3
    weight *= 2500 * thickness * 2 * np.pi * radius**2 * (1 - np.cos(height)) / weight.sum()
    points = points - weight @ points / weight.sum()
    inertia = np.einsum(
        "n,nij->ij", weight, np.eye(3) * (points**2).sum(1)[:, None, None] - points[:, :, None] * points[:, None]
    )
    one = solid(points[ConvexHull(points).vertices], **more)
    shapes = make_convex_parts([points[ConvexHull(points).vertices]])
    return replace(one, mass=np.array([weight.sum()]), inertia=inertia[None], shapes=shapes)


def placed(bodies, position, rotation=(1.0, 0.0, 0.0, 0.0), velocity=(0.0, 0.0, 0.0), spin=(0.0, 0.0, 0.0)):
    """A state of one body; `spin` is the angular velocity [rad/s], world axes."""
    q = np.asarray(rotation, np.float64) / np.linalg.norm(rotation)
    R = matrix_of(q)
    return replace(
        at_rest(np.array([position], np.float64)),
        rotation=q[None],
        velocity=np.array([velocity], np.float64),
        angular_momentum=(R @ bodies.inertia[0] @ R.T @ np.asarray(spin, np.float64))[None],
    )


def matrix_of(q):
    w, v = q[0], q[1:]
    K = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + 2 * w * K + 2 * K @ K


def corners(bodies, state, k):
    """World positions (n,3) of the corners of body k."""
    parts = bodies.shapes.parts[bodies.part[bodies.part_start[k] : bodies.part_start[k + 1]]]
    points = np.concatenate([bodies.shapes.vertices[first:end] for first, end in parts.vertex])
    return (points - bodies.centre[k]) @ matrix_of(state.rotation[k]).T + state.position[k]


def lowest(bodies, state):
    """(K,) height of the lowest corner of each body."""
    return np.array([corners(bodies, state, k)[:, 2].min() for k in range(len(bodies.mass))])


def random_scene(rng, count=1, size=0.1, friction=0.5, restitution=0.0, apart=4):
    """Random convex bodies, some flat or long, that fall, fly and spin above the floor; `apart` in sizes."""
    parts = []
    for i in range(count):
        points = rng.normal(size=(rng.integers(6, 30), 3)) * np.exp(rng.uniform(-2.5, 0, 3)) * size
        one = solid(points, friction, restitution)
        state = placed(
            one,
            [apart * size * i, 0, one.radius[0] + size * rng.uniform(0, 2)],
            rng.normal(size=4),
            rng.normal(size=3) * np.sqrt(G * size),
            rng.normal(size=3) * np.sqrt(G / size) * rng.choice([0, 1]),
        )
        parts.append((one, state))
    whole = parts[0]
    for part in parts[1:]:
        whole = join_bodies(whole, part)
    return whole
