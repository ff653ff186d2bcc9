"""Lays out a squarified treemap (Bruls, Huizing, van Wijk, 2000). No I/O."""

from collections.abc import Sequence
from typing import NamedTuple


class Rect(NamedTuple):
    """A rectangle in the unit of the frame, measured from its upper left corner."""

    x: float
    y: float
    width: float
    height: float


def squarify(weights: Sequence[float], width: float, height: float) -> list[Rect]:
    """Lays out a rectangle per weight, in order; weights are positive and best sorted, largest first."""
    total = sum(weights)
    areas = [weight * width * height / total for weight in weights]
    placed: list[Rect] = []
    remaining = Rect(0, 0, width, height)
    start = 0
    while start < len(areas):
        side = min(remaining.width, remaining.height)
        end = start + 1
        while end < len(areas) and _compute_worst_ratio(areas[start : end + 1], side) <= _compute_worst_ratio(
            areas[start:end], side
        ):
            end += 1
        row, remaining = _lay_out_row(areas[start:end], remaining)
        placed += row
        start = end
    return placed


def _compute_worst_ratio(areas: Sequence[float], side: float) -> float:
    """Computes the largest ratio of sides in a row of ``areas`` along ``side``."""
    total = sum(areas)
    return max(side**2 * max(areas) / total**2, total**2 / (side**2 * min(areas)))


def _lay_out_row(areas: Sequence[float], remaining: Rect) -> tuple[list[Rect], Rect]:
    total = sum(areas)
    row: list[Rect] = []
    if remaining.width >= remaining.height:
        depth, offset = total / remaining.height, remaining.y
        for area in areas:
            row.append(Rect(remaining.x, offset, depth, area / depth))
            offset += area / depth
        return row, Rect(
            remaining.x + depth, remaining.y, max(0.0, remaining.width - depth), remaining.height
        )
    depth, offset = total / remaining.width, remaining.x
    for area in areas:
        row.append(Rect(offset, remaining.y, area / depth, depth))
        offset += area / depth
    return row, Rect(remaining.x, remaining.y + depth, remaining.width, max(0.0, remaining.height - depth))
