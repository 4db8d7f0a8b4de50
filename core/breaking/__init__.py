"""Breaking: rules that say which links fail under an impact, each a module with a METHOD, numbered for files."""

from ..config.registry import Registry
from . import impact_factor, placed_pattern
from .constraint_lattice import method as lattice
from .contract import ImpactContext, Rule, Verdict, verdict_steps

__all__ = ["RULES", "ImpactContext", "Rule", "Verdict", "verdict_steps"]

RULES: Registry[Rule] = Registry(
    "breaking rule", {1: impact_factor.METHOD, 2: placed_pattern.METHOD, 3: lattice.METHOD}
)
