"""Computes medians of three or more quotes and excludes outliers with hysteresis. No I/O.

A provider outside the band is excluded, and included again within half of the band. This follows the practice
of regulated reference rates.
"""

from collections.abc import Iterable, Sequence
from decimal import Decimal

from backend.markets.model import Quote
from backend.markets.numbers import EXACT_CONTEXT, is_sane, mean


def median(prices: Sequence[Decimal]) -> Decimal:
    """The middle price, or the mean of the middle two. Raises :class:`ValueError` without prices."""
    if not prices:
        raise ValueError("A median needs at least one price.")
    ordered, half = sorted(prices), len(prices) // 2
    return ordered[half] if len(ordered) % 2 else mean(ordered[half - 1], ordered[half])


def weighted_median(prices: Sequence[Decimal], weights: Sequence[Decimal]) -> Decimal:
    """The price at which half of the weight is reached; at exactly half, the mean with the next price.

    ``weights`` are above zero. The largest weight is capped at the second largest, so that with three or more
    no single weight decides: a provider cannot control the price by reporting a large volume.
    """
    cap = sorted(weights)[-2] if len(weights) > 1 else weights[0]
    pairs = sorted((price, min(weight, cap)) for price, weight in zip(prices, weights, strict=True))
    total = _sum(weight for _, weight in pairs)
    reached = Decimal(0)
    for position, (price, weight) in enumerate(pairs):
        reached = EXACT_CONTEXT.add(reached, weight)
        doubled = EXACT_CONTEXT.add(reached, reached)
        if doubled == total:
            return mean(price, pairs[position + 1][0])
        if doubled > total:
            return price
    raise ValueError("The weights of a median must be above zero.")


def combine_prices(quotes: Sequence[Quote]) -> Decimal:
    """The median of ``quotes``, weighted by volume if there are three or more with known volumes."""
    prices = [quote.price for quote in quotes]
    volumes = [volume for quote in quotes if (volume := quote.volume_24h) and is_sane(volume) and volume > 0]
    if len(quotes) >= 3 and len(volumes) == len(quotes):
        return weighted_median(prices, volumes)
    return median(prices)


def compute_deviations_pct(quotes: Sequence[Quote]) -> dict[str, Decimal]:
    """Each provider's distance from the plain median of all ``quotes``, in percent."""
    middle = median([quote.price for quote in quotes])
    return {
        quote.provider: EXACT_CONTEXT.divide(
            EXACT_CONTEXT.multiply(abs(EXACT_CONTEXT.subtract(quote.price, middle)), Decimal(100)), middle
        )
        for quote in quotes
    }


def find_outliers(distance: dict[str, Decimal], band_pct: Decimal, before: frozenset[str]) -> frozenset[str]:
    """Find providers to exclude: outside the band, or excluded ``before`` and not yet within half of it.

    No excluded provider is nearer to the median than an included one.
    """
    candidates = {
        provider
        for provider, pct in distance.items()
        if pct > band_pct or (provider in before and pct * 2 >= band_pct)
    }
    farthest_in = max(
        (pct for provider, pct in distance.items() if provider not in candidates), default=Decimal(-1)
    )
    return frozenset(provider for provider in candidates if distance[provider] > farthest_in)


def _sum(values: Iterable[Decimal]) -> Decimal:
    total = Decimal(0)
    for value in values:
        total = EXACT_CONTEXT.add(total, value)
    return total
