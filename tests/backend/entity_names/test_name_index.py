"""An entity is found by any of its names."""

import pytest

from backend.articles.rules.rules_loader import load_shipped
from backend.entity_names.name_index import NamedEntities, NameIndex


@pytest.fixture(scope="module")
def index() -> NameIndex:
    return NameIndex(load_shipped().rules.entities.values())


@pytest.mark.parametrize(
    "name", ["Bitcoin", "bitcoin", "ビットコイン", "ﾋﾞｯﾄｺｲﾝ", "比特币", "比特幣", "BTC", "btc", "ＢＴＣ"]
)
def test_a_coin_is_found_by_its_names_in_any_script_and_width(index: NameIndex, name: str) -> None:
    assert "bitcoin" in index.find(name)


@pytest.mark.parametrize(("ticker", "word"), [("ENJ", "enj"), ("LINK", "link")])
def test_a_ticker_that_is_a_word_counts_in_capitals_only(index: NameIndex, ticker: str, word: str) -> None:
    assert index.find(ticker)
    assert not index.find(word)


def test_organisations_and_people_are_found_by_their_names(index: NameIndex) -> None:
    assert index.find("米証券取引委員会") == ("sec",)
    assert index.find("Vitalik Buterin") == ("vitalik-buterin",)


def test_a_search_is_split_into_names_and_other_words(index: NameIndex) -> None:
    words, names = index.split(" approves  Vitalik Buterin 比特币 fund ")
    assert words == "approves fund"
    assert names[0] == NamedEntities("Vitalik Buterin", ("vitalik-buterin",))
    assert (names[1].text, "bitcoin" in names[1].entities) == ("比特币", True)


@pytest.mark.parametrize("search", ["", "  ", "!?", "no such thing here"])
def test_a_search_without_a_name_stays_as_it_is(index: NameIndex, search: str) -> None:
    assert index.split(search) == (" ".join(search.split()), ())
