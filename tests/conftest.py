"""What all tests share."""

from hypothesis import settings

# No example is too slow: the first one may compile, and machines are busy. Timed tests are not tests.
settings.register_profile("brittle", deadline=None)
settings.load_profile("brittle")
