"""Fewer keys: what is left gives the whole bake back, and nothing that rests moves by a bit."""

import bpy
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.geometry.mesh import diagonal
from tests.blender.halves import broken_in_two
from tests.blender.pieces import pieces_of

pytestmark = pytest.mark.blender

START = 10
SIZE = 3.0
#: What Reduce Keys promises: a millionth of the size, and of a unit quaternion.
TOLERANCE = 1e-6


@pytest.fixture
def keys(module):
    return module("operators.bridge.keys")


def interpolated(values, keyed):
    """(K,7,S) what linear interpolation between the keys gives, in double precision."""
    frames = np.arange(values.shape[2])
    rows = [np.interp(frames, frames[mask], row[mask]) for row, mask in zip(flat(values), flat(keyed), strict=True)]
    return np.array(rows).reshape(values.shape)


def flat(values):
    return values.reshape(-1, values.shape[2])


def flights(seed, count, frames):
    """Locations (K,S,3) and unit quaternions (S,K,4) of pieces that fall, turn, bounce and come to rest."""
    rng = np.random.default_rng(seed)
    time = np.arange(frames)[:, None, None] / 24.0
    stop = rng.integers(0, frames, count)
    velocity, spin = rng.normal(0.0, 3.0, (count, 3)), rng.normal(0.0, 4.0, (count, 3))
    velocity[: count // 3, :2], spin[: count // 4] = 0.0, 0.0
    location = rng.normal(0.0, 2.0, (count, 3)) + time * velocity
    location[..., 2] = np.abs(location[..., 2] - 4.9 * time[..., 0] ** 2)
    angle = np.linalg.norm(spin, axis=1) * time[..., 0]
    axis = spin / np.maximum(np.linalg.norm(spin, axis=1), 1e-9)[:, None]
    rotation = np.concatenate([np.cos(angle / 2)[..., None], np.sin(angle / 2)[..., None] * axis], axis=2)
    held = np.minimum(np.arange(frames)[:, None], stop)
    columns = np.arange(count)
    return location[held, columns].transpose(1, 0, 2), rotation[held, columns]


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), count=st.integers(1, 12), frames=st.integers(1, 60))
def test_the_keys_give_every_frame_back(extension, seed, count, frames):
    from bl_ext.dev.brittle.operators.bridge import keys

    location, rotation = flights(seed, count, frames)
    rng = np.random.default_rng(seed)
    birth = rng.integers(0, frames, count)
    death = rng.integers(birth + 1, frames + 1)
    values = keys.channels(location, rotation)
    keyed = keys.needed(values, birth, death, SIZE)
    alive = keys.lifetimes(birth, death, frames)
    assert not np.any(keyed & ~alive[:, None])
    assert np.all(keyed[np.arange(count), :, birth]) and np.all(keyed[np.arange(count), :, death - 1])
    off = np.abs(interpolated(values, keyed) - values) * alive[:, None]
    assert off[:, :3].max() <= TOLERANCE * SIZE
    assert off[:, 3:].max() <= TOLERANCE
    still = np.all(values[:, :, 1:] == values[:, :, :-1], axis=1) & alive[:, 1:] & alive[:, :-1]
    assert np.all(off[:, :, 1:][np.repeat(still[:, None], 7, axis=1)] == 0.0)


def test_a_rest_keeps_the_keys_at_its_ends(keys):
    location, rotation = np.zeros((1, 20, 3)), np.zeros((20, 1, 4))
    rotation[..., 0] = 1.0
    location[0, :, 0] = [*np.arange(5.0) ** 2, *[16.0] * 10, *(16.0 + np.arange(1, 6) ** 2)]
    values = keys.channels(location, rotation)
    keyed = keys.needed(values, np.array([0]), np.array([20]), SIZE)[0]
    assert np.flatnonzero(keyed[0]).tolist() == [0, 1, 2, 3, 4, 14, 15, 16, 17, 18, 19]
    for channel in keyed[1:]:  # nothing to say but where the rest is
        assert np.flatnonzero(channel).tolist() == [0, 4, 14, 19]


def test_a_piece_that_never_moves_has_two_keys_and_one_of_a_single_frame_has_one(keys):
    values = keys.channels(np.ones((2, 30, 3)), np.full((30, 2, 4), 0.5))
    keyed = keys.needed(values, np.array([0, 7]), np.array([30, 8]), SIZE)
    assert keyed[0].sum(axis=1).tolist() == [2] * 7
    assert np.flatnonzero(keyed[1, 0]).tolist() == [7]


def test_a_straight_flight_has_two_keys_and_a_fall_has_all(keys):
    time = np.arange(25) / 24.0
    location = np.stack([2.0 * time, np.zeros(25), -4.9 * time**2], axis=1)[None]
    rotation = np.tile([1.0, 0.0, 0.0, 0.0], (25, 1, 1))
    keyed = keys.needed(keys.channels(location, rotation), np.array([0]), np.array([25]), SIZE)[0]
    assert keyed.sum(axis=1).tolist() == [2, 2, 25, 2, 2, 2, 2]


def test_what_lies_far_away_keeps_its_keys(keys):
    """There 32 bits are coarser than a millionth of the size: nothing is left out but what is the same."""
    time = np.arange(25) / 24.0
    location = 1e3 + np.stack([0.5 * time, 0.0 * time, 0.0 * time], axis=1)[None]
    rotation = np.tile([1.0, 0.0, 0.0, 0.0], (25, 1, 1))
    values = keys.channels(location, rotation)
    keyed = keys.needed(values, np.array([0]), np.array([25]), SIZE)
    assert np.abs(interpolated(values, keyed) - values).max() <= 1e-9


# In Blender.


def curves(obj):
    animation = obj.animation_data
    bag = animation.action.layers[0].strips[0].channelbag(animation.action_slot)
    return {(curve.data_path, curve.array_index): curve for curve in bag.fcurves}


def baked(collection, frames):
    """{fragment: (7, S)} values of the curves of each fragment at whole frames."""
    result = {}
    for item in pieces_of(collection):
        found = curves(item)
        paths = [("location", i) for i in range(3)] + [("rotation_quaternion", i) for i in range(4)]
        result[item.name] = np.array([[found[path].evaluate(frame) for frame in frames] for path in paths])
    return result


def keys_of(collection):
    return sum(len(curve.keyframe_points) for item in pieces_of(collection) for curve in curves(item).values())


def test_evaluated_at_every_frame_the_curves_give_the_full_bake(cube):
    scene = bpy.context.scene
    scene.brittle.frames = 80
    frames = range(1, 81)
    scene.brittle.reduce_keys = False
    bpy.ops.brittle.shatter()
    full, count = baked(bpy.data.collections["Cube Fragments"], frames), keys_of(bpy.data.collections["Cube Fragments"])
    scene.brittle.reduce_keys = True
    bpy.ops.brittle.shatter()
    reduced = baked(bpy.data.collections["Cube Fragments"], frames)
    assert keys_of(bpy.data.collections["Cube Fragments"]) < 0.8 * count
    size = diagonal(np.array([vertex.co for vertex in cube.data.vertices]))
    assert full.keys() == reduced.keys()
    for name, values in full.items():
        off = np.abs(reduced[name] - values)
        assert off[:3].max() <= TOLERANCE * size and off[3:].max() <= TOLERANCE, name
        still = np.all(values[:, 1:] == values[:, :-1], axis=0)
        assert np.all(off[:, 1:][:, still] == 0.0), name
        assert np.all(np.einsum("is,is->s", values[3:, 1:], values[3:, :-1]) > 0.0), "sign-continuous"
        norms = np.linalg.norm(reduced[name][3:], axis=0)
        assert np.allclose(norms, 1.0, atol=4 * TOLERANCE), "unit quaternions"


def test_without_the_option_every_frame_has_a_key(cube):
    bpy.context.scene.brittle.reduce_keys = False
    bpy.ops.brittle.shatter()
    for item in pieces_of(bpy.data.collections["Cube Fragments"]):
        for (path, _), curve in curves(item).items():
            if not path.startswith(("hide", "scale")):
                assert [point.co[0] for point in curve.keyframe_points] == list(range(1, 11))
                assert {point.interpolation for point in curve.keyframe_points} == {"LINEAR"}


def test_steady_drift_has_keys_at_its_ends_only(module, cube):
    read, write = module("operators.bridge.read"), module("operators.bridge.write")
    reading = read.read_scene(bpy.context, cube, frames=5, ground=None)
    shattered = broken_in_two(module, reading.scene.mesh)
    collection = write.write(bpy.context, cube, reading.source, shattered, START)
    for item in pieces_of(collection):
        found = curves(item)
        assert len(found) == 12, "3 of location, 4 of rotation, 3 of scale, 2 of visibility"
        assert [point.co[0] for point in found["location", 0].keyframe_points] == [START, START + 4]
        assert len(found["rotation_quaternion", 0].keyframe_points) == 5, "it turns"
