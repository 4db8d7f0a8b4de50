"""What an artist sets once for all files: in Edit > Preferences > Add-ons > Brittle."""

import bpy

#: The name under which Blender knows the extension.
PACKAGE = __package__.rpartition(".")[0]


class BRITTLE_AP_preferences(bpy.types.AddonPreferences):
    """Choices that belong to the artist, not to a file."""

    bl_idname = PACKAGE

    play: bpy.props.BoolProperty(
        name="Play after the Break",
        description="When Shatter or Simulate is done, the break is played",
        default=True,
    )

    def draw(self, context):
        """Draw them."""
        self.layout.prop(self, "play")


def plays(context: bpy.types.Context) -> bool:
    """Whether a break is played when it is made."""
    addon = context.preferences.addons.get(PACKAGE)
    return addon is not None and addon.preferences is not None and addon.preferences.play


def register() -> None:
    """Register the preferences."""
    bpy.utils.register_class(BRITTLE_AP_preferences)


def unregister() -> None:
    """Take the preferences away; what was chosen stays with the user's settings."""
    bpy.utils.unregister_class(BRITTLE_AP_preferences)
