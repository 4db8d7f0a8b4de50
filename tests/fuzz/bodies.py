"""Random closed bodies of every kind that an artist may bring, and some that nobody should."""

from collections.abc import Callable

import manifold3d
import numpy as np

from core.types import Body, Floats
from tests import shapes

Rng = np.random.Generator


def cube(rng: Rng) -> Body:
    return shapes.box(high=tuple(rng.uniform(0.2, 1.0, 3))) if rng.random() < 0.5 else shapes.box()


def sphere(rng: Rng) -> Body:
    return shapes.icosphere(int(rng.integers(0, 4)))


def poles(rng: Rng) -> Body:
    return shapes.uv_sphere(int(rng.integers(3, 24)), int(rng.integers(2, 16)))


def bumpy(rng: Rng) -> Body:
    return shapes.bumpy_sphere(int(rng.integers(1, 4)))


def ring(rng: Rng) -> Body:
    return shapes.torus(1.0, rng.uniform(0.02, 0.6), int(rng.integers(3, 32)), int(rng.integers(3, 16)))


def pane(rng: Rng) -> Body:
    return shapes.box(high=(1.0, rng.uniform(0.3, 1.0), 10.0 ** rng.uniform(-4, -1)))


def needle(rng: Rng) -> Body:
    thin = 10.0 ** rng.uniform(-4, -1)
    return turned(shapes.box(high=(1.0, thin, thin)), rng)


def glass(rng: Rng) -> Body:
    return shapes.wine_glass(int(rng.integers(6, 32)), rng.uniform(0.01, 0.05))


def hollow(rng: Rng) -> Body:
    return shapes.hollow_box(10.0 ** rng.uniform(-3, -0.5))


def two(rng: Rng) -> Body:
    return shapes.two_boxes()


def nested(rng: Rng) -> Body:
    return shapes.joined(shapes.hollow_box(), shapes.box((0.3, 0.3, 0.3), (0.7, 0.7, 0.7)))


def pins(rng: Rng) -> Body:
    """Many small shells."""
    grid = np.stack(np.meshgrid(*[np.arange(int(rng.integers(1, 4)))] * 3), axis=-1).reshape(-1, 3)
    return shapes.joined(*(shapes.box(g, g + rng.uniform(0.2, 0.9, 3)) for g in grid))


def caps(rng: Rng) -> Body:
    part = shapes.bumpy_sphere(2) if rng.random() < 0.5 else shapes.box()
    return shapes.with_flat_caps(part, int(rng.integers(1, 60)), int(rng.integers(1 << 30)))


def coincident(rng: Rng) -> Body:
    part = shapes.bumpy_sphere(2) if rng.random() < 0.5 else shapes.box()
    return shapes.with_coincident_vertices(part, int(rng.integers(1, 60)), int(rng.integers(1 << 30)))


def displaced(rng: Rng) -> Body:
    """A sphere with noise along its radius: spiky but star-shaped, so it never crosses itself."""
    part = shapes.icosphere(int(rng.integers(1, 4)))
    radius = 10.0 ** rng.uniform(-rng.uniform(0.05, 1.0), 0.0, len(part.vertices))
    return shapes.body(part.vertices * radius[:, None], part.triangles)


def star(rng: Rng) -> Body:
    """Deep notches: long thin spikes around a small core."""
    points = int(rng.integers(3, 20))
    angle = np.pi * np.arange(2 * points) / points
    radius = np.where(np.arange(2 * points) % 2, 10.0 ** rng.uniform(-1.5, -0.3), 1.0)
    rim = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    high = 10.0 ** rng.uniform(-2, 0)
    solid = manifold3d.Manifold.extrude(manifold3d.CrossSection([rim]), high)
    return of_manifold(solid)


def voxels(rng: Rng) -> Body:
    """Unit cubes of a lattice, united: every face lies on a lattice plane."""
    size = rng.integers(1, 5, 3)
    filled = np.argwhere(rng.random(size) < rng.uniform(0.3, 1.0))
    filled = filled if len(filled) else np.zeros((1, 3), np.int64)
    cubes = [manifold3d.Manifold.cube((1.0, 1.0, 1.0)).translate(tuple(map(float, c))) for c in filled]
    return of_manifold(manifold3d.Manifold.batch_boolean(cubes, manifold3d.OpType.Add))


def carved(rng: Rng) -> Body:
    """Boxes and spheres, united and subtracted: coplanar faces, slivers, sharp notches."""
    solid = manifold3d.Manifold.cube((1.0, 1.0, 1.0))
    for _ in range(int(rng.integers(1, 7))):
        if rng.random() < 0.6:
            size = rng.integers(1, 8, 3) / 8.0 if rng.random() < 0.7 else rng.uniform(0.1, 0.9, 3)
            part = manifold3d.Manifold.cube(tuple(size)).translate(tuple(rng.integers(-2, 7, 3) / 8.0))
        else:
            part = manifold3d.Manifold.sphere(rng.uniform(0.1, 0.5), int(rng.integers(3, 9)) * 4)
            part = part.translate(tuple(rng.uniform(0, 1, 3)))
        solid = solid + part if rng.random() < 0.5 else solid - part
    return shapes.box() if solid.is_empty() else of_manifold(solid)


def grid_box(rng: Rng) -> Body:
    """A cube with every side divided into squares, as lattices like it."""
    n = int(rng.integers(2, 9))
    solid = manifold3d.Manifold.cube((1.0, 1.0, 1.0)).refine(n)
    return of_manifold(solid)


def overlapping(rng: Rng) -> Body:
    """No body at all: has to be refused."""
    return shapes.overlapping_boxes()


def opened(rng: Rng) -> Body:
    """A surface with a hole: has to be refused."""
    part = shapes.icosphere(1)
    return shapes.body(part.vertices, np.delete(part.triangles, rng.integers(len(part.triangles)), axis=0))


def large(rng: Rng) -> Body:
    return shapes.bumpy_sphere(5)


BODIES: dict[str, tuple[float, Callable[[Rng], Body]]] = {
    make.__name__: (weight, make)
    for weight, make in (
        (2, cube), (2, sphere), (1, poles), (2, bumpy), (2, ring), (2, pane), (2, needle), (2, glass), (1, hollow),
        (1, two), (1, nested), (1, pins), (1, caps), (1, coincident), (2, displaced), (2, star), (2, voxels),
        (3, carved), (1, grid_box), (0.1, overlapping), (0.1, opened), (0.1, large),
    )
}  # fmt: skip


def of_manifold(solid: manifold3d.Manifold) -> Body:
    mesh = solid.to_mesh64()
    return shapes.body(np.array(mesh.vert_properties)[:, :3], np.array(mesh.tri_verts).astype(np.int64))


def turned(part: Body, rng: Rng) -> Body:
    """Rotated about the origin by a random rotation."""
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn))
    return shapes.body(np.einsum("ij,nj->ni", turn, part.vertices), part.triangles)


def placed(part: Body, rng: Rng) -> tuple[Body, str]:
    """Half of the bodies stay as they are; the others are turned, scaled to 1e-2 .. 200, moved up to 1e3 diagonals."""
    what = ""
    if rng.random() < 0.3:
        part, what = turned(part, rng), what + " turned"
    if rng.random() < 0.3:
        scale = 10.0 ** rng.uniform(-2, np.log10(200.0))
        part, what = shapes.moved(part, np.zeros(3), scale), what + f" x{scale:.3g}"
    if rng.random() < 0.15:
        size = float(np.linalg.norm(np.ptp(part.vertices, axis=0)))
        offset = rng.uniform(-1, 1, 3) * size * 10.0 ** rng.uniform(0, 3)
        part, what = shapes.moved(part, offset), what + " far"
    if rng.random() < 0.05:  # as Blender stores them
        part, what = shapes.body(part.vertices.astype(np.float32), part.triangles), what + " float32"
    return part, what


def random_body(rng: Rng) -> tuple[str, Floats, np.ndarray]:
    """Name, vertices and triangles of a random body."""
    names = list(BODIES)
    weight = np.array([BODIES[name][0] for name in names])
    name = names[rng.choice(len(names), p=weight / weight.sum())]
    part, what = placed(BODIES[name][1](rng), rng)
    return name + what, part.vertices, part.triangles
