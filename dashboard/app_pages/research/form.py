"""The boxes of the Research page: a statement, a text, or a text whose entities alone are wanted.

All three stand on the page at once, each a form behind its tab, so that nothing typed is lost between them.
"""

from dataclasses import replace
from typing import Any, get_args

import streamlit as st

from dashboard.app_pages.research import session_state
from dashboard.app_pages.research.jobs import Mode
from dashboard.app_pages.research.session_state import Bench, bench
from dashboard.client import Problem
from dashboard.frame import account, states
from dashboard.frame.markup import tag, text
from dashboard.i18n import t

MODES: tuple[Mode, ...] = get_args(Mode)
EXAMPLES = ("first", "second", "third")
STATEMENT_HEIGHT = 104
CONTENT_HEIGHT = 190


def show(*, examples: bool) -> None:
    """``examples``: offer some statements to try."""
    now = bench()
    tabs = st.tabs([t(f"research.mode_{mode}") for mode in MODES], key="rs_tabs")
    for mode, tab in zip(MODES, tabs, strict=True):
        with tab:
            with st.form(f"rs_form_{mode}", border=False):
                _boxes(mode)
                _send(mode)
            if now.draft.mode == mode:
                _refusal(now)
            if mode == "statement" and examples:
                _examples()


def sentence(problem: Problem) -> str:
    """What went wrong with a submission or a cancellation, in the reader's language."""
    by_status = {400: "refused", 403: "key", 409: "ended", 413: "too_large"}
    word = by_status.get(problem.status or 0)
    return t(f"research.error_{word}") if word else states.error_text(problem)


def _refusal(now: Bench) -> None:
    """Why what was sent last was not accepted."""
    if now.said:
        states.alert(now.said)
    if (fault := now.problem) is not None:
        states.alert(sentence(fault), f"{t('research.not_submitted')} {fault.detail}", fault.request_id)


def _boxes(mode: Mode) -> None:
    if mode == "entities":
        _area("text", t("research.entities_text"), t("research.entities_text_hint"), CONTENT_HEIGHT)
        return
    if mode == "statement":
        _area("statement", t("research.statement"), t("research.statement_hint"), STATEMENT_HEIGHT)
    else:
        _kept("title")
        st.text_input(t("research.text_title"), key="rs_title", placeholder=t("research.text_title_hint"))
        _area("content", t("research.text_content"), t("research.text_content_hint"), CONTENT_HEIGHT)
    with st.expander(t("research.more"), key=f"rs_more_{mode}"):
        _area("urls", t("research.urls"), t("research.urls_hint"), 88, of=f"_{mode}")
        _kept("most", of=f"_{mode}")
        st.number_input(
            t("research.most"), min_value=1, max_value=50, step=1, key=f"rs_most_{mode}", width=260
        )


def _area(name: str, label: str, hint: str, height: int, *, of: str = "") -> None:
    _kept(name, of=of)
    st.text_area(label, key=f"rs_{name}{of}", height=height, placeholder=hint)


def _kept(name: str, *, of: str = "") -> None:
    """Fill a box that was not on the page with what was submitted out of it."""
    key = f"rs_{name}{of}"
    if key not in st.session_state:
        st.session_state[key] = getattr(bench().draft, name)


def _send(mode: Mode) -> None:
    may = account.can_write()
    with st.container(key=f"rs_send_{mode}", horizontal=True, vertical_alignment="center", gap="small"):
        st.form_submit_button(
            t("research.submit_entities") if mode == "entities" else t("research.submit"),
            key=f"rs_submit_{mode}",
            type="primary",
            icon=":material/manage_search:",
            on_click=_submit,
            args=(mode,),
            disabled=not may,
        )
        if may:
            st.html(tag("p", text(t("research.submit_hint")), class_="cp-note"))
        else:
            account.render_missing_scope("submit")


def _examples() -> None:
    with st.container(key="rs_examples", gap="small"):
        st.html(tag("p", text(t("research.examples")), class_="cp-note"))
        for name in EXAMPLES:
            said = t(f"research.example_{name}")
            st.button(
                said,
                key=f"rs_example_{name}",
                on_click=_try,
                args=(said,),
                disabled=not account.can_write(),
            )


def _submit(mode: Mode) -> None:
    state = st.session_state
    names = {"statement": ("statement",), "text": ("title", "content"), "entities": ("text",)}[mode]
    held: dict[str, Any] = {name: str(state.get(f"rs_{name}") or "") for name in names}
    if mode != "entities":
        held["urls"] = str(state.get(f"rs_urls_{mode}") or "")
        held["most"] = int(state.get(f"rs_most_{mode}") or 10)
    session_state.submit(replace(bench().draft, mode=mode, **held))


def _try(statement: str) -> None:
    st.session_state["rs_statement"] = statement
    session_state.submit(replace(bench().draft, mode="statement", statement=statement, urls=""))
