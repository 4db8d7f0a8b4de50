"""Restore: bring the original back and remove everything that Shatter made."""

from dataclasses import replace

import bpy

from ..core.stepwise import map_steps
from . import idnames
from .borrowed import give_up
from .bridge.refusals import LEAVE_TWEAK_MODE, is_tweaked
from .bridge.restore import restore_steps
from .job import JobOperator
from .registering import registration_of
from .selection import known_to_restore, to_restore
from .targets import poll_found, poll_targets, select

#: What is said while it works.
RESTORING = "Restoring"


class BRITTLE_OT_restore(JobOperator, bpy.types.Operator):
    """Bring the original back and remove all fragments that Shatter made"""

    bl_idname = idnames.Operator.RESTORE
    bl_label = "Restore"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if not poll_targets(cls, context):
            return False
        shattered = known_to_restore(context)
        if not poll_found(
            cls, context, bool(shattered), "Select an object that was shattered, or one of its fragments"
        ):
            return False
        if any(map(is_tweaked, shattered)):
            cls.poll_message_set(LEAVE_TWEAK_MODE[0].upper() + LEAVE_TWEAK_MODE[1:])
            return False
        return True

    def steps(self, context):
        """The work, as a job."""
        self.restored = to_restore(context)[::-1]
        return map_steps(restore_steps(self.restored), lambda step: replace(step, text=RESTORING))

    def reads(self, context):
        """What must stay as it is while the job runs: it leaves no window free."""
        return []

    def finish(self, context, result):
        """Let the next break be one from where one looks, and select what was restored."""
        for obj in self.restored:
            getattr(obj, idnames.OBJECT).heading = (0.0, 0.0, 0.0)
            give_up(obj)
            select(context, obj)  # what is hidden cannot stay selected
        return {"FINISHED"}


register, unregister = registration_of(BRITTLE_OT_restore)
