"""How processes that failed together are kept from asking again together."""

from random import SystemRandom

jitter = SystemRandom().random
"""A share of a pause, from 0 on and below 1, other in each process and at each call."""
