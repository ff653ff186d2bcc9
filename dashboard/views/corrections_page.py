"""The three parts of the Corrections page, one of which is shown; the address says which."""

import streamlit as st

from dashboard import urlstate
from dashboard.i18n import t
from dashboard.views import corrections_batch, corrections_desk, corrections_history

MODES = ("article", "batch", "history")


def page() -> None:
    st.fragment(_part, key="corrections")()


def _part() -> None:
    mode, on_mode = urlstate.sync("mode", MODES, "article")
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
        corrections_batch.show(bar)
    elif mode == "history":
        corrections_history.show(bar)
    else:
        corrections_desk.show(bar)
