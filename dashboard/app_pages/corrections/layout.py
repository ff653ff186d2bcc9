"""The three parts of the Corrections page, one of which is shown; the address says which."""

import streamlit as st

from dashboard.app_pages.corrections import article_editor, batch, history
from dashboard.frame import url_state
from dashboard.i18n import t

MODES = ("article", "batch", "history")


def page() -> None:
    st.fragment(_part, key="corrections")()


def _part() -> None:
    mode, on_mode = url_state.sync("mode", MODES, "article")
    bar = st.container(key="cr_bar", horizontal=True, vertical_alignment="center", gap="small")
    with bar:
        st.segmented_control(
            t("corrections.mode"),
            MODES,
            key="mode",
            required=True,
            on_change=on_mode,
            label_visibility="collapsed",
            format_func=lambda code: t(f"corrections.mode_{code}"),
        )
    if mode == "batch":
        batch.show(bar)
    elif mode == "history":
        history.show(bar)
    else:
        article_editor.show(bar)
