"""Countries by their names in three languages."""

import pytest

from backend.sources.claims.places import find_countries


@pytest.mark.parametrize(
    ("text", "countries"),
    [
        ("Bitcoin became legal tender in Honduras.", {"Honduras": "Honduras"}),
        ("ケニアと印度尼西亚", {"Kenya": "ケニア", "Indonesia": "印度尼西亚"}),
        ("巴拿马把比特币定为法定货币", {"Panama": "巴拿马"}),
        ("The Indian exchange", {"India": "Indian"}),
        ("タイトルはチリソース", {}),
        ("Thailander, Chileans", {}),
        ("", {}),
    ],
)
def test_countries_are_found_as_whole_words(text: str, countries: dict[str, str]) -> None:
    assert find_countries(text) == countries
