"""What a ray under the mouse means for a handle: a place on a line, a direction from a point, a distance in a plane."""

from dataclasses import dataclass

import numpy as np

#: A plane that is seen edge on by less than this cosine says nothing about distances in it. By eye: 3 degrees.
EDGE_ON = 0.05


@dataclass(frozen=True, eq=False, slots=True)
class Ray:
    """What lies under a point of a view."""

    origin: np.ndarray  #: (3,)
    direction: np.ndarray  #: (3,) unit

    def nearest(self, point: np.ndarray) -> np.ndarray:
        """The point (3,) of its line that is nearest to another."""
        return np.asarray(self.origin + np.vdot(point - self.origin, self.direction) * self.direction)


def distance_along(ray: Ray, point: np.ndarray, axis: np.ndarray) -> float | None:
    """Signed distance from a point (3,) along a unit axis (3,) at which the line comes nearest to a ray.

    None where one looks along the axis.
    """
    cosine = float(np.vdot(ray.direction, axis))
    sine = 1.0 - cosine * cosine
    if sine < EDGE_ON * EDGE_ON:
        return None
    away = ray.origin - point
    return float((np.vdot(away, axis) - np.vdot(away, ray.direction) * cosine) / sine)


def direction_from(ray: Ray, centre: np.ndarray, radius: float, behind: bool) -> np.ndarray:
    """Unit direction (3,) from a centre (3,) to where a ray meets the sphere around it; `behind`: where it leaves it.

    Beside the sphere it is the direction to the outline of the sphere.
    """
    nearest = ray.nearest(centre)
    away = nearest - centre
    within = radius * radius - float(np.vdot(away, away))
    if within > 0.0:
        away = away + (np.sqrt(within) if behind else -np.sqrt(within)) * ray.direction
    length = np.sqrt(np.vdot(away, away))
    return np.asarray(away / length) if length > 0.0 else -ray.direction


def distance_in_plane(ray: Ray, centre: np.ndarray, normal: np.ndarray) -> float:
    """Distance from a centre (3,) of the place where a ray meets the plane across a unit normal (3,) there.

    Where the plane is seen edge on it is the distance of the ray.
    """
    cosine = float(np.vdot(ray.direction, normal))
    if abs(cosine) < EDGE_ON:
        away = ray.nearest(centre) - centre
    else:
        away = ray.origin + float(np.vdot(centre - ray.origin, normal)) / cosine * ray.direction - centre
    return float(np.sqrt(np.vdot(away, away)))
