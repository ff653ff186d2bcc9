"""Builds the responses that explain a published figure: quotes, limits and incidents."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from backend.markets.aggregation.freshness import classify
from backend.markets.aggregation.policy import AggregationPolicy, AssetTraits
from backend.markets.aggregation.price_selection import agreement_limits
from backend.markets.assets.model import Asset
from backend.markets.model import Quote, QuoteEvaluation, source_label
from backend.markets.numbers import format_plain, format_timestamp
from backend.markets.reasons import Reason, build_reason
from backend.markets.responses.json_values import build_reason_fields, to_decimal_string, to_json_number
from backend.markets.responses.price_json import PricedAsset


def build_quotes_response(
    entry: PricedAsset,
    quotes: Sequence[Quote],
    incidents: Sequence[dict[str, Any]],
    spreads: Mapping[datetime, Decimal],
    *,
    now: datetime,
    policy: AggregationPolicy,
    traits: AssetTraits,
) -> dict[str, Any]:
    """Build the response of ``GET /prices/{id}/quotes``.

    ``incidents`` are stored rows, newest first. ``spreads`` maps slots to their widest spread in percent.
    """
    figure = entry.figure
    evaluations_by_provider = {evaluation.provider: evaluation for evaluation in figure.evaluations}
    agree_limit, conflict_limit = _compute_limits(quotes, now, policy, traits)
    return {
        "id": entry.asset.id,
        "symbol": entry.asset.symbol,
        "price_usd": to_decimal_string(figure.price),
        "source": figure.source,
        "last_updated": None if figure.last_updated is None else format_timestamp(figure.last_updated),
        "rule": figure.rule,
        **build_reason_fields("reason", figure.reason),
        "flags": list(figure.flags),
        "spread_pct": to_decimal_string(figure.spread_pct),
        "agree_pct": to_decimal_string(agree_limit),
        "conflict_pct": to_decimal_string(conflict_limit),
        "spread_24h": [
            {"opened_at": format_timestamp(slot), "spread_pct": format_plain(spread)}
            for slot, spread in sorted(spreads.items())
        ],
        "quotes": [
            _build_quote(quote, evaluations_by_provider.get(quote.provider), now, policy) for quote in quotes
        ],
        "incidents": [_build_incident(row) for row in incidents],
    }


def _compute_limits(
    quotes: Sequence[Quote], now: datetime, policy: AggregationPolicy, traits: AssetTraits
) -> tuple[Decimal | None, Decimal | None]:
    """Compute the limits for the two compared quotes, which are those of the best freshness class.

    Null if there are not exactly two to compare.
    """
    classes = [classify(quote.provider, quote.as_of, now, policy) for quote in quotes]
    best = "fresh" if "fresh" in classes else "ageing"
    usable = [quote for quote, freshness in zip(quotes, classes, strict=True) if freshness == best]
    if len(usable) != 2:
        return None, None
    agree_limit, conflict_limit = agreement_limits(abs(usable[0].as_of - usable[1].as_of), policy, traits)
    return agree_limit.quantize(Decimal("0.0001")), conflict_limit


def _build_quote(
    quote: Quote, evaluation: QuoteEvaluation | None, now: datetime, policy: AggregationPolicy
) -> dict[str, Any]:
    return {
        "provider": quote.provider,
        "source": source_label((quote.provider,)),
        "external_id": quote.external_id,
        "price_usd": to_decimal_string(quote.price),
        "market_cap": to_json_number(quote.market_cap),
        "market_cap_rank": quote.market_cap_rank,
        "volume_24h": to_json_number(quote.volume_24h),
        "pct_change_24h": to_decimal_string(quote.pct_change_24h),
        "as_of": format_timestamp(quote.as_of),
        "received_at": format_timestamp(quote.received_at),
        "age_seconds": max(0, int((now - quote.as_of).total_seconds())),
        "freshness": classify(quote.provider, quote.as_of, now, policy),
        "used": evaluation is not None and evaluation.used,
        **build_reason_fields("reason", evaluation.reason if evaluation else build_reason("not_judged")),
    }


def build_incidents_response(
    rows: Sequence[dict[str, Any]], assets: Mapping[str, Asset]
) -> list[dict[str, Any]]:
    """Build the response of ``GET /markets/incidents`` from stored rows of ``assets``, in their order."""
    response = []
    for row in rows:
        asset = assets[row["asset_id"]]
        response.append(
            {"asset_id": asset.id, "symbol": asset.symbol, "name": asset.name} | _build_incident(row)
        )
    return response


def _build_incident(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": row["id"],
        "kind": row["kind"],
        "opened_at": format_timestamp(row["opened_at"]),
        "closed_at": None if row["closed_at"] is None else format_timestamp(row["closed_at"]),
        "worst_pct": to_decimal_string(row["worst_pct"]),
        **build_reason_fields("detail", Reason.from_text(row["detail"])),
    }
