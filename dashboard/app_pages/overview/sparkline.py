"""Builds the sparkline of a total of the market and the visible text of its span, low and high."""

from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

import streamlit as st

from dashboard.app_pages.overview.sparkline_data import (
    SparklineData,
    TotalsField,
    compute_sparkline,
)
from dashboard.client.market_schemas import TotalsHistory
from dashboard.components.live_view import Node, h
from dashboard.frame import dates, formats
from dashboard.frame.session_currency import get_display_currency
from dashboard.i18n import language, t
from dashboard.i18n.punctuation import add_note, join_sentences

WIDTH, HEIGHT = 120, 32
"""Units of the drawing, which fills its box at any size."""


class Sparkline(NamedTuple):
    """The box of the drawing, and the text that stands below it."""

    box: Node
    caption: Node


def build_sparkline(field: TotalsField, name: str, history: TotalsHistory | None, now: datetime) -> Sparkline:
    """Builds the sparkline of ``field``; without two known values, an empty box and the reason.

    The box always has the same size. ``history`` is ``None`` if it is unknown.
    """
    data = compute_sparkline(history["points"], field, now, WIDTH, HEIGHT) if history else None
    if data is None:
        reason = h("p", _explain_missing_line(history), class_="cp-spark-caption")
        return Sparkline(h("div", class_="cp-spark"), reason)
    format_value = _choose_format(field)
    drawing = h(
        "svg",
        h("path", d=data.path),
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        preserveAspectRatio="none",
        role="img",
        aria_label=_describe_line(field, name, data),
    )
    range_text = t(
        "overview.line_range",
        span=_format_span(data),
        low=format_value(data.low),
        high=format_value(data.high),
    )
    # Screen readers get these figures, and two more, from the drawing's label.
    caption = h("p", range_text, class_="cp-spark-caption", aria_hidden="true")
    return Sparkline(h("div", drawing, class_="cp-spark"), caption)


def _choose_format(field: TotalsField) -> Callable[[Decimal], str]:
    if field == "btc_market_cap_percentage":
        return lambda value: formats.percent(value, signed=False)
    currency = get_display_currency()
    return lambda value: currency.format_compact(value, language())


def _describe_line(field: TotalsField, name: str, data: SparklineData) -> str:
    format_value = _choose_format(field)
    label = t(
        "overview.line_label",
        name=name,
        span=_format_span(data),
        first=format_value(data.first),
        last=format_value(data.last),
        low=format_value(data.low),
        high=format_value(data.high),
    )
    is_converted = get_display_currency().is_converted and field != "btc_market_cap_percentage"
    return join_sentences(label, t("overview.line_rate") if is_converted else None)


def _format_span(data: SparklineData) -> str:
    """Formats ``last 7 days (with gaps, until 23 November 09:05)``; the notes only if they apply."""
    span = t(f"overview.last_{data.span.unit}", n=data.span.number)
    if data.until is None:
        return add_note(span, t("overview.line_gaps")) if data.has_gaps else span
    time = dates.format_recent_date_time(_to_local(data.until), language()).replace(" ", "\u00a0")
    note = t("overview.line_gaps_until" if data.has_gaps else "overview.line_until", time=time)
    return add_note(span, note)


def _to_local(instant: datetime) -> datetime:
    return instant.astimezone(formats.parse_zone(st.context.timezone))


def _explain_missing_line(history: TotalsHistory | None) -> str:
    if history is None:
        return t("overview.line_unavailable")
    since = formats.parse_instant(history["history_since"])
    if since is None:
        return t("overview.line_none")
    return t("overview.line_since", time=dates.format_date_time(_to_local(since), language()))
