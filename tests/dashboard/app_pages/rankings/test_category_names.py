"""Categories of assets have names in the reader's language."""

import orjson
import pytest

from backend.markets.assets.registry import load_assets
from dashboard.app_pages.rankings.category_names import translate_category
from dashboard.app_pages.rankings.data import build_texts
from dashboard.app_pages.rankings.rank_table import Formats, build_payload
from dashboard.app_pages.rankings.rows import Row
from dashboard.app_pages.rankings.table_view import build_slug
from dashboard.i18n import Language, catalogue

SHIPPED = sorted({name for asset in load_assets() for path in asset.categories for name in path})


@pytest.mark.parametrize("name", SHIPPED)
def test_every_category_of_the_shipped_assets_has_a_text(name: str) -> None:
    assert catalogue()[f"rankings.asset_category_{build_slug(name).replace('-', '_')}"]["en"] == name


@pytest.mark.parametrize(("lang", "name"), [("en", "Meme"), ("ja", "ミーム"), ("zh", "Meme币")])
def test_the_filter_lists_categories_by_their_translated_names(lang: Language, name: str) -> None:
    rows = [Row("dogecoin", "DOGE", "Dogecoin", categories=("Meme", "Own category"))]
    formats = Formats(price=str, compact=str)
    listed = orjson.loads(build_payload(rows, "24h", build_texts(lang), formats, 0.0))["categories"]
    assert sorted(listed) == [["meme", name], ["own-category", "Own category"]]


@pytest.mark.parametrize("lang", ["en", "ja", "zh"])
def test_a_category_of_a_users_own_assets_keeps_its_name(lang: Language) -> None:
    assert translate_category("Quantum cats", lang) == "Quantum cats"
