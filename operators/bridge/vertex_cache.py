"""Vertex caches: the forms of a mesh in time as a PC2 file, which Blender's own Mesh Cache modifier plays.

The format (PointCache 2, little-endian): "POINTCACHE2" and a zero, version 1 and the number of points as int32, first
frame and frames per sample as float32, the number of samples as int32; then all points of one sample after the other,
float32. First frame and step say nothing here: curves of the object tell which sample is seen, see `vertex_tracks`.
"""

import struct
from pathlib import Path

import numpy as np

#: What a PC2 file begins with, and the version of its format.
SIGNATURE, VERSION = b"POINTCACHE2\0", 1
HEADER = struct.Struct("<12siiffi")
#: How names of such files end.
SUFFIX = ".pc2"


def write_cache(path: Path, forms: np.ndarray) -> None:
    """Write forms (F,V,3) float32 into a new file, in one go. Raises OSError where that cannot be."""
    count, points = forms.shape[:2]
    with path.open("xb") as file:
        file.write(HEADER.pack(SIGNATURE, VERSION, points, 0.0, 1.0, count))
        file.write(np.ascontiguousarray(forms, "<f4").data)
