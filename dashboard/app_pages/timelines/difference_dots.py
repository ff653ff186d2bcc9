"""Each shared case's difference as a dot with its interval; a case's row is a link to its runs."""

import streamlit as st

from backend.timelines.analysis import verdicts
from backend.timelines.analysis.comparison import Versus
from backend.timelines.columns.run_arrays import RunArrays
from backend.timelines.statistics.distributions import Interval
from dashboard.app_pages.timelines import comparison_data as parts
from dashboard.app_pages.timelines import section_text as words
from dashboard.app_pages.timelines import url_state as desk
from dashboard.app_pages.timelines.comparison_data import CaseDifference, Scale
from dashboard.app_pages.timelines.markup import percent
from dashboard.app_pages.timelines.selection import TimelinesState
from dashboard.components.live_view import Node, h, live_view
from dashboard.i18n import t

FEW, MANY = 24, 400
KEY, ALL = "tlp_dots", "tlp_dots_all"


def show(arrays: RunArrays, result: Versus, state: TimelinesState) -> None:
    if result.paired is None or not verdicts.verdict(result).compared:
        return
    rows = parts.case_differences(arrays, result)
    whole = bool(st.session_state.get(ALL))
    shown = parts.ends(rows, MANY if whole else FEW)
    words.heading(t("timelines.cmp_by_case"), level=3)
    live_view(_plot(shown, result, state), key=KEY, on_open=_opened)
    if len(rows) > FEW:
        label = t("timelines.cmp_fewer") if whole else t("timelines.cmp_all_cases", n=f"{len(rows):,}")
        st.button(label, key="tlp_dots_more", on_click=_turn)


def _turn() -> None:
    st.session_state[ALL] = not st.session_state.get(ALL)
    desk.redraw("compare")


def _opened() -> None:
    case = st.session_state[KEY].open
    if isinstance(case, str):
        open_case(case)


def open_case(case: str, profile: str | None = None) -> None:
    """Show the runs of a case; called back by what was pressed."""
    st.session_state[PROFILE] = profile
    st.session_state[TURN] = st.session_state.get(TURN, 0) + 1
    desk.choose(case=case, run=None)
    desk.redraw("run", "compare")


PROFILE = "tlp_run_profile"
"""Whose runs of the case are listed; null for everybody's."""
TURN = "tlp_run_turn"
"""Counts the moves of the focus to the runs."""


def _plot(shown: parts.Ends, result: Versus, state: TimelinesState) -> list[Node | None]:
    every = [*shown.first, *shown.last]
    axis = parts.scale([row.difference for row in every], [row.interval for row in every])
    gap = None
    if shown.hidden:
        gap = h("li", t("timelines.cmp_hidden", n=f"{shown.hidden:,}"), class_="tlp-gap cp-note", key="\n")
    rows = [*(_row(row, axis, result, state) for row in shown.first), gap]
    rows += [_row(row, axis, result, state) for row in shown.last]
    ends = h(
        "p",
        *(h("span", words.signed(end)) for end in (-axis.limit, 0.0, axis.limit)),
        class_="tlp-axis tlp-dots-axis",
        aria_hidden="true",
    )
    legend = t("timelines.cmp_dots_note", a=result.a.profile, b=result.b.profile)
    if not any(row.interval for row in every):
        legend += " " + t("timelines.cmp_no_repeats")
    return [
        h("div", h("p", legend, class_="cp-note"), ends, h("ul", *rows, class_="tlp-dots"), class_="tlp-plot")
    ]


def _row(row: CaseDifference, axis: Scale, result: Versus, state: TimelinesState) -> Node:
    told = t(
        "timelines.cmp_case_title",
        a=result.a.profile,
        a_mean=percent(row.a),
        a_runs=row.a_runs,
        b=result.b.profile,
        b_mean=percent(row.b),
        b_runs=row.b_runs,
    )
    link = h(
        "a",
        h("span", row.case, class_="tlp-case"),
        strip(axis, row.difference, row.interval),
        h(
            "span",
            h("span", words.ARROWS[row.way], aria_hidden="true"),
            f" {words.signed(row.difference)}",
            class_=f"tlp-num tlp-{row.way}",
        ),
        href=desk.address(case=row.case, run=None),
        data_open=row.case,
        title=f"{row.case}: {words.with_interval(row.difference, row.interval)}. {told}",
        aria_current="true" if row.case == state.case else None,
    )
    return h("li", link, key=row.case)


def strip(axis: Scale, value: float, interval: Interval | None, *, large: bool = False) -> Node:
    """A dot on the axis, with its interval as a bar; nothing that the text beside it does not say."""
    bar = None
    if interval is not None:
        low, high = axis.place(interval.low), axis.place(interval.high)
        bar = h("span", class_="tlp-range", style=f"left:{low:.2f}%;width:{high - low:.2f}%")
    return h(
        "span",
        h("span", class_="tlp-zero"),
        bar,
        h("span", class_="tlp-dot", style=f"left:{axis.place(value):.2f}%"),
        class_=f"tlp-strip tlp-{parts.way(value)}{' tlp-large' if large else ''}",
        aria_hidden="true",
    )
