"""Shows a batch of articles: its input, the table of findings, and the downloads."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from uuid import uuid4

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.app_pages.corrections import article_files, batch_data, review_texts, session_state
from dashboard.app_pages.corrections.article_dates import find_date
from dashboard.app_pages.corrections.article_files import ArticleFile, InvalidFileError
from dashboard.app_pages.corrections.batch_data import CheckedBatch, Row
from dashboard.app_pages.corrections.file_drop import read_file
from dashboard.app_pages.corrections.review_texts import describe_invalid_file, render_problem
from dashboard.app_pages.corrections.session_state import load_state as load_editor_state
from dashboard.client import Problem, articles
from dashboard.client.article_schemas import Article
from dashboard.client.articles import ApplyResult, ScanResult
from dashboard.client.post_requests import Posted
from dashboard.components.draft_storage import (
    forget_draft,
    remove_submitted_draft,
    render_restored_notice,
    store_draft,
)
from dashboard.components.sortable_table import Cell, Column, sortable_table
from dashboard.frame import states, url_state
from dashboard.frame.formats import integer
from dashboard.frame.markup import tag, text
from dashboard.i18n import HTML_LANG, LANGUAGE_NAMES, t
from dashboard.i18n.punctuation import add_note

TABLE_KEY = "cr_batch_table"
TEXT_KEY = "cr_batch_text"
FORM = "batch"
_STATE_KEY = "corrections_batch"
_FILE_KEY = "cr_batch_file"
FORMATS = ("jsonl", "json")


@dataclass
class BatchState:
    """``reviewed`` are the articles that were reviewed one by one, by their index."""

    file: ArticleFile | None = None
    batch_id: str = field(default_factory=lambda: uuid4().hex)
    """Names the requests of the batch, so that a repeated one stores nothing twice."""
    check_requested: bool = False
    checked: CheckedBatch | None = None
    reviewed: dict[int, Article] = field(default_factory=dict)
    scans: list[ScanResult] = field(default_factory=list)
    applied: list[ApplyResult] = field(default_factory=list)
    """Results so far. After an error only the rest is requested, so that nothing is stored twice."""
    problem: Problem | None = None
    error: str = ""
    store: bool = False
    notice: str = ""


def load_state() -> BatchState:
    state: BatchState = st.session_state.setdefault(_STATE_KEY, BatchState())
    return state


def replace_state(state: BatchState) -> None:
    st.session_state[_STATE_KEY] = state


def start_batch(file: ArticleFile) -> None:
    """Start a batch that is checked when the page is drawn next."""
    replace_state(BatchState(file, check_requested=True, store=load_state().store))
    forget_draft(FORM)


def render(bar: DeltaGenerator) -> None:
    state = load_state()
    if state.check_requested and state.file is not None:
        state.check_requested = False
        _check_articles(state, state.file)
    if state.checked is None or state.file is None:
        _render_input(state)
    else:
        _render_results(state, state.file, state.checked, bar)
        remove_submitted_draft(FORM)


def is_form_open() -> bool:
    state = load_state()
    return not state.check_requested and state.checked is None


# --- input


def _render_input(state: BatchState) -> None:
    if state.error:
        states.render_action_error(state.error)
    if state.problem is not None:
        render_problem(state.problem)
        if state.file is not None:
            st.button(t("frame.retry"), key="cr_batch_retry", on_click=_retry)
    st.html(tag("p", text(t("corrections.batch_why")), class_="cp-lead"))
    review_texts.render_store_toggle("cr_batch_store")
    review_texts.render_file_drop(_FILE_KEY, FORMATS, on_file=_on_file_chosen)
    render_restored_notice(FORM)
    with st.form("cr_batch_form", border=False):
        st.text_area(
            t("corrections.batch_paste"),
            key=TEXT_KEY,
            height=180,
            placeholder='{"id": "1", "title": "…", "content": "…"}',
        )
        review_texts.render_check_button(t("corrections.batch_check"), "cr_batch_check", _on_pasted)
    store_draft(FORM, (TEXT_KEY,))


def _on_file_chosen() -> None:
    chosen = read_file(_FILE_KEY)
    if chosen is not None:
        _read_articles(lambda: article_files.parse_file(*chosen))


def _on_pasted() -> None:
    pasted = str(st.session_state.get(TEXT_KEY) or "")
    _read_articles(lambda: article_files.parse_pasted(pasted))


def _read_articles(read: Callable[[], ArticleFile]) -> None:
    state = load_state()
    state.store = bool(st.session_state.get("cr_batch_store"))
    state.problem, state.error = None, ""
    try:
        file = read()
    except InvalidFileError as error:
        state.error = describe_invalid_file(error)
        return
    if file.articles:
        start_batch(file)
    else:
        state.error = t("corrections.batch_empty")


def _retry() -> None:
    state = load_state()
    state.check_requested, state.problem = True, None


def _check_articles(state: BatchState, file: ArticleFile) -> None:
    """Scan the remaining articles, request by request, and show the progress."""
    total = len(file.articles)
    progress = st.progress(0.0)
    version = ""
    for part in batch_data.split_requests(file.articles[len(state.scans) :]):
        words = t("corrections.batch_progress", n=f"{len(state.scans):,}", all=f"{total:,}")
        progress.progress(len(state.scans) / total, words)
        applied = articles.apply(part)  # first, because it stores nothing
        scanned = _scan(state, part) if applied.error is None else None
        if scanned is None or scanned.data is None or applied.data is None:
            state.problem = applied.error or (scanned.error if scanned else None)
            progress.empty()
            return
        state.scans += scanned.data
        state.applied += applied.data
        version = articles.get_rules_version(scanned)
    progress.empty()
    state.checked = CheckedBatch(file.articles, tuple(state.scans), tuple(state.applied), version)
    if state.store:
        stored = sum(len(scan["violations"]) for scan in state.scans)
        state.notice = t("corrections.stored", n=f"{stored:,}")


def _scan(state: BatchState, part: Sequence[Article]) -> Posted[list[ScanResult]]:
    """Scan and, if chosen, store. If the key may not store, add a notice and scan without."""
    key = f"{state.batch_id}-{len(state.scans)}" if state.store else ""
    scanned = articles.scan(part, persist=state.store, idempotency_key=key)
    if state.store and scanned.error is not None and scanned.error.status == HTTPStatus.FORBIDDEN:
        state.store, state.notice = False, t("corrections.not_stored_key")
        scanned = articles.scan(part, persist=False)
    return scanned


# --- results


def _render_results(state: BatchState, file: ArticleFile, checked: CheckedBatch, bar: DeltaGenerator) -> None:
    rows = batch_data.build_rows(checked)
    with bar:
        _render_downloads(state, file, checked)
        st.button(t("corrections.batch_new"), key="cr_batch_new", icon=":material/add:", on_click=_start_new)
    if state.notice:
        st.html(tag("div", text(state.notice), class_="cp-awaiting", role="status"))
    st.html(_build_tiles(rows))
    if not batch_data.sum_counts(rows).all:
        states.render_empty(t("corrections.batch_clean"), key="cr_batch_clean")
    sortable_table(
        _build_columns(),
        [(str(row.number), _build_cells(row, state)) for row in rows],
        key=TABLE_KEY,
        caption=t("corrections.batch_caption"),
        more=t("corrections.more_rows"),
        opens=1,
        on_open=_on_row_opened,
    )


def _build_tiles(rows: list[Row]) -> str:
    """Build the totals of the batch, each with its glyph."""
    total = batch_data.sum_counts(rows)
    clean = sum(not row.counts.all for row in rows)
    facts = (
        ("", t("corrections.batch_articles"), len(rows)),
        ("", t("corrections.batch_without"), clean),
        ("✕ ", t("corrections.errors"), total.error),
        ("▲ ", t("corrections.warnings"), total.warning),
        ("● ", t("corrections.infos"), total.info),
        ("✓ ", t("corrections.col_safe"), total.safe),
        ("", t("corrections.col_approval"), total.approval),
    )
    parts = (
        tag("div", tag("dt", text(name)), tag("dd", text(f"{glyph}{number:,}")))
        for glyph, name, number in facts
    )
    return tag("dl", *parts, class_="cp-figures")


def _build_columns() -> list[Column]:
    return [
        Column("#", "number"),
        Column(t("corrections.col_article"), "wide"),
        Column(t("corrections.col_language")),
        Column(t("corrections.col_length"), "number"),
        Column(f"✕ {t('corrections.errors')}", "number"),
        Column(f"▲ {t('corrections.warnings')}", "number"),
        Column(f"● {t('corrections.infos')}", "number"),
        Column(t("corrections.col_safe"), "number", t("corrections.kind_safe")),
        Column(t("corrections.col_approval"), "number", t("corrections.kind_approval")),
        Column(t("corrections.date"), hint=t("corrections.batch_date_help")),
        Column(t("corrections.col_state")),
    ]


def _build_cells(row: Row, state: BatchState) -> list[Cell]:
    language = row.language or ""
    counts = row.counts
    if row.number - 1 in state.reviewed:
        state_text = t("corrections.state_reviewed")
    elif not counts.all:
        state_text = t("corrections.state_clean")
    else:
        state_text = t("corrections.state_safe", n=counts.safe)

    def number(value: int, tone: str = "") -> Cell:
        return Cell(integer(value), value, tone if value else "muted")

    return [
        Cell(str(row.number), row.number, "muted"),
        Cell(row.name, lang=HTML_LANG.get(language)),
        Cell(LANGUAGE_NAMES.get(language, "–")),
        number(row.length),
        number(counts.error, "error"),
        number(counts.warning, "warning"),
        number(counts.info, "info"),
        number(counts.safe),
        number(counts.approval),
        _build_date_cell(row, state),
        Cell(state_text),
    ]


def _build_date_cell(row: Row, state: BatchState) -> Cell:
    reviewed = state.reviewed.get(row.number - 1)
    found = find_date(reviewed, state.file) if reviewed else row.date
    if found.day is None:
        return Cell(t("corrections.origin_unknown"), "", "muted")
    return Cell(add_note(found.iso, t(f"corrections.origin_{found.origin}")), found.iso)


def _on_row_opened() -> None:
    state = load_state()
    row = str(st.session_state[TABLE_KEY].open or "")
    if state.checked is None or state.file is None or not row.isdecimal():
        return
    at = int(row) - 1
    if not 0 <= at < len(state.checked.articles):
        return
    checked = state.checked
    session_state.open_scanned(checked.articles[at], checked.scans[at], checked.rules_version, state.file, at)
    url_state.write_param("mode", "article", "article")


def return_to_batch() -> None:
    """Return from the review of an article to the table, and store the changed article for the downloads."""
    step, state = load_editor_state().history.step, load_state()
    if step is not None and step.row is not None and step.source is state.file and step.is_changed:
        state.reviewed[step.row] = step.article
    url_state.write_param("mode", "batch", "article")


def _start_new() -> None:
    replace_state(BatchState(store=load_state().store))


def _render_downloads(state: BatchState, file: ArticleFile, checked: CheckedBatch) -> None:
    corrected = [state.reviewed.get(n, article) for n, article in enumerate(checked.corrected)]
    first = corrected[0]
    with st.popover(t("corrections.download_all"), icon=":material/download:", key="cr_batch_download"):
        st.caption(t("corrections.download_all_why"))
        with st.container(horizontal=True):
            st.download_button(
                "JSON Lines",
                data=lambda: article_files.to_json_lines(corrected, file),
                file_name=article_files.build_file_name(first, file, "jsonl")
                if file.name
                else "articles-corrected.jsonl",
                mime="application/jsonl",
                key="cr_batch_jsonl",
                on_click="ignore",
            )
            st.download_button(
                t("corrections.download_table"),
                data=lambda: batch_data.build_summary_csv(batch_data.build_rows(checked)),
                file_name="articles-summary.csv",
                mime="text/csv",
                key="cr_batch_csv",
                on_click="ignore",
            )
