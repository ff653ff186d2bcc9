"""Shows alerts as sentences, and the cases behind an alert."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pyarrow as pa
import streamlit as st

from backend.timelines.analysis.alerts import Alert
from backend.timelines.analysis.verdict_templates import TEMPLATES
from backend.timelines.analysis.verdicts import alert_sentence, day, points, watch_sentence
from dashboard.app_pages.timelines import alert_data as reading
from dashboard.app_pages.timelines import data
from dashboard.app_pages.timelines import url_state as desk
from dashboard.app_pages.timelines.alert_data import CaseChange
from dashboard.app_pages.timelines.data import Alarms
from dashboard.app_pages.timelines.lower_sections import reselect
from dashboard.app_pages.timelines.markup import head, percent
from dashboard.app_pages.timelines.selection import TimelinesState, alert_name
from dashboard.frame.formats import ARROWS, Direction
from dashboard.frame.markup import tag, text
from dashboard.i18n import language, t

MAX_CASES = 12
"""Visible rows of the cases behind an alert; the rest are folded."""
MAX_UNWATCHED = 3


def section(table: pa.Table, state: TimelinesState) -> bool:
    """Show the alerts; true while their false alarm rates are being computed."""
    seen = data.alarms(table, state)
    head(t("timelines.alerts"), t("timelines.alerts_why"))
    if not seen.shown:
        st.html(tag("p", text(TEMPLATES[language()]["no_alert"]), class_="tl-calm"))
    with st.container(
        key=f"tl_warnings_{len(seen.shown)}", gap=None
    ):  # its height depends on the number of alerts
        for number, alert in enumerate(seen.shown):
            _row(seen, alert, number, state)
    notes = [t("timelines.alerts_more", n=seen.more)] if seen.more else []
    notes += _unwatched(seen)
    if notes:
        st.html(tag("p", text(" ".join(notes)), class_="cp-note"))
    if state.alert and reading.named(seen.arrays, seen.watched, state.alert) is None:
        st.html(tag("p", text(t("timelines.alert_gone")), class_="cp-note", role="status"))
    return seen.awaited


def _row(seen: Alarms, alert: Alert, number: int, state: TimelinesState) -> None:
    name = seen.arrays.profiles[alert.profile]
    mine = alert_name(name, alert.since)
    said = alert_sentence(alert, name, language(), now=datetime.now(UTC))
    glyph = ARROWS["down" if alert.fell else "up"]
    after = "" if alert.standing else tag("span", text(t("timelines.alert_over")), class_="cp-note")
    opened = state.alert == mine
    with st.container(key=f"tl_warning_{number}", horizontal=True, vertical_alignment="center", gap="small"):
        st.html(
            tag(
                "p",
                tag("span", glyph, class_=f"cp-{'down' if alert.fell else 'up'}", aria_hidden="true"),
                tag("span", text(said), after),
                class_="tl-alert" if alert.standing else "tl-alert tl-alert-over",
            )
        )
        st.button(
            t("timelines.cases_hide") if opened else t("timelines.cases_show"),
            key=f"tl_cases_of_{number}",
            on_click=_open,
            args=(None if opened else mine,),
            type="tertiary",
        )
    if opened:
        _cases(seen, alert, name)


def _open(name: str | None) -> None:
    desk.choose(alert=name)
    desk.redraw("alerts")


def _unwatched(seen: Alarms) -> list[str]:
    lang = language()
    sentences = [watch_sentence(each, seen.arrays.profiles[each.profile], lang) for each in seen.watched]
    told = [one for one in sentences if one is not None]
    rest = len(told) - MAX_UNWATCHED
    return told[:MAX_UNWATCHED] + ([t("timelines.unwatched_more", n=f"{rest:,}")] if rest > 0 else [])


def _cases(seen: Alarms, alert: Alert, name: str) -> None:
    first, end = reading.stretch(seen.watched, alert)
    changes = reading.case_changes(seen.arrays, alert, first, end)
    with st.container(key="tl_alert_open", border=True, gap="small"):
        caption = t("timelines.cases_of", name=name, day=day(alert.since, language()))
        table = _table(caption, changes[:MAX_CASES])
        scroll = tag("div", table, class_="cp-scroll", tabindex="0", role="region", aria_label=caption)
        st.html(tag("p", text(caption), class_="tl-caption", aria_hidden="true") + scroll)
        if len(changes) > MAX_CASES:
            rest = tag("summary", text(t("timelines.cases_more", n=len(changes) - MAX_CASES)))
            st.html(tag("details", rest, _table(caption, changes[MAX_CASES:]), class_="cp-fold"))
        with st.container(horizontal=True, gap="small"):
            st.button(
                t("timelines.only_this"),
                key="tl_alert_only",
                icon=":material/filter_alt:",
                on_click=_only,
                args=(name, [one.case for one in changes if _goes_with(one, alert)][:MAX_CASES]),
            )


def _goes_with(one: CaseChange, alert: Alert) -> bool:
    return one.change < 0 if alert.fell else one.change > 0


def _only(profile: str, cases: Sequence[str]) -> None:
    """Filter the page to one profile and the cases that moved its score."""
    reselect(profiles=(profile,), cases=tuple(cases), hidden=())


def _table(caption: str, changes: Sequence[CaseChange]) -> str:
    names = ("case", "before", "since_then", "change", "runs")
    heads = "".join(tag("th", text(t(f"timelines.col_{name}")), scope="col") for name in names)
    rows = "".join(
        tag(
            "tr",
            tag("th", text(one.case), scope="row"),
            tag("td", percent(one.before)),
            tag("td", percent(one.since)),
            tag("td", _change(one.change)),
            tag("td", f"{one.runs_before:,} / {one.runs_since:,}"),
        )
        for one in changes
    )
    return tag(
        "table",
        tag("caption", text(caption), class_="cp-sr"),
        tag("thead", tag("tr", heads)),
        tag("tbody", rows),
        class_="cp-table tl-cases",
    )


def _change(change: float) -> str:
    """Render ``▼ 4.1``, in points, with the colour of its direction."""
    way: Direction = "down" if change < 0 else "up" if change > 0 else "flat"
    return tag("span", f"{ARROWS[way]} {points(abs(change))}", class_=f"cp-{way}")
