"""Shows why a case divides both sides: the question, and the answer and graders' words of each side.

Without stored texts it shows the deductions of a typical run of each side.
"""

from collections.abc import Callable
from datetime import UTC, datetime

import streamlit as st

from backend.timelines.columns.run_arrays import RunArrays, instant
from dashboard.app_pages.timelines import data, section_text, url_state
from dashboard.app_pages.timelines.comparison_data import Comparison, Sides
from dashboard.app_pages.timelines.run_detail import build_reasons, build_text
from dashboard.app_pages.timelines.section_text import format_percent
from dashboard.app_pages.timelines.selection import TimelinesState
from dashboard.client import timelines
from dashboard.client.timelines import DividedSide, DividingCaseOut
from dashboard.components.live_view import Node, h, live_view
from dashboard.frame import states
from dashboard.i18n import t

VIEW_KEY = "tlp_why"
IMPORT_OPTION = "--with-texts"


def render(arrays: RunArrays, state: TimelinesState, case: str) -> None:
    """Render both sides of ``case``; nothing unless both ran it."""
    sides = data.choose_comparison_sides(arrays, state)
    if sides is None:
        return
    comparison = data.compare(arrays, state, sides)
    if not _have_both_run(comparison, case):
        return
    answer = timelines.fetch_dividing_case(case, build_query(state, sides))
    with st.container(key="tlp_why_box", border=True, gap="small"):
        section_text.render_heading(t("timelines.why"))
        if answer.error is not None:
            states.render_error(answer.error, key="tlp_why_error")
        elif answer.data is not None:
            live_view([_build_case(answer.data, comparison.labels)], key=VIEW_KEY, on_open=_on_run_chosen)


def _have_both_run(comparison: Comparison, case: str) -> bool:
    cases = comparison.a.runs.cases
    return case in cases and cases.index(case) in comparison.result.case


def build_query(state: TimelinesState, sides: Sides) -> list[tuple[str, str]]:
    """Build the query of the comparison that the page shows."""
    since, until = state.since, state.until
    query = [("profile", sides.a)]
    if sides.self_split is None:
        query.append(("profile", sides.b))
    else:
        first, last = sides.self_split.first, sides.self_split.last
        since = _find_limit(max, since, None if first is None else instant(first))
        until = _find_limit(min, until, None if last is None else instant(last))
        query.append(("split_at", _format_time(instant(sides.self_split.at))))
    query += [(name, _format_time(at)) for name, at in (("from", since), ("to", until)) if at is not None]
    if not state.exclude_infrastructure_errors:
        query.append(("keep_machinery", "true"))
    return query


def _on_run_chosen() -> None:
    run_id = st.session_state[VIEW_KEY].open
    if isinstance(run_id, str):
        url_state.update_state(run=run_id, tab="runs")
        url_state.redraw_sections("tab")


def _build_case(case: DividingCaseOut, titles: tuple[str, str]) -> Node:
    question = None
    if case["question"]:
        title = t("timelines.why_question")
        question = h("div", h("h3", title, class_="tlp-subhead"), build_text(case["question"], title))
    has_texts = case["a"]["has_texts"] or case["b"]["has_texts"]
    hint = None if has_texts else h("p", t("timelines.why_no_texts", option=IMPORT_OPTION), class_="cp-note")
    columns = [_build_side(side, title) for side, title in zip((case["a"], case["b"]), titles, strict=True)]
    return h("div", question, h("div", *columns, class_="tlp-columns"), hint, class_="tlp-why")


def _build_side(side: DividedSide, title: str) -> Node:
    answer = t("timelines.why_answer")
    parts: list[Node | None] = [
        h("h3", title, class_="tlp-subhead"),
        h(
            "p",
            h("strong", format_percent(side["mean"]), class_="tlp-share"),
            " ",
            h(
                "a",
                t("timelines.why_run", score=format_percent(side["normalized_score"])),
                href=url_state.build_run_link(side["run_id"]),
                data_open=side["run_id"],
                class_="tlp-turn",
            ),
        ),
        None if side["answer"] is None else h("h4", answer),
        None if side["answer"] is None else build_text(side["answer"], answer),
    ]
    for grader in side["graders"]:
        name = t("timelines.why_grader", name=grader["name"])
        parts += [h("h4", name), build_text(grader["words"], name)]
    parts += [build_reasons("lost", side["deductions"]), build_reasons("won", side["bonuses"])]
    if side["error"]:
        parts += [h("h4", t("timelines.run_error")), build_text(side["error"], t("timelines.run_error"))]
    return h("section", *parts, class_="tlp-side")


def _find_limit(
    choose: Callable[[datetime, datetime], datetime], first: datetime | None, second: datetime | None
) -> datetime | None:
    if first is None or second is None:
        return first or second
    return choose(first, second)


def _format_time(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%fZ}"
