"""What lies over pieces while they are played is hidden, and comes back as it was."""

import bpy
import pytest


@pytest.fixture
def clear_view(module):
    found = module("operators.clear_view")
    yield found
    found.put_back()


@pytest.fixture
def screen():
    """A screen with a 3D view."""
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    return next(item for item in bpy.data.screens if any(area.type == "VIEW_3D" for area in item.areas))


def shown(clear_view, screen):
    overlays = [space.overlay for space in clear_view._views(screen)]
    return [[getattr(overlay, name) for name in clear_view.OVERLAYS] for overlay in overlays]


def ended():
    """Blender says that a play has ended."""
    for handler in bpy.app.handlers.animation_playback_post:
        handler(bpy.context.scene, None)


def saved(path):
    bpy.ops.wm.save_as_mainfile(filepath=str(path / "saved.blend"))


@pytest.mark.parametrize("end", [lambda path: ended(), saved], ids=["stopped", "saved"])
def test_all_comes_back_as_it_was(clear_view, screen, tmp_path, end):
    overlay = clear_view._views(screen)[0].overlay
    overlay.show_object_origins = False
    before = shown(clear_view, screen)
    for _ in range(2):
        clear_view.clear(screen)
        assert not any(value for values in shown(clear_view, screen) for value in values)
    end(tmp_path)
    assert shown(clear_view, screen) == before and before[0] == [True, False, True]


def test_what_is_chosen_while_it_plays_stays(clear_view, screen):
    overlay = clear_view._views(screen)[0].overlay
    overlay.show_object_origins = False
    clear_view.clear(screen)
    overlay.show_object_origins = True
    ended()
    assert overlay.show_object_origins
    overlay.show_object_origins = False
    ended()
    assert not overlay.show_object_origins, "what has come back is not looked after any more"
