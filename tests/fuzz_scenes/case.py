"""One random file: break something in it, and see that nothing else has changed; take it back, and see that all is as
before.
"""

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy as np

from tests.blender.fingerprint import broken, differences, fingerprint
from tests.series import CRASH, Outcome, outcome_of

from .build import build

OK, REFUSED, CHANGED, LEFT = "ok", "refused", "CHANGED", "LEFT"
#: Share of the files that are exported while they are broken.
EXPORTED, EXPORTERS = 0.05, 5
PLACES = ("dimensions", "matrix_local", "matrix_world", "matrix_parent_inverse", "bound_box")
TRANSFORM = (*PLACES, "matrix_basis", "location", "rotation_euler", "rotation_quaternion", "scale")
ORDER = re.compile(r"scenes\[.*\]\.view_layers\[\d+\]\.objects")
#: Blender's own account of its simulation of rigid bodies, which any look at another frame changes.
CACHED = re.compile(r"scenes\[.*\]\.rigidbody_world\.point_cache.*\.(info|is_outdated|is_frame_skip)")
#: No stored value: made from the size of the object and its number of pieces, whenever it is asked for.
DERIVED = re.compile(r"objects\[.*\]\.brittle\.shard_size")
#: glTF goes through the frames of other scenes in which there are keys.
BY_EXPORTERS = re.compile(r"scenes\[.*\]\.(frame_current|frame_float|frame_subframe)")
#: Lines that are told of a bad case.
TOLD = 6
#: What Shatter and Simulate remember in the object that they break.
REMEMBERED = ("brittle.seed", "brittle.preset")


def run_case(seed: int, number: int) -> Outcome:
    """Case `number` of the series `seed`."""
    return outcome_of(seed, number, lambda: (*_tried(np.random.default_rng([seed, number])), {}))


@dataclass(frozen=True)
class _Before:
    """A file before anything breaks in it."""

    broken: list[bpy.types.Object]  #: what is to break
    whole: dict[str, str]
    around: dict[str, str]  #: without what is to break
    restless: set[str]  #: what comes back by another bit when Blender goes to other frames and back

    def changed_around(self) -> list[str]:
        """What has changed but what broke and its pieces."""
        return self._kept(differences(self.around, fingerprint(but=broken(*self.broken))))

    def changed(self) -> list[str]:
        """What has changed of all."""
        return self._kept(differences(self.whole, fingerprint()))

    def _kept(self, lines: list[str]) -> list[str]:
        """Without what Blender, or who asks, makes anew: as the order of the objects of a view layer."""
        told = [line for line in lines if not any(made.match(line) for made in (ORDER, CACHED, DERIVED))]
        return [line for line in told if line.partition(": ")[0] not in self.restless]


def _tried(rng: np.random.Generator) -> tuple[str, str]:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    targets = build(rng)
    scene = bpy.context.scene
    simulated = rng.random() < 0.25
    if simulated:
        for obj in targets:
            obj.brittle.breakable.breaks = True
        scene.frame_start, scene.frame_end = scene.frame_current, scene.frame_current + 4
        targets = [obj for obj in scene.objects if obj.brittle.breakable.breaks]
    exporter = rng.integers(EXPORTERS) if rng.random() < EXPORTED else None
    if exporter is not None:
        _export(exporter)  # what it changes without us it has changed by now
    restless = _restless(scene) | (_drifting(exporter) if exporter is not None else set())
    before = _Before(targets, fingerprint(), fingerprint(but=broken(*targets)), restless)
    playhead = scene.frame_current, scene.frame_subframe
    for again in range(int(rng.integers(1, 3))):
        try:
            _break(simulated, again)
            scene.frame_set(playhead[0], subframe=playhead[1])  # it goes to the break
        except RuntimeError as error:
            if again:
                break  # what is there stays; the promise about all else holds
            return _refused(str(error), before)
    changed = before.changed_around()
    if changed:
        return CHANGED, _told(changed)
    if exporter is not None:
        _export(exporter)
        before.restless.update(line.partition(": ")[0] for line in before.changed_around() if BY_EXPORTERS.match(line))
        changed = before.changed_around()
        if changed:
            return CHANGED, f"by an exporter: {_told(changed)}"
    return _taken_back(before)


def _restless(scene: bpy.types.Scene) -> set[str]:
    """See `_Before`: where Blender moves rigid bodies, their places and those of all that hang on them.

    What is hidden has the place in which it was seen last, until someone looks at it.
    """
    moved = any(obj.rigid_body is not None and obj.rigid_body.type == "ACTIVE" for obj in scene.objects)
    found = [obj for obj in bpy.data.objects if moved or obj.hide_viewport]
    return {f"objects[OBJECT {obj.name}].{name}" for obj in found for name in PLACES}


def _drifting(exporter: int) -> set[str]:
    """Transforms of objects of which an exporter changes the last digits each time that it runs, as FBX does."""
    before = fingerprint()
    _export(exporter)
    paths = [line.partition(": ")[0].rpartition(".") for line in differences(before, fingerprint())]
    return {f"{owner}.{other}" for owner, _, name in paths if name in TRANSFORM for other in TRANSFORM}


def _break(simulated: bool, seed: int) -> None:
    if not simulated:
        bpy.ops.brittle.shatter(seed=seed)
    elif bpy.ops.brittle.simulate.poll():
        bpy.ops.brittle.simulate(seed=seed)
    else:
        raise RuntimeError("Error: nothing to simulate")


def _refused(text: str, before: _Before) -> tuple[str, str]:
    """A refusal is a sentence, and nothing has changed."""
    if "Traceback" in text:
        return CRASH, text
    changed = before.changed()
    return (LEFT, f"{text.strip()} {_told(changed)}") if changed else (REFUSED, text.strip())


def _taken_back(before: _Before) -> tuple[str, str]:
    """After Restore the file is as before, but for what the object remembers of its last break."""
    layer = bpy.context.view_layer
    for obj in before.broken:
        if obj.name not in layer.objects:
            return OK, ""
        layer.objects.active = obj
        if bpy.ops.brittle.restore.poll():
            bpy.ops.brittle.restore()
    changed = before.changed()
    left = [line for line in changed if not any(name in line for name in REMEMBERED) and "select" not in line]
    return (LEFT, _told(left)) if left else (OK, "")


def _told(lines: list[str]) -> str:
    more = f" (+{len(lines) - TOLD} more)" if len(lines) > TOLD else ""
    return " | ".join(line[:200] for line in lines[:TOLD]) + more


def _export(exporter: int) -> None:
    """Write the file in one of the formats."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "scene")
        exporters = (
            lambda: bpy.ops.export_scene.gltf(filepath=f"{path}.glb"),
            lambda: bpy.ops.export_scene.fbx(filepath=f"{path}.fbx", bake_anim=False),
            lambda: bpy.ops.wm.usd_export(filepath=f"{path}.usdc"),
            lambda: bpy.ops.wm.alembic_export(filepath=f"{path}.abc", as_background_job=False),
            lambda: bpy.ops.wm.obj_export(filepath=f"{path}.obj"),
        )
        exporters[exporter]()
