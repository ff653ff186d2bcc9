"""Generates random numbers from a name, equal on every machine and in all versions.

The standard library and NumPy may both change the results of their distributions.
"""

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import accumulate, count
from statistics import NormalDist
from typing import TypeVar

T = TypeVar("T")
_NORMAL = NormalDist()
_WORD = 8


class RandomNumbers:
    """Draws a sequence of numbers; generators with the same ``name`` draw the same sequence."""

    def __init__(self, name: str) -> None:
        self._numbers = _generate_fractions(name)

    def fraction(self) -> float:
        """Draw a number from 0 to below 1."""
        return next(self._numbers)

    def between(self, low: float, high: float) -> float:
        return low + (high - low) * self.fraction()

    def normal(self, deviation: float) -> float:
        """Draw a standard normal number, limited to 3 standard deviations."""
        return deviation * _NORMAL.inv_cdf(self.between(0.00135, 0.99865))

    def whole(self, below: int) -> int:
        return int(self.fraction() * below)

    def one_of(self, values: Sequence[T], weights: Sequence[int] | None = None) -> T:
        bounds = list(accumulate(weights or [1] * len(values)))
        drawn = self.whole(bounds[-1])
        return next(value for value, bound in zip(values, bounds, strict=True) if drawn < bound)

    def shuffled(self, values: Sequence[T]) -> list[T]:
        """Shuffle by Fisher and Yates (1938)."""
        order = list(values)
        for index in range(len(order) - 1, 0, -1):
            random_index = self.whole(index + 1)
            order[index], order[random_index] = order[random_index], order[index]
        return order


def _generate_fractions(name: str) -> Iterator[float]:
    for block in count():
        digest = blake2b(f"{block}:{name}".encode()).digest()
        for start in range(0, len(digest), _WORD):
            yield (int.from_bytes(digest[start : start + _WORD], "big") >> 11) / 2**53
