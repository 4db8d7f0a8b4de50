"""What all panels of the tab share."""

from typing import Any

from ..operators import idnames
from ..operators.targets import targets


class Sidebar:
    """Mixin: a panel in the tab Brittle of the 3D view's sidebar."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Brittle"


class Section(Sidebar):
    """Mixin: a section below the main panel that needs an object to break."""

    bl_parent_id = idnames.Panel.MAIN
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Shown where there is an object to break."""
        return bool(targets(context))


def object_settings(context: Any) -> Any:
    """The settings of the object that the tab is about."""
    return getattr(targets(context)[0], idnames.OBJECT)


def draw_params(layout: Any, group: Any) -> None:
    """One row for each property of a settings group, in the order of their declaration."""
    col = layout.column()
    col.use_property_split = True
    col.use_property_decorate = False
    for item in group.bl_rna.properties:
        if item.identifier not in {"rna_type", "name"} and not item.is_hidden:
            col.prop(group, item.identifier)
