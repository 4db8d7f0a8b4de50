"""Names under which Brittle stores what it knows in a file; custom properties, so they outlive the extension."""

#: On fragments: mass [kg], number, number of the fragment it broke from (-1: the whole object).
MASS = "brittle_mass"
FRAGMENT = "brittle_fragment"
PARENT = "brittle_parent"
#: On fragments: how often something had to break for it to come to be.
GENERATION = "brittle_generation"
#: On the empty on which fragments hang, beside a mass of 0: where it was made, in the world.
ROOT = "brittle_root"
#: On the collection of the fragments: the object that was shattered, and the Action that moves the fragments.
SOURCE = "brittle_source"
ACTION = "brittle_action"
#: On the shattered object, or on the collection where the object is a library override, which loses what it has of its
#: own when the file is loaded: how it was before (JSON), and the Action that it followed.
BEFORE = "brittle_before"
BEFORE_ACTION = "brittle_before_action"
#: On an Action: it is a copy in which Brittle hides this object.
HIDES = "brittle_hides"
#: On the shattered object: a node group, on which are the stored diagram and its key.
DIAGRAM = "brittle_diagram"
DIAGRAM_KEY = "brittle_diagram_key"
#: On an object: a node group in which its curves are drawn.
CURVES = "brittle_curves"
#: On the collection of the fragments: places in the world where the object was hit (JSON).
HITS = "brittle_hits"
#: On the collection of the fragments while all is shown by size alone, see `export_view`.
READY = "brittle_ready"
#: On a scene: a node group that keeps awake what is hidden; it is marked by the same name.
AWAKE = "brittle_awake"
#: On the collection of the fragments: number of the first one that deforms, where any does.
DEFORMS = "brittle_deforms"
#: On the collection of the fragments: how they were cut, see `history`.
HISTORY = "brittle_history"
#: Prefix of further custom properties of the collection: seed, version, settings.
PREFIX = "brittle_"

#: On a mesh that was added as a lattice: which one (JSON), see `lattice_mesh`.
SHAPE = "brittle_shape"

#: Attributes of fragment meshes: faces that were inside, faces that close a hole (where there are any), where each
#: point lay in the source's own coordinates, and, where a material needs them, in its generated ones.
INNER = "brittle_inner"
CAP = "brittle_cap"
REST = "rest_position"
GENERATED = "brittle_generated"
#: On materials and node groups that take coordinates from these attributes: what they are a copy of.
REST_OF = "brittle_rest_of"
#: The modifier that gives a fragment its forms in time.
FORM = "Brittle Form"
#: Material of inner faces where the artist chose none.
INNER_MATERIAL = "Brittle Inner"
#: Custom property of a shader that came with a preset: what it was then.
SHADER = "brittle_shader"

#: Settings of an object and of an impact empty (see ../idnames.py).
OBJECT = "brittle"
IMPACT = "brittle_impact"
