"""Requests parts of a page lazily: when they are near the viewport, when the page is idle, or after a delay.

Parts below the viewport thus delay neither the first paint nor the response to a click above them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import orjson
import streamlit as st

from dashboard.components.registration import join_scripts


@dataclass(frozen=True, slots=True)
class PendingSection:
    """A part of the page to request. ``selector`` is the CSS selector of its container.

    With ``after`` (seconds), it is requested after that time; with null, near the viewport or when idle.
    """

    part: str
    selector: str = ""
    after: float | None = None


def load_lazily(
    parts: Sequence[PendingSection], *, key: str, request_id: int, on_due: Callable[[], None]
) -> None:
    """Have the browser request ``parts`` one at a time; call this again with the rest after each.

    ``on_due`` is called with the part in ``st.session_state[key].due``. A new ``request_id`` lets the browser
    request the same part again.
    """
    _component()(key=key, data=orjson.dumps({"parts": parts, "request_id": request_id}), on_due_change=on_due)


@cache
def _component() -> Any:
    js = join_scripts(Path(__file__).parent, "../../../components/page_idle", "lazy_section")
    return st.components.v2.component("chainproof.lazy_section", js=js, isolate_styles=False)
