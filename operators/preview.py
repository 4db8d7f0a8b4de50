"""Preview Cracks: where the active object would be cut and which cracks open, following every setting.

Open cracks are drawn apart from closed ones; the fragments, as far as they come off, in colours and moved apart.
"""

from dataclasses import dataclass

import bpy
import numpy as np

from ..core.diagram import ShatterDiagram
from ..core.fragments.exploded import CellFaces, cracks_apart, faces_apart, faces_of_cells, fragment_colours, shifts
from ..core.fragments.outline import find_outline
from ..core.geometry.mesh import diagonal
from ..core.pipeline import unbroken
from ..core.rigid.still import METHOD as STILL
from ..core.setup import estimate_continuum
from ..core.simulation.opening import Opening
from ..core.simulation.run_progress import USUAL
from ..core.types import Clock, Floats, Ints
from ..core.wording import count, duration, number
from . import blow_view, idnames, pace, quick_cut
from .around import surroundings
from .bridge.clock import frames_per_second
from .cracks import Cracks
from .live import Live
from .overlay import Faces, Layer, Lines
from .quick_cut import QuickCut
from .selection import known_to_break
from .settings import is_continuum
from .targets import poll_targets

#: Lines stand off the skin by this share of the object's diagonal, so that the skin does not hide them; faces by half.
#: By eye: less flickers where one looks along the skin.
LIFT = 1e-3
#: Cracks that open, and those that stay closed: colour and width. By eye.
OPEN, CLOSED = ((1.0, 0.92, 0.3, 1.0), 2.6), ((0.15, 0.85, 1.0, 0.4), 1.0)
#: Of fragments without a colour of their own, and how opaque colours are on the object itself. By eye.
PLAIN, GLAZE = (0.75, 0.75, 0.75), 0.65
#: [s] up to which a time is told to the second. By eye: more would promise too much.
SHORT = 7.5
#: [s] between two looks at what is being found out, and from when on one looks from elsewhere. By eye.
TICK, STEADY = 0.05, 0.25


@dataclass(slots=True)
class _Choice:
    """How fragments are shown: of the session, and no part of the file."""

    colours: bool = False
    explode: float = 0.0


@dataclass(slots=True)
class _Seen:
    """What was drawn last: of one cut, made once, and what is known of it."""

    diagram: ShatterDiagram | None = None
    lines: Floats | None = None
    sides: Ints | None = None
    faces: tuple[CellFaces, CellFaces] | None = None  #: as they are, and with the skin lifted
    told: tuple[tuple[str, str], ...] = ()
    expected: str = ""


_choice, _seen, cracks = _Choice(), _Seen(), Cracks()


def layers(context: bpy.types.Context, obj: bpy.types.Object) -> list[Layer]:
    """What to draw of an object. Raises InputError or CutError."""
    if is_continuum(getattr(obj, idnames.OBJECT)):
        _seen.told = _foretold_run(context, obj)
        return [Lines(np.zeros((0, 2, 3)))]
    cut = quick_cut.cut_of(context, obj)
    _look_at(cut)
    opening = cracks.of(context, cut)
    _seen.told = (*told(cut, opening), *_about(context, obj, cut), *_foretold(context, obj, cut, opening))
    if cracks.is_busy() and not bpy.app.timers.is_registered(_found):
        bpy.app.timers.register(_found, first_interval=TICK)
    assert _seen.lines is not None and _seen.sides is not None
    if opening is None:
        return [Lines(cut.placed(_seen.lines))]
    fragment = cut.diagram.of_visible(opening.fragment)
    shift = shifts(cut.diagram.visible, fragment, _choice.explode)
    opened, closed = cracks_apart(_seen.lines, _seen.sides, fragment, shift)
    shown = [(closed, *CLOSED), (opened, *OPEN)]
    lines = [Lines(cut.placed(ends), colour=colour, width=width) for ends, colour, width in shown]
    return [*_fragments(cut, opening, fragment, shift), *lines]


def _look_at(cut: QuickCut) -> None:
    """Make the lines of a cut, unless they are those of the last one."""
    if _seen.diagram is not cut.diagram:
        _seen.diagram, _seen.faces = cut.diagram, None
        _seen.lines, _seen.sides = find_outline(cut.diagram.visible, cut.body, LIFT * diagonal(cut.body.vertices))


def _fragments(cut: QuickCut, opening: Opening, fragment: Ints, shift: Floats) -> list[Layer]:
    """The faces of the fragments, where they are asked for; moved apart they cover the object."""
    apart = _choice.explode > 0.0
    if not (_choice.colours or apart):
        return []
    if _seen.faces is None:
        faces = faces_of_cells(cut.diagram.visible)
        _seen.faces = faces, faces.lifted(0.5 * LIFT * diagonal(cut.body.vertices))
    plain, lifted = _seen.faces
    corners, owner, shade = faces_apart(plain if apart else lifted, fragment, shift)
    each = fragment_colours(opening.first_unit, cut.settings.seed) if _choice.colours else np.array([PLAIN])
    rgba = np.full((len(owner), 4), 1.0 if apart else GLAZE, np.float32)
    np.multiply(shade[:, None], each[owner] if _choice.colours else each, out=rgba[:, :3], casting="same_kind")
    coloured = Faces(cut.placed(corners), rgba, over=apart)
    return [Faces(cut.placed(lifted.skin), None), coloured] if apart else [coloured]


def _about(context: bpy.types.Context, obj: bpy.types.Object, cut: QuickCut) -> tuple[tuple[str, str], ...]:
    """What is shown, where it is not all that one might take it for."""
    others, now = len(known_to_break(context)) - 1, context.scene.frame_current
    lines = []
    if others > 0:
        lines.append((f'Of "{obj.name}" alone, the active one of {others + 1} objects that will break', "INFO"))
    if cut.start != now:
        lines.append(
            (f"As it is at frame {now}: the hit is at frame {cut.start}, go there to see it as it breaks", "INFO")
        )
    return tuple(lines)


def told(cut: QuickCut, opening: Opening | None) -> tuple[tuple[str, str], ...]:
    """What is known of the fragments, in lines with an icon each."""
    if opening is None:
        return (("Finding the cracks…", "SORTTIME"),)
    units = int(cut.cells.unit.max()) + 1
    if not opening.cracked.any():
        strongest = max(impact.strength for impact in cut.impacts)
        text = unbroken(strongest, opening.utilisation, units)
        return ((text.replace("Nothing broke", "Nothing breaks", 1), "INFO"),)
    lines = [(f"{count(opening.count, 'fragment')} of {count(units, 'piece')}", "MOD_EXPLODE")]
    if opening.later:
        lines.append(("Later impacts as if nothing had moved before", "INFO"))
    return (*lines, *((text, "INFO") for text in opening.notes))


def _foretold(
    context: bpy.types.Context, obj: bpy.types.Object, cut: QuickCut, opening: Opening | None
) -> tuple[tuple[str, str], ...]:
    """How many faces the result will have, and how long it will take; what was found last as long as that is sought."""
    if opening is not None and cut.exact:
        frames = 1 if cut.settings.motion == STILL.id else surroundings(context)["frames"] or USUAL
        triangles = getattr(obj, idnames.OBJECT).faces == "TRIANGLES"
        found = cracks.expected(cut, opening, frames, triangles=triangles)
        if found is not None:
            time = told_seconds(pace.foretell(cut.diagram, found))
            _seen.expected = f"{number(found.faces, 2)} faces, about {time} to shatter"
    return ((_seen.expected, "TIME"),) if _seen.expected else ()


def _foretold_run(context: bpy.types.Context, obj: bpy.types.Object) -> tuple[tuple[str, str], ...]:
    """What is known of an object that deforms until it tears, before that begins."""
    shape, chosen, body = quick_cut.read_body(context, obj)
    fps, frames = frames_per_second(context.scene), surroundings(context)["frames"] or USUAL
    found = estimate_continuum(shape.mesh, chosen, body, Clock(fps, frames))
    time = told_seconds(pace.on_this_machine(found.seconds))
    return (
        ("Deforms until it tears: there are no cracks before", "INFO"),
        (
            f"About {number(found.elements, 2)} {found.element}, {number(found.substeps, 2)} substeps a frame",
            "MESH_GRID",
        ),
        (f"At most about {time} to shatter", "TIME"),
    )


def told_seconds(seconds: float) -> str:
    """A time that is foretold: short ones to the second, others as one says them."""
    return duration(seconds) if seconds > SHORT else f"{max(round(seconds), 1)} s"


def _found() -> float | None:
    """Show what has been found out, as a timer."""
    if not live.is_on():
        return None
    if cracks.is_busy():
        return TICK
    live.changed()
    return None


def _turned() -> None:
    """Where no impact is placed the blow comes from where one looks: follow once that stays as it is."""
    if bpy.app.timers.is_registered(_steady):
        bpy.app.timers.unregister(_steady)
    bpy.app.timers.register(_steady, first_interval=STEADY)


def _steady() -> None:
    live.changed()


def _rest() -> None:
    """Nothing is shown: keep nothing, and find out nothing."""
    quick_cut.forget()
    cracks.forget()
    _seen.diagram = _seen.lines = _seen.sides = _seen.faces = None
    _seen.told, _seen.expected = (), ""


live = Live(layers, rest=_rest)


def status() -> tuple[tuple[str, str], ...]:
    """What is shown, in lines with an icon each."""
    return _seen.told


def stop() -> None:
    """Show nothing any more; what is being found out stops at its next step."""
    if _turned in blow_view.turned:
        blow_view.turned.remove(_turned)
    for timer in (_found, _steady):
        if bpy.app.timers.is_registered(timer):
            bpy.app.timers.unregister(timer)
    live.stop()


class BRITTLE_OT_preview(bpy.types.Operator):
    """Show which cracks open and which stay closed, following every setting; nothing in the file changes"""

    bl_idname = idnames.Operator.PREVIEW
    bl_label = "Preview Cracks"

    @classmethod
    def poll(cls, context):
        return live.is_on() or poll_targets(cls, context)

    def execute(self, context):
        if live.is_on():
            stop()
            return {"FINISHED"}
        blow_view.turned.append(_turned)
        live.start(context)
        if live.note:
            self.report({"WARNING"}, live.note)
        return {"FINISHED"}


def _property(choice, kind, **how):
    """A property that shows a choice of the session: it is stored in no file."""

    def get(_self):
        return getattr(_choice, choice)

    def put(_self, value):
        setattr(_choice, choice, value)
        live.changed()

    return kind(get=get, set=put, **how)


class BRITTLE_PG_preview(bpy.types.PropertyGroup):
    """How the preview shows fragments."""

    colours: _property(
        "colours",
        bpy.props.BoolProperty,
        name="Fragment Colors",
        description="Show each fragment, what stays together after the blow, in a colour of its own",
    )
    explode: _property(
        "explode",
        bpy.props.FloatProperty,
        name="Explode Preview",
        description="Show the fragments moved apart from the middle of the object; nothing in the file moves",
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )


def register() -> None:
    """Register the operator and its choices."""
    bpy.utils.register_class(BRITTLE_PG_preview)
    bpy.utils.register_class(BRITTLE_OT_preview)
    setattr(bpy.types.WindowManager, idnames.PREVIEW, bpy.props.PointerProperty(type=BRITTLE_PG_preview))


def unregister() -> None:
    """Stop the preview, wait until nothing runs behind it, and take all of it away."""
    stop()
    cracks.forget()
    cracks.wait()
    delattr(bpy.types.WindowManager, idnames.PREVIEW)
    bpy.utils.unregister_class(BRITTLE_OT_preview)
    bpy.utils.unregister_class(BRITTLE_PG_preview)
