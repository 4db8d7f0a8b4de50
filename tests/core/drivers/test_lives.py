"""Who came from whom."""

import numpy as np

from core.drivers.lives import Lives


def test_pieces_know_their_parent_their_first_and_how_often_they_were_cut():
    lives = Lives()
    first = lives.first(0, 0, [np.array([0, 1, 2])])
    other = lives.first(1, 1, [np.array([0])])
    along = lives.succeed(int(first[0]), 0, [np.array([0]), np.array([1, 2])], 3)
    anew = lives.succeed(int(along[1]), 2, [np.array([0]), np.array([1])], 5)
    assert [lives[k].parent for k in (*first, *other, *along, *anew)] == [-1, -1, 0, 0, 3, 3]
    assert [lives[k].whole for k in (*along, *anew)] == [0, 0, 0, 0]
    assert [lives[k].generation for k in (*first, *along, *anew)] == [0, 0, 0, 1, 1]
    assert [lives[k].birth for k in (*along, *anew)] == [3, 3, 5, 5]
    assert [lives[k].death for k in range(len(lives))] == [3, -1, -1, 5, -1, -1]
    assert lives.of_thing(0) == [0, 2, 3, 4, 5] and lives.of_thing(1) == [1]
