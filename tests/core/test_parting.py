"""What is said where a blow has hardly an effect: within a second, in diagonals of the object."""

from types import SimpleNamespace

import numpy as np
import pytest

from core.parting import DISTANCE, parted, unbent, unseen
from core.types import VertexTrack

SIZE, FRAMES = 2.0, 25


def flying(*ways):
    """Four pieces of one object that go so far [m] within 24 frames, of 25 that are stored, and the break of them."""
    motion = SimpleNamespace(time=np.arange(FRAMES) / 24.0, position=np.zeros((FRAMES, len(ways), 3)))
    motion.position[..., 0] = np.linspace(0.0, 1.0, FRAMES)[:, None] * ways
    ends = np.full(len(ways), FRAMES)
    return SimpleNamespace(birth=np.zeros(len(ways), np.int64), death=ends), motion


def test_what_all_pieces_have_in_common_is_no_parting():
    assert parted(*flying(1.0, 1.0, 1.0, 1.0), SIZE) == 0.0
    assert parted(*flying(0.0, 0.0, 0.0, 1.0), SIZE) == 0.25


@pytest.mark.parametrize(("way", "said"), [(0.99, True), (1.01, False)])
def test_pieces_that_hardly_part_get_a_sentence(way, said):
    told = unseen(*flying(0.0, 0.0, 0.0, way * DISTANCE * SIZE), SIZE, 5.0)
    assert bool(told) == said
    assert all("4 pieces hold each other up" in text and "5 m/s" in text for text in told)


@pytest.mark.parametrize(("way", "said"), [(0.99, True), (1.01, False)])
def test_what_hardly_bends_gets_a_sentence(way, said):
    """One vertex of a fragment of three moves, in one frame, by so many hundredths of the object."""
    fragments = SimpleNamespace(vertex_start=np.array([0, 3]), vertices=np.eye(3))
    moved = np.repeat(np.eye(3)[None], 5, axis=0)
    moved[2, 1, 2] += way * DISTANCE * SIZE
    told = unbent(fragments, flying(0.0)[1], [VertexTrack(0, 1, moved)], SIZE, 5.0)
    assert bool(told) == said
    assert all("It held" in text and "5 m/s" in text for text in told)


def test_nothing_is_said_of_what_is_too_short_to_tell():
    fracture, motion = flying(0.0, 0.0)
    short = SimpleNamespace(time=motion.time[:5], position=motion.position[:5])
    assert unseen(fracture, motion, SIZE, 5.0) and not unseen(fracture, short, SIZE, 5.0)
