import dataclasses
import math
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.config.material import Material
from core.config.params import Choice, check_params, counts, declared, from_mapping, param
from core.config.surface import Surface
from core.errors import InputError
from core.methods import BREAKINGS
from core.pieces import PARTITIONS
from core.rigid import MOTIONS

SHAPES = (Choice(1, "round", "Round", ""), Choice(2, "square", "Square", ""))


@dataclass(frozen=True, slots=True)
class Toy:
    width: float = param(1.5, "Width", "How wide", unit="m", limits=(0.0, 10.0), soft=(1.0, 2.0))
    count: int = param(3, "Count", "How many", limits=(2, None))
    smooth: bool = param(False, "Smooth", "Whether it is smooth")
    shape: str = param("round", "Shape", "Which shape", choices=SHAPES)
    axis: tuple[float, float, float] = param((0.0, 0.0, 1.0), "Axis", "Where it points", limits=(-1.0, 1.0))
    hidden: int = 7


def test_declared_lists_fields_in_order_with_defaults():
    assert [(field.name, field.default) for field in declared(Toy)] == [
        ("width", 1.5),
        ("count", 3),
        ("smooth", False),
        ("shape", "round"),
        ("axis", (0.0, 0.0, 1.0)),
    ]
    assert [field.name for field in declared(Toy())] == [field.name for field in declared(Toy)]


def test_soft_limits_are_the_hard_ones_where_none_are_given():
    by_name = {field.name: field.param for field in declared(Toy)}
    assert by_name["width"].soft == (1.0, 2.0)
    assert by_name["count"].soft == by_name["count"].limits == (2, None)


def test_a_value_counts_where_the_one_that_it_needs_has_the_right_setting():
    @dataclass(frozen=True, slots=True)
    class Shaped:
        shape: str = param("round", "Shape", "Which shape", choices=SHAPES)
        radius: float = param(1.0, "Radius", "How round", unit="m", needs=("shape", ("round",)))

    assert counts(Shaped(), "radius") and counts(Shaped(), "shape")
    assert not counts(Shaped(shape="square"), "radius")


def test_mapping_fills_what_it_names_and_converts_whole_numbers():
    toy = from_mapping(Toy, {"width": 2, "axis": [1, 0, 0], "shape": "square"})
    assert toy == Toy(width=2.0, axis=(1.0, 0.0, 0.0), shape="square")
    assert type(toy.width) is float and all(type(item) is float for item in toy.axis)
    assert from_mapping(Toy, {}) == Toy()


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"depth": 1.0}, ("depth", "width")),
        ({"hidden": 1}, ("hidden",)),
        ({"width": "2"}, ("Width",)),
        ({"width": True}, ("Width",)),
        ({"count": 2.0}, ("Count",)),
        ({"count": True}, ("Count",)),
        ({"smooth": 1}, ("Smooth",)),
        ({"shape": "oval"}, ("Shape", "oval", "round, square")),
        ({"shape": 1}, ("Shape",)),
        ({"axis": [1.0, 0.0]}, ("Axis",)),
        ({"axis": [1.0, 0.0, "x"]}, ("Axis",)),
        ({"axis": [0.0, 2.0, 0.0]}, ("Axis", "2.0")),
        ({"width": -0.1}, ("Width", "at least 0.0 m")),
        ({"width": 10.5}, ("Width", "at most 10.0 m")),
        ({"count": 1}, ("Count", "at least 2.")),
        ({"width": math.nan}, ("Width", "finite")),
        ({"width": math.inf}, ("Width", "finite")),
    ],
)
def test_wrong_values_are_refused_with_the_label_and_the_limit(values, words):
    with pytest.raises(InputError) as caught:
        from_mapping(Toy, values)
    for word in words:
        assert word in str(caught.value)


@given(st.floats(0.0, 10.0), st.integers(2, 10**6), st.booleans(), st.sampled_from(["round", "square"]))
def test_every_value_within_its_limits_passes(width, count, smooth, shape):
    values = {"width": width, "count": count, "smooth": smooth, "shape": shape}
    toy = from_mapping(Toy, values)
    assert {name: getattr(toy, name) for name in values} == values


def test_check_holds_instances_against_their_declaration():
    check_params(Toy())
    with pytest.raises(InputError, match="Count"):
        check_params(Toy(count=1))


SHIPPED = [Material, Surface, *(method.params for registry in (BREAKINGS, PARTITIONS, MOTIONS) for method in registry)]


@pytest.mark.parametrize("kind", SHIPPED, ids=lambda kind: kind.__name__)
def test_declarations_that_ship_are_complete(kind):
    check_params(kind())
    assert len(declared(kind)) == len(dataclasses.fields(kind)), "a value that artists cannot set"
    for field in declared(kind):
        assert field.param.label and field.param.doc, field.name
        assert not field.param.doc.endswith("."), f"{field.name}: Blender adds the full stop"
        numbers = [choice.number for choice in field.param.choices]
        assert len(set(numbers)) == len(numbers)
        low, high = field.param.limits
        within = [bound for bound in field.param.soft if bound is not None]
        assert all(low is None or bound >= low for bound in within), f"{field.name}: the slider leaves the limits"
        assert all(high is None or bound <= high for bound in within), f"{field.name}: the slider leaves the limits"
