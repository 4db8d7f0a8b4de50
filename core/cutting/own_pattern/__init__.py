"""A body cut by regions of any shape: an artist's own fracture pattern instead of a partition into convex regions."""
