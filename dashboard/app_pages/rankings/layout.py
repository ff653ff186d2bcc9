"""The Rankings page's live part: the bar, the table, and what stands beside or instead of it.

The address is the only state: the component and the widgets write it, and every run reads it.
"""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from urllib.parse import urlencode

import streamlit as st

from dashboard.app_pages.rankings import chart_views, coin_panel, rank_table
from dashboard.app_pages.rankings import data as rank_data
from dashboard.app_pages.rankings import export as exports
from dashboard.app_pages.rankings.comparison import MAX_ASSETS
from dashboard.app_pages.rankings.data import Table
from dashboard.app_pages.rankings.rows import Row, select
from dashboard.app_pages.rankings.url_state import View, parse_ids, parse_view, view_params
from dashboard.frame import refresh, states
from dashboard.frame.theme import current_theme
from dashboard.frame.url_state import sync
from dashboard.i18n import HTML_LANG, language, t

KEY = "rank_table"
VIEWS = ("table", "treemap", "compare")
MODES = {"table": "table", "treemap": "bar", "compare": "none"}
"""What of the table is on the screen. It stays on the page in every view: to make it anew takes longest."""
HOLD_SECONDS = 30.0
"""How long clicks may go on with the rows that the browser has, where the page does not refresh by itself."""
_SHOWN = "_rk_shown"
VIEW_KEYS = ("q", "sort", "facet", "cat", "min", "cols", "span", "watch")
EXPORTS: dict[str, tuple[str, Callable[[exports.Export], bytes]]] = {
    "csv": ("text/csv", exports.to_csv),
    "json": ("application/json", exports.to_json),
    "parquet": ("application/vnd.apache.parquet", exports.to_parquet),
}


def board() -> None:
    """One refresh: the shared data, the table, and the open coin or the chosen drawing."""
    view = parse_view(st.query_params.to_dict())
    gathered = rank_data.gather(view.span)
    refresh.record_results(*gathered.answers)
    if gathered.table is None:
        if gathered.rankings.error is not None:
            states.error(gathered.rankings.error, key="rankings", live=True)
        return
    states.stale_banner(*gathered.answers, key="rankings")
    worker_told = states.worker_banner(gathered.status.data)
    states.provider_banner(gathered.status.data)
    table = _held(gathered.table)
    has_prices = any(row.price is not None for row in table.rows)
    if refresh.update_awaiting(has_prices) and not worker_told:  # without a worker no figure is on its way
        states.awaiting()
    coin = st.query_params.get("coin", "")
    row = table.by_id.get(coin)
    asked = coin_panel.ask(coin) if row is not None else None
    shown = _bar(table, view)
    if shown == "compare":
        coin = ""
    with st.container(key="rk_body"):
        main = st.container(key="rk_main", gap="small")
        # Bordered, since only then an empty container takes its place before the table is drawn.
        panel = st.container(key="rk_panel", border=True) if coin else None
    if panel is not None:
        with panel:
            _panel_head(row, coin)
    with main:
        _mount(table, view, coin, MODES[shown])
        if shown == "treemap":
            chart_views.treemap(select(table.rows, view), table.span)
        elif shown == "compare":
            chart_views.compare(table, compared(), _write_compare)
    if panel is not None and row is not None and asked is not None:
        with panel:
            coin_panel.body(row, current_theme(), asked)


def _held(newest: Table) -> Table:
    """The rows that the browser has, where the reader has just asked for something else.

    The answer then does not wait for hundreds of new rows to be sent and drawn: those come with the
    page's next refresh, which asks for the same as the run before it.
    """
    asked, now = st.query_params.to_dict(), time.monotonic()
    before, shown = st.session_state.get(_SHOWN, ({}, {}))
    recent = {span: kept for span, kept in shown.items() if now - kept[1] < HOLD_SECONDS}
    if asked == before or newest.span not in recent:
        recent[newest.span] = (newest, now)
    st.session_state[_SHOWN] = (asked, recent)
    table: Table = recent[newest.span][0]
    return table


def _mount(table: Table, view: View, coin: str, mode: str) -> None:
    version, data = rank_data.encoded(table, language())
    rank_table.mount(
        data,
        version,
        key=KEY,
        view=view_params(view),
        coin=coin,
        compare=compared(),
        language=HTML_LANG[language()],
        mode=mode,
        on_view=_view_chosen,
        on_coin=lambda: open_coin(st.session_state[KEY].coin),
        on_compare=lambda: _write_compare(st.session_state[KEY].compare),
    )


def _bar(table: Table, view: View) -> str:
    """Which view is on the screen, and the export of what it shows."""
    shown, on_change = sync("view", VIEWS, "table")
    with st.container(key="rk_bar", horizontal=True, vertical_alignment="center"):
        st.segmented_control(
            t("rankings.view"),
            VIEWS,
            format_func=lambda code: t(f"rankings.view_{code}"),
            key="view",
            required=True,
            label_visibility="collapsed",
            on_change=on_change,
        )
        with st.popover(
            t("rankings.export"), icon=":material/download:", key="rk_export", on_change="rerun"
        ) as sheet:
            if sheet.open:
                _exports(table, view, shown)
    return shown


def _exports(table: Table, view: View, shown: str) -> None:
    rows = select(table.rows, view)
    if shown == "compare":
        rows = [table.by_id[asset] for asset in compared() if asset in table.by_id]
    st.caption(t("rankings.export_why", n=len(rows)))
    if any(row.sample for row in rows):
        st.caption(t("rankings.export_sample"))
    _downloads(exports.Export(rows, datetime.now(UTC), _link()))


def _downloads(export: exports.Export) -> None:
    with st.container(key="rk_downloads", horizontal=True):
        for kind, (mime, write) in EXPORTS.items():
            st.download_button(
                t(f"rankings.export_{kind}"),
                data=_file(write, export),
                file_name=f"rankings{'-sample' if any(row.sample for row in export.rows) else ''}.{kind}",
                mime=mime,
                key=f"rk_export_{kind}",
                on_click="ignore",
            )


def _link() -> str:
    """The address that opens this page as it is."""
    query = urlencode(st.query_params.to_dict())
    page = (st.context.url or "").split("?")[0]
    return f"{page}?{query}" if query else page


def _file(write: Callable[[exports.Export], bytes], export: exports.Export) -> Callable[[], bytes]:
    return lambda: write(export)


def _panel_head(row: Row | None, coin: str) -> None:
    if row is None:
        coin_panel.missing(coin, lambda: open_coin(""))
        return
    chosen = compared()
    coin_panel.head(
        row,
        row.icon,
        compared=coin in chosen,
        on_close=lambda: open_coin(""),
        on_compare=lambda: _write_compare(
            [asset for asset in chosen if asset != coin] if coin in chosen else [*chosen, coin]
        ),
    )


def compared() -> tuple[str, ...]:
    return parse_ids(st.query_params.get("compare", ""), MAX_ASSETS)


def open_coin(coin: object) -> None:
    if isinstance(coin, str) and coin:
        st.query_params["coin"] = coin
    elif "coin" in st.query_params:
        del st.query_params["coin"]


def _write_compare(ids: object) -> None:
    kept = parse_ids(",".join(map(str, ids)), MAX_ASSETS) if isinstance(ids, (list, tuple)) else ()
    if kept:
        st.query_params["compare"] = ",".join(kept)
    elif "compare" in st.query_params:
        del st.query_params["compare"]


def _view_chosen() -> None:
    """Bring the address to what the reader chose in the component, in the browser's own order.

    The browser has already put the same text into its address bar, so this adds no history entry.
    """
    chosen = st.session_state[KEY].view
    params = {str(key): str(value) for key, value in dict(chosen or {}).items() if key in VIEW_KEYS}
    others = {key: value for key, value in st.query_params.to_dict().items() if key not in VIEW_KEYS}
    st.query_params.from_dict({**others, **view_params(parse_view(params))})
