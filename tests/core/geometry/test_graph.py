import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from core.geometry import graph
from core.geometry.graph import components, connected_labels


def partition(labels):
    """A labelling as the set of its classes, whatever their numbers are."""
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels)}


def numbered_by_first_appearance(labels):
    first = np.unique(labels, return_index=True)[1]
    return np.array_equal(np.unique(labels), np.arange(len(first))) and np.all(np.diff(first) > 0)


@st.composite
def graphs(draw):
    count = draw(st.integers(1, 30))
    nodes = st.integers(0, count - 1)
    links = np.array(draw(st.lists(st.tuples(nodes, nodes), max_size=60)), dtype=np.int64).reshape(-1, 2)
    keep = np.array(draw(st.lists(st.booleans(), min_size=len(links), max_size=len(links))), dtype=bool)
    members = np.array(draw(st.lists(nodes, unique=True)), dtype=np.int64)
    return count, links, keep, members


@given(graphs())
def test_equals_scipy_on_the_graph_of_kept_links_between_members(case):
    count, links, keep, members = case
    used = links[keep & np.isin(links, members).all(axis=1)]
    matrix = coo_matrix((np.ones(len(used)), (used[:, 0], used[:, 1])), shape=(count, count))
    expected = connected_components(matrix, directed=False)[1][members]
    labels = components(count, links, keep, members)
    assert labels.dtype == np.int64
    assert partition(labels) == partition(expected)
    assert numbered_by_first_appearance(labels)


@given(graphs(), st.randoms(use_true_random=False))
def test_labels_do_not_depend_on_the_order_or_direction_of_links(case, random):
    count, links, keep, members = case
    order = np.array(random.sample(range(len(links)), len(links)), dtype=np.int64)
    assert np.array_equal(
        components(count, links, keep, members), components(count, links[order][:, ::-1], keep[order], members)
    )


def test_labels_follow_the_order_of_members():
    links = np.array([[0, 1], [3, 4], [1, 2]])
    labels = components(5, links, np.array([True, True, False]), np.array([4, 2, 1, 0, 3]))
    assert labels.tolist() == [0, 1, 2, 2, 0]


def test_a_path_that_leaves_the_members_does_not_connect_them():
    links = np.array([[0, 1], [1, 2]])
    assert components(3, links, np.ones(2, dtype=bool), np.array([0, 2])).tolist() == [0, 1]


def test_long_chain_is_one_component():
    # A recursive search dies at Python's limit of 1000 frames.
    chain = np.arange(100_000)
    assert not connected_labels(100_000, np.stack((chain[:-1], chain[1:]), axis=1)[::-1]).any()


def test_nothing_gives_nothing():
    none = np.zeros((0, 2), dtype=np.int64)
    assert len(components(0, none, np.zeros(0, dtype=bool), np.zeros(0, dtype=np.int64))) == 0
    assert connected_labels(3, none).tolist() == [0, 1, 2]


@pytest.mark.parametrize("bad", [-1, 3])
def test_index_outside_of_the_graph_is_refused(bad):
    with pytest.raises(IndexError):
        connected_labels(3, np.array([[0, bad]]))
    with pytest.raises(IndexError):
        components(3, np.array([[0, 1]]), np.ones(1, dtype=bool), np.array([bad]))


def test_plain_python_kernel_gives_the_same_labels(monkeypatch):
    links = np.random.default_rng(3).integers(0, 40, (30, 2))
    compiled = connected_labels(40, links)
    monkeypatch.setattr(graph, "_label", getattr(graph._label, "py_func", graph._label))  # its parts follow
    assert np.array_equal(connected_labels(40, links), compiled)
