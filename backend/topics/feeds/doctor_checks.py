"""What an operator should know of the feeds, in sentences."""

from collections.abc import Iterator
from datetime import datetime
from typing import Literal, NamedTuple

from backend.formats.plurals import counted
from backend.settings import Settings
from backend.store.database import Database
from backend.topics.feeds import polling_schedule
from backend.topics.feeds.feed_list import FeedList, FeedListRefused, load_configured


class Noted(NamedTuple):
    subject: str
    state: Literal["ok", "note", "fault"]
    sentence: str


def checkup(settings: Settings, database: Database, *, now: datetime) -> Iterator[Noted]:
    """The list of feeds, how many of them answer, and each that is dead. Nothing is asked for it."""
    try:
        listed = load_configured(settings)
    except FeedListRefused as refused:
        yield Noted("Feeds", "fault", f"The list is refused: {refused}")
        return
    with_file = f", with {settings.user_feeds_file}" if settings.user_feeds_file.exists() else ""
    tally = f"{len(listed.enabled)} enabled of {len(listed)}{with_file}"
    if settings.is_offline:
        yield Noted("Feeds", "ok", f"{tally}; {settings.mode} mode asks none.")
        return
    yield from _answers(listed, database, tally, now)


def _answers(listed: FeedList, database: Database, tally: str, now: datetime) -> Iterator[Noted]:
    enabled = {feed.id: feed for feed in listed.enabled}
    with database.read() as connection:
        stored = polling_schedule.states(connection, enabled)
    known = [state for state in stored if state.url == enabled[state.id].url]
    asked = [state for state in known if state.answered_at is not None or state.failures]
    failing = [state for state in asked if state.failures]
    if not asked:
        told = f"{tally}. None was asked yet; 'chainproof worker' or 'chainproof topics fetch' does."
        yield Noted("Feeds", "note" if enabled else "ok", told if enabled else f"{tally}.")
    elif len(failing) == len(asked):
        yield Noted("Feeds", "fault", f"{tally}. None of them answers: {failing[0].problem}")
    else:
        part = f"; {len(failing)} failed when last asked" if failing else ""
        yield Noted("Feeds", "ok", f"{tally}. {len(asked) - len(failing)} answer{part}.")
    for state in asked:
        if state.is_dead(now):
            since = f"since {state.answered_at:%Y-%m-%d}" if state.answered_at else "ever"
            told = f"has not answered {since}, {counted(state.failures, 'failure')} in a row: {state.problem}"
            advice = "Correct its address in a feeds.yaml of your own, or put it under 'disable:' there."
            yield Noted(f"Feed {state.id}", "note", f"{told} {advice}")
