"""What a run cut, and around which impacts: enough to make its pieces again without moving anything."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from ..types import Impact, Ints
from .spec import CutHistory, FractureModel, PastCut


def history_of(models: Sequence[FractureModel], fragment_cut: Ints, units: Sequence[Ints]) -> CutHistory:
    """The history of fragments: each is made of some `units` of the model `models[fragment_cut]`."""
    known: dict[int, int] = {}
    cuts: list[PastCut] = []

    def enter(model: FractureModel) -> int:
        if id(model) not in known:
            origin = model.origin
            parent = -1 if origin is None or origin.model is None else enter(origin.model)
            part, impacts = (None, None) if origin is None else (origin.units, origin.impacts)
            cuts.append(PastCut(parent, part, impacts, len(model.units.volume)))
            known[id(model)] = len(cuts) - 1
        return known[id(model)]

    entered = np.array([enter(model) for model in models], np.int64)
    start = np.cumsum([0] + [len(some) for some in units])
    return CutHistory(tuple(cuts), entered[fragment_cut], start, np.concatenate(units))


def to_plain(history: CutHistory) -> dict[str, Any]:
    """A history as what JSON can hold, every bit of it."""
    cuts = [
        {
            "parent": cut.parent,
            "units": None if cut.units is None else cut.units.tolist(),
            "impacts": None if cut.impacts is None else [_plain_impact(impact) for impact in cut.impacts],
            "count": cut.count,
        }
        for cut in history.cuts
    ]
    arrays = ("fragment_cut", "fragment_start", "fragment_unit")
    return {"cuts": cuts, **{name: getattr(history, name).tolist() for name in arrays}}


def from_plain(data: Mapping[str, Any]) -> CutHistory:
    """The history of which `to_plain` made this."""
    cuts = tuple(
        PastCut(
            cut["parent"],
            None if cut["units"] is None else np.array(cut["units"], np.int64),
            None if cut["impacts"] is None else tuple(_impact(one) for one in cut["impacts"]),
            cut["count"],
        )
        for cut in data["cuts"]
    )
    arrays = (np.array(data[name], np.int64) for name in ("fragment_cut", "fragment_start", "fragment_unit"))
    return CutHistory(cuts, *arrays)


def _plain_impact(impact: Impact) -> dict[str, Any]:
    return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in asdict(impact).items()}


def _impact(data: Mapping[str, Any]) -> Impact:
    vectors = {name: np.array(data[name], np.float64) for name in ("point", "direction")}
    return Impact(**{**data, **vectors})
