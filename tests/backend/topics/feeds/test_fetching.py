"""Fetching feeds from a local server: each article is stored once, also after errors and repetitions."""

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
from tests.support.providers.feeds import LONG, NOW, Round, build_date_element, feed, item, rss
from tests.support.providers.provider_server import Behaviour, ProviderServer

LATER = NOW + timedelta(hours=9)


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with ProviderServer() as running:
        yield running


@pytest.fixture
def round_(server: ProviderServer, sqlite_database: Database, tmp_path: Path) -> Round:
    return Round(server, sqlite_database, tmp_path)


def build_two_feeds(server: ProviderServer, database: Database, home: Path, **of_b: Any) -> Round:
    return Round(server, database, home, feed(server, "a"), feed(server, "b", **of_b))


def load_articles(database: Database) -> list[Any]:
    with database.read() as connection:
        return list(connection.execute(sa.select(news_items).order_by(news_items.c.published_at)))


def load_state(database: Database, name: str = "a") -> Any:
    with database.read() as connection:
        return connection.execute(sa.select(feeds_table).where(feeds_table.c.id == name)).one()


def test_an_article_is_stored_with_its_entities_and_figures(
    server: ProviderServer, database: Database, tmp_path: Path
) -> None:
    round_ = Round(server, database, tmp_path)
    text = "Tether froze $318,000 of USDT on Monday, about 12 % of the sum."
    round_.serve(
        rss(
            [
                item(
                    1,
                    "Tether freezes a wallet",
                    text,
                    more=build_date_element("Mon, 18 May 2026 09:00:00 GMT"),
                )
            ]
        )
    )
    report = round_.ask()
    (stored,) = load_articles(database)
    assert (report.added, report.has_changes) == (1, True)
    assert (stored.url, stored.language, stored.topic_id) == ("https://news.example/1", "en", None)
    assert json.loads(stored.entities)[0] == "tether"
    assert {"318000 USD", "12 %"} <= set(json.loads(stored.figures))
    assert (stored.published_at, stored.fetched_at) == (NOW - timedelta(hours=3), NOW)


def test_fetching_the_same_feed_again_changes_nothing(
    server: ProviderServer, database: Database, tmp_path: Path
) -> None:
    round_ = Round(server, database, tmp_path)
    round_.serve(
        rss([item(1), item(2, text=LONG), item(3, more=build_date_element("Thu, 01 Jan 2099 00:00:00 GMT"))])
    )
    round_.ask()
    before = load_articles(database)
    report = round_.ask(LATER)
    assert load_articles(database) == before
    assert (report.added, report.changed, report.results[0].stored.known) == (0, 0, 3)
    with database.read() as connection:
        counter = sa.select(change_counters.c.n).where(
            change_counters.c.topic == article_store.CHANGE_COUNTER
        )
        assert connection.scalar(counter) == 1


def test_a_changed_title_updates_the_stored_article(round_: Round) -> None:
    when = build_date_element("Mon, 18 May 2026 09:00:00 GMT")
    round_.serve(rss([item(1, "Exchange pauses", more=when), item(2, more=when)]))
    round_.ask()
    before = load_articles(round_.database)
    round_.serve(rss([item(1, "Exchange resumes, USDC pays 5 %", more=when), item(2, more=when)]))
    report = round_.ask(LATER)
    after = load_articles(round_.database)
    assert (report.added, report.changed) == (0, 1)
    assert after[0].title == "Exchange resumes, USDC pays 5 %"
    assert json.loads(after[0].figures) == ["5 %"]
    assert [article.id for article in after] == [article.id for article in before]
    assert after[0].fetched_at == NOW


def test_a_republished_article_gets_its_new_date(round_: Round) -> None:
    round_.serve(rss([item(1, more=build_date_element("Mon, 18 May 2026 09:00:00 GMT"))]))
    round_.ask()
    round_.serve(rss([item(1, more=build_date_element("Mon, 18 May 2026 20:00:00 GMT"))]))
    round_.ask(LATER)
    assert load_articles(round_.database)[0].published_at == NOW + timedelta(hours=8)


def test_an_entry_without_a_valid_date_keeps_the_time_of_its_first_fetch(round_: Round) -> None:
    round_.serve(
        rss(
            [
                item(1),
                item(2, more=build_date_element("Thu, 01 Jan 2099 00:00:00 GMT")),
                item(3, more=build_date_element("soon")),
            ]
        )
    )
    round_.ask()
    round_.ask(LATER)
    assert {article.published_at for article in load_articles(round_.database)} == {NOW}


def test_an_entry_without_a_date_is_as_old_as_its_feed(round_: Round) -> None:
    round_.serve(rss([item(1)], about="<lastBuildDate>Sun, 17 May 2026 12:00:00 GMT</lastBuildDate>"))
    round_.ask()
    assert load_articles(round_.database)[0].published_at == NOW - timedelta(days=1)


def test_of_entries_with_one_guid_or_url_the_first_is_stored(round_: Round) -> None:
    same_guid = item(1, "Another title with the same guid")
    same_url = item("1?utm_source=x", "Another guid at the same address")
    round_.serve(rss([item(1, "The first"), same_guid, same_url]))
    first = round_.ask()
    second = round_.ask(LATER)
    assert [article.title for article in load_articles(round_.database)] == ["The first"]
    assert (first.results[0].left_out, second.changed) == (2, 0)


def test_a_guid_shared_by_two_entries_counts_and_one_shared_by_all_does_not(round_: Round) -> None:
    def shared(number: int) -> str:
        return item(number).replace(f"n-{number}<", "same<")

    round_.serve(rss([shared(1), shared(2)]))
    assert round_.ask().added == 1
    round_.serve(rss([shared(number) for number in range(3, 8)]))
    assert round_.ask(LATER).added == 5
    assert round_.ask(LATER + timedelta(hours=1)).changed == 0


def test_one_url_in_two_feeds_is_one_article(
    server: ProviderServer, sqlite_database: Database, tmp_path: Path
) -> None:
    round_ = build_two_feeds(server, sqlite_database, tmp_path)
    round_.serve(rss([item(1)]))
    round_.ask()
    round_.serve(rss([item("1/amp?utm_medium=feed", "Title in the other feed")]), "b")
    report = round_.ask(LATER)
    assert [article.feed_id for article in load_articles(sqlite_database)] == ["a"]
    assert report.results[1].stored.duplicates == 1


def test_two_processes_that_store_one_article_at_once_store_it_once(
    server: ProviderServer, database: Database, tmp_path: Path
) -> None:
    rounds = []
    for name in "ab":
        round_ = Round(server, database, tmp_path, feed(server, name))
        round_.serve(rss([item(number, text=LONG) for number in range(20)]), name)
        rounds.append(round_)
    with ThreadPoolExecutor(2) as pool:
        reports = list(pool.map(lambda round_: round_.ask(), rounds))
    assert sum(report.added for report in reports) == len(load_articles(database))
    urls = [article.url for article in load_articles(database)]
    assert len(set(urls)) == len(urls)


def test_a_text_repeated_by_another_outlet_is_one_article(
    server: ProviderServer, database: Database, tmp_path: Path
) -> None:
    round_ = build_two_feeds(server, database, tmp_path)
    round_.serve(rss([item(1, "Exchange moves reserves", LONG * 2)]))
    round_.serve(rss([item("other", "EXCHANGE MOVES RESERVES", LONG * 2 + " (Wire)")]), "b")
    round_.ask()
    round_.ask(LATER)
    assert len(load_articles(database)) == 1


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
def test_other_figures_or_words_make_another_article(round_: Round, title: str, text: str) -> None:
    first_text = "Data show that the price of bitcoin went up to $60,000, up 1.1 % in 24 hours."
    round_.serve(rss([item(1, "Bitcoin passes $60,000", first_text), item(2, title, text)]))
    round_.ask()
    assert len(load_articles(round_.database)) == 2


def test_a_text_does_not_repeat_one_of_last_week(round_: Round) -> None:
    old = item(1, text=LONG, more=build_date_element("Sun, 10 May 2026 09:00:00 GMT"))
    round_.serve(rss([old, item(2, text=LONG, more=build_date_element("Mon, 18 May 2026 09:00:00 GMT"))]))
    round_.ask()
    assert len(load_articles(round_.database)) == 2


def test_an_official_text_is_stored_although_the_press_published_it_first(
    server: ProviderServer, sqlite_database: Database, tmp_path: Path
) -> None:
    round_ = build_two_feeds(server, sqlite_database, tmp_path, kind="regulator")
    round_.serve(rss([item(1, "Committee moves reserves", LONG)]))
    round_.serve(rss([]), "b")
    round_.ask()
    round_.serve(rss([item("official", "Committee moves reserves", LONG)]), "b")
    round_.ask(LATER)
    assert [article.feed_id for article in load_articles(sqlite_database)] == ["a", "b"]


def test_only_relevant_entries_of_a_general_feed_are_stored(
    server: ProviderServer, sqlite_database: Database, tmp_path: Path
) -> None:
    round_ = Round(server, sqlite_database, tmp_path, feed(server, kind="regulator", about="general"))
    round_.serve(
        rss([item(1, "Proposal on payment stablecoins"), item(2, "Action against a former employee")])
    )
    report = round_.ask()
    assert [article.title for article in load_articles(sqlite_database)] == [
        "Proposal on payment stablecoins"
    ]
    assert report.results[0].left_out == 1


def test_markup_in_a_title_is_stored_as_text(round_: Round) -> None:
    round_.serve(rss([item(1, "<img src=x onerror=alert(1)> Exchange resumes")]))
    round_.ask()
    assert [article.title for article in load_articles(round_.database)] == ["Exchange resumes"]


def test_validators_are_sent_and_status_304_adds_nothing(round_: Round) -> None:
    round_.serve(rss([item(1)]), ETag='"1"', Last_Modified="Mon, 18 May 2026 11:00:00 GMT")
    round_.ask()
    round_.server.always("/a", Behaviour(304, b""))
    report = round_.ask(LATER)
    sent_headers = round_.server.seen("/a")[-1].headers
    assert (sent_headers["if-none-match"], sent_headers["if-modified-since"]) == (
        '"1"',
        "Mon, 18 May 2026 11:00:00 GMT",
    )
    assert report.count("unchanged") == 1
    assert (load_state(round_.database).etag, load_state(round_.database).answered_at) == ('"1"', LATER)


def test_validators_that_cannot_be_sent_are_not_stored(round_: Round) -> None:
    round_.serve(rss([item(1)]), ETag="x" * 2_000, Last_Modified="\x7f")
    round_.ask()
    assert (load_state(round_.database).etag, load_state(round_.database).last_modified) == (None, None)


def test_any_process_polls_a_feed_once_per_interval(
    server: ProviderServer, database: Database, tmp_path: Path
) -> None:
    round_ = Round(server, database, tmp_path, feed(server, every_minutes=10))
    round_.serve(rss([item(1)]))
    other_round = Round(server, database, tmp_path, feed(server, every_minutes=10))
    assert len(round_.ask().results) == 1
    assert other_round.ask(NOW + timedelta(minutes=9)).results == ()
    assert len(other_round.ask(NOW + timedelta(minutes=10)).results) == 1
    assert round_.ask(NOW + timedelta(minutes=11)).results == ()


def test_a_claimed_feed_is_left_alone_until_its_claim_expires(round_: Round) -> None:
    listed = round_.listed.enabled
    assert len(polling_schedule.claim_due(round_.database, listed, now=NOW)) == 1
    assert polling_schedule.claim_due(round_.database, listed, now=NOW + timedelta(minutes=1)) == []
    assert (
        len(polling_schedule.claim_due(round_.database, listed, now=NOW + polling_schedule.CLAIM_DURATION))
        == 1
    )


def test_a_feed_with_a_new_url_is_polled_at_once_without_validators(round_: Round) -> None:
    round_.serve(rss([item(1)]), ETag='"1"')
    round_.ask()
    moved_round = Round(round_.server, round_.database, round_.settings.home, feed(round_.server, "a"))
    moved_round.listed = type(moved_round.listed)(
        [moved_round.listed.by_id["a"].model_copy(update={"url": f"{round_.server.url}/new"})]
    )
    moved_round.serve(rss([item(1)]), "new")
    assert len(moved_round.ask(NOW + timedelta(minutes=1)).results) == 1
    assert "if-none-match" not in round_.server.seen("/new")[0].headers


def test_failures_double_the_wait_up_to_a_day_until_a_response(round_: Round) -> None:
    round_.server.always("/a", Behaviour(500, b"", "text/plain"))
    now, waits = NOW, []
    for _ in range(10):
        round_.ask(now)
        waits.append(load_state(round_.database).due_at - now)
        now = load_state(round_.database).due_at
    assert waits[:3] == [timedelta(minutes=20), timedelta(minutes=40), timedelta(minutes=80)]
    assert waits[-1] == timedelta(hours=24)
    assert load_state(round_.database).failures == 10
    round_.serve(rss([item(1)]))
    round_.ask(now)
    assert (load_state(round_.database).failures, load_state(round_.database).problem) == (0, None)


def test_status_429_waits_an_hour_and_status_410_a_day() -> None:
    assert polling_schedule.compute_wait(1, 10, 429) == timedelta(hours=1)
    assert polling_schedule.compute_wait(1, 10, 410) == timedelta(hours=24)


@pytest.mark.parametrize(
    ("behaviour", "sentence"),
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
def test_every_problem_is_described_in_a_sentence(round_: Round, behaviour: Behaviour, sentence: str) -> None:
    round_.server.always("/a", behaviour)
    report = round_.ask()
    assert report.count("failed") == 1
    assert sentence in (load_state(round_.database).problem or "")


def test_a_failing_feed_does_not_affect_the_others(
    server: ProviderServer, sqlite_database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    round_ = build_two_feeds(server, sqlite_database, tmp_path)
    round_.serve(rss([item(1)]))
    round_.serve(rss([item(2)]), "b")
    real = round_.settings.fetch_allow

    def fetch(url: str, **options: Any) -> Any:
        from backend.upstream import guarded_fetch

        if url.endswith("/b"):
            raise RuntimeError("a fault of ours")
        assert options["allow"] == real
        return guarded_fetch(url, **options)

    report = round_.ask(fetch=fetch)
    assert [article.outcome for article in report.results] == ["answered", "failed"]
    assert "RuntimeError" in (report.results[1].problem or "")


def test_after_an_unreadable_response_no_validators_are_sent(round_: Round) -> None:
    round_.serve(rss([item(1)]), ETag='"1"')
    round_.ask()
    round_.serve(b"<html>", ETag='"2"')
    round_.ask(LATER)
    assert load_state(round_.database).etag is None


def test_sample_mode_fetches_no_feed(round_: Round) -> None:
    round_.settings = round_.settings.model_copy(update={"mode": "sample"})
    assert round_.ask().results == ()
    assert round_.server.requests == []


def test_a_report_can_be_printed_and_counts_everything(round_: Round) -> None:
    round_.serve(rss([item(1), item(2)]))
    sentence = json.loads(json.dumps(round_.ask().as_dict()))
    assert (sentence["answered"], sentence["added"], sentence["failed"]) == (1, 2, 0)
