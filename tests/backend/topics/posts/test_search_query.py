"""Search queries for posts about a topic."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.topics.model import Category, Media, Topic, TopicText
from backend.topics.posts.search_query import FILTERS, MAX_QUERY_CHARS, build_query
from tests.support.test_session.property_tests import examples

NOW = datetime(2026, 5, 18, 12, 0, tzinfo=UTC)


def build_topic(*urls: str, title: str = "Short one", **fields: Any) -> Topic:
    media = tuple(Media("article", url) for url in urls[1:])
    first = urls[0] if urls else "https://outlet.example/"
    return Topic(Category.NORMAL, NOW, first, {"en": TopicText(title)}, **{"media": media, **fields})


def test_articles_are_searched_by_url_without_scheme_and_query(entities: Any) -> None:
    query = build_topic(
        "https://www.outlet.example/a/?utm=1", "http://other.example/b#c", "https://front.example/"
    )
    assert build_query(query, entities) == f'(url:"outlet.example/a" OR url:"other.example/b") {FILTERS}'


def test_primary_sources_come_before_articles(entities: Any) -> None:
    media = (Media("article", "https://a.example/1"), Media("primary_source", "https://sec.example/2"))
    query = build_query(build_topic("https://a.example/1", media=media), entities) or ""
    assert query.index("sec.example/2") > query.index("a.example/1")  # the topic's own address leads
    other = build_query(build_topic("https://a.example/", media=media), entities) or ""
    assert other.index("sec.example/2") < other.index("a.example/1")


def test_headlines_are_quoted_and_long_ones_end_at_a_whole_word(entities: Any) -> None:
    query = build_query(build_topic(title='Northwind "drained" of $90M'), entities) or ""
    assert '("Northwind drained of $90M")' in query
    long = build_query(build_topic(title="word " * 60), entities) or ""
    assert f'"{("word " * 24).strip()}"' in long


def test_the_two_main_entities_are_searched_together_in_three_languages(entities: Any) -> None:
    query = build_query(build_topic(entities=("coinbase", "sec", "bitcoin")), entities) or ""
    assert query == f'((("Coinbase" OR "コインベース") "SEC")) {FILTERS}'


def test_a_single_entity_builds_no_query(entities: Any) -> None:
    assert build_query(build_topic(entities=("bitcoin",)), entities) is None
    assert build_query(build_topic(entities=("nobody-known", "bitcoin")), entities) is None


def test_reposts_replies_and_quotes_are_left_out(entities: Any) -> None:
    query = build_query(build_topic("https://a.example/1"), entities) or ""
    assert query.endswith("-is:retweet -is:reply -is:quote (lang:en OR lang:ja OR lang:zh)")


@pytest.mark.parametrize(
    "url", ['https://a.example/"x', "https://a.example/" + "x" * 200, "https://[bad/x", ""]
)
def test_a_url_that_cannot_be_quoted_is_left_out(entities: Any, url: str) -> None:
    assert build_query(build_topic(url), entities) is None


@settings(max_examples=examples(20))
@given(
    urls=st.lists(st.text('/:.?#"()abcé日 -', max_size=300), max_size=12),
    title=st.text(max_size=400),
)
def test_a_query_never_exceeds_the_limit_and_its_quotes_are_balanced(
    entities: Any, urls: list[str], title: str
) -> None:
    query = build_query(build_topic(*urls, title=title, entities=("coinbase", "sec")), entities)
    assert query is not None
    assert len(query) <= MAX_QUERY_CHARS
    assert query.count('"') % 2 == 0
    outside = "".join(query.split('"')[::2])
    assert outside.count("(") == outside.count(")")
