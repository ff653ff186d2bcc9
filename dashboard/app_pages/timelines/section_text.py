"""Formats headings, notes and figures that the lower sections share."""

from collections.abc import Sequence
from datetime import datetime

import streamlit as st

from backend.timelines.analysis.verdicts import MINUS, points
from backend.timelines.statistics.distributions import Interval
from dashboard.app_pages.timelines.markup import percent
from dashboard.app_pages.timelines.selection import is_sample
from dashboard.charts import plotting
from dashboard.charts.plotly_chart import Figure
from dashboard.frame import formats, theme
from dashboard.frame.markup import tag, text
from dashboard.i18n import HTML_LANG, language, t

ARROWS = {"up": "▲", "down": "▼", "level": "·", "none": "–", "itself": ""}


def heading(title: str, *, id_: str | None = None, level: int = 2) -> None:
    st.html(
        tag(
            f"h{level}",
            text(title),
            class_="tl-head tlp-head" if level == 2 else "tlp-subhead",
            id=id_,
            tabindex=None if id_ is None else "-1",
            lang=HTML_LANG[language()],
        )
    )


def note(*sentences: str) -> None:
    st.html("".join(tag("p", text(sentence), class_="cp-note") for sentence in sentences if sentence))


def signed(difference: float) -> str:
    """Format points with their sign: ``+4.1``, ``−0.9``, ``0``."""
    written = points(difference)
    return written if written.startswith(MINUS) or written == "0" else f"+{written}"


def with_interval(difference: float, interval: Interval | None) -> str:
    """``+4.1 points (95 % +0.9 to +7.3)``."""
    said = t("timelines.cmp_points", n=signed(difference))
    if interval is None:
        return said
    return t("timelines.cmp_interval", said=said, low=signed(interval.low), high=signed(interval.high))


def level(mean: float, interval: Interval | None = None) -> str:
    """Format a mean score and its interval: ``61.2 %``, ``61.2 % (55.0–67.1)``."""
    if interval is None:
        return percent(mean)
    return f"{percent(mean)} ({bare(interval.low)}–{bare(interval.high)})"


def bare(score: float) -> str:
    """Format a score as points of 100."""
    return f"{MINUS if score < 0 else ''}{abs(score) * 100:,.1f}"


def marked(figure: Figure, profiles: Sequence[str]) -> Figure:
    """Add the sample watermark to ``figure`` if all ``profiles`` are sample profiles."""
    if is_sample(profiles):
        layout = figure["layout"]
        layout["annotations"] = [
            *layout.get("annotations", ()),
            plotting.watermark(theme.current_theme().ink, 44),
        ]
    return figure


def joined(names: Sequence[str]) -> str:
    return (", " if language() == "en" else "、").join(names)


def moment(at: datetime) -> formats.LocalTime:
    """Format an instant in the reader's time zone and in UTC."""
    return formats.local_time(at, st.context.timezone)
