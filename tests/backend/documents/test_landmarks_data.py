"""Tests that the shipped landmarks are complete, link to official pages and state the figures they list."""

import functools
import re
from collections import Counter
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

import backend.documents
from backend.articles.rules.pack_loader import default_files, load_pack
from backend.entities.model import Entity

FILE = Path(backend.documents.__file__).parent / "data" / "landmarks.yaml"


@functools.cache
def load_events() -> list[dict[str, Any]]:
    """Load the events on first use, because every process of a run imports this module."""
    loaded: list[dict[str, Any]] = yaml.safe_load(FILE.read_text(encoding="utf-8"))["events"]
    return loaded


@functools.cache
def load_catalogue() -> dict[str, Entity]:
    return {entity.id: entity for path in default_files() for entity in load_pack(path).entities}


def list_official_domains(*, press: bool) -> set[str]:
    """List the official domains of media, or of all other entities."""
    return {
        domain
        for entity in load_catalogue().values()
        if (entity.type == "media") == press
        for domain in entity.official_domains
    }


LANGUAGES = {"en", "ja", "zh"}
CATEGORIES = {"protocol", "regulation", "enforcement", "incident", "market", "company", "adoption"}
FIELDS = ["id", "date", "time_utc", "category", "title", "detail", "primary_sources", "entities", "facts"]
"""The fields of every event. ``general_sources`` can follow ``primary_sources``."""

PUBLIC_BODIES = {"gov", "gov.br", "gov.cn", "gov.hk", "gov.ng", "go.jp", "go.kr", "europa.eu"}
"""Ends of host names that only states, their courts and their bodies can have."""

OTHER_OFFICIAL = {
    # Law, courts and public bodies under other endings.
    *("sso.agc.gov.sg", "sci.gov.in", "rbi.org.in", "mas.gov.sg", "fca.org.uk", "canada.ca", "osc.ca"),
    # Records of courts.
    *("law.justia.com", "storage.courtlistener.com"),
    # Block explorers beside those of the catalogue.
    *("beaconcha.in", "cardanoscan.io", "solscan.io"),
    # The agents that United States courts name to keep the record of an insolvency.
    *("cases.stretto.com", "restructuring.ra.kroll.com"),
    # Where the first years of Bitcoin were announced, and where projects keep their code.
    *("bitcoin.org", "bitcoingold.org", "bitcointalk.org", "metzdowd.com", "bitcoincash.org", "github.com"),
    # Projects and companies that acted, under names which the catalogue does not list.
    *("about.fb.com", "blog.makerdao.com", "christies.com", "euler.finance", "investor.canaan-creative.com"),
    *(
        "electriccoin.co",
        "ir.silvergate.com",
        "ir.theice.com",
        "jpyc.co.jp",
        "newsroom.paypal-corp.com",
        "parity.io",
        "poly.network",
    ),
    *("roadmap.cardano.org", "squareup.com"),
}

SHARED_PAGES = {
    # One announcement names the times of both parts of The Merge.
    "https://blog.ethereum.org/2022/08/24/mainnet-merge-announcement",
    # The text of MiCA says when it enters into force and when its parts apply.
    "https://eur-lex.europa.eu/eli/reg/2023/1114/oj",
}
"""Primary sources about several events."""

PLATFORMS = {
    "wikipedia.org",
    "medium.com",
    "substack.com",
    "x.com",
    "twitter.com",
    "reddit.com",
    "youtube.com",
}

SMALL_NUMBERS = (
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
)


def urls_of(event: dict[str, Any]) -> list[str]:
    return [*event["primary_sources"], *event.get("general_sources", [])]


def hosts_of(event: dict[str, Any]) -> list[str]:
    return [urlsplit(url).hostname or "" for url in urls_of(event)]


def is_within(host: str, domains: set[str]) -> bool:
    """Whether ``host`` is one of ``domains`` or below one, label by label."""
    labels = host.split(".")
    return any(".".join(labels[start:]) in domains for start in range(len(labels)))


def written_in_english(value: Decimal) -> set[str]:
    """The ways in which an English text may write ``value``: 1,500,000, 1.5 million, seven."""
    ways = {f"{value:,f}", f"{value:f}"}
    for name, size in (("thousand", 10**3), ("million", 10**6), ("billion", 10**9)):
        if value >= size:
            ways.add(f"{(value / size).normalize():f} {name}")
    if value == int(value) and value < len(SMALL_NUMBERS):
        ways.add(SMALL_NUMBERS[int(value)])
    return ways


def has_whole_figure(text: str, value: Decimal) -> bool:
    """Whether a figure stands in ``text`` whole, not as a part of a longer one."""
    return any(
        re.search(rf"(?<![\d.,]){re.escape(notation)}(?!\d|[.,]\d)", text, re.IGNORECASE)
        for notation in written_in_english(value)
    )


def list_violating_ids(holds: Callable[[dict[str, Any]], bool]) -> list[str]:
    """The ids of the events that break what should hold of all."""
    return [event["id"] for event in load_events() if not holds(event)]


def texts_of(event: dict[str, Any], language: str) -> str:
    return f"{event['title'][language]} {event['detail'][language]}"


def test_there_are_enough_events_to_compare_statements_with() -> None:
    assert len(load_events()) >= 120


def test_every_category_has_events() -> None:
    assert {event["category"] for event in load_events()} == CATEGORIES


def test_ids_are_unique() -> None:
    assert len({event["id"] for event in load_events()}) == len(load_events())


def test_events_are_sorted_by_date() -> None:
    keys = [(event["date"], event["id"]) for event in load_events()]
    assert keys == sorted(keys)


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_titles_are_unique(language: str) -> None:
    titles = [event["title"][language] for event in load_events()]
    assert len(set(titles)) == len(titles)


def test_events_have_exactly_the_fields_of_the_archive() -> None:
    assert (
        list_violating_ids(lambda event: [field for field in event if field != "general_sources"] == FIELDS)
        == []
    )


def test_an_id_is_the_date_and_a_slug() -> None:
    def is_made_so(event: dict[str, Any]) -> bool:
        slug = event["id"].removeprefix(f"lm-{event['date']}-")
        return re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", slug) is not None and slug != event["id"]

    assert list_violating_ids(is_made_so) == []


def test_dates_are_in_the_past() -> None:
    today = datetime.now(UTC).date()
    assert (
        list_violating_ids(lambda event: date(2008, 1, 1) <= date.fromisoformat(event["date"]) <= today) == []
    )


def test_a_time_is_an_instant_in_utc_on_the_day_of_the_event() -> None:
    def has_matching_date(event: dict[str, Any]) -> bool:
        time: str | None = event["time_utc"]
        if time is None:
            return True
        return time.endswith("Z") and datetime.fromisoformat(time).date() == date.fromisoformat(event["date"])

    assert list_violating_ids(has_matching_date) == []


@pytest.mark.parametrize("field", ["title", "detail"])
def test_events_have_texts_in_three_languages(field: str) -> None:
    def is_told(event: dict[str, Any]) -> bool:
        return set(event[field]) == LANGUAGES and all(text.strip() == text for text in event[field].values())

    assert list_violating_ids(is_told) == []
    assert list_violating_ids(lambda event: all(event[field].values())) == []


def test_each_language_is_written_in_its_own_script() -> None:
    kana, han = re.compile(r"[\u3040-\u30ff]"), re.compile(r"[\u4e00-\u9fff]")
    assert list_violating_ids(lambda event: not kana.search(texts_of(event, "en"))) == []
    assert list_violating_ids(lambda event: not han.search(texts_of(event, "en"))) == []
    assert list_violating_ids(lambda event: kana.search(texts_of(event, "ja")) is not None) == []
    assert list_violating_ids(lambda event: han.search(texts_of(event, "zh")) is not None) == []
    assert list_violating_ids(lambda event: not kana.search(texts_of(event, "zh"))) == []


def test_every_entity_is_in_the_catalogue_and_listed_once() -> None:
    assert list_violating_ids(lambda event: bool(event["entities"])) == []
    assert list_violating_ids(lambda event: set(event["entities"]) <= load_catalogue().keys()) == []
    assert list_violating_ids(lambda event: len(set(event["entities"])) == len(event["entities"])) == []


def test_every_event_has_distinct_urls() -> None:
    assert list_violating_ids(lambda event: bool(urls_of(event))) == []
    assert list_violating_ids(lambda event: len(set(urls_of(event))) == len(urls_of(event))) == []


def test_at_least_nine_of_ten_events_have_a_page_of_their_own() -> None:
    without = list_violating_ids(lambda event: bool(event["primary_sources"]))
    assert len(without) <= len(load_events()) / 10, without


def test_different_events_share_a_page_only_if_it_is_about_each_of_them() -> None:
    events = Counter(url for event in load_events() for url in event["primary_sources"])
    assert {url for url, count in events.items() if count > 1} == SHARED_PAGES


def test_urls_are_https_with_only_a_host_in_the_authority() -> None:
    def is_plain(address: str) -> bool:
        parts = urlsplit(address)
        return parts.scheme == "https" and parts.netloc == parts.hostname

    assert list_violating_ids(lambda event: all(is_plain(url) for url in urls_of(event))) == []


def test_urls_are_on_official_hosts() -> None:
    hosts = {domain.split("/")[0] for domain in list_official_domains(press=False)}
    official = PUBLIC_BODIES | hosts | OTHER_OFFICIAL
    assert list_violating_ids(lambda event: all(is_within(host, official) for host in hosts_of(event))) == []


def test_no_url_is_of_the_press_or_of_an_open_platform() -> None:
    refused = list_official_domains(press=True) | PLATFORMS
    assert (
        list_violating_ids(lambda event: not any(is_within(host, refused) for host in hosts_of(event))) == []
    )


def test_facts_are_named_numbers() -> None:
    def is_named(event: dict[str, Any]) -> bool:
        return all(
            re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name) and type(value) in {int, float}
            for name, value in event["facts"].items()
        )

    assert list_violating_ids(is_named) == []


def test_every_fact_is_a_figure_of_the_english_text() -> None:
    unsaid = [
        (event["id"], name, value)
        for event in load_events()
        for name, value in event["facts"].items()
        if not has_whole_figure(texts_of(event, "en"), Decimal(str(value)))
    ]
    assert unsaid == []


@pytest.mark.parametrize(
    ("text", "value", "is_found"),
    [
        ("It lost 1,500 BTC.", "1500", True),
        ("It lost 11,500 BTC.", "1500", False),
        ("It lost 1,500.5 BTC.", "1500", False),
        ("It paid 4.5 billion dollars.", "4500000000", True),
        ("It paid 14.5 billion dollars.", "4500000000", False),
        ("Seven counts.", "7", True),
    ],
)
def test_a_figure_is_found_only_as_a_whole_number(text: str, value: str, is_found: bool) -> None:
    assert has_whole_figure(text, Decimal(value)) is is_found


@pytest.mark.parametrize(
    ("host", "official"),
    [("www.sec.gov", True), ("sec.gov.evil.example", False), ("notfca.org.uk", False), ("fca.org.uk", True)],
)
def test_a_host_is_official_by_whole_labels_from_the_right(host: str, official: bool) -> None:
    assert is_within(host, PUBLIC_BODIES | OTHER_OFFICIAL) is official
