"""Randomizes waits, so that processes that failed together do not retry together."""

from random import SystemRandom

jitter = SystemRandom().random
"""Returns a random fraction of a wait, at least 0 and below 1."""
