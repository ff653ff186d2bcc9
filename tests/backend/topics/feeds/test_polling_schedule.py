"""Feeds are asked as rarely as they and their hosts ask for."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from backend.store.database import Database
from backend.topics.tables import feeds as feeds_table
from tests.support.feeds import NOW, Round, item, rss
from tests.support.provider_server import Behaviour, ProviderServer

MINUTE = timedelta(minutes=1)


@pytest.fixture
def asking(sqlite_database: Database, tmp_path: Path) -> Iterator[Round]:
    with ProviderServer() as server:
        yield Round(server, sqlite_database, tmp_path)


def state(database: Database) -> Any:
    with database.read() as connection:
        return connection.execute(sa.select(feeds_table)).one()


def wait(asking: Round, now: Any = NOW) -> timedelta:
    asking.ask(now)
    found: timedelta = state(asking.database).due_at - now
    return found


def test_a_feeds_ttl_and_its_hosts_max_age_are_waited_for(asking: Round) -> None:
    asking.serve(rss([item(1)], about="<ttl>60</ttl>"))
    assert wait(asking) == 60 * MINUTE
    asking.serve(rss([item(1)]), Cache_Control="max-age=1800")
    assert wait(asking, NOW + 60 * MINUTE) == 30 * MINUTE
    asking.serve(rss([item(1)]))
    assert wait(asking, NOW + 90 * MINUTE) == 10 * MINUTE


def test_a_feed_that_was_asked_by_a_clock_put_back_since_is_asked_at_once(asking: Round) -> None:
    asking.serve(rss([item(1)]))
    wait(asking, NOW + 60 * MINUTE)
    assert wait(asking) == 10 * MINUTE
    assert asking.ask(NOW + MINUTE).results == (), "from then on by the new time"


def test_what_the_feed_said_holds_while_nothing_changes_and_not_at_another_address(asking: Round) -> None:
    asking.serve(rss([item(1)], about="<ttl>60</ttl>"), ETag='"1"')
    wait(asking)
    asking.server.always("/a", Behaviour(304, b""))
    assert wait(asking, NOW + 60 * MINUTE) == 60 * MINUTE
    moved = asking.listed.by_id["a"].model_copy(update={"url": f"{asking.server.url}/b"})
    asking.listed = type(asking.listed)([moved])
    asking.serve(rss([item(1)]), "b")
    assert wait(asking, NOW + 61 * MINUTE) == 10 * MINUTE


@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_is_obeyed_even_when_somebody_asks_for_all(asking: Round, status: int) -> None:
    asking.server.once("/a", Behaviour(status, b"", "text/plain", {"Retry-After": "7200"}))
    asking.serve(rss([item(1)]))
    assert wait(asking) == timedelta(hours=2)
    assert asking.ask(NOW + 119 * MINUTE, everything=True).results == ()
    assert len(asking.server.seen("/a")) == 1
    assert asking.ask(NOW + 120 * MINUTE).count("answered") == 1
    assert state(asking.database).held_until is None


def test_a_short_retry_after_does_not_shorten_the_wait_of_a_failing_feed(asking: Round) -> None:
    asking.server.always("/a", Behaviour(429, b"", "text/plain", {"Retry-After": "60"}))
    assert wait(asking) == 20 * MINUTE
    asking.server.always("/a", Behaviour(429, b"", "text/plain"))
    assert wait(asking, NOW + 20 * MINUTE) == 60 * MINUTE
    asking.server.always("/a", Behaviour(500, b"", "text/plain", {"Retry-After": "86400"}))
    assert wait(asking, NOW + 80 * MINUTE) == 80 * MINUTE
