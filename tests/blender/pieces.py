"""The fragments in a collection, in the order in which they were made; the empty on which they hang is none."""


def pieces_of(collection):
    return [item for item in collection.objects if "brittle_fragment" in item]
