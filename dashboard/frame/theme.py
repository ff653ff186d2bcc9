"""Provides the colours of the page for charts, in the reader's dark or light mode."""

from dataclasses import dataclass
from zoneinfo import ZoneInfo

import streamlit as st

from dashboard.frame import preferences
from dashboard.frame.formats import parse_zone
from dashboard.frame.palette import DARK_BACKGROUNDS, LIGHT_BACKGROUNDS, Shades, shades


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours of text (``ink``), background and rise and fall, and the reader's time zone."""

    dark: bool
    ink: str
    background: str
    accent: str
    shades: Shades
    zone: ZoneInfo


def current_theme() -> Theme:
    """Returns the theme of the reader's mode and colour scheme."""
    dark = st.context.theme.type == "dark"
    mode = "dark" if dark else "light"
    return Theme(
        dark=dark,
        ink=st.get_option(f"theme.{mode}.textColor") or ("#e6ebf4" if dark else "#131a26"),
        background=(DARK_BACKGROUNDS if dark else LIGHT_BACKGROUNDS)[0],
        accent=st.get_option(f"theme.{mode}.primaryColor") or ("#7aa7ff" if dark else "#0b57d0"),
        shades=shades(preferences.current().rise_colours, dark=dark),
        zone=parse_zone(st.context.timezone),
    )
