"""Shows one article: the form to enter it, and its review."""

from collections.abc import Callable
from datetime import date

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.app_pages.corrections import article_files, article_form, batch, review, session_state
from dashboard.app_pages.corrections.edit_history import FIRST_DATE, LAST_DATE, Step
from dashboard.app_pages.corrections.findings import SEVERITIES
from dashboard.app_pages.corrections.review_texts import (
    build_component_texts,
    build_field_labels,
    describe_date,
    render_problem,
)
from dashboard.app_pages.corrections.session_state import EditorState, load_state
from dashboard.client import articles
from dashboard.client.article_schemas import build_blank_article
from dashboard.components.draft_storage import remove_submitted_draft
from dashboard.frame import states, url_state
from dashboard.frame.markup import tag, text
from dashboard.frame.widget_state import bind_widget
from dashboard.i18n import LANGUAGE_NAMES, language, t
from dashboard.i18n.punctuation import add_note

REVIEW_KEY = "cr_review"
SKELETON_HEIGHT_PX = 620
VIEWS = ("text", "rendered", "compare")


def run_requested_check() -> None:
    """Check the article if the form was submitted, and show a skeleton meanwhile."""
    editor = load_state()
    if editor.check_requested:
        editor.check_requested = False
        with states.show_skeleton(SKELETON_HEIGHT_PX):
            session_state.check_article(editor.draft, persist=editor.store)


def render(bar: DeltaGenerator) -> None:
    editor = load_state()
    if is_form_open():
        article_form.render_form(editor, bar)
    elif editor.history.step is not None:
        _render_review(editor, editor.history.step, bar)
        remove_submitted_draft(session_state.FORM)


def is_form_open() -> bool:
    editor = load_state()
    return editor.editing or editor.history.step is None


def _render_review(editor: EditorState, step: Step, bar: DeltaGenerator) -> None:
    rules = articles.fetch_rules(step.rules_version)
    with bar:
        st.html(_build_facts(step, len(rules.data["rules"]) if rules.data else None))
        _render_date_popover(step)
        _render_downloads(step)
        if step.row is not None:
            st.button(
                t("corrections.to_batch"),
                key="cr_to_batch",
                icon=":material/list:",
                on_click=batch.return_to_batch,
            )
        st.button(t("corrections.new"), key="cr_new", icon=":material/add:", on_click=_start_new_article)
    if editor.problem is not None:
        render_problem(editor.problem)
        if editor.retry_action:
            st.button(
                t("frame.retry"),
                key="cr_again",
                on_click=session_state.run_action,
                args=editor.retry_action,
            )
    if editor.notice:
        st.html(tag("div", text(editor.notice), class_="cp-awaiting", role="status"))
    if rules.data is None and step.findings:
        st.html(tag("div", text(t("corrections.no_rules")), class_="cp-stale", role="status"))
    lang = language()
    labels = build_field_labels(lang)
    data = review.encode_article(step, rules.data, labels, build_component_texts(lang), lang)
    head = review.build_state_message(
        step,
        data,
        can_undo=editor.history.can_undo,
        can_redo=editor.history.can_redo,
        action_count=editor.action_count,
        focus=f"{editor.action_count}",
        message=editor.message,
        view=_read_view(),
        labels=labels,
    )
    review.render_review(data, head, key=REVIEW_KEY, on_act=_on_action, on_view=_on_view_changed)


def _read_view() -> dict[str, str]:
    view = url_state.read_param("review", "text", valid=VIEWS.__contains__)
    severity = url_state.read_param("sev", valid=("", *SEVERITIES).__contains__)
    rule = url_state.read_param("rule")
    return {"view": view, "severity": severity, "rule": rule}


def _on_view_changed() -> None:
    view_message = st.session_state[REVIEW_KEY].view or {}
    for key, name, default in (("review", "view", "text"), ("sev", "severity", ""), ("rule", "rule", "")):
        url_state.write_param(key, str(view_message.get(name, default)), default)


def _on_action() -> None:
    act_message = st.session_state[REVIEW_KEY].act or {}
    session_state.store_decisions(act_message)
    name, subject = str(act_message.get("name")), act_message.get("text")
    if name in session_state.ACTIONS:
        session_state.run_action(name)
    elif name in session_state.SUBJECT_ACTIONS and isinstance(subject, str):
        session_state.run_action(name, subject)


def _start_new_article() -> None:
    session_state.start_article(build_blank_article())


def _build_facts(step: Step, rules: int | None) -> str:
    """Build the note on the article's language and the rules version."""
    parts = []
    if name := LANGUAGE_NAMES.get(step.language or ""):
        parts.append(name if step.article["language"] else t("corrections.language_found", name=name))
    if step.rules_version:
        version_text = t("corrections.rules_version", version=step.rules_version[:8])
        parts.append(
            version_text
            if rules is None
            else add_note(version_text, t("corrections.rules_count", n=f"{rules:,}"))
        )
    return tag("p", text(" · ".join(parts)), class_="cp-note")


def _render_date_popover(step: Step) -> None:
    """Render the date that former names are judged by, with its origin; the reader can set another."""
    found = step.date
    label = t("corrections.date_label", date=found.iso) if found.day else t("corrections.date_unknown")
    widget = bind_widget("cr_review_date", found.day, _change_date)  # undo changes it too
    with st.popover(label, icon=":material/event:", key="cr_date_menu"):
        st.date_input(
            t("corrections.date"),
            found.day,
            **widget,
            format="YYYY-MM-DD",
            min_value=FIRST_DATE,
            max_value=LAST_DATE,
        )
        st.html(tag("p", text(describe_date(found)), class_="cp-note", role="status"))
        st.caption(t("corrections.date_help"))


def _change_date(day: date | None) -> None:
    session_state.run_action("date", day.isoformat() if day else "")


def _render_downloads(step: Step) -> None:
    article, file = step.article, step.source
    original_object = file.objects[step.row or 0] if file is not None and file.objects else None
    kinds: tuple[tuple[str, str, Callable[[], bytes]], ...] = (
        ("md", "text/markdown", lambda: article_files.to_markdown(article, file)),
        ("json", "application/json", lambda: article_files.to_json(article, original_object)),
    )
    with st.popover(t("corrections.download"), icon=":material/download:", key="cr_download"):
        st.caption(t("corrections.download_why"))
        with st.container(horizontal=True):
            for kind, mime, content in kinds:
                st.download_button(
                    t(f"corrections.download_{kind}"),
                    data=content,
                    file_name=article_files.build_file_name(article, file, kind),
                    mime=mime,
                    key=f"cr_download_{kind}",
                    on_click="ignore",
                )
