"""Clusters of headlines about one event."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backend.articles.engine import RuleSet
from backend.entities.model import Language
from backend.topics.grouping.clustering import cluster_headlines
from backend.topics.grouping.headline_features import Headline, build_headline

HeadlineSpec = tuple[str, Language, float]
Group = Callable[[Sequence[HeadlineSpec]], list[set[int]]]

WEEK: list[HeadlineSpec] = [
    ("Northwind Exchange drained of $90M in wallet hack", "en", 0),
    ("Hackers drain $90 million from Northwind Exchange wallets", "en", 1),
    ("Lending protocol Zephyrine loses $12M to flash loan exploit", "en", 2),
    ("Flash loan exploit costs Zephyrine $12 million", "en", 3),
    ("Coinbase to buy options venue Deribit for $2.9 billion", "en", 5),
    ("Coinbase以29亿美元收购Deribit", "zh", 5.5),
    ("コインベース、デリビットを29億ドルで買収へ", "ja", 6),
    ("Bitcoin falls below $90,000 as sellers return", "en", 8),
    ("BTC drops under $90K", "en", 8.5),
    ("Bitcoin climbs back to $97,000 after inflation report", "en", 56),
]


@pytest.fixture
def group(rules: RuleSet, noon: datetime) -> Group:
    def group_headlines(body: Sequence[HeadlineSpec]) -> list[set[int]]:
        labels = cluster_headlines([_headline(rules, noon, headline) for headline in body])
        return [
            {place for place, label in enumerate(labels) if label == cluster_label}
            for cluster_label in sorted({*labels})
        ]

    return group_headlines


def _headline(rules: RuleSet, noon: datetime, body: HeadlineSpec) -> Headline:
    title, language, hours = body
    return build_headline(rules, title, language, noon + timedelta(hours=hours))


def test_two_thefts_of_one_week_are_two_topics(group: Group) -> None:
    assert {0, 1} in group(WEEK)
    assert {2, 3} in group(WEEK)


def test_one_event_in_three_languages_is_one_topic(group: Group) -> None:
    assert {4, 5, 6} in group(WEEK)


def test_prices_of_one_coin_two_days_apart_are_two_topics(group: Group) -> None:
    assert {7, 8} in group(WEEK)
    assert {9} in group(WEEK)


def test_two_languages_that_share_but_a_common_name_are_not_linked(group: Group) -> None:
    found = group([*WEEK, ("比特币矿工面临电价上涨", "zh", 9), ("ビットコインの税制を国会で議論", "ja", 10)])
    assert {10} in found
    assert {11} in found


def test_that_the_same_was_done_links_no_two_languages(group: Group) -> None:
    unrelated: list[HeadlineSpec] = [
        (f"Quor{place}a names zeb{place}o its fleem{place}", "en", 1) for place in range(50)
    ]
    invested: list[HeadlineSpec] = [
        ("各社の資金調達まとめ", "ja", 9),
        ("本周融资速览", "zh", 9.5),
    ]
    found = group([*unrelated, *invested])
    assert {50} in found
    assert {51} in found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            ("Marathon buys 900 BTC for its treasury", "en", 0),
            ("リオット、ビットコイン410BTCを購入", "ja", 5),
        ),
        (
            ("Paxos applies for US trust bank charter", "en", 0),
            ("BitGo applies for US trust bank charter", "en", 2),
        ),
        (
            ("Ohio House passes bitcoin reserve bill", "en", 0),
            ("Idaho House passes bitcoin reserve bill", "en", 2),
        ),
        (
            ("Brazil bans stablecoin payouts by exchanges", "en", 0),
            ("阿根廷禁止交易所支付稳定币", "zh", 1),
        ),
    ],
)
def test_the_same_act_of_two_parties_or_in_two_places_is_two_events(
    group: Group, one: HeadlineSpec, other: HeadlineSpec
) -> None:
    assert group([one, other]) == [{0}, {1}]


def test_one_pair_of_two_parties_keeps_two_topics_apart(group: Group) -> None:
    charters: list[HeadlineSpec] = [
        ("Paxos applies for US trust bank charter", "en", 0),
        ("Paxos seeks trust bank charter from OCC", "en", 1),
        ("BitGo applies for US trust bank charter", "en", 1),
        ("BitGo seeks trust bank charter, following Paxos", "en", 2),
    ]
    assert group(charters) == [{0, 1}, {2, 3}]


def test_clusters_are_numbered_by_their_first_headline(rules: RuleSet, noon: datetime) -> None:
    headlines = [_headline(rules, noon, spec) for spec in WEEK]
    labels = cluster_headlines(headlines)
    assert list(dict.fromkeys(labels)) == list(range(max(labels) + 1))
    assert cluster_headlines(headlines[::-1]) == labels[::-1]


@given(st.permutations(range(len(WEEK))))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_the_order_in_which_headlines_come_does_not_matter(group: Group, order: list[int]) -> None:
    found = group([WEEK[place] for place in order])
    original_clusters = {frozenset(order[place] for place in cluster) for cluster in found}
    assert original_clusters == {frozenset(cluster) for cluster in group(WEEK)}


@given(
    st.lists(
        st.tuples(
            st.text(alphabet="ab 9$取引所ビット流出", max_size=12),
            st.sampled_from(["en", "ja", "zh"]),
            st.floats(0, 100, allow_nan=False),
        ),
        max_size=12,
    )
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_every_headline_is_in_one_cluster_whatever_it_says(group: Group, body: list[HeadlineSpec]) -> None:
    found = group(body)
    assert sorted(place for cluster in found for place in cluster) == list(range(len(body)))


def test_a_title_again_after_more_than_the_window_is_another_topic(group: Group) -> None:
    weekly: list[HeadlineSpec] = [
        ("Weekly roundup of the markets", "en", 0),
        ("Weekly roundup of the markets", "en", 400),
    ]
    assert group(weekly) == [{0}, {1}]


def cluster_releases(rules: RuleSet, noon: datetime, *titles: str, release_of: str = "fed") -> list[int]:
    return cluster_headlines(
        [
            build_headline(rules, title, "en", noon + timedelta(hours=at), title, release_of=release_of)
            for at, title in enumerate(titles)
        ]
    )


def test_two_releases_of_one_authority_that_share_but_its_name_are_two_topics(
    rules: RuleSet, noon: datetime
) -> None:
    titles = (
        "Federal Reserve Board requests public comment on proposals for issuers of payment tokens",
        "Federal Reserve Board issues enforcement action against former teller of Quillport Savings",
        "Federal Reserve Board announces approval of application by Harrow Bancorp",
    )
    assert cluster_releases(rules, noon, *titles) == [0, 1, 2]


def test_two_releases_of_one_authority_about_one_case_are_one_topic(rules: RuleSet, noon: datetime) -> None:
    titles = (
        "SEC charges Quillport Savings with fraud over unregistered token sale",
        "SEC announces fraud charges against Quillport Savings over its token sale",
    )
    assert cluster_releases(rules, noon, *titles, release_of="sec") == [0, 0]
