"""Mesh geometry: mass properties, closedness, inside tests, intake. Knows nothing of fracture."""
