"""What was found and stored so far: which rules fire most, when, and every finding in a table."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.app_pages.corrections import history_charts, violations
from dashboard.app_pages.corrections.findings import SEVERITIES
from dashboard.app_pages.corrections.history_charts import GLYPHS
from dashboard.app_pages.corrections.violations import PERIODS, Wanted
from dashboard.charts.plotly_chart import Table, render_chart
from dashboard.client import articles
from dashboard.client.articles import StoredViolation, ViolationPage, ViolationSummary
from dashboard.components.sortable_table import Cell, Column, ledger
from dashboard.frame import formats, freshness, states, url_state
from dashboard.frame.markup import tag, text
from dashboard.frame.theme import current_theme
from dashboard.i18n import HTML_LANG, LANGUAGE_NAMES, LANGUAGES, t

PAGE = 100
RULES = 10
DAY_HEIGHT = 220
_CURSORS = "cr_cursors"
"""The cursors of the pages so far and the filters that they belong to."""


def show(bar: DeltaGenerator) -> None:
    wanted = _filters(bar)
    query = wanted.query(datetime.now(UTC))
    summary = articles.fetch_violation_summary(query)
    if summary.data is None and summary.error is not None:
        states.error(summary.error, key="cr_history")
        return
    cursors = _cursors(query)
    page = articles.fetch_violations(query, limit=PAGE, cursor=cursors[-1] or None)
    states.stale_banner(summary, page, key="cr_history")
    if summary.data is None or not summary.data["total"]:
        _nothing(wanted)
        return
    freshness.render_freshness(summary.at)
    _drawings(wanted, summary.data)
    if page.data is not None:
        _table(page.data, cursors, summary.data["total"])
    elif page.error is not None:
        states.error(page.error, key="cr_page")


def _filters(bar: DeltaGenerator) -> Wanted:
    with bar:
        period, on_period = url_state.sync("period", PERIODS, "30d")
        _select(
            "period",
            PERIODS,
            on_period,
            t("corrections.period"),
            150,
            lambda one: t(f"corrections.period_{one}"),
        )
        severity, on_severity = url_state.sync("severity", ("", *SEVERITIES), "")
        _select(
            "severity", ("", *SEVERITIES), on_severity, t("corrections.filter_severity"), 170, _severity_name
        )
        lang, on_lang = url_state.sync("text_lang", ("", *LANGUAGES), "")
        _select("text_lang", ("", *LANGUAGES), on_lang, t("corrections.filter_language"), 150, _language_name)
        rule = _typed("by_rule", t("corrections.filter_rule"), t("corrections.rule_hint"))
        entity = _typed("by_entity", t("corrections.filter_entity"), t("corrections.entity_hint"))
    return Wanted(period, severity, lang, rule, entity)


def _select(
    key: str,
    codes: Sequence[str],
    on_change: Callable[[], None],
    label: str,
    width: int,
    name: Callable[[str], str],
) -> None:
    st.selectbox(
        label,
        codes,
        key=key,
        on_change=on_change,
        label_visibility="collapsed",
        width=width,
        format_func=name,
    )


def _typed(key: str, label: str, hint: str) -> str:
    value, on_change = url_state.sync_text(key)
    st.text_input(
        label, key=key, on_change=on_change, label_visibility="collapsed", placeholder=hint, width=170
    )
    return value.strip()


def _severity_name(code: str) -> str:
    return f"{GLYPHS[code]} {t(f'corrections.{code}')}" if code else t("corrections.any_severity")


def _language_name(code: str) -> str:
    return LANGUAGE_NAMES.get(code) or t("corrections.any_language")


def _nothing(wanted: Wanted) -> None:
    """Nothing at all yet, or nothing that the filters let through."""
    everything = articles.fetch_violation_summary({})
    if everything.data is not None and not everything.data["total"]:
        states.empty(t("corrections.history_empty"), key="cr_history")
        return
    action = t("corrections.show_all") if wanted != Wanted("all") else None
    states.empty(t("corrections.history_none"), action=action, on_click=_show_all, key="cr_history")


def _show_all() -> None:
    for name in ("severity", "text_lang", "by_rule", "by_entity"):
        url_state.write(name, "", "")
    url_state.write("period", "all", "30d")


def _newer() -> None:
    st.session_state[_CURSORS][1].pop()


def _cursors(query: dict[str, str]) -> list[str]:
    kept = st.session_state.get(_CURSORS)
    if kept is None or kept[0] != query:
        kept = st.session_state[_CURSORS] = (query, [""])
    pages: list[str] = kept[1]
    return pages


# --- drawings


def _drawings(wanted: Wanted, summary: ViolationSummary) -> None:
    seen = current_theme()
    rules = violations.top(summary["rules"], RULES)
    left, right = st.columns([5, 6], gap="medium")
    with left, st.container(key="cr_panel_rules", border=True, gap="small"):
        st.html(_head(t("corrections.chart_rules"), t("corrections.chart_rules_why", n=len(rules))))
        every = violations.top(summary["rules"], len(summary["rules"]))
        words = t("corrections.chart_rules_alt", first=rules[0][0], n=f"{rules[0][1]:,}")
        render_chart(
            history_charts.rule_bars(rules, seen),
            key="cr_rules",
            height=history_charts.bars_height(len(rules)),
            alt=words,
            table=_table_of(t("corrections.chart_rules"), t("corrections.rule"), every),
        )
    with right, st.container(key="cr_panel_days", border=True, gap="small"):
        total = t("corrections.total", n=f"{summary['total']:,}")
        st.html(_head(t("corrections.chart_days"), total))
        days = violations.by_day(summary, wanted.period, datetime.now(UTC).date())
        best = max(days, key=lambda day: day[1])
        words = t("corrections.chart_days_alt", day=best[0].isoformat(), n=f"{best[1]:,}")
        by_day = [(day.isoformat(), count) for day, count in reversed(days) if count]
        render_chart(
            history_charts.day_bars(days, seen),
            key="cr_days",
            height=DAY_HEIGHT,
            alt=words,
            table=_table_of(t("corrections.chart_days"), t("corrections.col_day"), by_day),
        )
        known = {one["key"]: one["count"] for one in summary["severities"]}
        counts: dict[str, int] = {severity: known.get(severity, 0) for severity in SEVERITIES}
        names: dict[str, str] = {severity: t(f"corrections.{severity}s") for severity in SEVERITIES}
        st.html(history_charts.severity_parts(counts, names))


def _head(title: str, note: str) -> str:
    return tag("div", tag("h2", text(title)), tag("p", text(note), class_="cp-note"), class_="cp-panel-head")


def _table_of(caption: str, name: str, rows: Sequence[tuple[str, int]]) -> Table:
    return Table(caption, [name, t("corrections.col_count")], [[key, f"{count:,}"] for key, count in rows])


# --- the findings themselves


def _table(page: ViolationPage, cursors: list[str], total: int) -> None:
    columns = [
        Column(t("corrections.col_stored")),
        Column(t("corrections.col_severity")),
        Column(t("corrections.col_found"), "wide"),
        Column(t("corrections.col_suggestion"), "wide"),
        Column(t("corrections.rule")),
        Column(t("corrections.col_kind")),
        Column(t("corrections.col_language")),
        Column(t("corrections.col_article"), "wide"),
        Column(t("corrections.col_field")),
    ]
    now = datetime.now(UTC)
    first = (len(cursors) - 1) * PAGE
    shown = t(
        "corrections.page", first=f"{first + 1:,}", last=f"{first + len(page['data']):,}", n=f"{total:,}"
    )
    ledger(
        columns,
        [(str(row["id"]), _cells(row, now)) for row in page["data"]],
        key="cr_history_table",
        caption=t("corrections.history_caption"),
        more=t("corrections.more_rows"),
    )
    with st.container(key="cr_pages", horizontal=True, vertical_alignment="center", gap="small"):
        st.button(t("corrections.newer"), key="cr_newer", disabled=len(cursors) < 2, on_click=_newer)
        following = page["next_cursor"]
        st.button(
            t("corrections.older"), key="cr_older", disabled=following is None,
            on_click=cursors.append, args=(following,),
        )  # fmt: skip
        st.html(tag("p", text(shown), class_="cp-note"))


def _cells(row: StoredViolation, now: datetime) -> list[Cell]:
    at = formats.parse_instant(row["stored_at"])
    local = formats.local_time(at, st.context.timezone, now).text if at else "–"
    lang = row["language"]
    severity = row["severity"]
    return [
        Cell(local, row["stored_at"]),
        Cell(f"{GLYPHS[severity]} {t(f'corrections.{severity}')}", SEVERITIES.index(severity), severity),
        Cell(row["matched_text"], lang=HTML_LANG.get(lang)),
        Cell(row["suggested_name"] or "–", lang=HTML_LANG.get(lang)),
        Cell(row["rule_id"]),
        Cell(t(f"corrections.type_{row['violation_type']}")),
        Cell(LANGUAGE_NAMES.get(lang, lang)),
        Cell(row["article_id"] or "–"),
        Cell(row["field"]),
    ]
