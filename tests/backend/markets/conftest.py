"""Property tests here have no time limit of their own: how fast a machine is proves nothing."""

from hypothesis import settings

settings.register_profile("markets", deadline=None)
settings.load_profile("markets")
