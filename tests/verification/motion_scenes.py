"""Scenes of rigid-body motion, and what is measured of them without the engine's help."""

import functools
from dataclasses import replace

import numpy as np

from core.cutting.cut import cut
from core.pieces.voronoi_complex import voronoi_complex
from core.rigid.advance import advance_frame
from core.rigid.shapes.convex_hulls import make_convex_parts
from core.rigid.state import ColliderPoses, Colliders, RigidBodies, World, at_rest
from core.types import Ground
from tests import shapes
from tests.core.rigid.shapes_of import CORNERS, G, box, matrix_of, placed, solid
from tests.rigid_bodies import join_bodies

DT = 1 / 24
FLOOR = World(np.array([0.0, 0.0, -G]), Ground(0.0))
SPACE = World(np.zeros(3), None)
DENSITY = 2500.0


def together(parts):
    """One scene of several (bodies, state)."""
    return functools.reduce(join_bodies, parts)


def stack(count, side=0.4, gap=0.0, **more):
    """Boxes one above the other, the lowest one on the floor, with gaps of `gap` between them [m]."""
    return together(
        (one, placed(one, [0, 0, 0.5 * side + i * (side + gap)]))
        for i, one in enumerate(box(side, side, side, **more) for _ in range(count))
    )


def ball(radius, subdivisions=2, **more):
    """20 * 4^subdivisions triangles with corners on a sphere."""
    return solid(shapes.icosphere(subdivisions, radius).vertices, **more)


def domino_row(count, height=0.5, apart=0.25, tilt=0.1, **more):
    """Upright slabs in a row along x; the first one leans on its lower edge by `tilt` [rad] beyond balance."""
    thick, wide = 0.1 * height, 0.4 * height
    parts = []
    for i in range(count):
        one = box(thick, wide, height, **more)
        state = placed(one, [i * apart, 0, 0.5 * height])
        if i == 0:
            lean = np.arctan2(thick, height) + tilt
            q = np.array([np.cos(lean / 2), 0, np.sin(lean / 2), 0])
            state = placed(one, -matrix_of(q) @ [0.5 * thick, 0, -0.5 * height] + [0.5 * thick, 0, 0], q)
        parts.append((one, state))
    return together(parts)


def pieces_of_box(count, seed=0, size=(2.0, 2.0, 2.0), low=0.0, friction=0.5, restitution=0.0):
    """A box cut into the Voronoi cells of random sites, all in place; its lower face is at the height `low` [m]."""
    half = 0.5 * np.asarray(size)
    start, end = np.array([-half[0], -half[1], low]), np.array([half[0], half[1], low + size[2]])
    cells = cut(
        shapes.box(start, end), voronoi_complex(np.random.default_rng(seed).uniform(start, end, (count, 3)), start, end)
    )
    corners = [[] for _ in cells.volume]
    for face, cell in enumerate(cells.outer_cell):
        corners[cell].append(cells.outer_vertex[cells.outer_start[face] : cells.outer_start[face + 1]])
    for face, bond in enumerate(cells.inner_bond):
        for cell in cells.bond_cells[bond]:
            corners[cell].append(cells.inner_vertex[cells.inner_start[face] : cells.inner_start[face + 1]])
    second = DENSITY * cells.second_moment
    bodies = RigidBodies(
        mass=DENSITY * cells.volume,
        inertia=np.trace(second, axis1=1, axis2=2)[:, None, None] * np.eye(3) - second,
        centre=cells.centroid,
        part_start=np.arange(len(cells.volume) + 1),
        part=np.arange(len(cells.volume)),
        shapes=make_convex_parts([cells.vertices[np.unique(np.concatenate(some))] for some in corners]),
        friction=friction,
        restitution=restitution,
    )
    return bodies, at_rest(bodies.centre)


def pile(count, seed=0, spacing=2.6, **more):
    """Pieces of a cube, pulled apart and turned at random, with the lowest one just above the floor."""
    bodies, state = pieces_of_box(count, seed, **more)
    q = np.random.default_rng(seed + 1).normal(size=(count, 4))
    place = spacing * bodies.centre
    place[:, 2] += bodies.radius.max() - place[:, 2].min()
    return bodies, replace(state, position=place, rotation=q / np.linalg.norm(q, axis=1)[:, None])


def table(x, y, z):
    """A collider in the shape of a box about its pivot."""
    return Colliders(make_convex_parts([CORNERS * [x, y, z]]), np.array([0, 1]), np.zeros((1, 3)))


def led(colliders, start, end, gravity=G, ground=None, turn=((1, 0, 0, 0), (1, 0, 0, 0))):
    """The world of one frame in which the collider goes from `start` (3,) to `end` (3,)."""
    lead = ColliderPoses(np.array([[start], [end]], np.float64), np.array([[turn[0]], [turn[1]]], np.float64))
    return World(np.array([0.0, 0.0, -gravity]), ground, colliders, lead)


def run(bodies, state, frames, world=FLOOR, dt=DT):
    """The state after some frames."""
    for _ in range(frames):
        state, _ = advance_frame(bodies, state, world, dt)
    return state


def played(bodies, state, worlds, dt=DT, rested=True):
    """The states (with the first one), the accounts, and by how much energy less work rose in any frame, in scales.

    Where not `rested`, bodies never come to the end of their patience.
    """
    states, accounts, rise = [state], [], -np.inf
    for world in worlds:
        if not rested:
            state = replace(state, quiet=np.zeros(len(bodies.mass)))
        after, account = advance_frame(bodies, state, world, dt)
        gain = (energies(bodies, after, world.gravity) - energies(bodies, state, world.gravity)).sum() - account.work
        scale = scales(bodies, state, world.gravity) + scales(bodies, after, world.gravity)
        rise = max(rise, gain / (scale.sum() + abs(account.work)))
        states.append(after)
        accounts.append(account)
        state = after
    return states, accounts, rise


def turns(state):
    """(K,3,3) rotation matrices."""
    return np.array([matrix_of(q) for q in state.rotation])


def energies(bodies, state, gravity):
    """(K,) kinetic plus potential energy of each body, by definition [J]."""
    L = np.einsum("kji,kj->ki", turns(state), state.angular_momentum)
    turning = 0.5 * np.sum(L * np.linalg.solve(bodies.inertia, L[..., None])[..., 0], axis=1)
    return turning + bodies.mass * (0.5 * (state.velocity**2).sum(axis=1) - state.position @ gravity)


def scales(bodies, state, gravity):
    """(K,) sizes of the terms in these energies, the measure of their round-off [J]."""
    lift = np.abs(state.position) @ np.abs(gravity) * bodies.mass
    return energies(bodies, state, gravity) + bodies.mass * (state.position @ gravity) + lift


def momentum(bodies, state):
    """Linear momentum (3,) and angular momentum (3,) about the origin."""
    linear = bodies.mass[:, None] * state.velocity
    return linear.sum(axis=0), (np.cross(state.position, linear) + state.angular_momentum).sum(axis=0)


def speeds(bodies, state):
    """(K,) bounds of the speed of any point of each body [m/s]."""
    R = turns(state)
    spin = np.einsum("kij,kj->ki", R @ np.linalg.inv(bodies.inertia) @ R.transpose(0, 2, 1), state.angular_momentum)
    return np.linalg.norm(state.velocity, axis=1) + np.linalg.norm(spin, axis=1) * bodies.radius


def hulls(bodies, state):
    """Corners (n,3), edge directions (e,3) and face normals (f,3) of each body of one part, in the world."""
    for k, R in enumerate(turns(state)):
        part = bodies.shapes.parts[bodies.part[bodies.part_start[k]]]
        corner = (bodies.shapes.vertices[slice(*part.vertex)] - bodies.centre[k]) @ R.T + state.position[k]
        a, b = bodies.shapes.edges[slice(*part.edge), :2].T
        yield corner, corner[b] - corner[a], bodies.shapes.faces.normal[slice(*part.face)] @ R.T


def overlaps(bodies, state):
    """(K,) how deep each body overlaps another one or the floor at most, in radii of the smaller of the two.

    By the separating axes of two convex bodies: the normals of their faces and the products of their edges.
    """
    shape = list(hulls(bodies, state))
    depth = np.array([max(0.0, -corner[:, 2].min()) for corner, _, _ in shape]) / bodies.radius
    apart = np.linalg.norm(state.position[:, None] - state.position[None], axis=2)
    near = np.argwhere(np.triu(apart < bodies.radius[:, None] + bodies.radius[None], 1))
    for a, b in near:
        (p, d, n), (q, e, m) = shape[a], shape[b]
        products = np.cross(d[:, None], e[None]).reshape(-1, 3)
        size = np.linalg.norm(products, axis=1)
        keep = size > 1e-6 * np.linalg.norm(d, axis=1).max() * np.linalg.norm(e, axis=1).max()
        axis = np.concatenate([n, m, products[keep] / size[keep, None]])
        s, t = axis @ p.T, axis @ q.T
        gap = np.maximum(s.min(axis=1) - t.max(axis=1), t.min(axis=1) - s.max(axis=1)).max()
        deep = max(0.0, -gap) / min(bodies.radius[a], bodies.radius[b])
        depth[a], depth[b] = max(depth[a], deep), max(depth[b], deep)
    return depth
