"""The market endpoints: HTTP in and out."""

from typing import Annotated, Any, Literal

from anyio import CapacityLimiter, to_thread
from fastapi import Path, Query, Request
from pydantic import WithJsonSchema
from starlette.responses import Response

from backend.auth.gate import gated_router
from backend.formats.timestamps import Instant
from backend.http.responses import CACHED_RESPONSES, PreparedResponse, RawJson, document_not_found
from backend.markets import schemas
from backend.markets.aggregation.state import IncidentKind
from backend.markets.model import Span
from backend.markets.responses.rankings_json import Order, SortKey
from backend.markets.responses.snapshot import DEPRECATED_SINCE, Recipe
from backend.markets.service import MarketService

router = gated_router(scope="read", tags=["markets"])

AssetId = Annotated[str, Path(description="A canonical asset id.", examples=["bitcoin"])]
Limit = Annotated[
    str | None,
    Query(description="How many at the most; a non-positive or invalid value is ignored."),
    WithJsonSchema({"type": "integer", "minimum": 1}),
]
OpenOnly = Annotated[
    Literal["true", "false"] | None,
    Query(alias="open", description="Only those that are still open, or only those that are over."),
    WithJsonSchema({"type": "boolean"}),
]
NO_SUCH_ASSET = document_not_found("No configured asset has this id.")
CANDLES = CapacityLimiter(8)
"""Threads of their own: they may wait for a provider, and nobody else is to wait with them."""


def market(request: Request) -> MarketService:
    service: MarketService = request.app.state.market
    return service


def hot(request: Request, recipe: Recipe) -> Response:
    """Answer from the snapshot, and keep the answer ready for the same spelling of the query."""
    path, query = request.scope["path"], request.scope["query_string"]
    return PreparedResponse(market(request).view.answer(path, query, recipe), request)


@router.get("/assets", response_model=list[schemas.AssetOut], responses=CACHED_RESPONSES)
def list_assets(request: Request, filter: Literal["enabled", "all", "disabled"] = "enabled") -> Response:
    """Configured assets by market capitalisation, unknown ones last."""
    return hot(request, lambda snapshot: snapshot.assets(filter))


@router.get("/assets/{id}", response_model=schemas.AssetOut, responses=NO_SUCH_ASSET)
def read_asset(request: Request, id: AssetId) -> Response:
    """One asset, disabled ones too."""
    return RawJson(market(request).asset(id))


@router.get("/assets/{id}/candles", response_model=schemas.CandleSeries, responses=NO_SUCH_ASSET)
async def read_candles(request: Request, id: AssetId, span: Span = "24h") -> Response:
    """True OHLC from a provider where it can be had, else candles sampled from polls or a sparkline.

    `24h` holds 30-minute candles, `7d` 4-hour ones; `basis` says which kind they are.
    """
    return RawJson(await to_thread.run_sync(market(request).candles, id, span, limiter=CANDLES))


@router.get("/assets/{id}/candles/around", response_model=schemas.CandlesAround, responses=NO_SUCH_ASSET)
def read_candles_around(request: Request, id: AssetId, at: Instant) -> Response:
    """The finest candles that are stored around an instant: 30 minutes for 90 days, 4 hours for two years,
    and daily ones from the day on which the service first ran."""
    return RawJson(market(request).candles_around(id, at))


@router.get("/prices", response_model=dict[str, schemas.PriceRecord], responses=CACHED_RESPONSES)
def list_prices(request: Request) -> Response:
    """The latest price of every enabled asset, by canonical id."""
    return hot(request, lambda snapshot: snapshot.prices())


@router.get(
    "/prices/all", response_model=dict[str, schemas.PriceRecord], responses=CACHED_RESPONSES, deprecated=True
)
def list_legacy_prices(request: Request) -> Response:
    """The same by legacy symbol, or by id where another asset has the symbol. Use `/prices`."""
    return hot(request, lambda snapshot: snapshot.legacy_prices())


@router.get("/prices/{id}/quotes", response_model=schemas.AssetQuotes, responses=NO_SUCH_ASSET)
def read_quotes(request: Request, id: AssetId) -> Response:
    """Each provider's quote, its age, the spread, which were used and why, and recent incidents."""
    return RawJson(market(request).quotes(id))


@router.get(
    "/aggregation/{asset}",
    response_model=schemas.PriceRecord,
    responses=document_not_found("No configured asset has this id, symbol or source id."),
    deprecated=True,
)
def read_aggregation(request: Request, asset: str) -> Response:
    """One price record, by canonical id, symbol or source id. Use `/prices`."""
    headers = {"Deprecation": DEPRECATED_SINCE.decode(), "Link": '</prices>; rel="successor-version"'}
    return RawJson(market(request).aggregation(asset), headers=headers)


@router.get("/rankings", response_model=list[schemas.RankedToken], responses=CACHED_RESPONSES)
def list_rankings(
    request: Request,
    sort: SortKey = "market_cap",
    order: Order = "desc",
    with_candles: Span | None = None,
    limit: Limit = None,
) -> Response:
    """Enabled assets in order; unknown values last, ties by rank, then id."""
    count = whole_positive(limit)
    return hot(request, lambda snapshot: snapshot.rankings(sort, order, with_candles, count))


@router.get("/crypto/market-overview", response_model=schemas.MarketOverview, responses=CACHED_RESPONSES)
def read_market_overview(request: Request) -> Response:
    """Totals of the whole market and the fear and greed index, each block whole from one provider."""
    return hot(request, lambda snapshot: snapshot.market_overview())


@router.get("/markets/figures", response_model=dict[str, schemas.FigureFacts], responses=CACHED_RESPONSES)
def list_figures(request: Request) -> Response:
    """How each enabled asset's figure was chosen, whether it is in doubt, and its volume of the day."""
    return hot(request, lambda snapshot: snapshot.figures_facts())


@router.get("/markets/incidents", response_model=list[schemas.MarketIncident], responses=CACHED_RESPONSES)
def list_incidents(
    request: Request,
    asset: Annotated[str | None, Query(description="A canonical asset id: only its incidents.")] = None,
    kind: IncidentKind | None = None,
    is_open: OpenOnly = None,
    limit: Annotated[int, Query(ge=1, le=1000, description="How many at the most.")] = 200,
) -> Response:
    """Incidents of enabled assets that were open in the last 30 days, newest first, closed ones too."""
    is_wanted = None if is_open is None else is_open == "true"
    return PreparedResponse(market(request).incidents(asset, kind, is_wanted, limit), request)


@router.get("/markets/status", response_model=schemas.MarketStatus)
def read_status(request: Request) -> dict[str, Any]:
    """How each provider is doing: last success, faults, cadence and what is left of its quota.

    `worker` tells whether a worker refreshes the figures and runs jobs.
    """
    return {**market(request).status(), "worker": request.app.state.workers.state().as_wire()}


def whole_positive(text: str | None) -> int | None:
    """``text`` as a whole number from 1 on; anything else is no limit at all."""
    if text is None or len(text) > 18 or not text.isascii() or not text.isdigit():
        return None
    return int(text) or None
