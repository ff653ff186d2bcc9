"""What goes to X, and what comes back, in every shape that its documentation has."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from pydantic import SecretStr

from backend.markets.model import ErrorKind
from backend.settings import Settings
from backend.topics.posts.model import Metrics, Post, Usage, Window, XRefused
from backend.topics.posts.x_api import XApi
from tests.backend.topics.posts.conftest import NOW, api_of
from tests.support.provider_server import Behaviour, says
from tests.support.x_server import FAULTS, LOOKUP, SEARCH, TOKEN, USAGE, XServer, limited, post, user


@pytest.fixture
def api(server: XServer) -> Iterator[XApi]:
    opened = api_of(server)
    yield opened
    opened.close()


def refusal(api: XApi) -> XRefused:
    with pytest.raises(XRefused) as caught:
        api.search("story", now=NOW, many=10)
    return caught.value


def test_a_search_asks_for_all_that_is_used_and_reads_it(server: XServer, api: XApi) -> None:
    told = post(
        7, "A &amp; B &lt;3\u202e", NOW - timedelta(minutes=4), likes=3, reposts=2, quotes=1, replies=5
    )
    server.x.found["story"] = [told]
    server.x.users = [user("1", "SECGov", "U.S. SEC", verified=True)]
    page = api.search("story", now=NOW, many=10, start=NOW - timedelta(hours=2))
    assert page.posts == (
        Post(
            "7", "A & B <3", NOW - timedelta(minutes=4), Metrics(3, 2, 1, 5), "SECGov", "U.S. SEC", True, "en"
        ),
    )
    assert (page.newest_id, page.next_token, page.troubles) == ("7", None, ())
    assert page.window == Window(60, 59, server.x.reset)
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


def test_pages_follow_one_another_and_a_search_goes_on_behind_a_post(server: XServer, api: XApi) -> None:
    server.x.found["story"] = [post(n, "x", NOW) for n in range(1, 26)]
    first = api.search("story", now=NOW, many=10)
    second = api.search("story", now=NOW, many=10, next_token=first.next_token)
    assert [one.id for one in (*first.posts, *second.posts)] == [str(n) for n in range(25, 5, -1)]
    later = api.search("story", now=NOW, many=10, since_id="23", start=NOW)
    assert [one.id for one in later.posts] == ["25", "24"]
    assert "start_time" not in server.seen(SEARCH)[-1].query


def test_nothing_found_is_an_empty_page(api: XApi) -> None:
    page = api.search("nothing", now=NOW, many=10)
    assert (page.posts, page.newest_id) == ((), None)


def test_an_author_whom_x_does_not_tell_leaves_the_post_counted(server: XServer, api: XApi) -> None:
    server.x.found["story"] = [post(7, "x", NOW, author="9", likes=2)]
    page = api.search("story", now=NOW, many=10)
    assert (page.posts[0].username, page.posts[0].metrics.likes) == ("", 2)
    assert page.troubles == ("Could not find user with author_id: [9].",)
    assert page.gone == ()


def test_posts_that_are_gone_are_named_by_a_look_up(server: XServer, api: XApi) -> None:
    server.x.found["story"] = [post(1, "x", NOW), post(2, "y", NOW)]
    server.x.deleted = {"2"}
    page = api.lookup(["1", "2", "3"], now=NOW)
    assert ([one.id for one in page.posts], page.gone) == (["1"], ("2", "3"))
    all_gone = api.lookup(["2"], now=NOW)
    assert (all_gone.posts, all_gone.gone) == ((), ("2",))
    assert server.seen(LOOKUP)[0].query["ids"] == "1,2,3"


def test_the_projects_usage_is_read_without_reading_a_post(server: XServer, api: XApi) -> None:
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
        ("dropped", ErrorKind.UNAVAILABLE, "broke off"),
        ("odd", ErrorKind.MALFORMED, "neither posts nor a count"),
        ("errors-alone", ErrorKind.UNAVAILABLE, "Try later. (status 200)"),
    ],
)
def test_every_refusal_is_told_apart_in_words(
    server: XServer, api: XApi, name: str, fault: ErrorKind, words: str
) -> None:
    server.always("*", FAULTS[name])
    refused = refusal(api)
    assert (refused.kind, words in refused.message) == (fault, True), refused.message
    assert refused.invalid == (name == "invalid")


def test_every_fault_of_the_server_is_proved() -> None:
    marks = test_every_refusal_is_told_apart_in_words.pytestmark
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
def test_a_limit_is_over_when_x_says_or_after_a_window(
    server: XServer, api: XApi, behaviour: Behaviour, seconds: float
) -> None:
    server.always("*", behaviour)
    assert refusal(api).retry_after == seconds


def test_a_limit_of_requests_is_asked_once(server: XServer, api: XApi) -> None:
    server.always("*", FAULTS["limited"])
    refusal(api)
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
def test_what_is_no_whole_post_is_left_out(server: XServer, api: XApi, row: object) -> None:
    server.always(SEARCH, says(200, {"data": [row, post(8, "y", NOW)], "meta": {"result_count": 2}}))
    assert [one.id for one in api.search("story", now=NOW, many=10).posts] == ["8"]


def test_odd_figures_and_names_count_as_nothing(server: XServer, api: XApi) -> None:
    odd = post(8, "y", NOW)
    odd["public_metrics"] = {"like_count": -4, "retweet_count": "3", "reply_count": 1e300, "quote_count": []}
    body = {
        "data": [odd],
        "includes": {"users": [{"id": "1", "username": "a/../b", "name": 5}, None]},
        "meta": {"newest_id": "x", "next_token": 5},
        "errors": "none",
    }
    server.always(SEARCH, says(200, body))
    page = api.search("story", now=NOW, many=10)
    assert page.posts[0].metrics == Metrics(reposts=3)
    assert (page.posts[0].username, page.newest_id, page.next_token) == ("", "8", None)


def test_no_refusal_quotes_the_token(server: XServer, api: XApi) -> None:
    server.always("*", says(401, {"title": "Unauthorized", "detail": f"The token {TOKEN} is not known."}))
    assert TOKEN not in refusal(api).message
    assert "[token] is not known" in refusal(api).message


def test_nothing_is_asked_without_a_token_and_a_bad_one_says_so() -> None:
    assert XApi.configured(Settings()) is None
    for token, url in ((" ", "https://api.x.com"), ("line\nbreak", "https://api.x.com"), ("a", "ftp://x")):
        with pytest.raises(ValueError, match=r"empty|base URL"):
            XApi.connect(SecretStr(token), url)
