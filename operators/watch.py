"""What a job has read, watched while it works: the window stays free, and what changes under the job stops it."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import bpy

#: How many of `looking_away` last now.
_away = 0


@contextmanager
def looking_away() -> Iterator[None]:
    """Let the job itself lead the scene and show what is hidden, for as long as this lasts: it takes that back."""
    global _away
    _away += 1
    try:
        yield
    finally:
        _away -= 1


class Watch:
    """Objects of a scene that must not change; `harm` says what has, "" as long as nothing has.

    Blender does not tell of animation as a change, so playing and scrubbing do no harm.
    """

    def __init__(self, scene: bpy.types.Scene, objects: Iterable[bpy.types.Object]) -> None:
        self._harm = ""
        self._scene = scene.session_uid
        self._names = {obj.session_uid: obj.name for obj in objects}

        # Blender knows handlers by identity, which a bound method does not keep.
        def changed(scene: bpy.types.Scene, graph: bpy.types.Depsgraph) -> None:
            if not _away:
                self._look_at(graph.updates)

        def taken_back(*_: object) -> None:
            self._harm = "an undo or redo took back what it works on"

        self._handlers = [
            (bpy.app.handlers.depsgraph_update_post, changed),
            (bpy.app.handlers.undo_post, taken_back),
            (bpy.app.handlers.redo_post, taken_back),
        ]

    def harm(self, context: bpy.types.Context) -> str:
        """What has changed that must not, "" as long as nothing has."""
        if context.scene.session_uid != self._scene:
            return "another scene is shown"
        return self._harm

    def start(self) -> None:
        """Watch from now on."""
        for handlers, handler in self._handlers:
            handlers.append(handler)

    def stop(self) -> None:
        """Watch no more."""
        for handlers, handler in self._handlers:
            if handler in handlers:
                handlers.remove(handler)

    def _look_at(self, updates: Iterable[bpy.types.DepsgraphUpdate]) -> None:
        there = {obj.session_uid for obj in bpy.data.objects}
        lost = [name for uid, name in self._names.items() if uid not in there]
        moved = [
            self._names[update.id.original.session_uid]
            for update in updates
            if isinstance(update.id, bpy.types.Object)
            and update.id.original.session_uid in self._names
            and (update.is_updated_geometry or update.is_updated_transform)
        ]
        if lost:
            self._harm = f"'{lost[0]}' was deleted"
        elif moved:
            self._harm = f"'{moved[0]}' was changed"
