"""The broad phase: which parts may come near each other within a frame.

In: the bodies as they move (`solver_state.SolverState`). Out: pairs of parts (PAIR), and which bodies may meet at all.

- `boxes`: enlarged boxes (AABB) around parts, which hold them for a while
- `sweep_and_prune`: pairs of parts whose enlarged boxes overlap
- `potential_islands`: sets of bodies that may meet within a frame, and the substeps that each needs
"""
