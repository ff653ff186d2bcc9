"""Links of entries to official pages."""

from datetime import date

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st

from backend.articles.engine import RuleSet
from backend.topics.feeds.entry_links import (
    Link,
    OfficialLinks,
    dump_links,
    extract_links,
    find_post_time,
    is_specific_page,
    load_links,
)
from backend.topics.feeds.link_roles import LinkRole

BASE = "https://news.example/feed"
ARTICLE = "https://news.example/story"


def select(rules: RuleSet, *urls: str, article: str = ARTICLE) -> list[str]:
    links = [Link(url, "a link") for url in urls]
    return [link.url for link in OfficialLinks(rules.entities).select(links, article)]


def test_the_number_of_a_post_tells_its_time() -> None:
    posted_at = find_post_time("https://x.com/kestrel/status/1212092628029698048")
    assert posted_at is not None
    assert posted_at.date() == date(2019, 12, 31)
    assert find_post_time("https://x.com/kestrel") is None


def test_links_have_canonical_urls_and_their_text_on_one_line() -> None:
    source = (
        "<p>See <a href='https://www.sec.gov/news/1?utm_source=feed'>the\n <b>complaint</b></a>, "
        "<a href='/more'>more</a>, <a href='#top'>top</a>, <a href='mailto:a@b.example'>mail</a>.</p>"
    )
    assert [(link.url, link.anchor) for link in extract_links(source, BASE)] == [
        ("https://www.sec.gov/news/1", "the complaint"),
        ("https://news.example/more", "more"),
    ]


def test_a_link_keeps_the_text_around_it() -> None:
    source = "<p>Quillport is small. It <a href='/x'>said</a> on Monday that it grows. More follows.</p>"
    (link,) = extract_links(source, BASE)
    assert link.context == "Quillport is small. It said on Monday that it grows."
    assert link.role == LinkRole.ANNOUNCEMENT


def test_links_that_an_earlier_release_stored_are_read() -> None:
    assert load_links('[["https://a.example/b","said"]]') == (Link("https://a.example/b", "said"),)


def test_press_releases_and_filings_are_official(rules: RuleSet) -> None:
    release = "https://www.globenewswire.com/news-release/2026/05/18/1/quillport-opens-a-vault"
    filing = "https://release.tdnet.info/inbs/140120260518.pdf"
    assert select(rules, release, filing) == [release, filing]


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1/admin", "http://10.0.0.7/x", "http://router.local/", "file:///etc/passwd", "http://["],
)
def test_a_link_that_may_not_be_fetched_is_left_out_and_logged(url: str) -> None:
    source = f"<a href='{url}'>x</a><a href='https://www.sec.gov/news/1'>y</a>"
    with structlog.testing.capture_logs() as logged:
        assert [link.anchor for link in extract_links(source, BASE)] == ["y"]
    assert [event["event"] for event in logged] == ["link_left_out"]
    assert logged[0]["reason"] == "not an address of the public web"


def test_official_pages_of_others_are_selected_once_in_order(rules: RuleSet) -> None:
    official = [
        "https://www.sec.gov/newsroom/press-releases/2026-17",
        "https://etherscan.io/tx/0xabc",
        "https://blog.kraken.com/security/notice-1",
        "https://github.com/bitcoin/bitcoin/pull/30000",
        "https://www.courtlistener.com/docket/1/a-v-b/",
    ]
    others = ["https://www.coindesk.com/a/b", "https://unknown.example/a", "https://reddit.com/r/a"]
    again = "http://sec.gov/newsroom/press-releases/2026-17/"
    assert select(rules, *official, *others, again) == official


def test_an_outlet_is_no_official_source_of_its_own_or_of_another_article(rules: RuleSet) -> None:
    url = "https://blog.kraken.com/security/notice-1"
    assert select(rules, url, article="https://blog.kraken.com/news/2") == []
    assert select(rules, "https://x.com/CoinDesk/status/1") == []


@pytest.mark.parametrize(
    "url",
    [
        "https://www.coinbase.com/",
        "https://www.coinbase.com/en-us",
        "https://www.coinbase.com/price/bitcoin",
        "https://www.kraken.com/en/learn/what-is-bitcoin",
        "https://www.binance.com/register?ref=1",
    ],
)
def test_front_pages_and_offers_are_no_sources(rules: RuleSet, url: str) -> None:
    assert not is_specific_page(url)
    assert select(rules, url) == []


@given(st.lists(st.builds(Link, st.text(max_size=50), st.text(max_size=50)), max_size=5))
def test_stored_links_are_read_as_they_were(links: list[Link]) -> None:
    assert list(load_links(dump_links(links))) == links
