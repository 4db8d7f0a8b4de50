"""The records on which the kernels of the motion work: one for each body, part, face and pair of parts.

A kernel takes a few arrays of records instead of dozens of arrays: it compiles faster, and the functions that it calls
stay small. See core/record_arrays.py.
"""

from ..record_arrays import record_type

POINTS = 8  # contact points of a pair at most; by eye; the prototype kept four
IMPULSES = POINTS + 3  # of a pair: one for each point, two along the tangents, one about the normal


#: A convex part of a body, in the coordinates of `ConvexParts`.
PART = record_type(
    vertex=("i8", 2),  # first of its vertices, and the one after the last
    face=("i8", 2),  # the same for its faces
    edge=("i8", 2),  # the same for its edges
    centre=("f8", 3),  # of a sphere around it [m]
    radius="f8",  # of that sphere [m]
)

#: A face of a convex part: a planar polygon.
FACE_RECORD = record_type(
    normal=("f8", 3),  # unit, outwards
    offset="f8",  # normal . x = offset on the plane [m]
    loop=("i8", 2),  # first of its corners in `loop`, and the one after the last
    adjacent="i8",  # the part that lies on its other side while the two hold together, -1 where none does
    patch=("i8", 2),  # of a face that is divided: first of its patches, and the one after the last; then they count
)

#: A part of a face that is divided: a convex polygon. The patches of a face fill it, but for slivers.
PATCH = record_type(
    corner=("i8", 2),  # first of its corners in `outline`, and the one after the last
    adjacent="i8",  # as that of a face
)

#: A rigid body, or a thing that is kinematic (a collider, the ground): where it is, how it moves, how it resists.
BODY = record_type(
    velocity=("f8", 6),  # velocity [m/s], angular velocity [rad/s]; with the next two, one line of the cache
    inverse_mass="f8",  # 0 for what is kinematic, and for sleepers [1/kg]
    changed="i8",  # scratch: the last sweep in which its velocity changed
    position=("f8", 3),  # of its centre of mass [m]
    rotation=("f8", 4),  # unit quaternion w,x,y,z from rest axes to world axes
    angular_momentum=("f8", 3),  # about the centre of mass, world axes [kg m^2/s]
    turn=("f8", (3, 3)),  # the rotation as a matrix
    origin=("f8", 3),  # world = turn . p + origin for a point p in material coordinates [m]
    centre=("f8", 3),  # of mass, in material coordinates [m]
    inverse_inertia=("f8", (3, 3)),  # world axes, 0 for what is kinematic [1/(kg m^2)]
    moments=("f8", 3),  # principal moments of inertia, ascending [kg m^2]
    axes=("f8", (3, 3)),  # principal axes as columns, rest axes
    mass="f8",  # [kg]
    radius="f8",  # of the farthest point from the centre of mass [m]
    friction="f8",  # Coulomb coefficient, nothing for what is kinematic
    restitution="f8",  # 0..1, nothing for what is kinematic
    immovable="i8",  # 1 for what is kinematic and for pinned bodies: nothing moves it
    pushed=("f8", 6),  # sum of the position corrections of this frame: displacement and rotation vector [m, rad]
    rotation_angle="f8",  # sum of the angles by which it turned in this frame [rad]
    hit="f8",  # scratch: the fastest approach at a contact of it [m/s]
    struck="i8",  # 1 if a contact may change its velocity within this substep
    wake="i8",  # how it has to wake, 0 if it need not
    waking_mass="f8",  # the largest mass that moves against it while it sleeps, infinite for what is kinematic [kg]
    rested="i8",  # 1 if it has been slow for so long that it is about to sleep
    moved=("f8", 6),  # scratch: displacement and rotation vector of a position correction [m, rad]
)

#: How far a body may move until the boxes around its parts do not hold any more.
ENLARGED_BOX = record_type(
    position=("f8", 3),  # of its centre of mass when they were made [m]
    rotation=("f8", 4),  # unit quaternion, then
    behind=("f8", 3),  # the way that it may go in negative direction [m], not positive
    ahead=("f8", 3),  # in positive direction [m], not negative
    turn="f8",  # the way that a rotation may carry its farthest point [m]
    falls="i8",  # 1 if there is room for gravity in its own direction alone
)

#: Two parts whose boxes overlap. Side 0 is a, side 1 is b.
PAIR = record_type(
    key="i8",  # a number for the two parts, the same from frame to frame
    body=("i8", 2),  # rows of the two bodies, the first one free to move
    part=("i8", 2),
    axis=("i8", 3),  # what separated them last, see MANIFOLD
    contact="i8",  # row of their contact, -1 where they have none
    known="i8",  # 1 once the two have been looked at
    fresh="i8",  # 1 if their axis was looked for in this frame
    clear="f8",  # how far apart they were at least when looked at last in this frame, 0 if not known [m]
    between=("f8", 3),  # from body a to body b, then [m]
    rotation_way="f8",  # the ways that rotations had carried their farthest points, then [m]
    offset="f8",  # overlap at birth, which counts as none [m], not positive
    extent="f8",  # radius of the smaller free body [m]
)

#: How two parts touch: what the narrow phase finds. The normal points from b to a.
MANIFOLD = record_type(
    body=("i8", 2),
    part=("i8", 2),
    axis=("i8", 3),  # what separates them: FACE_A, FACE_B or EDGES, and the faces or edges, counted in their parts
    count="i8",  # of points
    apart="f8",  # where there are none: how far apart the parts are at least, 0 if that is not known [m]
    normal=("f8", 3),  # unit
    gap=("f8", POINTS),  # distance along the normal, negative where they overlap [m]
    point=("f8", (POINTS, 2, 3)),  # the point of each body that touches, in world coordinates [m]
)

#: Two parts that touch, as long as they do.
CONTACT = record_type(
    body=("i8", 2),
    count="i8",  # of points
    extent="f8",  # radius of the smaller free body [m]
    offset="f8",  # gap that counts as none: the rest offset, and what PAIR says [m]
    normal=("f8", 3),  # unit
    holder="i8",  # side of the body with which the normal turns: that of the face it is normal to
    local=("f8", (2, 3)),  # the normal in the rest axes of each body
    anchor=("f8", (POINTS, 2, 3)),  # the points in the material coordinates of each body [m]
    gap=("f8", POINTS),  # beyond the offset [m]
    impulse=("f8", IMPULSES),  # of the points [N s], along the tangents [N s], about the normal [N m s]
    # Of the present substep or frame:
    approach=("f8", POINTS),  # normal velocity before the first solve of the substep [m/s]
    before=("f8", POINTS),  # scratch: of the correction, or of earlier points
    pressure=("f8", 3),  # centre of pressure, where friction acts [m]
    total=("f8", 3),  # impulse on body a in this frame, world axes [N s]
    normal_impulse="f8",  # sum of the impulses of the points in this frame [N s]
    impulse_moment=("f8", (2, 3)),  # sum of the points of each body, material, times their impulses [N s m]
    work="f8",  # of b on a in this frame, where b is kinematic [J]
    carried="i8",  # 1 if an impulse or a correction acted in this frame
)

#: A contact as the solver sees it in a substep: a block of rows, those of its points, then the three of friction.
CONTACT_CONSTRAINT = record_type(
    body=("i8", 2),
    first="i8",  # of its rows
    count="i8",  # of points
    normal=("f8", 3),  # unit
    tangent=("f8", (2, 3)),  # unit, across the normal
    cross="f8",  # change of the velocity along one tangent by a unit impulse along the other [1/kg]
    tolerance="f8",  # change of a row's velocity that counts as none [m/s]
    regularisation="f8",  # velocity by which a point misses its target for a new impulse, in its effect
    extent="f8",  # radius of the smaller free body [m]
    friction="f8",  # of the two bodies together, see `shared`
    restitution="f8",  # the same
)

#: One impulse of a contact, in the substep. Sides: 0 a, 1 b.
CONTACT_ROW = record_type(
    jacobian=("f8", (2, 3)),  # arm x direction, of b with the sign of the reaction [m]
    inverse_mass_jacobian=("f8", (2, 3)),  # change of the angular velocity by a unit impulse: I^-1 Jacobian
    inverse_effective_mass="f8",  # change of the row's own velocity by a unit impulse: K [1/kg]
    target="f8",  # least velocity of a point [m/s]
    impulse="f8",  # [N s], [N m s] about the normal
    begun="f8",  # the same at the start of a solve
    distance="f8",  # of a point from the centre of pressure [m]
)

#: What the energy budget sums over an island of bodies, and what it takes back from it.
ISLAND_ENERGY = record_type(
    mass="f8",  # [kg]
    momentum=("f8", 3),  # [kg m/s]
    free="f8",  # kinetic energy as seen from what the island rests on [J]
    gain="f8",  # of kinetic energy in the frame [J]
    had="f8",  # kinetic energy at its start [J]
    height="f8",  # gain of potential energy [J]
    climb="f8",  # the same without what the island was carried [J]
    lift="f8",  # the part of it that position corrections gave [J]
    raised="f8",  # the same, of each body no more than it rose [J]
    work="f8",  # of the colliders [J]
    share="f8",  # of the corrections to take back
    back="f8",  # of the displacement to take back
    scale="f8",  # of the velocities that stays
    drives="f8",  # 1 if the island touched a moving collider
)

#: Kinds of axes that separate two parts.
NO_AXIS, FACE_A, FACE_B, EDGE_PAIR = 0, 1, 2, 3
