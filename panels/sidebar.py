"""What all panels of the tab share."""

import textwrap
from collections.abc import Container
from typing import Any

import bpy

from ..operators import curves, drawn, idnames, preferences, zeros
from ..operators.generated import shown
from ..operators.help import page_of
from ..operators.job import JobOperator
from ..operators.targets import target

#: Mean width of a letter, and what icon and borders take, in pixels of an unscaled interface. By eye, with Blender's
#: own font.
LETTER, MARGIN = 5.8, 84.0
#: Share of the width that labels have. As Blender has it.
LABELS = 0.4

#: Spheres, or colliders, that are listed by name; a scene may have thousands. By eye.
LISTED = 12


class Sidebar:
    """Mixin: a panel in the tab Brittle of the 3D view's sidebar."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = idnames.TAB

    def draw_header_preset(self, _context: Any) -> None:
        """A question mark that opens the page of the panel."""
        layout = self.layout  # type: ignore[attr-defined]
        layout.emboss = "NONE"
        layout.operator("wm.url_open", text="", icon="QUESTION").url = page_of(self.bl_idname).as_uri()  # type: ignore[attr-defined]


class SimpleSection(Sidebar):
    """Mixin: a section below the main panel that needs an object to break."""

    bl_parent_id = idnames.Panel.MAIN
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Shown where there is an object to break."""
        return target(context) is not None


class Section(SimpleSection):
    """Mixin: a section that the simple look does not have."""

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Shown where there is an object to break, and all is asked for."""
        return preferences.shows_everything(context) and target(context) is not None


def object_settings(context: Any) -> Any:
    """The settings of the object that the tab is about."""
    return getattr(target(context), idnames.OBJECT)


def waiting(layout: Any) -> Any:
    """A column that waits while a job runs, which would take back what is set meanwhile."""
    col = layout.column()
    col.enabled = JobOperator.shown is None
    return col


def split(layout: Any) -> Any:
    """A column that waits, with labels to the left of the values, and no dots for keyframes, which would do nothing."""
    col = waiting(layout)
    col.use_property_split = True
    col.use_property_decorate = False
    return col


def draw_params(layout: Any, group: Any, without: Container[str] = (), only: Container[str] | None = None) -> None:
    """One row for each declared value of a settings group that counts, in their order."""
    col = split(layout)
    for name, label in shown(group):
        if name in without or (only is not None and name not in only):
            continue
        if drawn.axes_of(group, name) is not None:
            _draw_curve(col, group, name, label)
        elif zeros.switch_of(name) in group.bl_rna.properties:
            draw_with_switch(col, group, name, label)
        else:
            col.prop(group, name, text=label)


def draw_switches(layout: Any, group: Any, names: Container[str]) -> None:
    """One row for each of these switches of a settings group, over the whole width: their texts are long."""
    col = split(layout)
    col.use_property_split = False
    for name, label in shown(group):
        if name in names:
            col.prop(group, name, text=label)


def draw_with_switch(layout: Any, group: Any, name: str, label: str) -> None:
    """A value of which 0 is a word: a switch that has it, and the value beside it where the switch is off."""
    both = layout.split(factor=LABELS, align=True)  # as property split has it
    left = both.row()
    left.alignment = "RIGHT"
    left.label(text=label)
    chosen = zeros.is_chosen(group, name)
    several = getattr(group.bl_rna.properties[name], "is_array", False)
    right = both.column(align=True) if several else both.row(align=True)
    right.use_property_split = False
    right.prop(group, zeros.switch_of(name), toggle=True)
    if not chosen:
        right.prop(group, name, text="")


def _draw_curve(layout: Any, group: Any, name: str, label: str) -> None:
    """A curve to pull, where it is drawn, and what stands along it; else its text, and the button that draws it."""
    node = drawn.node_of(group, name)
    row = layout.row(align=True)
    if node is None:
        row.prop(group, name, text=label)
    else:
        row.label(text=label)
    button = row.operator(idnames.Operator.CURVE_DRAW, text="", icon="FCURVE", depress=node is not None)
    button.group, button.name = group.path_from_id().rpartition(".")[2], name
    if node is None:
        return
    axes = drawn.axes_of(group, name)
    curves.own_soon(group.id_data)
    curves.share_soon(group, name, bpy.context)
    layout.template_curve_mapping(node, "mapping")
    layout.label(text=f"Up: {axes.up}", icon="BLANK1")
    layout.label(text=f"Across: {axes.across}", icon="BLANK1")


def draw_text(layout: Any, context: Any, text: str, icon: str) -> None:
    """A sentence, broken into as many lines as the width of the sidebar needs."""
    width = context.region.width / context.preferences.system.ui_scale if context.region is not None else 0.0
    col = layout.column(align=True)
    for line in textwrap.wrap(text, max(24, int((width - MARGIN) / LETTER))):
        col.label(text=line, icon=icon)
        icon = "BLANK1"
