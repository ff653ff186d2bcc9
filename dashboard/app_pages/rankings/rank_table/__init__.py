"""Renders the rank table, an HTML table that updates its rows in place, as a Streamlit component.

Streamlit's own grid highlights the wrong row after a change of order, and sends all of its content at
every rerun. This table sorts and filters in the browser and receives changes in two messages. The large
one, with rows and code, has the same bytes as long as the data are the same, and Streamlit does not
resend bytes that a browser has. The small one holds the state that a click changes. There is no build
step: the parts below are joined to one module.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import orjson
import streamlit as st

from dashboard.app_pages.rankings.columns import TABLE_OPTIONS
from dashboard.app_pages.rankings.rank_table.payload import Formats, build_payload
from dashboard.components.registration import join_scripts

__all__ = ["Formats", "build_payload", "render_table"]

_FOLDER = Path(__file__).parent
_PARTS = (
    "dom",
    "view",
    "trend",
    "watchlists",
    "toolbar",
    "column_widths",
    "cells",
    "table",
    "host_messages",
    "offscreen_rows",
    "keyboard",
    "main",
)


def build_script(*parts: str) -> str:
    """Joins scripts to one ES module, without comments and blank lines, and inserts the table's options."""
    options = orjson.dumps(TABLE_OPTIONS).decode()
    return join_scripts(_FOLDER, *(parts or _PARTS)).replace('"TABLE_OPTIONS"', options)


_table = st.components.v2.component(
    "chainproof.rank_table", js=build_script(), css=(_FOLDER / "table.css").read_text("utf-8")
)
_head = st.components.v2.component("chainproof.rank_head", js=build_script("head"), isolate_styles=False)


def render_table(
    payload: bytes,
    version: str,
    *,
    key: str,
    view: Mapping[str, str],
    coin: str,
    compare: tuple[str, ...],
    language: str,
    mode: str,
    on_view: Callable[[], None],
    on_coin: Callable[[], None],
    on_compare: Callable[[], None],
) -> Any:
    """Renders the table.

    ``payload`` is ``version`` in the first line, then :func:`build_payload`; the browser parses it only
    when its version changes. ``view`` holds the link's parameters, ``coin`` the open asset. ``mode`` is
    ``table``, ``bar`` (filters only) or ``none`` (hidden). The page's ``--up``, ``--down`` and ``--flat``
    colour rise and fall. The reader's actions arrive as state ``view`` (parameters) and as triggers
    ``coin`` (an id; empty closes the panel) and ``compare`` (ids).
    """
    # The rows go first: if the run is interrupted between the two, no head refers to missing rows.
    component = _table(
        key=key,
        data=payload,
        on_view_change=on_view,
        on_coin_change=on_coin,
        on_compare_change=on_compare,
    )
    head = {
        "version": version,
        "view": view,
        "coin": coin,
        "compare": compare,
        "lang": language,
        "mode": mode,
    }
    _head(key="rank_head", data=orjson.dumps(head))
    return component
