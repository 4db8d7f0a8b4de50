"""Sheets that are given thickness: closed whatever they are, exact where they are flat or creased."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.geometry.crossings import crossing_pairs
from core.geometry.mesh import area, cross_rows, edge_census, edge_table, volume
from core.intake.thicken import thicken
from core.types import Made

from ...zoo import sheets
from ...zoo.parts import moved, quads
from ..geometry.solids import box, sphere, torus

OPEN_BOX = (box()[0], box()[1][2:])  # without the side at x = -1


def turned_at_random(triangles, seed=0):
    flip = np.random.default_rng(seed).random(len(triangles)) < 0.5
    return np.where(flip[:, None], triangles[:, [0, 2, 1]], triangles)


def sheets_at_an_edge(count, rows=3):
    """Half planes of width 1 that share an edge of length 1, like the pages of a book."""
    spine = np.array([[0.0, 0.0, k / rows] for k in range(rows + 1)])
    pages = [spine + np.array([np.cos(a), np.sin(a), 0.0]) for a in 0.3 + 2 * np.pi * np.arange(count) / count]
    index = np.arange((count + 1) * (rows + 1)).reshape(count + 1, rows + 1)
    triangles = [quads(index[[0, k + 1]]) for k in range(count)]
    return np.concatenate([spine, *pages]), np.concatenate(triangles)


def fin_on_a_plane(first, last, high=2):
    """A plane of 4 x 4 squares of side 1, and a wall of height `high` on its middle line."""
    x, y = np.meshgrid(np.arange(5.0), np.arange(5.0), indexing="ij")
    plane = np.stack([x, y, 0.0 * x], axis=-1).reshape(-1, 3)
    index = np.arange(25).reshape(5, 5)
    foot = index[2, first : last + 1]
    rows = [foot] + [25 + len(foot) * k + np.arange(len(foot)) for k in range(high)]
    tops = [plane[foot] + [0.0, 0.0, k + 1.0] for k in range(high)]
    return np.concatenate([plane, *tops]), np.concatenate([quads(index), quads(np.array(rows))])


def strip_with_flat_triangles(count=7):
    """A square whose long sides are sealed by triangles without area: their middle corners lie on the border."""
    vertices, triangles = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2], [0, 2, 3]]
    for a, b in ((0, 1), (2, 3)):
        for k in range(1, count):
            vertices.append(np.asarray(vertices[a]) + (np.asarray(vertices[b]) - vertices[a]) * k / count)
            end = a if k == 1 else len(vertices) - 2
            triangles.append([b, end, len(vertices) - 1])
    return np.array(vertices), np.array(triangles)


def punched(seed, share):
    """A bent plane without a share of its faces: it hangs together by vertices."""
    vertices, triangles = sheets.grid(8, 8)
    vertices[:, 2] = 0.15 * np.sin(4 * vertices[:, 0]) * np.cos(5 * vertices[:, 1])
    return vertices, triangles[np.random.default_rng(seed).random(len(triangles)) >= share]


SHEETS = {
    "grid": sheets.grid(),
    "bowl": sheets.bowl(),
    "cup": sheets.cup(),
    "pipe": sheets.pipe(),
    "bottle": sheets.bottle(),
    "sphere": sphere(3),
    "open box": OPEN_BOX,
    "triangle": (np.eye(3), np.array([[0, 1, 2]])),
    "moebius": sheets.moebius(),
    "klein": sheets.klein(),
    "fin": sheets.plane_with_fin(),
    "sail on a cube": sheets.cube_with_sail(box()),
    "wall that ends on a plane": fin_on_a_plane(1, 3),
    "wall of one square": fin_on_a_plane(2, 3, 1),
    "wall from border to border": fin_on_a_plane(0, 4),
    "boxes at an edge": (
        np.concatenate([box()[0], box((1, 1, -1), (3, 3, 1))[0][2:]]),
        np.concatenate([box()[1], np.array([6, 7, 8, 9, 10, 11, 12, 13])[box()[1]]]),
    ),
    "flat triangles": strip_with_flat_triangles(),
    "panes": sheets.shattered_pane(),
    "punched": punched(3, 0.4),
} | {f"{count} pages": sheets_at_an_edge(count) for count in (2, 3, 4, 5, 9)}


def assert_whole(vertices, triangles, result):
    """Closed, every edge of two faces, finite, and every corner where its parent says."""
    edges = edge_table(result.triangles)
    assert not edges.surplus.any()
    assert edge_census(edges) == (0, 0, 0)
    assert np.isfinite(result.vertices).all()
    assert (np.unique(result.triangles) == np.arange(len(result.vertices))).all()
    count = len(triangles)
    assert (result.parent[: 2 * count] == np.tile(np.arange(count), 2)).all()
    assert (result.made[:count] == Made.OWN).all()
    assert (result.made[count : 2 * count] == Made.BACK).all()
    front, back = np.split(result.corner[: 2 * count], 2)
    swap = [0, 2, 1]
    kept = (front == [0, 1, 2]).all(axis=1)
    assert (front[~kept] == swap).all()
    assert (back == np.where(kept[:, None], swap, [0, 1, 2])).all()


def home(vertices, triangles, result):
    """The place (n,3,3) in the sheet at which each corner was."""
    return vertices[triangles[result.parent[:, None], result.corner]]


@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize("name", SHEETS)
def test_every_sheet_becomes_a_closed_body(name, centred):
    vertices, triangles = SHEETS[name]
    thickness = 0.02
    result = thicken(vertices, triangles, thickness, centred=centred)
    assert_whole(vertices, triangles, result)
    moved_by = np.linalg.norm(result.vertices[result.triangles] - home(vertices, triangles, result), axis=2)
    assert moved_by.max() <= 3 * thickness * (1 + 1e-12)
    if name not in ("klein", "boxes at an edge"):  # the bottle passes through itself; the boxes touch
        assert len(crossing_pairs(result.vertices, result.triangles)) == 0
    assert volume(result.vertices, result.triangles) == pytest.approx(area(vertices, triangles) * thickness, rel=0.1)


ONE_SIDED = {"moebius": 1, "klein": 1, "fin": 1, "sail on a cube": 1, "boxes at an edge": 1, "panes": 0, "bottle": 0}


@pytest.mark.parametrize("name", ONE_SIDED)
def test_components_without_a_front_are_counted(name):
    assert thicken(*SHEETS[name], 0.01).one_sided == ONE_SIDED[name]


@pytest.mark.parametrize("name", ["grid", "bowl", "bottle", "sphere", "open box", "panes", "punched", "flat triangles"])
def test_not_centred_the_front_stays_bit_by_bit(name):
    vertices, triangles = SHEETS[name]
    result = thicken(vertices, triangles, 0.02)
    front = result.made == Made.OWN
    assert (result.vertices[result.triangles[front]] == vertices[triangles]).all()
    assert (result.corner[front] == [0, 1, 2]).all()
    behind = result.vertices[result.triangles[result.made == Made.BACK]].mean(axis=1)
    corner = vertices[triangles]
    normal = cross_rows(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    flat = np.linalg.norm(normal, axis=1) < 1e-12
    assert (np.einsum("ti,ti->t", behind - corner.mean(axis=1), normal)[~flat] < 0).all()


@pytest.mark.parametrize("seed", [None, 5])
@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize("name", ["grid", "panes", "triangle", "flat triangles"])
def test_flat_sheets_have_their_area_times_the_thickness(name, centred, seed):
    vertices, triangles = moved(SHEETS[name], seed=seed) if seed is not None else SHEETS[name]
    result = thicken(vertices, triangles, 0.01, centred=centred)
    assert volume(result.vertices, result.triangles) == pytest.approx(0.01 * area(vertices, triangles), rel=1e-9)


def test_flat_triangles_take_over_the_direction_of_their_neighbours():
    vertices, triangles = strip_with_flat_triangles()
    for seed in range(4):
        mixed = np.concatenate([triangles[:2], turned_at_random(triangles[2:], seed)])
        result = thicken(vertices, mixed, 0.02)
        assert volume(result.vertices, result.triangles) == pytest.approx(0.02, rel=1e-9)
        assert set(result.vertices[:, 2]) == {0.0, -0.02}
    # The tip of a triangle without area has no angle, and no other triangle.
    vertices = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [2.0, 0.0, 0.0]])
    result = thicken(vertices, np.array([[0, 1, 2], [1, 0, 3]]), 0.02)
    assert sorted(result.vertices[:, 2]) == [-0.02] * 4 + [0.0] * 4


def test_the_walls_of_an_open_box_have_right_angled_corners():
    # Outside 2 x 2 x 2; not centred, the hollow is 2 - 2h wide and high, and 2 - h deep, for its mouth is open.
    h = 0.1
    result = thicken(*OPEN_BOX, h)
    assert volume(result.vertices, result.triangles) == pytest.approx(8 - (2 - 2 * h) ** 2 * (2 - h), rel=1e-9)
    # Centred, the walls reach h/2 further out and in; the mouth stays where it is.
    result = thicken(*OPEN_BOX, h, centred=True)
    expected = (2 + h) ** 2 * (2 + h / 2) - (2 - h) ** 2 * (2 - h / 2)
    assert volume(result.vertices, result.triangles) == pytest.approx(expected, rel=1e-9)


def test_a_closed_sheet_becomes_a_shell():
    # Between spheres of radius 1 and 1 - h. A sphere of triangles with edges of length e loses about e^2 / 4 of its
    # volume (e = 0.1 here), outside and inside alike.
    h = 0.1
    vertices, triangles = sphere(4)
    shell = 4 / 3 * np.pi * (1 - (1 - h) ** 3)
    result = thicken(vertices, triangles, h)
    assert volume(result.vertices, result.triangles) == pytest.approx(shell, rel=5e-3)
    # Facing inward, the front is inside, and the wall grows outward.
    result = thicken(vertices, triangles[:, ::-1], h)
    grown = 4 / 3 * np.pi * ((1 + h) ** 3 - 1)
    assert volume(result.vertices, result.triangles) == pytest.approx(grown, rel=5e-3)


def walls(vertices, triangles, result):
    """Distance (T,3) of each back corner from the plane of its face's front."""
    count = len(triangles)
    front = result.vertices[result.triangles[:count]]
    back = result.vertices[result.triangles[count : 2 * count]][:, [0, 2, 1]]
    normal = cross_rows(front[:, 1] - front[:, 0], front[:, 2] - front[:, 0])
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    return np.einsum("tki,ti->tk", front - back, normal)


@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize("name", ["bowl", "cup", "pipe", "bottle", "sphere", "moebius", "fin", "open box", "punched"])
def test_walls_are_as_thick_as_asked(name, centred):
    vertices, triangles = SHEETS[name]
    h = 0.01
    wall = walls(vertices, triangles, thicken(vertices, triangles, h, centred=centred)) / h
    # At vertices where the planes of more than three faces meet, no offset serves all of them.
    assert np.median(wall) == pytest.approx(1.0, abs=3e-3)
    assert np.quantile(wall, [0.02, 0.98]) == pytest.approx(1.0, abs=0.02)


def test_walls_on_a_plane_meet_it_at_right_angles():
    # Centred: the plane has 16 h; the wall stands on it, 2 - h/2 high, and keeps its thickness up to its ends.
    h = 0.1
    for first, last in ((0, 4), (1, 3), (0, 2), (2, 3)):
        vertices, triangles = fin_on_a_plane(first, last)
        result = thicken(vertices, triangles, h)
        expected = 16 * h + (last - first) * h * (2 - h / 2)
        assert volume(result.vertices, result.triangles) == pytest.approx(expected, rel=1e-9)
        # What fills the gap at the ends of the wall lies in the plane and is no rim.
        ends = (first > 0) + (last < 4)
        assert (result.made == Made.OWN).sum() + (result.made == Made.BACK).sum() == 2 * len(triangles) + ends


@pytest.mark.parametrize("count", [3, 4, 5, 9])
def test_where_pages_end_together_their_rims_are_joined(count):
    # Each page of width 1 overlaps its neighbours up to the mitre at a distance of (h/2) / tan(pi/n) from the spine;
    # the middle is a polygon of n kites, or n times two right-angled triangles of legs h/2 and that distance.
    h = 0.05
    vertices, triangles = sheets_at_an_edge(count)
    result = thicken(vertices, triangles, h)
    reach = 0.5 * h / np.tan(np.pi / count)
    expected = count * (h * (1 - reach) + 0.5 * h * reach)
    assert volume(result.vertices, result.triangles) == pytest.approx(expected, rel=1e-8)


def test_sheets_that_touch_in_a_vertex_stay_apart():
    vertices, triangles = sheets.grid(2, 2)
    other = np.arange(9) + 9
    other[0] = 8
    together = np.concatenate([vertices, vertices + vertices[8]]), np.concatenate([triangles, other[triangles]])
    result = thicken(*together, 0.02)
    assert_whole(*together, result)
    # One shell each, of 9 vertices in front and 9 behind: the common vertex is there twice, at the same places.
    assert len(result.vertices) == 36
    assert len(np.unique(result.vertices, axis=0)) == 34


def test_parts_that_hang_together_by_vertices_do_not_grow_into_each_other():
    for seed in range(6):
        result = thicken(*punched(seed, 0.4), 0.02, centred=seed % 2 == 1)
        assert len(crossing_pairs(result.vertices, result.triangles)) == 0


@pytest.mark.parametrize("name", ["moebius", "klein"])
def test_one_sided_surfaces_have_about_their_area_times_the_thickness(name):
    # Weyl's tube formula: for a closed surface the term in h^2 vanishes, that in h^3 is small.
    vertices, triangles = SHEETS[name]
    result = thicken(vertices, triangles, 0.01)
    assert volume(result.vertices, result.triangles) == pytest.approx(0.01 * area(vertices, triangles), rel=4e-3)


@pytest.mark.parametrize("name", ["grid", "bottle", "open box", "moebius", "wall that ends on a plane", "5 pages"])
def test_nothing_depends_on_the_size(name):
    vertices, triangles = SHEETS[name]
    whole = thicken(vertices, triangles, 0.02)
    for scale in (2.0**-10, 2.0**10):  # powers of two: no rounding differs
        other = thicken(scale * vertices, triangles, scale * 0.02)
        assert (other.triangles == whole.triangles).all()
        assert (other.vertices == scale * whole.vertices).all()


@pytest.mark.parametrize("name", ["grid", "bottle", "sphere", "open box", "panes"])
def test_the_orientation_of_faces_does_not_matter(name):
    vertices, triangles = SHEETS[name]
    mixed = turned_at_random(triangles)
    result = thicken(vertices, mixed, 0.02)
    assert_whole(vertices, mixed, result)
    assert result.one_sided == 0
    # Each component has one of its two fronts: all its faces agree where the matter is.
    either = [thicken(vertices, t, 0.02) for t in (triangles, triangles[:, ::-1])]
    volumes = [volume(one.vertices, one.triangles) for one in either]
    found = volume(result.vertices, result.triangles)
    assert min(volumes) - 1e-12 <= found <= max(volumes) + 1e-12
    if name != "panes":
        assert min(abs(found - one) for one in volumes) < 1e-12
    centred = volume(*thicken(vertices, mixed, 0.02, centred=True)[:2])
    assert centred == pytest.approx(volume(*thicken(vertices, triangles, 0.02, centred=True)[:2]), rel=1e-12)


def test_the_front_is_the_side_that_more_area_faces():
    vertices, triangles = sheets.grid()
    few = np.where(np.arange(len(triangles))[:, None] < 30, triangles[:, [0, 2, 1]], triangles)
    result = thicken(vertices, few, 0.02)
    assert result.vertices[:, 2].min() == -0.02
    assert result.vertices[:, 2].max() == 0.0
    result = thicken(vertices, few[:, ::-1], 0.02)
    assert result.vertices[:, 2].max() == 0.02


def test_rims_know_the_corners_of_the_border():
    vertices, triangles = sheets.grid()
    result = thicken(vertices, triangles, 0.02, centred=True)
    rim = result.made == Made.RIM
    # Each corner is half the thickness above or below where it was, and two rim triangles stand on each border edge.
    assert np.allclose(
        np.abs(result.vertices[result.triangles] - home(vertices, triangles, result)), [0, 0, 0.01], atol=1e-12
    )
    assert rim.sum() == 2 * edge_census(edge_table(triangles))[0]


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["torus", "fin", "wall that ends on a plane", "9 pages"]))
def test_any_faces_of_a_mesh_make_a_closed_body(seed, name):
    rng = np.random.default_rng(seed)
    vertices, triangles = torus(around=12, across=8) if name == "torus" else SHEETS[name]
    triangles = triangles[rng.random(len(triangles)) < rng.uniform(0.05, 1.0)]
    triangles = turned_at_random(triangles, seed)
    centred = bool(rng.integers(2))
    result = thicken(vertices, triangles, 0.02, centred=centred)
    if len(triangles) > 0:
        assert_whole(vertices, triangles, result)
    if not centred and name == "torus":
        count = len(triangles)
        front = home(vertices, triangles, result)[:count]
        assert (result.vertices[result.triangles[:count]] == front).all()


@settings(max_examples=100)
@given(st.integers(0, 2**32 - 1))
def test_any_triangles_at_all_make_a_closed_body(seed):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(4, 12))
    vertices = rng.normal(size=(count, 3)) if seed % 2 else rng.integers(0, 3, (count, 3)).astype(float)
    triangles = np.array([rng.permutation(count)[:3] for _ in range(rng.integers(1, 40))])
    _, first = np.unique(np.sort(triangles, axis=1), axis=0, return_index=True)
    triangles = triangles[first]
    assert_whole(vertices, triangles, thicken(vertices, triangles, 0.02))


def test_nothing_stays_nothing():
    result = thicken(np.zeros((0, 3)), np.zeros((0, 3), np.int64), 0.1)
    assert len(result.triangles) == len(result.vertices) == result.one_sided == 0


@pytest.mark.parametrize("thickness", [0.0, -1.0, np.nan, np.inf])
def test_a_thickness_must_be_a_length(thickness):
    with pytest.raises(ValueError, match="no length"):
        thicken(*sheets.grid(), thickness)


def test_damaged_triangles_are_refused():
    with pytest.raises(IndexError):
        thicken(np.eye(3), np.array([[0, 1, 3]]), 0.1)
    with pytest.raises(ValueError, match="twice"):
        thicken(np.eye(3), np.array([[0, 1, 1]]), 0.1)
