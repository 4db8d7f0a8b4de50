"""Where Blender's data and the core's types meet; nothing else in the product touches both."""
