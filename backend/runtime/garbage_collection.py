"""Python's garbage collector, and what it need not look at.

It walks over what was made lately again and again, since most of that goes soon. What a program makes while
it starts, modules above all, stays: walking over it is a tenth of the start and finds next to nothing.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused() -> Iterator[None]:
    """Without the collector, which goes on behind it if it was on."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@contextmanager
def making_what_stays() -> Iterator[None]:
    """The same, and what was made until then is never looked at again.

    Circles that were let go of meanwhile stay too, some thousand small objects in a start.
    """
    with paused():
        yield
        gc.freeze()
