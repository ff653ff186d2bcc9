"""Market capitalisation ranks for a whole response, all from one provider. Pure.

Ranks of two providers do not mix: each counts another universe, so a mixture has gaps and twins.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from backend.markets.aggregation.freshness import classify, fault_of
from backend.markets.aggregation.policy import Policy
from backend.markets.model import Published, Quote


def ranks_of(quotes: Iterable[Quote], *, now: datetime, policy: Policy) -> dict[str, dict[str, int]]:
    """Ranks by provider and asset, of valid quotes that are not stale."""
    ranks: dict[str, dict[str, int]] = {}
    for quote in quotes:
        if quote.market_cap_rank is None or fault_of(quote, now, policy):
            continue
        if classify(quote.provider, quote.as_of, now, policy) != "stale":
            ranks.setdefault(quote.provider, {})[quote.asset_id] = quote.market_cap_rank
    return ranks


def assign_ranks(
    published: Mapping[str, Published],
    ranks_by_provider: Mapping[str, Mapping[str, int | None]],
    order: Sequence[str],
) -> dict[str, Published]:
    """``published`` with every rank from one provider: the one that ranks most assets, then by ``order``.

    ``ranks_by_provider`` holds current ranks only (see :func:`ranks_of`). An asset that the provider
    does not rank, or that has no price, gets none. Without any current rank the figures keep the
    ranks that they have: those came from one provider too.
    """
    counts = {
        provider: sum(1 for asset_id, rank in ranks.items() if rank is not None and asset_id in published)
        for provider, ranks in ranks_by_provider.items()
    }
    place = {provider: position for position, provider in enumerate(order)}
    chosen = min(
        (provider for provider, count in counts.items() if count),
        key=lambda provider: (-counts[provider], place.get(provider, len(place)), provider),
        default=None,
    )
    if chosen is None:
        return dict(published)
    ranks = ranks_by_provider[chosen]
    return {asset_id: _ranked(figure, ranks.get(asset_id)) for asset_id, figure in published.items()}


def _ranked(figure: Published, rank: int | None) -> Published:
    shown = None if figure.price is None else rank
    return figure if figure.market_cap_rank == shown else replace(figure, market_cap_rank=shown)
