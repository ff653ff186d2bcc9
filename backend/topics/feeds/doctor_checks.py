"""Checks the feeds for ``chainproof doctor``."""

from collections.abc import Iterator
from datetime import datetime

from backend.formats.plurals import format_count
from backend.runtime.check_result import CheckResult
from backend.settings import Settings
from backend.store.database import Database
from backend.topics.feeds import polling_schedule
from backend.topics.feeds.feed_list import FeedList, InvalidFeedListError, load_configured


def check_feeds(settings: Settings, database: Database, *, now: datetime) -> Iterator[CheckResult]:
    """Report the list of feeds, how many answer, and each dead feed. Fetches nothing."""
    try:
        listed = load_configured(settings)
    except InvalidFeedListError as error:
        yield CheckResult("Feeds", "fault", f"The list is refused: {error}")
        return
    with_file = f", with {settings.user_feeds_file}" if settings.user_feeds_file.exists() else ""
    tally = f"{len(listed.enabled)} enabled of {len(listed)}{with_file}"
    if settings.is_offline:
        yield CheckResult("Feeds", "ok", f"{tally}; {settings.mode} mode fetches none.")
        return
    yield from _report_polls(listed, database, tally, now)


def _report_polls(listed: FeedList, database: Database, tally: str, now: datetime) -> Iterator[CheckResult]:
    enabled = {feed.id: feed for feed in listed.enabled}
    with database.read() as connection:
        stored = polling_schedule.load_states(connection, enabled)
    current_states = [state for state in stored if state.url == enabled[state.id].url]
    polled = [state for state in current_states if state.answered_at is not None or state.failures]
    failing = [state for state in polled if state.failures]
    if not polled:
        sentence = (
            f"{tally}. None was fetched yet; 'chainproof worker' or 'chainproof topics fetch' does that."
        )
        yield CheckResult("Feeds", "note" if enabled else "ok", sentence if enabled else f"{tally}.")
    elif len(failing) == len(polled):
        yield CheckResult("Feeds", "fault", f"{tally}. None of them answers: {failing[0].problem}")
    else:
        part = f"; {len(failing)} failed at the last fetch" if failing else ""
        yield CheckResult("Feeds", "ok", f"{tally}. {len(polled) - len(failing)} answer{part}.")
    for state in polled:
        if state.is_dead(now):
            since = f"since {state.answered_at:%Y-%m-%d}" if state.answered_at else "ever"
            failures = format_count(state.failures, "failure")
            failure = f"has not answered {since}, {failures} in a row: {state.problem}"
            advice = "Correct its URL in a feeds.yaml of your own, or put it under 'disable:' there."
            yield CheckResult(f"Feed {state.id}", "note", f"{failure} {advice}")
