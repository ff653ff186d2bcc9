"""Renders a button that copies a text to the clipboard."""

from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from dashboard.components.registration import join_scripts
from dashboard.i18n import t

HTML = '<button type="button"></button><span role="status"></span>'
_FOLDER = Path(__file__).parent


def copy_button(label: str, text: str, *, key: str) -> None:
    """Render a button that copies ``text``."""
    words = {"label": label, "copied": t("frame.copied"), "failed": t("frame.copy_failed")}
    _component()(key=key, data={**words, "text": text}, width="content", height="content")


def read_css() -> str:
    """Return the style of the button and of the word beside it."""
    return (_FOLDER / "copy_button.css").read_text("utf-8")


@cache
def _component() -> Any:
    return st.components.v2.component(
        "chainproof.copy_button",
        html=HTML,
        js=join_scripts(_FOLDER, "copy_button"),
        css=read_css(),
    )
