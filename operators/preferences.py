"""What an artist sets once for all files: in Edit > Preferences > Add-ons > Brittle."""

import bpy

#: The name under which Blender knows the extension.
PACKAGE = __package__.rpartition(".")[0]
#: How much of the tab is shown.
SIMPLE, EVERYTHING = "SIMPLE", "EVERYTHING"
LOOKS = [
    (SIMPLE, "Simple", "What most breaks need: material, number and size of the pieces, and the blow", 1),
    (EVERYTHING, "Everything", "All settings, in a panel for each task", 2),
]


class BRITTLE_AP_preferences(bpy.types.AddonPreferences):
    """Choices that belong to the artist, not to a file."""

    bl_idname = PACKAGE

    play: bpy.props.BoolProperty(
        name="Play after the Break",
        description="When Shatter or Simulate is done, the break is played",
        default=True,
    )
    shaders: bpy.props.BoolProperty(
        name="With Shader",
        description="A material gives its shader to objects that have none; what is yours stays as it is",
        default=False,
    )
    cache: bpy.props.StringProperty(
        name="Machine Code",
        description="Folder where compiled code is kept, from the next start of Blender on; empty is the extension's "
        "own. After a change all is compiled once more",
        subtype="DIR_PATH",
    )
    look: bpy.props.EnumProperty(items=LOOKS, name="Look", description="How much the tab Brittle shows")

    def draw(self, context):
        """Draw them."""
        for name in ("play", "shaders", "look", "cache"):
            self.layout.prop(self, name)


def chosen(context: bpy.types.Context) -> BRITTLE_AP_preferences | None:
    """What the artist has chosen; None where Blender does not know the extension as an add-on."""
    addon = context.preferences.addons.get(PACKAGE)
    return addon.preferences if addon is not None else None


def plays(context: bpy.types.Context) -> bool:
    """Whether a break is played when it is made."""
    found = chosen(context)
    return found is not None and found.play


def brings_shaders(context: bpy.types.Context) -> bool:
    """Whether materials bring their shaders."""
    found = chosen(context)
    return found is not None and found.shaders


def cache_folder(context: bpy.types.Context) -> str:
    """The folder that the artist chose for machine code; "" for that of the extension."""
    found = chosen(context)
    return bpy.path.abspath(found.cache) if found is not None else ""


def shows_everything(context: bpy.types.Context) -> bool:
    """Whether the tab shows all settings."""
    found = chosen(context)
    return found is None or found.look == EVERYTHING


def register() -> None:
    """Register the preferences."""
    bpy.utils.register_class(BRITTLE_AP_preferences)


def unregister() -> None:
    """Take the preferences away; what was chosen stays with the user's settings."""
    bpy.utils.unregister_class(BRITTLE_AP_preferences)
