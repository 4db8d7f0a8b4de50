"""Sets of cells of partitions whose edges have many regions around them: their surfaces are manifold, always."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.cutting.cut import cut
from core.fragments.build import are_closed, build_fragments
from core.fragments.triangulate import triangulated
from core.geometry.graph import connected_labels
from core.pieces.voronoi_complex import voronoi_complex
from core.types import Body, Cells
from tests import shapes
from tests.core.cutting.built import blocks, shells_of, signed_volume, surface_faults, tetrahedra


def nearly_cubic(side: int, seed: int) -> tuple[Body, Cells]:
    """Voronoi cells of a jittered lattice: rings of four are two rings of three with a sliver of a facet between."""
    axis = (np.arange(side) + 0.5) / side
    sites = np.stack(np.meshgrid(axis, axis, axis), axis=-1).reshape(-1, 3)
    sites = sites + np.random.default_rng(seed).uniform(-1e-6, 1e-6, sites.shape)
    body = shapes.box()
    return body, cut(body, voronoi_complex(sites, np.zeros(3), np.ones(3)))


PARTITIONS = {
    "cubes": lambda _: blocks((4, 4, 4)),
    "tetrahedra": lambda seed: tetrahedra(30, seed),
    "nearly cubic": lambda seed: nearly_cubic(4, seed),
}


@settings(max_examples=25)
@given(seed=st.integers(0, 10**6), labels=st.integers(1, 6), name=st.sampled_from(sorted(PARTITIONS)))
def test_random_sets_of_cells_are_manifold(seed: int, labels: int, name: str) -> None:
    body, cells = PARTITIONS[name](seed)
    label = np.random.default_rng(seed).integers(0, labels, int(cells.unit.max()) + 1)
    members = [np.flatnonzero(label == k) for k in range(labels) if np.any(label == k)]
    fragments = build_fragments(cells, members, 1.0, body)
    for made in (fragments, triangulated(fragments)):
        assert are_closed(made).all()
        for k in range(len(members)):
            assert surface_faults(made, k) == []
            assert signed_volume(made, k) == pytest.approx(float(made.volume[k]), rel=1e-12)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", ["cubes", "tetrahedra"])
def test_matter_hangs_together_through_faces_alone(name: str, seed: int) -> None:
    # At an edge with four faces or more each pair of mates bounds one wedge of matter. So no part of the surface
    # passes from cells to others that they only touch at an edge or at a point, and each part has its own volume.
    body, cells = PARTITIONS[name](seed)
    rng = np.random.default_rng(seed)
    chosen = np.flatnonzero(rng.uniform(size=len(cells.volume)) < 0.35)
    fragments = build_fragments(cells, [chosen], 1.0, body)
    inside = np.isin(cells.bond_cells, chosen)
    part = connected_labels(len(cells.volume), cells.bond_cells[inside.all(axis=1)])
    ends = cells.bond_cells[fragments.face_bond]
    inner_cell = np.where(np.isin(ends[:, 0], chosen), ends[:, 0], ends[:, 1])
    outer_cell = cells.outer_cell[np.argsort(cells.outer_triangle)][fragments.face_triangle]
    face_part = part[np.where(fragments.face_bond >= 0, inner_cell, outer_cell)]
    corner = fragments.vertices[fragments.corner_vertex]
    volume = np.zeros(len(face_part))
    for f, (a, b) in enumerate(zip(fragments.corner_start[:-1], fragments.corner_start[1:], strict=True)):
        p = corner[a:b]
        volume[f] = np.einsum("j,ij->", p[0], np.cross(p[1:-1], p[2:])) / 6.0
    shells = shells_of(fragments, 0)
    found = np.zeros(len(cells.volume))
    for shell in shells:
        assert len(np.unique(face_part[shell])) == 1
        found[face_part[shell[0]]] += volume[shell].sum()
    expected = np.bincount(part[chosen], cells.volume[chosen], len(cells.volume))
    assert np.allclose(found, expected, rtol=0, atol=1e-13)
    assert np.count_nonzero(expected) > 1  # otherwise nothing touches
