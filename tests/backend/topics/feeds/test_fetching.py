"""Feeds that are asked from a local server: each article once, whatever comes again or goes wrong."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from backend.store.database import Database, change_counters
from backend.topics.feeds import article_store, polling_schedule
from backend.topics.tables import feeds as feeds_table
from backend.topics.tables import news_items
from tests.support.feeds import LONG, NOW, Round, dated, feed, item, rss
from tests.support.provider_server import Behaviour, ProviderServer

LATER = NOW + timedelta(hours=9)


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with ProviderServer() as running:
        yield running


@pytest.fixture
def asking(server: ProviderServer, sqlite_database: Database, tmp_path: Path) -> Round:
    return Round(server, sqlite_database, tmp_path)


def two(server: ProviderServer, database: Database, home: Path, **of_b: Any) -> Round:
    return Round(server, database, home, feed(server, "a"), feed(server, "b", **of_b))


def items(database: Database) -> list[Any]:
    with database.read() as connection:
        return list(connection.execute(sa.select(news_items).order_by(news_items.c.published_at)))


def state(database: Database, name: str = "a") -> Any:
    with database.read() as connection:
        return connection.execute(sa.select(feeds_table).where(feeds_table.c.id == name)).one()


def test_an_article_is_stored_with_whom_and_what_it_names(
    server: ProviderServer, database: Database, tmp_path: Path
) -> None:
    asking = Round(server, database, tmp_path)
    text = "Tether froze $318,000 of USDT on Monday, about 12 % of the sum."
    asking.serve(rss([item(1, "Tether freezes a wallet", text, more=dated("Mon, 18 May 2026 09:00:00 GMT"))]))
    report = asking.ask()
    (stored,) = items(database)
    assert (report.added, report.brought_news) == (1, True)
    assert (stored.url, stored.language, stored.topic_id) == ("https://news.example/1", "en", None)
    assert json.loads(stored.entities)[0] == "tether"
    assert {"318000 USD", "12 %"} <= set(json.loads(stored.figures))
    assert (stored.published_at, stored.fetched_at) == (NOW - timedelta(hours=3), NOW)


def test_the_same_feed_twice_adds_and_changes_nothing(
    server: ProviderServer, database: Database, tmp_path: Path
) -> None:
    asking = Round(server, database, tmp_path)
    asking.serve(rss([item(1), item(2, text=LONG), item(3, more=dated("Thu, 01 Jan 2099 00:00:00 GMT"))]))
    asking.ask()
    before = items(database)
    report = asking.ask(LATER)
    assert items(database) == before
    assert (report.added, report.changed, report.results[0].stored.known) == (0, 0, 3)
    with database.read() as connection:
        counted = sa.select(change_counters.c.n).where(change_counters.c.topic == article_store.CHANGED)
        assert connection.scalar(counted) == 1


def test_a_changed_title_changes_the_article_in_its_place(asking: Round) -> None:
    when = dated("Mon, 18 May 2026 09:00:00 GMT")
    asking.serve(rss([item(1, "Exchange pauses", more=when), item(2, more=when)]))
    asking.ask()
    before = items(asking.database)
    asking.serve(rss([item(1, "Exchange resumes, USDC pays 5 %", more=when), item(2, more=when)]))
    report = asking.ask(LATER)
    after = items(asking.database)
    assert (report.added, report.changed) == (0, 1)
    assert after[0].title == "Exchange resumes, USDC pays 5 %"
    assert json.loads(after[0].figures) == ["5 %"]
    assert [one.id for one in after] == [one.id for one in before]
    assert after[0].fetched_at == NOW


def test_an_article_that_is_published_anew_has_its_new_date(asking: Round) -> None:
    asking.serve(rss([item(1, more=dated("Mon, 18 May 2026 09:00:00 GMT"))]))
    asking.ask()
    asking.serve(rss([item(1, more=dated("Mon, 18 May 2026 20:00:00 GMT"))]))
    asking.ask(LATER)
    assert items(asking.database)[0].published_at == NOW + timedelta(hours=8)


def test_what_has_no_date_or_one_ahead_was_published_when_it_came_and_grows_no_younger(asking: Round) -> None:
    asking.serve(
        rss([item(1), item(2, more=dated("Thu, 01 Jan 2099 00:00:00 GMT")), item(3, more=dated("soon"))])
    )
    asking.ask()
    asking.ask(LATER)
    assert {one.published_at for one in items(asking.database)} == {NOW}


def test_what_has_no_date_is_not_newer_than_its_feed(asking: Round) -> None:
    asking.serve(rss([item(1)], about="<lastBuildDate>Sun, 17 May 2026 12:00:00 GMT</lastBuildDate>"))
    asking.ask()
    assert items(asking.database)[0].published_at == NOW - timedelta(days=1)


def test_one_guid_or_address_in_one_answer_is_one_article_and_stays_the_first(asking: Round) -> None:
    again = item(1, "Another title with the same guid")
    same = item("1?utm_source=x", "Another guid at the same address")
    asking.serve(rss([item(1, "The first"), again, same]))
    first = asking.ask()
    second = asking.ask(LATER)
    assert [one.title for one in items(asking.database)] == ["The first"]
    assert (first.results[0].left_out, second.changed) == (2, 0)


def test_two_entries_with_one_guid_are_one_article_but_a_guid_that_all_share_is_none(asking: Round) -> None:
    def shared(number: int) -> str:
        return item(number).replace(f"n-{number}<", "same<")

    asking.serve(rss([shared(1), shared(2)]))
    assert asking.ask().added == 1
    asking.serve(rss([shared(number) for number in range(3, 8)]))
    assert asking.ask(LATER).added == 5
    assert asking.ask(LATER + timedelta(hours=1)).changed == 0


def test_one_address_in_two_feeds_is_one_article(
    server: ProviderServer, sqlite_database: Database, tmp_path: Path
) -> None:
    asking = two(server, sqlite_database, tmp_path)
    asking.serve(rss([item(1)]))
    asking.ask()
    asking.serve(rss([item("1/amp?utm_medium=feed", "Title in the other feed")]), "b")
    report = asking.ask(LATER)
    assert [one.feed_id for one in items(sqlite_database)] == ["a"]
    assert report.results[1].stored.duplicates == 1


def test_two_processes_that_bring_one_article_at_once_store_it_once(
    server: ProviderServer, database: Database, tmp_path: Path
) -> None:
    rounds = []
    for name in "ab":
        asking = Round(server, database, tmp_path, feed(server, name))
        asking.serve(rss([item(number, text=LONG) for number in range(20)]), name)
        rounds.append(asking)
    with ThreadPoolExecutor(2) as pool:
        reports = list(pool.map(lambda asking: asking.ask(), rounds))
    assert sum(report.added for report in reports) == len(items(database))
    urls = [one.url for one in items(database)]
    assert len(set(urls)) == len(urls)


def test_a_text_that_another_outlet_repeats_is_one_article(
    server: ProviderServer, database: Database, tmp_path: Path
) -> None:
    asking = two(server, database, tmp_path)
    asking.serve(rss([item(1, "Exchange moves reserves", LONG * 2)]))
    asking.serve(rss([item("other", "EXCHANGE MOVES RESERVES", LONG * 2 + " (Wire)")]), "b")
    asking.ask()
    asking.ask(LATER)
    assert len(items(database)) == 1


@pytest.mark.parametrize(
    ("title", "text"),
    [
        (
            "Bitcoin passes $61,000",
            "Data show that the price of bitcoin went up to $61,000, up 1.2 % in 24 hours.",
        ),
        (
            "An audit of wallets",
            "A report of an entirely different matter, in words that nobody else has used so far.",
        ),
    ],
)
def test_other_figures_or_words_make_another_article(asking: Round, title: str, text: str) -> None:
    known = "Data show that the price of bitcoin went up to $60,000, up 1.1 % in 24 hours."
    asking.serve(rss([item(1, "Bitcoin passes $60,000", known), item(2, title, text)]))
    asking.ask()
    assert len(items(asking.database)) == 2


def test_a_text_of_last_week_is_repeated_by_none_of_today(asking: Round) -> None:
    old = item(1, text=LONG, more=dated("Sun, 10 May 2026 09:00:00 GMT"))
    asking.serve(rss([old, item(2, text=LONG, more=dated("Mon, 18 May 2026 09:00:00 GMT"))]))
    asking.ask()
    assert len(items(asking.database)) == 2


def test_an_official_text_counts_beside_the_press_that_was_quicker_with_it(
    server: ProviderServer, sqlite_database: Database, tmp_path: Path
) -> None:
    asking = two(server, sqlite_database, tmp_path, kind="regulator")
    asking.serve(rss([item(1, "Committee moves reserves", LONG)]))
    asking.serve(rss([]), "b")
    asking.ask()
    asking.serve(rss([item("official", "Committee moves reserves", LONG)]), "b")
    asking.ask(LATER)
    assert [one.feed_id for one in items(sqlite_database)] == ["a", "b"]


def test_a_general_feed_gives_only_what_names_something_of_the_field(
    server: ProviderServer, sqlite_database: Database, tmp_path: Path
) -> None:
    asking = Round(server, sqlite_database, tmp_path, feed(server, kind="regulator", about="general"))
    asking.serve(
        rss([item(1, "Proposal on payment stablecoins"), item(2, "Action against a former employee")])
    )
    report = asking.ask()
    assert [one.title for one in items(sqlite_database)] == ["Proposal on payment stablecoins"]
    assert report.results[0].left_out == 1


def test_markup_in_a_title_is_stored_as_text(asking: Round) -> None:
    asking.serve(rss([item(1, "<img src=x onerror=alert(1)> Exchange resumes")]))
    asking.ask()
    assert [one.title for one in items(asking.database)] == ["Exchange resumes"]


def test_the_conditions_of_the_last_answer_are_sent_and_304_adds_nothing(asking: Round) -> None:
    asking.serve(rss([item(1)]), ETag='"1"', Last_Modified="Mon, 18 May 2026 11:00:00 GMT")
    asking.ask()
    asking.server.always("/a", Behaviour(304, b""))
    report = asking.ask(LATER)
    sent = asking.server.seen("/a")[-1].headers
    assert (sent["if-none-match"], sent["if-modified-since"]) == ('"1"', "Mon, 18 May 2026 11:00:00 GMT")
    assert report.count("unchanged") == 1
    assert (state(asking.database).etag, state(asking.database).answered_at) == ('"1"', LATER)


def test_conditions_that_could_break_a_request_are_not_kept(asking: Round) -> None:
    asking.serve(rss([item(1)]), ETag="x" * 2_000, Last_Modified="\x7f")
    asking.ask()
    assert (state(asking.database).etag, state(asking.database).last_modified) == (None, None)


def test_a_feed_is_asked_at_its_cadence_by_whichever_process_comes_first(
    server: ProviderServer, database: Database, tmp_path: Path
) -> None:
    asking = Round(server, database, tmp_path, feed(server, every_minutes=10))
    asking.serve(rss([item(1)]))
    other = Round(server, database, tmp_path, feed(server, every_minutes=10))
    assert len(asking.ask().results) == 1
    assert other.ask(NOW + timedelta(minutes=9)).results == ()
    assert len(other.ask(NOW + timedelta(minutes=10)).results) == 1
    assert asking.ask(NOW + timedelta(minutes=11)).results == ()


def test_a_feed_that_is_being_asked_is_left_alone_until_its_asker_must_be_dead(asking: Round) -> None:
    listed = asking.listed.enabled
    assert len(polling_schedule.claim_due(asking.database, listed, now=NOW)) == 1
    assert polling_schedule.claim_due(asking.database, listed, now=NOW + timedelta(minutes=1)) == []
    assert len(polling_schedule.claim_due(asking.database, listed, now=NOW + polling_schedule.CLAIM)) == 1


def test_a_feed_with_another_address_is_asked_at_once_and_whole(asking: Round) -> None:
    asking.serve(rss([item(1)]), ETag='"1"')
    asking.ask()
    moved = Round(asking.server, asking.database, asking.settings.home, feed(asking.server, "a"))
    moved.listed = type(moved.listed)(
        [moved.listed.by_id["a"].model_copy(update={"url": f"{asking.server.url}/new"})]
    )
    moved.serve(rss([item(1)]), "new")
    assert len(moved.ask(NOW + timedelta(minutes=1)).results) == 1
    assert "if-none-match" not in asking.server.seen("/new")[0].headers


def test_failures_double_the_wait_up_to_a_day_and_an_answer_ends_them(asking: Round) -> None:
    asking.server.always("/a", Behaviour(500, b"", "text/plain"))
    now, waits = NOW, []
    for _ in range(10):
        asking.ask(now)
        waits.append(state(asking.database).due_at - now)
        now = state(asking.database).due_at
    assert waits[:3] == [timedelta(minutes=20), timedelta(minutes=40), timedelta(minutes=80)]
    assert waits[-1] == timedelta(hours=24)
    assert state(asking.database).failures == 10
    asking.serve(rss([item(1)]))
    asking.ask(now)
    assert (state(asking.database).failures, state(asking.database).problem) == (0, None)


def test_a_host_that_is_asked_too_often_is_left_for_an_hour_and_one_that_is_gone_for_a_day() -> None:
    assert polling_schedule.wait_after(1, 10, 429) == timedelta(hours=1)
    assert polling_schedule.wait_after(1, 10, 410) == timedelta(hours=24)


@pytest.mark.parametrize(
    ("behaviour", "told"),
    [
        (Behaviour(404, b"", "text/plain"), "status 404"),
        (
            Behaviour(body=b"<!doctype html><html></html>", content_type="text/html"),
            "A sent a web page and no feed.",
        ),
        (Behaviour(body=b" " * (2 * 1024 * 1024 + 1), content_type="text/xml"), "more than 2,097,152 bytes"),
        (Behaviour(body=b"x", content_type="image/png"), "sent 'image/png'"),
        (Behaviour(drop=True), "did not speak HTTP"),
    ],
)
def test_what_went_wrong_is_told_in_a_sentence(asking: Round, behaviour: Behaviour, told: str) -> None:
    asking.server.always("/a", behaviour)
    report = asking.ask()
    assert report.count("failed") == 1
    assert told in (state(asking.database).problem or "")


def test_a_feed_that_fails_keeps_no_other_from_its_news(
    server: ProviderServer, sqlite_database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asking = two(server, sqlite_database, tmp_path)
    asking.serve(rss([item(1)]))
    asking.serve(rss([item(2)]), "b")
    real = asking.settings.fetch_allow

    def fetch(url: str, **options: Any) -> Any:
        from backend.upstream import guarded_fetch

        if url.endswith("/b"):
            raise RuntimeError("a fault of ours")
        assert options["allow"] == real
        return guarded_fetch(url, **options)

    report = asking.ask(fetch=fetch)
    assert [one.outcome for one in report.results] == ["answered", "failed"]
    assert "RuntimeError" in (report.results[1].problem or "")


def test_what_could_not_be_read_is_asked_for_whole_the_next_time(asking: Round) -> None:
    asking.serve(rss([item(1)]), ETag='"1"')
    asking.ask()
    asking.serve(b"<html>", ETag='"2"')
    asking.ask(LATER)
    assert state(asking.database).etag is None


def test_sample_mode_asks_nobody(asking: Round) -> None:
    asking.settings = asking.settings.model_copy(update={"mode": "sample"})
    assert asking.ask().results == ()
    assert asking.server.requests == []


def test_a_report_can_be_printed_and_counts_everything(asking: Round) -> None:
    asking.serve(rss([item(1), item(2)]))
    told = json.loads(json.dumps(asking.ask().as_dict()))
    assert (told["answered"], told["added"], told["failed"]) == (1, 2, 0)
