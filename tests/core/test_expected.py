"""What a Shatter will make of a cut: its faces exactly, its time by a formula that grows with all that takes time."""

from dataclasses import replace

import numpy as np
import pytest

from core import pipeline
from core.breaking import RULES
from core.config.material import Material
from core.diagram import make_diagram
from core.expected import MachinePace, concave_in, estimate_job, moving_seconds, writing_seconds
from core.fragments.triangulate import triangulated
from core.intake.ladder import intake
from core.pieces import PARTITIONS
from core.settings import Settings
from core.setup import resolve_impacts
from core.stepwise import result_of
from core.types import Clock, Ground, Impact, Mesh, Scene
from tests import shapes

HIT = Impact(np.array([-0.3, -1.0, 0.1]), np.array([0.3, 0.9, -0.25]), 1.0, 5.0, 0.0, 0.0)


@pytest.mark.parametrize(
    "body", [shapes.box((-1.0, -1.0, -1.0), (1.0, 1.0, 1.0)), shapes.torus()], ids=["box", "torus"]
)
def test_faces_are_those_of_the_fragments_in_the_end(body):
    settings = Settings(
        1,
        "voronoi",
        PARTITIONS["voronoi"].params(count=30),
        "impact_factor",
        RULES["impact_factor"].params(),
        Material(),
    )
    mesh = Mesh("Body", body.vertices, body.triangles)
    scene = Scene(mesh, (HIT,), np.zeros(3), Ground(-1.0), Clock(24.0, 1))
    whole = intake(mesh, settings.repair).body
    impacts = resolve_impacts(scene.impacts, whole)
    diagram, _ = make_diagram(whole, impacts, settings)
    opening = result_of(pipeline.opened(scene, settings, whole, impacts, diagram))
    made = pipeline.shatter(scene, settings)
    alive = made.fracture.death == 1
    large, small = (triangulated(made.fragments) if cut else made.fragments for cut in (False, True))
    concave = concave_in(diagram)
    assert (concave > 0) == (len(body.triangles) > 12)

    def told(opening, frames, triangles=False):
        return estimate_job(whole, diagram, opening, frames, triangles=triangles, concave=concave)

    for fragments, triangles in ((large, False), (small, True)):
        faces = int(np.diff(fragments.face_start)[alive].sum())
        assert told(opening, 120, triangles).faces == faces
    none = replace(opening, fragment=np.zeros_like(opening.fragment), first_unit=np.zeros(1, np.int64))
    assert told(opening, 1).seconds < told(none, 120).seconds < told(opening, 120).seconds


def test_time_grows_with_all_that_takes_time():
    moving = moving_seconds(100.0, 10, 120)
    assert min(moving_seconds(200.0, 10, 120), moving_seconds(100.0, 20, 120), moving_seconds(100.0, 10, 240)) > moving
    # The first second of a film takes more than any other one, and a still takes nearly nothing.
    times = [moving_seconds(100.0, 10, frames) for frames in (1, 25, 49)]
    assert times[1] - times[0] > times[2] - times[1] > 0.0
    writing = writing_seconds(1000, 20, 120)
    assert min(writing_seconds(2000, 20, 120), writing_seconds(1000, 40, 120), writing_seconds(1000, 20, 240)) > writing


def test_the_pace_of_a_machine_is_the_middle_of_what_was_seen():
    pace = MachinePace()
    assert pace.factor == 1.0
    for took in (4.0, 2.0, 30.0):
        pace.learn(took, 2.0)
    assert pace.factor == 2.0
