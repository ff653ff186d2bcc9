"""Shows the form to enter one article: its text first, the other fields folded."""

from datetime import date

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.app_pages.corrections import (
    article_files,
    batch,
    browser_copy,
    content_box,
    review_texts,
    session_state,
)
from dashboard.app_pages.corrections.article_dates import find_date
from dashboard.app_pages.corrections.article_edits import is_blank
from dashboard.app_pages.corrections.article_files import InvalidFileError
from dashboard.app_pages.corrections.edit_history import (
    FIRST_DATE,
    LAST_DATE,
    FormFields,
    apply_form_fields,
    build_form_fields,
    parse_day,
)
from dashboard.app_pages.corrections.file_drop import read_file
from dashboard.app_pages.corrections.review_texts import (
    describe_date,
    describe_invalid_file,
    render_problem,
)
from dashboard.app_pages.corrections.session_state import EditorState, load_state
from dashboard.client.article_schemas import build_blank_article
from dashboard.components.draft_storage import list_restored, render_restored_notice, store_draft
from dashboard.frame import states, url_state
from dashboard.frame.markup import tag, text
from dashboard.i18n import LANGUAGE_NAMES, LANGUAGES, t

CONTENT_HEIGHT_PX = 320
SUMMARY_HEIGHT_PX = 110
LANGUAGE_CODES = ("", *LANGUAGES)
FORM_FIELDS = ("title", "summary", "content", "tags", "language", "date")
_FORM_VERSION_KEY = "cr_form_version"
_FILE_KEY = "cr_file"
_FILE_ERROR_KEY = "cr_file_refused"


def render_form(editor: EditorState, bar: DeltaGenerator) -> None:
    with bar:
        _render_file_popover()
        if editor.history.step is None:
            st.button(
                t("corrections.example"),
                key="cr_example",
                icon=":material/lightbulb:",
                on_click=_check_example,
            )
        else:
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
    if not browser_copy.is_restored():  # else one notice is about all
        render_restored_notice(session_state.FORM)
    with st.form("cr_form", border=False):
        st.text_area(
            t("corrections.field_content"),
            key="cr_content",
            height=CONTENT_HEIGHT_PX,
            placeholder=t("corrections.content_hint"),
        )
        with st.container(key="cr_check_row", horizontal=True, vertical_alignment="center", gap="medium"):
            review_texts.render_check_button(t("corrections.check"), "cr_check", _on_check)
            review_texts.render_store_toggle("cr_store")
            content_box.render_content_box("cr_content", "cr_check", is_new=is_blank(editor.draft))
        with st.expander(t("corrections.details"), expanded=_has_details(editor), key="cr_details"):
            _render_details(editor)
    store_draft(session_state.FORM, session_state.TEXT_FIELDS, {"cr_date": _parse_date})


def _render_details(editor: EditorState) -> None:
    """Render the fields of the article other than its text."""
    st.text_input(t("corrections.field_title"), key="cr_title")
    left, right = st.columns(2, gap="medium")
    with left:
        st.text_area(t("corrections.field_summary"), key="cr_summary", height=SUMMARY_HEIGHT_PX)
        st.text_input(t("corrections.field_tags"), key="cr_tags", placeholder=t("corrections.tags_hint"))
    with right:
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
        if not is_blank(editor.draft):
            found = find_date(editor.draft, editor.source)
            st.html(tag("p", text(describe_date(found)), class_="cp-note"))


def _has_details(editor: EditorState) -> bool:
    """Whether the article has other fields than its text, or one was restored."""
    if list_restored(session_state.FORM) - {"cr_content"}:
        return True
    fields = build_form_fields(editor.draft)
    return any((fields.title, fields.summary, fields.tags, fields.language, fields.date))


def _name_language(code: str) -> str:
    return LANGUAGE_NAMES.get(code) or t("corrections.language_auto")


def _parse_date(typed: str) -> date | None:
    day = parse_day(typed)
    return date.fromisoformat(day) if day else None


def _fill_form(editor: EditorState) -> None:
    """Fill the form with the draft if the draft has changed or the form was not drawn.

    Text that the browser restored was typed after the draft, and stays.
    """
    state = st.session_state
    if state.get(_FORM_VERSION_KEY) != editor.form_version or "cr_content" not in state:
        state[_FORM_VERSION_KEY] = editor.form_version
        form_fields = build_form_fields(editor.draft)
        values = {f"cr_{name}": getattr(form_fields, name) for name in FORM_FIELDS}
        values["cr_date"] = _parse_date(form_fields.date)
        typed = state.keys() & list_restored(session_state.FORM)
        state.update({key: value for key, value in values.items() if key not in typed})
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


def _check_example() -> None:
    """Check an example in the reader's language; its findings are not stored."""
    content = t("corrections.example_text")
    session_state.start_article({**build_blank_article(), "content": content})
    editor = load_state()
    editor.store, editor.check_requested = False, True


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
        url_state.write_param("mode", "batch", "article")
    else:
        st.session_state[_FILE_ERROR_KEY] = t("corrections.file_empty", name=file.name)
