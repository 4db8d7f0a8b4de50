"""An artist's own meshes as a pattern: made to fit, completed, or refused by name."""

import numpy as np
import pytest

from core.cutting.own_pattern.cut import region_mesh
from core.errors import InputError
from core.geometry.mesh import areas, volume
from core.pieces.patterns.jigsaw.overlaps import hull
from core.pieces.patterns.jigsaw.solids import JigsawSolid
from core.pieces.patterns.own import NEAR, make_own_pattern
from core.pieces.patterns.pattern import REACH
from core.types import Body, OwnPattern
from tests import shapes
from tests.core.cutting.own_pattern.meshes import CUBE, box, octants, pieces


def volumes(pattern: OwnPattern) -> np.ndarray:
    return np.array([volume(*region_mesh(pattern, k)) for k in range(len(pattern.names))])


def test_regions_divide_all_of_space_around_the_meshes() -> None:
    pattern = make_own_pattern(octants())
    assert volumes(pattern) == pytest.approx(np.full(8, REACH**3), rel=1e-12)
    assert np.array_equal(pattern.half, np.ones(3))


def test_centre_and_axis_become_the_origin_and_z() -> None:
    moved = [(name, v + np.array((5.0, 0.0, 0.0)), t) for name, v, t in octants()]
    pattern = make_own_pattern(moved, centre=np.array((5.0, 0.0, 1.0)), axis=np.array((3.0, 0.0, 0.0)))
    # The centre lies on a side, two from the other one; that direction, z, is now -x.
    assert pattern.half == pytest.approx([2.0, 1.0, 1.0], rel=1e-12)
    assert pattern.site[:, 0].min() == pytest.approx(-1.5) or pattern.site[:, 0].max() == pytest.approx(1.5)


def test_faces_that_fit_only_together_are_cut_to_fit() -> None:
    """One box against four: the large face meets four smaller ones, whose corners lie in its middle."""
    given = [box("Large", (-1, -1, -1), (1, 1, 0))]
    given += [box(f"Small.{x}{y}", (x - 1, y - 1, 0), (x, y, 1)) for x, y in np.ndindex(2, 2)]
    pattern = make_own_pattern(given)
    assert pattern.notes == ()
    assert len(np.unique(pattern.sides[pattern.sides[:, 1] >= 0], axis=0)) == 8
    assert volumes(pattern).sum() == pytest.approx((2 * REACH) ** 3, rel=1e-12)


def test_rounding_of_stored_coordinates_leaves_no_slits() -> None:
    exact = make_own_pattern(pieces(CUBE, 12, 1))
    rounded = make_own_pattern(pieces(CUBE, 12, 1, single=True))
    assert exact.notes == rounded.notes == ()
    inner = [np.unique(p.sides[p.sides[:, 1] >= 0], axis=0) for p in (exact, rounded)]
    assert np.array_equal(*inner)
    assert volumes(rounded) == pytest.approx(volumes(exact), rel=100 * NEAR)


def test_a_gap_goes_to_the_mesh_beside_it() -> None:
    pattern = make_own_pattern(octants()[1:])
    assert len(pattern.notes) == 1 and pattern.notes[0].startswith("Gaps in the pattern (")
    assert len(pattern.names) == 7
    # All of space is there; what is beyond the hull's slanted face is there as well, 1/48 of the cube less.
    assert volumes(pattern).sum() == pytest.approx((2 * REACH) ** 3 * (1 - 1 / 48), rel=1e-9)


def test_a_hole_within_is_filled() -> None:
    whole = pieces(CUBE, 40, 2)
    inner = [k for k, (_, v, _) in enumerate(whole) if np.abs(v).max() < 1.0 - 1e-9]
    assert inner
    given = [mesh for k, mesh in enumerate(whole) if k != inner[0]]
    pattern = make_own_pattern(given)
    assert len(pattern.notes) == 1
    assert volumes(pattern).sum() == pytest.approx((2 * REACH) ** 3, rel=1e-9)


def test_a_small_overlap_belongs_to_the_larger_mesh() -> None:
    given = [box("Small", (-1, -1, -1), (0.02, 1, 1)), box("Large", (-0.01, -1, -1), (1.2, 1, 1))]
    pattern = make_own_pattern(given, centre=np.zeros(3))
    cut = region_mesh(pattern, 0)[0]
    near = np.abs(cut[:, 1:]).max(axis=1) < 1.0 + 1e-9
    assert cut[near, 0].max() == pytest.approx(-0.01)


def test_much_overlap_is_refused_by_name() -> None:
    given = [box("Front", (-1, -1, -1), (0.4, 1, 1)), box("Back", (0, -1, -1), (1, 1, 1))]
    with pytest.raises(InputError, match='"Front" and "Back" overlap: 40 % of "Back" lies in both'):
        make_own_pattern(given)


@pytest.mark.parametrize(
    ("mesh", "sentence"),
    [
        (shapes.open_box(), '"Shard.003" is open: 3 edges'),
        (shapes.box((0.0, 0.0, 0.0), (1.0, 1.0, 0.0)), '"Shard.003" encloses no space'),
    ],
    ids=["open", "flat"],
)
def test_a_mesh_that_bounds_nothing_is_refused_by_name(mesh: Body, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        make_own_pattern([*octants()[:3], ("Shard.003", mesh.vertices, mesh.triangles)])


def test_a_mesh_within_another_one_is_refused_by_name() -> None:
    with pytest.raises(InputError, match='"Inner"'):
        make_own_pattern([box("Outer", (-1, -1, -1), (1, 1, 1)), box("Inner", (-0.2, -0.2, -0.2), (0.2, 0.2, 0.2))])


def test_meshes_that_are_turned_inside_out_are_turned_back() -> None:
    turned = [(name, v, t[:, ::-1] if k % 2 else t) for k, (name, v, t) in enumerate(octants())]
    assert volumes(make_own_pattern(turned)) == pytest.approx(np.full(8, REACH**3), rel=1e-12)


def test_a_centre_outside_is_refused() -> None:
    with pytest.raises(InputError, match="centre"):
        make_own_pattern(octants(), centre=np.array((3.0, 0.0, 0.0)))
    with pytest.raises(InputError, match="no meshes"):
        make_own_pattern([])


def test_the_hull_of_pieces_is_one_that_touches_itself_nowhere() -> None:
    """Corners of pieces lie in the faces of a turned cube up to the rounding of 32 bits, in whatever order."""
    rng = np.random.default_rng(3)
    corners = np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])
    for _ in range(20):
        inside = rng.uniform(0.0, 1.0, (160, 3))
        inside[np.arange(160), rng.integers(0, 3, 160)] = rng.integers(0, 2, 160)
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        points = (np.concatenate([corners, inside]) @ turn).astype(np.float32).astype(np.float64)
        found = hull([JigsawSolid("Pieces", points, np.zeros((0, 3), np.int64))])
        assert volume(found.vertices, found.triangles) == pytest.approx(1.0, abs=1e-5)
        assert areas(found.vertices, found.triangles).sum() == pytest.approx(6.0, abs=1e-4)
