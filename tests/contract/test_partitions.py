"""What the cutter promises for every kind of pieces on every kind of body (design, sections 2 and 6).

Rough surfaces keep all of it.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from core.breaking import RULES
from core.config.material import Material
from core.config.surface import Surface
from core.diagram import make_diagram
from core.fragments.build import are_closed, build_fragments
from core.geometry import packed
from core.geometry.mesh import diagonal, volume
from core.intake.ladder import intake
from core.pieces import PARTITIONS
from core.settings import Settings
from core.types import Body, Impact, Mesh
from tests import shapes

BODIES = {
    "cube": lambda: shapes.box((-1.0, -1.0, 0.0), (1.0, 1.0, 2.0)),
    "cube of 1 cm": lambda: shapes.box(high=(0.01, 0.01, 0.01)),
    "cube of 200 m": lambda: shapes.box(high=(200.0, 200.0, 200.0)),
    "pane": lambda: shapes.box(high=(2.0, 2.0, 0.01)),
    "bottle": shapes.bottle,
    "torus": shapes.torus,
    "hollow box": shapes.hollow_box,
    "wine glass": shapes.wine_glass,
    "scan": shapes.scan,
}
ROUGH = Surface(octaves=2, amplitude=0.04, wavelength=0.6)
ROUGH_BODIES = ("cube", "cube of 1 cm", "pane", "bottle", "torus", "hollow box")
CASES = [(body, pieces.id, "flat") for body in BODIES for pieces in PARTITIONS]
CASES += [(body, pieces.id, "rough") for body in ROUGH_BODIES for pieces in PARTITIONS]
COUNT = 60


class Case:
    """A body cut by one kind of pieces, and the fragments of its units."""

    def __init__(self, name: str, pieces: str, surface: str) -> None:
        shape = BODIES[name]()
        self.body: Body = intake(Mesh(name, shape.vertices, shape.triangles)).body
        method = PARTITIONS[pieces]
        params = replace(method.params(), count=COUNT)
        middle = 0.5 * (self.body.vertices.min(axis=0) + self.body.vertices.max(axis=0))
        point = self.body.vertices[np.argmax(self.body.vertices @ np.array([1.0, 0.3, 0.7]))]
        direction = (middle - point) / np.linalg.norm(middle - point)
        hit = Impact(point, direction, 1.0, 5.0, 0.1 * diagonal(self.body.vertices), 0.0)
        rule = next(iter(RULES))
        settings = Settings(5, pieces, params, rule.id, rule.params(), Material())
        if surface == "rough":
            settings = replace(settings, surface=ROUGH)
        self.cells = make_diagram(self.body, (hit,), settings)[0].visible
        self.fragments = build_fragments(
            self.cells, [np.array([unit]) for unit in range(int(self.cells.unit.max()) + 1)], 1000.0, self.body
        )


@pytest.fixture(scope="module", params=CASES, ids="-".join)
def case(request) -> Case:
    return Case(*request.param)


def area_vectors(start, p) -> np.ndarray:
    """Area vector of each packed polygon: half the sum of cross products of a fan from its first corner."""
    first = np.repeat(p[start[:-1]], np.diff(start), axis=0)
    return 0.5 * np.add.reduceat(np.cross(p - first, p[packed.following(start)] - first), start[:-1])


def test_pieces_are_closed_convex_hulls_of_something_and_nothing_is_lost(case):
    fragments = case.fragments
    assert len(fragments.mass) > 1
    assert are_closed(fragments).all()
    whole = volume(case.body.vertices, case.body.triangles)
    assert fragments.volume.sum() == pytest.approx(whole, rel=1e-9)
    assert (fragments.volume > 0.0).all()
    # What Blender stores: 32-bit coordinates. A piece that is flat in them has no hull, and no collision shape.
    points = fragments.vertices.astype(np.float32).astype(np.float64)
    for first, last in zip(fragments.vertex_start[:-1], fragments.vertex_start[1:], strict=True):
        assert ConvexHull(points[first:last], qhull_options="Qt Pp").volume > 0.0


def test_outer_corners_lie_where_their_weights_say(case):
    # A corner is the weighted mean of the three corners of its triangle: so are all attributes that it inherits.
    cells, body = case.cells, case.body
    triangle = np.repeat(cells.outer_triangle, np.diff(cells.outer_start))
    expected = np.einsum("nk,nki->ni", cells.outer_weight, body.vertices[body.triangles[triangle]])
    size = diagonal(body.vertices)
    np.testing.assert_allclose(cells.vertices[cells.outer_vertex], expected, atol=1e-12 * size)
    assert (cells.outer_weight >= 0.0).all()
    np.testing.assert_allclose(cells.outer_weight.sum(axis=1), 1.0, rtol=1e-14)


def test_the_skin_is_that_of_the_body(case):
    # Outer faces of each source triangle sum to its area, whatever the pattern.
    fragments, body = case.fragments, case.body
    fragment = packed.owners(fragments.face_start)[packed.owners(fragments.corner_start)]
    p = fragments.vertices[fragments.corner_vertex + fragments.vertex_start[fragment]]
    length = np.linalg.norm(area_vectors(fragments.corner_start, p), axis=1)
    outer = fragments.face_triangle >= 0
    area = np.bincount(fragments.face_triangle[outer], length[outer], len(body.triangles))
    a, b, c = (body.vertices[body.triangles[:, k]] for k in range(3))
    expected = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
    np.testing.assert_allclose(area, expected, atol=1e-9 * expected.max())


def test_cells_that_never_part_are_joined_by_bonds(case):
    # A unit is connected: walking over bonds inside it reaches all of its cells.
    cells = case.cells
    label = np.arange(len(cells.volume))
    inside = cells.bond_cells[cells.unit[cells.bond_cells[:, 0]] == cells.unit[cells.bond_cells[:, 1]]]
    while True:
        lower = label.copy()
        np.minimum.at(lower, inside[:, 0], label[inside[:, 1]])
        np.minimum.at(lower, inside[:, 1], label[inside[:, 0]])
        if np.array_equal(lower, label):
            break
        label = lower
    assert len(np.unique(label)) == int(cells.unit.max()) + 1


def test_bonds_measure_their_own_facets(case):
    cells = case.cells
    size = diagonal(case.body.vertices)
    assert (cells.bond_area > 0.0).all() and (cells.bond_strength > 0.0).all()
    assert (cells.bond_cells[:, 0] != cells.bond_cells[:, 1]).all()
    np.testing.assert_allclose(np.linalg.norm(cells.bond_normal, axis=1), 1.0, rtol=1e-12)
    # Gauss: over a closed surface the area vectors cancel. Inner faces of a cell: sum of +-A n.
    vector = cells.bond_area[:, None] * cells.bond_normal
    total = np.zeros((len(cells.volume), 3))
    np.add.at(total, cells.bond_cells[:, 0], vector)
    np.add.at(total, cells.bond_cells[:, 1], -vector)
    np.add.at(total, cells.outer_cell, area_vectors(cells.outer_start, cells.vertices[cells.outer_vertex]))
    np.testing.assert_allclose(total, 0.0, atol=1e-11 * size**2)
