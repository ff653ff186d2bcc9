"""Calls the session back after a delay; draws nothing."""

from collections.abc import Callable
from functools import cache
from typing import Any

import streamlit as st

_JS = """
export default function ({ data, setTriggerValue }) {
  const timer = setTimeout(() => setTriggerValue("due", data.count), data.seconds * 1000);
  return () => clearTimeout(timer);
}
"""


def call_later(seconds: float, count: int, *, key: str, on_due: Callable[[], None]) -> None:
    """Call ``on_due`` once after ``seconds``, and again for each new ``count``."""
    _component()(key=key, data={"seconds": seconds, "count": count}, on_due_change=on_due)


@cache
def _component() -> Any:
    return st.components.v2.component("chainproof.timer", js=_JS)
