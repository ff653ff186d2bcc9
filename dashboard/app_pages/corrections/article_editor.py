"""Shows one article: the form to enter it, and its review."""

from collections.abc import Callable
from datetime import date

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.app_pages.corrections import article_files, batch, review, review_texts, session_state
from dashboard.app_pages.corrections.article_edits import is_blank
from dashboard.app_pages.corrections.article_files import InvalidFileError
from dashboard.app_pages.corrections.edit_history import (
    FIRST_DATE,
    LAST_DATE,
    FormFields,
    Step,
    apply_form_fields,
    build_form_fields,
)
from dashboard.app_pages.corrections.file_drop import read_file
from dashboard.app_pages.corrections.findings import SEVERITIES
from dashboard.app_pages.corrections.review_texts import (
    build_component_texts,
    build_field_labels,
    describe_invalid_file,
    render_problem,
)
from dashboard.app_pages.corrections.session_state import EditorState, load_state
from dashboard.client import articles
from dashboard.client.article_schemas import build_blank_article
from dashboard.components.draft_storage import render_restored_notice, store_draft
from dashboard.frame import states, url_state
from dashboard.frame.markup import tag, text
from dashboard.i18n import LANGUAGE_NAMES, LANGUAGES, language, t

REVIEW_KEY = "cr_review"
SKELETON_HEIGHT_PX = 620
CONTENT_HEIGHT_PX = 470
SUMMARY_HEIGHT_PX = 150
VIEWS = ("text", "compare")
LANGUAGE_CODES = ("", *LANGUAGES)
_FORM_VERSION_KEY = "cr_form_version"
_FILE_KEY = "cr_file"
_FILE_ERROR_KEY = "cr_file_refused"
TEXT_FIELDS = ("cr_title", "cr_content", "cr_summary", "cr_tags")
FORM_FIELDS = ("title", "summary", "content", "tags", "language", "date")


def render(bar: DeltaGenerator) -> None:
    editor = load_state()
    if editor.check_requested:
        editor.check_requested = False
        with states.show_skeleton(SKELETON_HEIGHT_PX):
            session_state.check_article(editor.draft, persist=editor.store)
    if editor.editing or editor.history.step is None:
        _render_form(editor, bar)
    else:
        _render_review(editor, editor.history.step, bar)


# --- form


def _render_form(editor: EditorState, bar: DeltaGenerator) -> None:
    with bar:
        _render_file_popover()
        if editor.history.step is not None:
            st.button(
                t("corrections.back"),
                key="cr_back",
                icon=":material/rate_review:",
                on_click=_return_to_review,
            )
    if (error := st.session_state.pop(_FILE_ERROR_KEY, None)) is not None:
        states.render_action_error(error)
    if editor.problem is not None:
        render_problem(editor.problem)
    _fill_form(editor)
    render_restored_notice(session_state.FORM)
    with st.form("cr_form", border=False):
        text_side, facts_side = st.columns([13, 5], gap="medium")
        with text_side:
            st.text_input(t("corrections.field_title"), key="cr_title")
            st.text_area(
                t("corrections.field_content"),
                key="cr_content",
                height=CONTENT_HEIGHT_PX,
                placeholder=t("corrections.content_hint"),
            )
        with facts_side:
            st.text_area(t("corrections.field_summary"), key="cr_summary", height=SUMMARY_HEIGHT_PX)
            st.text_input(t("corrections.field_tags"), key="cr_tags", placeholder=t("corrections.tags_hint"))
            st.segmented_control(
                t("corrections.language"),
                LANGUAGE_CODES,
                key="cr_language",
                required=True,
                format_func=_name_language,
            )
            st.date_input(
                t("corrections.date"),
                None,
                key="cr_date",
                format="YYYY-MM-DD",
                min_value=FIRST_DATE,
                max_value=LAST_DATE,
                help=t("corrections.date_help"),
            )
            review_texts.render_store_toggle("cr_store")
            review_texts.render_check_button(t("corrections.check"), "cr_check", _on_check, width="stretch")
            st.html(tag("p", text(t("corrections.check_hint")), class_="cp-note"))
    store_draft(session_state.FORM, TEXT_FIELDS)


def _name_language(code: str) -> str:
    return LANGUAGE_NAMES.get(code) or t("corrections.language_auto")


def _fill_form(editor: EditorState) -> None:
    """Fill the form with the draft if the draft has changed or the form was not drawn."""
    state = st.session_state
    if state.get(_FORM_VERSION_KEY) != editor.form_version or "cr_content" not in state:
        state[_FORM_VERSION_KEY] = editor.form_version
        form_fields = build_form_fields(editor.draft)
        for name in FORM_FIELDS:
            state[f"cr_{name}"] = getattr(form_fields, name)
        state["cr_date"] = date.fromisoformat(form_fields.date) if form_fields.date else None
        state["cr_store"] = editor.store


def _on_check() -> None:
    state = st.session_state
    editor = load_state()
    form_fields = FormFields(**{name: str(state.get(f"cr_{name}") or "") for name in FORM_FIELDS})
    editor.draft = apply_form_fields(form_fields, editor.draft)
    editor.form_version += 1
    editor.store = bool(state.get("cr_store"))
    editor.problem = None
    if is_blank(editor.draft):
        state[_FILE_ERROR_KEY] = t("corrections.nothing")
    else:
        editor.check_requested = True


def _return_to_review() -> None:
    """Return to the review of the last checked state."""
    editor = load_state()
    editor.editing, editor.problem = False, None
    if editor.history.step is not None:
        editor.draft = editor.history.step.article


def _render_file_popover() -> None:
    with st.popover(t("corrections.open"), icon=":material/folder_open:", key="cr_open"):
        review_texts.render_file_drop(_FILE_KEY, article_files.FORMATS, on_file=_on_file_chosen)
        st.caption(t("corrections.open_why"))


def _on_file_chosen() -> None:
    chosen = read_file(_FILE_KEY)
    if chosen is None:
        return
    try:
        file = article_files.parse_file(*chosen)
    except InvalidFileError as error:
        st.session_state[_FILE_ERROR_KEY] = describe_invalid_file(error)
        return
    if len(file.articles) == 1:
        session_state.start_article(file.articles[0], file)
    elif file.articles:
        batch.start_batch(file)
        url_state.write("mode", "batch", "article")
    else:
        st.session_state[_FILE_ERROR_KEY] = t("corrections.file_empty", name=file.name)


# --- review


def _render_review(editor: EditorState, step: Step, bar: DeltaGenerator) -> None:
    rules = articles.fetch_rules(step.rules_version)
    with bar:
        st.html(_build_facts(step, len(rules.data["rules"]) if rules.data else None))
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
    head = review.build_head(
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
    view, _ = url_state.bind_text("review", "text", valid=VIEWS.__contains__)
    severity, _ = url_state.bind_text("sev", valid=("", *SEVERITIES).__contains__)
    rule, _ = url_state.bind_text("rule")
    return {"view": view, "severity": severity, "rule": rule}


def _on_view_changed() -> None:
    view_message = st.session_state[REVIEW_KEY].view or {}
    for key, name, default in (("review", "view", "text"), ("sev", "severity", ""), ("rule", "rule", "")):
        url_state.write(key, str(view_message.get(name, default)), default)


def _on_action() -> None:
    act_message = st.session_state[REVIEW_KEY].act or {}
    session_state.store_decisions(act_message)
    name, subject = str(act_message.get("name")), act_message.get("text")
    if name in session_state.ACTIONS:
        session_state.run_action(name)
    elif name in session_state.NAME_ACTIONS and isinstance(subject, str):
        session_state.run_action(name, subject)


def _start_new_article() -> None:
    session_state.start_article(build_blank_article())


def _build_facts(step: Step, rules: int | None) -> str:
    """Build the note on the article's language and date, and on the rules version."""
    parts = []
    if name := LANGUAGE_NAMES.get(step.language or ""):
        parts.append(name if step.article["language"] else t("corrections.language_found", name=name))
    if day := _describe_date(step):
        parts.append(day)
    if step.rules_version:
        version_text = t("corrections.rules_version", version=step.rules_version[:8])
        parts.append(
            version_text
            if rules is None
            else f"{version_text} ({t('corrections.rules_count', n=f'{rules:,}')})"
        )
    return tag("p", text(" · ".join(parts)), class_="cp-note")


def _describe_date(step: Step) -> str:
    """Describe the date that former names are judged by; empty if it is neither given nor needed."""
    if step.article["date"]:
        return t("corrections.date_given", date=step.judging_date or step.article["date"])
    if step.judging_date is None:
        return t("corrections.date_unknown")
    return t("corrections.date_found", date=step.judging_date) if step.judging_date else ""


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
