"""Renders the tray below the table: the assets chosen for comparison, and the way to the comparison.

Every item is a link with the whole state, so it works with the keyboard and in another tab.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode

import streamlit as st

from dashboard.app_pages.rankings.columns import MAX_COMPARED_ASSETS
from dashboard.app_pages.rankings.rows import Row
from dashboard.app_pages.rankings.table_view import TableView
from dashboard.client.market_schemas import SPANS, Span
from dashboard.components.live_view import Node, h, live_view
from dashboard.frame.url_state import read_query, write_query
from dashboard.i18n import t

KEY = "rk_tray_view"
SUGGESTED_ASSETS = ("bitcoin", "ethereum")
"""Offered for the comparison; the first other one is the partner of a single asset."""


class ComparisonLink(NamedTuple):
    """The words of a link to the comparison, and the parameters that open it."""

    words: str
    params: Mapping[str, str]


def get_comparison_span(view: TableView) -> Span:
    """Returns the span of the order, if the table is sorted by a change, else that of the table."""
    return next((span for span in SPANS if span == view.sort[0][0]), view.span)


def list_suggestions(chosen: Sequence[str], by_id: Mapping[str, Row]) -> list[str]:
    """Lists the proposed assets that exist and can be added."""
    if len(chosen) >= MAX_COMPARED_ASSETS:
        return []
    return [asset for asset in SUGGESTED_ASSETS if asset not in chosen and asset in by_id]


def build_comparison_params(chosen: Sequence[str], suggestions: Sequence[str], span: Span) -> dict[str, str]:
    """Builds the parameters that open the comparison; a single asset is compared with the first proposal."""
    assets = [*chosen, *suggestions[:1]] if len(chosen) == 1 else chosen
    return {"view": "compare", "compare": ",".join(assets), "span": "" if span == SPANS[0] else span}


def render_tray(by_id: Mapping[str, Row], compared: Sequence[str], view: TableView) -> None:
    """Renders the tray if any asset is chosen."""
    chosen = [asset for asset in compared if asset in by_id]
    if not chosen:
        return
    with st.container(key="rk_tray"):
        live_view([_build_tray(by_id, chosen, get_comparison_span(view))], key=KEY, on_open=_follow_clicked)


def build_comparison_link(chosen: Sequence[str], by_id: Mapping[str, Row], span: Span) -> ComparisonLink:
    """Builds the link to a comparison; a single asset is compared with the first proposal."""
    suggestions = list_suggestions(chosen, by_id)
    span_words = t(f"chart.span_{span}")
    words = (
        t("rankings.tray_compare_with", symbol=by_id[suggestions[0]].symbol, span=span_words)
        if len(chosen) == 1 and suggestions
        else t("rankings.tray_compare", span=span_words)
    )
    return ComparisonLink(words, build_comparison_params(chosen, suggestions, span))


def follow(params: Mapping[str, str]) -> None:
    """Changes these parameters in the current URL."""
    write_query({name: value for name, value in {**read_query(), **params}.items() if value})


def _follow_clicked() -> None:
    follow(dict(parse_qsl(str(st.session_state[KEY].open or ""), keep_blank_values=True)))


def _build_tray(by_id: Mapping[str, Row], chosen: Sequence[str], span: Span) -> Node:
    suggestions = list_suggestions(chosen, by_id)
    removals = [
        _build_item(
            f"{by_id[asset].symbol} ×",
            t("rankings.tray_remove", symbol=by_id[asset].symbol, name=by_id[asset].name),
            {"compare": ",".join(other for other in chosen if other != asset)},
            key=f"-{asset}",
        )
        for asset in chosen
    ]
    additions = [
        _build_item(
            f"+ {by_id[asset].symbol}",
            t("rankings.tray_add", symbol=by_id[asset].symbol, name=by_id[asset].name),
            {"compare": ",".join([*chosen, asset])},
            key=f"+{asset}",
        )
        for asset in suggestions
    ]
    link = build_comparison_link(chosen, by_id, span)
    go = _build_item(link.words, None, link.params, key="compare", class_="rk-tray-go")
    return h("section", *removals, *additions, go, aria_label=t("rankings.tray"), class_="rk-tray")


def _build_item(
    words: str, label: str | None, params: Mapping[str, str], *, key: str, class_: str = "rk-tray-item"
) -> Node:
    query = {name: value for name, value in {**read_query(), **params}.items() if value}
    return h(
        "a",
        words,
        key=key,
        href=f"rankings?{urlencode(query)}",
        aria_label=label,
        title=label,
        data_open=urlencode(params),
        class_=class_,
    )
