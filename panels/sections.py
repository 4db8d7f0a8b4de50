"""The settings: pieces, breaking, material, surface and motion. Whatever a method declares appears by itself."""

import bpy

from ..operators import idnames, pattern, preset
from ..operators.settings import is_continuum, method_group
from ..operators.targets import target
from .breakable import MOST
from .collisions import SWITCH
from .deformation import draw_controls, draw_deformation, draw_threshold
from .main import HEAD
from .sidebar import Section, SimpleSection, draw_params, draw_text, object_settings, split

#: How a continuum breaks where its faces are to be rough, and what counts of them then.
ROUGH, BUMPS = "rough", ("octaves", "amplitude", "wavelength", "quality")


class BRITTLE_PT_pieces(Section, bpy.types.Panel):
    """How the matter is divided."""

    bl_idname = idnames.Panel.PIECES
    bl_label = "Pieces"

    @classmethod
    def poll(cls, context):
        return super().poll(context) and not is_continuum(object_settings(context))

    def draw(self, context):
        settings = object_settings(context)
        self.layout.prop(settings, "pieces", text="")
        draw_params(self.layout, method_group(settings, "pieces"), without=HEAD)
        if pattern.cuts_with_meshes(settings):
            self._draw_meshes(context, settings)

    def _draw_meshes(self, context, settings):
        split(self.layout).prop(settings, "own_meshes")
        row = self.layout.row(align=True)
        row.operator(idnames.Operator.PATTERN_MARK, icon="EMPTY_SINGLE_ARROW")
        row.operator(idnames.Operator.PATTERN_ASSET, icon="ASSET_MANAGER")
        if settings.own_meshes is not None and not pattern.is_marked(settings.own_meshes):
            draw_text(
                self.layout, context, "Not marked: the middle of the meshes is at the hit, Z along the blow", "INFO"
            )


class BRITTLE_PT_breaking(Section, bpy.types.Panel):
    """What breaks under a hit."""

    bl_idname = idnames.Panel.BREAKING
    bl_label = "Breaking"

    def draw(self, context):
        settings = object_settings(context)
        draw_ways(self.layout, settings)
        self.layout.prop(settings, "breaking", text="")
        draw_params(self.layout, method_group(settings, "breaking"))
        draw_controls(self.layout, settings)
        draw_threshold(self.layout, target(context))


def draw_ways(layout, settings):
    """The ways in which the material breaks, where there are several: each brings its own pieces and numbers."""
    ways = preset.ways(settings.preset)
    row = layout.row(align=True) if ways else None
    for entry in ways:
        chosen = entry.is_called(settings.preset)
        text = preset.way_of(entry)
        row.operator(idnames.Operator.PRESET_APPLY, text=text, depress=chosen).name = entry.name


class BRITTLE_PT_material(Section, bpy.types.Panel):
    """What the matter is like."""

    bl_idname = idnames.Panel.MATERIAL
    bl_label = "Physical Properties"

    def draw(self, context):
        draw_params(self.layout, object_settings(context).material)


class BRITTLE_PT_surface(Section, bpy.types.Panel):
    """How broken faces look, and whether the pattern follows a wall."""

    bl_idname = idnames.Panel.SURFACE
    bl_label = "Broken Faces"

    def draw(self, context):
        settings = object_settings(context)
        col = split(self.layout)
        col.prop(settings, "inner_material")
        col.prop(settings, "faces")
        if not is_continuum(settings):
            draw_params(self.layout, settings.surface)
        elif getattr(method_group(settings, "breaking"), "borders", "") == ROUGH:
            draw_params(self.layout, settings.surface, only=BUMPS)


class BRITTLE_PT_motion(SimpleSection, bpy.types.Panel):
    """How the pieces move, where they land, and how long."""

    bl_idname = idnames.Panel.MOTION
    bl_label = "Ground & Motion"

    def draw(self, context):
        settings = object_settings(context)
        self.layout.prop(settings, "motion", text="")
        draw_params(self.layout, method_group(settings, "motion"))
        draw_params(self.layout, getattr(context.scene, idnames.SCENE), without=(SWITCH, MOST))
        draw_deformation(self.layout, context, target(context))


CLASSES = (
    BRITTLE_PT_pieces,
    BRITTLE_PT_breaking,
    BRITTLE_PT_surface,
    BRITTLE_PT_motion,
    BRITTLE_PT_material,
)
