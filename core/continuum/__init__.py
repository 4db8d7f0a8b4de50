"""Continuum methods: matter that deforms until it cracks, each a module with a METHOD, numbered for files.

In: a `contract.ContinuumObject`, and the `contract.Surroundings` of each frame. Out: the pieces of a
`contract.ContinuumRun` and where any point of them is. Numbers are those of breaking rules, too: an artist chooses one
of either. What is in the way of nodes is the same for all of them: `plane_contacts`.
"""

from ..config.registry import Registry
from .contract import Continuum
from .finite_element import method as elements
from .spring_lattice import method as springs

CONTINUA: Registry[Continuum] = Registry("continuum method", {4: springs.METHOD, 5: elements.METHOD})
