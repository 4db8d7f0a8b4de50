"""Errors whose messages are written for artists: what is wrong, and what to do about it."""


class BrittleError(Exception):
    """Base of every error that an artist may see; its text is one clear sentence or two."""


class InputError(BrittleError):
    """The mesh, impact or setting that was given cannot be used as it is."""


class CutError(BrittleError):
    """The cutter's self-checks failed for every retry: nothing is returned rather than a wrong cut."""


class Cancelled(BrittleError):
    """The artist stopped the work; nothing was changed."""
