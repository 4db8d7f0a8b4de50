"""Undo and redo of a break, a hundred times: nothing grows."""

from pathlib import Path

import bpy

TIMES, FIRST = 100, 20
#: [bytes] by which a process may grow from the twentieth time on: its allocator keeps some; one copy of the pieces each
#: time would be more.
ROOM = 40_000_000


def resident():
    """Memory of the process [bytes]; 0 where the system does not say it in a file."""
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[1]) * 4096 if statm.exists() else 0


def there():
    """How much there is of everything that could grow."""
    handlers = bpy.app.handlers
    lists = [getattr(handlers, name) for name in dir(handlers)]
    kinds = [item.identifier for item in bpy.data.bl_rna.properties if item.type == "COLLECTION"]
    blocks = {kind: len(getattr(bpy.data, kind)) for kind in kinds}
    return blocks, sum(len(some) for some in lists if isinstance(some, list)), len(dir(bpy.types))


def test_a_hundred_times_undone_and_redone_nothing_grows(cube):
    bpy.ops.ed.undo_push(message="before")
    whole = there()
    bpy.ops.brittle.shatter()
    bpy.ops.ed.undo_push(message="broken")
    broken = there()
    assert broken[0]["objects"] > whole[0]["objects"]
    memory = 0
    for time in range(TIMES):
        bpy.ops.ed.undo()
        undone = there()
        assert undone[0]["objects"] == whole[0]["objects"] and undone[1:] == whole[1:]
        bpy.ops.ed.redo()
        assert there() == broken
        if time == FIRST:
            memory = resident()
    assert resident() - memory < ROOM
    bpy.context.view_layer.objects.active = bpy.data.objects["Cube"]
    assert bpy.ops.brittle.restore() == {"FINISHED"}
