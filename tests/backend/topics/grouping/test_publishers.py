"""Publishers of articles, and the number of independent ones."""

from datetime import datetime, timedelta

import pytest

from backend.articles.engine import RuleSet
from backend.sources.claims.simhash import BITS, compute_fingerprint
from backend.topics.feeds.feed_list import Feed
from backend.topics.grouping.news_window import NewsArticle
from backend.topics.grouping.publishers import PublisherCatalogue
from tests.backend.topics.grouping.conftest import Make

COPIED = (
    "The exchange Northwind said on Monday that ninety million dollars left its hot wallet overnight, and "
    "that withdrawals remain paused while engineers move what is left into cold storage. Customers will "
    "be made whole out of reserves, according to a statement signed by the chief executive. Investigators "
    "traced most of the stolen ether to three addresses, one of which had received funds from an earlier "
    "theft in Lisbon. Police in two countries opened cases; a court in Geneva froze accounts held by a "
    "broker suspected of helping."
)


@pytest.fixture
def publishers(rules: RuleSet) -> PublisherCatalogue:
    def feed(name: str, kind: str, outlet: str | None = None) -> Feed:
        url = f"https://{name}.example/rss"
        return Feed.model_validate(
            {"id": name, "name": name.title(), "url": url, "language": "en", "kind": kind, "outlet": outlet}
        )

    return PublisherCatalogue(
        rules.entities,
        [
            feed("gazette", "press", "house"),
            feed("gazette-flash", "press", "house"),
            feed("agency", "regulator"),
        ],
    )


def test_feeds_of_one_publisher_count_once(publishers: PublisherCatalogue, make: Make) -> None:
    members = [make(feed_id="gazette"), make(feed_id="gazette-flash"), make()]
    assert [len(group) for group in publishers.group_by_source(members)] == [2, 1]


def test_addresses_of_one_owner_count_once_whatever_their_feed(
    publishers: PublisherCatalogue, make: Make
) -> None:
    members = [make(url="https://www.coindesk.com/a"), make(url="https://data.coindesk.com/b"), make()]
    assert [len(group) for group in publishers.group_by_source(members)] == [2, 1]


def test_nearly_identical_texts_count_once(publishers: PublisherCatalogue, make: Make) -> None:
    def copy(text: str) -> NewsArticle:
        return make("Northwind hacked", text=text, simhash=compute_signed_fingerprint(text))

    members = [copy(COPIED), copy(COPIED + " Corrected."), make("Northwind hacked", text="Our own words.")]
    assert [len(group) for group in publishers.group_by_source(members)] == [2, 1]


def test_who_joins_two_others_makes_one_of_all_three(publishers: PublisherCatalogue, make: Make) -> None:
    print_of = compute_signed_fingerprint(COPIED)
    first = make("Northwind hacked", feed_id="gazette", text="Own words.", minutes=0)
    second = make("Northwind hacked", text=COPIED, simhash=print_of, minutes=1)
    both = make("Northwind hacked", feed_id="gazette-flash", text=COPIED, simhash=print_of, minutes=2)
    assert [len(group) for group in publishers.group_by_source([both, second, first])] == [3]


def test_a_feed_says_what_its_unknown_host_counts_as(publishers: PublisherCatalogue, make: Make) -> None:
    assert publishers.find_authority(make(feed_id="agency")).source_type == "regulator"
    assert publishers.find_authority(make()).source_type == "unknown"
    assert publishers.is_primary_source(make(feed_id="agency"), [])


def test_an_exchange_is_a_primary_source_of_itself_alone(publishers: PublisherCatalogue, make: Make) -> None:
    blog = make(url="https://blog.kraken.com/news/1")
    assert publishers.is_primary_source(blog, ["kraken", "bitcoin"])
    assert not publishers.is_primary_source(blog, ["sec", "coinbase"])
    assert publishers.is_primary_source_url("https://www.sec.gov/news/1", ["coinbase"])
    assert not publishers.is_primary_source_url("https://sec.gov.evil.example/news/1", ["sec"])


def test_coverage_halves_in_twelve_hours_and_grows_with_outlets(
    publishers: PublisherCatalogue, make: Make, noon: datetime
) -> None:
    one_outlet, two_outlets = (
        [make(feed_id="gazette")],
        [make(feed_id="gazette"), make(url="https://www.coindesk.com/a")],
    )
    fresh = publishers.compute_coverage(one_outlet, [], noon)
    assert fresh == pytest.approx(0.60)
    assert publishers.compute_coverage(one_outlet, [], noon + timedelta(hours=12)) == pytest.approx(fresh / 2)
    assert publishers.compute_coverage(two_outlets, [], noon) == pytest.approx(0.60 + 0.55)


def test_coverage_counts_an_outlet_once(publishers: PublisherCatalogue, make: Make, noon: datetime) -> None:
    members = [make(feed_id="gazette"), make(feed_id="gazette-flash"), make(feed_id="gazette")]
    assert publishers.compute_coverage(members, [], noon) == pytest.approx(0.60)


def test_a_future_article_counts_like_a_current_one(
    publishers: PublisherCatalogue, make: Make, noon: datetime
) -> None:
    assert publishers.compute_coverage([make(feed_id="gazette", minutes=600)], [], noon) == pytest.approx(
        0.60
    )


def compute_signed_fingerprint(text: str) -> int:
    found = compute_fingerprint(text)
    return found - (1 << BITS) if found >= 1 << (BITS - 1) else found
