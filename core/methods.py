"""The ways to break that an artist chooses between: rules for what is rigid until it breaks, and continuum methods."""

from .breaking import RULES
from .config.registry import joined_registry
from .continuum import CONTINUA

BREAKINGS = joined_registry("way to break", RULES, CONTINUA)
