"""Shows stored findings: the most frequent rules, findings by day, and a table of all."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.app_pages.corrections import history_charts, violations
from dashboard.app_pages.corrections.findings import SEVERITIES
from dashboard.app_pages.corrections.history_charts import SEVERITY_GLYPHS
from dashboard.app_pages.corrections.violations import PERIODS, ViolationFilter
from dashboard.charts.plotly_chart import Table, render_chart
from dashboard.client import articles
from dashboard.client.articles import StoredViolation, ViolationPage, ViolationSummary
from dashboard.components.sortable_table import Cell, Column, sortable_table
from dashboard.frame import formats, freshness, states, url_state
from dashboard.frame.markup import tag, text
from dashboard.frame.theme import current_theme
from dashboard.frame.url_state import Binding, Code
from dashboard.i18n import HTML_LANG, LANGUAGE_NAMES, LANGUAGES, t

PAGE_SIZE = 100
MAX_RULES = 10
DAY_CHART_HEIGHT_PX = 220
_CURSORS_KEY = "cr_cursors"
"""Session key of the cursors of the visited pages, and the query that they belong to."""


def render(bar: DeltaGenerator) -> None:
    filters = _render_filters(bar)
    query = filters.build_query(datetime.now(UTC))
    summary = articles.fetch_violation_summary(query)
    if summary.data is None and summary.error is not None:
        states.render_error(summary.error, key="cr_history")
        return
    cursors = _load_cursors(query)
    page = articles.fetch_violations(query, limit=PAGE_SIZE, cursor=cursors[-1] or None)
    states.render_stale_banner(summary, page, key="cr_history")
    if summary.data is None or not summary.data["total"]:
        _render_empty(filters)
        return
    freshness.render_freshness(summary.at)
    _render_charts(filters, summary.data)
    if page.data is not None:
        _render_table(page.data, cursors, summary.data["total"])
    elif page.error is not None:
        states.render_error(page.error, key="cr_page")


def _render_filters(bar: DeltaGenerator) -> ViolationFilter:
    with bar:
        period = url_state.bind_choice("period", PERIODS, "30d")
        _render_select(
            period,
            PERIODS,
            t("corrections.period"),
            150,
            lambda period_code: t(f"corrections.period_{period_code}"),
        )
        severity = url_state.bind_choice("severity", ("", *SEVERITIES), "")
        _render_select(severity, ("", *SEVERITIES), t("corrections.filter_severity"), 170, _name_severity)
        lang = url_state.bind_choice("text_lang", ("", *LANGUAGES), "")
        _render_select(lang, ("", *LANGUAGES), t("corrections.filter_language"), 150, _name_language)
        rule = _render_text_filter("by_rule", t("corrections.filter_rule"), t("corrections.rule_hint"))
        entity = _render_text_filter(
            "by_entity", t("corrections.filter_entity"), t("corrections.entity_hint")
        )
    return ViolationFilter(period.value, severity.value, lang.value, rule, entity)


def _render_select(
    binding: Binding[Code],
    codes: Sequence[Code],
    label: str,
    width: int,
    name: Callable[[Code], str],
) -> None:
    st.selectbox(
        label,
        codes,
        codes.index(binding.value),
        **binding.widget,
        label_visibility="collapsed",
        width=width,
        format_func=name,
    )


def _render_text_filter(key: str, label: str, hint: str) -> str:
    binding = url_state.bind_text(key)
    st.text_input(
        label,
        binding.value,
        **binding.widget,
        label_visibility="collapsed",
        placeholder=hint,
        width=170,
    )
    return binding.value.strip()


def _name_severity(code: str) -> str:
    return f"{SEVERITY_GLYPHS[code]} {t(f'corrections.{code}')}" if code else t("corrections.any_severity")


def _name_language(code: str) -> str:
    return LANGUAGE_NAMES.get(code) or t("corrections.any_language")


def _render_empty(filters: ViolationFilter) -> None:
    """Render an empty state: no findings at all, or none that match the filters."""
    everything = articles.fetch_violation_summary({})
    if everything.data is not None and not everything.data["total"]:
        states.render_empty(t("corrections.history_empty"), key="cr_history")
        return
    action = t("corrections.show_all") if filters != ViolationFilter("all") else None
    states.render_empty(
        t("corrections.history_none"), action=action, on_click=_clear_filters, key="cr_history"
    )


def _clear_filters() -> None:
    for name in ("severity", "text_lang", "by_rule", "by_entity"):
        url_state.write_param(name, "", "")
    url_state.write_param("period", "all", "30d")


def _go_to_newer_page() -> None:
    st.session_state[_CURSORS_KEY][1].pop()


def _load_cursors(query: dict[str, str]) -> list[str]:
    stored = st.session_state.get(_CURSORS_KEY)
    if stored is None or stored[0] != query:
        stored = st.session_state[_CURSORS_KEY] = (query, [""])
    pages: list[str] = stored[1]
    return pages


# --- charts


def _render_charts(filters: ViolationFilter, summary: ViolationSummary) -> None:
    theme = current_theme()
    rules = violations.list_top(summary["rules"], MAX_RULES)
    left, right = st.columns([5, 6], gap="medium")
    with left, st.container(key="cr_panel_rules", border=True, gap="small"):
        st.html(_build_heading(t("corrections.chart_rules"), t("corrections.chart_rules_why", n=len(rules))))
        all_rules = violations.list_top(summary["rules"], len(summary["rules"]))
        words = t("corrections.chart_rules_alt", first=rules[0][0], n=f"{rules[0][1]:,}")
        render_chart(
            history_charts.build_rule_chart(rules, theme),
            key="cr_rules",
            height=history_charts.compute_rule_chart_height_px(len(rules)),
            alt=words,
            table=_build_chart_table(t("corrections.chart_rules"), t("corrections.rule"), all_rules),
        )
    with right, st.container(key="cr_panel_days", border=True, gap="small"):
        total = t("corrections.total", n=f"{summary['total']:,}")
        st.html(_build_heading(t("corrections.chart_days"), total))
        days = violations.count_by_day(summary, filters.period, datetime.now(UTC).date())
        best = max(days, key=lambda day: day[1])
        words = t("corrections.chart_days_alt", day=best[0].isoformat(), n=f"{best[1]:,}")
        by_day = [(day.isoformat(), count) for day, count in reversed(days) if count]
        render_chart(
            history_charts.build_day_chart(days, theme),
            key="cr_days",
            height=DAY_CHART_HEIGHT_PX,
            alt=words,
            table=_build_chart_table(t("corrections.chart_days"), t("corrections.col_day"), by_day),
        )
        counts_by_severity = {
            severity_count["key"]: severity_count["count"] for severity_count in summary["severities"]
        }
        counts: dict[str, int] = {severity: counts_by_severity.get(severity, 0) for severity in SEVERITIES}
        names: dict[str, str] = {severity: t(f"corrections.{severity}s") for severity in SEVERITIES}
        st.html(history_charts.build_severity_bar(counts, names))


def _build_heading(title: str, note: str) -> str:
    return tag("div", tag("h2", text(title)), tag("p", text(note), class_="cp-note"), class_="cp-panel-head")


def _build_chart_table(caption: str, name: str, rows: Sequence[tuple[str, int]]) -> Table:
    return Table(caption, [name, t("corrections.col_count")], [[key, f"{count:,}"] for key, count in rows])


# --- table


def _render_table(page: ViolationPage, cursors: list[str], total: int) -> None:
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
    first = (len(cursors) - 1) * PAGE_SIZE
    range_text = t(
        "corrections.page", first=f"{first + 1:,}", last=f"{first + len(page['data']):,}", n=f"{total:,}"
    )
    sortable_table(
        columns,
        [(str(row["id"]), _build_cells(row, now)) for row in page["data"]],
        key="cr_history_table",
        caption=t("corrections.history_caption"),
        more=t("corrections.more_rows"),
    )
    with st.container(key="cr_pages", horizontal=True, vertical_alignment="center", gap="small"):
        st.button(
            t("corrections.newer"), key="cr_newer", disabled=len(cursors) < 2, on_click=_go_to_newer_page
        )
        following = page["next_cursor"]
        st.button(
            t("corrections.older"), key="cr_older", disabled=following is None,
            on_click=cursors.append, args=(following,),
        )  # fmt: skip
        st.html(tag("p", text(range_text), class_="cp-note"))


def _build_cells(row: StoredViolation, now: datetime) -> list[Cell]:
    at = formats.parse_instant(row["stored_at"])
    local = formats.local_time(at, st.context.timezone, now).text if at else "–"
    lang = row["language"]
    severity = row["severity"]
    return [
        Cell(local, row["stored_at"]),
        Cell(
            f"{SEVERITY_GLYPHS[severity]} {t(f'corrections.{severity}')}",
            SEVERITIES.index(severity),
            severity,
        ),
        Cell(row["matched_text"], lang=HTML_LANG.get(lang)),
        Cell(row["suggested_name"] or "–", lang=HTML_LANG.get(lang)),
        Cell(row["rule_id"]),
        Cell(t(f"corrections.type_{row['violation_type']}")),
        Cell(LANGUAGE_NAMES.get(lang, lang)),
        Cell(row["article_id"] or "–"),
        Cell(row["field"]),
    ]
