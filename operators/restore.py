"""Restore: bring the original back and remove everything that Shatter made."""

import bpy

from . import idnames
from .borrowed import give_up
from .bridge import diagram
from .bridge.refusals import LEAVE_TWEAK_MODE, is_tweaked
from .bridge.restore import restore
from .registering import registration_of
from .selection import known_to_restore, to_restore
from .targets import poll_found, poll_targets, select


class BRITTLE_OT_restore(bpy.types.Operator):
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

    def execute(self, context):
        diagram.move_old()
        for obj in reversed(to_restore(context)):
            restore(obj)
            getattr(obj, idnames.OBJECT).heading = (0.0, 0.0, 0.0)
            give_up(obj)
            select(context, obj)  # what is hidden cannot stay selected
        return {"FINISHED"}


register, unregister = registration_of(BRITTLE_OT_restore)
