"""A layout that notes what panels and menus draw, and checks each name: all that is drawn must exist."""

import types
from types import SimpleNamespace

import bpy

ICONS = {item.identifier for item in bpy.types.UILayout.bl_rna.functions["label"].parameters["icon"].enum_items}


class Operator:
    """Properties of a button; setting one that the operator does not have fails."""

    def __init__(self, idname):
        group, name = idname.split(".")
        self.__dict__["known"] = getattr(getattr(bpy.ops, group), name).get_rna_type().properties.keys()

    def __setattr__(self, name, value):
        assert name in self.known, name


class Layout:
    """Notes what is drawn, as Blender's layout would draw it."""

    enabled = True
    searched = []

    def __init__(self, drawn=None):
        self.drawn = [] if drawn is None else drawn

    def nested(self, **_):
        return Layout(self.drawn)

    row = column = box = split = nested

    def separator(self, **_):
        pass

    def template_list(self, kind, idname, data, name, active_data, active_name, rows=5):
        assert hasattr(bpy.types, kind) and idname == ""
        assert name in data.bl_rna.properties and active_name in active_data.bl_rna.properties
        self.drawn.append(("list", name))

    def template_curve_mapping(self, data, name):
        assert isinstance(getattr(data, name), bpy.types.CurveMapping)
        self.drawn.append(("curve", data.name))

    def operator_menu_enum(self, idname, name, text="", icon="NONE"):
        assert name in Operator(idname).known and icon in ICONS
        self.drawn.append(("operator", str(idname), text))

    def panel(self, idname, default_closed=False):
        return self.nested(), self.nested()

    def menu(self, menu, text="", icon="NONE"):
        assert getattr(bpy.types, menu).is_registered and icon in ICONS
        self.drawn.append(("menu", str(menu), text))

    def label(self, text="", icon="NONE"):
        assert icon in ICONS
        self.drawn.append(("label", text))

    def prop(self, data, name, text=None, icon="NONE", expand=False, toggle=False):
        assert name in data.bl_rna.properties and icon in ICONS
        self.drawn.append(("prop", name))

    def prop_search(self, data, name, owner, collection, text="", icon="NONE", results_are_suggestions=False):
        assert name in data.bl_rna.properties and collection in owner.bl_rna.properties and icon in ICONS
        self.searched.append(collection)
        self.drawn.append(("prop", name))

    def progress(self, text, factor):
        assert 0.0 <= factor <= 1.0
        self.drawn.append(("progress", text))

    def operator(self, idname, text="", icon="NONE", translate=True, depress=False, icon_value=0):
        assert icon in ICONS and icon_value >= 0
        self.drawn.append(("operator", str(idname), text))
        return Operator(idname)


def draw(name):
    """What a panel draws; None where its poll hides it."""
    layout = layout_of(name)
    return None if layout is None else layout.drawn


def layout_of(name):
    """The layout that a panel has drawn onto; None where its poll hides it."""
    cls = getattr(bpy.types, name)
    if hasattr(cls, "poll") and not cls.poll(bpy.context):
        return None
    layout = Layout()
    double = SimpleNamespace(layout=layout, preset_operator=getattr(cls, "preset_operator", None))
    for key, value in vars(cls).items():
        if isinstance(value, types.FunctionType):
            setattr(double, key, types.MethodType(value, double))
    double.draw(bpy.context)
    return layout


def names(drawn, kind):
    return [entry[1] for entry in drawn if entry[0] == kind]


def values(drawn):
    """Names of the settings that are drawn, each once: a switch that stands for a 0 counts as its value."""
    return list(dict.fromkeys(name.removesuffix("_auto") for name in names(drawn, "prop")))
