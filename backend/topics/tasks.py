"""What topics do by the clock. Each tick runs once across all processes."""

from collections.abc import Callable
from datetime import datetime

import structlog

from backend.articles.rules.ruleset import Rules
from backend.db import Database
from backend.jobs.schedules import Schedule
from backend.settings import Settings
from backend.topics.feed_list import FeedListRefused, load_configured
from backend.topics.fetching import refresh_feeds

log = structlog.get_logger(__name__)

OnNews = Callable[[datetime], None]


def topic_schedules(
    settings: Settings, database: Database, rules: Rules, *, on_news: OnNews = lambda _now: None
) -> list[Schedule]:
    """Every minute whichever feeds are due; ``on_news`` is called when articles came or changed.

    In sample mode no feed is ever asked. The list of feeds is read anew at each tick, so that a change of
    the user's file counts within a minute; while it has a mistake, the list before goes on serving.
    """
    if settings.mode == "sample":
        return []
    listed = load_configured(settings)
    problem = ""

    def refresh(now: datetime) -> None:
        nonlocal listed, problem
        try:
            listed, problem = load_configured(settings), ""
        except FeedListRefused as refused:
            if str(refused) != problem:
                problem = str(refused)
                log.warning("feeds_refused", mistakes=[str(mistake) for mistake in refused.mistakes[:5]])
        rules.refresh()
        report = refresh_feeds(settings, database, rules, now=now, configured=listed)
        if report.results:
            log.info("feeds_refreshed", **report.as_dict())
        if report.brought_news:
            on_news(now)

    return [Schedule("topics-feeds", 60, refresh, "Ask the feeds that are due, and store what is new.")]
