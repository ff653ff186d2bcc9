"""Decides whether profile B is behind profile A, for ``chainproof runs compare --fail-if-behind``."""

from dataclasses import dataclass
from typing import Literal

from backend.timelines.analysis.comparison import ProfileComparison
from backend.timelines.analysis.verdicts import kind_of, points
from backend.timelines.statistics.paired_comparison import SAME

Outcome = Literal["behind", "unsure", "not_behind"]


@dataclass(frozen=True, slots=True)
class Gate:
    """The outcome for a limit, a fraction of the maximum score."""

    outcome: Outcome
    limit: float
    text: str

    def fails(self, *, if_unsure: bool) -> bool:
        return self.outcome == "behind" or (if_unsure and self.outcome == "unsure")


def judge_gate(result: ProfileComparison, limit: float) -> Gate:
    """Judge whether B is behind A by at least ``limit``. ``result`` must have shared cases.

    B is *behind* if the verdict puts A ahead and the difference reaches the limit. B is *not behind* if the
    interval excludes a loss of more than the limit. Anything else is *unsure*, also a few cases that all
    score the same. Raises :class:`ValueError` without shared cases.
    """
    paired = result.paired
    if paired is None:
        raise ValueError("There is no comparison to judge.")
    kind = kind_of(result)
    names = {"a": result.a.profile, "b": result.b.profile, "limit": format_limit(limit)}
    if kind == "ahead" and paired.difference < 0 and paired.difference <= -limit + SAME:
        text = "{b} is behind {a} by {size} points; the limit is {limit}."
        return Gate("behind", limit, text.format(**names, size=points(-paired.difference)))
    if kind in ("too_few", "one_run") or paired.interval is None:
        text = "Unsure whether {b} is behind {a} by {limit} points: too few shared cases."
        return Gate("unsure", limit, text.format(**names))
    low, high = (points(end) for end in paired.interval)
    if paired.interval.low >= -limit - SAME:
        text = "{b} is not behind {a} by more than {limit} points (95% {low} to {high})."
        return Gate("not_behind", limit, text.format(**names, low=low, high=high))
    text = "Unsure whether {b} is behind {a} by {limit} points: 95% {low} to {high} does not exclude it."
    return Gate("unsure", limit, text.format(**names, low=low, high=high))


def format_limit(limit: float) -> str:
    """Format a limit in points: ``2``, ``0.5``."""
    return f"{100 * limit:.10g}"
