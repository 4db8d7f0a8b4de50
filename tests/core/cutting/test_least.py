"""No piece without volume, whatever is cut with whatever: crumbs join a neighbour, else it is cut again or refused."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.cutting.booleans import cut_by_booleans
from core.cutting.checks import check_fragments, check_units
from core.cutting.cut import cut
from core.cutting.level_set.cut import cut_by_level_sets
from core.cutting.retry import Cutters, cut_with_retry
from core.cutting.whole import whole_cells
from core.errors import CutError, InputError
from core.fragments.build import build_fragments
from core.geometry.mesh import volume
from core.geometry.shells import LEAST
from core.pieces.voronoi_complex import voronoi_complex
from tests import shapes

BODIES = {
    "needle": shapes.box((0.0, 0.0, 0.0), (1.0, 1e-4, 1e-4)),
    "sheet": shapes.plate(1e5),
    "spike": shapes.body(
        np.array([[0.0, 0.0, 0.0], [1e-3, 0.0, 0.0], [0.0, 1e-3, 0.0], [0.0, 0.0, 1.0]]),
        [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
    ),
    "cube": shapes.box(),
    "large and small": shapes.joined(shapes.box(), shapes.moved(shapes.box(), (2.0, 0.0, 0.0), 1e-3)),
}


def sites_in(body, kind, count, rng):
    low, high = body.vertices.min(axis=0), body.vertices.max(axis=0)
    share = rng.random((count, 3))
    if kind == "graded":  # distances to one corner of the body from its size down to 1e-8 of it
        share = 10.0 ** (-8.0 * rng.random((count, 1))) * share
    elif kind == "pairs":  # walls that all but touch
        share[1::2] = share[: count // 2 * 2 : 2][: len(share[1::2])] + 1e-7
    elif kind == "dust":  # all within a thousandth
        share = 0.5 + 1e-3 * (share - 0.5)
    elif kind == "skin":  # walls that touch the planes of the body
        share = np.round(4.0 * share) / 4.0 + 1e-9 * rng.random((count, 3))
    return low + share * (high - low)


def assert_real(cells, body):
    pieces = np.bincount(cells.unit, cells.volume)
    assert (pieces > LEAST * volume(body.vertices, body.triangles)).all()
    assert pieces.sum() == pytest.approx(volume(body.vertices, body.triangles), rel=1e-9)


@settings(max_examples=40, derandomize=True, suppress_health_check=list(HealthCheck))
@given(
    st.sampled_from(list(BODIES)),
    st.sampled_from(["graded", "pairs", "dust", "skin"]),
    st.integers(4, 30),
    st.integers(0, 2**20),
)
def test_pieces_of_mean_patterns_are_real_or_refused(name, kind, count, seed):
    body, rng = BODIES[name], np.random.default_rng(seed)
    low, high = body.vertices.min(axis=0), body.vertices.max(axis=0)
    sites = [sites_in(body, kind, count, rng) for _ in range(2)]
    try:
        cells, _ = cut_with_retry(body, lambda attempt: voronoi_complex(sites[attempt], low, high), 2)
    except CutError as refusal:
        assert str(refusal).endswith(".")
        return
    assert_real(cells, body)


def cut_on_grid(part, partition):
    return cut_by_level_sets(part, partition, 16)


@pytest.mark.parametrize("way", [cut_by_booleans, cut_on_grid])
@pytest.mark.parametrize("name", ["cube", "sheet"])
def test_the_other_cutters_keep_it_as_well(way, name):
    body, rng = BODIES[name], np.random.default_rng(3)
    low, high = body.vertices.min(axis=0), body.vertices.max(axis=0)
    sites = sites_in(body, "graded", 12, rng)
    try:
        cells, _ = cut_with_retry(body, lambda _: voronoi_complex(sites, low, high), 1, Cutters(way))
    except (CutError, InputError) as refusal:
        assert str(refusal).endswith(".")
        return
    assert (np.bincount(cells.unit, cells.volume) > LEAST * cells.volume.sum()).all()


@pytest.mark.parametrize("share", [0.0, -1e-3, 1e-14, np.nan])
def test_a_cut_that_gives_an_impossible_piece_is_tried_again(share):
    body, tries = shapes.box(), []

    def build(attempt):
        return voronoi_complex(np.random.default_rng(attempt).random((6, 3)), np.zeros(3), np.ones(3))

    def spoilt(part, partition):
        cells = cut(part, partition)
        tries.append(cells)
        return replace(cells, volume=np.append(share, cells.volume[1:])) if len(tries) == 1 else cells

    cells, notes = cut_with_retry(body, build, cutters=Cutters(spoilt))
    assert len(tries) == 2 and notes == ("The cut needed 2 attempts.",)
    assert_real(cells, body)
    with pytest.raises(CutError, match="1 piece of the pattern would have next to no volume"):
        check_units(replace(cells, volume=np.append(share, cells.volume[1:])), 1e-12)


def test_fragments_without_mass_are_the_last_to_be_refused():
    body = shapes.box()
    cells = whole_cells(body)
    fragments = build_fragments(cells, [np.array([0])], 1000.0, body)
    check_fragments(fragments, np.array([True]))
    for name in ("volume", "mass"):
        for value in (0.0, -1.0, np.nan):
            with pytest.raises(CutError, match="next to no mass"):
                check_fragments(replace(fragments, **{name: np.array([value])}), np.array([True]))
