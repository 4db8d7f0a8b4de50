"""Each kind of field on bonds made by hand, with the values that its formula has there."""

from dataclasses import replace

import numpy as np
import pytest

from core.errors import InputError
from core.strength.fields import FIELDS
from core.strength.fields.nodes import NodesParams, scatter_balls
from tests.field_samples import bonds, column


def of(kind, sample, **params):
    method = FIELDS[kind]
    return method.run.values(sample, method.params(**params))


def test_size_follows_the_formula():
    sample = bonds(np.zeros((3, 3)), area=np.array([0.25, 1.0, 4.0]), volume=np.array([8.0, 1.0, 0.125]))
    # (A / mean A)^a (V / mean V)^b with a = 0 and b = 1/3 unless told.
    np.testing.assert_allclose(of("size", sample), [2.0, 1.0, 0.5], rtol=1e-15)
    np.testing.assert_allclose(of("size", sample, area=0.5, volume=0.0), [0.5, 1.0, 2.0], rtol=1e-15)
    np.testing.assert_allclose(of("size", sample, area=1.0, volume=1.0), [2.0, 1.0, 0.5], rtol=1e-15)


def test_size_of_nothing_is_finite():
    sample = bonds(np.zeros((1, 3)), area=np.zeros(1), volume=np.zeros(1))
    assert np.isfinite(of("size", sample, area=-2.0, volume=-2.0)).all()


@pytest.mark.parametrize("kind", ["noise", "turbulence", "density"])
def test_random_factors_lie_between_their_ends_and_use_them(kind):
    sample = bonds(np.random.default_rng(1).uniform(-0.5, 0.5, (4000, 3)))
    values = of(kind, sample, size=0.05, low=0.5, high=2.0)
    assert values.min() >= 0.5 - 1e-15 and values.max() <= 2.0 + 1e-15
    assert values.min() < 0.7 and values.max() > 1.8
    assert np.allclose(of(kind, sample, low=0.8, high=0.8), 0.8)
    assert not np.allclose(values, of(kind, sample, size=0.05, low=0.5, high=2.0, seed=1))


def test_strength_and_density_have_spots_of_their_own():
    sample = bonds(np.random.default_rng(1).uniform(-0.5, 0.5, (4000, 3)))
    one, two = (of(kind, sample, size=0.05, low=0.5, high=2.0) for kind in ("noise", "density"))
    assert abs(np.corrcoef(one, two)[0, 1]) < 0.1  # 4000 places, a few hundred spots


def test_veins_are_where_the_turbulence_is_below_the_threshold():
    sample = bonds(np.random.default_rng(2).uniform(-0.5, 0.5, (4000, 3)))
    same = {"size": 0.07, "detail": 2, "seed": 5}
    sharp = of("veins", sample, threshold=0.35, low=0.25, high=1.25, **same)
    assert set(sharp) == {0.25, 1.25}
    assert (sharp == 0.25).mean() == pytest.approx(0.25, abs=0.08), "as its tooltip says"
    wide = of("veins", sample, threshold=0.6, low=0.25, high=1.25, **same)
    assert ((sharp == 0.25) <= (wide == 0.25)).all() and (wide == 0.25).mean() > 0.5
    assert (of("veins", sample, threshold=0.0, low=0.25, high=1.25, **same) == 1.25).all()
    soft = of("veins", sample, threshold=0.35, edge=0.2, low=0.25, high=1.25, **same)
    between = (soft > 0.25) & (soft < 1.25)
    assert 0.05 < between.mean() < 0.95 and (soft[~between] == sharp[~between]).all()


def test_a_plane_weakens_exactly_what_it_passes_through():
    # Cells of height 0.1 about -0.2, -0.1, 0, ...: bonds at -0.15, -0.05, 0.05, 0.15.
    sample = bonds(column([-0.15, -0.05, 0.05, 0.15]))
    assert of("cleaving", sample, offset=0.03, factor=0.3).tolist() == [1.0, 1.0, 0.3, 1.0]
    assert of("cleaving", sample, offset=-0.13, factor=0.3).tolist() == [0.3, 1.0, 1.0, 1.0]
    assert of("cleaving", sample, offset=0.4, factor=0.3).tolist() == [1.0] * 4
    level = bonds(column([-0.15, -0.05, 0.05, 0.15]), step=(0.1, 0.0, 0.0))
    assert of("cleaving", level, offset=0.03, factor=0.3).tolist() == [1.0] * 4
    assert of("cleaving", level, direction=(5.0, 0.0, 0.0), factor=0.3).tolist() == [0.3] * 4


def test_the_layer_of_a_plane_has_a_width():
    level = bonds(column([-0.15, -0.05, 0.05, 0.15]), step=(0.1, 0.0, 0.0))
    assert of("cleaving", level, offset=0.06, width=0.03, factor=0.3).tolist() == [1.0, 1.0, 0.3, 1.0]
    assert of("cleaving", level, offset=0.0, width=0.12, factor=0.3).tolist() == [1.0, 0.3, 0.3, 1.0]


def test_a_pack_of_planes_lies_about_the_offset():
    heights = np.arange(-0.45, 0.5, 0.1)
    # Three planes at -0.23, 0.03 and 0.29, each within one of the cells' gaps.
    weak = of("cleaving", bonds(column(heights)), offset=0.03, count=3, spacing=0.26, factor=0.3)
    assert heights[weak == 0.3] == pytest.approx([-0.25, 0.05, 0.25])
    level = bonds(column(heights), step=(0.1, 0.0, 0.0))
    weak = of("cleaving", level, offset=0.03, count=3, spacing=0.26, width=0.1, factor=0.3)
    assert heights[weak == 0.3] == pytest.approx([-0.25, 0.05, 0.25])
    far = bonds(column([0.0]), step=(0.0, 0.0, 3.0))  # one bond across all planes
    assert of("cleaving", far, count=5, factor=0.3).tolist() == [0.3]


def test_without_a_direction_planes_cut_across_the_longest_side():
    sample = bonds(np.zeros((1, 3)), step=(0.1, 0.0, 0.0), extent=(0.9, 0.3, 0.3))
    assert of("cleaving", sample, direction=(0.0, 0.0, 0.0), offset=0.01).tolist() == [0.2]
    assert of("cleaving", sample, direction=(0.0, 0.0, 1e-300), offset=0.01).tolist() == [1.0]


def test_a_placed_node_is_strong_inside_and_fades_over_its_edge():
    # The box is 0.5 high: 0.9 of it lies 0.2 above the middle.
    sample = bonds(column([0.2, 0.28, 0.29, 0.3, 0.31, 0.0]))
    node = {"place": "placed", "at": (0.5, 0.5, 0.9), "radius": 0.1, "factor": 11.0}
    np.testing.assert_allclose(of("nodes", sample, edge=0.0, **node), [11, 11, 11, 11, 1, 1], rtol=1e-12)
    # With an edge of a fifth: whole up to 0.28, half of the way (smooth) at 0.29, none at 0.3.
    np.testing.assert_allclose(of("nodes", sample, edge=0.2, **node), [11, 11, 6, 1, 1, 1], atol=1e-9)
    assert (of("nodes", sample, **{**node, "radius": 0.0}) == 1.0).all()


def test_scattered_nodes_are_balls_at_their_mean_distance():
    params = NodesParams(distance=0.1, radius=0.03, edge=0.0, factor=5.0, seed=2)
    middles = scatter_balls(params)
    middles = middles[(np.abs(middles) < 0.45).all(axis=1)]
    assert len(middles) == pytest.approx(0.9**3 / 0.1**3, rel=0.1)
    strong = of("nodes", bonds(middles), distance=0.1, radius=0.03, edge=0.0, factor=5.0, seed=2)
    assert (strong == 5.0).all()
    points = np.random.default_rng(0).uniform(-0.45, 0.45, (20_000, 3))
    values = of("nodes", bonds(points), distance=0.1, radius=0.03, edge=0.0, factor=5.0, seed=2)
    share = 4 / 3 * np.pi * 0.03**3 / 0.1**3  # balls overlap a little
    assert (values == 5.0).mean() == pytest.approx(share, rel=0.15)
    other = of("nodes", bonds(points), distance=0.1, radius=0.03, edge=0.0, factor=5.0, seed=3)
    assert not np.array_equal(values, other)


def test_seams_are_weak_where_cells_lie_in_different_bands():
    # Four bands of 0.125 along z: seams at -0.125, 0 and 0.125. Cells of height 0.1.
    sample = bonds(column([-0.2, -0.12, -0.06, 0.03, 0.19]))
    seams = {"count": 4, "low": 0.2, "high": 0.9}
    assert of("bands", sample, **seams).tolist() == [0.9, 0.2, 0.9, 0.2, 0.9]
    level = bonds(column([-0.2, -0.12, -0.06, 0.03, 0.19]), step=(0.1, 0.0, 0.0))
    assert of("bands", level, **seams).tolist() == [0.9] * 5
    assert of("bands", level, axis="x", **seams).tolist() == [0.2] * 5  # a seam of the four runs through the middle
    assert of("bands", sample, count=1, low=0.2, high=0.9).tolist() == [0.9] * 5


def test_upright_faces_between_cells_of_other_heights_are_no_seams():
    # All five pairs of cells lie in different bands; the normals of their faces are tilted against the axis.
    tilt = np.radians([0.0, 59.0, 61.0, 90.0, 180.0])
    normal = np.stack([np.sin(tilt), np.zeros(5), np.cos(tilt)], axis=1)
    sample = replace(bonds(column(5 * [0.125])), normal=normal)
    assert of("bands", sample, count=4, low=0.2, high=0.9).tolist() == [0.2, 0.2, 0.9, 0.9, 0.2]


def test_seams_can_be_soft():
    level = bonds(column([-0.2, -0.125, -0.1171875, -0.109375, -0.0625]), step=(0.1, 0.0, 0.0))
    # Half of the edge is 1/8 of a band of 0.125: 0.015625; half of that way is half of the strength.
    soft = of("bands", level, count=4, edge=0.25, low=0.2, high=1.0)
    np.testing.assert_allclose(soft, [1.0, 0.2, 0.6, 1.0, 1.0], atol=1e-12)
    sharp = of("bands", bonds(column([-0.12])), count=4, edge=0.25, low=0.2, high=1.0)
    assert sharp.tolist() == [0.2], "what a seam parts is weak, near to it or not"


def test_layers_alternate():
    middle = np.arange(8) * 0.0625 - 0.25 + 0.03125
    level = bonds(column(middle), step=(0.1, 0.0, 0.0))
    layers = of("bands", level, style="layers", count=8, low=0.2, high=0.9)
    assert layers.tolist() == [0.9, 0.2] * 4
    soft = of("bands", level, style="layers", count=8, edge=1.0, low=0.2, high=0.9)
    np.testing.assert_allclose(soft, [0.9, 0.2] * 4, atol=1e-12)  # right in the middle of each
    border = bonds(column([-0.25, 0.0, 0.0625]), step=(0.1, 0.0, 0.0))
    soft = of("bands", border, style="layers", count=8, edge=0.5, low=0.2, high=0.9)
    np.testing.assert_allclose(soft, [0.9, 0.55, 0.55], atol=1e-12)  # the foot is no border


def test_bands_along_the_longest_side():
    sample = bonds([[0.0, 0.0, 0.0]], step=(0.1, 0.0, 0.0), extent=(0.9, 0.3, 0.3))
    assert of("bands", sample, axis="longest", count=2).tolist() == [0.2]


def test_paint_runs_from_low_to_high():
    sample = bonds(np.zeros((5, 3)), painted={("image", "Map"): np.array([-1.0, 0.0, 0.25, 1.0, 7.0])})
    painted = {"source": "image", "name": "Map", "low": 0.2, "high": 1.0}
    np.testing.assert_allclose(of("painted", sample, **painted), [0.2, 0.2, 0.4, 1.0, 1.0], rtol=1e-15)
    with pytest.raises(InputError, match='no paint "Mop"'):
        of("painted", sample, **{**painted, "name": "Mop"})


def test_prestress_is_balanced_across_a_wall():
    # The integral of 1 - 3 u^2 over -1..1 is 0: by the rule of Gauss with three points, exact for squares.
    u, w = np.polynomial.legendre.leggauss(3)
    sample = bonds(np.zeros((3, 3)), step=(0.1, 0.0, 0.0), depth=1.0 - np.abs(u))
    values = of("prestress", sample, tension=50.0)
    assert (w * values).sum() == pytest.approx(0.0, abs=1e-8 * 50e6)
    ends = bonds(np.zeros((2, 3)), step=(0.1, 0.0, 0.0), depth=np.array([0.0, 1.0]))
    assert of("prestress", ends, tension=50.0).tolist() == [-100e6, 50e6]
    # Over the section of a rod: the integral of (1 - 2 u^2) u over 0..1.
    t, w = 0.5 * (u + 1.0), 0.5 * w
    values = of("prestress", bonds(np.zeros((3, 3)), step=(0.1, 0, 0), depth=1.0 - t), tension=50.0, shape="rod")
    assert (w * t * values).sum() == pytest.approx(0.0, abs=1e-8 * 50e6)


def test_prestress_acts_along_the_skin_only():
    turned = bonds(np.zeros((3, 3)), step=[[0.1, 0.0, 0.0], [0.0, 0.0, 0.1], [0.1, 0.0, 0.1]])
    np.testing.assert_allclose(of("prestress", turned, tension=50.0), [50e6, 0.0, 25e6], atol=1e-6)


def test_grain_follows_hankinson():
    turned = bonds(np.zeros((3, 3)), step=[[0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.1, 0.1, 0.0]])
    # P Q / (P sin^2 + Q cos^2): P across the fibres, Q along them, 2 P Q / (P + Q) at 45 degrees.
    values = of("grain", turned, direction=(2.0, 0.0, 0.0), cut=1.0, split=0.1)
    np.testing.assert_allclose(values, [1.0, 0.1, 0.2 / 1.1], rtol=1e-12)
    along_y = bonds(np.zeros((1, 3)), step=(0.0, 0.1, 0.0), extent=(0.2, 0.9, 0.2))
    np.testing.assert_allclose(of("grain", along_y), [1.0], rtol=1e-12)
