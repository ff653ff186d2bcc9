"""One article: the boxes to write it in, then its review, and the way from one to the other."""

from collections.abc import Callable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.app_pages.corrections import article_files, batch, review, review_texts, session_state
from dashboard.app_pages.corrections.article_edits import is_blank
from dashboard.app_pages.corrections.article_files import FileRefused
from dashboard.app_pages.corrections.edit_history import Boxes, Step, boxes, from_boxes
from dashboard.app_pages.corrections.file_drop import taken
from dashboard.app_pages.corrections.findings import SEVERITIES
from dashboard.app_pages.corrections.review_texts import field_labels, problem_alert, refused_file, words
from dashboard.app_pages.corrections.session_state import Bench, bench
from dashboard.client import articles
from dashboard.client.article_schemas import build_blank_article
from dashboard.frame import states, url_state
from dashboard.frame.markup import tag, text
from dashboard.i18n import LANGUAGE_NAMES, language, t

REVIEW = "cr_review"
HEIGHT = 620
BOX_HEIGHT = 470
SUMMARY_HEIGHT = 150
VIEWS = ("text", "compare")
CODES = ("", "en", "ja", "zh")
_BOXES = "cr_boxes"
_FILE = "cr_file"
_REFUSED = "cr_file_refused"
BOX_KEYS = ("title", "summary", "content", "tags", "language")


def show(bar: DeltaGenerator) -> None:
    now = bench()
    if now.asked:
        now.asked = False
        with states.loading(HEIGHT):
            session_state.check(now.draft, persist=now.store)
    if now.editing or now.desk.step is None:
        _write(now, bar)
    else:
        _review(now, now.desk.step, bar)


# --- writing


def _write(now: Bench, bar: DeltaGenerator) -> None:
    with bar:
        _open_file()
        if now.desk.step is not None:
            st.button(t("corrections.back"), key="cr_back", icon=":material/rate_review:", on_click=_back)
    if (refused := st.session_state.pop(_REFUSED, None)) is not None:
        states.alert(refused)
    if now.problem is not None:
        problem_alert(now.problem)
    _fill_boxes(now)
    with st.form("cr_form", border=False):
        text_side, facts_side = st.columns([13, 5], gap="medium")
        with text_side:
            st.text_input(t("corrections.field_title"), key="cr_title")
            st.text_area(
                t("corrections.field_content"),
                key="cr_content",
                height=BOX_HEIGHT,
                placeholder=t("corrections.content_hint"),
            )
        with facts_side:
            st.text_area(t("corrections.field_summary"), key="cr_summary", height=SUMMARY_HEIGHT)
            st.text_input(t("corrections.field_tags"), key="cr_tags", placeholder=t("corrections.tags_hint"))
            st.segmented_control(
                t("corrections.language"), CODES, key="cr_language", required=True, format_func=_language_name
            )
            review_texts.store_toggle("cr_store")
            review_texts.check_button(t("corrections.check"), "cr_check", _check, width="stretch")
            st.html(tag("p", text(t("corrections.check_hint")), class_="cp-note"))


def _language_name(code: str) -> str:
    return LANGUAGE_NAMES.get(code) or t("corrections.language_auto")


def _fill_boxes(now: Bench) -> None:
    """Put the draft into the boxes, when it is another than they were filled with, or they were away."""
    state = st.session_state
    if state.get(_BOXES) != now.boxes or "cr_content" not in state:
        state[_BOXES] = now.boxes
        shown = boxes(now.draft)
        for name in BOX_KEYS:
            state[f"cr_{name}"] = getattr(shown, name)
        state["cr_store"] = now.store


def _check() -> None:
    state = st.session_state
    now = bench()
    shown = Boxes(**{name: str(state.get(f"cr_{name}") or "") for name in BOX_KEYS})
    now.draft = from_boxes(shown, now.draft)
    now.boxes += 1
    now.store = bool(state.get("cr_store"))
    now.problem = None
    if is_blank(now.draft):
        state[_REFUSED] = t("corrections.nothing")
    else:
        now.asked = True


def _back() -> None:
    """To the review of the last checked state, as it was."""
    now = bench()
    now.editing, now.problem = False, None
    if now.desk.step is not None:
        now.draft = now.desk.step.article


def _open_file() -> None:
    with st.popover(t("corrections.open"), icon=":material/folder_open:", key="cr_open"):
        review_texts.choose_file(_FILE, article_files.KINDS, on_file=_file_chosen)
        st.caption(t("corrections.open_why"))


def _file_chosen() -> None:
    chosen = taken(_FILE)
    if chosen is None:
        return
    try:
        opened = article_files.opened(*chosen)
    except FileRefused as refused:
        st.session_state[_REFUSED] = refused_file(refused)
        return
    if len(opened.articles) == 1:
        session_state.begin(opened.articles[0], opened)
    elif opened.articles:
        batch.take(opened)
        url_state.write("mode", "batch", "article")
    else:
        st.session_state[_REFUSED] = t("corrections.file_empty", name=opened.name)


# --- reviewing


def _review(now: Bench, step: Step, bar: DeltaGenerator) -> None:
    book = articles.fetch_rules(step.rules_version)
    with bar:
        st.html(_facts_html(step, len(book.data["rules"]) if book.data else None))
        _downloads(step)
        if step.row is not None:
            st.button(
                t("corrections.to_batch"),
                key="cr_to_batch",
                icon=":material/list:",
                on_click=batch.back,
            )
        st.button(t("corrections.new"), key="cr_new", icon=":material/add:", on_click=_new)
    if now.problem is not None:
        problem_alert(now.problem)
        if now.again:
            st.button(t("frame.retry"), key="cr_again", on_click=session_state.act, args=(now.again,))
    if now.notice:
        st.html(tag("div", text(now.notice), class_="cp-awaiting", role="status"))
    if book.data is None and step.findings:
        st.html(tag("div", text(t("corrections.no_rules")), class_="cp-stale", role="status"))
    lang = language()
    labels = field_labels(lang)
    data = review.article_bytes(step, book.data, labels, words(lang), lang)
    head = review.head_of(
        step,
        data,
        can_undo=now.desk.can_undo,
        can_redo=now.desk.can_redo,
        turn=now.turn,
        focus=f"{now.turn}",
        message=now.message,
        view=_view(),
        labels=labels,
    )
    review.mount(data, head, key=REVIEW, on_act=_acted, on_view=_viewed)


def _view() -> dict[str, str]:
    view, _ = url_state.sync_text("review", "text", valid=VIEWS.__contains__)
    severity, _ = url_state.sync_text("sev", valid=("", *SEVERITIES).__contains__)
    rule, _ = url_state.sync_text("rule")
    return {"view": view, "severity": severity, "rule": rule}


def _viewed() -> None:
    sent = st.session_state[REVIEW].view or {}
    for key, name, default in (("review", "view", "text"), ("sev", "severity", ""), ("rule", "rule", "")):
        url_state.write(key, str(sent.get(name, default)), default)


def _acted() -> None:
    sent = st.session_state[REVIEW].act or {}
    session_state.keep(sent)
    if sent.get("name") in session_state.ACTS:
        session_state.act(sent["name"])


def _new() -> None:
    session_state.begin(build_blank_article())


def _facts_html(step: Step, rules: int | None) -> str:
    """The article's language and the rules that it was held against."""
    parts = []
    if name := LANGUAGE_NAMES.get(step.language or ""):
        parts.append(name if step.article["language"] else t("corrections.language_found", name=name))
    if step.rules_version:
        known = t("corrections.rules_version", version=step.rules_version[:8])
        parts.append(known if rules is None else f"{known} ({t('corrections.rules_count', n=f'{rules:,}')})")
    return tag("p", text(" · ".join(parts)), class_="cp-note")


def _downloads(step: Step) -> None:
    article, opened = step.article, step.source
    sent = opened.sent[step.row or 0] if opened is not None and opened.sent else None
    kinds: tuple[tuple[str, str, Callable[[], bytes]], ...] = (
        ("md", "text/markdown", lambda: article_files.as_markdown(article, opened)),
        ("json", "application/json", lambda: article_files.as_json(article, sent)),
    )
    with st.popover(t("corrections.download"), icon=":material/download:", key="cr_download"):
        st.caption(t("corrections.download_why"))
        with st.container(horizontal=True):
            for kind, mime, made in kinds:
                st.download_button(
                    t(f"corrections.download_{kind}"),
                    data=made,
                    file_name=article_files.name_for(article, opened, kind),
                    mime=mime,
                    key=f"cr_download_{kind}",
                    on_click="ignore",
                )
