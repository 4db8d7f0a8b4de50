"""Random settings within the limits of their properties: what they break ends well or in a sentence.

Properties, limits and choices are those that Blender knows, so that a new method or setting is tried without a line
here.
"""

import importlib
import math
import time
from typing import Any

import bpy
import numpy as np

from tests.blender.fingerprint import differences, fingerprint
from tests.series import Outcome, outcome_of
from tools import checkout

OK, REFUSED, STOPPED, WRONG = "ok", "refused", "stopped", "WRONG"
#: Share of the settings that are changed, and how many of those go to the ends of what is allowed at all.
CHANGED, EXTREME = 0.2, 0.08
#: Beyond this a number without a limit is not tried.
MOST = 1e6
#: A grid of the finest Resolution needs gigabytes and minutes, as its sentence says where it needs more than that.
COSTLY = {"resolution": 96}
#: Ranges that span more than this factor are drawn by their logarithm.
WIDE = 100.0
#: [s] of one processor after which a case is stopped, as by ESC: many pieces take their time.
PATIENCE = 8.0
MESHES = ("cube", "ico_sphere", "torus", "cone", "plane", "monkey", "tube", "two")
Rng = np.random.Generator


def run_case(seed: int, number: int) -> Outcome:
    """Case `number` of the series `seed`."""
    return outcome_of(seed, number, lambda: (*_tried(np.random.default_rng([seed, number])), {}))


def _module(name: str) -> Any:
    return importlib.import_module(f"{checkout.PACKAGE}.{name}")


def _tried(rng: Rng) -> tuple[str, str]:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    obj = _mesh(rng)
    told = _draw(rng, obj)
    before = fingerprint()
    errors = _module("core.errors")
    end = time.process_time() + PATIENCE
    try:
        result = _module("operators.shatter").shatter_object(
            bpy.context, obj, progress=lambda _: time.process_time() > end
        )
    except errors.Cancelled:
        return _unchanged(STOPPED, told, before)
    except errors.BrittleError as error:
        return _unchanged(REFUSED if _is_sentence(str(error)) else WRONG, f"{error} [{told}]", before)
    playhead = bpy.context.scene.frame_current
    wrong = _wrong(result)
    bpy.context.scene.frame_set(playhead)
    bpy.context.view_layer.objects.active = obj
    bpy.ops.brittle.restore()
    left = [line for line in differences(before, fingerprint()) if "brittle.heading" not in line]
    wrong += [line for line in left if "select" not in line][:3]
    return (WRONG, f"{' | '.join(wrong)} [{told}]") if wrong else (OK, told)


def _unchanged(kind: str, text: str, before: dict[str, str]) -> tuple[str, str]:
    """What ends before anything is written leaves the file as it was."""
    changed = differences(before, fingerprint())
    return (WRONG, f"{text}: {' | '.join(changed[:3])}") if changed else (kind, text)


def _is_sentence(text: str) -> bool:
    clean = not any(word in text for word in ("\n", "Traceback", "nan", "inf ", "1e+"))
    return clean and (text[:1].isupper() or text[:1] in "'\"") and text.endswith(".")


def _wrong(result: Any) -> list[str]:
    """What cannot be: pieces without a place, lost volume, a sentence that is none."""
    report, wrong = result.report, []
    pieces = [piece for piece in result.fragments.all_objects if "brittle_fragment" in piece]
    for frame in (result.account["frames"][0], result.account["frames"][1]):
        bpy.context.scene.frame_set(frame)
        if not all(np.isfinite(np.array(piece.matrix_world)).all() for piece in pieces):
            wrong.append(f"pieces without a place at frame {frame}")
    if not pieces or report.pieces < 1:
        wrong.append("no pieces")
    texts = (*report.warnings, *report.advice, *report.repaired, *report.counted)
    wrong += [f'"{text}" is no sentence' for text in texts if not text or "\n" in text or " nan" in text]
    return wrong


def _mesh(rng: Rng) -> bpy.types.Object:
    """A small mesh that is added to the empty file, at a place and in a size of its own."""
    ops, kind = bpy.ops.mesh, MESHES[rng.integers(len(MESHES))]
    if kind == "tube":
        ops.primitive_cylinder_add(vertices=12, end_fill_type="NOTHING")
    elif kind == "two":
        ops.primitive_cube_add()
        bpy.ops.object.modifier_add(type="ARRAY")
        bpy.context.object.modifiers[0].relative_offset_displace = (0.7, 0.2, 0.1)
    else:
        how = {"ico_sphere": {"subdivisions": 2}, "torus": {"major_segments": 12, "minor_segments": 6}}
        getattr(ops, f"primitive_{kind}_add")(**how.get(kind, {}))
    obj = bpy.context.object
    obj.location, obj.rotation_euler = rng.uniform(-1.0, 2.0, 3), rng.uniform(-1.0, 1.0, 3)
    obj.scale = np.full(3, 10.0 ** rng.uniform(-2.0, 1.0)) * rng.uniform(0.7, 1.4, 3)
    bpy.context.view_layer.update()
    return obj


def _draw(rng: Rng, obj: bpy.types.Object) -> str:
    """Random settings; says what they are."""
    own, told = obj.brittle, []
    for kind in ("pieces", "breaking", "motion", "faces"):
        told += _set(rng, own, own.bl_rna.properties[kind])
    own.seed = int(rng.integers(100))
    scene = bpy.context.scene.brittle
    groups = [own.material, own.surface, own.repair, own.breakable, own.blow, scene]
    groups += [getattr(own, getattr(own, kind)) for kind in ("pieces", "breaking", "motion")]
    for _ in range(rng.integers(0, 3) if rng.random() < 0.5 else 0):
        kinds = bpy.ops.brittle.field_add.get_rna_type().properties["kind"].enum_items
        bpy.ops.brittle.field_add(kind=kinds[rng.integers(len(kinds))].identifier)
        groups.append(getattr(own.fields[-1], own.fields[-1].kind))
    for group in groups:
        for item in group.bl_rna.properties:
            if not item.is_skip_save and rng.random() < CHANGED:  # else it is another look at what is saved
                told += _set(rng, group, item)
    scene.frames = int(rng.integers(1, 8))
    bpy.context.view_layer.update()
    return f"{obj.name} {obj.scale.x:.3g}; " + ", ".join(told)


def _set(rng: Rng, group: bpy.types.PropertyGroup, item: bpy.types.Property) -> list[str]:
    """Give a property a random value that it may have; says which."""
    if item.is_readonly or item.identifier in ("is_impact", "name"):
        return []
    if item.type == "BOOLEAN":
        value: Any = bool(rng.random() < 0.5)
    elif item.type == "ENUM":
        value = item.enum_items[rng.integers(len(item.enum_items))].identifier
    elif item.type in ("INT", "FLOAT"):
        size = item.array_length
        numbers = [_number(rng, item) for _ in range(max(size, 1))]
        value = numbers if size else numbers[0]
    else:
        return []
    setattr(group, item.identifier, value)
    return [f"{item.identifier}={value:.4g}" if isinstance(value, float) else f"{item.identifier}={value}"]


def _number(rng: Rng, item: bpy.types.Property) -> float:
    """A number within the limits: mostly a useful one, now and then at the ends of what is allowed."""
    low, high = max(item.hard_min, -MOST), min(item.hard_max, COSTLY.get(item.identifier, MOST))
    if rng.random() < EXTREME:
        value = (low, high)[rng.integers(2)]
    else:
        low, high = max(item.soft_min, low), min(item.soft_max, high)
        if low >= 0.0 and high > WIDE * max(low, abs(item.default), 1e-3):
            low = max(low, 1e-3 * high / WIDE)
            value = math.exp(rng.uniform(math.log(low), math.log(high)))
        else:
            value = rng.uniform(low, high)
    return round(value) if item.type == "INT" else float(value)
