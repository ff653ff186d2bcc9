"""The keyboard through a list of topics, and the marks of what was read; draws nothing.

Which topics were read stays in this browser: nothing of it is sent.
"""

from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st


def topic_keys(opened: int | None, *, key: str) -> bool:
    """``opened`` is the topic that is shown. True when the reader has just asked to close it."""
    result = _component()(key=key, data={"opened": opened}, height="content", on_close_change=_nothing)
    return bool(result.close)


def _nothing() -> None:
    """A trigger is only sent for callbacks that exist; the value is read from the result."""


@cache
def _component() -> Any:
    script = Path(__file__).with_name("keyboard_navigation.js").read_text(encoding="utf-8")
    return st.components.v2.component("chainproof.keyboard_navigation", js=script, isolate_styles=False)
