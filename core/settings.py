"""What an artist chose: pieces, breaking, motion, material, fields, broken faces, permitted repairs, seed."""

from dataclasses import dataclass, field

from .config.breakable import Breakable
from .config.material import Material
from .config.params import DeclaredParams, check_params
from .config.repair import Repair
from .config.surface import Surface
from .pieces.convention import PieceParams
from .strength.choice import FieldChoice, check_fields
from .types import OwnPattern


@dataclass(frozen=True, slots=True)
class Settings:
    """The three free choices by id, each with its params (see the registries), and one seed for all randomness."""

    seed: int
    pieces: str
    pieces_params: PieceParams
    breaking: str
    breaking_params: DeclaredParams
    material: Material
    repair: Repair = field(default_factory=Repair)
    motion: str = "rigid"
    motion_params: DeclaredParams | None = None  #: None: as the method declares them
    surface: Surface = field(default_factory=Surface)
    breakable: Breakable = field(default_factory=Breakable)
    own: OwnPattern | None = None  #: what a pattern of the artist's own meshes cuts with; other pieces leave it alone
    fields: tuple[FieldChoice, ...] = ()  #: of strength, density and prestress, from the first of the stack on

    def check(self) -> None:
        """Hold every value against its declaration. Raises InputError."""
        methods = self.pieces_params, self.breaking_params, self.motion_params
        for params in (*methods, self.material, self.repair, self.surface, self.breakable):
            if params is not None:
                check_params(params)
        check_fields(self.fields)
