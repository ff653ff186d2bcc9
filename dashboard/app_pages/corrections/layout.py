"""Lays out the Corrections page: article, batch or history, by the URL."""

import streamlit as st

from dashboard.app_pages.corrections import article_editor, batch, browser_copy, history
from dashboard.frame import url_state
from dashboard.i18n import t

MODES = ("article", "batch", "history")


def render_page() -> None:
    st.fragment(_render_mode, key="corrections")()


def _render_mode() -> None:
    mode = url_state.bind_choice("mode", MODES, "article")
    bar = st.container(key="cr_bar", horizontal=True, vertical_alignment="center", gap="small")
    with bar:
        st.segmented_control(
            t("corrections.mode"),
            MODES,
            default=mode.value,
            **mode.widget,
            required=True,
            label_visibility="collapsed",
            format_func=lambda code: t(f"corrections.mode_{code}"),
        )
        browser_copy.render_restored_notice()
    browser_copy.render_batch_copy(is_form_open=mode.value == "batch" and batch.is_form_open())
    if mode.value == "article":
        article_editor.run_requested_check()
        browser_copy.render_article_copy(is_form_open=article_editor.is_form_open())
        article_editor.render(bar)
        return
    if mode.value == "batch":
        batch.render(bar)
    else:
        history.render(bar)
    browser_copy.render_article_copy(is_form_open=False)
