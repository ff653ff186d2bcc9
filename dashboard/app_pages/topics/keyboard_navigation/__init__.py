"""Navigates the list of topics by keyboard, and hides the unread marks of opened topics. Draws nothing.

The opened topics are stored only in the browser.
"""

from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from dashboard.components.registration import ignore_trigger


def keyboard_navigation(opened: int | None, *, key: str) -> bool:
    """Bind the keys. ``opened`` is the opened topic. Returns whether Escape was pressed to close it."""
    result = _component()(key=key, data={"opened": opened}, height="content", on_close_change=ignore_trigger)
    return bool(result.close)


@cache
def _component() -> Any:
    script = Path(__file__).with_name("keyboard_navigation.js").read_text(encoding="utf-8")
    return st.components.v2.component("chainproof.keyboard_navigation", js=script, isolate_styles=False)
