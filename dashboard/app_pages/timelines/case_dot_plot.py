"""Shows, for each case that both profiles ran, the difference of their scores as a dot with its interval.

A click on a dot shows the runs of the case.
"""

import streamlit as st

from backend.timelines.analysis import verdicts
from backend.timelines.statistics.distributions import Interval
from dashboard.app_pages.timelines import comparison_data, section_text, url_state
from dashboard.app_pages.timelines.comparison_data import Axis, CaseDifference, Comparison
from dashboard.app_pages.timelines.section_text import format_percent
from dashboard.app_pages.timelines.selection import TimelinesState
from dashboard.components.live_view import Node, h, live_view
from dashboard.i18n import t
from dashboard.i18n.punctuation import add_label, end_sentence, join_sentences

VISIBLE_CASES, MAX_CASES = 24, 400
"""Number of cases at first, and after a click on "show all"."""
PLOT_KEY, SHOW_ALL_KEY = "tlp_dots", "tlp_dots_all"


def render(comparison: Comparison, state: TimelinesState) -> None:
    result = comparison.result
    if result.paired is None or not verdicts.verdict(result).has_comparison:
        return
    rows = comparison_data.compute_case_differences(comparison)
    show_all = bool(st.session_state.get(SHOW_ALL_KEY))
    differences = comparison_data.select_largest(rows, MAX_CASES if show_all else VISIBLE_CASES)
    section_text.render_heading(t("timelines.cmp_by_case"))
    live_view(_build_plot(differences, comparison, state), key=PLOT_KEY, on_open=_on_case_opened)
    if len(rows) > VISIBLE_CASES:
        label = t("timelines.cmp_fewer") if show_all else t("timelines.cmp_all_cases", n=f"{len(rows):,}")
        st.button(label, key="tlp_dots_more", on_click=_toggle_all_cases)


def _toggle_all_cases() -> None:
    st.session_state[SHOW_ALL_KEY] = not st.session_state.get(SHOW_ALL_KEY)
    url_state.redraw_sections("tab")


def _on_case_opened() -> None:
    case = st.session_state[PLOT_KEY].open
    if isinstance(case, str):
        open_case(case)


def open_case(case: str, profile: str | None = None) -> None:
    """Show the runs of a case. Call it in a widget's callback."""
    st.session_state[PROFILE_KEY] = profile
    st.session_state[FOCUS_COUNT_KEY] = st.session_state.get(FOCUS_COUNT_KEY, 0) + 1
    url_state.update_state(open_case=case, run=None, tab="runs")
    url_state.redraw_sections("tab")


PROFILE_KEY = "tlp_run_profile"
"""Session key of the profile whose runs of the case are listed; None for all profiles."""
FOCUS_COUNT_KEY = "tlp_run_turn"
"""Session key of a counter; each increment moves the focus to the runs."""


def _build_plot(
    differences: comparison_data.LargestDifferences, comparison: Comparison, state: TimelinesState
) -> list[Node | None]:
    visible_rows = [*differences.losses, *differences.gains]
    axis = comparison_data.build_axis(
        [row.difference for row in visible_rows], [row.interval for row in visible_rows]
    )
    gap = None
    if differences.hidden_count:
        gap = h(
            "li",
            t(
                "timelines.cmp_hidden",
                n=f"{differences.hidden_count:,}",
                losses=f"{differences.hidden_losses:,}",
                ties=f"{differences.hidden_ties:,}",
                wins=f"{differences.hidden_gains:,}",
            ),
            class_="tlp-gap cp-note",
            key="\n",
        )
    links = url_state.LinkBuilder()
    rows = [*(_build_row(row, axis, comparison, state, links) for row in differences.losses), gap]
    rows += [_build_row(row, axis, comparison, state, links) for row in differences.gains]
    ends = h(
        "p",
        *(h("span", section_text.format_signed_points(end)) for end in (-axis.limit, 0.0, axis.limit)),
        class_="tlp-axis tlp-dots-axis",
        aria_hidden="true",
    )
    legend = t("timelines.cmp_dots_note", a=comparison.labels[0], b=comparison.labels[1])
    if not any(row.interval for row in visible_rows):
        legend += " " + t("timelines.cmp_no_repeats")
    return [
        h("div", h("p", legend, class_="cp-note"), ends, h("ul", *rows, class_="tlp-dots"), class_="tlp-plot")
    ]


def _build_row(
    row: CaseDifference,
    axis: Axis,
    comparison: Comparison,
    state: TimelinesState,
    links: url_state.LinkBuilder,
) -> Node:
    means = t(
        "timelines.cmp_case_title",
        a=comparison.labels[0],
        a_mean=format_percent(row.a_mean),
        a_runs=row.a_runs,
        b=comparison.labels[1],
        b_mean=format_percent(row.b_mean),
        b_runs=row.b_runs,
    )
    difference = section_text.format_difference(row.difference, row.interval)
    link = h(
        "a",
        section_text.build_name(row.case, "tlp-case"),
        build_interval_dot(axis, row.difference, row.interval),
        h(
            "span",
            h("span", section_text.ARROWS[row.direction], aria_hidden="true"),
            f" {section_text.format_signed_points(row.difference)}",
            class_=f"tlp-num tlp-{row.direction}",
        ),
        href=links.build(open_case=row.case, run=None, tab="runs"),
        data_open=row.case,
        title=join_sentences(end_sentence(add_label(row.case, difference)), means),
        aria_current="true" if row.case == state.open_case else None,
    )
    return h("li", link, key=row.case)


def build_interval_dot(axis: Axis, value: float, interval: Interval | None, *, large: bool = False) -> Node:
    """Build a dot on the axis with its interval as a bar.

    It is hidden from screen readers, because the text beside it says the same.
    """
    bar = None
    if interval is not None:
        low, high = axis.to_percent(interval.low), axis.to_percent(interval.high)
        bar = h("span", class_="tlp-range", style=f"left:{low:.2f}%;width:{high - low:.2f}%")
    return h(
        "span",
        h("span", class_="tlp-zero"),
        bar,
        h("span", class_="tlp-dot", style=f"left:{axis.to_percent(value):.2f}%"),
        class_=f"tlp-strip tlp-{comparison_data.find_direction(value)}{' tlp-large' if large else ''}",
        aria_hidden="true",
    )
