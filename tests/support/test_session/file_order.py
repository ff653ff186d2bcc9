"""Orders the tests for several processes.

Tests that mostly wait (for pages or for programs) come first, those in long files before the others. Other
processes compute in the meantime, and no long file is left for the end. With ``--dist loadfile
--no-loadscope-reorder`` a process takes the next file in this order, and its fixtures are created once.
"""

from collections import Counter
from collections.abc import Iterable

import pytest

WAITING_MARKERS = ("browser", "processes")


def get_file(nodeid: str) -> str:
    return nodeid.partition("::")[0]


def sort_tests(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """Sort browser tests first, then other waiting tests, then the rest; each file stays together."""
    all_items = list(items)
    counts_by_marker = [
        Counter(get_file(item.nodeid) for item in all_items if item.get_closest_marker(marker))
        for marker in WAITING_MARKERS
    ]

    def rank(item: pytest.Item) -> list[int]:
        return [-counts[get_file(item.nodeid)] for counts in counts_by_marker]

    return sorted(all_items, key=rank)
