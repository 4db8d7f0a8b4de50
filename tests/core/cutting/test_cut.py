"""The cutter on closed bodies of every kind: closed cells, exact sums, agreement with manifold3d, refusals."""

import dataclasses
import hashlib
import os
import subprocess
import sys

import manifold3d
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.cutting.complex import as_complex
from core.cutting.cut import cut, cut_checked, divide
from core.cutting.locate import OUTSIDE, locate
from core.cutting.prepared import prepared, with_edges
from core.cutting.retry import cut_with_retry
from core.errors import CutError
from core.jit import HAS_NUMBA
from core.pieces.voronoi_complex import voronoi_complex
from core.types import Body, Cells, Partition
from tests import shapes
from tests.core.cutting.closedness import assert_sound, cell_triangles, mesh_moments, voronoi

BODIES = {
    "box": shapes.box(),
    "sphere": shapes.icosphere(3),
    "poles": shapes.uv_sphere(),
    "torus": shapes.torus(),
    "plate": shapes.plate(),
    "hollow": shapes.hollow_box(),
    "two": shapes.two_boxes(),
    "glass": shapes.wine_glass(24),
    "bumpy": shapes.bumpy_sphere(4),
    "flat caps": shapes.with_flat_caps(shapes.bumpy_sphere(3)),
    "coincident": shapes.with_coincident_vertices(shapes.bumpy_sphere(3)),
    "nested": shapes.joined(shapes.hollow_box(), shapes.box((0.3, 0.3, 0.3), (0.7, 0.7, 0.7))),
}


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("count", [1, 2, 3, 12, 150])
def test_cells_are_closed_and_sum_to_the_body(name: str, count: int) -> None:
    body = BODIES[name]
    assert_sound(body, cut(body, voronoi(body, count, seed=count)))


def manifold(body: Body) -> manifold3d.Manifold:
    mesh = manifold3d.Mesh64(body.vertices.copy(), body.triangles.astype(np.uint64))
    solid = manifold3d.Manifold(mesh)
    assert solid.status() == manifold3d.Error.NoError
    return solid


def trimmed(solid: manifold3d.Manifold, p: Partition, region: int) -> manifold3d.Manifold:
    """The oracle: the body trimmed by the planes of one region. Hulls of far vertices would spoil it."""
    for f in p.region_facet[p.region_start[region] : p.region_start[region + 1]]:
        normal = -p.facet_normal[f] if p.facet_regions[f, 0] == region else p.facet_normal[f]
        solid = solid.trim_by_plane(tuple(normal), float(normal @ p.facet_point[f]))
    return solid


@pytest.mark.parametrize("name", [name for name in BODIES if name not in ("flat caps", "coincident")])
def test_each_region_has_the_volume_that_manifold3d_finds(name: str) -> None:
    body = BODIES[name]
    p = voronoi(body, 40, seed=4)
    c = cut(body, p)
    solid = manifold(body)
    ours = np.bincount(c.region, c.volume, 40)
    for region in range(0, 40, 3):
        assert abs(ours[region] - trimmed(solid, p, region).volume()) < 1e-12 * c.volume.sum()


def test_moments_are_those_of_each_cells_own_surface() -> None:
    body = BODIES["torus"]
    c = cut(body, voronoi(body, 60, seed=5))
    for cell in range(len(c.volume)):
        volume, centroid, second = mesh_moments(c.vertices, cell_triangles(c, cell))
        assert abs(volume - c.volume[cell]) < 1e-14
        assert np.abs(centroid - c.centroid[cell]).max() < 1e-9  # crumbs divide by their small volume
        assert np.abs(second - c.second_moment[cell]).max() < 1e-14


def test_unit_cube_in_eighths_has_known_moments() -> None:
    # sites at (.25|.75)^3: eight cubes of side a = 1/2: V = a^3, second moment a^5 / 12 per axis; 12 bonds of area a^2
    sites = np.array([[x, y, z] for x in (0.25, 0.75) for y in (0.25, 0.75) for z in (0.25, 0.75)])
    sites += np.random.default_rng(0).uniform(-1e-6, 1e-6, sites.shape)
    c = cut(shapes.box(), voronoi_complex(sites, np.zeros(3), np.ones(3)))
    assert np.allclose(c.volume, 1 / 8, rtol=0, atol=1e-5)
    assert np.allclose(c.second_moment, np.eye(3) / 32 / 12, rtol=0, atol=1e-5)
    faces = c.bond_area > 1e-3
    assert np.count_nonzero(faces) == 12
    assert np.allclose(c.bond_area[faces], 0.25, rtol=0, atol=1e-5)


@pytest.mark.parametrize(("count", "links"), [(10, 30), (100, 521), (1000, 6658)])
def test_bond_counts_of_barr_2016_vector_4(count: int, links: int) -> None:
    # docs/papers/barr2016.md, V4: sites in the unit cube mirrored at its sides; here the walls are the body.
    # Links through a numerically tiny face differ between clippers: +-2.
    sites = np.random.default_rng(42).uniform(0, 1, (count, 3))
    c = cut(shapes.box(), voronoi_complex(sites, np.zeros(3), np.ones(3)))
    assert abs(len(np.unique(np.sort(c.bond_cells, axis=1), axis=0)) - links) <= 2


def test_bonds_are_planar_polygons_between_two_cells() -> None:
    body = BODIES["bumpy"]
    p = voronoi(body, 80, seed=6)
    c = cut(body, p)
    assert np.all(c.bond_cells[:, 0] != c.bond_cells[:, 1])
    assert np.allclose(np.linalg.norm(c.bond_normal, axis=1), 1.0, rtol=0, atol=1e-14)
    sites = p.site[c.region[c.bond_cells]]
    assert np.all(np.einsum("bk,bk->b", sites[:, 1] - sites[:, 0], c.bond_normal) > 0.0)  # from lo to hi
    area = np.zeros(len(c.bond_area))
    first = np.zeros((len(c.bond_area), 3))
    for f, bond in enumerate(c.inner_bond):
        q = c.vertices[c.inner_vertex[c.inner_start[f] : c.inner_start[f + 1]]]
        part = 0.5 * np.cross(q[1:-1] - q[0], q[2:] - q[0]) @ c.bond_normal[bond]
        area[bond] += part.sum()
        first[bond] += part @ (q[0] + q[1:-1] + q[2:]) / 3
        assert np.abs((q - q[0]) @ c.bond_normal[bond]).max() < 1e-13
    assert np.allclose(area, c.bond_area, rtol=0, atol=1e-14)
    large = area > 1e-6
    assert np.allclose((first / area[:, None])[large], c.bond_centroid[large], rtol=0, atol=1e-9)
    assert np.all(c.bond_area > 0.0)


def test_units_of_a_cut_are_connected_through_bonds() -> None:
    body = BODIES["torus"]
    p = voronoi(body, 200, seed=8)
    c = cut(body, dataclasses.replace(p, group=np.arange(200) % 7))
    for unit in range(c.unit.max() + 1):
        members = np.flatnonzero(c.unit == unit)
        inner = np.isin(c.bond_cells, members).all(axis=1)
        reached = {int(members[0])}
        while True:
            touching = c.bond_cells[inner & np.isin(c.bond_cells, list(reached)).any(axis=1)].ravel()
            if set(touching.tolist()) <= reached:
                break
            reached |= set(touching.tolist())
        assert reached == set(members.tolist())


def test_a_jittered_cubic_lattice_cuts_a_box_into_its_cubes() -> None:
    axis = (np.arange(10) + 0.5) / 10
    lattice = np.stack(np.meshgrid(axis, axis, axis), axis=-1).reshape(-1, 3)
    lattice += np.random.default_rng(3).uniform(-1e-6, 1e-6, lattice.shape)
    body = shapes.box()
    c = cut(body, voronoi_complex(lattice, np.zeros(3), np.ones(3)))
    assert_sound(body, c)
    assert len(c.volume) == 1000
    assert np.allclose(c.volume, 1e-3, rtol=1e-3)


def test_sites_outside_the_body_leave_no_empty_cells() -> None:
    body = shapes.icosphere(2)
    sites = np.random.default_rng(1).uniform(-4, 4, (100, 3))
    c = cut(body, voronoi_complex(sites, np.full(3, -1.0), np.ones(3)))
    assert_sound(body, c)
    assert 1 < len(c.volume) < 100


@pytest.mark.parametrize("ratio", [10.0, 100.0])
def test_anisotropic_cells_stay_closed(ratio: float) -> None:
    body = BODIES["bumpy"]
    low, high = body.vertices.min(axis=0), body.vertices.max(axis=0)
    sites = np.random.default_rng(2).uniform(low, high, (100, 3))
    turn = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0]
    p = voronoi_complex(sites, low, high, metric=np.diag([1.0, 1.0, 1.0 / ratio]) @ turn)
    c = cut(body, p)
    assert_sound(body, c, volume_tolerance=1e-11)
    solid = manifold(body)
    ours = np.bincount(c.region, c.volume, 100)
    for region in range(0, 100, 9):
        assert abs(ours[region] - trimmed(solid, p, region).volume()) < 1e-11 * c.volume.sum()


def same_topology(a: Cells, b: Cells) -> bool:
    names = ["outer_vertex", "outer_start", "outer_cell", "inner_vertex", "inner_start", "bond_cells", "region", "unit"]
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in names)


@pytest.mark.parametrize("scale", [2.0**-7, 2.0**7, 0.01, 100.0])
def test_scale_does_not_matter(scale: float) -> None:
    body = BODIES["glass"]
    low, high = body.vertices.min(axis=0), body.vertices.max(axis=0)
    sites = np.random.default_rng(5).uniform(low, high, (60, 3))
    one = cut(body, voronoi_complex(sites, low, high))
    other = cut(shapes.moved(body, np.zeros(3), scale), voronoi_complex(sites * scale, low * scale, high * scale))
    if np.log2(scale) % 1 == 0:  # nothing rounds
        assert same_topology(one, other)
        assert np.array_equal(one.vertices * scale, other.vertices)
    assert len(one.volume) == len(other.volume)
    assert len(one.bond_area) == len(other.bond_area)
    assert one.unit.max() == other.unit.max()
    assert np.allclose(one.volume * scale**3, other.volume, rtol=1e-6, atol=1e-12 * other.volume.sum())


def test_two_runs_are_equal_to_the_bit() -> None:
    body = BODIES["torus"]
    a, b = (cut(body, voronoi(body, 150, seed=9)) for _ in range(2))
    for field in dataclasses.fields(Cells):
        assert getattr(a, field.name).tobytes() == getattr(b, field.name).tobytes()


def test_a_prepared_body_is_cut_into_the_same_bits() -> None:
    body, other = BODIES["torus"], BODIES["bumpy"]
    known = prepared(body)
    p = voronoi(body, 30, seed=9)
    for a, b in ((cut(body, p), cut(body, p, known)), (cut(other, p), cut(other, p, known))):
        for field in dataclasses.fields(Cells):
            assert getattr(a, field.name).tobytes() == getattr(b, field.name).tobytes()


def test_known_edges_and_regions_change_no_bit() -> None:
    # Edges may have any numbers; regions that are not known are sought.
    body = BODIES["torus"]
    p = voronoi(body, 30, seed=9)
    found = prepared(body)
    region, _ = locate(as_complex(p), body.vertices, body.triangles)
    region[::7] = OUTSIDE
    known = with_edges(body, found.edges - 1 - found.triangle_edge, found.edges, 0, region)
    a, b = cut(body, p), cut(body, p, known)
    for field in dataclasses.fields(Cells):
        assert getattr(a, field.name).tobytes() == getattr(b, field.name).tobytes()


def test_a_division_is_a_cut_whose_bonds_are_not_measured() -> None:
    body = BODIES["torus"]
    p = voronoi(body, 30, seed=9)
    a, b = cut(body, p), divide(body, p)
    for field in dataclasses.fields(Cells):
        if field.name not in ("bond_area", "bond_centroid", "unit", "crumb"):
            assert getattr(a, field.name).tobytes() == getattr(b, field.name).tobytes()
    assert np.isnan(b.bond_area).all() and np.isnan(b.bond_centroid).all()
    with pytest.raises(CutError, match="3 edges"):
        divide(shapes.open_box(), voronoi(shapes.open_box(), 20))


def test_what_is_wrong_with_a_prepared_body_is_still_found() -> None:
    body = shapes.open_box()
    cells, checks = cut_checked(body, voronoi(body, 20), prepared(body))
    assert cells is None
    assert checks.open_edges == 3


def test_cells_follow_the_order_of_their_regions() -> None:
    body = BODIES["glass"]
    region = cut(body, voronoi(body, 60, seed=1)).region
    assert np.all(np.diff(region) >= 0)


def test_a_vertex_without_triangles_changes_nothing_else() -> None:
    body = BODIES["bumpy"]
    p = voronoi(body, 40, seed=1)
    far = np.full((1, 3), 50.0)  # even beyond the outermost regions
    lone = shapes.body(np.concatenate([far, body.vertices]), body.triangles + 1)
    a, b = cut(body, p), cut(lone, p)
    assert np.array_equal(a.vertices, b.vertices)
    assert np.array_equal(a.outer_vertex, b.outer_vertex)
    assert np.array_equal(a.volume, b.volume)


def test_a_hollow_inside_one_region_belongs_to_the_cell_around_it() -> None:
    body = shapes.hollow_box(0.4)  # the hollow of side 0.2 lies inside the region of the middle site
    sites = np.array([[0.5, 0.5, 0.5], [0.5, 0.5, 1.6], [-0.6, 0.5, 0.5]]) + 1e-4
    c = cut(body, voronoi_complex(sites, np.zeros(3), np.ones(3)))
    assert_sound(body, c)
    assert len(c.volume) == len(set(c.region.tolist()))


def test_a_ring_shaped_facet_is_one_bond_in_triangles() -> None:
    body = shapes.hollow_box(0.2)
    sites = np.array([[0.5001, 0.5, 0.2], [0.5, 0.5002, 0.8]])
    c = cut(body, voronoi_complex(sites, np.zeros(3), np.ones(3)))
    assert_sound(body, c)
    assert len(c.volume) == 2
    assert len(c.bond_area) == 1
    assert c.bond_area[0] == pytest.approx(1.0 - 0.6**2, abs=1e-3)  # frame: outer square less the hollow
    assert len(c.inner_bond) == 16  # outline and hole have 8 corners each: 4 edges and 4 diagonals of the boxes


def test_one_facet_with_two_islands_makes_two_bonds() -> None:
    body = shapes.torus()
    sites = np.array([[-0.5, 0.01, 0.0], [0.5, 0.0, 0.02]])
    c = cut(body, voronoi_complex(sites, np.full(3, -1.3), np.full(3, 1.3)))
    assert len(c.volume) == 2
    assert len(c.bond_area) == 2


def test_a_region_with_two_parts_makes_two_cells_with_their_own_sites() -> None:
    body = shapes.two_boxes()
    sites = np.array([[0.9, 0.5, 0.5], [0.9, 0.5, 5.0]])
    c = cut(body, voronoi_complex(sites, np.zeros(3), np.array([2.0, 1.0, 1.0])))
    assert len(c.volume) == 2
    assert np.array_equal(c.site, c.centroid)


def test_open_mesh_is_refused() -> None:
    cells, checks = cut_checked(shapes.open_box(), voronoi(shapes.open_box(), 20))
    assert cells is None
    assert checks.open_edges == 3
    with pytest.raises(CutError, match="not closed"):
        cut(shapes.open_box(), voronoi(shapes.open_box(), 20))


def test_inside_out_mesh_is_refused() -> None:
    body = shapes.reversed_body(shapes.box())
    with pytest.raises(CutError, match="no volume"):
        cut(body, voronoi(body, 5))


@pytest.mark.parametrize("seed", range(4))
def test_overlapping_shells_are_refused(seed: int) -> None:
    body = shapes.overlapping_boxes()
    with pytest.raises(CutError):
        cut(body, voronoi(body, 100, seed))


def test_body_outside_of_the_complex_is_refused() -> None:
    p = voronoi(shapes.box(), 10)
    cells, checks = cut_checked(shapes.moved(shapes.box(), np.full(3, 500.0)), p)
    assert cells is None
    assert checks.outside > 0


def test_vertex_on_a_facet_is_doubted() -> None:
    sites = np.array([[0.25, 0.3, 0.4], [0.75, 0.3, 0.4]])  # the bisector x = 0.5 of the box
    body = shapes.box((0.5, 0, 0), (1, 1, 1))
    cells, checks = cut_checked(body, voronoi_complex(sites, np.zeros(3), np.ones(3)))
    assert cells is None
    assert checks.doubts > 0


def test_retry_takes_the_first_attempt_that_passes() -> None:
    body = shapes.box((0.5, 0, 0), (1, 1, 1))
    tried = []

    def build(attempt: int) -> Partition:
        tried.append(attempt)
        sites = np.array([[0.25, 0.3, 0.4], [0.75, 0.3, 0.4]]) + 1e-4 * attempt
        return voronoi_complex(sites, np.zeros(3), np.ones(3))

    cells, notes = cut_with_retry(body, build)
    assert tried == [0, 1]
    assert len(notes) == 1
    assert_sound(body, cells)


def test_retry_says_what_is_wrong_when_every_attempt_fails() -> None:
    body = shapes.overlapping_boxes()
    tried = []

    def build(attempt: int) -> Partition:
        tried.append(attempt)
        return voronoi(body, 50, attempt)

    with pytest.raises(CutError, match="3 attempts failed"):
        cut_with_retry(body, build, attempts=3)
    assert tried == [0, 1, 2]


def test_body_far_from_the_origin_loses_only_the_digits_of_its_coordinates() -> None:
    body = shapes.moved(shapes.bumpy_sphere(3), np.array([1e3, -2e3, 5e2]))
    assert_sound(body, cut(body, voronoi(body, 50)), volume_tolerance=1e-11)


@pytest.mark.skipif(not HAS_NUMBA, reason="compares with compiled kernels")
def test_plain_python_gives_the_same_bits() -> None:
    program = (
        "import dataclasses, hashlib\n"
        "from core.cutting.cut import cut\n"
        "from tests import shapes\n"
        "from tests.core.cutting.closedness import voronoi\n"
        "c = cut(shapes.hollow_box(), voronoi(shapes.hollow_box(), 8))\n"
        "data = b''.join(getattr(c, f.name).tobytes() for f in dataclasses.fields(c))\n"
        "print(hashlib.sha256(data).hexdigest())\n"
    )
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    plain = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, check=True, text=True)
    c = cut(shapes.hollow_box(), voronoi(shapes.hollow_box(), 8))
    data = b"".join(getattr(c, f.name).tobytes() for f in dataclasses.fields(c))
    assert plain.stdout.strip() == hashlib.sha256(data).hexdigest()


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6), count=st.integers(1, 60), name=st.sampled_from(sorted(BODIES)))
def test_any_seed_gives_sound_cells(seed: int, count: int, name: str) -> None:
    body = BODIES[name]
    assert_sound(body, cut(body, voronoi(body, count, seed)))
