"""The data that flows between the rooms: frozen dataclasses of read-only arrays.

Letters in shapes: V vertices, T triangles, C cells, B bonds, U units, K fragments, S stored frames, N loop corners.
Ragged lists are packed: `x_start (n+1,)` bounds the entries of item i in `x_*`. All lengths are metres, all arrays
are C-contiguous float64, int64 or bool.
"""

import dataclasses
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


_NAMES: dict[type, tuple[str, ...]] = {}


def _names(kind: Any) -> tuple[str, ...]:
    """The fields of a dataclass, looked up once: states of a motion are made several times a frame."""
    if kind not in _NAMES:
        _NAMES[kind] = tuple(field.name for field in dataclasses.fields(kind))
    return _NAMES[kind]


class Frozen:
    """Base of the types below: makes every array field contiguous and read-only after construction."""

    __slots__ = ()

    def __post_init__(self) -> None:
        for name in _names(type(self)):
            value = getattr(self, name)
            if isinstance(value, np.ndarray):
                if not value.flags.c_contiguous:
                    value = np.asanyarray(value, order="C")  # an array of records stays one
                    object.__setattr__(self, name, value)
                value.setflags(write=False)


@dataclass(frozen=True, eq=False, slots=True)
class LatticeRecipe(Frozen):
    """How the inside of a mesh is divided that was added as a lattice; its vertices are outer nodes in their order."""

    shape: str  #: see `continuum.lattice_shapes.shapes`
    params: Any  #: measures of that shape
    place: Floats  #: (3,4) of the shape: a node x of it is at place[:, :3] x + place[:, 3] [m]


@dataclass(frozen=True, eq=False, slots=True)
class Mesh(Frozen):
    """A triangle mesh as an artist has it: nothing is promised about it."""

    name: str  #: for messages
    vertices: Floats  #: (V,3) in the object's own axes, with its scale [m]
    triangles: Ints  #: (T,3)
    #: (3,3) how the object is turned: what is made of the mesh gets vertices `turn @ vertex`. Repairs come first, so
    #: that faces which touch in the object's own axes still touch.
    turn: Floats = dataclasses.field(default_factory=lambda: np.eye(3))
    #: [m] distance of neighbouring numbers where the vertices were stored, before they were moved here; 0: as they are.
    spacing: float = 0.0
    #: (T,) triangles with an equal label >= 0 are one flat face of the artist's, over which all that it carries is
    #: affine: they may be joined. -1: a triangle of its own. Empty: all are.
    polygon: Ints = dataclasses.field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    recipe: LatticeRecipe | None = None  #: of its inside, in the object's own axes; None: nothing is known


class Made(IntEnum):
    """How a triangle of a body came to be."""

    OWN = 0  #: the artist's, or a part of one
    BACK = 1  #: second side of a sheet that was given thickness
    RIM = 2  #: joins the two sides of a sheet
    CAP = 3  #: closes a hole
    REMESHED = 4  #: of a surface made anew
    BROKEN = 5  #: a broken face of a piece that is cut anew


@dataclass(frozen=True, eq=False, slots=True)
class Body(Frozen):
    """A closed, outward-oriented, non-overlapping triangle mesh that knows where its triangles came from."""

    vertices: Floats  #: (V,3) positions [m]
    triangles: Ints  #: (T,3) vertex of each corner, counter-clockwise seen from outside
    #: (T,) row of the Mesh's triangle table; of a cap, a neighbour's, of a rim, that at the border.
    source: Ints
    #: (T,3,3) barycentric coordinates of each corner in the source triangle. Empty: corner k is corner k of the source.
    weight: Floats = dataclasses.field(default_factory=lambda: np.zeros((0, 3, 3)))
    #: (T,) a `Made`. Empty: all are the artist's own.
    made: Ints = dataclasses.field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    #: (T,) part of each triangle, in ascending order: parts may overlap, share no vertex and are cut one by one.
    #: Empty: one part, which does not overlap itself.
    part: Ints = dataclasses.field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    #: (T,) first triangle of the flat face that each one is a part of, see `Mesh.polygon`. Empty: each is its own.
    polygon: Ints = dataclasses.field(default_factory=lambda: np.zeros(0, dtype=np.int64))


@dataclass(frozen=True, eq=False, slots=True)
class Partition(Frozen):
    """A face-to-face complex of convex regions that fills a box larger than the body.

    Facets need no ordered polygon: the sign of each edge and the ring of facets around each edge suffice.
    No region has two coplanar facets.
    """

    vertices: Floats  #: (P,3) [m]
    edge_vertices: Ints  #: (E,2) ends p -> q
    edge_line: Floats  #: (E,2,3) a point on the edge's line and its direction from p to q, from what defines the line
    facet_regions: Ints  #: (F,2) lo, hi; hi = -1 is outside of the complex
    facet_normal: Floats  #: (F,3) unit normal from lo to hi
    facet_point: Floats  #: (F,3) a point on the facet's plane [m]
    facet_start: Ints  #: (F+1,)
    facet_edge: Ints  #: (H,) edges of each facet, in any order
    facet_edge_sign: Ints  #: (H,) +1 where p -> q runs counter-clockwise seen from hi
    region_start: Ints  #: (R+1,)
    region_facet: Ints  #: (.,) facets of each region
    edge_start: Ints  #: (E+1,)
    edge_facet: Ints  #: (.,) ring of facets around each edge
    site: Floats  #: (R,3) a point of each region [m]
    group: Ints  #: (R,) regions with an equal value never part
    facet_strength: Floats  #: (F,) of what joins the two regions, relative to the material's own: mortar, grain [1]
    #: (R,) regions that are no pieces: their cells join the unit of the neighbour with which they share the largest
    #: bond, as crumbs do. Empty: none.
    dropped: Bools = dataclasses.field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    notes: tuple[str, ...] = ()  #: what the report says of how it was made: sentences


@dataclass(frozen=True, eq=False, slots=True)
class OwnPattern(Frozen):
    """An artist's own fracture pattern: all of space divided into regions of any shape by walls of triangles.

    Its centre is the origin, its axis +z. Walls share vertices and edges where they meet. The pattern has no unit until
    it is placed. Its outermost surface is convex.
    """

    vertices: Floats  #: (V,3)
    triangles: Ints  #: (n,3) counter-clockwise seen from hi
    sides: Ints  #: (n,2) regions lo, hi on both sides of each triangle; hi = -1 is outside of the pattern
    facet: Ints  #: (n,) triangles with an equal value are one flat part of a wall; 0..F-1
    #: (n,2,3) copy of each corner on the lo and on the hi side: with these the border of every region is a closed
    #: surface that touches itself nowhere, and no two regions share a copy. -1 outside.
    copies: Ints
    copy_vertex: Ints  #: (.,) vertex of each copy
    site: Floats  #: (R,3) a point of each region
    names: tuple[str, ...]  #: (R,) of the meshes, for messages
    half: Floats  #: (3,) half extents of the box about the centre that the meshes fill
    notes: tuple[str, ...] = ()  #: what of it was completed, for the report


@dataclass(frozen=True, eq=False, slots=True)
class Cells(Frozen):
    """A body cut by a partition: convex-region pieces (cells) that share bonds, with the body's skin on them.

    A cell is a connected piece of a region, not a region. Outer faces are clipped source triangles; inner faces are
    the partition's facets cut by the body, stored once and used by both cells (hi reversed), so mates share bits.
    A facet with several separate loops makes several bonds; one with holes makes several inner faces of one bond.
    Vertices are numbered so that equal points of neighbouring cells are one vertex; nothing is welded.
    """

    vertices: Floats  #: (V,3) [m]
    outer_start: Ints  #: (Fo+1,)
    outer_vertex: Ints  #: (N,) corners of each outer face, counter-clockwise seen from outside
    outer_weight: Floats  #: (N,3) barycentric coordinates of each corner in the body triangle
    outer_triangle: Ints  #: (Fo,) body triangle
    outer_cell: Ints  #: (Fo,)
    inner_start: Ints  #: (Fi+1,)
    inner_vertex: Ints  #: (N',) corners of each inner face, counter-clockwise seen from the hi cell
    inner_bond: Ints  #: (Fi,)
    bond_cells: Ints  #: (B,2) lo, hi
    bond_area: Floats  #: (B,) [m^2]
    bond_normal: Floats  #: (B,3) unit, from lo to hi
    bond_centroid: Floats  #: (B,3) [m]
    bond_strength: Floats  #: (B,) relative to the material's own [1]
    volume: Floats  #: (C,) [m^3]
    centroid: Floats  #: (C,3) [m]
    second_moment: Floats  #: (C,3,3) integral of (x-c)(x-c)^T over the cell, about its centroid [m^5]
    region: Ints  #: (C,) region of the partition
    site: Floats  #: (C,3) site of the region, or the centroid where a region fell into several cells [m]
    unit: Ints  #: (C,) cells with an equal value never part (groups of the partition, merged crumbs); 0..U-1
    crumb: Bools  #: (C,) cells too thin to be pieces, or dropped by the partition: they joined a neighbour's unit


@dataclass(frozen=True, eq=False, slots=True)
class Units(Frozen):
    """The graph on which breaking rules work: cells that never part, contracted to units that share links."""

    volume: Floats  #: (U,) [m^3]
    centroid: Floats  #: (U,3) [m]
    site: Floats  #: (U,3) the site of a unit of one cell, the centroid of a larger one [m]
    links: Ints  #: (L,2) pairs of units a < b that share at least one bond
    area: Floats  #: (L,) bonded area [m^2]
    normal: Floats  #: (L,3) mean unit normal from a to b
    centroid_link: Floats  #: (L,3) centroid of the bonded area [m]
    strength: Floats  #: (L,) mean over the bonded area, relative to the material's own [1]
    bond_link: Ints  #: (B,) link of each bond, -1 inside a unit


@dataclass(frozen=True, eq=False, slots=True)
class Strengths(Frozen):
    """How strong, heavy and strained the matter of some cells is, relative to its material's own values."""

    bond: Floats  #: (B,) factor of the strength, infinite where nothing breaks [1]
    link: Floats  #: (L,) the mean of `bond` over the bonded area [1]
    density: Floats  #: (C,) factor of the density [1]
    prestress: Floats  #: (B,) tension across the bond before anything hits, negative where it is pressed [Pa]


@dataclass(frozen=True, eq=False, slots=True)
class Impact(Frozen):
    """One hit on the object."""

    point: Floats  #: (3,) [m]
    direction: Floats  #: (3,) unit vector of the blow
    strength: float  #: force F of the hit in the material's own measure (dimensionless)
    speed: float  #: speed that the blow hands to the matter at the point [m/s]
    radius: float  #: reach of the blow: Barr's reference length and the falloff of the speed [m]; 0 = automatic
    time: float  #: [s] since the start of the clock
    impulse: float = 0.0  #: that a contact handed over [N s]; 0: what the speed makes of the mass that it reaches
    automatic: bool = False  #: nobody chose the speed: what would only be ground to dust by it takes less


@dataclass(frozen=True, eq=False, slots=True)
class Clock(Frozen):
    """The frames for which motion is stored."""

    fps: float  #: frames per second
    frames: int  #: most stored frames, the start included
    #: Stored frames after which the clock ends as soon as everything is at rest; 0: never before the last one.
    least: int = 0


@dataclass(frozen=True, eq=False, slots=True)
class Ground(Frozen):
    """An infinite horizontal floor below the body."""

    height: float  #: [m] z of the floor


@dataclass(frozen=True, eq=False, slots=True)
class Collider(Frozen):
    """Something in the way of the pieces that does not break: it stands still, is moved from pose to pose, or deforms.

    Where there are fewer poses or meshes than stored frames it stays as the last one says.
    """

    mesh: Mesh  #: in the object's own axes from its origin, with its scale [m]; its turn is the identity
    position: Floats  #: (S,3) of the object's origin at each stored frame; (1,3) where it stands still [m]
    rotation: Floats  #: (S,4) or (1,4) unit quaternion w,x,y,z, sign-continuous in time
    #: The mesh at each of S stored frames where it deforms, in body coordinates, in place of the three above. Frames
    #: share their triangles where these stay the same; where they do not, points move as far as the next skin is.
    deformed: tuple[Mesh, ...] = ()


def _zeros() -> Floats:
    return np.zeros(3)


def _no_rows() -> Floats:
    return np.zeros((0, 3))


@dataclass(frozen=True, eq=False, slots=True)
class Influence(Frozen):
    """Fields over an object's mesh, spheres in the world, and a span of time. Without any of them all may break.

    Values of the mesh are those of the corners of its triangles; rows are those of the Mesh's triangle table.
    """

    #: (T,3) factor of the threshold, infinite where nothing breaks. Empty: 1.
    toughness: Floats = dataclasses.field(default_factory=_no_rows)
    #: (T,3) how much each corner is anchored, 0..1; a piece is where it has a face of 1/2 or more. Empty: nowhere.
    anchored: Floats = dataclasses.field(default_factory=_no_rows)
    #: (n,4) centres in the world, and radii [m]: what is hit outside of all of them does not break. Empty: no limit.
    spheres: Floats = dataclasses.field(default_factory=lambda: np.zeros((0, 4)))
    start: float = 0.0  #: [s] nothing breaks before
    end: float = np.inf  #: [s] nor after


@dataclass(frozen=True, eq=False, slots=True)
class Painted(Frozen):
    """What an artist has painted on a mesh, as a field of strength may want it."""

    source: str  #: "group", "image" or "attribute"
    name: str
    values: Floats  #: (T,3) at the corners of the mesh's triangles, 0..1


@dataclass(frozen=True, eq=False, slots=True)
class Course(Frozen):
    """A number of the chosen breaking method that an artist has keyframed."""

    name: str  #: of the method's params
    values: Floats  #: (S,) in SI units at each stored frame; it stays at the last one


@dataclass(frozen=True, eq=False, slots=True)
class Scene(Frozen):
    """Everything that is read from the outside world before the work begins.

    An object that was moving hands its motion to its pieces: a piece with its centre of mass at c starts with the
    velocity `velocity + spin x (c - pivot)`, and with the spin of the object. Those of one that deforms start as the
    surface around them moved, see `simulation.surface_motion`.
    """

    mesh: Mesh
    impacts: tuple[Impact, ...]
    gravity: Floats  #: (3,) [m/s^2]
    ground: Ground | None
    clock: Clock
    colliders: tuple[Collider, ...] = ()
    velocity: Floats = dataclasses.field(default_factory=_zeros)  #: (3,) of the object at `pivot`, at the start [m/s]
    spin: Floats = dataclasses.field(default_factory=_zeros)  #: (3,) of the object at the start, world axes [rad/s]
    pivot: Floats = dataclasses.field(default_factory=_zeros)  #: (3,) point of the object that has `velocity` [m]
    #: (V,3) of each vertex of the mesh at the start, in world axes [m/s]. Empty: the object keeps its form.
    flow: Floats = dataclasses.field(default_factory=_no_rows)
    touches: bool = False  #: whether it is kept what pressed on what in each frame, which may be much
    influence: Influence = dataclasses.field(default_factory=Influence)
    painted: tuple[Painted, ...] = ()  #: what the fields of strength are painted with
    courses: tuple[Course, ...] = ()  #: what changes of a continuum method from frame to frame


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a job is: a fraction of 0..1 that never falls, and what is being done."""

    fraction: float
    text: str


@dataclass(frozen=True, eq=False, slots=True)
class Fracture(Frozen):
    """What broke, when and why. Fragment k is a set of units that hold together from its birth until its death."""

    cells: tuple[Cells, ...]  #: one diagram for each body that was cut: the object's own, then those of its pieces
    fragment_cut: Ints  #: (K,) the diagram that each fragment is made of
    fragment_start: Ints  #: (K+1,)
    fragment_unit: Ints  #: (.,) units of each fragment, in its diagram
    parent: Ints  #: (K,) fragment that it broke from, -1 for the whole body
    birth: Ints  #: (K,) stored frame from which it exists
    death: Ints  #: (K,) stored frame from which it no longer exists; S where it lives to the end
    crack_time: Floats  #: (.,) [s]
    crack_cut: Ints  #: (.,) diagram
    crack_link: Ints  #: (.,) link of its units graph
    crack_load: Floats  #: (.,) what acted, in the rule's own measure
    crack_limit: Floats  #: (.,) what the link could bear


@dataclass(frozen=True, eq=False, slots=True)
class Fragments(Frozen):
    """Closed meshes in material coordinates, packed; vertices of fragment k are relative to its centre of mass."""

    vertex_start: Ints  #: (K+1,)
    vertices: Floats  #: (V,3) [m]
    face_start: Ints  #: (K+1,) faces of each fragment
    corner_start: Ints  #: (F+1,) corners of each face
    corner_vertex: Ints  #: (N,) vertex of the fragment, counted from its own first one
    corner_weight: Floats  #: (N,3) barycentric coordinates in the corner's body triangle; 0 on inner faces
    face_triangle: Ints  #: (F,) body triangle, one of them where there are several, -1 on inner faces
    face_bond: Ints  #: (F,) bond of an inner face, -1 on outer faces
    mass: Floats  #: (K,) [kg]
    volume: Floats  #: (K,) of the mesh [m^3]
    centre: Floats  #: (K,3) centre of mass at rest [m]
    inertia: Floats  #: (K,3,3) about the centre of mass, rest axes [kg m^2]
    #: (N,) body triangle in which the side from each corner to the next began, -1 on inner faces: one of those whose
    #: `Body.polygon` is that of the face's. Empty: the face's own.
    corner_triangle: Ints = dataclasses.field(default_factory=lambda: np.zeros(0, dtype=np.int64))


@dataclass(frozen=True, eq=False, slots=True)
class Motion(Frozen):
    """Where each fragment is at each stored frame, and the energy of the whole."""

    time: Floats  #: (S,) [s]
    position: Floats  #: (S,K,3) centre of mass [m]
    rotation: Floats  #: (S,K,4) unit quaternion w,x,y,z, sign-continuous in time
    alive: Bools  #: (S,K)
    energy: Floats  #: (S,3) kinetic energy of translation, of rotation, potential energy [J]
    work: Floats  #: (S,) that colliders did on the fragments on the way to each frame [J]
    touch_frame: Ints  #: (T,) stored frame on the way to which two things pressed on each other; kept where asked for
    touch_pair: Ints  #: (T,2) fragments; collider i is -1 - i, and the ground comes after the last collider
    touch_impulse: Floats  #: (T,3) on the first of the two, over the whole frame [N s]
    touch_point: Floats  #: (T,3) where [m]


@dataclass(frozen=True, eq=False, slots=True)
class VertexTrack(Frozen):
    """How a fragment deforms: its vertices at the stored frames in which it does. Poses of `Motion` go on top of them.

    Before the first of these frames it has the form of its mesh, after the last one the form that it has then: what
    was bent stays bent.
    """

    fragment: int
    first: int  #: stored frame of the first row
    vertices: Floats  #: (F,V,3) as those of the fragment in `Fragments`: in its own axes, from its centre at rest [m]
