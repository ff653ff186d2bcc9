"""Buttons that put a text each into the clipboard, and say that they did."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import streamlit as st

_ROOM = Path(__file__).parent


class Copyable(NamedTuple):
    """``text`` is what is copied; null for the address of the page."""

    label: str
    text: str | None


def copy_bar(entries: Sequence[Copyable], *, key: str, copied: str, failed: str) -> None:
    """``copied`` and ``failed`` are what is said of an attempt."""
    data = {"entries": [list(entry) for entry in entries], "copied": copied, "failed": failed}
    _component()(key=key, data=orjson.dumps(data), height="content")


@cache
def _component() -> Any:
    return st.components.v2.component(
        "chainproof.copy_bar",
        js=(_ROOM / "copy_bar.js").read_text("utf-8"),
        css=(_ROOM / "copy_bar.css").read_text("utf-8"),
    )
