"""Renders the forms of the Research page: a statement, a text, or a text for entity extraction.

All three forms are on the page, each in its tab, so a change of tabs keeps the typed text.
"""

from dataclasses import replace
from typing import Any, get_args

import streamlit as st

from dashboard.app_pages.research import session_state
from dashboard.app_pages.research.jobs import Mode
from dashboard.app_pages.research.session_state import PageState, page_state
from dashboard.client import Problem
from dashboard.components.draft_storage import render_restored_notice, store_draft
from dashboard.frame import account, states
from dashboard.frame.markup import tag, text
from dashboard.i18n import t

MODES: tuple[Mode, ...] = get_args(Mode)
EXAMPLE_KEYS = ("first", "second", "third")
"""Ends of the translation keys of the example statements."""
TEXT_FIELDS = ("rs_statement", "rs_title", "rs_content", "rs_text", "rs_urls_statement", "rs_urls_text")
"""Session keys of the text fields. All widget keys of the page begin with ``rs_`` (research)."""
STATEMENT_HEIGHT = 104
CONTENT_HEIGHT = 190


def render_form(*, show_examples: bool) -> None:
    """Renders the forms; ``show_examples`` adds statements to try."""
    state = page_state()
    render_restored_notice(session_state.FORM_DRAFT_KEY)
    tabs = st.tabs([t(f"research.mode_{mode}") for mode in MODES], key="rs_tabs")
    for mode, tab in zip(MODES, tabs, strict=True):
        with tab:
            with st.form(f"rs_form_{mode}", border=False):
                _render_fields(mode)
                _render_submit(mode)
            if state.draft.mode == mode:
                _render_submission_error(state)
            if mode == "statement" and show_examples:
                _render_examples()
    store_draft(session_state.FORM_DRAFT_KEY, TEXT_FIELDS)


def format_problem(problem: Problem) -> str:
    """Formats the problem of a submission or cancellation in the reader's language."""
    by_status = {400: "refused", 403: "key", 409: "ended", 413: "too_large"}
    word = by_status.get(problem.status or 0)
    return t(f"research.error_{word}") if word else states.format_error(problem)


def _render_submission_error(state: PageState) -> None:
    """Renders why the last submission was rejected."""
    if state.validation_error:
        states.render_action_error(state.validation_error)
    if (problem := state.response_problem) is not None:
        states.render_action_error(
            format_problem(problem), f"{t('research.not_submitted')} {problem.detail}", problem.request_id
        )


def _render_fields(mode: Mode) -> None:
    if mode == "entities":
        _render_text_area(
            "text", t("research.entities_text"), t("research.entities_text_hint"), CONTENT_HEIGHT
        )
        return
    if mode == "statement":
        _render_text_area(
            "statement", t("research.statement"), t("research.statement_hint"), STATEMENT_HEIGHT
        )
    else:
        _restore_value("title")
        st.text_input(t("research.text_title"), key="rs_title", placeholder=t("research.text_title_hint"))
        _render_text_area(
            "content", t("research.text_content"), t("research.text_content_hint"), CONTENT_HEIGHT
        )
    with st.expander(t("research.more"), key=f"rs_more_{mode}"):
        _render_text_area("urls", t("research.urls"), t("research.urls_hint"), 88, suffix=f"_{mode}")
        _restore_value("max_results", suffix=f"_{mode}")
        st.number_input(
            t("research.max_results"),
            min_value=1,
            max_value=50,
            step=1,
            key=f"rs_max_results_{mode}",
            width=260,
        )


def _render_text_area(name: str, label: str, hint: str, height: int, *, suffix: str = "") -> None:
    _restore_value(name, suffix=suffix)
    st.text_area(label, key=f"rs_{name}{suffix}", height=height, placeholder=hint)


def _restore_value(name: str, *, suffix: str = "") -> None:
    """Fills a field with the last submitted value if it was not on the page in the previous run."""
    key = f"rs_{name}{suffix}"
    if key not in st.session_state:
        st.session_state[key] = getattr(page_state().draft, name)


def _render_submit(mode: Mode) -> None:
    can_write = account.can_write()
    with st.container(key=f"rs_send_{mode}", horizontal=True, vertical_alignment="center", gap="small"):
        st.form_submit_button(
            t("research.submit_entities") if mode == "entities" else t("research.submit"),
            key=f"rs_submit_{mode}",
            type="primary",
            icon=":material/manage_search:",
            on_click=_submit,
            args=(mode,),
            disabled=not can_write,
        )
        if can_write:
            st.html(tag("p", text(t("research.submit_hint")), class_="cp-note"))
        else:
            account.render_missing_scope("submit")


def _render_examples() -> None:
    with st.container(key="rs_examples", gap="small"):
        st.html(tag("p", text(t("research.examples")), class_="cp-note"))
        for key in EXAMPLE_KEYS:
            statement = t(f"research.example_{key}")
            st.button(
                statement,
                key=f"rs_example_{key}",
                on_click=_submit_example,
                args=(statement,),
                disabled=not account.can_write(),
            )


def _submit(mode: Mode) -> None:
    widgets = st.session_state
    names = {"statement": ("statement",), "text": ("title", "content"), "entities": ("text",)}[mode]
    values: dict[str, Any] = {name: str(widgets.get(f"rs_{name}") or "") for name in names}
    if mode != "entities":
        values["urls"] = str(widgets.get(f"rs_urls_{mode}") or "")
        values["max_results"] = int(widgets.get(f"rs_max_results_{mode}") or 10)
    session_state.submit(replace(page_state().draft, mode=mode, **values))


def _submit_example(statement: str) -> None:
    st.session_state["rs_statement"] = statement
    session_state.submit(replace(page_state().draft, mode="statement", statement=statement, urls=""))
