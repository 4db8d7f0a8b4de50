"""Every piece has a convex hull of positive volume in single precision, as physics engines want it."""

import itertools

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from core.cutting.cut import cut
from core.cutting.retry import cut_with_retry
from core.fragments.build import build_fragments
from core.pieces import voronoi as pattern
from core.types import Fragments, Impact
from tests import shapes
from tests.core.cutting.closedness import voronoi

BODIES = {
    "cube": shapes.box(),
    "pane": shapes.box((0.0, 0.0, 0.0), (2.0, 2.0, 0.01)),
    "torus": shapes.torus(),
    "glass": shapes.wine_glass(24),
}


def hulls(fragments: Fragments) -> np.ndarray:
    """Volume of the hull of each fragment's float32 vertices; Qhull raises where they lie in a plane."""
    start = fragments.vertex_start
    points = fragments.vertices.astype(np.float32).astype(np.float64)
    return np.array([ConvexHull(points[a:b]).volume for a, b in itertools.pairwise(start)])


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("count", [100, 1000])
def test_pieces_of_random_sites(name: str, count: int) -> None:
    body = BODIES[name]
    cells = cut(body, voronoi(body, count, seed=count))
    fragments = build_fragments(cells, [np.array([u]) for u in range(int(cells.unit.max()) + 1)], 1.0, body)
    # Rounding to 24 bits moves each vertex by up to 6e-8 of the size: no crumb is so thin that it would show.
    assert np.all(hulls(fragments) > (1.0 - 1e-3) * fragments.volume)


@pytest.mark.parametrize("name", ["pane", "glass"])
def test_shards_of_a_spider(name: str) -> None:
    body = BODIES[name]
    hit = Impact(body.vertices[0].copy(), np.array([-1.0, 0.0, 0.0]), 1.0, 10.0, 0.1, 0.0)
    params = pattern.VoronoiParams(layout="spider", count=60)
    cells, _ = cut_with_retry(body, lambda attempt: pattern.build(body, [hit], params, 1, attempt))
    fragments = build_fragments(cells, [np.array([u]) for u in range(int(cells.unit.max()) + 1)], 1.0, body)
    assert np.all(hulls(fragments) > (1.0 - 1e-3) * fragments.volume)
