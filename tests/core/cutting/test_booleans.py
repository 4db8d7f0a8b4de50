"""The second method against the first on healthy bodies, and alone where the first one cannot decide."""

import dataclasses

import manifold3d
import numpy as np
import pytest

from core.cutting.booleans import cut_by_booleans
from core.cutting.cut import cut
from core.cutting.retry import Cutters, cut_with_retry
from core.errors import CutError
from core.fragments.build import are_closed, build_fragments
from core.pieces.voronoi_complex import voronoi_complex
from core.types import Body, Cells, Partition
from tests import shapes
from tests.core.cutting.closedness import assert_sound, voronoi

BODIES = {
    "box": shapes.box(),
    "sphere": shapes.icosphere(2),
    "torus": shapes.torus(segments=16, rings=8),
    "plate": shapes.plate(),
    "hollow": shapes.hollow_box(),
    "two": shapes.two_boxes(),
    "glass": shapes.wine_glass(12),
    "bumpy": shapes.bumpy_sphere(3),
    "nested": shapes.joined(shapes.hollow_box(), shapes.box((0.3, 0.3, 0.3), (0.7, 0.7, 0.7))),
    "flat caps": shapes.with_flat_caps(shapes.bumpy_sphere(2)),
    "coincident": shapes.with_coincident_vertices(shapes.bumpy_sphere(2)),
    "far": shapes.moved(shapes.bumpy_sphere(2), np.array([1e3, -2e3, 5e2])),
    "tiny": shapes.moved(shapes.bumpy_sphere(2), np.zeros(3), 1e-3),
}


def bond_table(c: Cells) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of regions (n,2) and their bonded area, sorted; bonds too small to exist for certain are left out."""
    count = int(c.region.max()) + 1
    key = np.sort(c.region[c.bond_cells], axis=1) @ np.array([count, 1])
    pairs, of = np.unique(key, return_inverse=True)
    area = np.bincount(of.ravel(), c.bond_area, len(pairs))
    real = area > 1e-12 * np.square(np.ptp(c.vertices, axis=0)).sum()
    return np.stack([pairs[real] // count, pairs[real] % count], axis=1), area[real]


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("count", [1, 2, 60])
def test_both_methods_agree(name: str, count: int) -> None:
    body = BODIES[name]
    p = voronoi(body, count, seed=count)
    ours, theirs = cut(body, p), cut_by_booleans(body, p)
    tolerance = 1e-11 if name == "far" else 1e-12
    assert_sound(body, theirs, volume_tolerance=tolerance)
    whole = ours.volume.sum()
    assert len(theirs.volume) == len(ours.volume)
    assert np.allclose(
        np.bincount(theirs.region, theirs.volume, count), np.bincount(ours.region, ours.volume, count), 0, 1e-9 * whole
    )
    mine, other = bond_table(ours), bond_table(theirs)
    assert np.array_equal(mine[0], other[0])
    assert np.allclose(mine[1], other[1], rtol=0, atol=1e-9 * np.square(np.ptp(body.vertices, axis=0)).sum())


def test_bonds_and_cells_carry_the_same_measures() -> None:
    body = BODIES["bumpy"]
    p = dataclasses.replace(voronoi(body, 40, seed=3), group=np.arange(40) % 5)
    p = dataclasses.replace(p, facet_strength=np.linspace(0.1, 1.0, len(p.facet_strength)))
    ours, theirs = cut(body, p), cut_by_booleans(body, p)
    key = [np.lexsort((c.volume, c.region)) for c in (ours, theirs)]
    for field in ("region", "volume", "centroid", "second_moment", "site"):
        a, b = (getattr(c, field)[k] for c, k in zip((ours, theirs), key, strict=True))
        assert np.allclose(a, b, rtol=0, atol=1e-9), field
    rank = [np.argsort(k) for k in key]
    bonds = [np.lexsort((c.bond_area, *r[c.bond_cells].T)) for c, r in zip((ours, theirs), rank, strict=True)]
    for field in ("bond_area", "bond_normal", "bond_centroid", "bond_strength"):
        a, b = (getattr(c, field)[k] for c, k in zip((ours, theirs), bonds, strict=True))
        assert np.allclose(a, b, rtol=0, atol=1e-7), field
    same = [u[:, None] == u[None, :] for u in (c.unit[k] for c, k in zip((ours, theirs), key, strict=True))]
    assert np.array_equal(*same)


def test_the_bodys_own_points_come_back_bit_for_bit() -> None:
    body = shapes.moved(BODIES["bumpy"], np.array([3.1, -0.7, 12.3]), 0.37)
    c = cut_by_booleans(body, voronoi(body, 30))
    own = np.repeat(c.outer_triangle, np.diff(c.outer_start))
    corner, k = np.nonzero(c.outer_weight == 1.0)
    assert len(np.unique(body.triangles[own[corner], k])) == len(body.vertices)
    assert np.array_equal(c.vertices[c.outer_vertex[corner]], body.vertices[body.triangles[own[corner], k]])


def test_two_runs_are_equal_to_the_bit() -> None:
    body = BODIES["torus"]
    a, b = (cut_by_booleans(body, voronoi(body, 50, seed=9)) for _ in range(2))
    for field in dataclasses.fields(Cells):
        assert getattr(a, field.name).tobytes() == getattr(b, field.name).tobytes()


SHIFT = 1e-6  #: the second method may move a pattern by 1e-7 of the diagonal


def slabs() -> Partition:
    """Three slabs along x whose walls are exactly at 0.5 and 1.0."""
    sites = np.array([[0.25, 0.3, 0.4], [0.75, 0.3, 0.4], [1.25, 0.3, 0.4]])
    return voronoi_complex(sites, np.zeros(3), np.ones(3))


@pytest.mark.parametrize("side", [0.0, 0.5, 1.0])
def test_walls_that_lie_exactly_in_the_mesh_are_decided(side: float) -> None:
    # The cutter sees every vertex on a wall as doubtful. Slabs of [side, side + 1] between the walls 0.5 and 1.0.
    body = shapes.box((side, 0, 0), (side + 1, 1, 1))
    c = cut_by_booleans(body, slabs())
    assert_sound(body, c)
    large = c.volume > SHIFT
    walls = np.clip([-9.0, 0.5, 1.0, 9.0], side, side + 1)
    assert np.allclose(np.sort(c.volume[large]), np.sort(np.diff(walls)[np.diff(walls) > 0.0]), rtol=0, atol=SHIFT)
    assert np.allclose(c.bond_area, 1.0, rtol=0, atol=SHIFT)


def staircase(steps: int) -> Body:
    """Step k of unit size reaches up to k + 1; the sides are polygons in fans that end on lattice points."""
    rise = [[k + 1 - i, k + 1] for k in reversed(range(steps)) for i in (0, 1)]
    outline = np.array([[0, 0], [steps, 0], *rise], np.float64)
    solid = manifold3d.Manifold.extrude(manifold3d.CrossSection([outline]), 1.0).to_mesh64()
    return shapes.body(np.array(solid.vert_properties)[:, :3], np.array(solid.tri_verts).astype(np.int64))


def test_a_staircase_on_the_walls_of_a_pattern_that_fits_it() -> None:
    # Walls at x = 1 and x = 2 hold whole faces of the mesh. Slivers beside them join the columns of 1, 2, 3 cubes.
    body = staircase(3)
    sites = np.array([[x + 0.5, 0.4, 0.5] for x in range(-1, 4)])
    c = cut_by_booleans(body, voronoi_complex(sites, np.zeros(3), np.full(3, 3.0)))
    assert_sound(body, c)
    columns = np.sort(np.bincount(c.unit, c.volume))
    assert np.allclose(columns, [1.0, 2.0, 3.0], rtol=0, atol=10 * SHIFT)
    across = c.unit[c.bond_cells[:, 0]] != c.unit[c.bond_cells[:, 1]]
    area = c.bond_area[across].sum()  # on this side of the steps, or on the other where the walls have been moved
    assert min(abs(area - (1.0 + 2.0)), abs(area - (2.0 + 3.0))) < 10 * SHIFT


@pytest.mark.parametrize("name", ["torus", "hollow", "bumpy"])
def test_fragments_of_any_units_are_closed(name: str) -> None:
    body = BODIES[name]
    c = cut_by_booleans(body, voronoi(body, 80, seed=2))
    label = np.random.default_rng(0).integers(0, 5, int(c.unit.max()) + 1)
    made = build_fragments(c, [np.flatnonzero(label == k) for k in range(5)], 1.0, body)
    assert are_closed(made).all()


def test_a_body_that_overlaps_itself_ends_in_a_sentence() -> None:
    body = shapes.overlapping_boxes()
    with pytest.raises(CutError, match="unite"):
        cut_by_booleans(body, voronoi(body, 20))


def test_matter_in_matter_ends_in_a_sentence() -> None:
    body = shapes.joined(shapes.box(), shapes.box((0.2, 0.2, 0.2), (0.8, 0.8, 0.8)))
    with pytest.raises(CutError, match="inside each other"):
        cut_by_booleans(body, voronoi(body, 20))


def test_an_open_body_ends_in_a_sentence() -> None:
    with pytest.raises(CutError, match="closed"):
        cut_by_booleans(shapes.open_box(), voronoi(shapes.box(), 5))


def test_the_second_cut_that_fails_goes_through_booleans() -> None:
    body, tried = BODIES["bumpy"], []

    def fail(body: Body, partition: Partition) -> Cells:
        raise CutError("The cut failed: 1 signs are within round-off.")

    def build(attempt: int) -> Partition:
        tried.append(attempt)
        return voronoi(body, 20, attempt)

    cells, notes = cut_with_retry(body, build, cutters=Cutters(fail, cut_by_booleans))
    assert tried == [0, 1]
    assert notes == (f"{len(cells.volume)} pieces were cut by the slower, second method.",)
    assert_sound(body, cells)
    assert np.allclose(
        np.bincount(cells.region, cells.volume), np.bincount((c := cut(body, voronoi(body, 20, 1))).region, c.volume)
    )


def test_a_pattern_that_cannot_be_built_is_built_again_and_not_cut() -> None:
    body, tried = BODIES["box"], []

    def build(attempt: int) -> Partition:
        tried.append(attempt)
        if attempt < 3:
            raise CutError("No Voronoi diagram can be made of these sites.")
        return voronoi(body, 20)

    cells, notes = cut_with_retry(body, build)
    assert tried == [0, 1, 2, 3]
    assert notes == ("The cut needed 4 attempts.",)
    assert_sound(body, cells)
