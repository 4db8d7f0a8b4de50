"""Text as it comes out of a font: outlines that cross and overlap, with thickness or without."""

import numpy as np

from .parts import joined, moved, reverse, signed_volume, surface

WIDTH, DEPTH = 0.16, 0.1
#: Strokes of each letter, polylines in its box of 0.6 x 1.
LETTERS = {
    "A": [[(0.0, 0.0), (0.3, 1.0), (0.6, 0.0)], [(0.08, 0.35), (0.52, 0.35)]],
    "R": [[(0.1, 0.0), (0.1, 0.95), (0.5, 0.9), (0.55, 0.6), (0.02, 0.5), (0.6, 0.05)]],
    "X": [[(0.0, 0.0), (0.6, 1.0)], [(0.02, 1.02), (0.62, 0.03)]],
    "B": [[(0.1, 0.0), (0.1, 1.0), (0.5, 0.85), (0.04, 0.52), (0.58, 0.25), (0.02, 0.06)]],
}


def ribbon(stroke):
    """A polyline with mitred corners as a flat strip: points (n,2,2), left and right of it."""
    p = np.array(stroke)
    step = np.diff(p, axis=0)
    step /= np.linalg.norm(step, axis=1)[:, None]
    normal = np.stack([-step[:, 1], step[:, 0]], axis=1)
    before, after = normal[[0, *range(len(normal))]], normal[[*range(len(normal)), -1]]
    mitre = before + after
    mitre *= (2.0 / (mitre**2).sum(axis=1))[:, None]
    mitre *= np.minimum(1.0, 2.5 / np.linalg.norm(mitre, axis=1))[:, None]  # sharp corners are cut short
    return p[:, None] + 0.5 * WIDTH * np.stack([mitre, -mitre], axis=1)


def extruded(stroke):
    """One closed shell: it crosses itself where the stroke does, front on front and side through side."""
    flat = ribbon(stroke)
    n = len(flat)
    outline = np.concatenate([flat[:, 0], flat[::-1, 1]])
    vertices = np.concatenate([np.c_[outline, np.zeros(2 * n)], np.c_[outline, np.full(2 * n, DEPTH)]])
    strip = np.array([[k, k + 1, 2 * n - 2 - k, 2 * n - 1 - k] for k in range(n - 1)])
    caps = np.concatenate([strip, strip[:, ::-1] + 2 * n])
    k, m = np.arange(2 * n), (np.arange(2 * n) + 1) % (2 * n)
    sides = np.stack([m, k, k + 2 * n, m + 2 * n], axis=1)
    four = np.concatenate([caps, sides])
    solid = vertices, np.concatenate([four[:, [0, 1, 2]], four[:, [0, 2, 3]]]).astype(np.int64)
    return solid if signed_volume(solid) > 0.0 else reverse(solid)


def text(word="BRAX"):
    """Extruded letters whose strokes overlap."""
    return joined(*_set(word, extruded))


def flat_text(word="BRAX"):
    """Letters without thickness, with triangles without area between collinear points of each side."""
    return joined(*_set(word, _flat))


def _set(word, make):
    letters = []
    for place, letter in enumerate(word):
        for stroke in LETTERS[letter]:
            vertices, triangles = make(stroke)
            letters.append(moved((vertices, triangles), (0.9 * place, 0.0, 0.0)))
    return letters


def _flat(stroke):
    """A strip; the middle of each of its left sides is a vertex of a triangle without area only."""
    points = np.concatenate([ribbon(stroke), np.zeros((len(stroke), 2, 1))], axis=2)
    vertices, triangles = surface(points)
    left = 2 * np.arange(len(stroke))
    middle = len(vertices) + np.arange(len(stroke) - 1)
    between = 0.5 * (vertices[left[:-1]] + vertices[left[1:]])
    flat = np.stack([left[:-1], left[1:], middle], axis=1)
    return np.concatenate([vertices, between]), np.concatenate([triangles, flat])
