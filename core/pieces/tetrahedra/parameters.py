"""What an artist chooses of tetrahedra."""

from dataclasses import dataclass

from ...config.params import Choice, param
from ..convention import grading

_LAYOUTS = (
    Choice(1, "uniform", "Random", "Splinters of uneven size and shape everywhere, many of them thin"),
    Choice(2, "blue_noise", "Even", "Stout splinters of about the same size everywhere"),
    Choice(3, "graded", "Graded", "Small splinters around the hit and large ones far away"),
)
_CORNERS = (
    Choice(1, "around", "Around", "Corners in and around the object: the surface cuts through the splinters"),
    Choice(2, "skin", "On Surface", "Corners on the surface and inside: splinters end at the surface"),
    Choice(
        3, "mesh", "Vertices", "Corners at the vertices of the mesh and inside: the mesh decides the size of splinters"
    ),
)
MESHERS = (
    Choice(1, "auto", "Auto", "By TetGen where it is installed and succeeds, which keeps each face of the mesh whole"),
    Choice(2, "delaunay", "Delaunay", "Without TetGen: the same pieces on every machine"),
)


@dataclass(frozen=True, slots=True)
class TetrahedraParams:
    """How many tetrahedra, where their corners are, and where the small ones go."""

    # Defaults: two points inside for each corner are the paper's (docs/papers/smith2001.md, S1), the others are by eye.
    count: int = param(
        100,
        "Pieces",
        "About how many pieces there are when everything breaks",
        limits=(2, 200000),
        soft=(2, 2000),
        needs=("corners", ("around", "skin")),
    )
    corners: str = param("around", "Corners", "Where the corners of the pieces are", choices=_CORNERS)
    inside: float = param(
        2.0,
        "Inner Points",
        "Points inside for each corner on the surface; fewer where walls are too thin for them",
        unit="1",
        limits=(0.0, 20.0),
        soft=(0.0, 4.0),
        needs=("corners", ("skin", "mesh")),
    )
    layout: str = param("graded", "Layout", "How the corners of the pieces are laid out", choices=_LAYOUTS)
    grading: float = grading(
        1.0, "How much smaller pieces are near the hit than far away; 0 makes them alike everywhere. For Graded"
    )
    mesher: str = param(
        "auto",
        "Mesher",
        "What joins the vertices of the mesh; pieces are others with TetGen than without",
        choices=MESHERS,
        needs=("corners", ("mesh",)),
    )

    @property
    def placed_by_impact(self) -> bool:
        """Whether the pattern depends on the hits."""
        laid_out = self.corners != "mesh" or self.inside > 0.0
        return laid_out and self.layout == "graded" and self.grading > 0.0
