"""Many articles at once: a file or a pasted list, a table of what was found, and all of them corrected."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.app_pages.corrections import article_files, batch_data, review_texts, session_state
from dashboard.app_pages.corrections.article_files import FileRefused, Opened
from dashboard.app_pages.corrections.batch_data import Checked, Row
from dashboard.app_pages.corrections.file_drop import taken
from dashboard.app_pages.corrections.review_texts import problem_alert, refused_file
from dashboard.app_pages.corrections.session_state import bench
from dashboard.client import Problem, articles
from dashboard.client.article_schemas import Article
from dashboard.client.articles import ApplyResult, ScanResult
from dashboard.client.post_requests import Posted
from dashboard.components.sortable_table import Cell, Column, ledger
from dashboard.frame import states, url_state
from dashboard.frame.formats import integer
from dashboard.frame.markup import tag, text
from dashboard.i18n import HTML_LANG, LANGUAGE_NAMES, t

TABLE = "cr_batch_table"
_KEY = "corrections_batch"
_FILE = "cr_batch_file"
KINDS = ("jsonl", "json")


@dataclass
class Batch:
    """``by_hand`` are the articles that were reviewed one by one, by their place from 0."""

    opened: Opened | None = None
    asked: bool = False
    checked: Checked | None = None
    by_hand: dict[int, Article] = field(default_factory=dict)
    scans: list[ScanResult] = field(default_factory=list)
    applied: list[ApplyResult] = field(default_factory=list)
    """What is done so far: after a fault the rest is asked for, and nothing is stored twice."""
    problem: Problem | None = None
    refused: str = ""
    store: bool = False
    notice: str = ""


def state() -> Batch:
    found: Batch = st.session_state.setdefault(_KEY, Batch())
    return found


def take(opened: Opened) -> None:
    """Check these articles when the batch is shown next."""
    st.session_state[_KEY] = Batch(opened, asked=True, store=state().store)


def show(bar: DeltaGenerator) -> None:
    now = state()
    if now.asked and now.opened is not None:
        now.asked = False
        _check(now, now.opened)
    if now.checked is None or now.opened is None:
        _input(now)
    else:
        _result(now, now.opened, now.checked, bar)


# --- taking articles in


def _input(now: Batch) -> None:
    if now.refused:
        states.alert(now.refused)
    if now.problem is not None:
        problem_alert(now.problem)
        if now.opened is not None:
            st.button(t("frame.retry"), key="cr_batch_retry", on_click=_go_on)
    st.html(tag("p", text(t("corrections.batch_why")), class_="cp-lead"))
    review_texts.store_toggle("cr_batch_store")
    review_texts.choose_file(_FILE, KINDS, on_file=_file_chosen)
    with st.form("cr_batch_form", border=False):
        st.text_area(
            t("corrections.batch_paste"),
            key="cr_batch_text",
            height=180,
            placeholder='{"id": "1", "title": "…", "content": "…"}',
        )
        review_texts.check_button(t("corrections.batch_check"), "cr_batch_check", _pasted)


def _file_chosen() -> None:
    chosen = taken(_FILE)
    if chosen is not None:
        _take_from(lambda: article_files.opened(*chosen))


def _pasted() -> None:
    pasted = str(st.session_state.get("cr_batch_text") or "")
    _take_from(lambda: article_files.pasted(pasted))


def _take_from(read: Callable[[], Opened]) -> None:
    now = state()
    now.store = bool(st.session_state.get("cr_batch_store"))
    now.problem, now.refused = None, ""
    try:
        opened = read()
    except FileRefused as refused:
        now.refused = refused_file(refused)
        return
    if opened.articles:
        take(opened)
    else:
        now.refused = t("corrections.batch_empty")


def _go_on() -> None:
    now = state()
    now.asked, now.problem = True, None


def _check(now: Batch, opened: Opened) -> None:
    """Scan what is not scanned yet, request by request, and show how far it is."""
    everything = len(opened.articles)
    progress = st.progress(0.0)
    version = ""
    for part in batch_data.chunks(opened.articles[len(now.scans) :]):
        words = t("corrections.batch_progress", n=f"{len(now.scans):,}", all=f"{everything:,}")
        progress.progress(len(now.scans) / everything, words)
        made = articles.apply(part)  # first, since it stores nothing
        found = _scan(now, part) if made.error is None else None
        if found is None or found.data is None or made.data is None:
            now.problem = made.error or (found.error if found else None)
            progress.empty()
            return
        now.scans += found.data
        now.applied += made.data
        version = articles.get_rules_version(found)
    progress.empty()
    now.checked = Checked(opened.articles, tuple(now.scans), tuple(now.applied), version)
    if now.store:
        stored = sum(len(scan["violations"]) for scan in now.scans)
        now.notice = t("corrections.stored", n=f"{stored:,}")


def _scan(now: Batch, part: Sequence[Article]) -> Posted[list[ScanResult]]:
    """Stored if that was chosen and the key may; a key that may not is told of once."""
    found = articles.scan(part, persist=now.store)
    if now.store and found.error is not None and found.error.status == HTTPStatus.FORBIDDEN:
        now.store, now.notice = False, t("corrections.not_stored_key")
        found = articles.scan(part, persist=False)
    return found


# --- what was found


def _result(now: Batch, opened: Opened, checked: Checked, bar: DeltaGenerator) -> None:
    rows = batch_data.rows(checked)
    with bar:
        _downloads(now, opened, checked)
        st.button(t("corrections.batch_new"), key="cr_batch_new", icon=":material/add:", on_click=_again)
    if now.notice:
        st.html(tag("div", text(now.notice), class_="cp-awaiting", role="status"))
    st.html(_tiles(rows))
    if not batch_data.total(rows).all:
        states.empty(t("corrections.batch_clean"), key="cr_batch_clean")
    ledger(
        _columns(),
        [(str(row.number), _cells(row, now)) for row in rows],
        key=TABLE,
        caption=t("corrections.batch_caption"),
        more=t("corrections.more_rows"),
        opens=1,
        on_open=_open,
    )


def _tiles(rows: list[Row]) -> str:
    """The totals of the batch, each with its glyph."""
    total = batch_data.total(rows)
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


def _columns() -> list[Column]:
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
        Column(t("corrections.col_state")),
    ]


def _cells(row: Row, now: Batch) -> list[Cell]:
    language = row.language or ""
    counts = row.counts
    if row.number - 1 in now.by_hand:
        done = t("corrections.state_reviewed")
    elif not counts.all:
        done = t("corrections.state_clean")
    else:
        done = t("corrections.state_safe", n=counts.safe)

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
        Cell(done),
    ]


def _open() -> None:
    now = state()
    asked = str(st.session_state[TABLE].open or "")
    if now.checked is None or now.opened is None or not asked.isdecimal():
        return
    at = int(asked) - 1
    if not 0 <= at < len(now.checked.articles):
        return
    checked = now.checked
    session_state.open_checked(checked.articles[at], checked.scans[at], checked.rules_version, now.opened, at)
    url_state.write("mode", "article", "article")


def back() -> None:
    """From the review of one article to the table; what was changed in it goes into the files."""
    step, now = bench().desk.step, state()
    if step is not None and step.row is not None and step.source is now.opened and step.changed:
        now.by_hand[step.row] = step.article
    url_state.write("mode", "batch", "article")


def _again() -> None:
    st.session_state[_KEY] = Batch(store=state().store)


def _downloads(now: Batch, opened: Opened, checked: Checked) -> None:
    corrected = [now.by_hand.get(n, article) for n, article in enumerate(checked.corrected)]
    first = corrected[0]
    with st.popover(t("corrections.download_all"), icon=":material/download:", key="cr_batch_download"):
        st.caption(t("corrections.download_all_why"))
        with st.container(horizontal=True):
            st.download_button(
                "JSON Lines",
                data=lambda: article_files.as_json_lines(corrected, opened),
                file_name=article_files.name_for(first, opened, "jsonl")
                if opened.name
                else "articles-corrected.jsonl",
                mime="application/jsonl",
                key="cr_batch_jsonl",
                on_click="ignore",
            )
            st.download_button(
                t("corrections.download_table"),
                data=lambda: batch_data.summary_csv(batch_data.rows(checked)),
                file_name="articles-summary.csv",
                mime="text/csv",
                key="cr_batch_csv",
                on_click="ignore",
            )
