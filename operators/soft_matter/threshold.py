"""Find Threshold: at which strain a material of springs tears, such that things of it break (Norton et al. 1991)."""

from collections.abc import Generator

import bpy

from ...core.continuum.spring_lattice.find_threshold import FoundThreshold, find_threshold_steps
from ...core.settings import Settings
from ...core.stepwise import map_steps
from ...core.types import Progress
from ...core.wording import number, percent
from .. import idnames, settings
from ..aside import Aside
from ..generated import metres_per_unit
from ..job import JobOperator, prepared
from ..registering import registration_of
from ..targets import poll_found, poll_targets, target, targets

#: The method whose threshold is found, and the setting of it.
METHOD, SETTING = "spring_lattice", "failure_strain"
DROPPING = "Dropping cylinders"

#: What was found last, by the name of each object for which it was.
_last: dict[str, FoundThreshold] = {}


def breaks_by_springs(obj: bpy.types.Object) -> bool:
    """Whether springs break an object."""
    return getattr(obj, idnames.OBJECT).breaking == METHOD


def tried_strains(obj: bpy.types.Object) -> list[tuple[str, float]]:
    """Strains that were tried last for an object, in words, and the shares 0..1 of the cylinder that broke."""
    found = _last.get(obj.name)
    if found is None:
        return []
    shares = (found.broken / found.cells).tolist()
    return [
        (f"{number(strain)}: {percent(share)}", share)
        for strain, share in zip(found.tried.tolist(), shares, strict=True)
    ]


def threshold_steps(
    chosen: Settings, height: float, share: float, *, beside: bool = False
) -> Generator[Progress, None, FoundThreshold]:
    """Look for the strain, in a thread with `beside`. Raises InputError where none is found."""
    job = find_threshold_steps(chosen.breaking_params, chosen.material, height, share, chosen.seed)
    return (yield from Aside(beside).waiting_for(map_steps(job, lambda done: Progress(done, DROPPING))))


class BRITTLE_OT_find_threshold(JobOperator, bpy.types.Operator):
    """Drop small cylinders of the material on a floor until one breaks as wanted, and let it tear at that strain"""

    bl_idname = idnames.Operator.FIND_THRESHOLD
    bl_label = "Find Threshold"
    bl_options = {"REGISTER", "UNDO"}

    height: bpy.props.FloatProperty(
        name="Height",
        description="From how high the cylinders fall: a thing that falls from there breaks",
        default=1.0,
        min=0.001,
        soft_max=10.0,
        max=10000.0,
        subtype="DISTANCE",
    )
    share: bpy.props.FloatProperty(
        name="Broken",
        description="How much of a cylinder is to break, of its cells",
        default=0.25,
        min=0.01,
        max=1.0,
        subtype="FACTOR",
    )

    @classmethod
    def poll(cls, context):
        if not poll_targets(cls, context):
            return False
        return poll_found(cls, context, breaks_by_springs(target(context)), "Choose a material that springs break")

    def steps(self, context):
        """The work, as a job."""
        self.tuned = [obj for obj in targets(context) if breaks_by_springs(obj)]
        scale = metres_per_unit(context)
        chosen = settings.settings_from(self.tuned[0], scale)
        return prepared(threshold_steps(chosen, scale * self.height, self.share, beside=self.beside))

    def reads(self, context):
        """What must stay as it is while the job runs."""
        return self.tuned

    def finish(self, context, found):
        """Let all of them tear at the strain, and tell it."""
        _last.clear()
        _last.update({obj.name: found for obj in self.tuned})
        for obj in self.tuned:
            setattr(getattr(getattr(obj, idnames.OBJECT), METHOD), SETTING, found.failure_strain)
        early = " It crumbles at the first touch: take more Damping, or less of it broken." if found.at_touch else ""
        self.report({"INFO"}, f"It tears at {number(found.failure_strain)}.{early}")
        return {"FINISHED"}


_register, _unregister = registration_of(BRITTLE_OT_find_threshold)


def register() -> None:
    """Register the operator."""
    _register()


def unregister() -> None:
    """Take the operator away, and forget what was tried."""
    _last.clear()
    _unregister()
