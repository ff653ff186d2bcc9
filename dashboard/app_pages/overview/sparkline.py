"""Builds the sparkline beside a total of the market: its values of the last seven days."""

from collections.abc import Callable
from datetime import datetime
from decimal import Decimal

import streamlit as st

from dashboard.app_pages.overview.totals_line import TotalsFigure, TotalsLine, build_line
from dashboard.client.market_schemas import TotalsHistory
from dashboard.components.live_view import Node, h
from dashboard.frame import formats
from dashboard.frame.display_currency import current_display_currency
from dashboard.frame.freshness import source_name
from dashboard.i18n import language, t
from dashboard.i18n.punctuation import join_sentences

WIDTH, HEIGHT = 120, 32
"""Units of the drawing, which fills its place at any size."""


def build_sparkline(figure: TotalsFigure, name: str, history: TotalsHistory | None, now: datetime) -> Node:
    """Builds the place of the line of ``figure``, with the line if two values are known.

    The place always has the same size. Its title says the span, the source and how far the history reaches,
    or why there is no line. ``history`` is ``None`` if it is unknown.
    """
    line = build_line(history["points"], figure, now, WIDTH, HEIGHT) if history else None
    if history is None or line is None:
        return h("div", class_="cp-spark", role="img", title=_explain_missing_line(history, now))
    drawing = h(
        "svg",
        h("path", d=line.path),
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        preserveAspectRatio="none",
        role="img",
        aria_label=_describe_line(figure, name, line),
    )
    caption = h("span", t("overview.span_7d"), class_="cp-spark-span", aria_hidden="true")
    title = t("overview.line_title", source=source_name(history["source"]), time=_format_since(history, now))
    return h("div", drawing, caption, class_="cp-spark", title=title)


def _describe_line(figure: TotalsFigure, name: str, line: TotalsLine) -> str:
    currency = current_display_currency()
    is_share = figure == "btc_market_cap_percentage"
    write: Callable[[Decimal], str] = (
        (lambda value: formats.percent(value, signed=False))
        if is_share
        else (lambda value: currency.format_compact(value, language()))
    )
    label = t(
        "overview.line_label",
        name=name,
        first=write(line.first),
        last=write(line.last),
        low=write(line.low),
        high=write(line.high),
    )
    return join_sentences(label, t("overview.line_rate") if currency.is_converted and not is_share else None)


def _explain_missing_line(history: TotalsHistory | None, now: datetime) -> str:
    if history is None:
        return t("overview.line_unavailable")
    if history["history_since"] is None:
        return t("overview.line_none")
    return t("overview.line_since", time=_format_since(history, now))


def _format_since(history: TotalsHistory, now: datetime) -> str:
    since = formats.parse_instant(history["history_since"])
    return formats.UNKNOWN if since is None else formats.local_time(since, st.context.timezone, now).text
