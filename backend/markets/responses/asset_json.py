"""Encodes an asset as JSON. No I/O.

Most of an asset never changes while the service runs, so these parts are encoded once per asset.
"""

from functools import lru_cache
from typing import Any

import orjson

from backend.markets.assets.model import Asset
from backend.markets.numbers import format_timestamp
from backend.markets.provider_names import COINGECKO, COINMARKETCAP
from backend.markets.responses.json_values import build_icon_url, to_json_number
from backend.markets.responses.price_json import PricedAsset

COINGECKO_PAGE = "https://www.coingecko.com/en/coins/"
LINKS = (
    "website",
    "technical_doc",
    "twitter",
    "reddit",
    "message_board",
    "announcement",
    "explorer",
    "source_code",
)


def encode_asset(entry: PricedAsset) -> bytes:
    asset, figure = entry.asset, entry.figure
    metadata, urls = _encode_static_parts(asset)
    return orjson.dumps(
        {
            "id": asset.id,
            "name": asset.name,
            "symbol": asset.symbol,
            "datasrc1_slug": asset.datasrc1_slug,
            "datasrc2_id": asset.datasrc2_id,
            "icon_url": build_icon_url(asset),
            "market_cap": to_json_number(figure.market_cap),
            "enabled": asset.enabled,
            "ath": to_json_number(figure.ath),
            "ath_change_percentage": to_json_number(figure.ath_change_percentage),
            "ath_date": None if figure.ath_date is None else format_timestamp(figure.ath_date),
            "sources": build_provider_ids(asset),
            "metadata": orjson.Fragment(metadata),
            "urls": orjson.Fragment(urls),
        }
    )


def build_provider_ids(asset: Asset) -> dict[str, str]:
    """Map each provider that has the asset to its id there."""
    ids_by_provider = {COINMARKETCAP: asset.datasrc1_slug, COINGECKO: asset.datasrc2_id}
    return {provider: name for provider, name in ids_by_provider.items() if name is not None}


@lru_cache(maxsize=4096)
def _encode_static_parts(asset: Asset) -> tuple[bytes, bytes]:
    links = {name: list(getattr(asset.urls, name)) for name in LINKS}
    page = None if asset.datasrc2_id is None else COINGECKO_PAGE + asset.datasrc2_id
    metadata: dict[str, Any] = {
        "name": asset.name,
        "symbol": asset.symbol,
        "logo": build_icon_url(asset),
        "description": asset.description,
        "date_launched": asset.date_launched and asset.date_launched.isoformat(),
        "genesis_date": asset.genesis_date and asset.genesis_date.isoformat(),
        "address": asset.address,
        "categories": [list(path) for path in asset.categories],
        "platforms": dict(asset.platforms),
        "infinite_supply": asset.infinite_supply,
        "urls": links,
    }
    return orjson.dumps(metadata), orjson.dumps({**links, "datasrc2": page})
