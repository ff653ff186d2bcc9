"""Converts between database rows and domain objects. No I/O."""

from collections.abc import Mapping
from dataclasses import asdict
from decimal import Decimal
from typing import Any

import orjson

from backend.markets.model import FearGreed, MarketTotals, PublishedPrice, Quote, QuoteEvaluation
from backend.markets.reasons import Reason
from backend.markets.tables import ASSET_FIGURE_COLUMNS

FIELDS_OUTSIDE_BODY = ("provider", "as_of", "credits", "rates")
"""Fields of a market indicator that its JSON body leaves out: columns, stored elsewhere, or not stored."""
RATE_PREFIX = "rate_"
"""Rates are stored beside the totals, where an older version skips names that it does not know."""


def quote_to_row(realm: str, quote: Quote) -> dict[str, Any]:
    row = {name: getattr(quote, name) for name in ASSET_FIGURE_COLUMNS}
    return row | {
        "realm": realm,
        "provider": quote.provider,
        "asset_id": quote.asset_id,
        "external_id": quote.external_id,
        "price": quote.price,
        "as_of": quote.as_of,
        "received_at": quote.received_at,
    }


def quote_from_row(row: Mapping[Any, Any]) -> Quote:
    return Quote(**{name: value for name, value in row.items() if name != "realm"})


def published_price_to_row(
    realm: str, price: PublishedPrice, aggregation_state: Mapping[str, Any]
) -> dict[str, Any]:
    row = {name: getattr(price, name) for name in ASSET_FIGURE_COLUMNS}
    return row | {
        "realm": realm,
        "asset_id": price.asset_id,
        "price": price.price,
        "providers": ",".join(price.providers),
        "stale": price.stale,
        "last_updated": price.last_updated,
        "rule": price.rule,
        "reason": price.reason.to_text(),
        "flags": ",".join(price.flags),
        "spread_pct": price.spread_pct,
        "judgements": orjson.dumps([asdict(evaluation) for evaluation in price.evaluations]).decode(),
        "memory": orjson.dumps(aggregation_state).decode(),
    }


def published_price_from_row(row: Mapping[Any, Any]) -> tuple[PublishedPrice, dict[str, Any]]:
    """Return the published price and the aggregation state that a row holds."""
    figures = {name: row[name] for name in ASSET_FIGURE_COLUMNS}
    price = PublishedPrice(
        asset_id=row["asset_id"],
        price=row["price"],
        providers=_split_list(row["providers"]),
        stale=row["stale"],
        last_updated=row["last_updated"],
        rule=row["rule"],
        reason=Reason.from_text(row["reason"]),
        flags=_split_list(row["flags"]),
        spread_pct=row["spread_pct"],
        evaluations=tuple(_decode_evaluation(item) for item in orjson.loads(row["judgements"])),
        **figures,
    )
    return price, orjson.loads(row["memory"])


def market_indicator_to_row(realm: str, kind: str, indicator: MarketTotals | FearGreed) -> dict[str, Any]:
    values = {
        name: getattr(indicator, name)
        for name in type(indicator).__dataclass_fields__
        if name not in FIELDS_OUTSIDE_BODY
    }
    body = {
        name: format(value, "f") if isinstance(value, Decimal) else value for name, value in values.items()
    }
    if isinstance(indicator, MarketTotals):
        body |= {f"{RATE_PREFIX}{code}": format(rate, "f") for code, rate in indicator.rates.items()}
    return {
        "realm": realm,
        "kind": kind,
        "provider": indicator.provider,
        "as_of": indicator.as_of,
        "body": orjson.dumps(body).decode(),
    }


def market_totals_from_row(row: Mapping[Any, Any]) -> MarketTotals:
    body = {
        name: None if value is None else Decimal(value) for name, value in orjson.loads(row["body"]).items()
    }
    market_cap = body["market_cap"]
    assert market_cap is not None  # every stored row has one
    return MarketTotals(
        provider=row["provider"],
        as_of=row["as_of"],
        market_cap=market_cap,
        market_cap_change_24h=body["market_cap_change_24h"],
        volume_24h=body["volume_24h"],
        volume_change_24h=body["volume_change_24h"],
        btc_market_cap_percentage=body["btc_market_cap_percentage"],
        eth_market_cap_percentage=body.get("eth_market_cap_percentage"),  # absent in an older row
        rates={
            name.removeprefix(RATE_PREFIX): rate
            for name, rate in body.items()
            if name.startswith(RATE_PREFIX) and rate is not None
        },
    )


def fear_greed_from_row(row: Mapping[Any, Any]) -> FearGreed:
    return FearGreed(provider=row["provider"], as_of=row["as_of"], **orjson.loads(row["body"]))


def _decode_evaluation(item: Mapping[str, Any]) -> QuoteEvaluation:
    return QuoteEvaluation(
        item["provider"], item["freshness"], item["used"], Reason.from_json(item["reason"])
    )


def _split_list(joined: str) -> tuple[str, ...]:
    return tuple(joined.split(",")) if joined else ()
