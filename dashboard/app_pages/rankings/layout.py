"""Lays out the live part of the Rankings page: the bar, the table or another view, and the coin panel.

The URL is the only state: the component and the widgets write it, and every run reads it.
"""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from urllib.parse import urlencode

import streamlit as st

from dashboard.app_pages.rankings import chart_views, coin_panel, compare_tray, rank_table
from dashboard.app_pages.rankings.columns import MAX_COMPARED_ASSETS, VIEW_PARAMS
from dashboard.app_pages.rankings.data import RankTable, encode_table, load_data
from dashboard.app_pages.rankings.export import Export, build_csv_file, build_json_file, build_parquet_file
from dashboard.app_pages.rankings.rows import Row, select_rows
from dashboard.app_pages.rankings.table_view import TableView, build_view_params, parse_ids, parse_view
from dashboard.frame import head, refresh, session_currency, states
from dashboard.frame.display_currency import DisplayCurrency
from dashboard.frame.session_currency import get_display_currency
from dashboard.frame.theme import current_theme
from dashboard.frame.url_state import bind_choice, read_choice, read_query, write_param, write_query
from dashboard.i18n import HTML_LANG, language, t

KEY = "rank_table"
DISPLAY_MODES = ("table", "treemap", "compare")
TABLE_MODES = {"table": "table", "treemap": "bar", "compare": "none"}
"""The visible part of the table. It stays on the page in every view, because rebuilding it is slow."""
ROW_HOLD_SECONDS = 30.0
"""Clicks reuse the browser's rows for this long on a page without automatic refresh."""
_RECENT_TABLES_KEY = "_rk_shown"
EXPORTS: dict[str, tuple[str, Callable[[Export], bytes]]] = {
    "csv": ("text/csv", build_csv_file),
    "json": ("application/json", build_json_file),
    "parquet": ("application/vnd.apache.parquet", build_parquet_file),
}


def render_page() -> None:
    """Renders one refresh: the table, and the open coin or the chosen chart."""
    view = parse_view(read_query())
    data = load_data(view.span, language())
    refresh.record_results(*data.results)
    if data.table is None:
        if data.rankings.error is not None:
            states.render_error(data.rankings.error, key="rankings", live=True)
        return
    states.render_stale_banner(*data.results, key="rankings", live=True)
    has_worker_banner = states.render_worker_banner(data.status.data)
    states.render_provider_banner(data.status.data)
    table, currency = _hold_rows(data.table, session_currency.load_display_currency())
    session_currency.set_display_currency(currency)
    session_currency.render_missing_rate()
    has_prices = any(row.price is not None for row in table.rows)
    # Without a worker no figures will come.
    if refresh.track_first_figures(has_prices) and not has_worker_banner:
        states.render_no_data_yet()
    is_comparing = read_choice("view", DISPLAY_MODES, "table") == "compare"
    coin = "" if is_comparing else read_query().get("coin", "")
    row = table.by_id.get(coin)
    calls = coin_panel.start_calls(coin) if row is not None else None
    display_mode = _render_bar(table, view)
    head.set_tab_title(coin_panel.build_title(row) if row is not None else t("rankings.title"))
    with st.container(key="rk_body"):
        main = st.container(key="rk_main", gap="small")
        # With a border, because an empty container without one has no size before the table is drawn.
        panel = st.container(key="rk_panel", border=True) if coin else None
    if panel is not None:
        with panel:
            _render_panel_head(row, coin, table, view)
    with main:
        _render_table(table, view, coin, TABLE_MODES[display_mode])
        if display_mode == "treemap":
            chart_views.render_treemap(select_rows(table.rows, view), table.span, grouped=not view.category)
        elif display_mode == "compare":
            chart_views.render_comparison(table, list_compared_ids(), _write_compare)
        if display_mode != "compare":
            compare_tray.render_tray(table.by_id, list_compared_ids(), view)
    if panel is not None and row is not None and calls is not None:
        with panel:
            coin_panel.render_body(row, table.rows, data.status.data, current_theme(), calls)
    session_currency.render_rate_note()


def _hold_rows(newest: RankTable, currency: DisplayCurrency) -> tuple[RankTable, DisplayCurrency]:
    """Returns the browser's current rows and their rate if the URL has just changed, else the newest.

    A click then does not wait for hundreds of new rows to be sent and drawn. They come with the next
    refresh, whose URL is the same as that of the run before. See "A browser that is one answer behind" in
    ``docs/decisions/0012-streamlit-under-asgi.md``.
    """
    params, now, key = read_query(), time.monotonic(), (newest.span, language(), currency.code)
    before, cached_tables = st.session_state.get(_RECENT_TABLES_KEY, ({}, {}))
    recent = {key: entry for key, entry in cached_tables.items() if now - entry[1] < ROW_HOLD_SECONDS}
    if params == before or key not in recent:
        recent[key] = ((newest, currency), now)
    st.session_state[_RECENT_TABLES_KEY] = (params, recent)
    held: tuple[RankTable, DisplayCurrency] = recent[key][0]
    return held


def _render_table(table: RankTable, view: TableView, coin: str, mode: str) -> None:
    encoded = encode_table(table, language(), get_display_currency())
    rank_table.render_table(
        encoded.payload,
        encoded.version,
        key=KEY,
        view=build_view_params(view),
        coin=coin,
        compare=list_compared_ids(),
        language=HTML_LANG[language()],
        mode=mode,
        on_view=_write_view,
        on_coin=lambda: open_coin(st.session_state[KEY].coin),
        on_compare=lambda: _write_compare(st.session_state[KEY].compare),
    )


def _render_bar(table: RankTable, view: TableView) -> str:
    """Renders the choice of view and the export menu; returns the chosen view."""
    display_mode = bind_choice("view", DISPLAY_MODES, "table")
    with st.container(key="rk_bar", horizontal=True, vertical_alignment="center"):
        st.segmented_control(
            t("rankings.view"),
            DISPLAY_MODES,
            format_func=lambda code: t(f"rankings.view_{code}"),
            default=display_mode.value,
            **display_mode.widget,
            required=True,
            label_visibility="collapsed",
        )
        with st.popover(
            t("rankings.export"), icon=":material/download:", key="rk_export", on_change="rerun"
        ) as popover:
            if popover.open:
                _render_export_menu(table, view, display_mode.value)
    return display_mode.value


def _render_export_menu(table: RankTable, view: TableView, display_mode: str) -> None:
    rows = select_rows(table.rows, view)
    if display_mode == "compare":
        rows = [table.by_id[asset] for asset in list_compared_ids() if asset in table.by_id]
    st.caption(t("rankings.export_why", n=len(rows)))
    if any(row.sample for row in rows):
        st.caption(t("rankings.export_sample"))
    currency = get_display_currency()
    if currency.is_converted:
        st.caption(t("rankings.export_currency", code=currency.code))
    _render_downloads(Export(rows, datetime.now(UTC), _build_view_url(), currency))


def _render_downloads(export: Export) -> None:
    with st.container(key="rk_downloads", horizontal=True):
        for kind, (mime, build_file) in EXPORTS.items():
            st.download_button(
                t(f"rankings.export_{kind}"),
                data=_bind_file_builder(build_file, export),
                file_name=f"rankings{'-sample' if any(row.sample for row in export.rows) else ''}.{kind}",
                mime=mime,
                key=f"rk_export_{kind}",
                on_click="ignore",
            )


def _build_view_url() -> str:
    """Builds the URL that reopens the current view."""
    query = urlencode(read_query())
    page = (st.context.url or "").split("?")[0]
    return f"{page}?{query}" if query else page


def _bind_file_builder(build_file: Callable[[Export], bytes], export: Export) -> Callable[[], bytes]:
    return lambda: build_file(export)


def _render_panel_head(row: Row | None, coin: str, table: RankTable, view: TableView) -> None:
    if row is None:
        coin_panel.render_missing(coin, lambda: open_coin(""))
        return
    chosen = list_compared_ids()
    compared = [asset for asset in chosen if asset in table.by_id and asset != coin]
    is_full = len(compared) >= MAX_COMPARED_ASSETS
    link = compare_tray.build_comparison_link(
        compared if is_full else [*compared, coin], table.by_id, compare_tray.get_comparison_span(view)
    )
    coin_panel.render_head(
        row,
        row.icon,
        comparison=link.words if "," in link.params["compare"] else "",
        compared=coin in chosen,
        is_full=is_full,
        on_open_comparison=lambda: compare_tray.follow(link.params),
        on_close=lambda: open_coin(""),
        on_compare=lambda: _write_compare(
            [asset for asset in chosen if asset != coin] if coin in chosen else [*chosen, coin]
        ),
    )


def list_compared_ids() -> tuple[str, ...]:
    return parse_ids(read_query().get("compare", ""), MAX_COMPARED_ASSETS)


def open_coin(coin: object) -> None:
    write_param("coin", coin if isinstance(coin, str) else "")


def _write_compare(ids: object) -> None:
    chosen_ids = (
        parse_ids(",".join(map(str, ids)), MAX_COMPARED_ASSETS) if isinstance(ids, (list, tuple)) else ()
    )
    write_param("compare", ",".join(chosen_ids))


def _write_view() -> None:
    """Writes the view chosen in the component to the URL, with parameters in the browser's order.

    The browser's address bar already has the same text, so this adds no history entry.
    """
    chosen = st.session_state[KEY].view
    params = {str(key): str(value) for key, value in dict(chosen or {}).items() if key in VIEW_PARAMS}
    other_params = {key: value for key, value in read_query().items() if key not in VIEW_PARAMS}
    write_query({**other_params, **build_view_params(parse_view(params))})
