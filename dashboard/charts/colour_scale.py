"""Chooses the change from which a tile of a price map has its full colour, by the spread of the changes."""

from collections.abc import Iterable
from decimal import Decimal

from dashboard.client.market_schemas import Span
from dashboard.frame.formats import percent
from dashboard.frame.palette import FULL_COLOUR_PERCENT

LIMITS = tuple(map(Decimal, ("0.3", "0.6", "1.5", "3", "6", "9", "15", "30", "60")))
"""In percent. A third of each is a short number, for the steps of a legend."""
COVERED_SHARE = Decimal("0.75")
"""Share of the changes that stay within the limit, so that a few outliers do not make all others pale."""


def compute_full_colour_change(changes: Iterable[Decimal | None], span: Span) -> Decimal:
    """Returns the smallest limit that covers most changes; the usual one of the span without any change."""
    sizes = sorted(abs(change) for change in changes if change is not None)
    if not sizes:
        return Decimal(FULL_COLOUR_PERCENT[span])
    covered = sizes[int((len(sizes) - 1) * COVERED_SHARE)]
    return next((limit for limit in LIMITS if limit >= covered), LIMITS[-1])


def format_scale_value(value: Decimal, limit: Decimal) -> str:
    """Formats a change of the scale of ``limit``, with as many digits as its steps need."""
    return percent(value, places=0 if limit >= 3 else 1)
