"""Tetrahedra of the optional mesher: every face of the mesh kept, and any failure of it is a note, not an error."""

import dataclasses
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from core.cutting.cut import cut
from core.cutting.retry import cut_with_retry
from core.geometry.mesh import volume
from core.pieces.tetrahedra import TetrahedraParams, build
from core.pieces.tetrahedra.mesher import constrained
from core.types import Body, Partition
from tests import shapes

BY_MESHER = TetrahedraParams(corners="mesh", inside=0.5, mesher="auto")
WITHOUT = dataclasses.replace(BY_MESHER, mesher="delaunay")
BODY = shapes.torus(0.5, 0.2, 16, 8)


def same(one: Partition, other: Partition) -> bool:
    return all(np.array_equal(getattr(one, f.name), getattr(other, f.name)) for f in dataclasses.fields(Partition))


@pytest.mark.parametrize(
    "body",
    [BODY, shapes.wine_glass(16), shapes.hollow_box(), shapes.two_boxes()],
    ids=["torus", "glass", "hollow", "two"],
)
def test_faces_of_the_mesh_are_kept_and_no_part_of_the_body_is_dropped(body: Body) -> None:
    pytest.importorskip("tetgen")
    partition = build(body, (), BY_MESHER, 1, 0)
    assert partition.notes == ()
    cells = cut(body, partition)
    # Each corner is moved outwards, so the faces of the mesh lie around the body: all of it is in pieces.
    assert not partition.dropped[cells.region].any()
    assert partition.dropped.any()
    assert cells.volume.sum() == pytest.approx(volume(body.vertices, body.triangles), rel=1e-9)
    assert same(partition, build(body, (), BY_MESHER, 1, 0))


def test_each_triangle_of_a_surface_is_a_face() -> None:
    pytest.importorskip("tetgen")
    body = shapes.wine_glass(16)
    made = constrained(body.vertices, body.triangles, np.zeros((0, 3)))
    faces = {tuple(sorted(t[[i for i in range(4) if i != k]].tolist())) for t in made.corners for k in range(4)}
    assert {tuple(sorted(t)) for t in body.triangles.tolist()} <= faces
    for t, row in enumerate(made.neighbours):
        for n in row[row >= 0]:
            assert t in made.neighbours[n] and len(set(made.corners[t]) & set(made.corners[n])) == 3


class StandIn:
    """A mesher that answers with what it is told to."""

    def __init__(self, points: np.ndarray, faces: np.ndarray) -> None:
        self.points = points

    def tetrahedralize(self, **switches: object) -> tuple[np.ndarray, np.ndarray]:
        raise RuntimeError("self-intersection")


class Moving(StandIn):
    def tetrahedralize(self, **switches: object) -> tuple[np.ndarray, np.ndarray]:
        return self.points + 1.0, np.array([[0, 1, 2, 3]], np.int32)


class Losing(StandIn):
    """The far tetrahedron alone is a complex, but has lost the mesh."""

    def tetrahedralize(self, **switches: object) -> tuple[np.ndarray, np.ndarray]:
        return self.points, len(self.points) - 4 + np.array([[0, 1, 2, 3]], np.int32)


class Overlapping(StandIn):
    def tetrahedralize(self, **switches: object) -> tuple[np.ndarray, np.ndarray]:
        return self.points, np.array([[0, 1, 2, 3], [0, 1, 2, 4], [0, 1, 2, 5]], np.int32)


class Torn(StandIn):
    def tetrahedralize(self, **switches: object) -> tuple[np.ndarray, np.ndarray]:
        return self.points, np.array([[0, 1, 2, 3], [4, 5, 6, 7]], np.int32)


class InsideOut(StandIn):
    """The far tetrahedron in four around a point that lies outside of it."""

    def tetrahedralize(self, **switches: object) -> tuple[np.ndarray, np.ndarray]:
        outside, far = len(self.points), len(self.points) - 4
        around = [[*(far + j for j in range(4) if j != k), outside][:: 1 if k % 2 else -1] for k in range(4)]
        return np.concatenate([self.points, [[1e3, 0.0, 0.0]]]), np.array(around, np.int32)


@pytest.mark.parametrize(
    ("stand_in", "words"),
    [
        (StandIn, "self-intersection"),
        (Moving, "points were moved"),
        (Losing, "a triangle of the mesh was lost"),
        (Overlapping, "three tetrahedra share a face"),
        (Torn, "face to face"),
        (InsideOut, "flat or inside out"),
    ],
)
def test_any_failure_falls_back_to_delaunay_and_the_report_says_so(monkeypatch, stand_in, words) -> None:
    monkeypatch.setitem(sys.modules, "tetgen", SimpleNamespace(TetGen=stand_in))
    partition = build(BODY, (), BY_MESHER, 1, 0)
    assert same(dataclasses.replace(partition, notes=()), build(BODY, (), WITHOUT, 1, 0))
    cells, notes = cut_with_retry(BODY, lambda attempt: build(BODY, (), BY_MESHER, 1, attempt))
    assert len(cells.volume) > 1 and notes[0] == partition.notes[0] and words in notes[0]


def test_without_the_mesher_nothing_is_said(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "tetgen", None)  # an import of it raises ImportError
    assert same(build(BODY, (), BY_MESHER, 1, 0), build(BODY, (), WITHOUT, 1, 0))


def test_a_switch_forbids_the_mesher(monkeypatch) -> None:
    class Never:
        def __init__(self, *arguments: object) -> None:
            raise AssertionError("the mesher was asked")

    monkeypatch.setitem(sys.modules, "tetgen", SimpleNamespace(TetGen=Never))
    assert build(BODY, (), WITHOUT, 1, 0).notes == ()
