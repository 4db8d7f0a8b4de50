"""Other meshes for fragments that were written: the same pieces, with broken faces made more finely.

What hangs on a piece stays: object, name, keys, materials, custom properties, copies that share its mesh. A mesh that
an artist has worked on is not what was written any more, and stays as it is.
"""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import bpy
import numpy as np

from ...core.arithmetic.products import apply
from ...core.fragments.triangulate import triangulated
from ...core.remake import Remade
from ...core.types import Fragments, Mesh, Progress
from . import names
from .attributes import TYPES
from .changes import Changes
from .history import Past
from .inner import inner_material_of
from .looks import copy_properties
from .meshes import Column, FragmentMaterials, PackedMeshes, inner_slot, pack, vertex_weights, write_groups, write_mesh
from .source import SourceAttributes

#: What a job says that makes meshes.
MAKING = "Making faces"


def worn_as_written(
    source: SourceAttributes, inner: bpy.types.Material | None, pieces: Sequence[bpy.types.Object]
) -> FragmentMaterials:
    """The slot of broken faces as it was written, and no materials: those of the pieces stay."""
    generated = any(names.GENERATED in piece.data.attributes for piece in pieces)
    return FragmentMaterials((), (), inner_slot(source, inner or inner_material_of(source)), generated)


def packed_as_written(
    remade: Remade, source: SourceAttributes, worn: FragmentMaterials, past: Past
) -> Generator[Progress, None, PackedMeshes]:
    """The arrays of fragments as they are written. It touches nothing of Blender."""
    yield Progress(0.0, MAKING)
    fragments = triangulated(remade.fragments) if past.triangles else remade.fragments
    yield Progress(0.2, MAKING)
    return pack(fragments, remade.body, source, worn, past.shift)


@dataclass(frozen=True, eq=False, slots=True)
class Form:
    """The mesh that a piece will have: that of fragment k."""

    data: PackedMeshes
    weights: tuple  #: as of `vertex_weights`
    k: int

    def make(self, piece: bpy.types.Object) -> bpy.types.Mesh:
        """A new mesh, which looks as that of the piece does."""
        mesh = write_mesh(self.data, self.k, piece.data.name)
        for material in piece.data.materials:
            mesh.materials.append(material)
        copy_properties(mesh, piece.data)
        return mesh

    def fill_groups(self, piece: bpy.types.Object) -> None:
        """Give a piece that has the mesh its vertex groups."""
        if self.weights:
            first, last = (int(self.data.fragments.vertex_start[self.k + i]) for i in range(2))
            write_groups(piece, self.weights, first, last)


def find_forms(
    pieces: Sequence[bpy.types.Object], before: PackedMeshes, after: PackedMeshes
) -> Generator[Progress, None, tuple[dict[bpy.types.Object, Form], int]]:
    """The new forms of pieces whose meshes are as `before` says; and how many have other ones.

    An object that is still whole is seen as it was before all, and counts for neither.
    """
    weights, kept = vertex_weights(after), 0
    forms = {}
    for number, piece in enumerate(pieces):
        yield Progress(number / len(pieces), MAKING)
        k = int(piece[names.FRAGMENT])
        if is_as_written(piece, before, k):
            forms[piece] = Form(after, weights, k)
        elif not _is_unbroken(before.fragments, k):
            kept += 1
    return forms, kept


def _is_unbroken(fragments: Fragments, k: int) -> bool:
    if not 0 <= k < len(fragments.mass):
        return False
    faces = slice(fragments.face_start[k], fragments.face_start[k + 1])
    return bool((fragments.face_bond[faces] < 0).all())


def swap_steps(forms: Mapping[bpy.types.Object, Form], changes: Changes) -> Generator[Progress, None, None]:
    """Make the meshes of pieces, which get them when the changes end."""
    swaps: list[Callable[[], None]] = []
    for number, (piece, form) in enumerate(forms.items()):
        yield Progress(number / len(forms), MAKING)
        swaps.append(_swap(piece, form))
    for swap in swaps:
        changes.finish_by(swap)


def _swap(piece: bpy.types.Object, form: Form) -> Callable[[], None]:
    mesh = form.make(piece)

    def swap() -> None:
        old = piece.data
        name = old.name
        mesh.use_fake_user = old.use_fake_user
        old.user_remap(mesh)
        bpy.data.meshes.remove(old)
        mesh.name = name
        form.fill_groups(piece)

    return swap


@contextmanager
def worn_for_now(piece: bpy.types.Object, form: Form) -> Iterator[None]:
    """Let a piece have its new form for as long as this lasts."""
    old, mesh = piece.data, form.make(piece)
    try:
        piece.data = mesh
        form.fill_groups(piece)
        yield
    finally:
        piece.data = old
        bpy.data.meshes.remove(mesh)


def laid_onto(mesh: Mesh, source: SourceAttributes, below: SourceAttributes) -> tuple[Mesh, SourceAttributes]:
    """What was read of an object in body coordinates of another reading of it, which has another middle."""
    shift = source.unit_scale * (source.origin - below.origin)
    rest = replace(
        source.rest,
        position=_moved(source.rest.position, shift),
        generated=_moved(source.rest.generated, shift),
    )
    vertices = mesh.vertices + apply(mesh.turn.T, shift)
    return replace(mesh, vertices=vertices), replace(source, origin=below.origin, rest=rest)


def _moved(affine: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """A map (4,3) of points, for points that were moved by `shift (3,)`."""
    result = affine.copy()
    result[3] -= apply(affine[:3].T, shift)
    return result


def is_as_written(piece: bpy.types.Object, data: PackedMeshes, k: int) -> bool:
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
