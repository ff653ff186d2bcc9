"""The rank table: a real ``<table>`` whose rows are patched in place, as a Streamlit component.

Streamlit's own grid loses the match of highlight and row when the order changes, and sends its
whole content at every rerun; this one is told what changed by one shared block of bytes and does
sorting and filtering in the browser. No build step: the parts below are one module when joined.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import orjson
import streamlit as st

from dashboard.components.rank_table.payload import Formats, table_bytes

__all__ = ["Formats", "mount", "table_bytes"]

_ROOM = Path(__file__).parent
_PARTS = ("dom", "order", "trend", "watch", "toolbar", "cells", "table", "keys", "main")


def script() -> str:
    """The browser's part as one ES module, without the comment and blank lines."""
    lines = "\n".join((_ROOM / f"{part}.js").read_text("utf-8") for part in _PARTS).splitlines()
    return "\n".join(line for line in lines if line.strip() and not line.lstrip().startswith("//"))


_component = st.components.v2.component(
    "chainproof.rank_table", js=script(), css=(_ROOM / "table.css").read_text("utf-8")
)


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

    ``table`` is :func:`table_bytes` and ``version`` names it: the browser reads it only when that
    changes. ``view`` holds the link's parameters, ``coin`` the open asset, ``mode`` is ``table`` or
    ``bar`` (filters alone). Rise and fall are coloured by the page's ``--up``, ``--down`` and
    ``--flat``. The reader's doings arrive as state ``view`` (parameters) and triggers ``coin`` (an
    id, or empty to close) and ``compare`` (ids).
    """
    head = orjson.dumps(
        {
            "version": version,
            "view": view,
            "coin": coin,
            "compare": compare,
            "lang": language,
            "mode": mode,
        }
    )
    return _component(
        key=key,
        data=head + b"\n" + table,
        on_view_change=on_view,
        on_coin_change=on_coin,
        on_compare_change=on_compare,
    )
