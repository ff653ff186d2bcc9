"""Assigns market capitalisation ranks, all from one provider. No I/O.

Ranks of two providers are never mixed: they count different assets, so a mixture has gaps and duplicates.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from backend.markets.aggregation.freshness import classify, validate_quote
from backend.markets.aggregation.policy import AggregationPolicy
from backend.markets.model import PublishedPrice, Quote


def collect_ranks(
    quotes: Iterable[Quote], *, now: datetime, policy: AggregationPolicy
) -> dict[str, dict[str, int]]:
    """Collect the ranks of valid quotes that are not stale, by provider and asset."""
    ranks: dict[str, dict[str, int]] = {}
    for quote in quotes:
        if quote.market_cap_rank is None or validate_quote(quote, now, policy):
            continue
        if classify(quote.provider, quote.as_of, now, policy) != "stale":
            ranks.setdefault(quote.provider, {})[quote.asset_id] = quote.market_cap_rank
    return ranks


def assign_ranks(
    published: Mapping[str, PublishedPrice],
    ranks_by_provider: Mapping[str, Mapping[str, int | None]],
    order: Sequence[str],
) -> dict[str, PublishedPrice]:
    """Assign to ``published`` the ranks of the provider that ranks most assets; ties break by ``order``.

    ``ranks_by_provider`` contains current ranks only (see :func:`collect_ranks`). An asset that the provider
    does not rank, or that has no price, gets no rank. Without current ranks the figures keep their ranks,
    which came from one provider too.
    """
    counts = {
        provider: sum(1 for asset_id, rank in ranks.items() if rank is not None and asset_id in published)
        for provider, ranks in ranks_by_provider.items()
    }
    preference = {provider: position for position, provider in enumerate(order)}
    chosen = min(
        (provider for provider, count in counts.items() if count),
        key=lambda provider: (-counts[provider], preference.get(provider, len(preference)), provider),
        default=None,
    )
    if chosen is None:
        return dict(published)
    ranks = ranks_by_provider[chosen]
    return {asset_id: _with_rank(figure, ranks.get(asset_id)) for asset_id, figure in published.items()}


def _with_rank(figure: PublishedPrice, rank: int | None) -> PublishedPrice:
    valid_rank = None if figure.price is None else rank
    return figure if figure.market_cap_rank == valid_rank else replace(figure, market_cap_rank=valid_rank)
