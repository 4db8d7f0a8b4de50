"""A failure at any point of writing takes everything back."""

import inspect
import sys

import bpy
import pytest

from tests.blender.fingerprint import differences, fingerprint
from tests.blender.test_neighbours import copy_of, driven, moved


class Injected(Exception):
    """What fails in the middle of writing."""


class Calls:
    """Counts the calls of functions in the rooms that write, and fails at one of them."""

    def __init__(self, fail_at=None):
        self.count, self.fail_at, self.where = 0, fail_at, ""

    def __enter__(self):
        sys.settrace(self._called)
        return self

    def __exit__(self, *_):
        sys.settrace(None)

    def _called(self, frame, event, argument):
        if "/brittle/operators/" not in frame.f_code.co_filename:
            return
        if frame.f_code.co_name == "__exit__":
            sys.settrace(None)  # all is written: what is left is to remove what it replaces
            return
        if frame.f_code.co_flags & inspect.CO_GENERATOR or is_listening(frame):
            return  # a generator that is dropped half-way is entered once more, where no exception gets out
        self.count += 1
        if self.count == self.fail_at:
            sys.settrace(None)
            self.where = f"{frame.f_code.co_filename}: {frame.f_code.co_name}"
            raise Injected(self.where)


def is_listening(frame):
    """Whether Blender called, because a setting has changed: it lets no exception through."""
    while frame is not None and frame.f_code.co_qualname != "telling.<locals>.update":
        frame = frame.f_back
    return frame is not None


def prepare(cube):
    """Something of everything that writing touches: a shared Action, drivers, materials, a parent, an earlier break."""
    cube.brittle.voronoi.count = 3
    bpy.context.scene.brittle.frames = 3
    material = bpy.data.materials.new("Marble")
    material.use_nodes = True
    nodes = material.node_tree
    coordinates = nodes.nodes.new("ShaderNodeTexCoord")
    nodes.links.new(coordinates.outputs["Object"], nodes.nodes["Principled BSDF"].inputs["Base Color"])
    cube.data.materials.append(material)
    moved(cube)
    driven(cube, "SCRIPTED")
    copy_of(cube)


@pytest.fixture
def run(module):
    """Runs a job to its end at once."""
    return module("core.stepwise").result_of


@pytest.mark.parametrize("again", [False, True], ids=["first", "again"])
def test_a_failure_at_any_call_leaves_every_bit(cube, module, run, again):
    shatter = module("operators.shatter")
    prepare(cube)
    request = shatter.Request(seed=2, preset="Clay", count=3)
    ready = run(shatter.steps(bpy.context, [cube], request))
    run(
        shatter.commit_steps(bpy.context, ready)
    )  # compiles what writing needs: that takes minutes where each call is looked at
    bpy.ops.brittle.restore()
    with Calls() as calls:
        run(shatter.commit_steps(bpy.context, ready))
    if not again:
        bpy.ops.brittle.restore()
    cube.brittle.seed = 7
    before = fingerprint()
    assert calls.count > 100
    for at in range(1, calls.count, calls.count // 10):
        with Calls(at) as failing, pytest.raises(Injected, match="brittle"):
            run(shatter.commit_steps(bpy.context, ready))
        lines = differences(before, fingerprint())
        assert not lines, "\n".join([failing.where, *lines[:20]])
    run(shatter.commit_steps(bpy.context, ready))
    assert cube.brittle.seed == 2


@pytest.mark.parametrize("again", [False, True], ids=["first", "again"])
def test_a_stop_between_any_two_steps_of_writing_leaves_every_bit(cube, module, run, again):
    shatter = module("operators.shatter")
    prepare(cube)
    request = shatter.Request(seed=2, preset="Clay", count=3)
    ready = run(shatter.steps(bpy.context, [cube], request))
    if again:
        run(shatter.commit_steps(bpy.context, ready))
    cube.brittle.seed = 7
    before, at = fingerprint(), 0
    while at >= 0:
        writing = shatter.commit_steps(bpy.context, ready)
        at += 1
        for _ in range(at):
            if next(writing, None) is None:
                at = -1  # it has come to its end
                break
        writing.close()
        if at > 0:
            lines = differences(before, fingerprint())
            assert not lines, "\n".join([str(at), *lines[:20]])
    assert cube.brittle.seed == 2


def test_of_several_objects_all_are_broken_or_none(cube, make_cube, module, run):
    shatter = module("operators.shatter")
    other = make_cube("Other")
    ready = run(shatter.steps(bpy.context, [cube, other], shatter.Request(count=3)))
    before = fingerprint()
    writing, made = shatter.writing, []

    def once(*arguments, **how):
        if made:
            raise Injected
        made.append((yield from writing(*arguments, **how)))
        return made[0]

    shatter.writing = once
    try:
        with pytest.raises(Injected):
            run(shatter.commit_steps(bpy.context, ready))
    finally:
        shatter.writing = writing
    assert made and not differences(before, fingerprint())
