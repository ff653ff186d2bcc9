"""The rank table: a real ``<table>`` whose rows are patched in place, as a Streamlit component.

Streamlit's own grid loses the match of highlight and row when the order changes, and sends its
whole content at every rerun; this one does sorting and filtering in the browser and is told what
changed in two messages. The large one, rows and code, is the same bytes for as long as the data are
the same, and Streamlit sends nothing again that a browser has; the small one is what a click changes.
No build step: the parts below are one module when joined.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import orjson
import streamlit as st

from dashboard.app_pages.rankings.rank_table.payload import Formats, table_bytes
from dashboard.components.registration import join_scripts

__all__ = ["Formats", "mount", "table_bytes"]

_ROOM = Path(__file__).parent
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


def script(*parts: str) -> str:
    """The browser's part as one ES module, without the comment and blank lines."""
    return join_scripts(_ROOM, *(parts or _PARTS))


_table = st.components.v2.component(
    "chainproof.rank_table", js=script(), css=(_ROOM / "table.css").read_text("utf-8")
)
_head = st.components.v2.component("chainproof.rank_head", js=script("head"), isolate_styles=False)


def mount(
    table: bytes,
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
    """Show the table.

    ``table`` is ``version`` in a line of its own and then :func:`table_bytes`: the browser reads it
    only when its version changes. ``view`` holds the link's parameters, ``coin`` the open asset,
    ``mode`` is ``table``, ``bar`` (filters alone) or ``none`` (kept, but not to be seen). Rise and fall
    are coloured by the page's ``--up``, ``--down`` and ``--flat``. The reader's doings arrive as state
    ``view`` (parameters) and triggers ``coin`` (an id, or empty to close) and ``compare`` (ids).
    """
    # The rows go first: a run that is cut short then leaves a head that still waits for them.
    shown = _table(
        key=key,
        data=table,
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
    return shown
