"""The fuzz test in pytest: a few hundred cases always, ten thousand behind the marker `fuzz` (`make fuzz`)."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from core.cutting.cut import cut
from core.types import Body, Cells, Ints, Partition
from tests import shapes
from tests.core.cutting.closedness import voronoi

from . import oracle
from .case import BAD, NO_PATTERN, NOT_TAKEN, REFUSED, run_case
from .run import main

CASES = 300
CHUNKS = 6


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_no_cut_is_silently_wrong(chunk: int) -> None:
    found = [run_case(0, number) for number in range(chunk, CASES, CHUNKS)]
    bad = [f"{o.kind} [{o.body}] [{o.pattern}] {o.text}\n{o.replay()}" for o in found if o.kind in BAD]
    assert not bad, "\n".join(bad)
    kinds = Counter(o.kind for o in found)
    refused = kinds[NOT_TAKEN] + kinds[NO_PATTERN] + kinds[REFUSED]
    assert refused < 0.3 * len(found), kinds  # or nothing is tested


@pytest.mark.fuzz
def test_ten_thousand_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["run", "--cases", "10000", "--seed", "1"])
    assert main() == 0


def test_a_case_is_the_same_each_time() -> None:
    first, again = run_case(0, 5), run_case(0, 5)
    assert (first.kind, first.body, first.pattern, first.cells) == (again.kind, again.body, again.pattern, again.cells)


# The oracle must see each kind of damage, or it proves nothing.
def damages(c: Cells) -> dict[str, Cells]:
    moved = c.vertices.copy()
    moved[c.inner_vertex[0]] += 0.01
    bonds = c.bond_cells.copy()
    bonds[0] = bonds[0, ::-1]
    swapped = c.region.copy()
    swapped[[0, 1]] = swapped[[1, 0]]
    weight = c.outer_weight.copy()
    weight[0] = weight[0, [1, 2, 0]]
    keep = np.flatnonzero(c.outer_triangle != c.outer_triangle[0])
    return {
        "a moved vertex": replace(c, vertices=moved),
        "a turned bond": replace(c, bond_cells=bonds),
        "two regions swapped": replace(c, region=swapped),
        "a wrong weight": replace(c, outer_weight=weight),
        "a cell that is too large": replace(c, volume=c.volume * 1.0001),
        "a wrong area": replace(c, bond_area=c.bond_area * 1.0001),
        "a hole in the skin": without_faces(c, keep),
        "units that skip a number": replace(c, unit=c.unit + (c.unit == c.unit.max())),
    }


def without_faces(c: Cells, keep: Ints) -> Cells:
    size = np.diff(c.outer_start)
    corners = np.concatenate([np.arange(c.outer_start[f], c.outer_start[f + 1]) for f in keep])
    return replace(
        c,
        outer_start=np.concatenate([[0], np.cumsum(size[keep])]),
        outer_vertex=c.outer_vertex[corners],
        outer_weight=c.outer_weight[corners],
        outer_triangle=c.outer_triangle[keep],
        outer_cell=c.outer_cell[keep],
    )


def cut_sphere() -> tuple[Body, Partition, Cells]:
    body = shapes.icosphere(2)
    p = voronoi(body, 20, seed=4)
    return body, p, cut(body, p)


@pytest.mark.parametrize("damage", range(8))
def test_the_oracle_sees_damage(damage: int) -> None:
    body, p, cells = cut_sphere()
    assert not oracle.complaints(body, p, cells, np.random.default_rng(0))
    name, broken = list(damages(cells).items())[damage]
    assert oracle.complaints(body, p, broken, np.random.default_rng(0)), name
