"""Pieces from an artist's own meshes: when settings ask for them, what they depend on, what does not count for them."""

import numpy as np

from .errors import InputError
from .pieces.patterns.method import PatternParams
from .settings import Settings
from .types import OwnPattern

#: What tells one pattern from another; all else follows from it.
TOLD_BY = ("vertices", "triangles", "sides", "facet", "half")


def own_pattern_of(settings: Settings) -> OwnPattern | None:
    """The pattern of the artist's own meshes where the pieces are made with one, else None.

    Raises InputError where they should be and there are no meshes.
    """
    params = settings.pieces_params
    if not isinstance(params, PatternParams) or not params.own:
        return None
    if settings.own is None:
        raise InputError("The pattern has no meshes: choose a collection of closed meshes under Pieces.")
    return settings.own


def own_bytes(pattern: OwnPattern) -> bytes:
    """What cells depend on, for a hash."""
    tables = [np.ascontiguousarray(getattr(pattern, name)) for name in TOLD_BY]
    return b"".join(part for table in tables for part in (repr((table.shape, table.dtype)).encode(), table.tobytes()))


def ignored_setting_notes(settings: Settings) -> tuple[str, ...]:
    """What was completed in the artist's own meshes, and which settings do not count for them: sentences.

    Raises InputError as `own_pattern_of` does.
    """
    pattern = own_pattern_of(settings)
    if pattern is None:
        return ()
    surface, notes = settings.surface, list(pattern.notes)
    if surface.cutter == "level_set":
        notes.append("Your own meshes cut exactly, not on a grid.")
    elif surface.octaves > 0 and surface.amplitude > 0.0:
        notes.append("Broken faces are as your own meshes have them: Roughness does not count for these.")
    if surface.wrap in ("sphere", "cylinder"):
        notes.append("Your own meshes cut straight: Wrap does not count for them.")
    return tuple(notes)
