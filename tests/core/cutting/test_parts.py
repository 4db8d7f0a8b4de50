"""Bodies of several parts: each is cut as if it were alone, and everything downstream takes them."""

from dataclasses import replace

import numpy as np
import pytest

from core import pipeline
from core.breaking import RULES
from core.config.material import Material
from core.cutting.cut import cut
from core.cutting.parts import split_parts, together
from core.cutting.retry import cut_with_retry
from core.cutting.units import units
from core.diagram_store import from_bytes, to_bytes
from core.errors import CutError, InputError
from core.fragments.build import are_closed, build_fragments
from core.intake.ladder import intake
from core.pieces import PARTITIONS
from core.settings import Settings
from core.types import Body, Clock, Ground, Impact, Mesh, Scene
from tests import shapes

from .closedness import assert_sound, voronoi

SOLIDS = shapes.box(), shapes.box((0.5, 0.3, 0.2), (1.6, 1.2, 0.9)), shapes.box((0.2, 0.2, 1.0), (0.7, 0.7, 1.8))
VOLUMES = [1.0, 1.1 * 0.9 * 0.7, 0.5 * 0.5 * 0.8]


def in_parts(*solids) -> Body:
    whole = shapes.joined(*solids)
    return replace(whole, part=np.repeat(np.arange(len(solids)), [len(s.triangles) for s in solids]))


@pytest.fixture(scope="module")
def body():
    return in_parts(*SOLIDS)


@pytest.fixture(scope="module")
def cells(body):
    return cut_with_retry(body, lambda attempt: voronoi(body, 40, seed=attempt))[0]


def part_of_cells(body, cells):
    """The part of each cell: bonds join cells of one part only, so a cell without skin has that of its neighbours."""
    part = np.full(len(cells.volume), -1)
    part[cells.outer_cell] = body.part[cells.outer_triangle]
    while (part < 0).any():
        a, b = cells.bond_cells.T
        part[a] = np.maximum(part[a], part[b])
        part[b] = np.maximum(part[a], part[b])
    return part


def test_every_part_keeps_its_volume_and_is_cut_as_if_alone(body, cells):
    part = part_of_cells(body, cells)
    assert (part[cells.bond_cells[:, 0]] == part[cells.bond_cells[:, 1]]).all()
    assert (part[cells.outer_cell] == body.part[cells.outer_triangle]).all()
    for k, solid in enumerate(SOLIDS):
        assert cells.volume[part == k].sum() == pytest.approx(VOLUMES[k], rel=1e-12)
        alone = cut(solid, voronoi(body, 40))
        assert (cells.volume[part == k] == alone.volume).all()
        assert (cells.region[part == k] == alone.region).all()
        inner = cells.outer_vertex[np.repeat(part[cells.outer_cell] == k, np.diff(cells.outer_start))]
        assert (cells.vertices[inner] == alone.vertices[alone.outer_vertex]).all()


def test_the_cells_keep_their_promises(body, cells):
    assert_sound(body, cells)
    assert (np.unique(cells.unit) == np.arange(cells.unit.max() + 1)).all()
    weight = np.einsum("nk,nki->ni", cells.outer_weight, corners_of(body, cells))
    assert np.abs(weight - cells.vertices[cells.outer_vertex]).max() < 1e-12
    assert to_bytes(*from_bytes(to_bytes(cells))) == to_bytes(cells)


def corners_of(body, cells):
    return body.vertices[body.triangles[np.repeat(cells.outer_triangle, np.diff(cells.outer_start))]]


def test_sites_are_those_of_regions_with_one_cell(body, cells):
    sites = voronoi(body, 40).site
    count = np.bincount(cells.region)[cells.region]
    assert (count > 1).any()
    assert (count == 1).any()
    assert (cells.site[count == 1] == sites[cells.region[count == 1]]).all()
    assert (cells.site[count > 1] == cells.centroid[count > 1]).all()


def test_fragments_are_closed(body, cells):
    count = int(cells.unit.max()) + 1
    fragments = build_fragments(cells, [np.array([k]) for k in range(count)], 1000.0, body)
    assert are_closed(fragments).all()
    assert fragments.volume.sum() == pytest.approx(sum(VOLUMES), rel=1e-12)
    whole = build_fragments(cells, [np.arange(count)], 1000.0, body)
    assert whole.volume.sum() == pytest.approx(sum(VOLUMES), rel=1e-12)
    assert len(units(cells).volume) == count


def test_one_part_is_the_body_itself():
    plain = shapes.box()
    assert split_parts(plain) == [plain]
    named = in_parts(plain)
    assert split_parts(named) == [named]
    alone = cut(plain, voronoi(plain, 10))
    assert together(plain, [alone]) is alone
    assert to_bytes(cut_with_retry(named, lambda attempt: voronoi(plain, 10))[0]) == to_bytes(alone)


def test_parts_come_with_the_vertices_that_they_use(body):
    for part, solid in zip(split_parts(body), SOLIDS, strict=True):
        assert (part.vertices == solid.vertices).all()
        assert (part.triangles == solid.triangles).all()
        assert len(part.part) == 0


def test_a_pattern_is_built_once_for_all_parts_and_again_where_one_needs_it(body):
    asked = []

    def build(attempt):
        asked.append(attempt)
        if attempt == 0:
            raise CutError("No.")
        return voronoi(body, 20)

    cells, notes = cut_with_retry(body, build)
    assert asked == [0, 1]
    assert notes == ("The cut needed 2 attempts.",)
    assert cells.volume.sum() == pytest.approx(sum(VOLUMES), rel=1e-12)


def test_a_part_that_cannot_be_cut_is_an_error():
    bad = in_parts(shapes.box(), shapes.moved(shapes.open_box(), (2.0, 0.0, 0.0)))
    with pytest.raises(CutError, match="Every one of 2"):
        cut_with_retry(bad, lambda attempt: voronoi(bad, 20, seed=attempt), attempts=2)


def shattered(body, monkeypatch, point, clock=12, pieces="voronoi", load=None, **changes):
    """End to end, with a body of parts in the place of what the intake would make."""
    taken = intake(Mesh("Box", SOLIDS[0].vertices, SOLIDS[0].triangles))

    def taken_in(*_, **__):
        yield from ()
        return replace(taken, body=body)

    monkeypatch.setattr(pipeline, "repair_steps", taken_in)
    hit = Impact(np.array(point), np.array([0.2, 0.1, -1.0]), 5.0, 2.0, 0.0, 0.0)
    scene = Scene(
        mesh=Mesh("Parts", body.vertices, body.triangles),
        impacts=(replace(hit, **changes),),
        gravity=np.array([0.0, 0.0, -9.81]),
        ground=Ground(0.0),
        clock=Clock(24.0, clock),
    )
    params = replace(PARTITIONS[pieces].params(), count=30)
    settings = Settings(7, pieces, params, "impact_factor", RULES["impact_factor"].params(), Material())
    return pipeline.shatter(scene, settings, load)


@pytest.mark.parametrize("pieces", [kind.id for kind in PARTITIONS])
def test_parts_that_are_not_hit_stay_put(monkeypatch, pieces):
    # The part that is hit is high up: its pieces do not reach the others, which they would push, in so few frames.
    body = in_parts(*SOLIDS[:2], shapes.moved(SOLIDS[2], (0.0, 0.0, 3.0)))
    made = shattered(body, monkeypatch, (0.45, 0.45, 4.8), clock=8, pieces=pieces)
    assert are_closed(made.fragments).all()
    alive = made.motion.alive[-1]
    assert made.fragments.volume[alive].sum() == pytest.approx(sum(VOLUMES), rel=1e-9)
    moved = np.abs(made.motion.position[-1] - made.motion.position[0]).max(axis=1)[alive] > 0.0
    first = np.array([body.part[t] for t in triangles_of(made.fragments)])[alive]  # -1 where there is no skin
    assert (moved | (first != 2)).all()
    assert (~moved == ((first == 0) | (first == 1))).all()
    assert sorted(made.fragments.volume[alive][~moved]) == pytest.approx(sorted(VOLUMES[:2]), rel=1e-9)
    energy = made.motion.energy.sum(axis=1)
    assert (np.diff(energy) <= 1e-9 * np.abs(energy).max()).all()


def triangles_of(fragments):
    """A body triangle of each fragment, -1 where it has none."""
    return [
        int(fragments.face_triangle[a:b].max())
        for a, b in zip(fragments.face_start[:-1], fragments.face_start[1:], strict=True)
    ]


@pytest.mark.parametrize("seed", range(6))
def test_the_part_under_the_hit_breaks_not_one_whose_pieces_are_nearer(seed, monkeypatch):
    """A slab with a small plate just below the hit, whose middle is nearer to it than those of the slab's cells."""
    body = in_parts(shapes.box((0.0, 0.0, 0.0), (4.0, 4.0, 0.1)), shapes.box((1.9, 1.9, -0.1), (2.1, 2.1, -1e-3)))
    at = np.random.default_rng(seed).uniform(1.8, 2.2, 2)
    made = shattered(body, monkeypatch, (*at, 0.1), clock=2, pieces="cubes", radius=0.5)
    cells = made.fracture.cells[0]
    struck = np.unique(cells.unit[links_cells(made, cells)])
    part = part_of_cells(body, cells)
    assert len(struck) > 0
    assert (part[np.isin(cells.unit, struck)] == 0).all()


def links_cells(made, cells):
    """Cells beside the links that cracked."""
    cracked = np.isin(made.units.bond_link, made.fracture.crack_link)
    return np.unique(cells.bond_cells[cracked])


def test_a_hit_that_breaks_nothing_says_so(body, monkeypatch):
    made = shattered(body, monkeypatch, (0.45, 0.45, 1.8), strength=1e-9)
    assert made.report.pieces == 3
    assert made.report.warnings[0].startswith("Nothing broke")


def test_parts_are_in_the_key_of_a_diagram(body, monkeypatch):
    made = shattered(body, monkeypatch, (0.45, 0.45, 1.8))
    again = shattered(body, monkeypatch, (0.45, 0.45, 1.8), load=lambda key: {made.diagram.key: made.diagram}[key])
    assert (again.motion.position == made.motion.position).all()
    plain = replace(body, part=np.zeros(len(body.triangles), int))
    with pytest.raises(KeyError):
        shattered(plain, monkeypatch, (0.45, 0.45, 1.8), load=lambda key: {made.diagram.key: None}[key])


def test_pieces_of_another_mesh_are_refused(body, monkeypatch):
    made = shattered(body, monkeypatch, (0.45, 0.45, 1.8))
    other = in_parts(*SOLIDS[:2])
    with pytest.raises(InputError, match="another mesh"):
        shattered(other, monkeypatch, (0.9, 0.9, 0.9), load=lambda key: made.diagram)
