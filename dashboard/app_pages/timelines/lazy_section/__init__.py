"""Asks for parts of a page later: when the reader comes near them, when the page rests, after a while.

What stands below the screen need not keep the first paint waiting, nor an answer to a press above it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import orjson
import streamlit as st

from dashboard.components.registration import joined


@dataclass(frozen=True, slots=True)
class Awaited:
    """A part of the page that is due. ``place`` is the CSS selector of its place.

    ``after`` (seconds) asks for it then, wherever it stands; null when it is near, or the page rests.
    """

    part: str
    place: str = ""
    after: float | None = None


def later(parts: Sequence[Awaited], *, key: str, turn: int, on_due: Callable[[], None]) -> None:
    """Have the browser ask for ``parts``, one at a time; what comes of one tells the rest anew.

    ``on_due`` is called with the part in ``st.session_state[key].due``. ``turn`` counts the askings, so
    that one for the same part begins anew.
    """
    _component()(key=key, data=orjson.dumps({"parts": parts, "turn": turn}), on_due_change=on_due)


@cache
def _component() -> Any:
    js = joined(Path(__file__).parent, "../../../components/page_idle", "lazy_section")
    return st.components.v2.component("chainproof.lazy_section", js=js, isolate_styles=False)
