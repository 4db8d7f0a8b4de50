"""Parts and the bodies that they belong to, as the kernels of the narrow phase take them."""

from typing import NamedTuple

from ...record_arrays import Record
from ...types import Ints
from ..shapes.convex_parts import PartGeometry


class OwnedParts(NamedTuple):
    """All parts of a scene."""

    geometry: PartGeometry
    owner: Ints  #: (P,) the body of each part, -1 for parts of none


class BodyPart(NamedTuple):
    """One part of a body."""

    shape: Record  #: PART
    body: int
