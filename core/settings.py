"""What an artist chose: pieces, breaking, material, seed."""

from dataclasses import dataclass
from typing import Any

from .material import Material
from .params import check


@dataclass(frozen=True, slots=True)
class Settings:
    """The three free choices by id, each with its params (see the registries), and one seed for all randomness."""

    seed: int
    pieces: str
    pieces_params: Any
    breaking: str
    breaking_params: Any
    material: Material

    def check(self) -> None:
        """Hold every value against its declaration. Raises InputError."""
        for params in (self.pieces_params, self.breaking_params, self.material):
            check(params)
