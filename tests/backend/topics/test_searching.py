"""``GET /topics`` by words and by entity, and the entities of posted topics."""

from typing import Any
from urllib.parse import quote

import pytest

from tests.backend.topics.conftest import Service


def ids(service: Service, query: str) -> list[int]:
    answer = service.get(f"/topics?{query}").json()
    assert answer["total"] == len(answer["data"])
    return [item["id"] for item in answer["data"]]


def test_posted_topics_are_found_by_entities_in_their_texts(service: Service) -> None:
    number = service.add(
        texts={
            "en": {"title": "SEC approves a spot Solana fund", "summary": "Coinbase keeps the assets."},
            "ja": {"title": "イーサリアムにも期待"},
        }
    )
    other_id = service.add(title="Nothing of the sort")
    for entity in ("sec", "solana", "coinbase", "ethereum"):
        assert ids(service, f"entity={entity}") == [number], entity
        assert ids(service, f"entity={entity}&find=approves") == [number]
    assert ids(service, "entity=solana&lang=ja") == [number]
    assert ids(service, "entity=nobody-knows") == []
    assert ids(service, "find=nothing+sort") == [other_id]


def test_sent_entities_are_kept(service: Service) -> None:
    number = service.add(title="SEC approves a spot Solana fund", entities=["bitcoin", "mine.own"])
    assert ids(service, "entity=bitcoin") == ids(service, "entity=mine.own") == [number]
    assert ids(service, "entity=solana") == []


def test_an_update_in_one_language_keeps_the_entities_of_the_other(service: Service) -> None:
    number = service.add(external_id="a", texts={"en": {"title": "Solana rises"}})
    assert service.add(external_id="a", texts={"ja": {"title": "ビットコイン上昇"}}) == number
    assert ids(service, "entity=solana") == ids(service, "entity=bitcoin") == [number]


def test_media_added_later_are_searchable(service: Service) -> None:
    number = service.add(title="A fund")
    media: dict[str, Any] = {"primary_sources": [{"url": "https://a.example/1", "site_name": "Moonwire"}]}
    assert ids(service, "find=moonwire") == []
    service.post(f"/topics/{number}/media", media)
    assert ids(service, "find=moonwire") == [number]


def test_a_blank_search_filters_nothing_and_punctuation_matches_nothing(service: Service) -> None:
    number = service.add()
    assert ids(service, "find=") == ids(service, "find=++") == [number]
    assert ids(service, "find=%21%3F") == []
    for odd_search in (
        "%00",
        "%22%20OR%20%2A",
        "%27%3A%2A%27",
        "NEAR%28a%20b%29",
        "%F0%9F%92%A5",
        "a%00title",
    ):
        assert service.get(f"/topics?find={odd_search}").status == 200, odd_search


@pytest.mark.parametrize("query", ["entity=", "entity=Not%20an%20id", "entity=a%22b", f"find={'x' * 201}"])
def test_an_invalid_filter_is_400_in_the_envelope(service: Service, query: str) -> None:
    answer = service.get(f"/topics?{query}")
    assert (answer.status, answer.json()["code"], answer.json()["data"]) == (400, 400, None)


@pytest.mark.parametrize("entities", ["solana", ["Not an id"], [1], [""], ["x"] * 41])
def test_invalid_entity_ids_are_refused(service: Service, entities: Any) -> None:
    answer = service.post("/topics", service.topic(entities=entities))
    assert answer.status == 400
    assert "entities" in answer.json()["message"]


@pytest.mark.parametrize("name", ["ビットコイン", "比特币", "比特幣", "BTC", "Bitcoin"])
def test_a_name_in_any_language_finds_the_topics_about_the_entity(service: Service, name: str) -> None:
    about_bitcoin = service.add(title="Bitcoin fund approved")
    service.add(title="Ether fund approved")
    about_sec = service.add(title="SEC sues Binance over Bitcoin listings")
    assert ids(service, f"find={quote(name)}") == [about_sec, about_bitcoin]
    assert ids(service, f"find={quote(name)}+approved") == [about_bitcoin]
    assert ids(service, f"find={quote(name)}+{quote('米証券取引委員会')}") == [about_sec]
    assert ids(service, f"find={quote(name)}&entity=sec") == [about_sec]


def test_a_name_also_finds_texts_that_are_not_tagged_with_its_entity(service: Service) -> None:
    number = service.add(title="Bitcoin rises", entities=["ethereum"])
    assert ids(service, "find=bitcoin") == ids(service, f"find={quote('以太坊')}") == [number]
