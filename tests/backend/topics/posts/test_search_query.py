"""What posts of a topic are searched by."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.topics.model import Category, Media, Topic, TopicText
from backend.topics.posts.search_query import FILTERS, LONGEST, query_of
from tests.support.laws import examples

NOW = datetime(2026, 5, 18, 12, 0, tzinfo=UTC)


def topic(*urls: str, title: str = "Short one", **more: Any) -> Topic:
    media = tuple(Media("article", url) for url in urls[1:])
    first = urls[0] if urls else "https://outlet.example/"
    return Topic(Category.NORMAL, NOW, first, {"en": TopicText(title)}, **{"media": media, **more})


def test_articles_are_looked_for_by_their_addresses_without_scheme_and_query(entities: Any) -> None:
    told = topic("https://www.outlet.example/a/?utm=1", "http://other.example/b#c", "https://front.example/")
    assert query_of(told, entities) == f'(url:"outlet.example/a" OR url:"other.example/b") {FILTERS}'


def test_primary_sources_come_before_articles(entities: Any) -> None:
    media = (Media("article", "https://a.example/1"), Media("primary_source", "https://sec.example/2"))
    told = query_of(topic("https://a.example/1", media=media), entities) or ""
    assert told.index("sec.example/2") > told.index("a.example/1")  # the topic's own address leads
    other = query_of(topic("https://a.example/", media=media), entities) or ""
    assert other.index("sec.example/2") < other.index("a.example/1")


def test_headlines_are_searched_word_for_word_and_long_ones_cut_at_a_word(entities: Any) -> None:
    told = query_of(topic(title='Northwind "drained" of $90M'), entities) or ""
    assert '("Northwind drained of $90M")' in told
    long = query_of(topic(title="word " * 60), entities) or ""
    assert f'"{("word " * 24).strip()}"' in long


def test_the_two_told_of_most_are_searched_together_in_three_languages(entities: Any) -> None:
    told = query_of(topic(entities=("coinbase", "sec", "bitcoin")), entities) or ""
    assert told == f'((("Coinbase" OR "コインベース") "SEC")) {FILTERS}'


def test_one_name_alone_tells_nothing_apart(entities: Any) -> None:
    assert query_of(topic(entities=("bitcoin",)), entities) is None
    assert query_of(topic(entities=("nobody-known", "bitcoin")), entities) is None


def test_reposts_replies_and_quotes_are_left_out(entities: Any) -> None:
    told = query_of(topic("https://a.example/1"), entities) or ""
    assert told.endswith("-is:retweet -is:reply -is:quote (lang:en OR lang:ja OR lang:zh)")


@pytest.mark.parametrize(
    "url", ['https://a.example/"x', "https://a.example/" + "x" * 200, "https://[bad/x", ""]
)
def test_an_address_that_cannot_be_asked_for_is_left_out(entities: Any, url: str) -> None:
    assert query_of(topic(url), entities) is None


@settings(max_examples=examples(20))
@given(
    urls=st.lists(st.text('/:.?#"()abcé日 -', max_size=300), max_size=12),
    title=st.text(max_size=400),
)
def test_a_query_is_never_too_long_and_its_quotes_close(entities: Any, urls: list[str], title: str) -> None:
    told = query_of(topic(*urls, title=title, entities=("coinbase", "sec")), entities)
    assert told is not None
    assert len(told) <= LONGEST
    assert told.count('"') % 2 == 0
    outside = "".join(told.split('"')[::2])
    assert outside.count("(") == outside.count(")")
