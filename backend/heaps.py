"""How many heaps the C library keeps for a process's threads.

glibc gives each thread a heap of its own, up to eight for each core, and a heap keeps the most that its
thread ever held at once. Here any thread may do the large things, a report or a page of runs, so that in an
hour each heap had grown to the largest of them: half of what a worker held was empty. A process whose
threads run one at a time needs no more than two.
"""

import ctypes
import os

ENOUGH = 2
_M_ARENA_MAX = -8
"""As ``malloc.h`` of glibc has it."""


def share() -> None:
    """Have all threads that start from now on share a few heaps, unless ``MALLOC_ARENA_MAX`` says how many.

    Does nothing with a C library that has no such heaps.
    """
    if "MALLOC_ARENA_MAX" in os.environ:
        return
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return
    mallopt(_M_ARENA_MAX, ENOUGH)
