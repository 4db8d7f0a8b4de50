"""What an artist can add as a lattice, each with its measures (Norton et al. 1991; docs/papers/norton1991.md, N7)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from ...config.params import DeclaredParams, check_params, param
from ...errors import InputError
from ...types import Floats
from ...wording import number
from ..spring_lattice.blocks import grid_complex, ring_complex, slab_complex
from ..spring_lattice.hexahedra import HexahedralComplex, check_hexahedra
from .bezier import bezier_points, even_places, thicken_patch
from .discs import disc_grid
from .revolution import AROUND_A_RING, revolve_profiles
from .teapot import make_teapot

#: Cells that a shape may have at the most. Chosen: a hundred times as many as springs are fast for.
MOST_CELLS = 200_000
_SIZES = (1e-4, 1e4)  # of a shape [m], chosen beyond what is of use
_FINE = 400  # points of a curve of which lengths are measured; chosen beyond what is seen


def _length(default: float, label: str, doc: str) -> Any:
    return param(default, label, doc, unit="m", limits=_SIZES, soft=(0.01, 10.0))


def _cells(default: int, label: str, doc: str, least: int = 1) -> Any:
    return param(default, label, doc, limits=(least, 1000), soft=(least, 48))


@dataclass(frozen=True, slots=True)
class SlabParams:
    """A box."""

    # Defaults of all shapes are chosen by eye: things of 20 cm with cells of one or two.
    size_x: float = _length(0.2, "Length", "Length along x")
    size_y: float = _length(0.2, "Width", "Width along y")
    size_z: float = _length(0.04, "Height", "Height")
    cells_x: int = _cells(10, "Cells Along", "Cells along x")
    cells_y: int = _cells(10, "Cells Across", "Cells along y")
    cells_z: int = _cells(2, "Cells Up", "Cells from bottom to top")


@dataclass(frozen=True, slots=True)
class CylinderParams:
    """A solid cylinder."""

    radius: float = _length(0.1, "Radius", "Radius of the cylinder")
    height: float = _length(0.2, "Height", "Height of the cylinder")
    rings: int = _cells(4, "Rings", "Rings of cells around the axis: eight times as many cells around")
    high: int = _cells(8, "Cells Up", "Cells from bottom to top")


@dataclass(frozen=True, slots=True)
class TubeParams:
    """A tube."""

    radius: float = _length(0.1, "Radius", "Outer radius")
    wall: float = _length(0.02, "Wall", "Thickness of the wall")
    height: float = _length(0.2, "Height", "Height of the tube")
    around: int = _cells(24, "Cells Around", "Cells around the axis: even numbers take the fewest springs", 3)
    through: int = _cells(1, "Through the Wall", "Cells through the wall")
    high: int = _cells(8, "Cells Up", "Cells from bottom to top")


@dataclass(frozen=True, slots=True)
class VaseParams:
    """A vase: a body of revolution between an inner and an outer profile, closed below."""

    foot: float = _length(0.04, "Foot", "Radius where it stands")
    belly: float = _length(0.16, "Belly", "Radius to which its curve is drawn halfway up: it reaches most of it")
    mouth: float = _length(0.06, "Mouth", "Radius of the opening")
    height: float = _length(0.25, "Height", "Height of the vase")
    wall: float = _length(0.008, "Wall", "Thickness of the wall")
    rings: int = _cells(3, "Rings", "Rings of cells in the bottom: eight times as many cells around")
    high: int = _cells(16, "Cells Up", "Cells from foot to mouth")
    through: int = _cells(1, "Through the Wall", "Cells through the wall")


@dataclass(frozen=True, slots=True)
class PatchParams:
    """A curved plate: the solid between two parallel Bezier patches."""

    size_x: float = _length(0.2, "Length", "Length along x")
    size_y: float = _length(0.2, "Width", "Width along y")
    thickness: float = _length(0.01, "Thickness", "Thickness of the plate")
    rise: float = param(
        0.08, "Rise", "How far the middle is pulled up, or down", unit="m", limits=(-1e4, 1e4), soft=(-1.0, 1.0)
    )
    twist: float = param(
        0.0,
        "Twist",
        "How far opposite corners go up, and the others down",
        unit="m",
        limits=(-1e4, 1e4),
        soft=(-1.0, 1.0),
    )
    cells_x: int = _cells(12, "Cells Along", "Cells along x")
    cells_y: int = _cells(12, "Cells Across", "Cells along y")
    through: int = _cells(1, "Through It", "Cells through the plate")


@dataclass(frozen=True, slots=True)
class TeapotParams:
    """The Utah teapot."""

    size: float = _length(0.2, "Length", "From handle to spout")
    fineness: int = param(2, "Fineness", "How fine its cells are: 24 around the body for each step", limits=(2, 6))
    through: int = param(1, "Through the Wall", "Cells through its walls", limits=(1, 8), soft=(1, 3))


#: Measures -> cells. Raises InputError where cells would be folded, or where measures do not fit each other.
MakeShape: TypeAlias = Callable[[Any], HexahedralComplex]


@dataclass(frozen=True, slots=True)
class LatticeShape:
    """A shape that an artist can add."""

    id: str
    label: str
    doc: str
    params: type[DeclaredParams]
    make: MakeShape


def make_shape(shape: LatticeShape, params: DeclaredParams) -> HexahedralComplex:
    """The cells of a shape, standing on z = 0 about the z axis. Raises InputError for measures that make none."""
    check_params(params)
    solid = shape.make(params)
    check_hexahedra(solid)
    return solid


def _check_count(cells: int) -> None:
    if cells > MOST_CELLS:
        raise InputError(
            f"The shape would have {number(cells, 7)} cells, and at most {number(MOST_CELLS, 7)} are made: take fewer."
        )


def _slab(params: SlabParams) -> HexahedralComplex:
    _check_count(params.cells_x * params.cells_y * params.cells_z)
    counts = params.cells_x, params.cells_y, params.cells_z
    box = slab_complex(counts, (params.size_x, params.size_y, params.size_z))
    return _moved(box, np.array([-0.5 * params.size_x, -0.5 * params.size_y, 0.0]))


def _cylinder(params: CylinderParams) -> HexahedralComplex:
    _check_count(4 * params.rings * params.rings * params.high)
    grid = disc_grid(params.rings)
    plan = params.radius / params.rings * grid.direction * grid.ring[..., None]
    place = np.empty((*grid.ring.shape, params.high + 1, 3))
    place[..., :2] = plan[:, :, None]
    place[..., 2] = params.height * (np.arange(params.high + 1) / params.high)
    return grid_complex(place)


def _tube(params: TubeParams) -> HexahedralComplex:
    _check_count(params.around * params.through * params.high)
    _check_wall(params.wall, params.radius)
    counts = params.around, params.through, params.high
    return ring_complex(counts, params.radius - params.wall, params.radius, params.height)


def _vase(params: VaseParams) -> HexahedralComplex:
    rings, around = params.rings, AROUND_A_RING * params.rings
    _check_count((around * params.high + 4 * rings * rings) * params.through)
    _check_wall(params.wall, min(params.foot, params.mouth))
    up = params.height - params.wall
    belly = params.belly
    side = np.array([(params.foot, 0.0), (belly, 0.3 * params.height), (belly, 0.7 * params.height), (0.0, 0.0)])
    side[3] = params.mouth, params.height
    outside = _even_curve(side, params.high)
    inside = _even_curve(
        side * np.array([1.0, up / params.height]) + np.array([-params.wall, params.wall]), params.high
    )
    share = np.arange(rings)[:, None] / rings
    outer = np.concatenate([share * outside[0], outside])
    inner = np.concatenate([share * np.array([inside[0, 0], 0.0]) + np.array([0.0, params.wall]), inside])
    return revolve_profiles(inner, outer, around, params.through)


def _patch(params: PatchParams) -> HexahedralComplex:
    _check_count(params.cells_x * params.cells_y * params.through)
    row = np.arange(4)
    net = np.empty((4, 4, 3))
    net[..., 0] = params.size_x * (row / 3.0 - 0.5)[:, None]
    net[..., 1] = params.size_y * (row / 3.0 - 0.5)
    inner = np.array([0.0, 1.0, 1.0, 0.0])
    corner = np.array([-1.0, -1.0 / 3.0, 1.0 / 3.0, 1.0])  # linear: a saddle
    net[..., 2] = params.rise * inner[:, None] * inner + params.twist * corner[:, None] * corner
    solid = thicken_patch(net, (params.cells_x, params.cells_y, params.through), params.thickness)
    return _moved(solid, np.array([0.0, 0.0, -float(solid.node_position[:, 2].min())]))


def _teapot(params: TeapotParams) -> HexahedralComplex:
    return make_teapot(params.size, params.fineness, params.through).solid


def _even_curve(control: Floats, cells: int) -> Floats:
    """Points (cells+1,2) of a cubic curve, evenly along it."""
    line = bezier_points(control, np.arange(_FINE + 1) / _FINE)
    return bezier_points(control, even_places(line, cells) / _FINE)


def _check_wall(wall: float, radius: float) -> None:
    if not wall < radius:
        raise InputError("The wall is thicker than the radius: make Wall smaller, or the shape wider.")


def _moved(solid: HexahedralComplex, by: Floats) -> HexahedralComplex:
    return HexahedralComplex(solid.node_position + by, solid.cell_node, solid.cell_parity)


#: In the order in which artists see them; files store the id.
LATTICE_SHAPES = (
    LatticeShape("slab", "Slab", "A box of deformable cells", SlabParams, _slab),
    LatticeShape("cylinder", "Cylinder", "A solid cylinder of cells that follow it", CylinderParams, _cylinder),
    LatticeShape("tube", "Tube", "A tube of cells that follow it", TubeParams, _tube),
    LatticeShape(
        "vase", "Vase", "A solid between an inner and an outer profile turned about an axis", VaseParams, _vase
    ),
    LatticeShape("patch", "Curved Plate", "A Bezier patch with a thickness", PatchParams, _patch),
    LatticeShape("teapot", "Utah Teapot", "Newell's teapot of six glued parts, and its lid", TeapotParams, _teapot),
)


def find_shape(name: str) -> LatticeShape:
    """The shape with this id. Raises InputError where there is none."""
    found = next((shape for shape in LATTICE_SHAPES if shape.id == name), None)
    if found is None:
        raise InputError(
            f'There is no shape "{name}"; choose one of {", ".join(shape.id for shape in LATTICE_SHAPES)}.'
        )
    return found
