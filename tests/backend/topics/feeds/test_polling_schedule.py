"""Polling times of feeds, by their own hints and those of their hosts."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from backend.store.database import Database
from backend.topics.tables import feeds as feeds_table
from tests.support.providers.feeds import NOW, Round, item, rss
from tests.support.providers.provider_server import Behaviour, ProviderServer

MINUTE = timedelta(minutes=1)


@pytest.fixture
def round_(sqlite_database: Database, tmp_path: Path) -> Iterator[Round]:
    with ProviderServer() as server:
        yield Round(server, sqlite_database, tmp_path)


def load_state(database: Database) -> Any:
    with database.read() as connection:
        return connection.execute(sa.select(feeds_table)).one()


def wait(round_: Round, now: Any = NOW) -> timedelta:
    round_.ask(now)
    found: timedelta = load_state(round_.database).due_at - now
    return found


def test_the_ttl_of_a_feed_and_the_max_age_of_its_host_are_respected(round_: Round) -> None:
    round_.serve(rss([item(1)], about="<ttl>60</ttl>"))
    assert wait(round_) == 60 * MINUTE
    round_.serve(rss([item(1)]), Cache_Control="max-age=1800")
    assert wait(round_, NOW + 60 * MINUTE) == 30 * MINUTE
    round_.serve(rss([item(1)]))
    assert wait(round_, NOW + 90 * MINUTE) == 10 * MINUTE


def test_a_feed_polled_in_the_future_by_a_wrong_clock_is_due_at_once(round_: Round) -> None:
    round_.serve(rss([item(1)]))
    wait(round_, NOW + 60 * MINUTE)
    assert wait(round_) == 10 * MINUTE
    assert round_.ask(NOW + MINUTE).results == (), "from then on by the new time"


def test_hints_stay_valid_after_status_304_and_end_with_a_new_url(round_: Round) -> None:
    round_.serve(rss([item(1)], about="<ttl>60</ttl>"), ETag='"1"')
    wait(round_)
    round_.server.always("/a", Behaviour(304, b""))
    assert wait(round_, NOW + 60 * MINUTE) == 60 * MINUTE
    moved_feed = round_.listed.by_id["a"].model_copy(update={"url": f"{round_.server.url}/b"})
    round_.listed = type(round_.listed)([moved_feed])
    round_.serve(rss([item(1)]), "b")
    assert wait(round_, NOW + 61 * MINUTE) == 10 * MINUTE


@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_is_respected_even_when_all_feeds_are_requested(round_: Round, status: int) -> None:
    round_.server.once("/a", Behaviour(status, b"", "text/plain", {"Retry-After": "7200"}))
    round_.serve(rss([item(1)]))
    assert wait(round_) == timedelta(hours=2)
    assert round_.ask(NOW + 119 * MINUTE, force=True).results == ()
    assert len(round_.server.seen("/a")) == 1
    assert round_.ask(NOW + 120 * MINUTE).count("answered") == 1
    assert load_state(round_.database).held_until is None


def test_a_short_retry_after_does_not_shorten_the_wait_of_a_failing_feed(round_: Round) -> None:
    round_.server.always("/a", Behaviour(429, b"", "text/plain", {"Retry-After": "60"}))
    assert wait(round_) == 20 * MINUTE
    round_.server.always("/a", Behaviour(429, b"", "text/plain"))
    assert wait(round_, NOW + 20 * MINUTE) == 60 * MINUTE
    round_.server.always("/a", Behaviour(500, b"", "text/plain", {"Retry-After": "86400"}))
    assert wait(round_, NOW + 80 * MINUTE) == 80 * MINUTE
