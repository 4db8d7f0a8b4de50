"""Refinement of a body for a bend: what is halved, that the surface stays the same, and that its shapes stay good."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.cutting.complex import as_complex
from core.cutting.cut import cut
from core.errors import InputError
from core.geometry.mesh import areas, count_open_edges, edge_table, edge_uses
from core.pieces.voronoi_complex import voronoi_complex
from core.roughness import bend as bending
from core.roughness import refine
from core.roughness.refine import Refined, refined
from core.types import Body, Floats, Ints, Partition
from tests import shapes
from tests.core.cutting.closedness import assert_sound, voronoi
from tests.core.roughness.standin import Waves, flattened

BODIES = {
    "box": shapes.box((0, 0, 0), (2, 2, 2)),
    "wall": shapes.box((0, 0, 0), (4, 3, 0.2)),
    "sphere": shapes.icosphere(3),
    "poles": shapes.uv_sphere(),
    "two": shapes.two_boxes(),
    "hollow": shapes.hollow_box(),
    "flat caps": shapes.with_flat_caps(shapes.bumpy_sphere(3)),
    "coincident": shapes.with_coincident_vertices(shapes.bumpy_sphere(3)),
}
GENTLE = Waves(0.01, 0.3)


def run(body: Body, p: Partition, bend: Waves = GENTLE, tolerance: float = 0.003, **more: float) -> Refined:
    return refined(body, bend, as_complex(p), tolerance, flatten=flattened, **more)


def deviation(r: Refined, bend: Waves) -> Floats:
    """err(L) of each triangle."""
    corner = r.vertices[r.triangles]
    square = np.square(corner - np.roll(corner, 1, axis=1)).sum(axis=2).max(axis=1)
    return np.minimum(bend.noise_curvature * square / 8, bend.reach) + bend.chart_curvature * square / 8


def regions_and_margins(p: Partition, flat: Floats) -> tuple[Floats, Floats]:
    """By all sites and all planes."""
    region = np.argmin(np.square(flat[:, None] - p.site).sum(axis=2), axis=1)
    margin = np.empty(len(flat))
    for home in np.unique(region):
        facets = p.region_facet[p.region_start[home] : p.region_start[home + 1]]
        inside = flat[region == home]
        away = np.einsum("vfi,fi->vf", inside[:, None] - p.facet_point[facets], p.facet_normal[facets])
        margin[region == home] = np.abs(away).min(axis=1)
    return region, margin


def assert_same_surface(body: Body, r: Refined) -> None:
    """Closed without T-junctions, and each body triangle is exactly the sum of its parts."""
    assert r.vertices[: len(body.vertices)].tobytes() == body.vertices.tobytes()
    assert np.all(np.diff(r.source) >= 0) and np.array_equal(np.unique(r.source), np.arange(len(body.triangles)))
    edges = edge_table(r.triangles, len(r.vertices))
    assert count_open_edges(edges) == 0
    assert np.all(edge_uses(edges) == 2)
    if r.triangles is not body.triangles:
        assert_same_edges(r, edges.ends, edges.of_half.reshape(-1, 3))
    assert np.array_equal(
        np.unique(r.triangles), np.unique(np.r_[body.triangles.ravel(), len(body.vertices) : len(r.vertices)])
    )
    scaled = r.weight * 2.0**16
    assert np.array_equal(scaled, np.round(scaled))  # so dyadic that all that follows is exact
    assert np.all(r.weight >= 0.0) and np.all(r.weight.sum(axis=2) == 1.0)
    a, b = r.weight[:, 1, :2] - r.weight[:, 0, :2], r.weight[:, 2, :2] - r.weight[:, 0, :2]
    share = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]  # of the area of the body triangle, negative if turned over
    assert np.all(share > 0.0)
    assert np.all(np.bincount(r.source, share) == 1.0)
    place = np.einsum("tki,tij->tkj", r.weight, body.vertices[body.triangles[r.source]])
    # Each of at most 16 halvings on the way to a vertex rounds once, by half a unit in the last place.
    assert np.abs(place - r.vertices[r.triangles]).max() <= 16 * 2.0**-53 * np.abs(body.vertices).max()


def assert_same_edges(r: Refined, edges: Ints, side: Ints) -> None:
    """The edges that came along are those that a search finds, by another numbering."""
    assert r.edges is not None and r.triangle_edge is not None
    assert np.array_equal(r.edges[r.triangle_edge], edges[side])
    assert np.array_equal(np.unique(r.triangle_edge), np.arange(len(edges))) and len(r.edges) == len(edges)


def assert_rule_holds(r: Refined, p: Partition, bend: Waves, tolerance: float) -> None:
    # The flat points of a vertex are the same to within the precision of the inverse, whatever the guess was.
    assert np.abs(r.flat - flattened(bend, r.vertices)).max() < 1e-6 * bend.wavelength
    region, margin = regions_and_margins(p, r.flat)
    err = deviation(r, bend)
    if r.region is not None:
        # At a plane's round-off both sides are right.
        assert np.array_equal(r.region[margin > 1e-12], region[margin > 1e-12])
    home = region[r.triangles]
    straddles = (home != home[:, :1]).any(axis=1) | (margin[r.triangles].min(axis=1) < err * (1 - 1e-6))
    # Squared lengths are kept in single precision.
    assert not np.any(straddles & (err > tolerance * (1 + 1e-6)))


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("count", [2, 20])
def test_the_surface_stays_and_the_rule_holds(name: str, count: int) -> None:
    body = BODIES[name]
    p = voronoi(body, count, seed=count)
    r = run(body, p)
    assert len(r.triangles) > len(body.triangles)
    assert_same_surface(body, r)
    assert_rule_holds(r, p, GENTLE, 0.003)


@settings(max_examples=30)
@given(
    seed=st.integers(0, 2**32 - 1),
    count=st.integers(1, 40),
    shape=st.sampled_from(["box", "icosphere", "scan", "torus"]),
    tolerance=st.sampled_from([0.002, 0.005, 0.02]),
    chart=st.sampled_from([0.0, 0.1]),
)
def test_random_bodies_and_sites(seed: int, count: int, shape: str, tolerance: float, chart: float) -> None:
    rng = np.random.default_rng(seed)
    bodies = {
        "box": lambda: shapes.box(-rng.uniform(0.1, 1.5, 3), rng.uniform(0.1, 1.5, 3)),
        "icosphere": lambda: shapes.icosphere(int(rng.integers(0, 4)), rng.uniform(0.3, 1.2)),
        "scan": lambda: shapes.scan(int(rng.integers(50, 3000))),
        "torus": lambda: shapes.torus(segments=int(rng.integers(5, 40)), rings=int(rng.integers(3, 20))),
    }
    body = bodies[shape]()
    p = voronoi(body, count, seed)
    bend = Waves(0.01, rng.uniform(0.2, 0.5), chart)
    r = run(body, p, bend, tolerance)
    assert_same_surface(body, r)
    assert_rule_holds(r, p, bend, tolerance)


@pytest.mark.parametrize("name", ["box", "wall", "sphere", "poles"])
def test_areas_add_up(name: str) -> None:
    body = BODIES[name]
    r = run(body, voronoi(body, 20, seed=1))
    whole = areas(body.vertices, body.triangles)
    # Corners are rounded; errors of inner sides cancel between neighbours.
    assert np.abs(np.bincount(r.source, areas(r.vertices, r.triangles)) / whole - 1.0).max() < 1e-14


def test_triangles_far_from_facets_are_the_bodys_own() -> None:
    body = shapes.scan(20_000)
    p = voronoi(body, 6, seed=2)
    bend = Waves(0.004, 0.1)
    r = run(body, p, bend, 0.001)
    parts = np.bincount(r.source)
    alone = np.flatnonzero(parts[r.source] == 1)
    assert np.array_equal(r.triangles[alone], body.triangles[r.source[alone]])
    assert np.array_equal(r.weight[alone], np.broadcast_to(np.eye(3), (len(alone), 3, 3)))
    assert len(alone) > 0.7 * len(body.triangles)
    # What is split has a corner within the deviation of a facet, or lies next to such a triangle: closure goes from
    # a triangle to ever longer sides, and here sides around a place are about equally long.
    whole = dataclasses.replace(r, triangles=body.triangles)
    err = deviation(whole, bend)
    _, margin = regions_and_margins(p, flattened(bend, body.vertices))
    corner = body.vertices[body.triangles]
    longest = np.linalg.norm(corner - np.roll(corner, 1, axis=1), axis=2).max(axis=1)
    assert np.all((margin[body.triangles].min(axis=1) < err + 3 * longest)[parts > 1])


def test_new_vertices_are_numbered_by_first_use() -> None:
    body = BODIES["wall"]
    r = run(body, voronoi(body, 20, seed=4))
    new = r.triangles[r.triangles >= len(body.vertices)]
    _, first = np.unique(new, return_index=True)
    assert np.all(np.diff(first) > 0)


@pytest.mark.parametrize("name", ["box", "wall", "sphere", "hollow", "flat caps"])
def test_the_flat_body_can_be_cut(name: str) -> None:
    body = BODIES[name]
    p = voronoi(body, 30, seed=6)
    r = run(body, p)
    flat = shapes.body(r.flat, r.triangles)
    assert_sound(flat, cut(flat, p))


def test_edges_of_many_triangles_are_split_for_all_of_them() -> None:
    # Two boxes that share one edge, which then has four triangles.
    first, second = shapes.box((0, 0, 0), (1, 1, 1)), shapes.box((1, 1, 0), (2, 2, 1))
    v = np.concatenate([first.vertices, second.vertices])
    number = np.arange(16)
    for i in range(8, 16):
        same = np.flatnonzero((v[:8] == v[i]).all(axis=1))
        number[i] = same[0] if len(same) else i
    assert np.count_nonzero(number != np.arange(16)) == 2
    body = shapes.body(v, number[np.concatenate([first.triangles, second.triangles + 8])])
    r = run(body, voronoi(body, 10, seed=3))
    edges = edge_table(r.triangles, len(r.vertices))
    assert count_open_edges(edges) == 0 and set(edge_uses(edges)) == {2, 4}
    used = np.unique(r.triangles)
    on_line = used[(r.vertices[used, :2] == 1.0).all(axis=1)]
    assert len(on_line) > 4
    assert len(np.unique(r.vertices[on_line], axis=0)) == len(on_line)
    assert np.count_nonzero(edge_uses(edges) == 4) == len(on_line) - 1


def test_two_runs_give_the_same_bits() -> None:
    body = BODIES["wall"]
    p = voronoi(body, 30, seed=5)
    one, two = (run(body, p) for _ in range(2))
    for field in dataclasses.fields(Refined):
        assert getattr(one, field.name) is not None
        assert np.asarray(getattr(one, field.name)).tobytes() == np.asarray(getattr(two, field.name)).tobytes()


def test_without_a_bend_nothing_happens() -> None:
    body = BODIES["sphere"]
    r = run(body, voronoi(body, 30), Waves(0.0, 1.0))
    assert r.vertices is body.vertices and r.flat is body.vertices and r.triangles is body.triangles
    assert np.array_equal(r.source, np.arange(len(body.triangles)))
    assert r.region is None and r.edges is None and r.triangle_edge is None
    assert np.array_equal(r.weight, np.broadcast_to(np.eye(3), (len(body.triangles), 3, 3)))


def test_without_facets_in_reach_only_the_flat_points_are_new() -> None:
    body = BODIES["box"]
    far = np.array([[1.0, 1.0, 1.0], [50.0, 1.0, 1.0]])
    r = run(body, voronoi_complex(far, np.full(3, -100.0), np.full(3, 100.0)))
    assert r.vertices is body.vertices and r.triangles is body.triangles
    assert np.array_equal(r.flat, flattened(GENTLE, body.vertices))


def test_noise_that_moves_less_than_the_tolerance_needs_no_refinement() -> None:
    body = BODIES["box"]
    assert run(body, voronoi(body, 30), tolerance=GENTLE.reach).triangles is body.triangles
    assert run(body, voronoi(body, 30), tolerance=0.99 * GENTLE.reach).triangles is not body.triangles


def test_a_second_tolerance_holds_everywhere() -> None:
    body = BODIES["box"]
    p = voronoi(body, 5, seed=1)
    r = run(body, p, everywhere=0.01)
    assert deviation(r, GENTLE).max() <= 0.01 * (1 + 1e-6)
    assert deviation(run(body, p), GENTLE).max() > 0.01
    assert_same_surface(body, r)
    assert_rule_holds(r, p, GENTLE, 0.003)


def test_a_share_of_the_tolerance_holds_where_three_regions_meet() -> None:
    body = BODIES["box"]
    p = voronoi(body, 20, seed=1)

    def worst(r: Refined) -> float:
        home = np.sort(regions_and_margins(p, r.flat)[0][r.triangles], axis=1)
        return float(deviation(r, GENTLE)[(home[:, 0] < home[:, 1]) & (home[:, 1] < home[:, 2])].max())

    fine, coarse = run(body, p, at_partition_edges=0.125), run(body, p)
    assert worst(fine) <= 0.125 * 0.003 * (1 + 1e-6) < worst(coarse)
    assert_same_surface(body, fine)
    assert_rule_holds(fine, p, GENTLE, 0.003)
    # Only some triangles are near struts.
    everywhere = run(body, p, tolerance=0.125 * 0.003)
    assert len(coarse.triangles) < len(fine.triangles) < 0.5 * len(everywhere.triangles)


def test_what_is_outside_of_the_complex_is_left_to_the_cutter() -> None:
    body = BODIES["two"]
    inside = shapes.box((0.2, 0.2, 0.2), (0.5, 0.5, 0.5))
    p = voronoi(inside, 8)
    inner = dataclasses.replace(p, vertices=p.vertices)
    assert_same_surface(body, run(body, inner))


def test_the_number_of_triangles_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refine, "MOST_TRIANGLES", 500)
    body = BODIES["box"]
    with pytest.raises(InputError, match="too fine"):
        run(body, voronoi(body, 30))


@pytest.mark.parametrize("tolerance", [0.0, -1.0, float("nan")])
def test_a_tolerance_must_be_positive(tolerance: float) -> None:
    with pytest.raises(ValueError, match="positive"):
        run(BODIES["box"], voronoi(BODIES["box"], 3), tolerance=tolerance)


@pytest.mark.skipif(not hasattr(bending, "rough"), reason="there is no field of noise yet")
@pytest.mark.parametrize(
    ("cells", "amplitude", "octaves", "share", "triangles"),
    [(100, 0.008, 2, 0.5, 29_000), (100, 0.008, 3, 1.0, 46_000), (1000, 0.004, 2, 0.5, 134_000)],
)
def test_counts_of_the_prototype(cells: int, amplitude: float, octaves: int, share: float, triangles: int) -> None:
    # Counts of a prototype: a box of 2 m, the tolerance in shares of the last octave's amplitude, the wavelength 25
    # amplitudes. The sites were others: the total area of facets differs by some percent from set to set.
    body = BODIES["box"]
    bend = bending.rough(amplitude, 25 * amplitude, octaves, seed=1)
    tolerance = share * amplitude * 2.0 ** (1 - octaves)
    r = refined(body, bend, as_complex(voronoi(body, cells, seed=1)), tolerance)
    assert abs(len(r.triangles) / triangles - 1.0) < 0.1
