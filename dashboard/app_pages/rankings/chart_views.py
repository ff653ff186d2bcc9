"""Renders the views that replace the table: the treemap and the comparison."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

import streamlit as st

from dashboard.app_pages.rankings import comparison_chart, treemap
from dashboard.app_pages.rankings.columns import CANDLE_COUNTS, CANDLE_MS, MAX_COMPARED_ASSETS
from dashboard.app_pages.rankings.comparison import Candles, compare_assets
from dashboard.app_pages.rankings.data import RankTable
from dashboard.app_pages.rankings.rows import Row
from dashboard.charts.candles import DAILY_SPANS
from dashboard.charts.plotly_chart import render_chart
from dashboard.client import Fetched, connection, markets
from dashboard.client.market_schemas import CHART_SPANS, SPANS, CandleSeries, ChartSpan, Span
from dashboard.frame import markup, states
from dashboard.frame.formats import age, parse_instant
from dashboard.frame.freshness import source_name
from dashboard.frame.providers import split_source
from dashboard.frame.theme import current_theme
from dashboard.frame.url_state import bind_choice, read_choice, write_param
from dashboard.frame.widget_state import bind_widget
from dashboard.i18n import language, t
from dashboard.i18n.punctuation import add_note, join_items

DAILY_AXIS_ZONE = ZoneInfo("UTC")
"""A daily candle covers one day of UTC."""
SIZES: tuple[treemap.Size, ...] = ("cap", "volume")


def _render_span_control(key: str, span: ChartSpan, spans: Sequence[ChartSpan]) -> None:
    """Renders the span control, which writes the same parameter of the URL as the table's own."""
    widget = bind_widget(key, span, lambda chosen: write_param("span", chosen, SPANS[0]))
    st.segmented_control(
        t("rankings.span"),
        spans,
        format_func=lambda code: t(f"chart.span_{code}"),
        default=span,
        **widget,
        required=True,
    )


def render_treemap(rows: Sequence[Row], span: Span, *, grouped: bool) -> None:
    """Renders the treemap of the selected rows, with its controls; ``grouped`` by their categories."""
    theme = current_theme()
    with st.container(key="rk_treemap_bar", horizontal=True, vertical_alignment="bottom"):
        size = bind_choice("size", SIZES, "cap")
        st.segmented_control(
            t("rankings.size"),
            SIZES,
            format_func=lambda code: t(f"rankings.size_{code}"),
            default=size.value,
            **size.widget,
            required=True,
        )
        _render_span_control("rk_span", span, SPANS)
        sized_rows = treemap.find_sized_rows(rows, size.value)
        st.html(treemap.build_legend(sized_rows, span, theme.shades, theme.background))
    if not sized_rows:
        states.render_empty(t("rankings.treemap_none"), key="treemap")
        return
    figure = treemap.build_figure(
        sized_rows,
        size.value,
        span,
        theme.shades,
        ink=theme.ink,
        background=theme.background,
        lang=language(),
        grouped=grouped,
    )
    alt = t("rankings.treemap_alt", n=min(len(sized_rows), treemap.MAX_TILES))
    table = treemap.build_table(sized_rows, size.value, span, language())
    render_chart(figure, key="rk_treemap", height=treemap.HEIGHT_PIXELS, alt=alt, table=table)
    if missing := len(rows) - len(sized_rows):
        st.html(markup.note(t("rankings.treemap_left_out", n=missing)))


def render_comparison(table: RankTable, chosen: Sequence[str], on_choose: Callable[[object], None]) -> None:
    """Renders the picker of assets, their rebased prices and their correlations."""
    listed_assets = [asset for asset in chosen if asset in table.by_id]
    span = read_choice("span", CHART_SPANS, SPANS[0])
    with st.container(key="rk_compare_bar", horizontal=True, vertical_alignment="bottom"):
        labels = {row.id: add_note(row.name, row.symbol) for row in table.rows}
        picker = bind_widget("compare_pick", listed_assets, on_choose)
        st.multiselect(
            t("rankings.compare_pick", n=MAX_COMPARED_ASSETS),
            list(labels),
            default=listed_assets,
            format_func=labels.__getitem__,
            **picker,
            max_selections=MAX_COMPARED_ASSETS,
            placeholder=t("rankings.compare_add"),
            select_all=False,
        )
        _render_span_control("rk_compare_span", span, CHART_SPANS)
    if len(listed_assets) < 2:
        first = [row.id for row in table.rows[:3]]
        states.render_empty(
            t("rankings.compare_none"),
            action=t("rankings.compare_top"),
            on_click=lambda: on_choose(first),
            key="compare",
        )
        return
    _render_comparison_chart(table, listed_assets, span)


class _LoadedCandles(NamedTuple):
    candles: Mapping[str, Candles]
    """By asset; empty without a response."""
    sources: Sequence[str | None]
    oldest_update: datetime | None
    """Unknown for the table's candles of 7 days."""


def _load_candles(table: RankTable, assets: Sequence[str], span: ChartSpan) -> _LoadedCandles:
    """Takes the candles from the table, or fetches them if the table has those of another span."""
    if span == table.span:
        rows = [table.by_id[asset] for asset in assets]
        return _LoadedCandles(
            {row.id: row.candles for row in rows},
            [row.source for row in rows],
            _find_oldest_update(rows) if span == "24h" else None,
        )

    def start_call(asset: str) -> Future[Fetched[CandleSeries]]:
        return connection.start_call(lambda: markets.fetch_candles(asset, span))

    calls = {asset: start_call(asset) for asset in assets}
    results = {asset: call.result() for asset, call in calls.items()}
    states.render_stale_banner(*results.values(), key="compare", live=True)
    loaded = {asset: result.data for asset, result in results.items() if result.data}
    update_times = [parse_instant(series["last_updated"]) for series in loaded.values()]
    return _LoadedCandles(
        {asset: loaded[asset]["candles"] if asset in loaded else () for asset in assets},
        [series["source"] for series in loaded.values()],
        min((time for time in update_times if time), default=None),
    )


def _find_oldest_update(rows: Sequence[Row]) -> datetime | None:
    """Finds the oldest price of rows with candles. Candles of a day end with it; those of 7 days do not."""
    return min((row.last_updated for row in rows if row.candles and row.last_updated), default=None)


def _render_comparison_chart(table: RankTable, assets: Sequence[str], span: ChartSpan) -> None:
    theme = current_theme()
    loaded = _load_candles(table, assets, span)
    comparison = compare_assets(loaded.candles, CANDLE_MS[span])
    if comparison.without_candles:
        names = join_items(table.by_id[asset].name for asset in comparison.without_candles)
        st.html(markup.note(t("rankings.compare_without", names=names)))
    if not comparison.index:
        return
    start = comparison.times[0]
    if datetime.now(UTC) - start < timedelta(milliseconds=0.9 * CANDLE_MS[span] * CANDLE_COUNTS[span]):
        st.html(markup.note(t("rankings.compare_short", start=f"{start:%Y-%m-%d %H:%M} UTC")))
    figure = comparison_chart.build_figure(
        comparison,
        table.by_id,
        DAILY_AXIS_ZONE if span in DAILY_SPANS else theme.zone,
        dark=theme.dark,
        ink=theme.ink,
        background=theme.background,
        sample=any(table.by_id[asset].sample for asset in assets),
    )
    alt = t(
        "rankings.compare_alt",
        names=join_items(table.by_id[asset].name for asset in comparison.index),
        start=f"{start:%Y-%m-%d %H:%M} UTC",
    )
    render_chart(figure, key="rk_compare_lines", height=comparison_chart.HEIGHT_PIXELS, alt=alt)
    left, right = st.columns([3, 2])
    figures = comparison_chart.build_figure_table(comparison, table.by_id, span)
    left.html(figures + markup.note(t("rankings.compare_figures_why", source=_describe_source(loaded))))
    matrix = comparison_chart.build_correlation_table(
        comparison, table.by_id, ink=theme.ink, background=theme.background, tone=theme.accent
    )
    note = t("rankings.correlation_why", span=t(f"chart.span_{span}"))
    right.html(matrix + markup.note(note))


def _describe_source(loaded: _LoadedCandles) -> str:
    """Names the providers of all candles and the age of the oldest ones."""
    sources = [source for source in loaded.sources if source]
    providers = {name for source in sources for name in split_source(source)}
    stale_mark = ":stale" if any(source.endswith(":stale") for source in sources) else ""
    name = source_name("+".join(sorted(providers)) + stale_mark)
    if loaded.oldest_update is None:
        return name
    return f"{name} · {age((datetime.now(UTC) - loaded.oldest_update).total_seconds(), language())}"
