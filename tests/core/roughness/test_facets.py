"""Facets cut into triangles: always edge by edge, and well-shaped where the border lets them."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.planar.interior_lattice import KEEP
from core.roughness.facets import FacetMeshes, facet_meshes
from core.types import Floats, Ints
from tests.core.roughness.facet_cases import (
    SQUARE,
    Input,
    area_of,
    check_edges,
    check_shape,
    comb,
    convex,
    distance_to_border,
    doubled_areas,
    points_of,
    star,
    subdivided,
    triangles_of,
    uneven,
)

SEEDS = st.integers(0, 10**6)


@settings(max_examples=60)
@given(seed=SEEDS, corners=st.integers(3, 12), spacing=st.floats(0.02, 2.0))
def test_convex_facets_with_uneven_borders(seed: int, corners: int, spacing: float) -> None:
    rng = np.random.default_rng(seed)
    facets = [[uneven(convex(rng, corners, 1.0, 9.0), rng)] for _ in range(3)]
    given = Input(facets, spacing=spacing)
    made = given.meshed()
    check_edges(given, made)
    check_shape(given, made)


@settings(max_examples=60)
@given(seed=SEEDS, corners=st.integers(4, 40), spacing=st.floats(0.03, 2.0), fine=st.booleans())
def test_stars(seed: int, corners: int, spacing: float, fine: bool) -> None:
    rng = np.random.default_rng(seed)
    outline = star(rng, corners)
    given = Input([[subdivided(outline, 0.1) if fine else outline]], spacing=spacing)
    made = given.meshed()
    check_edges(given, made)
    check_shape(given, made)


@settings(max_examples=40)
@given(seed=SEEDS, holes=st.integers(1, 6), spacing=st.floats(0.05, 0.6))
def test_facets_with_holes_and_islands(seed: int, holes: int, spacing: float) -> None:
    rng = np.random.default_rng(seed)
    facet = [subdivided(SQUARE * 6.0, 0.5)]
    islands = []
    places = rng.permutation(9)[:holes]
    for place in places:
        middle = np.array([1.2 + 1.8 * (place % 3), 1.2 + 1.8 * (place // 3)])
        ring = star(rng, int(rng.integers(4, 15))) * 0.8
        facet.append((middle + ring)[::-1])
        islands.append([middle + 0.5 * ring])
    order = [facet[0], *facet[1:]] if seed % 2 else [*facet[1:], facet[0]]
    given = Input([order, *islands], spacing=spacing)
    made = given.meshed()
    check_edges(given, made)
    given.facets[0] = facet
    check_shape(given, made)


@pytest.mark.parametrize("teeth", [1, 4, 15])
@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e3])
def test_combs_at_all_sizes(teeth: int, scale: float) -> None:
    for outline in (comb(teeth), subdivided(comb(teeth), 0.3)):
        given = Input([[outline]], spacing=0.25)
        given.position *= scale
        given.spacing *= scale
        made = given.meshed()
        check_edges(given, made)
        area = doubled_areas(points_of(given, made, 0), triangles_of(made, 0))
        assert np.all(area > 1e-9 * scale**2)
        assert area.sum() / 2.0 == pytest.approx(area_of([outline]) * scale**2, rel=1e-12)


@settings(max_examples=40)
@given(seed=SEEDS, aspect=st.sampled_from([1e-2, 1e-4, 1e-6, 1e-9]), corners=st.integers(3, 8))
def test_slivers(seed: int, aspect: float, corners: int) -> None:
    rng = np.random.default_rng(seed)
    outline = convex(rng, corners, 1.0, 0.1) * [1.0, aspect]
    given = Input([[outline]], spacing=0.05)
    made = given.meshed()
    check_edges(given, made)
    area = doubled_areas(points_of(given, made, 0), triangles_of(made, 0))
    assert np.all(area > -1e-14)  # altitudes are known to 1e-15 here
    assert area.sum() / 2.0 == pytest.approx(area_of([outline]), abs=1e-14)


@settings(max_examples=60)
@given(seed=SEEDS, near=st.sampled_from([0.0, 1e-16, 1e-13, 1e-11, 3e-10]), concave=st.booleans())
def test_corners_in_one_place(seed: int, near: float, concave: bool) -> None:
    rng = np.random.default_rng(seed)
    outline = star(rng, 12) if concave else convex(rng, 6, 1.0, 0.1)
    outline = np.repeat(outline, rng.integers(1, 4, len(outline)), axis=0)
    outline = outline + rng.uniform(-near, near, outline.shape)
    given = Input([[outline]], spacing=0.1)
    made = given.meshed()
    check_edges(given, made)
    area = doubled_areas(points_of(given, made, 0), triangles_of(made, 0))
    assert area.sum() / 2.0 == pytest.approx(area_of([outline]), rel=1e-12)
    # A shuffled border may turn over triangles as large as the shuffle, no others.
    assert np.all(area > -1e-12 - 10.0 * near)


@settings(max_examples=100)
@given(seed=SEEDS, corners=st.integers(3, 20), kind=st.sampled_from(["line", "point", "crossing", "spike", "retraced"]))
def test_degenerate_facets_stay_closed(seed: int, corners: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    outline = rng.uniform(-1.0, 1.0, (corners, 2))
    if kind == "line":
        outline[:, 1] = 0.25 * outline[:, 0]
    elif kind == "point":
        outline[:] = outline[0]
    elif kind == "spike":
        outline = np.concatenate([SQUARE, [[0.0, 0.5], [0.4, 0.5], [0.0, 0.5]]])
    elif kind == "retraced":
        outline = np.concatenate([outline, outline[-2:0:-1]])
    given = Input([[outline]], spacing=0.2)
    check_edges(given, given.meshed())


@settings(max_examples=100)
@given(seed=SEEDS, kind=st.sampled_from(["anywhere", "touching", "flat", "point"]), holes=st.integers(1, 3))
def test_degenerate_holes_stay_closed(seed: int, kind: str, holes: int) -> None:
    rng = np.random.default_rng(seed)
    facet = [subdivided(SQUARE, 0.25)]
    for _ in range(holes):
        hole = rng.uniform(0.1, 0.9, (int(rng.integers(3, 7)), 2))
        if kind == "touching":
            hole[0] = facet[0][rng.integers(len(facet[0]))]
        elif kind == "flat":
            hole[:, 1] = hole[0, 1]
        elif kind == "point":
            hole[:] = hole[0]
        facet.append(hole)
    given = Input([facet], spacing=0.1)
    check_edges(given, given.meshed())


def test_nothing_gives_nothing() -> None:
    none = np.zeros(0, np.int64)
    made = facet_meshes(np.zeros(1, np.int64), none, none, none, np.zeros((0, 3)), np.zeros((0, 3)), 0.1)
    assert made.triangles.shape == (0, 3) and made.interior.shape == (0, 3) and made.triangle_start.tolist() == [0]
    made = facet_meshes(np.zeros(1, np.int64), none, none, none, np.zeros((0, 3)), np.eye(3), 0.1)
    assert made.triangle_start.tolist() == [0, 0, 0, 0]


def test_infinite_spacing_gives_no_points() -> None:
    given = Input([[subdivided(SQUARE, 0.1)]], spacing=np.inf)
    made = given.meshed()
    check_edges(given, made)
    check_shape(given, made)
    assert len(made.interior) == 0


def typical(count: int = 60) -> Input:
    rng = np.random.default_rng(5)
    return Input([[convex(rng, int(rng.integers(4, 9)), 0.6, 0.05)] for _ in range(count)], spacing=0.05)


def test_evenly_spaced_borders_give_well_shaped_triangles() -> None:
    given = typical()
    made = given.meshed()
    check_edges(given, made)
    check_shape(given, made)
    angles, altitudes = [], []
    for f in range(len(given.facets)):
        points, triangles = points_of(given, made, f), triangles_of(made, f)
        side = np.stack(
            [points[triangles[:, (k + 2) % 3]] - points[triangles[:, (k + 1) % 3]] for k in range(3)], axis=1
        )
        length = np.linalg.norm(side, axis=2)
        area = doubled_areas(points, triangles)
        for k in range(3):
            angles.append(np.degrees(np.arcsin(np.clip(area / (length[:, k - 1] * length[:, k - 2]), 0.0, 1.0))))
        inner = (triangles >= len(given.position)).any(axis=1)
        altitudes.append((area / length.max(axis=1))[inner])
        own = points[len(given.position) :][made.interior_facet == f]
        assert np.all(distance_to_border(own, [points[loop] for loop in given.borders(f)]) >= KEEP * 0.05 * (1 - 1e-9))
    assert np.mean(np.concatenate(angles) > 20.0) > 0.99
    assert np.mean(np.concatenate(angles) > 30.0) > 0.93
    assert np.quantile(np.concatenate(altitudes), 0.001) > 0.35 * 0.05


def bars(gap: float) -> Floats:
    """Two squares joined by a bar of width `gap`: for narrow ones the points inside do not hang together."""
    low, high = 0.5 - gap / 2.0, 0.5 + gap / 2.0
    right = [[1.0, low], [2.0, low], [2.0, 0.0], [3.0, 0.0], [3.0, 1.0], [2.0, 1.0], [2.0, high], [1.0, high]]
    return np.array([[0.0, 0.0], [1.0, 0.0], *right, [1.0, 1.0], [0.0, 1.0]])


def hook() -> Floats:
    """A bay that winds around a corner, out of sight of most points inside."""
    return np.array([[0.0, 0], [3, 0], [3, 3], [0, 3], [0, 2.6], [2.6, 2.6], [2.6, 0.4], [1, 0.4], [1, 2], [0, 2]])


def opposite_angles(points: Floats, triangles: Ints) -> Floats:
    """Sum of the two angles opposite to each edge inside."""
    opposite: dict[tuple[int, int], float] = {}
    for corners in triangles.tolist():
        for k in range(3):
            a, b, c = corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3]
            u, v = points[a] - points[c], points[b] - points[c]
            opposite[a, b] = float(np.arctan2(u[0] * v[1] - u[1] * v[0], u @ v))
    return np.array([angle + opposite[b, a] for (a, b), angle in opposite.items() if (b, a) in opposite])


@pytest.mark.parametrize("spacing", [0.07, 0.11, 0.3])
@pytest.mark.parametrize("outline", [bars(0.05), bars(0.3), hook(), comb(3) / 3.0, star(np.random.default_rng(3), 14)])
def test_all_edges_inside_are_delaunay(outline: Floats, spacing: float) -> None:
    given = Input([[subdivided(outline, 0.1)]], spacing=spacing)
    made = given.meshed()
    check_edges(given, made)
    check_shape(given, made)
    angles = opposite_angles(points_of(given, made, 0), triangles_of(made, 0))
    assert np.all(angles <= np.pi + 1e-9)  # ties are decided to 1e-12, points in their plane known to 1e-16


def test_points_in_two_parts_are_all_kept() -> None:
    both, one = (Input([[subdivided(outline, 0.1)]], spacing=0.1) for outline in (bars(0.05), SQUARE))
    rows = [given.meshed().interior_facet for given in (both, one)]
    assert len(rows[0]) >= 2 * 60 and len(rows[1]) >= 60  # a square of 0.88 has 0.88^2 / 0.0087 = 89 hexagons


def fins(given: Input, made: FacetMeshes, f: int) -> int:
    """Triangles whose corners all lie along one side."""
    sides: dict[int, set[int]] = {}
    for k in np.flatnonzero(given.facet == f):
        rows = np.arange(given.start[k], given.start[k + 1])
        for i, j in zip(rows, np.roll(rows, -1), strict=True):
            for corner in (i, j):
                sides.setdefault(int(given.vertex[corner]), set()).add(int(given.side[i]))
    count = 0
    for triangle in triangles_of(made, f).tolist():
        shared = set.intersection(*(sides.get(v, set()) for v in triangle))
        count += bool(shared - {-1})
    return count


def bulge(points: int, height: float) -> Floats:
    """A box with a rounded top."""
    x = np.linspace(1.0, 0.0, points)
    return np.concatenate([[[0.0, 0.0], [1.0, 0.0]], np.stack([x, 1.0 + height * np.sin(np.pi * x)], axis=1)])


@pytest.mark.parametrize("height", [1e-6, 0.02, 0.3])
@pytest.mark.parametrize("spacing", [0.1, 0.4, np.inf])
def test_no_fin_stays_below_a_bulging_rim(height: float, spacing: float) -> None:
    outline = bulge(17, height)
    side = np.full(len(outline), -1)
    side[2:-1] = 4
    plain = Input([[outline]], spacing=spacing)
    given = Input([[outline]], [[side]], spacing=spacing)
    made = given.meshed()
    check_edges(given, made)
    check_shape(given, made)
    assert fins(given, made, 0) == 0
    if spacing == np.inf and height > 0.1:  # the case is one: nothing else would take them away
        given.side = side
        assert fins(given, plain.meshed(), 0) > 0


@pytest.mark.parametrize("points", [3, 4, 5, 9, 30])
def test_a_facet_with_one_strut_gets_points_against_fins(points: int) -> None:
    angle = np.linspace(0.0, np.pi, points)
    outline = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    side = np.zeros(points)
    side[-1] = -1
    for spacing in (0.1, np.inf):
        given = Input([[outline]], [[side]], spacing=spacing)
        made = given.meshed()
        check_edges(given, made)
        check_shape(given, made)
        assert fins(given, made, 0) == 0
        own = points_of(given, made, 0)[points:]
        near = distance_to_border(own, given.facets[0]) < KEEP * spacing * (1 - 1e-9)
        assert np.count_nonzero(near) <= points - 2  # at most one for each fin


@settings(max_examples=60)
@given(seed=SEEDS, sides=st.integers(1, 5), spacing=st.sampled_from([0.08, 0.3, np.inf]))
def test_no_fins_in_stars_with_any_sides(seed: int, sides: int, spacing: float) -> None:
    rng = np.random.default_rng(seed)
    outline = subdivided(star(rng, 9), 0.2)
    side = np.repeat(rng.integers(-1, sides, len(outline)), rng.integers(1, 6, len(outline)))[: len(outline)]
    given = Input([[outline]], [[side]], spacing=spacing)
    made = given.meshed()
    check_edges(given, made)
    check_shape(given, made)
    assert fins(given, made, 0) == 0


def test_facets_do_not_know_each_other() -> None:
    given = typical(12)
    made = given.meshed()
    again = given.meshed()
    assert made.triangles.tobytes() == again.triangles.tobytes()
    assert made.interior.tobytes() == again.interior.tobytes()
    size = len(given.position)
    for f in (0, 5, 11):
        rows = slice(given.start[f], given.start[f + 1])
        start = given.start[f : f + 2] - given.start[f]
        arrays = start, given.vertex[rows], np.zeros(1, np.int64), given.side[rows], given.position
        alone = facet_meshes(*arrays, given.normal[f : f + 1], given.spacing)
        own = np.flatnonzero(made.interior_facet == f)
        assert alone.interior.tobytes() == made.interior[own].tobytes()
        triangles = triangles_of(made, f)
        assert np.array_equal(np.where(triangles >= size, triangles - own[0], triangles), alone.triangles)


def test_plain_python_gives_the_same() -> None:
    root = Path(__file__).parents[3]
    code = (
        "from tests.core.roughness.test_facets import typical; import hashlib; m = typical(3).meshed();"
        "print(hashlib.sha256(m.triangles.tobytes() + m.interior.tobytes()).hexdigest())"
    )
    seen = []
    for flag in ("0", "1"):
        environment = os.environ | {"NUMBA_DISABLE_JIT": flag, "PYTHONPATH": str(root)}
        run = subprocess.run(
            [sys.executable, "-c", code],
            cwd=root,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
            timeout=300,
        )
        seen.append(run.stdout)
    assert seen[0] == seen[1] != ""
