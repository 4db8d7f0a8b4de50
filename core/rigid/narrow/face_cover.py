"""What of a face is the surface of its body: parts of the same body may lie behind all of it, or behind a part of it.

Of a face that is divided some patches are covered and others are free. What touches only where it is covered touches
the part behind it, and what touches a free patch touches the face.
"""

from ...geometry.vectors import Vector, cross3, dot3, plus, vector
from ...jit import device_inlined, device_no_refs
from ...record_arrays import Record, Records
from ...types import Floats, Ints

#: Of a face: all of it is surface, none is, some is.
FREE, COVERED, PARTLY_COVERED = 0, 1, 2
#: Points so far beyond a side of a patch lie on it, in lengths of the side. Chosen.
_TIE = 1e-6


@device_inlined
def is_adjacent(patch: Record, owner: Ints, body: int) -> bool:
    """Whether a part of the same body lies behind a patch, or behind an undivided face."""
    return bool(patch.adjacent >= 0 and owner[patch.adjacent] == body)


@device_no_refs
def cover_of_face(face: Record, patches: Records, owner: Ints, body: int) -> int:
    """Whether a face is FREE, COVERED or PARTLY_COVERED."""
    if face.patch[0] == face.patch[1]:
        return COVERED if is_adjacent(face, owner, body) else FREE
    count = 0
    for k in range(face.patch[0], face.patch[1]):
        if is_adjacent(patches[k], owner, body):
            count += 1
    if count == 0:
        return FREE
    return COVERED if count == face.patch[1] - face.patch[0] else PARTLY_COVERED


@device_no_refs
def is_covered(point: Vector, face: Record, patches: Records, outline: Floats, owner: Ints, body: int) -> bool:
    """Whether a point on a divided face lies on a patch with an adjacent part, or on the border of one."""
    for k in range(face.patch[0], face.patch[1]):
        patch = patches[k]
        if not is_adjacent(patch, owner, body):
            continue
        within = True
        before = vector(outline[patch.corner[1] - 1])
        for i in range(patch.corner[0], patch.corner[1]):
            corner = vector(outline[i])
            out = cross3(plus(corner, -1.0, before), vector(face.normal))
            within = within and dot3(out, plus(point, -1.0, corner)) <= _TIE * dot3(out, out)
            before = corner
        if within:
            return True
    return False
