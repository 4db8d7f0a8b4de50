"""What the impacts open, against what a run of the whole makes of them."""

import functools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core import pipeline, presets
from core.breaking import RULES
from core.config.params import from_mapping
from core.diagram import ShatterDiagram, make_diagram
from core.intake.ladder import intake
from core.pieces import PARTITIONS
from core.settings import Settings
from core.setup import resolve_impacts
from core.simulation.opening import Opening
from core.stepwise import result_of
from core.types import Body, Clock, Ground, Impact, Influence, Mesh, Scene
from tests import shapes
from tests.architecture.source import ROOT

#: Those of a continuum method have no cracks before they break.
PRESETS = [path for path in sorted((ROOT / "presets/brittle").glob("*.toml")) if presets.load(path).breaking in RULES]
#: Few pieces and one stored frame: the decision falls before anything moves.
COUNT, CLOCK = 30, Clock(24.0, 1)
HIT = Impact(np.array([-0.3, -1.0, 0.1]), np.array([0.3, 0.9, -0.25]), 0.4, 5.0, 0.0, 0.0)


@functools.cache
def cube() -> Mesh:
    body = shapes.box((-1.0, -1.0, -1.0), (1.0, 1.0, 1.0))
    return Mesh("Cube", body.vertices, body.triangles)


def settings_of(path: Path) -> Settings:
    """The settings of a preset, with few pieces and flat faces: both sides cut as they are told."""
    found = presets.load(path)
    pieces = {**found.pieces_params, "count": COUNT}
    return Settings(
        3,
        found.pieces,
        from_mapping(PARTITIONS[found.pieces].params, pieces),
        found.breaking,
        from_mapping(RULES[found.breaking].params, found.breaking_params),
        found.material,
        surface=replace(found.surface, octaves=0),
        fields=found.fields,
    )


def scene_of(*impacts: Impact, clock: Clock = CLOCK, **more) -> Scene:
    return Scene(cube(), impacts or (HIT,), np.array([0.0, 0.0, -9.81]), Ground(-1.0), clock, **more)


def cut(scene: Scene, settings: Settings) -> tuple[Body, tuple[Impact, ...], ShatterDiagram]:
    body = intake(scene.mesh, settings.repair, thin=settings.material.thin).body
    impacts = resolve_impacts(scene.impacts, body)
    return body, impacts, make_diagram(body, impacts, settings)[0]


def opened(scene: Scene, settings: Settings) -> Opening:
    return result_of(pipeline.opened(scene, settings, *cut(scene, settings)))


def as_shattered(scene: Scene, settings: Settings, opening: Opening) -> None:
    """The opening has the cracks, the fragments and their cells of a whole run, to the last one."""
    made = pipeline.shatter(scene, settings).fracture
    last = np.flatnonzero(made.death == scene.clock.frames)
    assert set(np.flatnonzero(opening.cracked)) == set(made.crack_link.tolist())
    members = [set(made.fragment_unit[made.fragment_start[k] : made.fragment_start[k + 1]].tolist()) for k in last]
    unit = made.cells[0].unit
    shown = [set(unit[opening.fragment == k].tolist()) for k in range(opening.count)]
    assert sorted(map(sorted, shown)) == sorted(map(sorted, members))


@pytest.mark.parametrize("path", PRESETS, ids=lambda path: path.stem)
def test_every_preset_opens_what_a_run_opens(path):
    settings, scene = settings_of(path), scene_of()
    opening = opened(scene, settings)
    assert opening.cracked.any() and opening.count > 1 and not opening.later
    as_shattered(scene, settings, opening)


@pytest.mark.parametrize("rule", [method.id for method in RULES])
def test_what_stands_fast_or_is_held_counts(rule):
    anchored = np.zeros((len(cube().triangles), 3))
    anchored[:2] = 1.0
    settings = replace(settings_of(PRESETS[0]), breaking=rule, breaking_params=RULES[rule].params())
    settings = replace(settings, breakable=replace(settings.breakable, stands=True))
    scene = scene_of(influence=Influence(anchored=anchored))
    as_shattered(scene, settings, opened(scene, settings))


def test_several_impacts_and_several_frames_strike_in_order():
    settings = settings_of(ROOT / "presets/brittle/concrete.toml")
    second = replace(HIT, point=np.array([0.8, 0.9, 0.2]), direction=np.array([-0.2, -1.0, 0.0]), strength=0.2)
    at_once = scene_of(HIT, second)
    as_shattered(at_once, settings, opened(at_once, settings))
    weak, clock = replace(HIT, strength=0.05), Clock(24.0, 8)
    late = scene_of(weak, replace(second, time=0.25), clock=clock)
    calm = scene_of(weak, replace(second, time=0.25, strength=0.0), clock=clock)  # of the same pieces
    one, both = opened(calm, settings), opened(late, settings)
    assert both.later and one.count < both.count and (one.cracked <= both.cracked).all()
    again = opened(late, settings)
    assert again.cracked.tobytes() == both.cracked.tobytes() and again.fragment.tobytes() == both.fragment.tobytes()


def test_without_force_nothing_opens_and_what_is_dust_has_no_fragment():
    settings = settings_of(ROOT / "presets/brittle/concrete_lattice.toml")
    calm = opened(scene_of(replace(HIT, strength=0.0)), settings)
    assert not calm.cracked.any() and calm.count == 1 and not calm.fragment.any()
    coarse = replace(settings, breaking_params=replace(settings.breaking_params, dust=0.01))
    scene = scene_of(replace(HIT, strength=1.0))
    dusty = opened(scene, coarse)
    assert (dusty.fragment < 0).any()
    as_shattered(scene, coarse, dusty)


def test_a_fragment_is_named_by_its_lowest_unit():
    settings = settings_of(ROOT / "presets/brittle/stone.toml")
    opening, unit = opened(scene_of(), settings), cut(scene_of(), settings)[2].cells.unit
    assert opening.first_unit.tolist() == [int(unit[opening.fragment == k].min()) for k in range(opening.count)]
