"""From a body and a partition to cells with bonds, and from labelled cells to closed fragment meshes."""
