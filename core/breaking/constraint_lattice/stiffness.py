"""What ties do against motions of their ends, as blocks of a matrix."""

import numpy as np

from ...arithmetic.products import multiply
from ...types import Floats, Ints
from .structure import Structure, motion_at


def coupling_stiffness(structure: Structure, ties: Ints, one: int, other: int, offset: Floats | None = None) -> Floats:
    """(n,6,6) force on the body at end `one` of ties where the body at end `other` moves: +-(G^T S H + P).

    G = (1, -[r]x) of both ends; offset (N,3) is from where bodies are moved to their own places, over the scale.
    """
    G, H = (_motion(structure, ties, end, offset) for end in (one, other))
    block = multiply(G.transpose(0, 2, 1), multiply(structure.push[ties], H))
    block[:, 3:, 3:] += structure.turn[ties]
    return np.asarray(block if one == other else -block)


def _motion(structure: Structure, ties: Ints, end: int, offset: Floats | None) -> Floats:
    arm = structure.arm[ties, end]
    return motion_at(arm if offset is None else arm + offset[structure.pair[ties, end]])
