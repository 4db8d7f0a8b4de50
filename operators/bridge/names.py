"""Names under which Brittle stores what it knows in a file; custom properties, so they outlive the extension."""

#: On fragments: mass [kg], number, number of the fragment it broke from (-1: the whole object).
MASS = "brittle_mass"
FRAGMENT = "brittle_fragment"
PARENT = "brittle_parent"
#: On the collection of the fragments: the object that was shattered, and the Action that moves the fragments.
SOURCE = "brittle_source"
ACTION = "brittle_action"
#: On the shattered object: how it was before (JSON), the stored diagram and its key.
BEFORE = "brittle_before"
DIAGRAM = "brittle_diagram"
DIAGRAM_KEY = "brittle_diagram_key"
#: Prefix of further custom properties of the collection: seed, version, settings.
PREFIX = "brittle_"

#: Attributes of fragment meshes: faces that were inside, and where each point lay in the source's own coordinates.
INNER = "brittle_inner"
REST = "rest_position"
#: Material of inner faces where the artist chose none.
INNER_MATERIAL = "Brittle Inner"

#: Settings of an impact empty (see ../idnames.py).
IMPACT = "brittle_impact"
