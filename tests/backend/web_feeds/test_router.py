"""Readers of feeds understand what the service sends, and only holders of a token get it."""

import logging
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import feedparser  # type: ignore[import-untyped]  # it has no types
import jsonschema  # type: ignore[import-untyped]  # it has no types
import orjson
import pytest

from backend.topics.model import Category
from backend.web_feeds.json_feed import JsonFeed
from tests.backend.web_feeds.conftest import Feeds
from tests.support.http.asgi import send

PATHS = ("/topics.atom", "/topics.json", "/incidents.atom", "/incidents.json")
AWKWARD = 'Fees <b>fall</b> & "rise"\x00\x0b 比特币 🚀'
SHOWN = 'Fees <b>fall</b> & "rise" 比特币 🚀'
SHOWN_JSON = AWKWARD


def read_json_feed(feeds: Feeds, path: str) -> Any:
    answer = feeds.get(path)
    assert (answer.status, answer.headers["content-type"]) == (200, "application/feed+json")
    feed = answer.json()
    jsonschema.validate(feed, JSON_FEED_SCHEMA, format_checker=jsonschema.FormatChecker())
    assert JsonFeed.model_validate(feed).model_dump(mode="json", exclude_none=True)
    return feed


def read_atom(feeds: Feeds, path: str) -> Any:
    answer = feeds.get(path)
    assert (answer.status, answer.headers["content-type"]) == (200, "application/atom+xml")
    parsed = feedparser.parse(answer.body, response_headers={"content-type": "application/atom+xml"})
    assert not parsed.bozo, parsed.get("bozo_exception")
    assert parsed.version == "atom10"
    return parsed


JSON_FEED_SCHEMA = {
    "type": "object",
    "required": ["version", "title", "items"],
    "properties": {
        "version": {"const": "https://jsonfeed.org/version/1.1"},
        "title": {"type": "string"},
        "home_page_url": {"type": "string", "format": "uri"},
        "feed_url": {"type": "string", "format": "uri"},
        "language": {"type": "string"},
        "authors": {"type": "array", "items": {"type": "object", "minProperties": 1}},
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["id"],
                "anyOf": [{"required": ["content_html"]}, {"required": ["content_text"]}],
                "properties": {
                    "id": {"type": "string"},
                    "url": {"type": "string", "format": "uri"},
                    "external_url": {"type": "string", "format": "uri"},
                    "title": {"type": "string"},
                    "summary": {"type": "string"},
                    "content_html": {"type": "string"},
                    "date_published": {"type": "string", "format": "date-time"},
                    "date_modified": {"type": "string", "format": "date-time"},
                    "tags": {"type": "array", "items": {"type": "string"}},
                },
            },
        },
    },
}
"""The members of the JSON Feed 1.1 specification that the service uses."""


def test_an_atom_feed_of_topics_is_read_with_its_texts_links_and_times(feeds: Feeds) -> None:
    number = feeds.add_topic(AWKWARD, summary="A <i>summary</i>.", bullets=(("one",), ("two",)))
    parsed = read_atom(feeds, "/topics.atom")
    (entry,) = parsed.entries
    assert entry.title_detail.type == "text/plain"
    assert entry.title == SHOWN
    assert entry.summary == "A <i>summary</i>."
    assert "&lt;i&gt;" in entry.content[0].value
    assert "<li>one</li><li>two</li>" in entry.content[0].value
    assert entry.id.endswith(f"/topics/{number}?lang=en")
    assert entry.link.endswith(f"/topics?topic={number}&topic_lang=en")
    assert [link.href for link in entry.links if link.rel == "related"] == ["https://news.example/1"]
    published = feeds.running.clock() - timedelta(hours=1)
    assert datetime(*entry.published_parsed[:6], tzinfo=UTC) == published.replace(microsecond=0)
    assert [tag.term for tag in entry.tags] == ["Normal"]


def test_a_json_feed_of_topics_has_the_members_of_the_specification(feeds: Feeds) -> None:
    number = feeds.add_topic(AWKWARD)
    feed = read_json_feed(feeds, "/topics.json?lang=en")
    (item,) = feed["items"]
    assert (item["title"], item["tags"]) == (SHOWN_JSON, ["Normal"])
    assert item["external_url"] == "https://news.example/1"
    assert item["id"].endswith(f"/topics/{number}?lang=en")
    assert "&lt;b&gt;" in item["content_html"]
    assert "<b>" not in item["content_html"]
    assert "summary" not in item


def test_a_feed_has_no_token_in_it(feeds: Feeds) -> None:
    feeds.add_topic()
    feeds.add_incident("bitcoin")
    for path in PATHS:
        assert feeds.token.encode() not in feeds.get(f"{path}?lang=en").text


@pytest.mark.parametrize(
    ("query", "titles"),
    [
        ("", ["Ether falls", "Bitcoin rises"]),
        ("category=0", ["Bitcoin rises"]),
        ("lang=ja", ["ビットコイン上昇"]),
        ("find=ether", ["Ether falls"]),
        ("entity=bitcoin", ["Bitcoin rises"]),
        ("page_size=1", ["Ether falls"]),
        ("publish_after=2999-01-01T00:00:00Z", []),
    ],
)
def test_a_feed_takes_the_filters_of_the_list(feeds: Feeds, query: str, titles: list[str]) -> None:
    feeds.add_topic("Bitcoin rises", category=Category.BREAKING, entities=("bitcoin",))
    feeds.add_topic("Ether falls")
    feeds.add_topic("ビットコイン上昇", language="ja")
    assert [item["title"] for item in read_json_feed(feeds, f"/topics.json?{query}")["items"]] == titles
    parsed = read_atom(feeds, f"/topics.atom?{query}")
    assert [entry.title for entry in parsed.entries] == titles


def test_incidents_are_feeds_with_the_filters_of_their_list(feeds: Feeds) -> None:
    closed_at = feeds.running.clock() - timedelta(hours=1)
    feeds.add_incident("bitcoin", closed_at=closed_at)
    feeds.add_incident("ethereum", kind="divergent", opened_at=closed_at - timedelta(hours=3))
    newest, oldest = read_json_feed(feeds, "/incidents.json")["items"]
    assert newest["title"] == "Bitcoin (BTC): the prices of providers conflict (closed)"
    assert newest["date_modified"] > newest["date_published"]
    assert (oldest["tags"], oldest["summary"]) == (["divergent", "open"], "Two providers differ.")
    for query, title in (("asset=ethereum", "Ethereum"), ("open=false", "Bitcoin"), ("kind=conflict", "Bit")):
        (entry,) = read_atom(feeds, f"/incidents.atom?{query}").entries
        assert entry.title.startswith(title)


def test_an_empty_feed_is_valid_and_the_same_each_time(feeds: Feeds) -> None:
    for path in PATHS:
        first, second = feeds.get(path), feeds.get(path)
        assert first.headers["etag"] == second.headers["etag"]
        if path.endswith("atom"):
            assert read_atom(feeds, path).entries == []
        else:
            assert read_json_feed(feeds, path)["items"] == []


@pytest.mark.parametrize("path", PATHS)
def test_an_unchanged_feed_is_answered_with_304(feeds: Feeds, path: str) -> None:
    feeds.add_topic()
    feeds.add_incident("bitcoin")
    whole = feeds.get(path)
    modified = whole.headers["last-modified"]
    for headers in ({"If_None_Match": whole.headers["etag"]}, {"If_Modified_Since": modified}):
        again = feeds.get(path, **headers)
        assert (again.status, again.body) == (304, b"")
        assert again.headers["etag"] == whole.headers["etag"]
    before = format_datetime(feeds.running.clock() - timedelta(days=9), usegmt=True)
    for headers in (
        {"If_Modified_Since": before},
        {"If_Modified_Since": "yesterday"},
        {"If_Modified_Since": modified, "If_None_Match": '"another"'},
    ):
        assert feeds.get(path, **headers).status == 200


def test_a_changed_topic_changes_the_tag_and_the_time_of_its_feed(feeds: Feeds) -> None:
    feeds.add_topic("Before", external_id="one")
    first = feeds.get("/topics.atom")
    feeds.running.clock.move(minutes=5)
    feeds.add_topic("After", external_id="one")
    headers = {"If_None_Match": first.headers["etag"]}
    changed = feeds.get("/topics.atom", **headers)
    assert changed.status == 200
    assert b"After" in changed.text
    assert changed.headers["last-modified"] != first.headers["last-modified"]


def test_a_feed_token_opens_feeds_alone(feeds: Feeds) -> None:
    for path in PATHS:
        assert feeds.get(path).status == 200
        assert send(feeds.running.app, path, headers={"CP-X-API-KEY": feeds.token}).status == 200
    for path in ("/topics", "/prices", "/markets/incidents", "/articles/rules"):
        assert feeds.get(path).status == 401, path
        assert send(feeds.running.app, path, headers={"CP-X-API-KEY": feeds.token}).status == 403, path


def test_no_other_credential_may_be_part_of_the_address(feeds: Feeds) -> None:
    for path in PATHS:
        refused = feeds.get(path, token=feeds.running.key)
        assert refused.status == 401
        assert feeds.running.key.encode() not in refused.body
        assert feeds.running.get(path).status == 200


@pytest.mark.parametrize("token", ["x", "%ff", "cp_live", "%00", "币"])
def test_a_malformed_token_is_401(feeds: Feeds, token: str) -> None:
    for path in PATHS:
        assert feeds.get(path, token=token).status == 401
        assert send(feeds.running.app, path).status == 401
        assert send(feeds.running.app, f"{path}?token=").status == 401


def test_two_different_tokens_are_401(feeds: Feeds) -> None:
    _, second = feeds.create_token()
    assert feeds.get(f"/topics.atom?token={second}").status == 401


def test_a_revoked_token_is_refused(feeds: Feeds) -> None:
    key_id, token = feeds.create_token()
    assert feeds.get("/topics.atom", token=token).status == 200
    feeds.revoke(key_id)
    assert feeds.get("/topics.atom", token=token).status == 401


def test_a_token_never_stands_in_the_log(feeds: Feeds, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    for path in (*PATHS, "/topics", "/nowhere", "/topics.atom?category=9"):
        feeds.get(path)
    assert caplog.text
    assert feeds.token not in caplog.text


def test_invalid_input_is_400(feeds: Feeds) -> None:
    for path in ("/topics.json?category=7", "/topics.atom?lang=xx", "/incidents.json?kind=other"):
        answer = feeds.get(path)
        assert answer.status == 400
        assert orjson.loads(answer.body)
