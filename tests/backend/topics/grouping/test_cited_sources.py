"""Pages among the links of articles that are primary sources of their topic."""

from datetime import datetime, timedelta

import pytest

from backend.articles.engine import RuleSet
from backend.topics.feeds.entry_links import Link
from backend.topics.feeds.link_roles import LinkRole
from backend.topics.grouping.cited_sources import is_evergreen_page
from backend.topics.grouping.publishers import PublisherCatalogue
from backend.topics.grouping.topic_builder import TopicContext, build_topic
from backend.topics.model import Media
from tests.backend.topics.grouping.conftest import Make

NOTICE = "https://blog.kraken.com/news/kraken-opens-vault"
OTHER = "https://blog.kraken.com/news/two-years-of-staking"
RELEASE = "https://www.prnewswire.com/news-releases/1.html"
FILING = "https://release.tdnet.info/inbs/140120260304.pdf"


@pytest.fixture
def context(rules: RuleSet, noon: datetime) -> TopicContext:
    return TopicContext(rules, PublisherCatalogue(rules.entities), noon + timedelta(hours=3))


def find_sources(context: TopicContext, make: Make, *links: Link) -> list[Media]:
    member = make("Kraken opens vault for savers", entity_ids=("bitcoin", "kraken"), links=links)
    return [item for item in build_topic(context, [member]).media if item.kind == "primary_source"]


def find_urls(context: TopicContext, make: Make, *links: Link) -> list[str]:
    return [source.url for source in find_sources(context, make, *links)]


def test_a_link_on_the_announcing_verb_goes_before_other_pages_of_companies(
    context: TopicContext, make: Make
) -> None:
    announced = Link(NOTICE, "said", role=LinkRole.ANNOUNCEMENT)
    opening, background = Link(OTHER, "staking"), Link(f"{OTHER}-2", "vault", role=LinkRole.BACKGROUND)
    assert find_urls(context, make, background, opening, announced) == [NOTICE]
    assert find_urls(context, make, background, opening) == [OTHER]


def test_a_background_link_is_a_source_only_if_it_speaks_of_the_event(
    context: TopicContext, make: Make
) -> None:
    assert find_urls(context, make, Link(OTHER, "holds", role=LinkRole.BACKGROUND)) == []
    page = "https://blog.kraken.com/news/vault-for-savers"
    assert find_urls(context, make, Link(page, "holds", role=LinkRole.BACKGROUND)) == [page]


def test_a_page_of_an_authority_is_a_source_wherever_its_link_stands(
    context: TopicContext, make: Make
) -> None:
    url = "https://www.sec.gov/newsroom/press-releases/2026-9"
    links = [Link(NOTICE, "said", role=LinkRole.ANNOUNCEMENT), Link(url, "rule", role=LinkRole.BACKGROUND)]
    assert find_urls(context, make, *links) == [NOTICE, url]


@pytest.mark.parametrize("url", [RELEASE, FILING])
def test_a_release_or_filing_counts_for_the_company_named_beside_its_link(
    context: TopicContext, make: Make, url: str
) -> None:
    (source,) = find_sources(context, make, Link(url, "said", "Kraken grows. The firm said so."))
    assert (source.site_name, source.url) == ("Kraken", url)
    beside_coin = Link(url, "said", "A rival sells bitcoin. The firm said so.")
    assert find_urls(context, make, beside_coin) == []


def test_the_label_of_a_source_is_its_host_and_no_word_of_the_link(context: TopicContext, make: Make) -> None:
    (source,) = find_sources(
        context, make, Link(RELEASE, "said on Monday that", "Kraken said on Monday that")
    )
    assert source.title == "prnewswire.com"


@pytest.mark.parametrize(
    ("url", "is_standing"),
    [
        ("https://quillport.example/purchases", True),
        ("https://quillport.example/resources/blog/how-keys-are-split", True),
        ("https://docs.quillport.example/vault/keys-1", True),
        ("https://quillport.example/blog/what-is-a-vault", True),
        ("https://quillport.example/resources/press/quillport-opens-vault", False),
        ("https://quillport.example/blog/quillport-opens-vault", False),
        ("https://quillport.example/notice-7", False),
    ],
)
def test_holdings_documentation_and_explainers_are_standing_pages(url: str, is_standing: bool) -> None:
    assert is_evergreen_page(url) is is_standing
