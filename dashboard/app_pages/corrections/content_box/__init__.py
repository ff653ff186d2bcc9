"""Focuses the form's empty text box, counts its text, and starts the check when an article is pasted."""

from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from dashboard.components.registration import join_scripts
from dashboard.i18n import HTML_LANG, language, t

__all__ = ["render_content_box"]


def render_content_box(text_key: str, button_key: str, *, is_new: bool) -> None:
    """Render the counts of the text box ``text_key``.

    An empty box is focused. Text that is pasted into it is checked at once, with the button ``button_key``.
    """
    data = {
        "box": text_key,
        "button": button_key,
        "lang": HTML_LANG[language()],
        "words": t("corrections.text_counts"),
        "characters": t("corrections.text_length"),
        "checks": is_new,
    }
    _component()(key="cr_content_counts", data=data, height="content")


@cache
def _component() -> Any:
    script = join_scripts(Path(__file__).parent, "content_box")
    return st.components.v2.component("chainproof.content_box", js=script, isolate_styles=False)
