"""Selects the reports that tell the latest state of an event: the vote that failed, the day that moved."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Protocol, TypeVar

from backend.entities.model import Language
from backend.sources.claims.actions import find_actions
from backend.topics.feeds.anaphora import build_title_clause
from backend.topics.grouping.title_tokens import words

MIN_GAP = timedelta(hours=12)
"""Time without a report after which a report tells of a further development."""
MIN_SHARED_WORDS = 1 / 2
"""Share of the words of the shorter title that two titles on one state of an event have in common."""
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


_Act = tuple[str, bool, Language]
"""A verb, whether it is affirmed, and the language."""
Item = TypeVar("Item", bound=Dated)


def select_latest(reports: Sequence[Item]) -> list[Item]:
    """Return the reports after the last gap of :data:`MIN_GAP`, in order of time.

    All reports if there is no gap, or if those behind it are too few or have no title that tells the news.
    With them the earlier reports whose titles already tell the same act.
    """
    in_order = sorted(reports, key=lambda report: report.published_at)
    gaps = [
        place
        for place in range(1, len(in_order))
        if in_order[place].published_at - in_order[place - 1].published_at >= MIN_GAP
    ]
    latest = in_order[gaps[-1] :] if gaps else in_order
    news = [report for report in latest if build_title_clause(report.title, report.language)]
    if len(news) < MIN_SHARE * len(in_order):
        return in_order
    told = [(_list_acts(report), frozenset(words(report.title))) for report in news]
    earlier = in_order[: len(in_order) - len(latest)]
    return [*(report for report in earlier if _tells_same_act(report, told)), *latest]


def _tells_same_act(report: Dated, told: Sequence[tuple[set[_Act], frozenset[str]]]) -> bool:
    """True if a title shares its acts and most of its words with one of ``told``: rejects, votes down."""
    acts, own = _list_acts(report), frozenset(words(report.title))
    return bool(acts) and any(
        acts == other_acts and len(own & other) >= MIN_SHARED_WORDS * min(len(own), len(other))
        for other_acts, other in told
    )


def _list_acts(report: Dated) -> set[_Act]:
    """List the acts of a title, with their language."""
    return {(act.verb, act.affirmed, report.language) for act in find_actions(report.title, report.language)}
