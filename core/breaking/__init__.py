"""Breaking: rules that say which links fail under an impact, each a module with a METHOD, numbered for files."""

from ..registry import Registry
from . import impact_factor
from .contract import Loads, Rule

__all__ = ["RULES", "Loads", "Rule"]

RULES: Registry[Rule] = Registry("breaking rule", {1: impact_factor.METHOD})
