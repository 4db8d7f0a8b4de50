"""A partition moved, turned and scaled: the same complex elsewhere."""

from dataclasses import replace

import numpy as np

from ...geometry.mesh import map_vectors
from ...types import Floats, Partition


def similar(partition: Partition, scale: float, turn: Floats, shift: Floats) -> Partition:
    """The partition under x -> scale * turn x + shift; scale above 0, turn (3,3) a rotation, shift (3,) [m].

    What shared its bits before, as the plane of several facets, shares them afterwards.
    """

    def moved(points: Floats) -> Floats:
        return scale * map_vectors(points, turn) + shift

    start, along = partition.edge_line[:, 0], partition.edge_line[:, 1]
    return replace(
        partition,
        vertices=moved(partition.vertices),
        edge_line=np.stack((moved(start), map_vectors(along, turn)), axis=1),
        facet_normal=map_vectors(partition.facet_normal, turn),
        facet_point=moved(partition.facet_point),
        site=moved(partition.site),
    )
