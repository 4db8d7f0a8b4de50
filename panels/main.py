"""The head of the tab: material, count, seed, and the buttons."""

import bpy

from ..operators import blow_view, export_view, final, idnames, preferences, preview, shard_size, warm_up
from ..operators.account import parsed
from ..operators.job import COMPILING, JobOperator, told_with
from ..operators.selection import button_text, known_to_break
from ..operators.settings import is_continuum, method_group
from ..operators.targets import SELECT, known_breaking_objects, known_first_blow, report_of, target
from .deformation import draw_controls
from .report import headline
from .sidebar import Sidebar, draw_params, draw_text, split, waiting

#: Values of the pieces that stand in the head instead of the section, and those that the simple look has there as well.
HEAD, SIMPLE_HEAD = ("count",), ("count", "grading")
#: The value of a blow that stands in the head of the simple look.
FORCE = ("strength",)


class BRITTLE_PT_main(Sidebar, bpy.types.Panel):
    """Break the selected object."""

    bl_idname = idnames.Panel.MAIN
    bl_label = "Brittle"

    def draw(self, context):
        layout = self.layout
        blow_view.follow(context)
        shown = target(context)
        if shown is not None:
            self._draw_choices(context, shown)
        chosen = known_to_break(context)
        if not chosen:
            layout.label(text=SELECT, icon="INFO")
        row = layout.row()
        row.scale_y = 1.8
        progress = JobOperator.shown
        if progress is None:
            row.operator(idnames.Operator.SHATTER, text=button_text(chosen), icon="MOD_EXPLODE")
            if warm_up.is_busy():
                share, left = warm_up.how_far()
                layout.progress(text=told_with(COMPILING, left), factor=share)
            self._draw_simulate(context)
            self._draw_result(context, shown)
        else:
            row.progress(text=progress.text, factor=progress.fraction)
        layout.operator(idnames.Operator.PREVIEW, icon="HIDE_OFF", depress=preview.live.is_on())
        self._draw_preview(context)
        layout.operator(idnames.Operator.RESTORE, icon="LOOP_BACK")
        if export_view.shattered(context):
            waiting(layout).operator_menu_enum(idnames.Operator.SELECT_PIECES, "by", icon="RESTRICT_SELECT_OFF")
            layout.operator(idnames.Operator.EXPORT_READY, icon="EXPORT", depress=export_view.is_ready(context))

    def _draw_simulate(self, context):
        count = len(known_breaking_objects(context))
        if count:
            row = self.layout.row()
            row.scale_y = 1.4
            text = "Simulate 1 Object" if count == 1 else f"Simulate {count} Objects"
            row.operator(idnames.Operator.SIMULATE, text=text, icon="PLAY")

    def _draw_result(self, context, obj):
        account = report_of(obj) if obj is not None else ""
        col = self.layout.column(align=True)
        for text, icon in headline(parsed(account)) if account else ():
            draw_text(col, context, text, icon)
        if final.known_unfinished(context):
            self.layout.operator(idnames.Operator.MAKE_FINAL, icon="SHADING_RENDERED")

    def _draw_preview(self, context):
        if preview.live.note:
            draw_text(self.layout, context, preview.live.note, "ERROR")
        elif preview.live.is_on():
            col = self.layout.column(align=True)
            shown = getattr(context.window_manager, idnames.PREVIEW)
            col.prop(shown, "colours", toggle=True)
            col.prop(shown, "explode", slider=True)
            for text, icon in preview.status():
                draw_text(col, context, text, icon)

    def _draw_choices(self, context, obj):
        settings = getattr(obj, idnames.OBJECT)
        everything = preferences.shows_everything(context)
        if (chosen := preferences.chosen(context)) is not None:
            self.layout.row().prop(chosen, "look", expand=True)
        waiting(self.layout).menu(idnames.Menu.PRESETS, text=settings.preset or "Choose a Material")
        cut = not is_continuum(settings)
        if cut:
            draw_params(self.layout, method_group(settings, "pieces"), only=HEAD if everything else SIMPLE_HEAD)
        if not everything:
            if cut and shard_size.has_size(method_group(settings, "pieces")):
                split(self.layout).prop(settings, "shard_size")
            draw_params(self.layout, known_first_blow(context, obj), only=FORCE)
            draw_controls(self.layout, settings)
        split(self.layout).prop(settings, "seed")


CLASSES = (BRITTLE_PT_main,)
