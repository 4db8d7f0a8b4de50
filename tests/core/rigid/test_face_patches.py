"""Faces divided by what lies behind them: patches fill their faces, and each has behind it what it says."""

from dataclasses import replace

import numpy as np
import pytest

from core.record_arrays import read_only_view
from core.rigid.shapes.collider_parts import make_collider_parts
from core.rigid.shapes.convex_parts import concatenate_parts
from core.rigid.solver_state import find_hidden_parts
from core.types import Mesh
from tests.concave import OBSTACLES, SHARDS
from tests.core.rigid.convexity import assert_sound, corners_of, height_over
from tests.core.rigid.parts import bodies_of, pairs_of, touched

CONCAVE = {**OBSTACLES, **SHARDS}
SOLIDS = {name: CONCAVE[name] for name in ("step", "stairs", "tub", "plinth", "cross", "house", "U", "plate", "cup")}
STEP = 1e-6  # beyond a face, in diagonals


def shapes_of(name):
    return make_collider_parts(Mesh(name, *SOLIDS[name]))


def area_of(corner, normal):
    arm = corner - corner[0]
    return 0.5 * (np.cross(arm, np.roll(arm, -1, axis=0)) @ normal).sum()


def divided(shapes):
    """Part, row of the face, and its patches as (corners, adjacent part)."""
    g = shapes.geometry
    for part, (begin, end) in enumerate(g.parts.face):
        for f in range(begin, end):
            patches = g.patches[slice(*g.faces.patch[f])]
            if len(patches):
                yield part, f, [(g.outline[slice(*one.corner)], int(one.adjacent)) for one in patches]


def corners_of_face(shapes, part, f):
    return corners_of(shapes, part)[shapes.geometry.loop[slice(*shapes.geometry.faces.loop[f])]]


@pytest.mark.parametrize("name", SOLIDS)
def test_patches_fill_their_faces_and_know_what_is_behind_them(name):
    shapes = shapes_of(name)
    g, size = shapes.geometry, np.linalg.norm(np.ptp(shapes.vertices, axis=0))
    assert_sound(shapes)
    for part, f, patches in divided(shapes):
        normal = g.faces.normal[f]
        areas = [area_of(corner, normal) for corner, _ in patches]
        # what is narrower than a thousandth of the whole is left out
        whole = corners_of_face(shapes, part, f)
        assert min(areas) > 0.0
        assert sum(areas) == pytest.approx(area_of(whole, normal), abs=0.01 * size * np.ptp(whole, axis=0).max())
        for corner, behind in patches:
            assert np.abs(corner @ normal - g.faces.offset[f]).max() < 1e-8 * size
            beyond = (corner.mean(axis=0) + STEP * size * normal)[None]
            inside = [height_over(shapes, k, beyond)[0] < 0.0 for k in range(len(g.parts))]
            assert inside[behind] if behind >= 0 else not any(inside)


@pytest.mark.parametrize("name", SOLIDS)
def test_undivided_faces_are_free_or_covered_all_over(name):
    shapes = shapes_of(name)
    g, size = shapes.geometry, np.linalg.norm(np.ptp(shapes.vertices, axis=0))
    rng = np.random.default_rng(0)
    for part, (begin, end) in enumerate(g.parts.face):
        for f in range(begin, end):
            if np.diff(g.faces.patch[f])[0] > 0:
                continue
            corner = corners_of_face(shapes, part, f)
            # not near the sides, where slivers may lie
            inner = 0.98 * rng.dirichlet(np.ones(len(corner)), 20) @ corner + 0.02 * corner.mean(axis=0)
            beyond = inner + STEP * size * g.faces.normal[f]
            some = np.min([height_over(shapes, k, beyond) for k in range(len(g.parts)) if k != part], axis=0)
            assert (some < 0.0).all() if g.faces.adjacent[f] >= 0 else (some > -1e-9 * size).all()


def test_a_wall_is_touched_above_a_ledge_and_not_behind_it():
    """A small cube beside the wall of a step: touched by the wall where that is free, by the ledge where it is not."""
    step = shapes_of("step")
    wall = int(np.argmax([corners_of(step, k)[:, 2].max() for k in range(2)]))
    cube = make_collider_parts(Mesh("cube", *CONCAVE["cube"]))
    both = concatenate_parts([step, cube])
    aside, up = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
    for height, normals in ((2.0, {wall: aside}), (0.995, {wall: aside, 1 - wall: up})):
        # two millimetres deep in the wall, five in the ledge
        bodies = bodies_of(np.tile(np.eye(3), (2, 1, 1)), [[-0.002, 0.0, height], [0.0, 0.0, 0.0]])
        pairs = pairs_of(np.array([[2, 0], [2, 1]]), np.array([[0, 1], [0, 1]]))
        touched(both, bodies, pairs, 1e-4, slop=1e-3, owner=np.array([1, 1, 0]))
        found = {int(pair.part[1]): tuple(np.round(pair.normal, 6)) for pair in pairs if pair.count > 0}
        assert found == normals


def test_a_part_is_hidden_once_all_of_its_patches_are_covered():
    shapes = shapes_of("step")
    owner = np.zeros(len(shapes.parts), np.int64)
    assert not find_hidden_parts(shapes, owner).any()
    patches = shapes.patches.copy()
    patches.adjacent[:] = 0
    faces = shapes.faces.copy()
    faces.adjacent[:] = 0
    assert find_hidden_parts(replace(shapes, faces=read_only_view(faces), patches=read_only_view(patches)), owner).all()
    assert not find_hidden_parts(
        replace(shapes, faces=read_only_view(faces), patches=read_only_view(patches)), np.arange(len(owner))
    )[1]
