"""An asset as the interface shows it; pure.

Most of it never changes while the service runs, so it is encoded once an asset.
"""

from functools import lru_cache
from typing import Any

import orjson

from backend.markets.assets.model import Asset
from backend.markets.numbers import format_timestamp
from backend.markets.provider_names import COINGECKO, COINMARKETCAP
from backend.markets.responses.json_values import icon_url, number
from backend.markets.responses.price_json import Entry

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


def asset_json(entry: Entry) -> bytes:
    asset, figure = entry.asset, entry.figure
    metadata, urls = _facts(asset)
    return orjson.dumps(
        {
            "id": asset.id,
            "name": asset.name,
            "symbol": asset.symbol,
            "datasrc1_slug": asset.datasrc1_slug,
            "datasrc2_id": asset.datasrc2_id,
            "icon_url": icon_url(asset),
            "market_cap": number(figure.market_cap),
            "enabled": asset.enabled,
            "ath": number(figure.ath),
            "ath_change_percentage": number(figure.ath_change_percentage),
            "ath_date": None if figure.ath_date is None else format_timestamp(figure.ath_date),
            "sources": sources(asset),
            "metadata": orjson.Fragment(metadata),
            "urls": orjson.Fragment(urls),
        }
    )


def sources(asset: Asset) -> dict[str, str]:
    """The asset's name at each provider that has it."""
    named = {COINMARKETCAP: asset.datasrc1_slug, COINGECKO: asset.datasrc2_id}
    return {provider: name for provider, name in named.items() if name is not None}


@lru_cache(maxsize=4096)
def _facts(asset: Asset) -> tuple[bytes, bytes]:
    links = {name: list(getattr(asset.urls, name)) for name in LINKS}
    page = None if asset.datasrc2_id is None else COINGECKO_PAGE + asset.datasrc2_id
    metadata: dict[str, Any] = {
        "name": asset.name,
        "symbol": asset.symbol,
        "logo": icon_url(asset),
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
