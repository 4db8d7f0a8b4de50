"""Quality decides how finely broken faces are made, and nothing else: what breaks, what it weighs, how it moves."""

import json
from dataclasses import replace

import numpy as np
import pytest

from core import presets
from core.breaking import RULES
from core.config.params import from_mapping
from core.errors import InputError
from core.fragments.build import are_closed
from core.geometry.mesh import volume
from core.pieces import PARTITIONS
from core.pipeline import Shattered, shatter
from core.remake import remake_steps
from core.settings import Settings
from core.simulation.cut_history import from_plain, to_plain
from core.stepwise import result_of
from core.types import Clock, Ground, Impact, Mesh, Scene
from tests import shapes
from tests.architecture.source import ROOT
from tests.verification.fracture_scenes import broken, item
from tests.verification.fracture_scenes import settings as breaking_settings
from tests.verification.test_look import pot

QUALITIES = ("preview", "final")
BLOCK = shapes.box((-0.2, -0.1, 0.0), (0.2, 0.1, 0.2))
#: Presets that roughen, by both rules, on solids and on walls; the last pattern is bent around a vessel.
CASES = {
    "clay": ("Clay", BLOCK, {}),
    "concrete": ("Concrete", BLOCK, {}),
    "stone by forces": ("Stone (Lattice)", BLOCK, {}),
    "wood": ("Wood", shapes.box((-0.6, -0.06, -0.0125), (0.6, 0.06, 0.0125)), {}),
    "pane, roughened": ("Window Pane", pot(), {"octaves": 2}),
}
#: Cases without motion: concave pieces of many faces take long to shape.
STILL = ("pane, roughened",)


def given(name: str, quality: str) -> tuple[Scene, Settings]:
    preset, body, surface = CASES[name]
    chosen = presets.find(preset, [ROOT / "presets/brittle"])
    settings = Settings(
        3,
        chosen.pieces,
        from_mapping(PARTITIONS[chosen.pieces].params, {**chosen.pieces_params, "count": 24}),
        chosen.breaking,
        from_mapping(RULES[chosen.breaking].params, chosen.breaking_params),
        chosen.material,
        fields=chosen.fields,
        surface=replace(chosen.surface, quality=quality, **surface),
    )
    low, high = body.vertices.min(axis=0), body.vertices.max(axis=0)
    hit = Impact(np.array([0.0, low[1], high[2]]), np.array([0.0, 0.9, -0.44]), 1.0, 5.0, 0.0, 0.0)
    mesh = Mesh("Thing", body.vertices, body.triangles)
    if name in STILL:
        settings = replace(settings, motion="still", motion_params=None)
    return Scene(mesh, (hit,), np.array([0.0, 0.0, -9.81]), Ground(float(low[2])), Clock(24.0, 5)), settings


def assert_made_again(before: Shattered, scene: Scene, settings: Settings, result: Shattered) -> None:
    """What a run with other settings made is what its history makes with these, bit by bit, through a file."""
    history = from_plain(json.loads(json.dumps(to_plain(before.history))))
    made = result_of(remake_steps(scene, settings, history))
    for name in type(made.fragments).__slots__:
        np.testing.assert_array_equal(getattr(made.fragments, name), getattr(result.fragments, name), name)
    for name in ("vertices", "triangles", "source", "weight", "made", "polygon"):
        np.testing.assert_array_equal(getattr(made.body, name), getattr(result.body, name), name)


def assert_same_but_for_the_faces(preview: Shattered, final: Shattered) -> None:
    for name in type(preview.fracture).__slots__:
        if name != "cells":
            np.testing.assert_array_equal(getattr(preview.fracture, name), getattr(final.fracture, name), name)
    for name in type(preview.motion).__slots__:
        np.testing.assert_array_equal(getattr(preview.motion, name), getattr(final.motion, name), name)
    for name in ("mass", "centre", "inertia"):
        one, other = getattr(preview.fragments, name), getattr(final.fragments, name)
        np.testing.assert_array_equal(one, other, name)
    assert len(final.fragments.face_triangle) > 1.5 * len(preview.fragments.face_triangle)


def assert_nothing_is_lost(result: Shattered, whole: float) -> None:
    """Meshes are closed and fill the body at every frame, and the matter that moves is all of it."""
    fragments, alive = result.fragments, result.motion.alive
    assert are_closed(fragments).all()
    np.testing.assert_allclose(alive @ fragments.volume, whole, rtol=1e-9)
    np.testing.assert_allclose(alive @ fragments.mass, fragments.mass[alive[-1]].sum(), rtol=1e-9)


@pytest.mark.parametrize("name", CASES)
def test_quality_changes_nothing_but_the_faces(name):
    made = {quality: shatter(*given(name, quality)) for quality in QUALITIES}
    assert_same_but_for_the_faces(*made.values())
    for quality in QUALITIES:
        assert_made_again(made["preview"], *given(name, quality), made[quality])
    body = CASES[name][1]
    for result in made.values():
        assert result.diagram.rough is not None and result.report.pieces > 3
        assert_nothing_is_lost(result, volume(body.vertices, body.triangles))


def test_pieces_that_are_cut_anew_are_the_same_in_both_qualities():
    """What they are cut from is plain, too; what is seen of them is cut from what was seen of them before."""
    side = 0.3
    cube = shapes.box(np.full(3, -0.5 * side), np.full(3, 0.5 * side))
    chosen = breaking_settings(
        layout={"kind": "uniform", "count": 8}, how={"reach": 0.0}, speed=1.0, cooldown=0.0, smallest=0.02
    )
    made, gone_in = [], []
    for quality in QUALITIES:
        surface = replace(chosen.surface, octaves=2, quality=quality)
        falls = item(
            "Cube",
            cube,
            replace(chosen, surface=surface),
            (0.0, 0.0, 0.6),
            clock=Clock(24.0, 12),
            velocity=np.array([0.0, 0.0, -3.0]),
        )
        gone_in.append(falls)
        made += broken(falls)
    assert_same_but_for_the_faces(*made)
    assert len(made[0].fracture.cells) > 2, "pieces were cut anew"
    for falls, result in zip(gone_in, made, strict=True):
        assert_made_again(made[0], falls.scene, falls.settings, result)
    other = replace(falls.settings, pieces_params=replace(falls.settings.pieces_params, count=30))
    with pytest.raises(InputError, match="'Cube', or how it is broken, has changed since"):
        result_of(remake_steps(falls.scene, other, made[0].history))
    for result in made:
        assert_nothing_is_lost(result, side**3)
