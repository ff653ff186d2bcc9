"""Shows alerts as sentences, and the cases behind an alert."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pyarrow as pa
import streamlit as st

from backend.timelines.analysis.alerts import Alert
from backend.timelines.analysis.verdict_templates import TEMPLATES
from backend.timelines.analysis.verdicts import alert_sentence, day, points, watch_sentence
from dashboard.app_pages.timelines import alert_data, data, url_state
from dashboard.app_pages.timelines.alert_data import CaseChange
from dashboard.app_pages.timelines.data import AlertsResult
from dashboard.app_pages.timelines.lazy_sections import reselect
from dashboard.app_pages.timelines.section_text import format_percent, render_section_heading
from dashboard.app_pages.timelines.selection import TimelinesState, format_alert_id
from dashboard.frame.formats import ARROWS, Direction
from dashboard.frame.markup import tag, text
from dashboard.i18n import language, t

MAX_CASES = 12
"""Visible rows of the cases behind an alert; the rest are folded."""
MAX_UNWATCHED = 3


def render(table: pa.Table, state: TimelinesState) -> bool:
    """Render the alerts; returns whether their false alarm rates are still being computed."""
    result = data.find_alerts(table, state)
    render_section_heading(t("timelines.alerts"), t("timelines.alerts_why"))
    if not result.shown:
        st.html(tag("p", text(TEMPLATES[language()]["no_alert"]), class_="tl-calm"))
    # The style sheet sets the height by the number of alerts in the key.
    with st.container(key=f"tl_warnings_{len(result.shown)}", gap=None):
        for number, alert in enumerate(result.shown):
            _render_alert(result, alert, number, state)
    notes = [t("timelines.alerts_more", n=result.older)] if result.older else []
    notes += _list_unwatched(result)
    if notes:
        st.html(tag("p", text(" ".join(notes)), class_="cp-note"))
    if state.alert and alert_data.find_alert(result.arrays, result.watched, state.alert) is None:
        st.html(tag("p", text(t("timelines.alert_gone")), class_="cp-note", role="status"))
    return result.rates_pending


def _render_alert(result: AlertsResult, alert: Alert, number: int, state: TimelinesState) -> None:
    name = result.arrays.profiles[alert.profile]
    alert_id = format_alert_id(name, alert.since)
    sentence = alert_sentence(alert, name, language(), now=datetime.now(UTC))
    glyph = ARROWS["down" if alert.fell else "up"]
    note = "" if alert.standing else tag("span", text(t("timelines.alert_over")), class_="cp-note")
    opened = state.alert == alert_id
    with st.container(key=f"tl_warning_{number}", horizontal=True, vertical_alignment="center", gap="small"):
        st.html(
            tag(
                "p",
                tag("span", glyph, class_=f"tl-alert-{'fall' if alert.fell else 'rise'}", aria_hidden="true"),
                tag("span", text(sentence), note),
                class_="tl-alert" if alert.standing else "tl-alert tl-alert-over",
            )
        )
        st.button(
            t("timelines.cases_hide") if opened else t("timelines.cases_show"),
            key=f"tl_cases_of_{number}",
            on_click=_toggle_cases,
            args=(None if opened else alert_id,),
            type="tertiary",
        )
    if opened:
        _render_cases(result, alert, name)


def _toggle_cases(alert_id: str | None) -> None:
    url_state.update(alert=alert_id)
    url_state.redraw_sections("alerts")


def _list_unwatched(result: AlertsResult) -> list[str]:
    lang = language()
    sentences = [watch_sentence(each, result.arrays.profiles[each.profile], lang) for each in result.watched]
    shown = [sentence for sentence in sentences if sentence is not None]
    rest = len(shown) - MAX_UNWATCHED
    return shown[:MAX_UNWATCHED] + ([t("timelines.unwatched_more", n=f"{rest:,}")] if rest > 0 else [])


def _render_cases(result: AlertsResult, alert: Alert, name: str) -> None:
    previous, following = alert_data.find_adjacent_alerts(result.watched, alert)
    changes = alert_data.compute_case_changes(result.arrays, alert, previous, following)
    with st.container(key="tl_alert_open", border=True, gap="small"):
        caption = t("timelines.cases_of", name=name, day=day(alert.since, language()))
        table = _build_table(caption, changes[:MAX_CASES])
        scroll = tag("div", table, class_="cp-scroll", tabindex="0", role="region", aria_label=caption)
        st.html(tag("p", text(caption), class_="tl-caption", aria_hidden="true") + scroll)
        if len(changes) > MAX_CASES:
            rest = tag("summary", text(t("timelines.cases_more", n=len(changes) - MAX_CASES)))
            st.html(tag("details", rest, _build_table(caption, changes[MAX_CASES:]), class_="cp-fold"))
        with st.container(horizontal=True, gap="small"):
            st.button(
                t("timelines.only_this"),
                key="tl_alert_only",
                icon=":material/filter_alt:",
                on_click=_filter_by_alert,
                args=(
                    name,
                    [case.case for case in changes if _has_direction_of(alert, case.change)][:MAX_CASES],
                ),
            )


def _has_direction_of(alert: Alert, change: float) -> bool:
    return change < 0 if alert.fell else change > 0


def _filter_by_alert(profile: str, cases: Sequence[str]) -> None:
    """Filter the page to one profile and the cases that moved its score."""
    reselect(profiles=(profile,), cases=tuple(cases), hidden_profiles=())


def _build_table(caption: str, changes: Sequence[CaseChange]) -> str:
    names = ("case", "before", "since_then", "change", "runs")
    heads = "".join(tag("th", text(t(f"timelines.col_{name}")), scope="col") for name in names)
    rows = "".join(
        tag(
            "tr",
            tag("th", text(case.case), scope="row"),
            tag("td", format_percent(case.before)),
            tag("td", format_percent(case.since)),
            tag("td", _format_change(case.change)),
            tag("td", f"{case.runs_before:,} / {case.runs_since:,}"),
        )
        for case in changes
    )
    return tag(
        "table",
        tag("caption", text(caption), class_="cp-sr"),
        tag("thead", tag("tr", heads)),
        tag("tbody", rows),
        class_="cp-table tl-cases",
    )


def _format_change(change: float) -> str:
    """Render ``▼ 4.1``, in points, with the colour of its direction."""
    direction: Direction = "down" if change < 0 else "up" if change > 0 else "flat"
    return tag("span", f"{ARROWS[direction]} {points(abs(change))}", class_=f"cp-{direction}")
