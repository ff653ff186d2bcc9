"""Score over time: the choice of lines and windows, the drawing, and what it leaves out in words."""

import pyarrow as pa
import streamlit as st

from backend.timelines.analysis.alerts import Alert
from backend.timelines.analysis.scores_over_time import ModelChange, OverTime, fitting_window, model_changes
from backend.timelines.analysis.verdict_templates import TEMPLATES
from backend.timelines.analysis.verdicts import alert_sentence, day
from backend.timelines.columns.run_arrays import RunArrays
from dashboard.app_pages.timelines import data, score_chart
from dashboard.app_pages.timelines import score_data as reading
from dashboard.app_pages.timelines import url_state as desk
from dashboard.app_pages.timelines.line_chart import time_lines
from dashboard.app_pages.timelines.markup import head, percent
from dashboard.app_pages.timelines.score_chart import Scores
from dashboard.app_pages.timelines.selection import TimelinesState, is_sample
from dashboard.frame import theme
from dashboard.frame.markup import tag, text
from dashboard.i18n import language, t

AUTO = "auto"


def section(arrays: RunArrays, state: TimelinesState, table: pa.Table, everybody: TimelinesState) -> None:
    """``everybody`` is the state whose alerts are shown above: of all profiles without a choice."""
    head(t("timelines.scores"), t("timelines.scores_why"))
    if not len(arrays):
        st.html(tag("p", text(t("timelines.none_match")), class_="tl-calm"))
        return
    time = reading.drawn(arrays, state.window, same_cases=state.same_cases)
    with st.container(key="tl_scores_bar", horizontal=True, vertical_alignment="center", gap="small"):
        _window(arrays, state)
        _same_cases(state)
    _legend(arrays, state)
    scores = _scores(arrays, state, time, data.alarms(table, everybody, patience=0))
    _drawing(scores, time)
    notes = _notes(arrays, time)
    st.html(tag("p", text(" ".join(notes)), class_="cp-note"))


def _window(arrays: RunArrays, state: TimelinesState) -> None:
    codes = {str(window): window for window in reading.windows(arrays)}
    chosen = str(state.window)
    st.session_state["tl_window"] = chosen if chosen in codes else AUTO
    names = {AUTO: t("timelines.window_auto", window=window_name(fitting_window(arrays)))}
    names |= {code: window_name(window * 1_000_000) for code, window in codes.items()}
    st.selectbox(
        t("timelines.window"),
        list(names),
        format_func=lambda code: names.get(code, code),
        key="tl_window",
        label_visibility="collapsed",
        on_change=_window_chosen,
    )


def window_name(micros: int) -> str:
    unit, count = reading.unit_of(micros)
    return t(f"timelines.window_{unit}", n=f"{count:,}")


def _window_chosen() -> None:
    code = st.session_state["tl_window"]
    desk.choose(window=None if code == AUTO else int(code))
    desk.redraw("scores")


def _same_cases(state: TimelinesState) -> None:
    st.session_state["tl_centred"] = state.same_cases
    st.checkbox(
        t("timelines.same_cases"),
        key="tl_centred",
        help=t("timelines.same_cases_why"),
        on_change=_same_cases_chosen,
    )


def _same_cases_chosen() -> None:
    desk.choose(same_cases=st.session_state["tl_centred"])
    desk.redraw("scores")


def _legend(arrays: RunArrays, state: TimelinesState) -> None:
    """The lines' names as buttons, each with its line's colour; pressed are those that are drawn."""
    names = [name for name in state.profiles if name in arrays.profiles]
    st.session_state["tl_legend"] = [name for name in names if name not in state.hidden]
    with st.container(key="tl_legend_box"):
        st.pills(
            t("timelines.legend"),
            names,
            selection_mode="multi",
            key="tl_legend",
            label_visibility="collapsed",
            on_change=_legend_chosen,
            args=(names,),
        )


def _legend_chosen(names: list[str]) -> None:
    on = st.session_state["tl_legend"]
    desk.choose(hidden=tuple(name for name in names if name not in on))
    desk.redraw("scores")


def _scores(arrays: RunArrays, state: TimelinesState, time: OverTime, alarms: data.Alarms) -> Scores:
    styles = {
        place: n
        for n, name in enumerate(name for name in state.profiles if name in arrays.profiles)
        if (place := arrays.place_of(name)) is not None
    }
    off = {arrays.place_of(name) for name in state.hidden}
    lines = [line for line in time.lines if line.profile in styles and line.profile not in off]
    # Places in `profiles` are the whole table's, so the alerts' are those of this selection too.
    changes = model_changes(arrays)
    alerts = [one for one in alarms.shown if one.profile in styles]
    at_alerts, at_changes = reading.happened(alerts, changes)
    by_alert = zip(reading.marks(lines, at_alerts), alerts, strict=True)
    by_change = zip(reading.marks(lines, at_changes), changes, strict=True)
    return Scores(
        lines=lines,
        names=arrays.profiles,
        styles=styles,
        alerts=[(mark, one.fell, _alert_said(arrays, one)) for mark, one in by_alert if mark is not None],
        changes=[(mark, _change_said(arrays, one)) for mark, one in by_change if mark is not None],
        sample=is_sample(arrays.profiles[place] for place in styles),
        identity=f"{state.profiles} {state.since} {state.until} {time.window}",
    )


def _alert_said(arrays: RunArrays, alert: Alert) -> str:
    return alert_sentence(alert, arrays.profiles[alert.profile], language())


def _change_said(arrays: RunArrays, change: ModelChange) -> str:
    return t(
        "timelines.model_changed",
        name=arrays.profiles[change.profile],
        before=change.before,
        after=change.after,
        day=day(change.time, language()),
    )


def _drawing(scores: Scores, time: OverTime) -> None:
    if not scores.lines:
        st.html(tag("p", text(t("timelines.all_hidden")), class_="tl-calm"))
        return
    time_lines(
        score_chart.drawing(scores, theme.current_theme()),
        key="tl_scores_chart",
        height=score_chart.HEIGHT,
        alt=_alt(scores, time),
        caption=t("timelines.scores"),
        head=score_chart.head(),
    )


def _alt(scores: Scores, time: OverTime) -> str:
    parts = [
        t(
            "timelines.line_alt",
            name=scores.names[line.profile],
            first=percent(float(line.mean[0])),
            last=percent(float(line.mean[-1])),
        )
        for line in scores.lines
    ]
    signs = [said for _, _, said in scores.alerts] + [said for _, said in scores.changes]
    return " ".join([t("timelines.scores_alt", window=window_name(time.window)), *parts, *signs])


def _notes(arrays: RunArrays, time: OverTime) -> list[str]:
    """What the windows are, what has no band, and what the signs mean."""
    notes = [t("timelines.windows_are", window=window_name(time.window))]
    if len(arrays) == 1:
        return [TEMPLATES[language()]["single"]]
    if any(bool((line.cases < 2).any()) for line in time.lines):
        notes.append(t("timelines.no_band"))
    return [*notes, t("timelines.signs")]
