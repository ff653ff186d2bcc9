"""Chooses the colours of alerts on the Timelines page, for texts and charts."""

from dashboard.frame.formats import Direction
from dashboard.frame.palette import Shades

FALL_COLOUR: Direction = "down"
RISE_COLOUR: Direction = "up"
"""Names of colours in ``dashboard/frame/palette.py``."""


def get_css_class(*, fell: bool) -> str:
    """Return the class of ``frame.css`` that gives a text the colour of an alert."""
    return f"cp-{FALL_COLOUR if fell else RISE_COLOUR}"


def get_chart_colour(shades: Shades, *, fell: bool) -> str:
    """Return the colour of an alert in a chart."""
    return str(getattr(shades, FALL_COLOUR if fell else RISE_COLOUR))
