"""Shows the score over time: the choice of lines and windows, the chart, and notes on it."""

import streamlit as st

from backend.timelines.analysis.alerts import Alert
from backend.timelines.analysis.scores_over_time import ColumnChange, OverTime, fitting_window, list_changes
from backend.timelines.analysis.verdict_templates import TEMPLATES
from backend.timelines.analysis.verdicts import alert_sentence, day
from backend.timelines.columns.run_arrays import RunArrays
from dashboard.app_pages.timelines import data, score_chart, score_data, url_state
from dashboard.app_pages.timelines.line_chart import line_chart
from dashboard.app_pages.timelines.score_chart import ScoreChart
from dashboard.app_pages.timelines.section_text import format_percent, render_section_heading
from dashboard.app_pages.timelines.selection import TimelinesState, is_sample
from dashboard.frame import theme
from dashboard.frame.markup import tag, text
from dashboard.frame.widget_state import bind_widget
from dashboard.i18n import language, t

AUTO_CODE = "auto"
MARKED_COLUMNS = ("model", "inference_provider", "revision", "config_digest")
"""Columns whose changes have a mark on the line."""


def render(arrays: RunArrays, state: TimelinesState) -> None:
    over_time = score_data.build_lines(arrays, state.score_window_seconds, same_cases=state.center_cases)
    scores = _build_score_chart(arrays, state, over_time, data.find_alerts(arrays, state, timeout_seconds=0))
    with st.container(key="tl_scores", border=True, gap="small"):
        render_section_heading(t("timelines.scores"), t("timelines.scores_why"))
        with st.container(key="tl_scores_bar", horizontal=True, vertical_alignment="center", gap="small"):
            _render_window(arrays, state)
            _render_same_cases(state)
        _render_legend(arrays, state)
        _render_chart(scores, over_time)
        st.html(tag("p", text(" ".join(_list_notes(arrays, over_time))), class_="cp-note"))


def _render_window(arrays: RunArrays, state: TimelinesState) -> None:
    codes = {str(window): window for window in score_data.list_windows(arrays)}
    code = str(state.score_window_seconds)
    chosen = code if code in codes else AUTO_CODE
    names = {AUTO_CODE: t("timelines.window_auto", window=name_window(fitting_window(arrays)))}
    names |= {code: name_window(window * 1_000_000) for code, window in codes.items()}
    st.selectbox(
        t("timelines.window"),
        list(names),
        format_func=lambda code: names.get(code, code),
        label_visibility="collapsed",
        index=list(names).index(chosen),
        **bind_widget("tl_window", chosen, _choose_window),
    )


def name_window(micros: int) -> str:
    unit, count = score_data.find_unit(micros)
    return t(f"timelines.window_{unit}", n=f"{count:,}")


def _choose_window(code: str) -> None:
    url_state.update_state(score_window_seconds=None if code == AUTO_CODE else int(code))
    url_state.redraw_sections("tab")


def _render_same_cases(state: TimelinesState) -> None:
    widget = bind_widget("tl_centred", state.center_cases, _choose_same_cases)
    st.checkbox(t("timelines.same_cases"), state.center_cases, help=t("timelines.same_cases_why"), **widget)


def _choose_same_cases(on: bool) -> None:
    url_state.update_state(center_cases=on)
    url_state.redraw_sections("tab")


def _render_legend(arrays: RunArrays, state: TimelinesState) -> None:
    """Render the lines' names as buttons in the lines' colours; visible lines are pressed."""
    names = [name for name in state.profiles if name in arrays.profiles]
    visible = [name for name in names if name not in state.hidden_profiles]
    widget = bind_widget("tl_legend", visible, lambda shown: _choose_lines(names, shown))
    with st.container(key="tl_legend_box"):
        st.pills(
            t("timelines.legend"),
            names,
            default=visible,
            selection_mode="multi",
            label_visibility="collapsed",
            **widget,
        )


def _choose_lines(names: list[str], shown: list[str]) -> None:
    url_state.update_state(hidden_profiles=tuple(name for name in names if name not in shown))
    url_state.redraw_sections("tab")


def _build_score_chart(
    arrays: RunArrays, state: TimelinesState, over_time: OverTime, result: data.AlertsResult
) -> ScoreChart:
    styles = {
        index: n
        for n, name in enumerate(name for name in state.profiles if name in arrays.profiles)
        if (index := arrays.place_of(name)) is not None
    }
    hidden_indexes = {arrays.place_of(name) for name in state.hidden_profiles}
    lines = [
        line for line in over_time.lines if line.profile in styles and line.profile not in hidden_indexes
    ]
    # Profile indexes refer to the whole table, so the alerts' indexes are valid in this selection.
    changes = [change for column in MARKED_COLUMNS for change in list_changes(arrays, column)]
    alerts = [alert for alert in result.shown if alert.profile in styles]
    at_alerts, at_changes = score_data.list_positions(alerts, changes)
    by_alert = zip(score_data.place_marks(lines, at_alerts), alerts, strict=True)
    by_change = zip(score_data.place_marks(lines, at_changes), changes, strict=True)
    return ScoreChart(
        lines=lines,
        names=arrays.profiles,
        styles=styles,
        alerts=[
            (mark, alert.fell, _write_alert_sentence(arrays, alert))
            for mark, alert in by_alert
            if mark is not None
        ],
        changes=[
            (mark, _write_change_sentence(arrays, change)) for mark, change in by_change if mark is not None
        ],
        sample=is_sample(arrays.profiles[index] for index in styles),
        identity=f"{state.profiles} {state.since} {state.until} {over_time.window}",
    )


def _write_alert_sentence(arrays: RunArrays, alert: Alert) -> str:
    return alert_sentence(alert, arrays.profiles[alert.profile], language())


def _write_change_sentence(arrays: RunArrays, change: ColumnChange) -> str:
    return t(
        f"timelines.{change.column}_changed",
        name=arrays.profiles[change.profile],
        before=change.before,
        after=change.after,
        day=day(change.time, language()),
    )


def _render_chart(scores: ScoreChart, over_time: OverTime) -> None:
    if not scores.lines:
        st.html(tag("p", text(t("timelines.all_hidden")), class_="tl-calm"))
        return
    line_chart(
        score_chart.build_chart(scores, theme.current_theme()),
        key="tl_scores_chart",
        height=score_chart.HEIGHT_PX,
        alt=_build_alt(scores, over_time),
        caption=t("timelines.scores"),
        head=score_chart.list_column_names(),
    )


def _build_alt(scores: ScoreChart, over_time: OverTime) -> str:
    parts = [
        t(
            "timelines.line_alt",
            name=scores.names[line.profile],
            first=format_percent(float(line.mean[0])),
            last=format_percent(float(line.mean[-1])),
        )
        for line in scores.lines
    ]
    signs = [text for _, _, text in scores.alerts] + [text for _, text in scores.changes]
    return " ".join([t("timelines.scores_alt", window=name_window(over_time.window)), *parts, *signs])


def _list_notes(arrays: RunArrays, over_time: OverTime) -> list[str]:
    """List notes on the windows, missing bands and signs."""
    notes = [t("timelines.windows_are", window=name_window(over_time.window))]
    if len(arrays) == 1:
        return [TEMPLATES[language()]["single"]]
    if any(bool((line.cases < 2).any()) for line in over_time.lines):
        notes.append(t("timelines.no_band"))
    if any(bool(line.breaks.any()) for line in over_time.lines):
        notes.append(t("timelines.line_breaks"))
    return [*notes, t("timelines.signs")]
