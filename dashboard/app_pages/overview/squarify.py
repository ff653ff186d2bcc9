"""Squarified treemap (Bruls, Huizing, van Wijk, 2000): rectangles near squares, areas as weights; pure."""

from collections.abc import Sequence
from typing import NamedTuple


class Rect(NamedTuple):
    """In the unit of the frame, from its upper left corner."""

    x: float
    y: float
    width: float
    height: float


def squarify(weights: Sequence[float], width: float, height: float) -> list[Rect]:
    """A rectangle for each weight, in order; weights are positive and best sorted, largest first."""
    total = sum(weights)
    areas = [weight * width * height / total for weight in weights]
    placed: list[Rect] = []
    free = Rect(0, 0, width, height)
    start = 0
    while start < len(areas):
        side = min(free.width, free.height)
        end = start + 1
        while end < len(areas) and _worst(areas[start : end + 1], side) <= _worst(areas[start:end], side):
            end += 1
        row, free = _lay(areas[start:end], free)
        placed += row
        start = end
    return placed


def _worst(areas: Sequence[float], side: float) -> float:
    """The largest ratio of sides in a row of ``areas`` along ``side``."""
    total = sum(areas)
    return max(side**2 * max(areas) / total**2, total**2 / (side**2 * min(areas)))


def _lay(areas: Sequence[float], free: Rect) -> tuple[list[Rect], Rect]:
    total = sum(areas)
    row: list[Rect] = []
    if free.width >= free.height:
        depth, at = total / free.height, free.y
        for area in areas:
            row.append(Rect(free.x, at, depth, area / depth))
            at += area / depth
        return row, Rect(free.x + depth, free.y, max(0.0, free.width - depth), free.height)
    depth, at = total / free.width, free.x
    for area in areas:
        row.append(Rect(at, free.y, area / depth, depth))
        at += area / depth
    return row, Rect(free.x, free.y + depth, free.width, max(0.0, free.height - depth))
