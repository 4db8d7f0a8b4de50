"""What has fallen rests on things and not in them, whatever convex parts they are made of.

Depths are those of the meshes themselves, see `tests/depths.py`. Hulls may keep things apart where they bend inwards,
but never let one into another by more than half a per cent of a piece's size.
"""

from dataclasses import replace

import numpy as np
import pytest

from core.rigid.advance import advance_frame
from core.rigid.shapes.collider_parts import make_collider_parts
from core.rigid.state import ColliderPoses, Colliders, RigidBodies, World
from core.types import Ground, Mesh
from tests.concave import OBSTACLES, SHARDS
from tests.core.rigid.shapes_of import G, matrix_of, placed
from tests.depths import depth, samples, size
from tests.verification.motion_scenes import DT, energies, scales, together

DEEP = 0.005  # in sizes of the piece
GROUND = -0.5
FRAMES = 72
INSIDE = ("tub", "house", "room")  # pieces begin between their walls
ROUND_OFF = 1e-12


def rigid(skin, density=2500.0):
    """A body of the convex parts of a mesh, with the mass of its volume, and the mesh about its centre of mass."""
    vertices, triangles = skin
    vertices = vertices - vertices.mean(axis=0)
    corner = vertices[triangles]
    volume = np.linalg.det(corner) / 6
    vertices = vertices - (volume[:, None] * corner.sum(axis=1) / 4).sum(axis=0) / volume.sum()
    corner = vertices[triangles]
    volume, total = np.linalg.det(corner) / 6, corner.sum(axis=1)
    second = np.einsum("t,tka,tkb->ab", volume / 20, corner, corner) + np.einsum(
        "t,ta,tb->ab", volume / 20, total, total
    )
    shapes = make_collider_parts(Mesh("shard", vertices, triangles))
    parts = len(shapes.parts)
    body = RigidBodies(
        np.array([density * volume.sum()]), density * (np.trace(second) * np.eye(3) - second)[None], np.zeros((1, 3)),
        np.array([0, parts]), np.arange(parts), shapes, 0.5, 0.0,
    )  # fmt: skip
    return body, (vertices, triangles)


def around(skin, turn):
    """A world with a ground and a collider that stands turned by a quaternion."""
    shapes = make_collider_parts(Mesh("obstacle", *skin))
    lead = ColliderPoses(np.zeros((2, 1, 3)), np.tile(turn, (2, 1, 1)))
    colliders = Colliders(shapes, np.array([0, len(shapes.parts)]), np.zeros((1, 3)))
    return World(np.array([0.0, 0.0, -G]), Ground(GROUND), colliders, lead)


def falling(low, high, inside, seed):
    """The shards, turned at random, above a box or within it: bodies, state, meshes."""
    rng = np.random.default_rng(seed)
    things, skins = [], []
    for k, shard in enumerate([*SHARDS.values(), SHARDS["L"]]):
        body, skin = rigid(shard)
        x, y = rng.uniform(0.7 * low[:2], 0.7 * high[:2])
        z = (low[2] + 0.6 if inside else high[2] + 0.3) + 0.45 * (k % 4)
        things.append((body, placed(body, [x, y, z], rng.normal(size=4))))
        skins.append(skin)
    return *together(things), skins


def in_space(skins, state):
    return [
        (skin[0] @ matrix_of(q).T + x, skin[1])
        for skin, q, x in zip(skins, state.rotation, state.position, strict=True)
    ]


def near(points, skin):
    """Those of the points in the box around a mesh."""
    return points[((points > skin[0].min(axis=0)) & (points < skin[0].max(axis=0))).all(axis=1)]


def deepest(skins, obstacle, hollow):
    """(K,) how deep each piece lies in the obstacle, the ground or another piece, in sizes of the smaller piece."""
    found = np.zeros(len(skins))
    of_obstacle = samples(*obstacle, along=40)
    for k, skin in enumerate(skins):
        points, own = samples(*skin), size(skin[0])
        if hollow:  # a room seen from inside: everything beyond its walls is matter
            low, high = obstacle[0].min(axis=0), obstacle[0].max(axis=0)
            into = np.maximum(low - points, points - high).max()
        else:
            into = max(depth(points, *obstacle), depth(near(of_obstacle, skin), *skin))
        found[k] = max(into, GROUND - points[:, 2].min(), 0.0) / own
        for other in skins[:k] + skins[k + 1 :]:
            found[k] = max(found[k], depth(near(points, other), *other) / min(own, size(other[0])))
    return found


def fallen(name, turn=(1.0, 0.0, 0.0, 0.0), scale=1.0, seed=0):
    """How deep all shards lie after they fell on an obstacle; their energy never rose."""
    skin = scale * OBSTACLES[name][0], OBSTACLES[name][1]
    turn = np.asarray(turn) / np.linalg.norm(turn)
    world, (vertices, triangles) = around(skin, turn), skin
    obstacle = vertices @ matrix_of(turn).T, triangles
    low, high = obstacle[0].min(axis=0), obstacle[0].max(axis=0)
    bodies, state, skins = falling(low, high, name in INSIDE, seed)
    before = energies(bodies, state, world.gravity).sum()
    for _ in range(FRAMES):
        state, _ = advance_frame(bodies, state, world, DT)
        now = energies(bodies, state, world.gravity).sum()
        assert now <= before + ROUND_OFF * scales(bodies, state, world.gravity).sum()
        before = now
    return deepest(in_space(skins, state), obstacle, name == "room")


def check_depths(depths):
    assert depths.max() <= DEEP


@pytest.mark.parametrize("name", OBSTACLES)
def test_shards_rest_on_obstacles_and_not_in_them(name):
    check_depths(fallen(name))


@pytest.mark.parametrize(
    ("name", "turn"), [("step", (1, 0.2, 0, 0)), ("tub", (1, 0, 0, 0.4)), ("T", (0.9, 0, 0.3, 0.1))]
)
def test_turned_and_scaled_obstacles_hold_as_well(name, turn):
    check_depths(fallen(name, turn, 1.3, seed=1))


def test_a_rod_that_one_step_spins_does_not_stay_in_the_next_one():
    """It hits an edge at 7 m/s and turns by a radian before its other end is down: within a frame."""
    check_depths(fallen("ten stairs", (1.0, 0.0518, 0.1232, 0.0496), 1.2, seed=1))


def test_a_channel_that_moves_carries_what_lies_in_it():
    """At half a metre per second to the side and up, from rest within its walls."""
    vertices, triangles = OBSTACLES["channel"]
    world = around((vertices, triangles), (1.0, 0.0, 0.0, 0.0))
    low, high = np.array([-1.2, -2.0, 0.4]), np.array([1.2, 2.0, 2.0])
    bodies, state, skins = falling(low, high, True, 3)
    for frame in range(FRAMES):
        way = np.array([0.5, 0.0, 0.3]) * DT * np.array([[frame], [frame + 1]])
        moved = replace(world, lead=replace(world.lead, position=way[:, None]))
        state, _ = advance_frame(bodies, state, moved, DT)
    obstacle = vertices + FRAMES * DT * np.array([0.5, 0.0, 0.3]), triangles
    check_depths(deepest(in_space(skins, state), obstacle, False))
    assert (state.position[:, 2] > obstacle[0][:, 2].min() + 0.4).all()
