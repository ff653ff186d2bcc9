"""Defines the HTTP endpoints of the market domain."""

from typing import Annotated, Any, Literal

import orjson
from anyio import CapacityLimiter, to_thread
from fastapi import Path, Query, Request
from pydantic import Field, WithJsonSchema
from starlette.responses import Response

from backend.auth.event_streams import (
    EVENT_STREAM_RESPONSES,
    LastEventId,
    respond_with_events,
    wants_events,
)
from backend.auth.gate import gated_router
from backend.formats.capped_numbers import cap_at
from backend.formats.timestamps import Instant
from backend.http.responses import (
    CACHED_RESPONSES,
    PreparedResponse,
    RawJson,
    build_tagged_json,
    document_not_found,
)
from backend.markets import schemas
from backend.markets.aggregation.state import IncidentKind
from backend.markets.model import ChartSpan, Span, TotalsSpan
from backend.markets.responses.rankings_json import Order, SortKey
from backend.markets.responses.snapshot import DEPRECATED_SINCE, ResponseBuilder
from backend.markets.service import MarketService

router = gated_router(scope="read", tags=["markets"])

AssetId = Annotated[str, Path(description="A canonical asset id.")]
Limit = Annotated[
    str | None,
    Query(description="Maximum number of assets; a non-positive or invalid value is ignored."),
    WithJsonSchema({"type": "integer", "minimum": 1}),
]
OpenOnly = Annotated[
    Literal["true", "false"] | None,
    Query(alias="open", description="Only open incidents, or only closed ones."),
    WithJsonSchema({"type": "boolean"}),
]
CandleSpan = Annotated[
    ChartSpan,
    Query(
        description="`1h` has 12 candles of 5 minutes, `24h` has 48 of 30 minutes, `7d` has 42 and `30d` has "
        "180 of 4 hours, `90d` has 90 and `1y` has 365 of a day."
    ),
]
KindFilter = Annotated[IncidentKind | None, Query(description="Only incidents of this kind.")]
MAX_INCIDENTS = 1000
ASSET_NOT_FOUND = document_not_found("No configured asset has this id.")
CANDLE_THREADS = CapacityLimiter(8)
"""Separate threads: requests for candles may wait for a provider and must not block other requests."""


def get_market(request: Request) -> MarketService:
    service: MarketService = request.app.state.market
    return service


def respond_from_snapshot(request: Request, build: ResponseBuilder) -> Response:
    """Respond from the snapshot, and cache the response for the same query string."""
    path, query = request.scope["path"], request.scope["query_string"]
    return PreparedResponse(get_market(request).view.answer(path, query, build), request)


@router.get("/assets", response_model=list[schemas.AssetOut], responses=CACHED_RESPONSES)
def list_assets(
    request: Request,
    filter: Annotated[
        Literal["enabled", "all", "disabled"], Query(description="Which of the configured assets.")
    ] = "enabled",
) -> Response:
    """Configured assets by market capitalisation, unknown ones last."""
    return respond_from_snapshot(request, lambda snapshot: snapshot.assets(filter))


@router.get("/assets/{id}", response_model=schemas.AssetOut, responses=ASSET_NOT_FOUND)
def read_asset(request: Request, id: AssetId) -> Response:
    """One asset, enabled or disabled."""
    return RawJson(get_market(request).asset(id))


@router.get("/assets/{id}/candles", response_model=schemas.CandleSeries, responses=ASSET_NOT_FOUND)
async def read_candles(request: Request, id: AssetId, span: CandleSpan = "24h") -> Response:
    """The candles of one asset: a provider's history if available, else candles sampled from polls.

    The history is fetched on the first request, kept, and fetched again when it is due: after 15 minutes for
    `24h` and `7d`, an hour for `30d`, 6 hours for `90d`, 12 hours for `1y`. Live `1h` comes from polls.
    `basis`, `source` and `last_updated` say what was returned. The history ends where the provider's does;
    without a paid plan, CoinGecko gives up to 365 days.
    """
    return RawJson(await to_thread.run_sync(get_market(request).candles, id, span, limiter=CANDLE_THREADS))


@router.get("/assets/{id}/candles/around", response_model=schemas.CandlesAround, responses=ASSET_NOT_FOUND)
def read_candles_around(
    request: Request, id: AssetId, at: Annotated[Instant, Query(description="The instant.")]
) -> Response:
    """The finest candles that are stored around an instant: 30 minutes for 90 days, 4 hours for two years,
    and daily ones from the day on which the service first ran."""
    return RawJson(get_market(request).candles_around(id, at))


@router.get(
    "/prices",
    response_model=dict[str, schemas.PriceRecord],
    responses={**CACHED_RESPONSES, **EVENT_STREAM_RESPONSES},
)
def list_prices(request: Request, _last_event_id: LastEventId = None) -> Response:
    """The latest price of every enabled asset, by canonical id.

    With `Accept: text/event-stream`, the prices are sent again as an event after each change.
    """
    if wants_events(request):
        return respond_with_events(request, get_market(request).price_events, None)
    return respond_from_snapshot(request, lambda snapshot: snapshot.prices())


@router.get(
    "/prices/all", response_model=dict[str, schemas.PriceRecord], responses=CACHED_RESPONSES, deprecated=True
)
def list_legacy_prices(request: Request) -> Response:
    """The latest prices by legacy symbol, or by id if another asset has the symbol. Use `/prices`."""
    return respond_from_snapshot(request, lambda snapshot: snapshot.legacy_prices())


@router.get("/prices/{id}/quotes", response_model=schemas.AssetQuotes, responses=ASSET_NOT_FOUND)
def read_quotes(request: Request, id: AssetId) -> Response:
    """Each provider's quote, its age, the spread, which were used and why, and recent incidents."""
    return RawJson(get_market(request).quotes(id))


@router.get(
    "/aggregation/{asset}",
    response_model=schemas.PriceRecord,
    responses=document_not_found("No configured asset has this id, symbol or source id."),
    deprecated=True,
)
def read_aggregation(
    request: Request,
    asset: Annotated[str, Path(description="A canonical asset id, a symbol, or an id at a provider.")],
) -> Response:
    """One price record, by canonical id, symbol or source id. Use `/prices`."""
    headers = {"Deprecation": DEPRECATED_SINCE.decode(), "Link": '</prices>; rel="successor-version"'}
    return RawJson(get_market(request).aggregation(asset), headers=headers)


@router.get("/rankings", response_model=list[schemas.RankedToken], responses=CACHED_RESPONSES)
def list_rankings(
    request: Request,
    sort: Annotated[SortKey, Query(description="The field to sort by.")] = "market_cap",
    order: Annotated[Order, Query(description="Descending or ascending.")] = "desc",
    with_candles: Annotated[
        Span | None, Query(description="Which candles to include; none if it is not sent.")
    ] = None,
    limit: Limit = None,
) -> Response:
    """Enabled assets, sorted; unknown values last, ties by rank, then id."""
    count = parse_positive_int(limit)
    return respond_from_snapshot(
        request, lambda snapshot: snapshot.rankings(sort, order, with_candles, count)
    )


@router.get("/crypto/market-overview", response_model=schemas.MarketOverview, responses=CACHED_RESPONSES)
def read_market_overview(request: Request) -> Response:
    """Totals of the whole market and the fear and greed index, each block from one provider."""
    return respond_from_snapshot(request, lambda snapshot: snapshot.market_overview())


@router.get("/markets/rates", response_model=schemas.DisplayRates, responses=CACHED_RESPONSES)
def list_rates(request: Request) -> Response:
    """What one USD is worth in each display currency. All other figures of the service are in USD.

    Rates have up to 15 significant digits; BTC is the reciprocal of the published price of bitcoin.
    """
    return respond_from_snapshot(request, lambda snapshot: snapshot.rates())


@router.get("/markets/totals", response_model=schemas.TotalsHistory, responses=CACHED_RESPONSES)
def read_totals_history(
    request: Request,
    span: Annotated[TotalsSpan, Query(description="How far back the points go, from now.")] = "7d",
) -> Response:
    """Past totals of the whole market, one point for each hour (UTC) in which the service recorded some.

    They come from the source of the overview's totals alone, since providers count different assets. They are
    kept for 30 days.
    """
    body = get_market(request).totals_history(span)
    return build_tagged_json(body, request)  # not cached: it is read less often than it changes


@router.get("/markets/figures", response_model=dict[str, schemas.FigureFacts], responses=CACHED_RESPONSES)
def list_figures(request: Request) -> Response:
    """How each enabled asset's figure was selected, whether it is in doubt, and its 24-hour volume."""
    return respond_from_snapshot(request, lambda snapshot: snapshot.figures_facts())


@router.get("/markets/incidents", response_model=list[schemas.MarketIncident], responses=CACHED_RESPONSES)
def list_incidents(
    request: Request,
    asset: Annotated[str | None, Query(description="A canonical asset id: only its incidents.")] = None,
    kind: KindFilter = None,
    is_open: OpenOnly = None,
    limit: Annotated[
        int,
        Field(ge=1),
        cap_at(MAX_INCIDENTS),
        Query(description=f"Maximum number of incidents. Larger values count as {MAX_INCIDENTS}."),
    ] = 200,
) -> Response:
    """Incidents of enabled assets that were open at any time in the last 30 days, newest first."""
    is_wanted = None if is_open is None else is_open == "true"
    incidents = get_market(request).incidents(asset, kind, is_wanted, limit)
    return build_tagged_json(orjson.dumps(incidents), request)  # not cached: there are many filters


@router.get("/markets/status", response_model=schemas.MarketStatus)
def read_market_status(request: Request) -> dict[str, Any]:
    """Status of each provider: last success, errors, polling interval and remaining quota.

    `worker` shows whether a worker refreshes the figures and runs jobs.
    """
    return {**get_market(request).status(), "worker": request.app.state.workers.state().as_wire()}


def parse_positive_int(text: str | None) -> int | None:
    """Parse ``text`` as an integer of at least 1; anything else means no limit."""
    if text is None or len(text) > 18 or not text.isascii() or not text.isdigit():
        return None
    return int(text) or None
