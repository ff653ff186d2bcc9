"""Selects the reports that tell the latest state of an event: the vote that failed, the day that moved."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Protocol, TypeVar

from backend.entities.model import Language
from backend.topics.feeds.anaphora import build_title_clause

MIN_GAP = timedelta(hours=12)
"""Time without a report after which a report tells of a further development."""
MIN_SHARE = 1 / 4
"""Share of the reports that the latest ones must have, so that a late detail does not become the news."""


class Dated(Protocol):
    """A report with a title and a time."""

    @property
    def title(self) -> str: ...
    @property
    def language(self) -> Language: ...
    @property
    def published_at(self) -> datetime: ...


Item = TypeVar("Item", bound=Dated)


def select_latest(reports: Sequence[Item]) -> list[Item]:
    """Return the reports after the last gap of :data:`MIN_GAP`, in order of time.

    All reports if there is no gap, or if those behind it are too few or have no title that tells the news.
    """
    in_order = sorted(reports, key=lambda report: report.published_at)
    gaps = [
        place
        for place in range(1, len(in_order))
        if in_order[place].published_at - in_order[place - 1].published_at >= MIN_GAP
    ]
    latest = in_order[gaps[-1] :] if gaps else in_order
    news = [report for report in latest if build_title_clause(report.title, report.language)]
    return latest if len(news) >= MIN_SHARE * len(in_order) else in_order
