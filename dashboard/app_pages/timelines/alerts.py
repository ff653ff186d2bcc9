"""Shows alerts as sentences, and the cases behind an alert."""

from collections.abc import Sequence
from datetime import UTC, datetime

import streamlit as st

from backend.timelines.analysis.alerts import Alert
from backend.timelines.analysis.self_comparison import compare_before_and_after, split_at_alert
from backend.timelines.analysis.verdict_templates import TEMPLATES
from backend.timelines.analysis.verdicts import alert_sentence, day, points, verdict, watch_sentence
from backend.timelines.columns.run_arrays import RunArrays
from dashboard.app_pages.timelines import alert_colours, alert_data, data, url_state
from dashboard.app_pages.timelines.alert_data import CaseChange
from dashboard.app_pages.timelines.data import AlertsResult
from dashboard.app_pages.timelines.filters import reselect
from dashboard.app_pages.timelines.section_text import format_percent, render_section_heading
from dashboard.app_pages.timelines.selection import TimelinesState, format_alert_id
from dashboard.components.timer import call_later
from dashboard.frame.formats import ARROWS, Direction
from dashboard.frame.markup import tag, text
from dashboard.i18n import language, t

MAX_CASES = 12
"""Visible rows of the cases behind an alert; the rest are folded."""
POLL_SECONDS = 1.0
TIMER_KEY = "tl_alerts_timer"
_POLL_COUNT = "_timelines_alert_polls"


def render(arrays: RunArrays, state: TimelinesState) -> bool:
    """Render the alerts of the visible profiles, which ``state`` names, and fold the rest.

    Returns whether false alarm rates or the rest are still being computed.
    """
    result = data.find_alerts(arrays, state)
    with st.container(key="tl_alerts", border=bool(result.shown), gap="small"):
        if result.shown:
            render_section_heading(t("timelines.alerts"), t("timelines.alerts_why"))
        else:
            st.html(tag("p", text(TEMPLATES[language()]["no_alert"]), class_="tl-calm"))
        # The style sheet sets the height by the number of alerts in the key.
        with st.container(key=f"tl_warnings_{len(result.shown)}", gap=None):
            for number, alert in enumerate(result.shown):
                _render_alert(result, alert, number, state)
        if state.alert and alert_data.find_alert(arrays, result.watched, state.alert) is None:
            st.html(tag("p", text(t("timelines.alert_gone")), class_="cp-note", role="status"))
        older = tag("p", text(t("timelines.alerts_more", n=result.older)), class_="cp-note")
        folds = _fold_other_alerts(arrays, result.others) + _fold_unwatched(result)
        if folds or result.older:
            st.html((older if result.older else "") + folds)
    return result.pending


def wait_for_rest() -> None:
    """Draw the tab again after a moment, with what is computed by then."""
    st.session_state[_POLL_COUNT] = count = st.session_state.get(_POLL_COUNT, 0) + 1
    call_later(POLL_SECONDS, count, key=TIMER_KEY, on_due=_redraw_tab)


def _redraw_tab() -> None:
    url_state.redraw_sections("tab")


def _fold_other_alerts(arrays: RunArrays, others: Sequence[Alert]) -> str:
    """Build a list of the newest alerts of profiles that are not visible; each links to its profile."""
    now, links = datetime.now(UTC), url_state.LinkBuilder()
    names = [arrays.profiles[alert.profile] for alert in others[: data.MAX_ALERTS]]
    items = "".join(
        tag(
            "li",
            tag(
                "a",
                text(alert_sentence(alert, name, language(), now=now)),
                href=links.build(alert=format_alert_id(name, alert.since), tab="trend"),
                target="_self",
            ),
        )
        for alert, name in zip(others, names, strict=False)
    )
    if len(others) > len(names):
        items += tag("li", text(t("timelines.alerts_more", n=len(others) - len(names))))
    return _fold(t("timelines.alerts_others", n=f"{len(others):,}"), items)


def _fold_unwatched(result: AlertsResult) -> str:
    """Build a list of the visible profiles with too few passes for alerts."""
    sentences = [
        sentence
        for watched in result.watched
        if (sentence := watch_sentence(watched, result.arrays.profiles[watched.profile], language()))
    ]
    items = "".join(tag("li", text(sentence)) for sentence in sentences)
    return _fold(t("timelines.unwatched", n=f"{len(sentences):,}"), items)


def _fold(summary: str, items: str) -> str:
    return tag("details", tag("summary", text(summary)), tag("ul", items), class_="cp-fold") if items else ""


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
                tag("span", glyph, class_=alert_colours.get_css_class(fell=alert.fell), aria_hidden="true"),
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
    url_state.update_state(alert=alert_id)
    url_state.redraw_sections("tab")


def _render_cases(result: AlertsResult, alert: Alert, name: str) -> None:
    previous, following = alert_data.find_adjacent_alerts(result.watched, alert)
    changes = alert_data.compute_case_changes(result.arrays, alert, previous, following)
    with st.container(key="tl_alert_open", border=True, gap="small"):
        split = split_at_alert(alert, data.list_all_alerts(result))
        comparison = compare_before_and_after(result.arrays, name, split, language())
        st.html(tag("p", text(verdict(comparison, language()).text), class_="tl-verdict"))
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
