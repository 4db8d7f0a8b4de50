"""Procedural materials of demo and gallery: what is too fine for the mesh, in object coordinates or by a UV map."""

import bpy

import demo_scene

Triple = tuple[float, float, float]


class Matter:
    """A material that is made step by step; each method gives a socket of it."""

    def __init__(
        self, name: str, roughness: float, stretch: Triple = (1.0, 1.0, 1.0), coordinates: str = "Object"
    ) -> None:
        self.material = demo_scene.matt(name, (0.5, 0.5, 0.5), roughness)
        self.tree = self.material.node_tree
        self.shader = self.tree.nodes["Principled BSDF"]
        place = self.add("ShaderNodeMapping")
        place.inputs["Scale"].default_value = stretch
        self.tree.links.new(self.add("ShaderNodeTexCoord").outputs[coordinates], place.inputs["Vector"])
        self.place = place.outputs["Vector"]

    def add(self, kind: str) -> bpy.types.Node:
        """A new node."""
        return self.tree.nodes.new(kind)

    def noise(self, size: float, detail: float = 4.0, distortion: float = 0.0) -> bpy.types.NodeSocket:
        """Values about 0.5 that vary over `size` [m]."""
        node = self.add("ShaderNodeTexNoise")
        node.inputs["Scale"].default_value = 1.0 / size
        node.inputs["Detail"].default_value = detail
        node.inputs["Distortion"].default_value = distortion
        self.tree.links.new(self.place, node.inputs["Vector"])
        return node.outputs[0]

    def stones(self, size: float) -> tuple[bpy.types.NodeSocket, bpy.types.NodeSocket]:
        """Distance to the middle of the nearest stone in its sizes, and a random colour of each stone."""
        node = self.add("ShaderNodeTexVoronoi")
        node.inputs["Scale"].default_value = 1.0 / size
        self.tree.links.new(self.place, node.inputs["Vector"])
        return node.outputs["Distance"], node.outputs["Color"]

    def bricks(
        self, length: float, course: float, joint: float, *colours: Triple
    ) -> tuple[bpy.types.NodeSocket, bpy.types.NodeSocket]:
        """Running bond [m] whose first course begins with a whole brick: two colours of bricks, and 1 in the joints."""
        node, moved = self.add("ShaderNodeTexBrick"), self.add("ShaderNodeVectorMath")
        moved.inputs[1].default_value = (0.5 * length, 0.0, 0.0)
        self.tree.links.new(self.place, moved.inputs[0])
        self.tree.links.new(moved.outputs[0], node.inputs["Vector"])
        wanted = {"Scale": 1.0, "Brick Width": length, "Row Height": course, "Mortar Size": 0.5 * joint}
        for name, value in wanted.items():
            node.inputs[name].default_value = value
        for socket, colour in zip(node.inputs[1:3], colours, strict=True):
            socket.default_value = (*colour, 1.0)
        return node.outputs["Color"], node.outputs["Fac"]

    def ramp(self, value: bpy.types.NodeSocket, *stops: tuple[float, Triple]) -> bpy.types.NodeSocket:
        """Colours by value, blended between stops (place, colour)."""
        node = self.add("ShaderNodeValToRGB")
        elements = node.color_ramp.elements
        while len(elements) < len(stops):
            elements.new(1.0)
        for element, (place, colour) in zip(elements, stops, strict=True):
            element.position, element.color = place, (*colour, 1.0)
        self.tree.links.new(value, node.inputs[0])
        return node.outputs[0]

    def blend(
        self, share: bpy.types.NodeSocket, one: bpy.types.NodeSocket, other: bpy.types.NodeSocket, kind: str = "MIX"
    ) -> bpy.types.NodeSocket:
        """One colour where the share is 0, both by `kind` where it is 1."""
        node = self.add("ShaderNodeMix")
        node.data_type, node.blend_type = "RGBA", kind
        colours = [socket for socket in node.inputs if socket.type == "RGBA"]
        for socket, source in zip((node.inputs[0], *colours), (share, one, other), strict=True):
            self.tree.links.new(source, socket)
        return next(socket for socket in node.outputs if socket.type == "RGBA")

    def tint(self, colour: Triple) -> bpy.types.NodeSocket:
        """One colour everywhere."""
        node = self.add("ShaderNodeRGB")
        node.outputs[0].default_value = (*colour, 1.0)
        return node.outputs[0]

    def both(self, one: bpy.types.NodeSocket, other: bpy.types.NodeSocket) -> bpy.types.NodeSocket:
        """The product of two shares."""
        node = self.add("ShaderNodeMath")
        node.operation = "MULTIPLY"
        for socket, source in zip(node.inputs[:2], (one, other), strict=True):
            self.tree.links.new(source, socket)
        return node.outputs[0]

    def colour(self, source: bpy.types.NodeSocket) -> None:
        """What the material looks like."""
        self.tree.links.new(source, self.shader.inputs["Base Color"])

    def relief(self, height: bpy.types.NodeSocket, depth: float, strength: float = 1.0) -> None:
        """Bumps of this depth [m] on top of those that are there."""
        node = self.add("ShaderNodeBump")
        node.inputs["Distance"].default_value = depth
        node.inputs["Strength"].default_value = strength
        self.tree.links.new(height, node.inputs["Height"])
        normal = self.shader.inputs["Normal"]
        if normal.is_linked:
            self.tree.links.new(normal.links[0].from_socket, node.inputs["Normal"])
        self.tree.links.new(node.outputs[0], normal)


def mottled(
    name: str, dark: Triple, light: Triple, size: float, roughness: float, grain: float, depth: float
) -> bpy.types.Material:
    """Two colours in clouds of `size` [m], and grains of `grain` [m] that are `depth` [m] high."""
    matter = Matter(name, roughness)
    matter.colour(matter.ramp(matter.noise(size, 6.0), (0.35, dark), (0.65, light)))
    matter.relief(matter.noise(grain, 3.0), depth)
    return matter.material


def aggregate(name: str, paste: tuple[Triple, Triple], stones: tuple[Triple, ...], size: float) -> bpy.types.Material:
    """Broken concrete: stones of about `size` [m] that stand out of a sandy paste of two colours."""
    matter = Matter(name, 0.95)
    sand = matter.ramp(matter.noise(0.12 * size, 6.0), (0.35, paste[0]), (0.65, paste[1]))
    distance, kind = matter.stones(size)
    steps = tuple(((k + 0.5) / len(stones), colour) for k, colour in enumerate(stones))
    body = matter.ramp(kind, *steps)
    grey = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)
    inside = matter.ramp(distance, (0.40, grey[1]), (0.46, grey[0]))
    few = matter.ramp(kind, (0.45, grey[0]), (0.50, grey[1]))
    mask = matter.both(inside, few)
    matter.colour(matter.blend(mask, sand, body))
    matter.relief(matter.noise(0.12 * size, 6.0), 0.05 * size)
    matter.relief(mask, 0.06 * size, 0.6)
    return matter.material


def fibres(name: str, dark: Triple, light: Triple, width: float, roughness: float, depth: float) -> bpy.types.Material:
    """Wood whose fibres of `width` [m] run along x."""
    matter = Matter(name, roughness, (0.05, 1.0, 1.0))
    rings = matter.ramp(matter.noise(8.0 * width, 2.0, 1.0), (0.35, dark), (0.5, light), (0.6, dark), (0.75, light))
    fine = matter.ramp(matter.noise(width, 4.0), (0.3, dark), (0.7, light))
    matter.colour(matter.blend(matter.noise(3.0 * width), rings, fine))
    matter.relief(matter.noise(width, 3.0), depth)
    return matter.material


def masonry(
    name: str, bricks: tuple[Triple, Triple], mortar: Triple, length: float, course: float
) -> bpy.types.Material:
    """Bricks of two colours, with their joints [m], by a UV map in metres."""
    matter = Matter(name, 0.85, coordinates="UV")
    black, white = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)
    brick, joints = matter.bricks(length, course, 0.01, *bricks)
    clouds = matter.ramp(matter.noise(0.03, 6.0), (0.3, (0.75, 0.75, 0.75)), (0.7, white))
    body = matter.blend(matter.tint((1.0, 1.0, 1.0)), brick, clouds, "MULTIPLY")
    matter.colour(matter.blend(joints, body, matter.tint(mortar)))
    matter.relief(matter.ramp(joints, (0.0, white), (1.0, black)), 0.004)
    return matter.material
