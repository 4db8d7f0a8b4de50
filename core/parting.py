"""Whether a blow is seen: how far pieces come away from each other, and how far what holds bends."""

from collections.abc import Iterable

import numpy as np

from .arithmetic.products import norm
from .types import Floats, Fracture, Fragments, Motion, VertexTrack
from .wording import number

#: A break is seen where this share of the pieces comes this far away within so many stored frames: by eye, in the size
#: of a view that the object fills. The distance is in diagonals of the object.
_SHARE, DISTANCE, _FRAMES = 0.05, 0.02, 24


def parted(fracture: Fracture, motion: Motion, size: float) -> float:
    """Share of the pieces, 0..1, that have come away from the rest after `_FRAMES` stored frames, or at the end.

    What all pieces have in common, the median of their ways, is no parting. `size` [m] is the object's diagonal.
    """
    frame = min(_FRAMES, len(motion.time) - 1)
    alive = (fracture.birth <= frame) & (frame < fracture.death)
    way = motion.position[frame, alive] - _origins(fracture, motion)[alive]
    away = norm(way - np.median(way, axis=0))
    return float((away > DISTANCE * size).mean())


def _origins(fracture: Fracture, motion: Motion) -> Floats:
    """(K,3) the place of each fragment at its birth."""
    return np.asarray(motion.position[fracture.birth, np.arange(len(fracture.birth))])


def unseen(fracture: Fracture, motion: Motion, size: float, speed: float) -> tuple[str, ...]:
    """What to do where pieces hardly part, in a sentence; none where they do, or where there is nothing to part.

    `speed` [m/s] is the highest of the blows.
    """
    pieces = int((fracture.death == len(motion.time)).sum())
    if pieces < 2 or len(motion.time) <= _FRAMES or parted(fracture, motion, size) >= _SHARE:
        return ()
    held = f"{pieces} pieces hold each other up and hardly move"
    return (f"{held}: raise the Speed ({number(speed)} m/s now) or the Radius of the blow.",)


def unbent(
    fragments: Fragments, motion: Motion, tracks: Iterable[VertexTrack], size: float, speed: float
) -> tuple[str, ...]:
    """What to do where soft matter stays whole and hardly bends, in a sentence; none where it bends.

    `size` [m] is the object's diagonal, `speed` [m/s] the highest of the blows.
    """
    start, bent = fragments.vertex_start, 0.0
    for track in tracks:
        rest = fragments.vertices[start[track.fragment] : start[track.fragment + 1]]
        bent = max(bent, float(norm(track.vertices - rest).max()))
    if len(motion.time) <= _FRAMES or bent > DISTANCE * size:
        return ()
    how = f"raise the Speed of the blow ({number(speed)} m/s now)"
    return (f"It held, and bends too little to be seen: {how}, or take matter that is softer or weaker.",)
