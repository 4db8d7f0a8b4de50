"""Numbered registries: every method that an artist can choose, under a number that files store for good."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from ..errors import InputError
from .params import DeclaredParams

Run = TypeVar("Run")


@dataclass(frozen=True, slots=True)
class Method(Generic[Run]):
    """One choosable method.

    `id` names it in presets and scripts, `params` is its dataclass of declared values (see params.py), `run` is
    its function, and `reference` the paper or rule it follows.
    """

    id: str
    label: str
    doc: str
    reference: str
    params: type[DeclaredParams]
    run: Run


class Registry(Generic[Run]):
    """Methods of one kind by id, each with its fixed number; a number is never changed and never reused."""

    def __init__(self, kind: str, numbered: Mapping[int, Method[Run]]) -> None:
        self.kind = kind
        self._numbered = dict(numbered)
        self._by_id = {method.id: method for method in self._numbered.values()}
        if len(self._by_id) != len(self._numbered):
            raise ValueError(f"two methods of the registry {kind} share an id")

    def __contains__(self, method_id: object) -> bool:
        return method_id in self._by_id

    def __iter__(self) -> Iterator[Method[Run]]:
        return iter(self._numbered.values())

    def __getitem__(self, method_id: str) -> Method[Run]:
        """The method with this id. Raises InputError that lists the known ids."""
        if method_id not in self._by_id:
            raise InputError(f'There is no {self.kind} "{method_id}"; choose one of {", ".join(self._by_id)}.')
        return self._by_id[method_id]

    def items(self) -> Iterator[tuple[int, Method[Run]]]:
        """Pairs of number and method, in the order in which artists see them."""
        return iter(self._numbered.items())


def joined_registry(kind: str, *registries: Registry[Any]) -> Registry[Any]:
    """The methods of several registries as one choice. Raises ValueError where two share a number or an id."""
    pairs = [pair for registry in registries for pair in registry.items()]
    if len({number for number, _ in pairs}) != len(pairs):
        raise ValueError(f"two methods of the registry {kind} share a number")
    return Registry(kind, dict(pairs))
