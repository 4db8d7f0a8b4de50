"""The loop over frames: objects move, impacts and contacts break them, and the pieces move on.

In: `spec.SimObject`s (what breaks them, where they are and how they move at the start) and a `spec.SimulationSpec`
(ground, colliders, gravity, clock, motion). Out: a `spec.FractureResult` for each object. A rule of `breaking` says
what breaks, a motion of `rigid` says how bodies move; neither knows of the other. In reading order:

- `spec`: what goes in and what comes out; `environment`: the world of each frame
- `frame_loop`: the loop; `opening`: its first word alone, for the preview
- `live_fragments`, `fragment_tree`: who is alive, where, and who came from whom; `initial_pieces`, `anchoring`: the
  separate pieces of an object at the start, and what holds them
- `scheduled_impacts`, `impact_fracture`, `impact_momentum`: impacts of the artist's, what they break and hand over
- `contact_events`, `approach_speed`, `static_loads`: how hard each fragment was hit; `contact_fracture`: what breaks
- `mass_moments`: pieces that are cut anew weigh what they weighed
- `kinematic_objects`: what an animation leads; `deforming_objects`, `deforming_mesh`, `deformed_form`,
  `skin_contacts`, `surface_motion`: what deforms until it breaks
- `rigid_first`, `turned_run`, `chained_runs`: those that are rigid until something hits them, and begin late, or again
- `continuum_objects`, `continuum_body`: objects that a continuum method moves, and what of them goes on as rigid
  bodies; `obstacles`, `rigid_obstacles`: what they run into; `continuum_results`, `rigid_part`: what comes of them,
  poses and tracks
- `pose_record`, `assembly`: from the poses of each frame to what is handed out
"""
