import pytest

from core.breaking import RULES
from core.config.material import Material
from core.config.registry import Method, Registry
from core.continuum import CONTINUA
from core.errors import InputError
from core.pieces import PARTITIONS
from core.rigid import MOTIONS


def toy(method_id):
    return Method(method_id, method_id.title(), "A toy", "none", Material, lambda: method_id)


def test_a_method_is_found_by_its_id():
    registry = Registry("toy", {4: toy("ball"), 2: toy("doll")})
    assert registry["doll"].run() == "doll"
    assert [method.id for method in registry] == ["ball", "doll"]
    assert [(number, method.id) for number, method in registry.items()] == [(4, "ball"), (2, "doll")]


def test_an_unknown_id_lists_the_known_ones():
    with pytest.raises(InputError, match='no toy "kite"; choose one of ball, doll'):
        Registry("toy", {1: toy("ball"), 2: toy("doll")})["kite"]


def test_two_methods_cannot_share_an_id():
    with pytest.raises(ValueError, match="share an id"):
        Registry("toy", {1: toy("ball"), 2: toy("ball")})


def test_a_registry_does_not_change_with_the_mapping_it_was_made_of():
    numbered = {1: toy("ball")}
    registry = Registry("toy", numbered)
    numbered[2] = toy("doll")
    assert [method.id for method in registry] == ["ball"]


def test_numbers_that_files_store_are_never_changed():
    # Blend files hold these numbers: a line here may be added, never edited.
    assert {"impact_factor": 1}.items() <= {method.id: number for number, method in RULES.items()}.items()
    assert {"rigid": 1}.items() <= {method.id: number for number, method in MOTIONS.items()}.items()
    assert {"voronoi": 1}.items() <= {method.id: number for number, method in PARTITIONS.items()}.items()


def test_continuum_methods_divide_and_start():
    assert {"spring_lattice": 4}.items() <= {method.id: number for number, method in CONTINUA.items()}.items()
    assert all(callable(part) for method in CONTINUA for part in (method.run.divide, method.run.start))


@pytest.mark.parametrize("registry", [RULES, PARTITIONS, MOTIONS, CONTINUA], ids=lambda registry: registry.kind)
def test_entries_that_ship_are_complete(registry):
    for number, method in registry.items():
        assert number > 0
        assert method.id.isidentifier() and method.id == method.id.lower()
        assert method.label and method.doc and method.reference
        assert not method.doc.endswith(".")
        assert callable(method.run) or registry is CONTINUA
