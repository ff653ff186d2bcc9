"""Formats headings, notes and figures that the sections of the Timelines page share."""

import math
from collections.abc import Sequence
from datetime import datetime

import streamlit as st

from backend.timelines.analysis.verdicts import MINUS, points
from backend.timelines.statistics.distributions import Interval
from dashboard.app_pages.timelines.selection import is_sample
from dashboard.charts import plotting
from dashboard.charts.plotly_chart import Figure
from dashboard.components.live_view import Node, h
from dashboard.frame import formats, theme
from dashboard.frame.formats import UNKNOWN
from dashboard.frame.markup import tag, text
from dashboard.i18n import HTML_LANG, language, t

NAME_END_CHARS = 10
"""Characters at the end of a name that stay visible."""
ARROWS = {"up": "▲", "down": "▼", "level": "·", "none": "–", "itself": ""}


def render_section_heading(title: str, note: str = "") -> None:
    """Render a section's ``h2`` and a sentence on how its figures are computed."""
    html = tag("p", text(note), class_="cp-note") if note else ""
    st.html(tag("div", tag("h2", text(title), class_="tl-head"), html))


def format_percent(score: float) -> str:
    """Format a score as a percentage of the maximum: ``85.0%``; a dash if it is unknown."""
    return UNKNOWN if math.isnan(score) else f"{score * 100:.1f}%"


def render_heading(title: str, *, id_: str | None = None) -> None:
    st.html(
        tag(
            "h2",
            text(title),
            class_="tlp-subhead",
            id=id_,
            tabindex=None if id_ is None else "-1",
            lang=HTML_LANG[language()],
        )
    )


def build_name(name: str, class_: str) -> Node:
    """Build a name that is cut in the middle where it is too long, since both ends distinguish names."""
    start = max(0, len(name) - NAME_END_CHARS)
    return h("span", h("span", name[:start]), h("span", name[start:]), class_=f"tlp-name {class_}")


def render_note(*sentences: str) -> None:
    st.html("".join(tag("p", text(sentence), class_="cp-note") for sentence in sentences if sentence))


def format_signed_points(difference: float) -> str:
    """Format points with their sign: ``+4.1``, ``−0.9``, ``0``."""
    formatted = points(difference)
    return formatted if formatted.startswith(MINUS) or formatted == "0" else f"+{formatted}"


def format_difference(difference: float, interval: Interval | None) -> str:
    """Format a difference and its interval: ``+4.1 points (95% +0.9 to +7.3)``."""
    points_text = t("timelines.cmp_points", n=format_signed_points(difference))
    if interval is None:
        return points_text
    return t(
        "timelines.cmp_interval",
        said=points_text,
        low=format_signed_points(interval.low),
        high=format_signed_points(interval.high),
    )


def format_mean(mean: float, interval: Interval | None = None) -> str:
    """Format a mean score and its interval: ``61.2%``, ``61.2% (55.0–67.1)``."""
    if interval is None:
        return format_percent(mean)
    return f"{format_percent(mean)} ({format_points(interval.low)}–{format_points(interval.high)})"


def format_points(score: float) -> str:
    """Format a score as points of 100."""
    return f"{MINUS if score < 0 else ''}{abs(score) * 100:,.1f}"


def add_watermark(figure: Figure, profiles: Sequence[str]) -> Figure:
    """Add the sample watermark to ``figure`` if all ``profiles`` are sample profiles."""
    if is_sample(profiles):
        layout = figure["layout"]
        layout["annotations"] = [
            *layout.get("annotations", ()),
            plotting.build_watermark(theme.current_theme().ink, 44),
        ]
    return figure


def format_local_time(at: datetime) -> formats.LocalTime:
    """Format an instant in the reader's time zone and in UTC."""
    return formats.local_time(at, st.context.timezone)
