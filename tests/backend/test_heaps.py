"""Threads share a few heaps of the C library."""

import ctypes
import os
import subprocess
import sys

import pytest

from backend import heaps

THREADS = """
import threading
from backend import heaps
{call}
meet = threading.Barrier(12)
def hold():
    held = [bytes(2000) for _ in range(500)]
    meet.wait()
    del held
threads = [threading.Thread(target=hold) for _ in range(12)]
for each in threads: each.start()
for each in threads: each.join()
aligned = 64 << 20
nameless = [line for line in open("/proc/self/maps") if " rw-p " in line and len(line.split()) == 5]
print(sum(int(line.split("-")[0], 16) % aligned == 0 for line in nameless))
"""


def heaps_of_threads(call: str, **environment: str) -> int:
    kept = {name: value for name, value in os.environ.items() if name != "MALLOC_ARENA_MAX"}
    told = subprocess.run(
        [sys.executable, "-c", THREADS.format(call=call)],
        env={**kept, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return int(told.stdout)


@pytest.mark.skipif(
    not hasattr(ctypes.CDLL(None), "gnu_get_libc_version"), reason="only glibc gives each thread a heap"
)
def test_twelve_threads_have_a_heap_of_their_own_or_share_two() -> None:
    assert heaps_of_threads("") > heaps.ENOUGH
    assert heaps_of_threads("heaps.share()") <= heaps.ENOUGH
    assert heaps_of_threads("heaps.share()", MALLOC_ARENA_MAX="7") > heaps.ENOUGH


def test_another_c_library_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MALLOC_ARENA_MAX", raising=False)
    monkeypatch.setattr(ctypes, "CDLL", lambda _: object())
    heaps.share()
