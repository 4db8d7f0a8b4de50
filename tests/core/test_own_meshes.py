"""An artist's own meshes as the pattern, through the whole core: Shatter, Simulate, pieces that are cut anew."""

from dataclasses import replace

import numpy as np
import pytest

from core.breaking import RULES
from core.config.material import Material
from core.config.surface import Surface
from core.diagram import diagram_key, make_diagram
from core.errors import InputError
from core.own_meshes import ignored_setting_notes
from core.pieces import PARTITIONS
from core.pieces.patterns.own import make_own_pattern
from core.pipeline import shatter
from core.settings import Settings
from core.types import Clock, Impact, Mesh, Scene
from tests import shapes
from tests.core.cutting.own_pattern.meshes import CUBE, box, interlocking, octants, pieces
from tests.verification import fracture_scenes
from tests.verification.fracture_scenes import broken, item

THIRDS = np.array(list(np.ndindex(3, 3, 3)), np.float64)
SHARDS = make_own_pattern(pieces(CUBE, 16, 1))
BALL = shapes.icosphere(2, 0.5)
HIT = Impact(np.array((0.0, 0.1, 0.5)), np.array((0.0, 0.0, -1.0)), 1.0, 2.0, 0.1, 0.0)
SCENE = Scene(Mesh("Ball", BALL.vertices, BALL.triangles), (HIT,), np.zeros(3), None, Clock(24.0, 3))


def settings(own=SHARDS, kind="own", **surface) -> Settings:
    params = PARTITIONS["pattern"].params(kind=kind)
    rule = RULES["placed_pattern"].params(reach=0.0)
    look = replace(Surface(), **surface)
    return Settings(3, "pattern", params, "placed_pattern", rule, Material(), surface=look, own=own)


def test_shatter_cuts_with_the_meshes():
    made = shatter(SCENE, settings())
    assert made.report.pieces == made.report.closed_pieces == int(made.diagram.cells.unit.max()) + 1 > 5
    assert set(made.diagram.cells.region.tolist()) <= set(range(16))
    assert made.report.volume_out == pytest.approx(made.report.volume_in, rel=1e-9)
    assert made.report.counted == () and made.report.asked == made.report.pattern, "nobody asked for a number"
    again = shatter(SCENE, settings())
    np.testing.assert_array_equal(made.fragments.vertices, again.fragments.vertices)
    np.testing.assert_array_equal(made.motion.position, again.motion.position)


def test_a_centre_on_a_side_brings_all_of_the_pattern_into_what_is_hit_there():
    """27 small cubes, blows from above: the axis goes from the marked side inwards, and down into the object."""
    thirds = [box(str(k), *(tuple((corner + e) / 1.5 - 1.0) for e in (0, 1))) for k, corner in enumerate(THIRDS)]
    own = make_own_pattern(thirds, centre=np.array((0.0, 0.0, -1.0)))
    body = shapes.box(np.full(3, -0.5), np.full(3, 0.5))
    hit = replace(HIT, point=np.array((0.0, 0.0, 0.5)))
    cells = make_diagram(body, (hit,), settings(own=own))[0].cells
    assert set(cells.region.tolist()) == set(range(27))
    first = cells.region == int(np.flatnonzero((THIRDS == (1, 1, 0)).all(axis=1))[0])
    assert cells.centroid[first, 2].max() > 0.2, "what is at the mark is at the hit"


def test_other_meshes_are_cut_anew_and_equal_ones_are_not():
    def key(**how):
        return diagram_key(BALL, (HIT,), settings(**how))

    assert key() == key(own=make_own_pattern(pieces(CUBE, 16, 1)))
    moved = pieces(CUBE, 16, 1)
    moved[0] = (moved[0][0], moved[0][1] + 1e-3, moved[0][2])
    others = [
        make_own_pattern(moved),
        make_own_pattern(octants()),
        make_own_pattern(pieces(CUBE, 16, 1), centre=np.array((0.1, 0.0, 0.0))),
    ]
    assert len({key(), *(key(own=own) for own in others)}) == 4
    assert key(kind="uniform") == key(kind="uniform", own=others[0]), "they count for their own kind only"
    assert make_diagram(BALL, (HIT,), settings(), lambda key: None)[0].key == key()


@pytest.mark.parametrize(
    ("surface", "sentence"),
    [
        ({"octaves": 3}, "Broken faces are as your own meshes have them"),
        ({"cutter": "level_set"}, "cut exactly, not on a grid"),
        ({"wrap": "sphere"}, "cut straight: Wrap"),
    ],
)
def test_what_does_not_count_for_meshes_is_said(surface, sentence):
    plain, notes = make_diagram(BALL, (HIT,), settings())
    other, more = make_diagram(BALL, (HIT,), settings(**surface))
    assert notes == () and len(more) == 1 and sentence in more[0]
    np.testing.assert_array_equal(plain.cells.vertices, other.cells.vertices)
    made = shatter(SCENE, settings(**surface))
    assert more[0] in made.report.repaired


def test_a_completed_gap_is_in_the_report():
    made = shatter(SCENE, settings(own=make_own_pattern(octants()[1:])))
    assert any(note.startswith("Gaps in the pattern (") for note in made.report.repaired)


def test_without_meshes_it_says_what_to_choose():
    for work in (lambda: shatter(SCENE, settings(own=None)), lambda: ignored_setting_notes(settings(own=None))):
        with pytest.raises(InputError, match="choose a collection of closed meshes"):
            work()
    params = settings().pieces_params
    with pytest.raises(InputError, match="no partition"):
        PARTITIONS["pattern"].run(BALL, (HIT,), params, 1, 0)


def thrown(own, **how):
    """A cube that is thrown at the ground; `how` are values of Breakable."""
    body = shapes.box(np.full(3, -0.15), np.full(3, 0.15))
    chosen = fracture_scenes.settings(layout={"kind": "own"}, how={"reach": 0.0}, speed=1.0, cooldown=0.0, **how)
    chosen = replace(chosen, own=own)
    down = {"velocity": np.array([0.0, 0.0, -3.0]), "clock": Clock(24.0, 12)}
    return broken(item("Cube", body, chosen, (0.01, 0.02, 0.6), **down))[0]


def test_a_thrown_cube_breaks_into_the_meshes_and_its_pieces_break_again():
    made = thrown(make_own_pattern(interlocking()), smallest=0.02)
    fracture = made.fracture
    assert made.diagram is None and fracture.death[0] > 0
    assert len(fracture.cells) > 2, "pieces were cut anew"
    np.testing.assert_allclose(made.motion.alive @ made.fragments.volume, 0.3**3, rtol=1e-9)
    assert made.report.closed_pieces == made.report.pieces


def test_simulate_says_what_was_completed_and_needs_meshes():
    made = thrown(make_own_pattern(octants()[1:]), generations=1)
    assert any(note.startswith("Gaps in the pattern (") for note in made.report.repaired)
    with pytest.raises(InputError, match="choose a collection"):
        thrown(None)
