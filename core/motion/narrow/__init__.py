"""How two convex parts touch: the axis that separates them best, and the points where they meet along it.

Faces of both parts and pairs of their edges are tried as separating axes (the separating-axis theorem). Each test
throws away most of its candidates before any corner is looked at: see `faces.py` and `edges.py`. A face that is
nearest is met by the corners of the other part inside its prism, `clip.py`.

A face that holds to a part of the same body (a mate) may prove that two parts are apart, but is no surface.
"""
