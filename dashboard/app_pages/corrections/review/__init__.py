"""The review of one article: its text with a button for each finding, and all that can be done by key.

What is large (text, findings, rules) is one message, the same bytes for as long as the article stands as
it is; what a key press changes is another and small. Decisions are made in the browser at once and told
to the dashboard afterwards. No build step: the parts below are one module when joined.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import streamlit as st

from dashboard.app_pages.corrections.review.payload import article_bytes, head_of
from dashboard.components.registration import join_scripts

__all__ = ["article_bytes", "head_of", "mount"]

_ROOM = Path(__file__).parent
_PARTS = ("dom", "marks", "diff_view", "side_panel", "toolbar", "review", "keyboard", "main")


def script(*parts: str) -> str:
    """The browser's part as one ES module, without the comment and blank lines."""
    return join_scripts(_ROOM, *(parts or _PARTS))


_review = st.components.v2.component(
    "chainproof.review", js=script(), css=(_ROOM / "review.css").read_text("utf-8")
)
_head = st.components.v2.component("chainproof.review_head", js=script("head"), isolate_styles=False)


def mount(
    article: bytes,
    head: dict[str, Any],
    *,
    key: str,
    on_act: Callable[[], None],
    on_view: Callable[[], None],
) -> None:
    """Show the review.

    ``article`` is what :func:`article_bytes` makes, ``head`` what :func:`head_of` does. The
    editor's actions arrive as the trigger ``act``: ``{name, step, decisions, new}`` with the name ``safe``,
    ``approved``, ``undo``, ``redo``, ``edit`` or ``keep``, which only reports the decisions. The state
    ``view`` holds the view and the filters.
    """
    # The article goes first: a run that is cut short then leaves a head that still waits for it.
    _review(key=key, data=article, on_act_change=on_act, on_view_change=on_view)
    _head(key=f"{key}_head", data=orjson.dumps(head))
