"""Medians of three or more quotes, with a band that outliers leave and re-enter at different widths. Pure.

The exclusion band with readmission at half its width follows the practice of regulated reference
rates, where a venue is left out when it strays and let back in only when it is clearly home again.
"""

from collections.abc import Iterable, Sequence
from decimal import Decimal

from backend.markets.model import Quote
from backend.markets.numbers import WIDE, is_sane, mean


def median(prices: Sequence[Decimal]) -> Decimal:
    """The middle price, or the mean of the middle two. Raises :class:`ValueError` without any."""
    if not prices:
        raise ValueError("There is no median of no prices.")
    ordered, half = sorted(prices), len(prices) // 2
    return ordered[half] if len(ordered) % 2 else mean(ordered[half - 1], ordered[half])


def weighted_median(prices: Sequence[Decimal], weights: Sequence[Decimal]) -> Decimal:
    """The price at which half of the weight is reached; on an exact half, the mean with the next one.

    ``weights`` are above zero. The heaviest counts for no more than the second heaviest, so that
    among three or more no single weight decides: a reported volume cannot buy the price.
    """
    cap = sorted(weights)[-2] if len(weights) > 1 else weights[0]
    pairs = sorted((price, min(weight, cap)) for price, weight in zip(prices, weights, strict=True))
    total = _sum(weight for _, weight in pairs)
    reached = Decimal(0)
    for position, (price, weight) in enumerate(pairs):
        reached = WIDE.add(reached, weight)
        doubled = WIDE.add(reached, reached)
        if doubled == total:
            return mean(price, pairs[position + 1][0])
        if doubled > total:
            return price
    raise ValueError("The weights of a median must be above zero.")


def combined(quotes: Sequence[Quote]) -> Decimal:
    """The median of ``quotes``, weighted by volume when there are three or more and all volumes are known."""
    prices = [quote.price for quote in quotes]
    volumes = [volume for quote in quotes if (volume := quote.volume_24h) and is_sane(volume) and volume > 0]
    if len(quotes) >= 3 and len(volumes) == len(quotes):
        return weighted_median(prices, volumes)
    return median(prices)


def deviations(quotes: Sequence[Quote]) -> dict[str, Decimal]:
    """Each provider's distance from the plain median of all ``quotes``, in percent."""
    middle = median([quote.price for quote in quotes])
    return {
        quote.provider: WIDE.divide(
            WIDE.multiply(abs(WIDE.subtract(quote.price, middle)), Decimal(100)), middle
        )
        for quote in quotes
    }


def outliers(distance: dict[str, Decimal], band_pct: Decimal, before: frozenset[str]) -> frozenset[str]:
    """Who is left out: farther than the band, or left out ``before`` and not yet within half of it.

    No one stays out who is nearer the median than somebody who is in.
    """
    out = {
        provider
        for provider, pct in distance.items()
        if pct > band_pct or (provider in before and pct * 2 >= band_pct)
    }
    farthest_in = max((pct for provider, pct in distance.items() if provider not in out), default=Decimal(-1))
    return frozenset(provider for provider in out if distance[provider] > farthest_in)


def _sum(values: Iterable[Decimal]) -> Decimal:
    total = Decimal(0)
    for value in values:
        total = WIDE.add(total, value)
    return total
