"""What nearly touches is found, however long some of it is."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.pieces.patterns.jigsaw import touching
from core.pieces.patterns.jigsaw.touching import boxes, meeting_in_blocks


@given(st.integers(0, 10_000))
def test_boxes_that_meet_are_found_whatever_their_sizes(seed: int) -> None:
    rng = np.random.default_rng(seed)

    def some(count: int) -> tuple[np.ndarray, np.ndarray]:
        size = 10.0 ** rng.uniform(-3.0, 0.5, (count, 1))
        size[rng.random(count) < 0.2] = 0.0  # points
        start = rng.uniform(-1.0, 1.0, (count, 3))
        return boxes(np.stack([start, start + size * rng.normal(size=(count, 3))], axis=1), 0.0)

    (low, high), (other_low, other_high) = some(30), some(40)
    meet = (low[:, None] <= other_high[None]) & (other_low[None] <= high[:, None])
    expected = set(zip(*(rows.tolist() for rows in np.nonzero(meet.all(axis=2))), strict=True))
    found = [np.stack(rows, axis=1) for rows in meeting_in_blocks(low, high, other_low, other_high)]
    pairs = [(row, k) for rows in found for row, k in rows.tolist()]
    assert len(pairs) == len(set(pairs)) and set(pairs) == expected


def test_many_boxes_are_swept_in_blocks(monkeypatch) -> None:
    monkeypatch.setattr(touching, "PAIRS_AT_ONCE", 7)
    test_boxes_that_meet_are_found_whatever_their_sizes()
