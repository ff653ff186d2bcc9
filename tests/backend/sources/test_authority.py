"""What an address counts as a source for, by its host alone."""

import pytest

from backend.articles.rules import rules_loader
from backend.documents.model import Document
from backend.sources.authority import (
    AUTHORITY_SCORES,
    GENERAL_REFERENCE_FACTOR,
    OFFICIAL_ACCOUNT_SCORE,
    Authorities,
)


@pytest.fixture(scope="module")
def authorities() -> Authorities:
    return Authorities(rules_loader.load_shipped().rules.entities)


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("https://www.sec.gov/newsroom/press-releases/2024-1", "regulator"),
        ("https://www.fsa.go.jp/news/r6/20240410.html", "regulator"),
        ("https://www.meti.go.jp/policy/", "government"),
        ("https://www.justice.gov/opa/pr/x", "government"),
        ("https://www.courtlistener.com/docket/1/", "court"),
        ("https://mempool.space/block/840000", "onchain"),
        ("https://bitcoin.org/bitcoin.pdf", "official"),
        ("https://github.com/bitcoin/bitcoin/releases", "official"),
        ("https://github.com/somebody/bitcoin", "unknown"),
        ("https://www.reuters.com/technology/x", "press"),
        ("https://www.coindesk.com/policy/x", "trade_press"),
        ("https://someone.medium.com/post", "blog"),
        ("https://twitter.com/nobody_in_the_catalogue/status/1", "social"),
        ("https://an-unheard-of.example/", "unknown"),
    ],
)
def test_a_host_is_classified_by_its_catalogue_entry(authorities: Authorities, url: str, kind: str) -> None:
    assert authorities.classify(url).source_type == kind


@pytest.mark.parametrize(
    "url",
    [
        "https://sec.gov.evil.example/",
        "https://notsec.gov.example/",
        "https://secgov/",
        "https://evilcoinbase.com/",
        "https://sec.gov@evil.example/",
        "https://evil.example/sec.gov",
        "ftp://sec.gov/",
        "//sec.gov/",
        "http://[sec.gov/",
        "",
        "sec.gov",
    ],
)
def test_a_lookalike_host_is_unknown(authorities: Authorities, url: str) -> None:
    assert authorities.classify(url).source_type == "unknown"


@pytest.mark.parametrize("url", ["https://SEC.GOV./x", "http://www.sec.gov:8443/", "https://efts.sec.gov/a"])
def test_case_port_trailing_dot_and_subdomain_do_not_change_the_source_type(
    authorities: Authorities, url: str
) -> None:
    assert authorities.classify(url).source_type == "regulator"


def test_a_project_has_higher_authority_about_itself_than_about_others(authorities: Authorities) -> None:
    own = authorities.classify("https://ethereum.org/x", about={"ethereum"})
    other = authorities.classify("https://ethereum.org/x", about={"solana"})
    assert (own.owner, own.score, other.score) == ("ethereum", 0.90, 0.65)
    assert authorities.classify("https://www.coinbase.com/blog", about={"solana"}).score == 0.60


def test_only_an_account_in_the_catalogue_is_official(authorities: Authorities) -> None:
    named = authorities.classify("https://x.com/Coinbase/status/1")
    assert (named.source_type, named.score, named.owner) == ("official", OFFICIAL_ACCOUNT_SCORE, "coinbase")
    assert authorities.classify("https://x.com/coinbase_giveaway/status/1").source_type == "social"


def test_news_has_lower_authority_than_every_official_source() -> None:
    lowest = min(
        score
        for kind, score in AUTHORITY_SCORES.items()
        if kind in ("regulator", "court", "government", "official")
    )
    assert (
        max(
            AUTHORITY_SCORES["press"],
            AUTHORITY_SCORES["trade_press"],
            AUTHORITY_SCORES["blog"],
            AUTHORITY_SCORES["social"],
        )
        < lowest
    )


def test_each_shipped_host_is_listed_once() -> None:
    from backend.sources import authority

    text = authority._HOSTS_FILE.read_text(encoding="utf-8")
    hosts = [line.strip("- ") for line in text.splitlines() if line.startswith("  - ")]
    assert len(hosts) == len(set(hosts)) > 150


def test_a_general_reference_has_lower_authority_than_a_page(authorities: Authorities) -> None:
    page = authorities.classify("https://www.sec.gov/litigation")
    home_page = authorities.classify("https://www.sec.gov/")
    section = authorities.classify("https://www.sec.gov/litigation", is_general=True)
    assert home_page.score == section.score == page.score * GENERAL_REFERENCE_FACTOR < page.score


def test_a_document_knows_its_general_references(authorities: Authorities) -> None:
    page, section = "https://www.sec.gov/newsroom/press-releases/2024-1", "https://www.sec.gov/litigation"
    document = Document(
        "landmark", "x", page, title="", text="", urls=(page, section), general_urls=(section,)
    )
    scores = [authorities.classify_source(url, document).score for url in document.urls]
    assert scores == [AUTHORITY_SCORES["regulator"], AUTHORITY_SCORES["regulator"] * GENERAL_REFERENCE_FACTOR]
