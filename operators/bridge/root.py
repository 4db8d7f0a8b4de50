"""The empty on which the pieces of an object hang: what moves, scales or copies it does so with the whole.

It stands at the object's origin, upright and of size 1. The parent inverse of the pieces takes just that back, so that
their keys are places in the world: a piece is, to the bit, where it would be without the empty, and stays there when
the empty is deleted or the piece is taken off it.

It hangs on nothing itself, also where the object does: the keys hold the whole way through the world, and a parent
that moves would lead the pieces a second time. Only the empty of a piece that is broken further hangs on that of the
other pieces: they are one whole.
"""

from collections.abc import Collection, Iterable

import bpy
import numpy as np
from mathutils import Matrix

from . import names, sizes

#: Size of the empty as it is drawn, over the diagonal of the object. By eye.
DRAWN = 0.2


def make_root(title: str, obj: bpy.types.Object, pivot: np.ndarray, size: float) -> bpy.types.Object:
    """A new empty at `pivot (3,)` for the pieces of an object of a `size`, in Blender's units."""
    root = bpy.data.objects.new(title, None)
    root.empty_display_type = "PLAIN_AXES"
    root.empty_display_size = max(DRAWN * size, 1e-3)
    root.location = pivot
    root[names.ROOT], root[names.MASS] = list(root.location), 0.0  # whoever adds up masses may take it for a piece
    if names.FRAGMENT in obj and _is_root(obj.parent):
        root.parent = obj.parent
        root.matrix_parent_inverse = obj.parent.matrix_world.inverted_safe()
    return root


def hang(pieces: Iterable[bpy.types.Object], root: bpy.types.Object) -> None:
    """Let pieces, whose keys are places in the world, hang on their empty, wherever an artist has moved it since."""
    inverse = _first_place(root).inverted()
    for piece in pieces:
        piece.parent = root
        piece.matrix_parent_inverse = inverse


def root_of(collection: bpy.types.Collection) -> bpy.types.Object | None:
    """The empty of a collection of fragments; None where it is gone. Copies that an artist made come after it."""
    below = (item for item in collection.all_objects if not _is_of_another(item, collection))
    return next((item for items in (collection.objects, below) for item in items if names.ROOT in item), None)


def is_copy(piece: bpy.types.Object, root: bpy.types.Object | None) -> bool:
    """Whether a piece hangs on a copy of its empty: an artist has duplicated the whole, and both are his."""
    return _is_root(piece.parent) and piece.parent != root


def is_wanted(root: bpy.types.Object, without: Collection[bpy.types.ID]) -> bool:
    """Whether anything hangs on an empty or looks at it, `without` these."""
    users = bpy.data.user_map(subset=[root])[root]
    return any(not isinstance(user, sizes.HOLDERS) and user not in without for user in users - {root})


def is_changed(root: bpy.types.Object, pieces: Collection[bpy.types.ID]) -> bool:
    """Whether an artist has done anything with an empty, or hung something beside its pieces on it."""
    hung = root.parent is not None and not _is_root(root.parent)
    led = root.animation_data is not None or len(root.constraints) > 0
    return hung or led or root.matrix_basis != _first_place(root) or is_wanted(root, pieces)


def _is_of_another(root: bpy.types.Object, collection: bpy.types.Collection) -> bool:
    """Whether an empty lies in the collection of what broke from a piece."""
    return names.ROOT in root and any(names.SOURCE in home for home in root.users_collection if home != collection)


def _is_root(obj: bpy.types.Object | None) -> bool:
    return obj is not None and names.ROOT in obj


def _first_place(root: bpy.types.Object) -> Matrix:
    return Matrix.Translation(root[names.ROOT])
