"""A new breaking rule costs one module and one registry line: settings, panel and Shatter then know it."""

import pytest

from tests.blender.copies import copy_with_method, run_copy

TOY = '''"""Everything breaks: each link of the fragment cracks."""

from dataclasses import dataclass

import numpy as np

from ..config.params import param
from ..config.registry import Method
from .contract import Verdict, struck_links


@dataclass(frozen=True, slots=True)
class ToyParams:
    """One number."""

    zeal: float = param(2.0, "Zeal", "How eagerly everything breaks", limits=(0.0, 5.0))


def loads(struck, params):
    """Loads of `zeal` on every link within the fragment."""
    load, limit = np.where(struck_links(struck), params.zeal, 0.0), np.ones(len(struck.units.links))
    return Verdict(load, limit, load > limit)


METHOD = Method("toy", "Toy", "Everything breaks", "none", ToyParams, loads)
'''

SCRIPT = """
bpy.ops.mesh.primitive_cube_add(location=(0.0, 0.0, 1.0))
obj = bpy.context.object
rules = {item.identifier: item.value for item in obj.brittle.bl_rna.properties["breaking"].enum_items}
from bl_ext.dev.brittle.core.methods import BREAKINGS
assert rules == {method.id: number for number, method in BREAKINGS.items()}, rules
assert {"impact_factor": 1, "placed_pattern": 2, "toy": 99}.items() <= rules.items(), rules
assert obj.brittle.toy.zeal == 2.0
obj.brittle.breaking = "toy"
obj.brittle.voronoi.count = 5
bpy.context.scene.brittle.frames = 3

bpy.types.BRITTLE_PT_breaking.draw(Panel(), bpy.context)
assert Layout.drawn == ["breaking", "zeal"], Layout.drawn
assert bpy.ops.brittle.shatter() == {"FINISHED"}
made = [item for item in bpy.data.collections["Cube Fragments"].objects if "brittle_fragment" in item]
pieces = [fragment for fragment in made if not fragment.hide_render]
assert len(pieces) == 5, len(pieces)
addon_utils.disable("bl_ext.dev.brittle")
print("the toy rule works")
"""


@pytest.fixture
def repository(tmp_path):
    """A repository folder with a copy of what ships, the toy's module and its line in the registry."""
    return copy_with_method(tmp_path, "core/breaking", TOY, "1: impact_factor.METHOD")


def test_one_module_and_one_line_make_a_rule(repository, tmp_path):
    assert "the toy rule works" in run_copy(SCRIPT, repository, tmp_path)
