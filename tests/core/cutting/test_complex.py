"""The cutter's tables of a partition: mates across edges, and refusal of what is no complex."""

import dataclasses

import numpy as np
import pytest

from core.cutting.complex import as_complex
from core.errors import CutError
from core.pieces.delaunay_complex import delaunay_complex
from core.pieces.voronoi_complex import voronoi_complex
from core.types import Partition

LOW, HIGH = np.zeros(3), np.ones(3)


def partitions() -> dict[str, Partition]:
    points = np.random.default_rng(1).random((40, 3))
    return {"voronoi": voronoi_complex(points, LOW, HIGH), "tetrahedra": delaunay_complex(points, LOW, HIGH)}


@pytest.mark.parametrize("name", ["voronoi", "tetrahedra"])
def test_mates_are_the_other_facet_of_the_region_at_the_edge(name: str) -> None:
    p = partitions()[name]
    slot = as_complex(p).slot
    owner = np.repeat(np.arange(len(p.facet_start) - 1), np.diff(p.facet_start))
    for side in (0, 1):
        region = p.facet_regions[owner, side]
        for h in range(len(slot)):
            adjacent = slot["across"][h, side]
            if region[h] < 0:
                assert adjacent == -1
                continue
            edge = slot["edge"][h]
            ring = p.edge_facet[p.edge_start[edge] : p.edge_start[edge + 1]]
            both = {f for f in ring.tolist() if region[h] in p.facet_regions[f]}
            assert both == {int(owner[h]), int(adjacent)}


def changed(p: Partition, **fields) -> Partition:
    return dataclasses.replace(p, **fields)


@pytest.mark.parametrize("name", ["voronoi", "tetrahedra"])
def test_what_does_not_fit_together_is_refused(name: str) -> None:
    p = partitions()[name]
    start, facet = p.region_start, p.region_facet
    without = start.copy()
    without[1:] -= 1
    twice = facet.copy()
    twice[1] = twice[0]
    foreign = facet.copy()
    foreign[0] = np.flatnonzero(~(p.facet_regions == 0).any(axis=1))[0]
    edge = p.facet_edge.copy()
    edge[0] = edge[-1]
    empty = changed(p, region_start=np.maximum(start, start[1]), region_facet=facet)
    for wrong in (
        changed(p, region_start=without, region_facet=facet[1:]),
        changed(p, region_facet=twice),
        changed(p, region_facet=foreign),
        changed(p, facet_edge=edge),
        changed(empty, region_start=np.concatenate([[start[1]], start[1:]])),
    ):
        with pytest.raises(CutError):
            as_complex(wrong)
