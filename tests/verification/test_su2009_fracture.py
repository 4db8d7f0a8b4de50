"""Su 2009, Figs. 4 to 7 and 9: a wall, a cylinder and pieces that break again, with patterns placed by the hit.

Balls are of steel and the walls stand fast, as in the paper's pictures. A wall of 150 x 10 x 100 is one of 1.5 x 0.1 x
1.0 m. Scenes UW, UR, UC and UF of docs/papers/su2009.md.
"""

import numpy as np
import pytest

from core.config.material import Material
from core.types import Clock
from tests import shapes
from tests.verification.fracture_scenes import NEVER, WALL, ball, broken, counts, first_break, item, last, settings

THICKNESS = 0.1
HITS = ((-0.4, 0.6), (0.05, 0.35), (0.45, 0.7))
SHORT = Clock(24.0, 4)
#: Nothing rubs, so that the blow runs along the normal of the wall.
SMOOTH = Material(friction=0.0)


def once(kind, count=60, reach=0.0, **more):
    """Settings of a thing that breaks once: its pieces only along cracks that they have."""
    how = {"speed": 2.0, "again": "cracks"} | more
    layout = {"kind": kind, "count": count, "twist": "locked", "size": 20.0}
    return settings(layout=layout, how={"reach": reach}, **how)


def wall_hit_at(x, z, chosen, ball_settings=None, clock=SHORT):
    wall = item("Wall", shapes.box(*WALL), chosen, clock=clock)
    return broken(wall, ball(0.08, (x, -0.2, z), (0, 10, 0), ball_settings, clock=clock))


@pytest.fixture(scope="module", params=["radial", "mixed"])
def walls(request):
    """The same wall hit in three places."""
    chosen = once(request.param, stands=True, radius=0.1, material=SMOOTH)
    return [wall_hit_at(x, z, chosen)[0] for x, z in HITS]


def densest(points, reach):
    """The one of some points (n,2) around which most of them crowd, by a bell of width `reach` [m]."""
    away = np.linalg.norm(points[:, None] - points, axis=2)
    return points[np.argmax(np.exp(-0.5 * (away / reach) ** 2).sum(axis=1))]


def test_fragments_crowd_within_a_thickness_of_each_hit(walls):
    for (x, z), wall in zip(HITS, walls, strict=True):
        centres = wall.fragments.centre[last(wall)][:, [0, 2]]
        assert first_break(wall) == 1 and len(centres) > 20
        assert np.linalg.norm(densest(centres, 0.5 * THICKNESS) - [x, z]) < THICKNESS


def test_nothing_of_a_wall_is_lost(walls):
    for wall in walls:
        assert wall.report.volume_out == pytest.approx(0.15, rel=1e-9)
        assert wall.report.closed_pieces == len(last(wall))


def test_the_pattern_is_congruent_at_each_hit(walls):
    # The smallest pieces lie near the hit, where no edge of the wall trims them. Patterns are turned by no more than
    # 1e-6 and the blow by the little that the corners of the ball make it.
    found = []
    for (x, z), wall in zip(HITS, walls, strict=True):
        rows = last(wall)
        near = rows[np.linalg.norm(wall.fragments.centre[rows][:, [0, 2]] - [x, z], axis=1) < 0.2]
        order = near[np.argsort(wall.fragments.volume[near])[:8]]
        found.append((wall.fragments.volume[order], wall.fragments.centre[order]))
    (volume, centre), *others = found
    for other, at in others:
        np.testing.assert_allclose(other, volume, rtol=1e-3)
        np.testing.assert_allclose(at - at[0], centre - centre[0], atol=1e-3)


def test_with_thresholds_swapped_the_ball_shatters():
    fragile = settings(layout={"kind": "uniform", "count": 15}, how={"reach": 0.0}, speed=1.0, again="cracks")
    wall, shot = wall_hit_at(0.0, 0.6, once("radial", stands=True, speed=NEVER), fragile)
    assert counts(wall).tolist() == [1] * SHORT.frames
    assert counts(shot)[-1] > 5 and first_break(shot) == 1
    np.testing.assert_array_equal(wall.motion.position, np.broadcast_to(wall.fragments.centre, (SHORT.frames, 1, 3)))


def test_both_may_break_in_one_blow():
    fragile = settings(layout={"kind": "uniform", "count": 15}, how={"reach": 0.0}, speed=1.0, again="cracks")
    for result in wall_hit_at(0.0, 0.6, once("radial", stands=True), fragile):
        assert first_break(result) == 1 and counts(result)[-1] > 5


def test_a_cylinder_breaks_into_about_25_pieces():
    # Fig. 5: 55 x 105 x 55, 25 pieces. Pieces are counted for a hit in the middle of a side, to a third.
    outline = np.array([[0, 0], [0.275, 0], [0.275, 1.05], [0, 1.05]])
    cylinder = item("Cylinder", shapes.revolved(outline, 24), once("radial", 25), clock=SHORT)
    result, _ = broken(cylinder, ball(0.08, (0, -0.5, 0.525), (0, 10, 0), clock=SHORT))
    assert 25 * 2 / 3 < counts(result)[-1] < 25 * 4 / 3
    assert result.report.volume_out == pytest.approx(result.report.volume_in, rel=1e-9)


def test_a_large_fragment_breaks_again_and_nothing_else():
    # Fig. 7: the lower right corner first, then what is left of the wall.
    clock = Clock(24.0, 8)
    chosen = settings(layout={"kind": "radial", "count": 40}, how={"reach": 0.3}, speed=2.0, stands=True, smallest=0.1)
    wall = item("Wall", shapes.box(*WALL), chosen, clock=clock)
    shots = [
        ball(0.08, (0.6, -0.2, 0.15), (0, 10, 0), clock=clock),
        ball(0.08, (-0.3, -1.8, 0.7), (0, 10, 0), clock=clock, name="Second"),
    ]
    result, *_ = broken(wall, *shots)
    fracture, volume = result.fracture, result.fragments.volume
    first = fracture.birth == 1
    assert first.sum() > 5
    large = np.flatnonzero(first)[np.argmax(volume[first])]
    assert volume[large] > 10 * np.median(volume[first])
    assert np.linalg.norm(result.fragments.centre[large][[0, 2]] - [0.6, 0.15]) > 0.4, "large pieces lie far away"
    again = fracture.birth > 1
    assert again.sum() > 5
    assert set(fracture.parent[again].tolist()) == {int(large)}
    assert volume[again].sum() == pytest.approx(volume[large], rel=1e-9)
