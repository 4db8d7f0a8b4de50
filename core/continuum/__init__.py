"""Continuum methods: matter that deforms until it cracks, numbered for files. None is registered yet."""

from typing import Any

from ..config.registry import Registry

CONTINUA: Registry[Any] = Registry("continuum method", {})
