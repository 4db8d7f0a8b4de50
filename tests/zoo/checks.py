"""What a body that the intake lets through must be, whatever mesh it was made of."""

import numpy as np

from core.cutting.retry import cut_with_retry
from core.geometry.mesh import edge_census, edge_table, is_closed, volume
from core.types import Body, Made, Mesh
from tests.core.cutting.closedness import assert_sound, voronoi


def parts_of(body: Body) -> list[Body]:
    """The parts of a body as bodies of their own."""
    if len(body.part) == 0:
        return [body]
    found = []
    for part in np.unique(body.part):
        rows = np.flatnonzero(body.part == part)
        used, triangles = np.unique(body.triangles[rows], return_inverse=True)
        found.append(Body(body.vertices[used], triangles.reshape(-1, 3), body.source[rows]))
    return found


def assert_body(body: Body, mesh: Mesh) -> None:
    """Closed, balanced, each edge with two faces, all points used and finite, each part with matter; known sources."""
    assert np.isfinite(body.vertices).all()
    assert np.array_equal(np.unique(body.triangles), np.arange(len(body.vertices)))
    assert is_closed(body.triangles)
    assert edge_census(edge_table(body.triangles)) == (0, 0, 0)
    for part in parts_of(body):
        assert volume(part.vertices, part.triangles) > 0.0
    assert len(body.source) == len(body.triangles)
    assert body.source.min() >= 0 and body.source.max() < len(mesh.triangles)
    if len(body.part) > 0:
        assert (np.diff(body.part) >= 0).all()
        assert sum(len(part.vertices) for part in parts_of(body)) == len(body.vertices), "parts share no vertices"
    assert_weights(body)


def assert_weights(body: Body) -> None:
    """Barycentric weights that are none of them negative and sum to 1."""
    if len(body.weight) > 0:
        assert body.weight.shape == (len(body.triangles), 3, 3)
        assert (body.weight >= 0.0).all()
        np.testing.assert_allclose(body.weight.sum(axis=2), 1.0, atol=1e-12)


def own_area(body: Body) -> float:
    """Share of the body's area that is the artist's own, or a part of it."""
    p = body.vertices[body.triangles]
    size = np.linalg.norm(np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]), axis=1)
    return 1.0 if len(body.made) == 0 else float(size[body.made == Made.OWN].sum() / size.sum())


def distance_from_source(body: Body, mesh: Mesh) -> np.ndarray:
    """How far (T,3) the corners of the artist's own triangles lie from where their weights say [m]."""
    rows = np.arange(len(body.triangles)) if len(body.made) == 0 else np.flatnonzero(body.made == Made.OWN)
    weight = np.broadcast_to(np.eye(3), (len(rows), 3, 3)) if len(body.weight) == 0 else body.weight[rows]
    corner = mesh.vertices[mesh.triangles[body.source[rows]]]
    where = np.einsum("ij,tkj->tki", mesh.turn, np.einsum("tkj,tji->tki", weight, corner))
    return np.linalg.norm(body.vertices[body.triangles[rows]] - where, axis=2)


def assert_cuts(body: Body, count: int, seed: int = 3) -> None:
    """Voronoi cells of each part are closed, and their volumes and moments sum to those of the part."""
    parts = parts_of(body)
    whole = sum(volume(part.vertices, part.triangles) for part in parts)
    total = 0.0
    for part in parts:
        share = max(4, count // len(parts))
        cells, _ = cut_with_retry(part, lambda attempt, p=part, n=share: voronoi(p, n, seed + attempt))
        assert_sound(part, cells)
        total += float(cells.volume.sum())
    assert abs(total - whole) <= 1e-12 * whole
