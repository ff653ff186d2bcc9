"""Shows the review of one article: its text with a button per finding, and keyboard shortcuts.

Text, findings and rules are one large message whose bytes change only with the article. Decisions and views
are a second, small message. The browser makes decisions at once and reports them to the dashboard afterwards.
No build step: the scripts are joined to one module.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import streamlit as st

from dashboard.app_pages.corrections.review.payload import build_state_message, encode_article
from dashboard.components.registration import join_scripts

__all__ = ["build_state_message", "encode_article", "render_review"]

_FOLDER = Path(__file__).parent
_SCRIPTS = (
    "dom", "marks", "diff_view", "rendered_view", "side_panel", "toolbar", "review", "applied_list", "places",
    "keyboard", "main",
)  # fmt: skip


def build_script(*parts: str) -> str:
    """Join the scripts to one ES module, without comment and blank lines."""
    return join_scripts(_FOLDER, *(parts or _SCRIPTS))


_review = st.components.v2.component(
    "chainproof.review", js=build_script(), css=(_FOLDER / "review.css").read_text("utf-8")
)
_head = st.components.v2.component("chainproof.review_head", js=build_script("head"), isolate_styles=False)


def render_review(
    article: bytes,
    head: dict[str, Any],
    *,
    key: str,
    on_act: Callable[[], None],
    on_view: Callable[[], None],
) -> None:
    """Render the review.

    ``article`` is from :func:`encode_article`, ``head`` from :func:`build_state_message`. The editor's
    actions arrive as the trigger ``act``: ``{name, step, decisions, new, text}``, where ``text`` is the
    action's subject, if it has one. The action ``keep`` only reports the decisions. The state ``view`` holds
    the view and the filters. The document receives the events ``chainproof-decided`` and
    ``chainproof-copied``.
    """
    # The article goes first: an interrupted run then leaves a head that waits for its article.
    _review(key=key, data=article, on_act_change=on_act, on_view_change=on_view)
    _head(key=f"{key}_head", data=orjson.dumps(head))
