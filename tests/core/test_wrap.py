"""Patterns on walls: which chart a body gets, and that cells on it are all that flat ones are."""

from dataclasses import replace

import numpy as np
import pytest

from core import wrap
from core.breaking import RULES
from core.config.material import Material
from core.config.surface import Surface
from core.diagram import diagram_key, make_diagram
from core.diagram_store import to_bytes
from core.errors import InputError
from core.fragments.build import are_closed, build_fragments
from core.geometry.charts import CYLINDER, SPHERE, rolled
from core.pieces import PARTITIONS
from core.settings import Settings
from core.types import Body, Cells, Floats, Impact
from core.unroll.flatten import flatten
from tests import shapes
from tests.core.cutting.closedness import assert_sound
from tests.core.unroll.test_slit import tube
from tests.verification.test_look import bowl, pot


def windscreen(columns: int = 24, rows: int = 16, radius: float = 1.5, thickness: float = 0.006) -> Body:
    """A pane of about 1.5 m x 0.9 m, bent both ways."""
    u, v = np.meshgrid(np.linspace(-0.5, 0.5, columns), np.linspace(-0.3, 0.3, rows), indexing="ij")
    way = np.stack([np.sin(u) * np.cos(v), np.sin(v), np.cos(u) * np.cos(v)], axis=-1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(columns - 1), np.arange(rows - 1), indexing="ij")
    a = (i * rows + j).ravel()
    quad = np.stack([a, a + rows, a + rows + 1, a + 1], axis=1)
    top = np.concatenate([quad[:, [0, 1, 2]], quad[:, [0, 2, 3]]])
    grid = np.arange(columns * rows).reshape(columns, rows)
    rim = np.concatenate([grid[:-1, 0], grid[-1, :-1], grid[:0:-1, -1], grid[0, :0:-1]])
    onward, below = np.roll(rim, -1), columns * rows
    side = [np.stack([rim, rim + below, onward + below], axis=1), np.stack([rim, onward + below, onward], axis=1)]
    triangles = np.concatenate([top, top[:, ::-1] + below, *side])
    return shapes.body(np.concatenate([radius * way, (radius - thickness) * way]), triangles)


def hit(point, direction) -> tuple[Impact, ...]:
    direction = np.asarray(direction, np.float64)
    return (Impact(np.asarray(point, np.float64), direction / np.linalg.norm(direction), 1.0, 10.0, 0.0, 0.0),)


#: Body, where it is hit, and the chart that it gets by itself.
WALLS = {
    "windscreen": (windscreen(), hit((0.2, 0.1, 1.5), (0, 0, -1)), SPHERE),
    "bowl from below": (bowl(), hit((0.02, 0.007, -0.08), (0, 0, 1)), SPHERE),
    "bowl from inside": (bowl(), hit((0.02, 0, -0.075), (0, 0, -1)), SPHERE),
    "bowl at its side": (bowl(), hit((0.078, 0, -0.01), (-1, 0, 0)), CYLINDER),
    "pot": (pot(), hit((0.11, 0, 0.1), (-1, 0, 0)), CYLINDER),
    "bottle": (shapes.bottle(48), hit((0, -0.36, 0.7), (0, 1, 0)), CYLINDER),
    "tube": (tube(), hit((0, -0.04, 0.1), (0, 1, 0)), CYLINDER),
}


def settings(pieces: str = "radial", count: int = 60, seed: int = 1, **surface) -> Settings:
    params = replace(PARTITIONS[pieces].params(), count=count)
    rule = "impact_factor"
    return Settings(seed, pieces, params, rule, RULES[rule].params(), Material(), surface=Surface(**surface))


def angles(wall: wrap.Wall, points: Floats) -> Floats:
    """About the axis of a cylinder, 0 towards the hit, in (-pi, pi]; 0 for what is near the axis."""
    arm = points - wall.chart.origin
    across, out = arm @ wall.chart.axes[0], arm @ wall.chart.axes[2] + wall.chart.radius
    return np.where(np.hypot(across, out) > 0.3 * wall.chart.radius, np.arctan2(across, out), 0.0)


def assert_whole(body: Body, cells: Cells) -> None:
    """Cells and pieces are closed, fill the body exactly and have its skin; what is said of them is true."""
    assert_sound(body, cells)
    pieces = build_fragments(cells, [np.array([unit]) for unit in range(int(cells.unit.max()) + 1)], 1.0, body)
    assert are_closed(pieces).all()
    inner = pieces.face_bond[pieces.face_bond >= 0]
    ends = cells.unit[cells.bond_cells[inner]]
    assert (ends[:, 0] != ends[:, 1]).all()
    # Each triangle of the body is covered once: areas of some polygons, seen along its normal.
    place, start = cells.vertices[cells.outer_vertex], cells.outer_start[:-1]
    face = np.repeat(np.arange(len(start)), np.diff(cells.outer_start))
    following = np.arange(len(place)) + 1
    following[cells.outer_start[1:] - 1] = start
    arm = place - place[start][face]
    vector = 0.5 * np.add.reduceat(np.cross(arm, arm[following]), start)
    corner = body.vertices[body.triangles]
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    area = np.linalg.norm(normal, axis=1)
    seen = np.einsum("fi,fi->f", vector, (normal / area[:, None])[cells.outer_triangle])
    assert (seen > 0.0).all()
    covered = np.bincount(cells.outer_triangle, seen, len(area))
    assert np.abs(covered - 0.5 * area).max() < 1e-12 * area.max()


@pytest.mark.parametrize("name", WALLS)
def test_radial_pieces_follow_walls_by_themselves(name):
    body, hits, kind = WALLS[name]
    wall, notes = wrap.wall_of(body, hits, settings())
    assert (wall.chart.kind, notes) == (kind, ())
    point, blow = wall.impacts[0].point, wall.impacts[0].direction
    along = point[:1] if kind == CYLINDER else point[:2]
    assert np.abs(along).max() < 1e-9 * wall.chart.radius  # the chart begins at the hit
    # Blows from inside go outwards, as the one in the bowl that comes from above.
    assert (blow == [0.0, 0.0, 1.0 if name == "bowl from inside" else -1.0]).all()


@pytest.mark.parametrize("pieces", [pieces.id for pieces in PARTITIONS])
def test_all_else_stays_straight_by_itself(pieces):
    cases = [(shapes.box(), hit((1.0, 0.5, 0.5), (-1, 0, 0))), (shapes.plate(), hit((0.5, 0.5, 0), (0, 0, 1)))]
    cases += [(shapes.revolved(np.array([[0, 0], [1, 0], [1, 2], [0, 2]])), hit((1, 0, 1), (-1, 0, 0)))]
    for body, hits in cases if pieces == "radial" else [WALLS["pot"][:2]]:
        assert wrap.wall_of(body, hits, settings(pieces)) == (None, ())
    assert wrap.wall_of(*WALLS["pot"][:2], settings(pieces, wrap="off")) == (None, ())


def test_a_shell_that_is_neither_round_nor_open_stays_straight_with_a_note():
    body, hits = shapes.hollow_box(0.03), hit((0.5, 0.5, 1.0), (0, 0, -1))
    straight = make_diagram(body, hits, settings(wrap="off", count=20))
    diagram, notes = make_diagram(body, hits, settings(count=20))
    assert notes == (*straight[1], wrap.STRAIGHT)
    assert to_bytes(diagram.cells) == to_bytes(straight[0].cells)


@pytest.mark.parametrize("name", WALLS)
@pytest.mark.parametrize("octaves", [0, 2])
def test_pieces_on_walls_are_whole(name, octaves):
    body, hits, _ = WALLS[name]
    diagram, notes = make_diagram(body, hits, settings(octaves=octaves))
    for cells in (diagram.cells, diagram.visible):
        assert_whole(body, cells)
    assert wrap.STRAIGHT not in notes
    assert (diagram.rough is not None) == (octaves > 0)
    # Seams and the plug join halves and what lies near the axis, layouts come near to a number only.
    assert 40 <= diagram.cells.unit.max() + 1 <= 75


@pytest.mark.parametrize("name", ["pot", "bottle", "tube"])
@pytest.mark.parametrize("octaves", [0, 2])
def test_vessels_are_closed_over_their_seam(name, octaves):
    body, hits, _ = WALLS[name]
    wall, _ = wrap.wall_of(body, hits, settings())
    cells = make_diagram(body, hits, settings(octaves=octaves))[0].visible
    corner = np.repeat(cells.unit[cells.outer_cell], np.diff(cells.outer_start))
    turn = angles(wall, cells.vertices[cells.outer_vertex])
    ends = [np.unique(corner[side & (np.abs(turn) > 0.9 * np.pi)]) for side in (turn > 0.0, turn < 0.0)]
    both = np.intersect1d(*ends)
    assert len(both) > 0
    # The two halves of one piece are neighbours over the plane of the seam.
    plane = wall.parts[0].slit.plane[0]
    away = np.abs(cells.bond_centroid @ plane[:3] - plane[3])
    on = (away < 1e-9) & (np.abs(cells.bond_normal @ plane[:3]) > 1.0 - 1e-9)
    lo, hi = cells.unit[cells.bond_cells[on]].T
    assert np.isin(lo[lo == hi], both).all()
    assert (lo == hi).any()


@pytest.mark.parametrize("pieces", [pieces.id for pieces in PARTITIONS])
@pytest.mark.parametrize(("name", "kind"), [("bottle", "cylinder"), ("bowl from below", "sphere")])
def test_every_kind_of_pieces_can_be_bent(pieces, name, kind):
    body, hits, _ = WALLS[name]
    assert_whole(body, make_diagram(body, hits, settings(pieces, 20, wrap=kind))[0].cells)


def test_cracks_are_square_to_the_wall():
    """Bonds of a bowl lie along the rays from its centre; straight pieces do not."""
    body, hits, _ = WALLS["bowl from below"]
    leaning = []
    for kind in ("auto", "off"):
        cells = make_diagram(body, hits, settings(wrap=kind))[0].cells
        ray = cells.bond_centroid / np.linalg.norm(cells.bond_centroid, axis=1)[:, None]
        leaning.append(np.average(np.abs((ray * cells.bond_normal).sum(axis=1)), weights=cells.bond_area))
    assert leaning[0] < 0.01
    assert leaning[1] > 0.1


@pytest.mark.parametrize("name", ["pot", "bowl from below"])
@pytest.mark.parametrize("octaves", [0, 2])
def test_the_same_pieces_at_any_size(name, octaves):
    body, hits, _ = WALLS[name]

    def at(scale):
        moved = tuple(replace(blow, point=scale * blow.point) for blow in hits)
        return make_diagram(shapes.moved(body, np.zeros(3), scale), moved, settings(octaves=octaves))[0].visible

    usual = at(1.0)
    for scale in (2.0**-7, 2.0**7):  # rounds nothing
        other = at(scale)
        assert np.array_equal(usual.unit, other.unit)
        assert np.array_equal(usual.outer_triangle, other.outer_triangle)
        assert np.abs(other.vertices - scale * usual.vertices).max() < 1e-12 * scale
    for scale in (0.01, 100.0):
        other = at(scale)
        assert np.array_equal(usual.unit, other.unit)
        # Of two sides as long as each other, round-off may choose another one to be halved: chords of cracks differ.
        volume = [np.bincount(cells.unit, cells.volume) for cells in (usual, other)]
        assert np.abs(volume[1] - scale**3 * volume[0]).max() < 1e-3 * scale**3 * volume[0].max()


@pytest.mark.parametrize("name", ["pot", "windscreen"])
def test_two_runs_give_the_same_bits(name):
    body, hits, _ = WALLS[name]
    runs = [make_diagram(body, hits, settings(octaves=2))[0] for _ in range(2)]
    assert to_bytes(runs[0].cells, runs[0].rough) == to_bytes(runs[1].cells, runs[1].rough)


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        (shapes.box(), "cylinder", "not round about an axis"),
        (shapes.box(), "sphere", "the side opposite"),
        (shapes.icosphere(3), "sphere", "the side opposite"),
        (shapes.plate(), "cylinder", "not round about an axis"),
    ],
)
def test_what_cannot_be_bent_is_said(body, kind, words):
    hits = hit(body.vertices.max(axis=0) * [0.5, 0.5, 1.0], (0, 0, -1))
    with pytest.raises(InputError, match=words) as caught:
        make_diagram(body, hits, settings(wrap=kind))
    assert "Choose another Wrap" in str(caught.value)


def test_a_hit_on_the_axis_is_said():
    with pytest.raises(InputError, match="hit is on the axis"):
        make_diagram(WALLS["bottle"][0], hit((0, 0, 0.1), (0, 0, 1)), settings(wrap="cylinder"))


def test_the_key_of_bent_pieces_depends_on_the_hit():
    body, hits, _ = WALLS["pot"]
    moved = (replace(hits[0], point=np.array([0.0, 0.11, 0.1])),)
    for wrapped in (False, True):
        chosen = settings("cubes", wrap="cylinder" if wrapped else "off")
        assert (diagram_key(body, hits, chosen) != diagram_key(body, moved, chosen)) == wrapped


@pytest.mark.parametrize("name", ["bowl from below", "windscreen"])
def test_triangles_are_laid_flat_as_closely_as_asked(name):
    body, hits, _ = WALLS[name]
    wall, _ = wrap.wall_of(body, hits, settings())
    flat = flatten(body, wall.chart, 1e-4)
    assert np.abs(rolled(wall.chart, flat.flat) - flat.vertices).max() < 1e-14
    corner = np.einsum("tkj,tji->tki", flat.weight, body.vertices[body.triangles[flat.source]])
    assert np.abs(corner - flat.vertices[flat.triangles]).max() < 1e-15
    ends = np.concatenate([flat.triangles[:, [k, (k + 1) % 3]] for k in range(3)])
    real, image = (0.5 * place[ends].sum(axis=1) for place in (flat.vertices, flat.flat))
    assert np.linalg.norm(rolled(wall.chart, image) - real, axis=1).max() <= 1e-4
