"""Names of assets, organisations and people in three languages."""

from collections.abc import Iterator

import jsonschema
import pytest

from backend.entities.model import LANGUAGES
from tests.support.apps.market_app import Running, sample_app


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with sample_app(tmp_path_factory.mktemp("names"), ("bitcoin", "ethereum")) as running:
        yield running


def test_every_asset_has_a_name_in_each_language(running: Running) -> None:
    names = running.json("/assets/names")
    assets = running.json("/assets?filter=all")
    for asset in assets:
        assert set(names[asset["id"]]) == {"en", "ja", "zh", "aliases"}
        assert all(names[asset["id"]][language] for language in LANGUAGES), asset["id"]
    bitcoin = names["bitcoin"]
    assert (bitcoin["en"], bitcoin["ja"], bitcoin["zh"]) == ("Bitcoin", "ビットコイン", "比特币")
    assert "BTC" in bitcoin["aliases"]


def test_an_asset_keeps_its_own_name_where_its_entity_is_wider(running: Running) -> None:
    names = running.json("/assets/names")
    for asset in running.json("/assets?filter=all"):
        assert names[asset["id"]]["en"].casefold() == asset["name"].casefold()
    old_polygon = names["matic"]
    assert old_polygon["ja"] == "Polygon (old MATIC)"
    assert "Polygon" in old_polygon["aliases"]


def test_every_asset_is_found_by_its_symbol_and_its_own_name(running: Running) -> None:
    names = running.json("/assets/names")
    for asset in running.json("/assets?filter=all"):
        entry = names[asset["id"]]
        all_names = {entry["en"], entry["ja"], entry["zh"], *entry["aliases"]}
        assert {asset["name"], asset["symbol"]} <= all_names


def test_organisations_and_people_are_named_too(running: Running) -> None:
    names = running.json("/assets/names")
    assert names["sec"]["ja"] == "米証券取引委員会"
    assert names["vitalik-buterin"]["zh"] != names["vitalik-buterin"]["en"]


def test_the_answer_is_prepared_and_conditional(running: Running) -> None:
    first = running.get("/assets/names", **{"Accept-Encoding": "gzip"})
    assert first.headers["content-encoding"] == "gzip"
    headers = {"Accept-Encoding": "gzip", "If-None-Match": first.headers["etag"]}
    assert running.get("/assets/names", **headers).status == 304
    assert running.get("/assets/names?x=1").text == first.text


def test_the_answer_fits_its_schema(running: Running) -> None:
    document = running.json("/openapi.json")
    schema = document["paths"]["/assets/names"]["get"]["responses"]["200"]["content"]["application/json"]
    jsonschema.validate(
        running.json("/assets/names"), {**schema["schema"], "components": document["components"]}
    )
