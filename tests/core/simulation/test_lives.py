"""Who came from whom."""

import numpy as np

from core.simulation.fragment_tree import FragmentTree


def test_pieces_know_their_parent_their_first_and_how_often_they_were_cut():
    tree = FragmentTree()
    first = tree.first(0, 0, [np.array([0, 1, 2])])
    other = tree.first(1, 1, [np.array([0])])
    along = tree.succeed(int(first[0]), 0, [np.array([0]), np.array([1, 2])], 3)
    anew = tree.succeed(int(along[1]), 2, [np.array([0]), np.array([1])], 5)
    assert [tree[k].parent for k in (*first, *other, *along, *anew)] == [-1, -1, 0, 0, 3, 3]
    assert [tree[k].whole for k in (*along, *anew)] == [0, 0, 0, 0]
    assert [tree[k].generation for k in (*first, *along, *anew)] == [0, 0, 0, 1, 1]
    assert [tree[k].birth for k in (*along, *anew)] == [3, 3, 5, 5]
    assert [tree[k].death for k in range(len(tree))] == [3, -1, -1, 5, -1, -1]
    assert tree.of_object(0) == [0, 2, 3, 4, 5] and tree.of_object(1) == [1]
