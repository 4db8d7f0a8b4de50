"""Other meshes for fragments that were written: the same pieces, with broken faces made more finely.

What hangs on a piece stays: object, name, keys, materials, custom properties, copies that share its mesh. A mesh that
an artist has worked on is not what was written any more, and stays as it is.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass

import bpy
import numpy as np

from ...core.fragments.triangulate import triangulated
from ...core.results import Shattered
from ...core.types import Progress
from . import names
from .attributes import TYPES
from .changes import Changes
from .inner import inner_material_of
from .looks import copy_properties
from .meshes import Column, Packed, Worn, inner_slot, pack, vertex_weights, write_groups, write_mesh
from .source import SourceAttributes
from .write import left_over

#: What a job says that makes meshes.
MAKING = "Making faces"


@dataclass(frozen=True, slots=True)
class Finer:
    """What came of the pieces of an object."""

    made: int  #: pieces with new meshes
    kept: int  #: pieces whose meshes are not what was written


def worn_as_written(
    source: SourceAttributes, inner: bpy.types.Material | None, pieces: Sequence[bpy.types.Object]
) -> Worn:
    """The slot of broken faces as it was written, and no materials: those of the pieces stay."""
    generated = any(names.GENERATED in piece.data.attributes for piece in pieces)
    return Worn((), (), inner_slot(source, inner or inner_material_of(source)), generated)


def packed_as_written(
    shattered: Shattered, source: SourceAttributes, worn: Worn, triangles: bool
) -> Generator[Progress, None, Packed]:
    """The arrays of fragments as they are written. It touches nothing of Blender."""
    yield Progress(0.0, MAKING)
    shift = left_over(shattered.fracture.birth, shattered.motion, source)
    fragments = triangulated(shattered.fragments) if triangles else shattered.fragments
    yield Progress(0.2, MAKING)
    return pack(fragments, shattered.body, source, worn, shift)


def swap_meshes(
    pieces: Sequence[bpy.types.Object], before: Packed, after: Packed, changes: Changes
) -> Generator[Progress, None, Finer]:
    """Give pieces whose meshes are as `before` says meshes as `after` says; they change when the changes end."""
    weights, kept = vertex_weights(after), 0
    swaps: list[Callable[[], None]] = []
    for number, piece in enumerate(pieces):
        yield Progress(number / len(pieces), MAKING)
        k = int(piece[names.FRAGMENT])
        if not is_as_written(piece, before, k):
            kept += 1
            continue
        mesh = write_mesh(after, k, piece.data.name)
        for material in piece.data.materials:
            mesh.materials.append(material)
        copy_properties(mesh, piece.data)
        first, last = (int(after.fragments.vertex_start[k + i]) for i in range(2))
        swaps.append(_swap(piece, mesh, (weights, first, last)))
    for swap in swaps:
        changes.finish_by(swap)
    return Finer(len(swaps), kept)


def _swap(piece: bpy.types.Object, mesh: bpy.types.Mesh, groups: tuple[tuple, int, int]) -> Callable[[], None]:
    def swap() -> None:
        old = piece.data
        name = old.name
        mesh.use_fake_user = old.use_fake_user
        old.user_remap(mesh)
        bpy.data.meshes.remove(old)
        mesh.name = name
        if groups[0]:
            piece.vertex_groups.clear()
            write_groups(piece, *groups)

    return swap


def is_as_written(piece: bpy.types.Object, data: Packed, k: int) -> bool:
    """Whether the mesh of a piece is what was written of fragment k, bit by bit, with nothing added."""
    mesh = piece.data
    if not isinstance(mesh, bpy.types.Mesh) or not 0 <= k < len(data.fragments.mass) or mesh.shape_keys is not None:
        return False
    if [group.name for group in piece.vertex_groups] != [group.name for group in data.source.groups]:
        return False
    first = {domain: start[k] for domain, start in data.start.items()}
    last = {domain: start[k + 1] for domain, start in data.start.items()}
    columns = [*data.topology, *data.columns]
    if data.normal is not None and data.has_outside[k]:
        columns.append(data.normal)
    known = {column.name for column in columns}
    added = (item.name for item in mesh.attributes if not item.name.startswith("."))
    return known.issuperset(added) and all(_is_equal(mesh, column, first, last) for column in columns)


def _is_equal(mesh: bpy.types.Mesh, column: Column, first: dict[str, int], last: dict[str, int]) -> bool:
    attribute = mesh.attributes.get(column.name)
    if attribute is None or len(attribute.data) != last[column.domain] - first[column.domain]:
        return False
    if column.texts:
        return True  # a text may be of several kinds; geometry tells
    prop, width, kind, _ = TYPES[column.data_type]
    values = np.empty(width * len(attribute.data), kind)
    attribute.data.foreach_get(prop, values)
    written = column.values[width * first[column.domain] : width * last[column.domain]].astype(kind)
    if column.data_type == "BYTE_COLOR":
        return bool(np.abs(values - written).max(initial=0.0) < 1.0 / 255.0)
    return values.tobytes() == written.tobytes()
