"""Topics built from their members."""

from datetime import datetime, timedelta

import pytest

from backend.articles.engine import RuleSet
from backend.topics.grouping.publishers import PublisherCatalogue
from backend.topics.grouping.topic_builder import TopicContext, build_topic
from backend.topics.model import Category
from tests.backend.topics.grouping.conftest import Make

TEXT = (
    "Kraken said on Monday that $90 million of ether left its hot wallet. "
    "Withdrawals are paused while staking continues. "
    "The company's notice is at https://blog.kraken.com/security/notice-1. "
    "See also https://www.kraken.com/ and https://www.sec.gov/news/2."
)


@pytest.fixture
def context(rules: RuleSet, noon: datetime) -> TopicContext:
    return TopicContext(rules, PublisherCatalogue(rules.entities), noon + timedelta(hours=3))


def test_texts_exist_in_the_languages_of_members_with_the_earliest_first(
    context: TopicContext, make: Make
) -> None:
    built = build_topic(
        context,
        [make("Kraken hacked for $90M", minutes=5), make("Kraken被盗9000万美元", language="zh", minutes=0)],
    )
    assert list(built.texts) == ["zh", "en"]
    assert {text.origin for text in built.texts.values()} == {"publisher"}
    assert built.texts["en"].title == "Kraken hacked for $90M"


def test_a_topic_has_the_time_of_its_first_member_and_the_url_of_its_title(
    context: TopicContext, make: Make
) -> None:
    early, late = make("Kraken hacked", minutes=0), make("Kraken hacked again and again", minutes=30)
    built = build_topic(context, [late, early])
    assert built.published_at == early.published_at
    assert built.url == early.url
    assert built.realm == "live"


def test_primary_sources_are_official_members_and_cited_official_pages(
    context: TopicContext, make: Make
) -> None:
    url = "https://blog.kraken.com/security/notice-0"
    own = make("Kraken security notice", url=url, minutes=9, entity_ids=("kraken",))
    built = build_topic(context, [make("Kraken hacked for $90M", text=TEXT, entity_ids=("kraken",)), own])
    primary = [item for item in built.media if item.kind == "primary_source"]
    assert [item.url for item in primary] == [
        own.url,
        "https://blog.kraken.com/security/notice-1",
        "https://www.sec.gov/news/2",
    ]
    assert built.texts["en"].title == own.title
    assert built.url == own.url


def test_every_member_is_one_media_item(context: TopicContext, make: Make) -> None:
    members = [make("Kraken hacked for $90M", text=TEXT), make("Kraken hack: $90M gone", minutes=3)]
    built = build_topic(context, members)
    assert [item.url for item in built.media if item.kind == "article"] == [member.url for member in members]
    assert all(item.published_at and item.language == "en" for item in built.media if item.kind == "article")


def test_every_bullet_is_in_the_summary_of_its_article(context: TopicContext, make: Make) -> None:
    second_text = "A court froze three accounts on Tuesday. Police opened a case against a broker in Geneva."
    built = build_topic(
        context, [make("Kraken hacked", text=TEXT), make("Kraken hack: court steps in", text=second_text)]
    )
    bullets = [bullet for group in built.texts["en"].bullets for bullet in group]
    summaries = {item.site_name: item.summary for item in built.media}
    assert bullets
    for bullet in bullets:
        sentence, _, outlet = bullet.removesuffix(")").rpartition(" (")
        assert sentence in summaries[outlet]


def test_quotes_name_their_outlets_only_where_outlets_differ(context: TopicContext, make: Make) -> None:
    other_text = "Police opened a case against a broker in Geneva after Kraken filed a complaint."
    members = [
        make("Kraken hacked", text=TEXT, url="https://www.coindesk.com/1"),
        make("Kraken hack: police step in", text=other_text, url="https://decrypt.co/1"),
    ]
    both = build_topic(context, members).texts["en"]
    assert both.summary.endswith("(CoinDesk)")
    assert both.bullets[-1][-1].endswith("(Decrypt)")
    assert "(CoinDesk)" not in build_topic(context, members[:1]).texts["en"].summary


def test_glossary_terms_in_the_texts_are_explained(context: TopicContext, make: Make) -> None:
    terms = build_topic(context, [make("Kraken hacked for $90M", text=TEXT)]).texts["en"].terms
    assert {"hot wallet", "staking"} <= {term.term for term in terms}


def test_entities_are_ordered_by_weight_without_the_reporting_outlets(
    context: TopicContext, make: Make
) -> None:
    url = "https://www.coindesk.com/{}"
    built = build_topic(
        context,
        [
            make(
                "Kraken sues the SEC, CoinDesk learns", url=url.format(1), entity_ids=("kraken", "coindesk")
            ),
            make("Kraken takes regulator to court", url=url.format(2), entity_ids=("kraken", "tesla")),
            make("Kraken in court", entity_ids=("kraken",)),
        ],
    )
    assert built.entities == ("kraken", "sec")


def test_coverage_and_post_scores_are_separate(context: TopicContext, make: Make) -> None:
    built = build_topic(context, [make("Kraken hacked", url="https://www.coindesk.com/1", minutes=180)])
    assert (built.coverage, built.tweet_score) == (pytest.approx(0.55), 0)


def test_a_theft_reported_by_three_outlets_at_once_is_breaking(context: TopicContext, make: Make) -> None:
    assert (
        build_topic(context, [make("Kraken hacked for $90M", minutes=m) for m in (0, 5, 9)]).category
        is Category.BREAKING
    )


def test_the_image_of_the_lead_article_is_the_cover(context: TopicContext, make: Make) -> None:
    first = make("Kraken hacked for $90M", minutes=0)
    second = make("Kraken hacked for $90M now", minutes=1, image="https://img.example/2.jpg")
    assert build_topic(context, [first, second]).cover_img == second.image
    assert build_topic(context, [first]).cover_img is None


def test_the_order_of_members_does_not_matter(context: TopicContext, make: Make) -> None:
    members = [
        make("Kraken hacked for $90M", text=TEXT, minutes=1),
        make("Kraken hack: $90M gone", minutes=2),
        make("Kraken被盗9000万美元", language="zh", minutes=3),
    ]
    assert build_topic(context, members) == build_topic(context, members[::-1])
