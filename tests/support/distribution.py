"""In which order tests run when several processes share them.

What mostly waits (for pages to settle, for programs to start) comes first, the longest files before the
others: meanwhile other processes compute, and nothing long is left for the end. Run with ``--dist loadfile
--no-loadscope-reorder``, a process takes the next file in this order, and what its tests share is made once.
"""

from collections import Counter
from collections.abc import Iterable

import pytest

WAITING = ("browser", "processes")


def file_of(nodeid: str) -> str:
    return nodeid.partition("::")[0]


def in_order(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """Files of pages first, then others that wait, then the rest; files stay whole."""
    found = list(items)
    waiting = [
        Counter(file_of(item.nodeid) for item in found if item.get_closest_marker(marker))
        for marker in WAITING
    ]

    def rank(item: pytest.Item) -> list[int]:
        return [-counted[file_of(item.nodeid)] for counted in waiting]

    return sorted(found, key=rank)
