"""Converts the simulator's floats to exact decimals.

Simulated figures originate as floats. Each becomes a decimal here, once, from its printed digits. From then
on it is handled like a provider's figure, without float arithmetic.
"""

import math
from datetime import UTC, datetime
from decimal import Decimal

PRICE_SIGNIFICANT_DIGITS = 7


def to_price(value: float) -> Decimal:
    """Convert a price in USD to seven significant digits."""
    decimal_places = max(0, PRICE_SIGNIFICANT_DIGITS - 1 - math.floor(math.log10(value))) if value > 0 else 0
    return Decimal(f"{value:.{decimal_places}f}")


def to_dollars(value: float) -> Decimal:
    """Convert an amount in USD to whole dollars."""
    return Decimal(f"{value:.0f}")


def to_percent(ratio: float) -> Decimal | None:
    """Convert a ratio to percent with four decimals; 0.01 is 1 %, NaN is unknown (None)."""
    if math.isnan(ratio):
        return None
    percent = Decimal(f"{100 * ratio:.4f}")
    return abs(percent) if percent.is_zero() else percent


def to_instant(seconds: float) -> datetime:
    return datetime.fromtimestamp(round(seconds), tz=UTC)
