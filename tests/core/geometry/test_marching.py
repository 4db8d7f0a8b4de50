"""The marched surface: closed and 2-manifold by construction, and complete against the whole grid."""

import numpy as np
import pytest

from core.geometry import marching
from core.geometry.crossings import crossing_pairs
from core.geometry.graph import connected_labels
from core.geometry.mesh import edge_table, is_closed, volume
from core.geometry.nearest import nearest
from core.geometry.winding import winding_at, winding_tree
from core.geometry.winding_crossings import find_last_crossings

from .solids import box, bumpy, joined, moved, sphere, torus


def is_manifold(triangles):
    """Closed, two triangles at every edge, one fan of triangles at every vertex."""
    if not is_closed(triangles):
        return False
    edges = edge_table(triangles)
    if (np.bincount(edges.of_half) != 2).any():
        return False
    half = np.argsort(edges.of_half, kind="stable").reshape(-1, 2)  # the two half-edges of each edge
    corners = np.arange(triangles.size).reshape(-1, 3)
    ends = np.stack([corners, np.roll(corners, -1, axis=1)], axis=-1).reshape(-1, 2)  # corners of each half-edge
    links = np.concatenate([np.stack([ends[half[:, 0], k], ends[half[:, 1], 1 - k]], axis=1) for k in range(2)])
    fans = connected_labels(triangles.size, links).max() + 1
    return fans == len(np.unique(triangles))


def damaged(solid, share, seed):
    vertices, triangles = solid
    return vertices, triangles[np.random.default_rng(seed).random(len(triangles)) < share]


MESHES = {
    "sphere": sphere(3),
    "box": box(),
    "torus": moved(torus(1.0, 0.4, 30, 14), seed=1),
    "half a sphere": (sphere(4)[0], sphere(4)[1][sphere(4)[0][sphere(4)[1]].mean(axis=1)[:, 2] > -0.2]),
    "many holes": damaged(bumpy(4, 3), 0.9, 1),
    "tangle": joined(bumpy(2, 1), moved(torus(1.0, 0.3, 30, 14), (0.3, 0.0, 0.2), seed=2), moved(box(), scale=0.5)),
    "double, open": joined(*(damaged(sphere(3), 0.9, 2),) * 2),
}


@pytest.mark.parametrize("name", MESHES)
def test_the_surface_is_closed_and_manifold_without_crossings(name):
    found = marching.marched(*MESHES[name], 24)
    assert is_manifold(found.triangles)
    assert len(crossing_pairs(found.vertices, found.triangles)) == 0
    assert found.triangles.max() == len(found.vertices) - 1


def changes_of_the_whole_grid(vertices, triangles, cell):
    """Edges of tetrahedra that change sides, by the winding number at every point of the grid."""
    low, high = vertices[triangles].min(axis=(0, 1)), vertices[triangles].max(axis=(0, 1))
    count = ((high - low) / cell + marching.AHEAD + 3.0).astype(int)
    points = np.stack(np.meshgrid(*(np.arange(c) for c in count), indexing="ij"), axis=-1)
    tree = winding_tree(vertices, triangles)
    within = winding_at(tree, low + cell * (points.reshape(-1, 3) - marching.AHEAD)).reshape(count)
    border = ((points == 0) | (points == count - 1)).any(axis=-1)
    within = np.where(border, 0.0, within) >= 0.5
    changes = 0
    for d in range(1, 8):
        ahead = tuple(slice(d >> k & 1, None) for k in range(3))
        behind = tuple(slice(None, -1) if d >> k & 1 else slice(None) for k in range(3))
        changes += np.count_nonzero(within[ahead] != within[behind])
    return changes


@pytest.mark.parametrize("name", MESHES)
def test_no_part_of_the_surface_is_missed(name):
    found = marching.marched(*MESHES[name], 16)
    assert len(found.vertices) == changes_of_the_whole_grid(*MESHES[name], found.cell)


def test_no_part_of_the_surface_of_random_soups_is_missed():
    """Its larger part closes gaps, far from the triangles."""
    off = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        centre = rng.normal(size=(rng.integers(3, 60), 1, 3))
        corner = centre + rng.choice([0.3, 1.0]) * rng.normal(size=(len(centre), 3, 3))
        normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
        inward = np.einsum("ti,ti->t", normal, centre[:, 0]) < 0.0
        corner[inward] = corner[inward][:, ::-1]
        layers = np.concatenate([scale * corner for scale in (1.0, 0.8, 0.6)])
        mesh = layers.reshape(-1, 3), np.arange(3 * len(layers)).reshape(-1, 3)
        found = marching.marched(*mesh, 14)
        assert len(found.vertices) == changes_of_the_whole_grid(*mesh, found.cell)
        assert len(found.triangles) == 0 or is_manifold(found.triangles)
        off += np.count_nonzero(found.hit < 0) > len(found.hit) / 2
    assert off > 10


def test_vertices_lie_on_the_triangles_that_are_named():
    vertices, triangles = MESHES["tangle"]
    found = marching.marched(vertices, triangles, 24)
    assert (found.hit >= 0).all()  # closed: no gaps
    away = nearest(vertices, triangles, found.vertices)[2]
    # On the surface, but for those kept off the ends of their edges: the longest is sqrt(3) cells.
    assert away.max() <= marching.END * np.sqrt(3.0) * found.cell * (1.0 + 1e-9)
    for v in range(0, len(found.vertices), 97):
        own = nearest(vertices, triangles[found.hit[v]][None], found.vertices[v : v + 1])[2][0]
        assert own <= marching.END * np.sqrt(3.0) * found.cell * (1.0 + 1e-9)


def test_refinement_converges_to_the_volume():
    # The chords of a smooth surface: the error falls with the square of the cell.
    solid = moved(torus(1.0, 0.4, 96, 48), seed=5)
    error = []
    for resolution in (16, 32, 64):
        found = marching.marched(*solid, resolution)
        error.append(abs(volume(found.vertices, found.triangles) / volume(*solid) - 1.0))
    assert error[1] < error[0] / 2.5
    assert error[2] < error[1] / 2.5
    assert error[2] < 2e-3


def test_the_last_fall_through_a_half_closes_gaps():
    walls = [0.2, 0.4, 0.5, 0.9]  # outward at 0.2: out; inward at 0.4: in again; outward twice
    vertices, triangles = [], []
    for i, x in enumerate(walls):
        vertices += [[x, -1.0, -1.0], [x, 2.0, -1.0], [x, -1.0, 2.0]]
        corners = [3 * i, 3 * i + 1, 3 * i + 2]
        triangles.append(corners[::-1] if i == 1 else corners)
    tree = winding_tree(np.array(vertices), np.array(triangles)).tree
    p, q = np.zeros((4, 3)), np.repeat([[1.0, 0.0, 0.0]], 4, axis=0)
    value = np.array([[1.0, -1.0], [2.0, 0.0], [2.2, -0.8], [1.0, 0.2]])
    share, hit = find_last_crossings(tree, p, q, value)
    # 1, after the walls 0, 1, 0, -1; 2, after the walls 1, 2, 1, 0.
    # 2.2 - x, after the third wall 1.2 - x: 1/2 between walls. 1 + 1.2 x, after the third wall 1.2 x, then 1.2 x - 1.
    assert np.abs(share - [0.5, 0.9, 0.7, 0.9]).max() < 1e-15
    assert hit.tolist() == [2, 3, -1, 3]
    away = np.array([[0.0, 0.0, 9.0]])
    share, hit = find_last_crossings(tree, p[:1] + away, q[:1] + away, np.array([[0.9, 0.1]]))
    assert abs(share[0] - 0.5) < 1e-15  # no triangle there: linear
    assert hit[0] == -1


def test_no_extent_and_no_grid_are_refused():
    vertices, triangles = sphere(1)
    for scale in (0.0, np.inf, np.nan):
        with pytest.raises(ValueError, match="extent"), np.errstate(invalid="ignore"):
            marching.marched(scale * vertices, triangles, 16)
    with pytest.raises(ValueError, match="two cells"):
        marching.marched(vertices, triangles, 1)
