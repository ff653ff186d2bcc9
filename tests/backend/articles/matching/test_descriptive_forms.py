"""Forms of names that may be ordinary words instead."""

import pytest

from backend.articles.matching.descriptive_forms import list_descriptive_forms


@pytest.mark.parametrize(
    ("name", "forms"),
    [
        ("Usual Protocol", {"usual protocol", "Usual protocol", "usual Protocol"}),
        ("Bitcoin Foundation", {"Bitcoin foundation"}),
        ("Stratum V2", {"Stratum v2"}),
        ("Digital Currency Group", {"digital currency group", "Digital currency group"}),
        ("The Linux Foundation", {"the Linux Foundation", "the Linux foundation", "The Linux foundation"}),
    ],
)
def test_ordinary_words_of_a_name_may_be_in_lower_case(name: str, forms: set[str]) -> None:
    assert list_descriptive_forms(name) == forms


@pytest.mark.parametrize("name", ["Ethereum", "OpenSea", "DeFi", "Goldman Sachs", "bitbank", "以太坊"])
def test_a_name_of_no_ordinary_word_has_no_such_form(name: str) -> None:
    assert list_descriptive_forms(name) == set()
