"""Requests to X and the parsing of its responses, in every documented shape."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from pydantic import SecretStr

from backend.markets.model import ErrorKind
from backend.settings import Settings
from backend.topics.posts.model import Post, PublicMetrics, RateLimitWindow, Usage, XRequestError
from backend.topics.posts.x_api import XApi
from tests.backend.topics.posts.conftest import NOW, build_api
from tests.support.providers.provider_server import Behaviour, says
from tests.support.providers.x_server import (
    FAULTS,
    LOOKUP,
    SEARCH,
    TOKEN,
    USAGE,
    XServer,
    limited,
    post,
    user,
)


@pytest.fixture
def api(server: XServer) -> Iterator[XApi]:
    opened = build_api(server)
    yield opened
    opened.close()


def search_error(api: XApi) -> XRequestError:
    with pytest.raises(XRequestError) as caught:
        api.search("story", now=NOW, page_size=10)
    return caught.value


def test_a_search_requests_and_parses_all_used_fields(server: XServer, api: XApi) -> None:
    post_json = post(
        7, "A &amp; B &lt;3\u202e", NOW - timedelta(minutes=4), likes=3, reposts=2, quotes=1, replies=5
    )
    server.x.found["story"] = [post_json]
    server.x.users = [user("1", "SECGov", "U.S. SEC", verified=True)]
    page = api.search("story", now=NOW, page_size=10, start_time=NOW - timedelta(hours=2))
    assert page.posts == (
        Post(
            "7",
            "A & B <3",
            NOW - timedelta(minutes=4),
            PublicMetrics(3, 2, 1, 5),
            "SECGov",
            "U.S. SEC",
            True,
            "en",
        ),
    )
    assert (page.newest_id, page.next_token, page.partial_errors) == ("7", None, ())
    assert page.window == RateLimitWindow(60, 59, server.x.reset)
    (seen,) = server.seen(SEARCH)
    assert seen.headers["authorization"] == f"Bearer {TOKEN}"
    assert seen.query == {
        "query": "story",
        "max_results": "10",
        "start_time": "2026-05-18T10:05:00Z",
        "tweet.fields": "public_metrics,created_at,lang,author_id",
        "expansions": "author_id",
        "user.fields": "username,name,verified",
    }


def test_a_search_continues_by_token_and_starts_after_since_id(server: XServer, api: XApi) -> None:
    server.x.found["story"] = [post(n, "x", NOW) for n in range(1, 26)]
    first = api.search("story", now=NOW, page_size=10)
    second = api.search("story", now=NOW, page_size=10, next_token=first.next_token)
    assert [found.id for found in (*first.posts, *second.posts)] == [str(n) for n in range(25, 5, -1)]
    later = api.search("story", now=NOW, page_size=10, since_id="23", start_time=NOW)
    assert [found.id for found in later.posts] == ["25", "24"]
    assert "start_time" not in server.seen(SEARCH)[-1].query


def test_a_search_without_results_returns_an_empty_page(api: XApi) -> None:
    page = api.search("nothing", now=NOW, page_size=10)
    assert (page.posts, page.newest_id) == ((), None)


def test_a_post_without_a_returned_author_still_counts(server: XServer, api: XApi) -> None:
    server.x.found["story"] = [post(7, "x", NOW, author="9", likes=2)]
    page = api.search("story", now=NOW, page_size=10)
    assert (page.posts[0].username, page.posts[0].metrics.likes) == ("", 2)
    assert page.partial_errors == ("Could not find user with author_id: [9].",)
    assert page.unavailable_ids == ()


def test_a_lookup_lists_unavailable_posts(server: XServer, api: XApi) -> None:
    server.x.found["story"] = [post(1, "x", NOW), post(2, "y", NOW)]
    server.x.deleted = {"2"}
    page = api.lookup(["1", "2", "3"], now=NOW)
    assert ([found.id for found in page.posts], page.unavailable_ids) == (["1"], ("2", "3"))
    all_gone = api.lookup(["2"], now=NOW)
    assert (all_gone.posts, all_gone.unavailable_ids) == ((), ("2",))
    assert server.seen(LOOKUP)[0].query["ids"] == "1,2,3"


def test_usage_is_fetched_without_reading_a_post(server: XServer, api: XApi) -> None:
    assert api.usage(now=NOW) == Usage(43_435, 2_000_000, 10)
    assert len(server.seen(USAGE)) == 1


@pytest.mark.parametrize(
    ("name", "fault", "words"),
    [
        ("unauthorised", ErrorKind.UNAUTHORISED, "Unauthorized (status 401)"),
        ("not-enrolled", ErrorKind.REFUSED, "keys of an App in a Project (status 403)"),
        ("credits", ErrorKind.QUOTA_SPENT, "does not have any credits"),
        ("capped", ErrorKind.QUOTA_SPENT, "Monthly product cap (status 429)"),
        ("limited", ErrorKind.THROTTLED, "Too Many Requests (status 429)"),
        ("limited-v1", ErrorKind.THROTTLED, "Rate limit exceeded (status 429)"),
        ("invalid", ErrorKind.MALFORMED, "was invalid: Ambiguous use of and as a keyword"),
        ("unavailable", ErrorKind.UNAVAILABLE, "Service Unavailable (status 503)"),
        ("web-page", ErrorKind.MALFORMED, "is a web page and not JSON"),
        ("empty", ErrorKind.MALFORMED, "is empty"),
        ("broken", ErrorKind.MALFORMED, "breaks off or is damaged"),
        ("dropped", ErrorKind.UNAVAILABLE, "closed the connection"),
        ("odd", ErrorKind.MALFORMED, "neither posts nor a count"),
        ("errors-alone", ErrorKind.UNAVAILABLE, "Try later. (status 200)"),
    ],
)
def test_every_error_response_has_its_own_kind_and_message(
    server: XServer, api: XApi, name: str, fault: ErrorKind, words: str
) -> None:
    server.always("*", FAULTS[name])
    error = search_error(api)
    assert (error.kind, words in error.message) == (fault, True), error.message
    assert error.is_invalid_request == (name == "invalid")


def test_every_fault_of_the_test_server_is_covered() -> None:
    marks = test_every_error_response_has_its_own_kind_and_message.pytestmark
    assert {case[0] for case in marks[0].args[1]} == set(FAULTS)


@pytest.mark.parametrize(
    ("behaviour", "seconds"),
    [
        (limited(NOW + timedelta(minutes=7)), 420),
        (limited(NOW - timedelta(minutes=7)), 900),  # two clocks
        (limited(), 900),
        (Behaviour(429, b"slow down", "text/plain", {"Retry-After": "33"}), 33),
        (Behaviour(429, b"{}", headers={"x-rate-limit-reset": "soon", "x-rate-limit-limit": "-1"}), 900),
    ],
)
def test_a_rate_limit_ends_at_the_reset_time_or_after_a_window(
    server: XServer, api: XApi, behaviour: Behaviour, seconds: float
) -> None:
    server.always("*", behaviour)
    assert search_error(api).retry_after == seconds


def test_a_rate_limited_request_is_not_retried(server: XServer, api: XApi) -> None:
    server.always("*", FAULTS["limited"])
    search_error(api)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "row",
    [
        {"id": "7"},
        {**post(7, "x", NOW), "public_metrics": None},
        {**post(7, "x", NOW), "created_at": "yesterday"},
        {**post(7, "x", NOW), "id": "seven"},
        post(7, "x", NOW + timedelta(hours=1)),
        "post",
        None,
    ],
)
def test_incomplete_posts_are_left_out(server: XServer, api: XApi, row: object) -> None:
    server.always(SEARCH, says(200, {"data": [row, post(8, "y", NOW)], "meta": {"result_count": 2}}))
    assert [found.id for found in api.search("story", now=NOW, page_size=10).posts] == ["8"]


def test_malformed_counts_and_names_are_ignored(server: XServer, api: XApi) -> None:
    malformed_post = post(8, "y", NOW)
    malformed_post["public_metrics"] = {
        "like_count": -4,
        "retweet_count": "3",
        "reply_count": 1e300,
        "quote_count": [],
    }
    body = {
        "data": [malformed_post],
        "includes": {"users": [{"id": "1", "username": "a/../b", "name": 5}, None]},
        "meta": {"newest_id": "x", "next_token": 5},
        "errors": "none",
    }
    server.always(SEARCH, says(200, body))
    page = api.search("story", now=NOW, page_size=10)
    assert page.posts[0].metrics == PublicMetrics(reposts=3)
    assert (page.posts[0].username, page.newest_id, page.next_token) == ("", "8", None)


def test_no_error_message_contains_the_token(server: XServer, api: XApi) -> None:
    server.always("*", says(401, {"title": "Unauthorized", "detail": f"The token {TOKEN} is not known."}))
    assert TOKEN not in search_error(api).message
    assert "[token] is not known" in search_error(api).message


def test_without_a_token_there_is_no_client_and_a_bad_token_raises() -> None:
    assert XApi.from_settings(Settings()) is None
    for token, url in ((" ", "https://api.x.com"), ("line\nbreak", "https://api.x.com"), ("a", "ftp://x")):
        with pytest.raises(ValueError, match=r"empty|base URL"):
            XApi.connect(SecretStr(token), url)
