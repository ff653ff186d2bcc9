"""What can stand instead of the table: the treemap and the comparison."""

from collections.abc import Callable, Sequence

import streamlit as st

from dashboard.app_pages.rankings import comparison_chart as compare_view
from dashboard.app_pages.rankings import treemap as treemap_view
from dashboard.app_pages.rankings.columns import SPANS
from dashboard.app_pages.rankings.comparison import MAX_ASSETS
from dashboard.app_pages.rankings.comparison import compare as compare_series
from dashboard.app_pages.rankings.data import Table
from dashboard.app_pages.rankings.rows import Row
from dashboard.charts.plotly_chart import render_chart
from dashboard.client.market_schemas import Span
from dashboard.frame import states
from dashboard.frame.theme import current_theme
from dashboard.frame.url_state import sync
from dashboard.i18n import language, t

SIZES: tuple[treemap_view.Size, ...] = ("cap", "volume")


def _span_control(span: Span) -> None:
    """The span of the whole page, as the table's own switch has it; the address holds it."""
    st.session_state["rk_span"] = span
    st.segmented_control(
        t("rankings.span"),
        SPANS,
        format_func=lambda code: t(f"chart.span_{code}"),
        key="rk_span",
        required=True,
        on_change=_span_chosen,
    )


def _span_chosen() -> None:
    if st.session_state["rk_span"] == "7d":
        st.query_params["span"] = "7d"
    elif "span" in st.query_params:
        del st.query_params["span"]


def treemap(rows: Sequence[Row], span: Span) -> None:
    """The rows on the screen by size and change."""
    seen = current_theme()
    with st.container(key="rk_treemap_bar", horizontal=True, vertical_alignment="bottom"):
        size, on_size = sync("size", SIZES, "cap")
        st.segmented_control(
            t("rankings.size"),
            SIZES,
            format_func=lambda code: t(f"rankings.size_{code}"),
            key="size",
            required=True,
            on_change=on_size,
        )
        _span_control(span)
        st.html(treemap_view.legend(span, seen.shades, seen.background))
    drawn = treemap_view.drawn(rows, size)
    if not drawn:
        states.empty(t("rankings.treemap_none"), key="treemap")
        return
    figure = treemap_view.figure(
        drawn, size, span, seen.shades, ink=seen.ink, background=seen.background, lang=language()
    )
    words = t("rankings.treemap_alt", n=min(len(drawn), treemap_view.MOST))
    figures = treemap_view.table(drawn, size, span, language())
    render_chart(figure, key="rk_treemap", height=treemap_view.HEIGHT, alt=words, table=figures)
    if left := len(rows) - len(drawn):
        st.html(f'<p class="cp-small-note">{t("rankings.treemap_left_out", n=left)}</p>')


def compare(table: Table, chosen: Sequence[str], write: Callable[[object], None]) -> None:
    """The chosen assets over each other, and how they move together."""
    known = [asset for asset in chosen if asset in table.by_id]
    with st.container(key="rk_compare_bar", horizontal=True, vertical_alignment="bottom"):
        labels = {row.id: f"{row.name} ({row.symbol})" for row in table.rows}
        st.session_state["compare_pick"] = known  # the address holds the choice
        st.multiselect(
            t("rankings.compare_pick", n=MAX_ASSETS),
            list(labels),
            format_func=labels.__getitem__,
            key="compare_pick",
            max_selections=MAX_ASSETS,
            placeholder=t("rankings.compare_add"),
            select_all=False,
            on_change=lambda: write(st.session_state["compare_pick"]),
        )
        _span_control(table.span)
    if len(known) < 2:
        first = [row.id for row in table.rows[:3]]
        states.empty(
            t("rankings.compare_none"),
            action=t("rankings.compare_top"),
            on_click=lambda: write(first),
            key="compare",
        )
        return
    _comparison(table, known)


def _comparison(table: Table, known: Sequence[str]) -> None:
    seen = current_theme()
    comparison = compare_series({asset: table.by_id[asset].candles for asset in known})
    if comparison.without:
        names = ", ".join(table.by_id[asset].name for asset in comparison.without)
        st.html(f'<p class="cp-small-note">{t("rankings.compare_without", names=names)}</p>')
    if not comparison.index:
        return
    figure = compare_view.figure(
        comparison,
        table.by_id,
        seen.zone,
        dark=seen.dark,
        ink=seen.ink,
        background=seen.background,
        sample=any(table.by_id[asset].sample for asset in known),
    )
    words = t(
        "rankings.compare_alt",
        names=", ".join(table.by_id[asset].name for asset in comparison.index),
        start=f"{comparison.times[0]:%Y-%m-%d %H:%M} UTC",
    )
    render_chart(figure, key="rk_compare_lines", height=compare_view.HEIGHT, alt=words)
    left, right = st.columns(2)
    left.html(compare_view.end_table(comparison, table.by_id))
    matrix = compare_view.correlation_table(
        comparison, table.by_id, ink=seen.ink, background=seen.background, tone=seen.accent
    )
    why = t("rankings.correlation_why", span=t(f"chart.span_{table.span}"))
    right.html(f'{matrix}<p class="cp-small-note">{why}</p>')
