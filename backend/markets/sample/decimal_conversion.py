"""Where the simulator's floats end and exact decimals begin.

Simulated figures have no provider's literal behind them: they originate as floats. Each becomes a
decimal here, once, by way of its printed digits; from here on they are handled as any provider's
figures are, and no float arithmetic touches them again.
"""

import math
from datetime import UTC, datetime
from decimal import Decimal

PRICE_DIGITS = 7


def price_of(value: float) -> Decimal:
    """A price in USD at seven significant digits, in plain notation."""
    places = max(0, PRICE_DIGITS - 1 - math.floor(math.log10(value))) if value > 0 else 0
    return Decimal(f"{value:.{places}f}")


def dollars_of(value: float) -> Decimal:
    """A sum in USD, to the dollar."""
    return Decimal(f"{value:.0f}")


def percent_of(ratio: float) -> Decimal | None:
    """A change in percent with four decimals; ``ratio`` 0.01 is 1 %, NaN is unknown."""
    if math.isnan(ratio):
        return None
    percent = Decimal(f"{100 * ratio:.4f}")
    return abs(percent) if percent.is_zero() else percent


def instant_of(seconds: float) -> datetime:
    return datetime.fromtimestamp(round(seconds), tz=UTC)
