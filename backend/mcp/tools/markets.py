"""Defines the tools of markets: prices, their reasons, rankings and the overview."""

from typing import Annotated, Any, Literal

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel, Field

from backend.markets.schemas import FearGreedOut, Total
from backend.mcp.service_client import ServiceClient
from backend.mcp.tool_result import ToolResult, Truncator
from backend.mcp.tools.context import ToolContext, get_service

MAX_ASSETS = 25
MAX_INCIDENTS = 20
Decimal = Annotated[str | None, Field(description="A decimal string; null if unknown.")]
Instant = Annotated[str | None, Field(description="RFC 3339, UTC.")]
AssetName = Annotated[
    str,
    Field(
        min_length=1,
        max_length=100,
        description="Id, ticker or name of an asset, in English, Japanese or Chinese: bitcoin, BTC, 比特币.",
    ),
]


class Price(BaseModel):
    id: str
    symbol: str
    price_usd: Decimal
    pct_change_1h: Decimal
    pct_change_24h: Decimal
    pct_change_7d: Decimal
    pct_change_30d: Decimal
    market_cap_usd: float | None
    market_cap_rank: int | None
    source: str | None = Field(
        description="The providers behind the figure; ':stale' marks the last good figure."
    )
    last_updated: Instant


class Prices(ToolResult):
    prices: list[Price]
    unknown: list[str] = Field(description="Names that are no asset of this service.")


class Quote(BaseModel):
    provider: str
    price_usd: str
    as_of: str
    age_seconds: int
    freshness: Literal["fresh", "ageing", "stale"]
    used: bool
    reason: str


class PriceIncident(BaseModel):
    kind: Literal["divergent", "conflict", "depeg", "jump"]
    opened_at: str
    closed_at: Instant
    worst_pct: Decimal
    detail: str


class PriceExplanation(ToolResult):
    id: str
    symbol: str
    price_usd: Decimal
    source: str | None
    last_updated: Instant
    rule: str = Field(description="How the figure was chosen.")
    reason: str
    in_doubt: list[str] = Field(description="divergent, conflict, jump or depeg; empty if nothing is.")
    spread_pct: Decimal
    agree_pct: Decimal = Field(description="Up to this spread two quotes are averaged.")
    conflict_pct: Decimal = Field(description="Beyond this spread the last good figure is held.")
    quotes: list[Quote]
    incidents: list[PriceIncident] = Field(description="Of the last 30 days.")


class RankedAsset(BaseModel):
    rank: int | None = Field(description="By market cap.")
    id: str
    symbol: str
    name: str
    price_usd: Decimal
    market_cap_usd: float | None
    pct_change_24h: Decimal
    pct_change_7d: Decimal
    last_updated: Instant


class Rankings(ToolResult):
    assets: list[RankedAsset]


class Overview(ToolResult):
    market_cap: Total
    volume_24h: Total
    bitcoin_share_pct: float | None
    fear_greed: FearGreedOut


async def get_prices(
    assets: Annotated[list[AssetName], Field(min_length=1, max_length=MAX_ASSETS)], context: ToolContext
) -> Prices:
    """Get the latest prices of up to 25 assets in US dollars, with changes, source and time of each."""
    service = get_service(context)
    records = await service.get("/prices")
    found, unknown = await find_assets(service, assets)
    prices = [_build_price(records[asset]) for asset in found if asset in records]
    return Prices(
        prices=prices,
        unknown=unknown,
        dashboard_url=service.links.build_page_url("rankings"),
        api_url=service.links.build_api_url("/prices"),
        data_mode=service.data_mode,
    )


async def explain_price(asset: AssetName, context: ToolContext) -> PriceExplanation:
    """Explain why a price is what it is: each provider's quote, which were used and why, the spread, and the
    incidents of 30 days."""
    service = get_service(context)
    found, _ = await find_assets(service, [asset])
    if not found:
        raise ToolError(f"There is no asset {asset!r}. list_rankings names the assets.")
    path = f"/prices/{found[0]}/quotes"
    quotes = await service.get(path)
    cutter = Truncator()
    return PriceExplanation(
        **{name: quotes[name] for name in ("id", "symbol", "price_usd", "source", "last_updated", "rule")},
        **{name: quotes[name] for name in ("reason", "spread_pct", "agree_pct", "conflict_pct", "quotes")},
        in_doubt=quotes["flags"],
        incidents=cutter.limit_list(quotes["incidents"], MAX_INCIDENTS, "incidents"),
        dashboard_url=service.links.build_page_url("rankings", coin=found[0]),
        api_url=service.links.build_api_url(path),
        data_mode=service.data_mode,
        cut=cutter.cut,
    )


async def list_rankings(
    context: ToolContext,
    sort: Literal["market_cap", "pct_change_24h", "pct_change_7d"] = "market_cap",
    order: Literal["desc", "asc"] = "desc",
    limit: Annotated[int, Field(ge=1, le=100)] = 20,
) -> Rankings:
    """List assets by market cap or by price change: the largest, the gainers (desc) or the losers (asc)."""
    service = get_service(context)
    rows = await service.get("/rankings", {"sort": sort, "order": order, "limit": limit})
    column = {"market_cap": "cap", "pct_change_24h": "24h", "pct_change_7d": "7d"}[sort]
    sign = "-" if order == "desc" else ""
    return Rankings(
        assets=[_build_ranked_asset(row) for row in rows],
        dashboard_url=service.links.build_page_url("rankings", sort=f"{sign}{column}"),
        api_url=service.links.build_api_url("/rankings", {"sort": sort, "order": order}),
        data_mode=service.data_mode,
    )


async def get_market_overview(context: ToolContext) -> Overview:
    """Get the total market cap, the volume of 24 hours, Bitcoin's share, and the fear and greed index."""
    service = get_service(context)
    overview = await service.get("/crypto/market-overview")
    return Overview(
        market_cap=overview["market_cap"],
        volume_24h=overview["volume_24h"],
        bitcoin_share_pct=overview["btc_market_cap_percentage"],
        fear_greed=overview["fear_greed"],
        dashboard_url=service.links.build_page_url(),
        api_url=service.links.build_api_url("/crypto/market-overview"),
        data_mode=service.data_mode,
    )


async def find_assets(service: ServiceClient, names: list[str]) -> tuple[list[str], list[str]]:
    """Return the ids of the assets with these names, and the names without one.

    An id counts before a ticker, a ticker before a name, and a larger market cap before a smaller one.
    """
    ranked = await service.get("/rankings")
    by_name: dict[str, str] = {}
    for field in ("id", "symbol", "name"):
        for row in ranked:
            by_name.setdefault(row[field].casefold(), row["id"])
    if any(name.strip().casefold() not in by_name for name in names):
        localized = await service.get("/assets/names")
        for row in ranked:
            known = localized.get(row["id"], {"en": "", "ja": "", "zh": "", "aliases": []})
            for name in (known["en"], known["ja"], known["zh"], *known["aliases"]):
                by_name.setdefault(name.casefold(), row["id"])
    ids = {name: by_name.get(name.strip().casefold()) for name in names}
    found = dict.fromkeys(asset for asset in ids.values() if asset is not None)
    return list(found), [name for name, asset in ids.items() if asset is None]


def _build_price(record: dict[str, Any]) -> Price:
    return Price(**{**record, "market_cap_usd": record["market_cap"]})


def _build_ranked_asset(row: dict[str, Any]) -> RankedAsset:
    return RankedAsset(**{**row, "rank": row["market_cap_rank"], "market_cap_usd": row["market_cap"]})
