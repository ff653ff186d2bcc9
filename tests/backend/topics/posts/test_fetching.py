"""Fetch rounds against a local server that behaves like X."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from backend.store.database import Database, change_counters
from backend.topics.model import Category, Media
from backend.topics.posts import post_store, search_schedule
from backend.topics.posts.model import PublicMetrics
from backend.topics.posts.scoring import compute_score
from backend.topics.store import topic_store
from backend.topics.tables import post_searches, topic_posts
from tests.backend.topics.posts.conftest import NOW, Rounds, build_settings
from tests.support.providers.x_server import FAULTS, LOOKUP, SEARCH, XServer, limited, post, user

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)


def read_change_counter(database: Database) -> int:
    with database.read() as connection:
        query = sa.select(change_counters.c.n).where(change_counters.c.topic == topic_store.CHANGE_COUNTER)
        return connection.execute(query).scalar_one_or_none() or 0


def count_rows(database: Database, table: sa.Table) -> int:
    with database.read() as connection:
        return connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()


def test_found_posts_become_media_and_determine_the_score(
    server: XServer, database: Database, tmp_path: Path, entities: Any
) -> None:
    rounds = Rounds(server, database, build_settings(server, tmp_path), entities)
    topic_id = rounds.store_topic(entities=("sec",))
    server.x.users = [user("1", "SECGov", "U.S. SEC"), user("2", "anna", "Anna", verified=True)]
    server.x.found["story"] = [
        post(11, "Our statement", NOW - HOUR, likes=40, reposts=5),
        post(12, "見た？", NOW - HOUR, author="2", lang="ja", quotes=2, replies=1),
    ]
    result = rounds.fetch()
    assert (result.pages, result.billed, result.scored, result.refused) == (1, 2, 1, None)
    first, second = sorted(rounds.posts(topic_id), key=lambda item: item.url)
    assert (first.url, first.title, first.summary, first.language) == (
        "https://x.com/SECGov/status/11",
        "U.S. SEC (@SECGov)",
        "Our statement",
        "en",
    )
    assert first.score == compute_score(PublicMetrics(40, 5), NOW - HOUR, True, NOW)
    assert (second.url, second.language) == ("https://x.com/anna/status/12", "ja")
    assert second.score == compute_score(PublicMetrics(quotes=2, replies=1), NOW - HOUR, False, NOW)
    assert rounds.state().budget.used == 2


def test_the_next_search_starts_after_the_newest_post_and_counts_nothing_twice(
    rounds: Rounds, server: XServer
) -> None:
    topic_id = rounds.store_topic()
    server.x.found["story"] = [post(11, "x", NOW - HOUR, likes=40)]
    rounds.fetch()
    before = rounds.total(topic_id)
    assert rounds.fetch(NOW + MINUTE).pages == 0  # not due
    server.x.found["story"].append(post(12, "y", NOW, likes=40))
    later = NOW + 31 * MINUTE
    assert (rounds.fetch(later).billed, len(rounds.posts(topic_id))) == (1, 2)
    assert server.seen(SEARCH)[-1].query["since_id"] == "11"
    assert before < rounds.total(topic_id) < 2 * before


def test_each_round_reads_one_page_of_a_long_search(rounds: Rounds, server: XServer) -> None:
    topic_id = rounds.store_topic()
    server.x.found["story"] = [post(n, "x", NOW - HOUR, likes=n) for n in range(1, 251)]
    assert [rounds.fetch(NOW + n * MINUTE).billed for n in range(4)] == [100, 100, 50, 0]
    assert len(server.seen(SEARCH)) == 3
    posts = rounds.posts(topic_id)
    assert len(posts) == post_store.MAX_SHOWN_POSTS
    assert {int(item.url.rpartition("/")[2]) for item in posts} == set(range(201, 251))
    server.x.found["story"].append(post(999, "y", NOW))
    rounds.fetch(NOW + 40 * MINUTE)
    assert server.seen(SEARCH)[-1].query["since_id"] == "250"


def test_a_search_stops_after_its_maximum_of_pages(rounds: Rounds, server: XServer) -> None:
    rounds.store_topic()
    server.x.found["story"] = [post(n, "x", NOW - HOUR) for n in range(1, 900)]
    for n in range(search_schedule.MAX_PAGES_PER_SEARCH + 2):
        rounds.fetch(NOW + n * MINUTE)
    assert len(server.seen(SEARCH)) == search_schedule.MAX_PAGES_PER_SEARCH


def test_scores_follow_the_refreshed_counts(rounds: Rounds, server: XServer) -> None:
    topic_id = rounds.store_topic()
    server.x.found["story"] = [post(11, "x", NOW - HOUR, likes=2)]
    rounds.fetch()
    server.x.found["story"] = [post(11, "x", NOW - HOUR, likes=2_000, reposts=100)]
    later = NOW + 61 * MINUTE
    result = rounds.fetch(later)
    assert (result.counted, result.billed) == (1, 0)  # X bills a post once a day
    (item,) = rounds.posts(topic_id)
    assert item.score == compute_score(PublicMetrics(2_000, 100), NOW - HOUR, False, later)
    assert server.seen(LOOKUP)[-1].query["ids"] == "11"
    tomorrow = rounds.fetch(NOW + 12 * HOUR)
    assert (tomorrow.counted, tomorrow.billed) == (1, 1)


def test_deleted_posts_leave_their_topic_and_unanswered_ones_wait(rounds: Rounds, server: XServer) -> None:
    topic_id = rounds.store_topic()
    server.x.found["story"] = [post(11, "x", NOW - HOUR, likes=2), post(12, "y", NOW - HOUR, likes=9)]
    rounds.fetch()
    server.x.deleted = {"11"}
    rounds.fetch(NOW + 61 * MINUTE)
    assert [item.url[-2:] for item in rounds.posts(topic_id)] == ["12"]
    assert rounds.total(topic_id) > 0
    server.once(LOOKUP, FAULTS["invalid"])
    later = NOW + 130 * MINUTE
    rounds.fetch(later)
    lookups = len(server.seen(LOOKUP))
    rounds.fetch(later + MINUTE)
    assert len(server.seen(LOOKUP)) == lookups


def test_a_post_counts_only_for_the_first_topic_it_was_found_for(rounds: Rounds, server: XServer) -> None:
    first_topic = rounds.store_topic("story", category=Category.BREAKING)
    second_topic = rounds.store_topic("tale")
    server.x.found = {"story": [post(11, "x", NOW, likes=5)], "tale": [post(11, "x", NOW, likes=5)]}
    result = rounds.fetch()
    assert (result.pages, result.billed) == (2, 1)
    assert (len(rounds.posts(first_topic)), len(rounds.posts(second_topic))) == (1, 0)


def test_a_post_that_a_client_also_sent_is_one_item_under_the_sent_url(
    rounds: Rounds, server: XServer
) -> None:
    sent_media = Media("tweet", "https://twitter.com/anna/status/11?s=20", summary="sent", score=500.0)
    topic_id = rounds.store_topic(media=(sent_media, Media("tweet", "https://other.example/5", score=1.0)))
    server.x.users = [user("1", "anna", "Anna")]
    server.x.found["story"] = [post(11, "x", NOW, likes=5)]
    rounds.fetch()
    items = {item.url: item.score for item in rounds.posts(topic_id)}
    assert items == {
        sent_media.url: compute_score(PublicMetrics(5), NOW, False, NOW),
        "https://other.example/5": 1.0,
    }


def test_posts_of_a_merged_topic_count_for_its_replacement(rounds: Rounds, server: XServer) -> None:
    merged, replacement = rounds.store_topic("story"), rounds.store_topic("tale")
    server.x.found["story"] = [post(11, "x", NOW, likes=5)]
    rounds.fetch()
    with rounds.database.write() as connection:
        topic_store.merge_topic(connection, merged, replacement, now=NOW)
    server.x.found["story"] = [post(11, "x", NOW, likes=5_000)]
    later = NOW + 61 * MINUTE
    rounds.fetch(later)
    (item,) = rounds.posts(replacement)
    assert item.score == compute_score(PublicMetrics(5_000), NOW, False, later)


def test_decaying_scores_are_written_only_after_a_real_change(rounds: Rounds, server: XServer) -> None:
    topic_id = rounds.store_topic()
    server.x.found["story"] = [post(11, "x", NOW, likes=50)]
    rounds.fetch(NOW)
    before, counter_before = rounds.total(topic_id), read_change_counter(rounds.database)
    rounds.fetch(NOW + 15 * MINUTE)  # a tenth minute of the hour, 1 % less
    assert (rounds.total(topic_id), read_change_counter(rounds.database)) == (before, counter_before)
    rounds.fetch(NOW + 14 * HOUR + 15 * MINUTE)
    assert rounds.total(topic_id) < before / 2


@pytest.mark.parametrize(
    "fields",
    [
        {"event": "wrap"},
        {"realm": "sample"},
        {"realm": "own", "tweet_score": 3.0},
        {"published_at": NOW - timedelta(hours=25)},
        {"published_at": NOW + HOUR},
        {"url": "https://outlet.example/", "media": ()},
    ],
)
def test_reports_sample_topics_scored_old_and_future_topics_are_not_searched(
    rounds: Rounds, server: XServer, fields: dict[str, Any]
) -> None:
    from backend.topics.model import TopicText

    rounds.store_topic(texts={"en": TopicText("Short")}, **fields)
    assert rounds.fetch().pages == 0
    assert not server.requests


def test_the_most_important_topics_are_searched_first_up_to_the_limit_of_a_round(
    rounds: Rounds, server: XServer
) -> None:
    for number in range(8):
        rounds.store_topic(f"minor{number}", coverage=float(number))
    rounds.store_topic("urgent", category=Category.BREAKING)
    assert rounds.fetch().pages == 6
    queries = [request.query["query"] for request in server.seen(SEARCH)]
    assert ["urgent" in queries[0], "minor7" in queries[1], "minor6" in queries[2]] == [True] * 3
    assert rounds.fetch(NOW + MINUTE).pages == 3


def test_a_topic_with_new_articles_is_searched_from_the_beginning(rounds: Rounds, server: XServer) -> None:
    topic_id = rounds.store_topic()
    server.x.found["story"] = [post(11, "x", NOW - HOUR, likes=5)]
    rounds.fetch()
    with rounds.database.write() as connection:
        fields = [Media("article", "https://outlet.example/more")]
        topic_store.add_media(connection, topic_id, fields, now=NOW)
    rounds.fetch(NOW + 31 * MINUTE)
    assert "since_id" not in server.seen(SEARCH)[-1].query
    assert len(rounds.posts(topic_id)) == 1


def test_the_monthly_posts_limit_the_page_size_and_then_the_searches(rounds: Rounds, server: XServer) -> None:
    rounds.store_topic("story")
    rounds.store_topic("tale")
    server.x.found["story"] = [post(n, "x", NOW) for n in range(1, 200)]
    server.x.found["tale"] = [post(n, "x", NOW) for n in range(300, 400)]
    small_quota = {"x_monthly_posts": 2_000}  # 64 a day, 16 in six hours
    assert rounds.fetch(**small_quota).billed == 16
    assert [request.query["max_results"] for request in server.seen(SEARCH)] == ["16"]
    assert rounds.fetch(NOW + HOUR, **small_quota).pages == 0


def test_a_setting_limits_the_requests_in_15_minutes(rounds: Rounds, server: XServer) -> None:
    for number in range(5):
        rounds.store_topic(f"story{number}")
    low_limit = {"x_requests_per_15_minutes": 2}
    assert [rounds.fetch(NOW + n * MINUTE, **low_limit).pages for n in (0, 1, 9, 10)] == [2, 0, 0, 2]


def test_a_spent_rate_limit_window_gets_no_request_before_its_reset(rounds: Rounds, server: XServer) -> None:
    for number in range(4):
        rounds.store_topic(f"story{number}")
    server.x.remaining = 2
    assert rounds.fetch().pages == 2
    assert rounds.fetch(NOW + 9 * MINUTE).pages == 0
    assert len(server.requests) == 2  # the third was never sent
    server.x.remaining, server.x.reset = 60, NOW + 25 * MINUTE
    assert rounds.fetch(NOW + 10 * MINUTE).pages == 2


@pytest.mark.parametrize("name", sorted(set(FAULTS) - {"invalid"}))
def test_a_failing_x_changes_nothing_and_fetching_resumes_after_it_recovers(
    rounds: Rounds, server: XServer, name: str
) -> None:
    topic_id = rounds.store_topic()
    rounds.store_topic("tale")
    server.x.found["story"] = [post(11, "x", NOW, likes=5)]
    server.always("*", FAULTS[name])
    result = rounds.fetch()
    assert (result.pages, result.scored, bool(result.refused)) == (0, 0, True)
    assert rounds.topic(topic_id).texts["en"].title.startswith("Headline")
    assert len(server.requests) in (1, 3)  # what is down is tried thrice by the client, a refusal once
    server.always("*", None)
    assert rounds.fetch(NOW + 20 * HOUR).pages == 2
    assert len(rounds.posts(topic_id)) == 1


def test_a_new_process_retries_a_rejected_token_at_once(rounds: Rounds, server: XServer) -> None:
    rounds.store_topic()
    server.always("*", FAULTS["unauthorised"])
    rounds.fetch()
    rounds.fetch(NOW + timedelta(seconds=1))
    assert len(server.requests) == 1
    server.always("*", None)
    assert rounds.fetch(NOW + timedelta(seconds=2), is_first=True).pages == 1


def test_every_later_round_respects_a_rate_limit(rounds: Rounds, server: XServer) -> None:
    rounds.store_topic()
    server.always("*", limited(NOW + 7 * MINUTE))
    rounds.fetch()
    for minute in (1, 3, 6):
        rounds.fetch(NOW + minute * MINUTE)
    assert len(server.requests) == 1
    server.always("*", None)
    assert rounds.fetch(NOW + 7 * MINUTE).pages == 1


def test_requests_back_off_while_x_is_down(rounds: Rounds, server: XServer) -> None:
    rounds.store_topic()
    server.always("*", FAULTS["odd"])
    for minute in range(60):
        rounds.fetch(NOW + minute * MINUTE)
    assert len(server.requests) < 15


def test_a_malformed_query_waits_while_other_searches_continue(rounds: Rounds, server: XServer) -> None:
    rounds.store_topic("story", category=Category.BREAKING)
    rounds.store_topic("tale")
    server.once(SEARCH, FAULTS["invalid"])
    result = rounds.fetch()
    assert (result.pages, result.refused) == (1, None)
    rounds.fetch(NOW + 40 * MINUTE)
    assert [("story" in request.query["query"]) for request in server.seen(SEARCH)] == [True, False, False]
    rounds.fetch(NOW + 6 * HOUR)
    assert "story" in server.seen(SEARCH)[-2].query["query"]


def test_old_counts_are_deleted_and_their_posts_stay_as_media(rounds: Rounds, server: XServer) -> None:
    topic_id = rounds.store_topic()
    server.x.found["story"] = [post(11, "x", NOW, likes=5)]
    rounds.fetch()
    with rounds.database.write() as connection:
        assert post_store.delete_old_posts(connection, NOW + timedelta(days=8)) == 0
        assert post_store.delete_old_posts(connection, NOW + timedelta(days=8, minutes=1)) == 1
        search_schedule.delete_old_searches(connection, NOW + timedelta(days=9))
    assert (count_rows(rounds.database, topic_posts), count_rows(rounds.database, post_searches)) == (0, 0)
    assert len(rounds.posts(topic_id)) == 1
