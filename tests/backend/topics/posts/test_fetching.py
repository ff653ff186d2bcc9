"""Rounds of reading posts against a server that speaks as X does."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from backend.store.database import Database, change_counters
from backend.topics.model import Category, Media
from backend.topics.posts import post_store, search_schedule
from backend.topics.posts.model import Metrics
from backend.topics.posts.scoring import score
from backend.topics.store import topic_store
from backend.topics.tables import post_searches, topic_posts
from tests.backend.topics.posts.conftest import NOW, Rounds, settings_of
from tests.support.x_server import FAULTS, LOOKUP, SEARCH, XServer, limited, post, user

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)


def moves(database: Database) -> int:
    with database.read() as connection:
        look = sa.select(change_counters.c.n).where(change_counters.c.topic == topic_store.CHANGE_COUNTER)
        return connection.execute(look).scalar_one_or_none() or 0


def count(database: Database, table: sa.Table) -> int:
    with database.read() as connection:
        return connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()


def test_posts_become_media_and_make_the_score(
    server: XServer, database: Database, tmp_path: Path, entities: Any
) -> None:
    rounds = Rounds(server, database, settings_of(server, tmp_path), entities)
    topic_id = rounds.tell(entities=("sec",))
    server.x.users = [user("1", "SECGov", "U.S. SEC"), user("2", "anna", "Anna", verified=True)]
    server.x.found["story"] = [
        post(11, "Our statement", NOW - HOUR, likes=40, reposts=5),
        post(12, "見た？", NOW - HOUR, author="2", lang="ja", quotes=2, replies=1),
    ]
    read = rounds.read()
    assert (read.pages, read.billed, read.scored, read.refused) == (1, 2, 1, None)
    first, second = sorted(rounds.posts(topic_id), key=lambda item: item.url)
    assert (first.url, first.title, first.summary, first.language) == (
        "https://x.com/SECGov/status/11",
        "U.S. SEC (@SECGov)",
        "Our statement",
        "en",
    )
    assert first.score == score(Metrics(40, 5), NOW - HOUR, True, NOW)
    assert (second.url, second.language) == ("https://x.com/anna/status/12", "ja")
    assert second.score == score(Metrics(quotes=2, replies=1), NOW - HOUR, False, NOW)
    assert rounds.state().budget.used == 2


def test_asking_again_counts_nothing_twice_and_goes_on_behind_the_newest(
    rounds: Rounds, server: XServer
) -> None:
    topic_id = rounds.tell()
    server.x.found["story"] = [post(11, "x", NOW - HOUR, likes=40)]
    rounds.read()
    before = rounds.total(topic_id)
    assert rounds.read(NOW + MINUTE).pages == 0  # not due
    server.x.found["story"].append(post(12, "y", NOW, likes=40))
    later = NOW + 31 * MINUTE
    assert (rounds.read(later).billed, len(rounds.posts(topic_id))) == (1, 2)
    assert server.seen(SEARCH)[-1].query["since_id"] == "11"
    assert before < rounds.total(topic_id) < 2 * before


def test_a_search_with_many_posts_is_read_a_page_a_round(rounds: Rounds, server: XServer) -> None:
    topic_id = rounds.tell()
    server.x.found["story"] = [post(n, "x", NOW - HOUR, likes=n) for n in range(1, 251)]
    assert [rounds.read(NOW + n * MINUTE).billed for n in range(4)] == [100, 100, 50, 0]
    assert len(server.seen(SEARCH)) == 3
    posts = rounds.posts(topic_id)
    assert len(posts) == post_store.MOST_SHOWN
    assert {int(item.url.rpartition("/")[2]) for item in posts} == set(range(201, 251))
    server.x.found["story"].append(post(999, "y", NOW))
    rounds.read(NOW + 40 * MINUTE)
    assert server.seen(SEARCH)[-1].query["since_id"] == "250"


def test_a_story_without_end_is_left_after_some_pages(rounds: Rounds, server: XServer) -> None:
    rounds.tell()
    server.x.found["story"] = [post(n, "x", NOW - HOUR) for n in range(1, 900)]
    for n in range(search_schedule.MOST_PAGES + 2):
        rounds.read(NOW + n * MINUTE)
    assert len(server.seen(SEARCH)) == search_schedule.MOST_PAGES


def test_scores_follow_what_x_counts(rounds: Rounds, server: XServer) -> None:
    topic_id = rounds.tell()
    server.x.found["story"] = [post(11, "x", NOW - HOUR, likes=2)]
    rounds.read()
    server.x.found["story"] = [post(11, "x", NOW - HOUR, likes=2_000, reposts=100)]
    later = NOW + 61 * MINUTE
    read = rounds.read(later)
    assert (read.counted, read.billed) == (1, 0)  # X bills a post once a day
    (item,) = rounds.posts(topic_id)
    assert item.score == score(Metrics(2_000, 100), NOW - HOUR, False, later)
    assert server.seen(LOOKUP)[-1].query["ids"] == "11"
    tomorrow = rounds.read(NOW + 12 * HOUR)
    assert (tomorrow.counted, tomorrow.billed) == (1, 1)


def test_a_post_that_is_gone_goes_from_its_topic_and_one_of_which_x_says_nothing_rests(
    rounds: Rounds, server: XServer
) -> None:
    topic_id = rounds.tell()
    server.x.found["story"] = [post(11, "x", NOW - HOUR, likes=2), post(12, "y", NOW - HOUR, likes=9)]
    rounds.read()
    server.x.deleted = {"11"}
    rounds.read(NOW + 61 * MINUTE)
    assert [item.url[-2:] for item in rounds.posts(topic_id)] == ["12"]
    assert rounds.total(topic_id) > 0
    server.once(LOOKUP, FAULTS["invalid"])
    later = NOW + 130 * MINUTE
    rounds.read(later)
    asked = len(server.seen(LOOKUP))
    rounds.read(later + MINUTE)
    assert len(server.seen(LOOKUP)) == asked


def test_a_post_counts_for_the_one_topic_that_it_was_found_for_first(rounds: Rounds, server: XServer) -> None:
    one = rounds.tell("story", category=Category.BREAKING)
    other = rounds.tell("tale")
    server.x.found = {"story": [post(11, "x", NOW, likes=5)], "tale": [post(11, "x", NOW, likes=5)]}
    read = rounds.read()
    assert (read.pages, read.billed) == (2, 1)
    assert (len(rounds.posts(one)), len(rounds.posts(other))) == (1, 0)


def test_a_post_that_a_program_sent_too_is_one_whatever_its_address(rounds: Rounds, server: XServer) -> None:
    sent = Media("tweet", "https://twitter.com/anna/status/11?s=20", summary="sent", score=500.0)
    topic_id = rounds.tell(media=(sent, Media("tweet", "https://other.example/5", score=1.0)))
    server.x.users = [user("1", "anna", "Anna")]
    server.x.found["story"] = [post(11, "x", NOW, likes=5)]
    rounds.read()
    items = {item.url: item.score for item in rounds.posts(topic_id)}
    assert items == {sent.url: score(Metrics(5), NOW, False, NOW), "https://other.example/5": 1.0}


def test_posts_of_a_merged_topic_go_on_counting_for_the_other(rounds: Rounds, server: XServer) -> None:
    one, other = rounds.tell("story"), rounds.tell("tale")
    server.x.found["story"] = [post(11, "x", NOW, likes=5)]
    rounds.read()
    with rounds.database.write() as connection:
        topic_store.merge_topic(connection, one, other, now=NOW)
    server.x.found["story"] = [post(11, "x", NOW, likes=5_000)]
    later = NOW + 61 * MINUTE
    rounds.read(later)
    (item,) = rounds.posts(other)
    assert item.score == score(Metrics(5_000), NOW, False, later)


def test_fading_scores_are_written_when_they_moved_and_never_for_nothing(
    rounds: Rounds, server: XServer
) -> None:
    topic_id = rounds.tell()
    server.x.found["story"] = [post(11, "x", NOW, likes=50)]
    rounds.read(NOW)
    before, moved = rounds.total(topic_id), moves(rounds.database)
    rounds.read(NOW + 15 * MINUTE)  # a tenth minute of the hour, 1 % less
    assert (rounds.total(topic_id), moves(rounds.database)) == (before, moved)
    rounds.read(NOW + 14 * HOUR + 15 * MINUTE)
    assert rounds.total(topic_id) < before / 2


@pytest.mark.parametrize(
    "more",
    [
        {"event": "wrap"},
        {"realm": "sample"},
        {"realm": "own", "tweet_score": 3.0},
        {"published_at": NOW - timedelta(hours=25)},
        {"published_at": NOW + HOUR},
        {"url": "https://outlet.example/", "media": ()},
    ],
)
def test_topics_that_nobody_should_look_for_are_not_searched(
    rounds: Rounds, server: XServer, more: dict[str, Any]
) -> None:
    from backend.topics.model import TopicText

    rounds.tell(texts={"en": TopicText("Short")}, **more)
    assert rounds.read().pages == 0
    assert not server.requests


def test_the_most_important_topics_come_first_and_a_round_is_bounded(rounds: Rounds, server: XServer) -> None:
    for number in range(8):
        rounds.tell(f"minor{number}", coverage=float(number))
    rounds.tell("urgent", category=Category.BREAKING)
    assert rounds.read().pages == 6
    asked = [request.query["query"] for request in server.seen(SEARCH)]
    assert ["urgent" in asked[0], "minor7" in asked[1], "minor6" in asked[2]] == [True] * 3
    assert rounds.read(NOW + MINUTE).pages == 3


def test_a_topic_with_more_articles_is_searched_from_the_beginning(rounds: Rounds, server: XServer) -> None:
    topic_id = rounds.tell()
    server.x.found["story"] = [post(11, "x", NOW - HOUR, likes=5)]
    rounds.read()
    with rounds.database.write() as connection:
        more = [Media("article", "https://outlet.example/more")]
        topic_store.add_media(connection, topic_id, more, now=NOW)
    rounds.read(NOW + 31 * MINUTE)
    assert "since_id" not in server.seen(SEARCH)[-1].query
    assert len(rounds.posts(topic_id)) == 1


def test_the_months_posts_bound_a_page_and_end_a_round(rounds: Rounds, server: XServer) -> None:
    rounds.tell("story")
    rounds.tell("tale")
    server.x.found["story"] = [post(n, "x", NOW) for n in range(1, 200)]
    server.x.found["tale"] = [post(n, "x", NOW) for n in range(300, 400)]
    few = {"x_monthly_posts": 2_000}  # 64 a day, 16 in six hours
    assert rounds.read(**few).billed == 16
    assert [request.query["max_results"] for request in server.seen(SEARCH)] == ["16"]
    assert rounds.read(NOW + HOUR, **few).pages == 0


def test_requests_of_a_quarter_of_an_hour_are_bounded_by_the_settings(
    rounds: Rounds, server: XServer
) -> None:
    for number in range(5):
        rounds.tell(f"story{number}")
    few = {"x_requests_per_15_minutes": 2}
    assert [rounds.read(NOW + n * MINUTE, **few).pages for n in (0, 1, 9, 10)] == [2, 0, 0, 2]


def test_x_is_never_asked_before_its_window_begins_anew(rounds: Rounds, server: XServer) -> None:
    for number in range(4):
        rounds.tell(f"story{number}")
    server.x.remaining = 2
    assert rounds.read().pages == 2
    assert rounds.read(NOW + 9 * MINUTE).pages == 0
    assert len(server.requests) == 2  # the third was never sent
    server.x.remaining, server.x.reset = 60, NOW + 25 * MINUTE
    assert rounds.read(NOW + 10 * MINUTE).pages == 2


@pytest.mark.parametrize("name", sorted(set(FAULTS) - {"invalid"}))
def test_a_dead_or_refusing_x_leaves_all_as_it_was_and_heals(
    rounds: Rounds, server: XServer, name: str
) -> None:
    topic_id = rounds.tell()
    rounds.tell("tale")
    server.x.found["story"] = [post(11, "x", NOW, likes=5)]
    server.always("*", FAULTS[name])
    read = rounds.read()
    assert (read.pages, read.scored, bool(read.refused)) == (0, 0, True)
    assert rounds.topic(topic_id).texts["en"].title.startswith("Headline")
    assert len(server.requests) in (1, 3)  # what is down is tried thrice by the client, a refusal once
    server.always("*", None)
    assert rounds.read(NOW + 20 * HOUR).pages == 2
    assert len(rounds.posts(topic_id)) == 1


def test_a_token_that_x_refuses_is_tried_again_at_once_by_a_new_process(
    rounds: Rounds, server: XServer
) -> None:
    rounds.tell()
    server.always("*", FAULTS["unauthorised"])
    rounds.read()
    rounds.read(NOW + timedelta(seconds=1))
    assert len(server.requests) == 1
    server.always("*", None)
    assert rounds.read(NOW + timedelta(seconds=2), is_first=True).pages == 1


def test_a_limit_is_kept_by_every_process_that_comes_after(rounds: Rounds, server: XServer) -> None:
    rounds.tell()
    server.always("*", limited(NOW + 7 * MINUTE))
    rounds.read()
    for minute in (1, 3, 6):
        rounds.read(NOW + minute * MINUTE)
    assert len(server.requests) == 1
    server.always("*", None)
    assert rounds.read(NOW + 7 * MINUTE).pages == 1


def test_a_service_that_is_down_is_asked_ever_more_rarely(rounds: Rounds, server: XServer) -> None:
    rounds.tell()
    server.always("*", FAULTS["odd"])
    for minute in range(60):
        rounds.read(NOW + minute * MINUTE)
    assert len(server.requests) < 15


def test_a_query_that_x_takes_for_malformed_rests_and_the_others_go_on(
    rounds: Rounds, server: XServer
) -> None:
    rounds.tell("story", category=Category.BREAKING)
    rounds.tell("tale")
    server.once(SEARCH, FAULTS["invalid"])
    read = rounds.read()
    assert (read.pages, read.refused) == (1, None)
    rounds.read(NOW + 40 * MINUTE)
    assert [("story" in request.query["query"]) for request in server.seen(SEARCH)] == [True, False, False]
    rounds.read(NOW + 6 * HOUR)
    assert "story" in server.seen(SEARCH)[-2].query["query"]


def test_what_was_counted_long_ago_is_forgotten_and_stays_as_media(rounds: Rounds, server: XServer) -> None:
    topic_id = rounds.tell()
    server.x.found["story"] = [post(11, "x", NOW, likes=5)]
    rounds.read()
    with rounds.database.write() as connection:
        assert post_store.forget(connection, NOW + timedelta(days=8)) == 0
        assert post_store.forget(connection, NOW + timedelta(days=8, minutes=1)) == 1
        search_schedule.forget(connection, NOW + timedelta(days=9))
    assert (count(rounds.database, topic_posts), count(rounds.database, post_searches)) == (0, 0)
    assert len(rounds.posts(topic_id)) == 1
