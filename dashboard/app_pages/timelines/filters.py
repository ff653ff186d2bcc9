"""Shows the filters of the page; each choice is written to the URL."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Unpack

import pyarrow as pa
import streamlit as st

from backend.timelines.columns.run_arrays import RunArrays, instant
from dashboard.app_pages.timelines import data, url_state
from dashboard.app_pages.timelines.data import TimelinesData
from dashboard.app_pages.timelines.selection import TimelinesState
from dashboard.app_pages.timelines.url_state import FRAGMENT_KEYS, Changes
from dashboard.frame.markdown import escape_markdown
from dashboard.frame.markup import tag, text
from dashboard.frame.widget_state import bind_widget
from dashboard.i18n import t

RECENT_DAYS = ("7", "28", "91")
"""Numbers of days that buttons select, counted back from the newest run of the chosen profiles."""
DAY = timedelta(days=1)


def render(loaded: TimelinesData, table: pa.Table, state: TimelinesState, drawn: TimelinesState) -> None:
    """Render the filters. ``state`` holds the choices; ``drawn`` adds the default profiles."""
    all_runs = data.select_all_runs(table)
    profiles = _add_missing(sorted({*all_runs.profiles, *loaded.profiles}), state.profiles)
    cases = _add_missing(all_runs.cases, state.cases)
    label = _describe(state, drawn, len(profiles))
    with st.popover(label, icon=":material/filter_alt:", key="tl_filters", width="content"):
        _render_names("profiles", profiles, state, _describe_profiles(state, drawn, len(profiles)))
        _render_names("cases", cases, state, t("timelines.all_cases", n=f"{len(cases):,}"))
        with st.container(horizontal=True, gap="small"):
            for field in ("model_vendor", "inference_provider"):
                value = getattr(state, field)
                names = sorted(all_runs.names(field)[1])
                _render_model_filter(field, _add_missing(names, (value,) if value else ()), value)
        _render_days(state, data.find_newest_run(table, drawn))
        _render_infrastructure_filter(table, drawn)
    if state.is_filtered:
        st.button(
            "",
            key="tl_clear",
            icon=":material/filter_alt_off:",
            help=t("timelines.clear"),
            on_click=clear_filters,
        )


def render_unknown_profiles(loaded: TimelinesData, table: pa.Table, state: TimelinesState) -> None:
    """Render which profiles of the URL do not exist."""
    known = {*data.select_all_runs(table).profiles, *loaded.profiles}
    chosen = dict.fromkeys([*state.profiles, state.profile_a, state.profile_b])
    unknown = [name for name in chosen if name is not None and name not in known]
    if unknown and loaded.configured.data is not None:
        message = t("timelines.unknown_profiles", names=t("timelines.between").join(unknown))
        st.html(tag("p", text(message), class_="cp-stale", role="status"))


def render_newest_runs_only(table: pa.Table, drawn: TimelinesState) -> None:
    """Render how many runs the page reads if a profile to draw has as many, and so may have older ones."""
    if data.has_profile_at_limit(table, drawn):
        message = t("timelines.newest_runs_only", limit=f"{data.MAX_RUNS_PER_PROFILE:,}")
        st.html(tag("p", text(message), class_="cp-note", role="status"))


def render_invalid_values(arrays: RunArrays, drawn: TimelinesState) -> None:
    """Render the values of the URL that name nothing: a date, a change or an alert."""
    values = url_state.list_invalid_values()
    sides = data.choose_comparison_sides(arrays, drawn)
    is_told_by_verdict = sides is not None and sides.self_split is None
    if drawn.self_split is not None and not is_told_by_verdict and not data.has_split(arrays, drawn):
        values.append(f"split={drawn.self_split}")
    if drawn.alert is not None and not data.has_alert(arrays, drawn):
        values.append(f"alert={drawn.alert}")
    if values:
        message = t("timelines.unknown_in_link", values=t("timelines.between").join(values))
        st.html(tag("p", text(message), class_="cp-stale", role="status"))


def _describe_profiles(state: TimelinesState, drawn: TimelinesState, count: int) -> str:
    if len(drawn.profiles) < count or state.profiles:
        key = "chosen_profiles" if state.profiles else "some_profiles"
        return t(f"timelines.{key}", shown=f"{len(drawn.profiles):,}", n=f"{count:,}")
    return t("timelines.all_profiles", n=f"{count:,}")


def _describe(state: TimelinesState, drawn: TimelinesState, profile_count: int) -> str:
    """Describe the filters that are set, for the button that opens them."""
    first, last = _find_day_range(state)
    parts = [
        _describe_profiles(state, drawn, profile_count),
        t("timelines.chosen_cases", n=f"{len(state.cases):,}") if state.cases else "",
        state.model_vendor or "",
        state.inference_provider or "",
        f"{first or ''} – {last or ''}".strip() if first or last else "",
        "" if state.exclude_infrastructure_errors else t("timelines.with_failures"),
    ]
    return " · ".join(escape_markdown(part) for part in parts if part)


def _add_missing(options: Sequence[str], chosen: Sequence[str]) -> list[str]:
    """Add names from the link to the options, even if they are unknown."""
    return [*options, *(name for name in chosen if name not in options)]


def _render_names(field: str, options: list[str], state: TimelinesState, placeholder: str) -> None:
    chosen = list(getattr(state, field))
    widget = bind_widget(f"tl_{field}", chosen, lambda names: _choose_names(field, tuple(names)))
    st.multiselect(
        t(f"timelines.filter_{field}"),
        options,
        default=chosen,
        **widget,
        placeholder=placeholder,
    )


def _choose_names(field: str, chosen: tuple[str, ...]) -> None:
    if field == "profiles":
        reselect(profiles=chosen, hidden_profiles=())
    else:
        reselect(cases=chosen)


def _render_model_filter(field: str, options: list[str], value: str | None) -> None:
    widget = bind_widget(f"tl_{field}", value, lambda chosen: _choose_model_filter(field, chosen))
    st.selectbox(
        t(f"timelines.filter_{field}"),
        options,
        index=None if value is None else options.index(value),
        **widget,
        placeholder=t(f"timelines.any_{field}"),
    )


def _choose_model_filter(field: str, value: str | None) -> None:
    if field == "model_vendor":
        reselect(model_vendor=value)
    else:
        reselect(inference_provider=value)


def _render_days(state: TimelinesState, newest: int | None) -> None:
    with st.container(horizontal=True, gap="small"):
        since, until = _find_day_range(state)
        for name, day, choose in (
            ("since", since, _choose_first_day),
            ("until", until, _choose_last_day),
        ):
            st.date_input(
                t(f"timelines.{name}"),
                day,
                format="YYYY-MM-DD",
                min_value=_FIRST_DAY,
                **bind_widget(f"tl_{name}", day, choose),
            )
    with st.container(horizontal=True, gap="small"):
        for days in RECENT_DAYS:
            st.button(
                t("timelines.last_days", n=days),
                key=f"tl_last_{days}",
                on_click=_on_last_days,
                args=(newest, int(days)),
                disabled=newest is None,
            )
        st.button(
            t("timelines.any_day"),
            key="tl_days_clear",
            disabled=not (state.since or state.until),
            on_click=_on_any_day,
        )
    st.caption(t("timelines.days_utc"))


_FIRST_DAY = date(2000, 1, 1)


def _find_day_range(state: TimelinesState) -> tuple[date | None, date | None]:
    """The first and last day of the range, both inclusive."""
    last = None if state.until is None else (state.until - timedelta(microseconds=1)).date()
    return (state.since.date() if state.since else None), last


def _choose_first_day(day: date | None) -> None:
    reselect(since=_to_midnight(day))


def _choose_last_day(day: date | None) -> None:
    reselect(until=_to_midnight(day + DAY if day else None))


def _on_last_days(newest: int | None, days: int) -> None:
    """Select the last ``days`` up to the newest chosen run, without an end, so that newer runs count too."""
    if newest is not None:
        reselect(since=_to_midnight(instant(newest).date() - (days - 1) * DAY), until=None)


def _on_any_day() -> None:
    reselect(since=None, until=None)


def _to_midnight(day: date | None) -> datetime | None:
    return None if day is None else datetime.combine(day, time(), UTC)


def _render_infrastructure_filter(table: pa.Table, drawn: TimelinesState) -> None:
    count = data.count_infrastructure_errors(table, drawn)
    widget = bind_widget(
        "tl_machinery",
        drawn.exclude_infrastructure_errors,
        lambda on: reselect(exclude_infrastructure_errors=on),
    )
    st.checkbox(
        t("timelines.exclude_failures", n=f"{count:,}"),
        drawn.exclude_infrastructure_errors,
        help=t("timelines.exclude_failures_help"),
        **widget,
    )


def clear_filters() -> None:
    """Clear all filters."""
    reselect(
        profiles=(),
        cases=(),
        model_vendor=None,
        inference_provider=None,
        since=None,
        until=None,
        exclude_infrastructure_errors=True,
        hidden_profiles=(),
    )


def reselect(**changes: Unpack[Changes]) -> None:
    """Change the selection of runs in a widget's callback, and redraw the page's parts.

    Redraws the whole page when it changes to or from a page without runs.
    """
    before = _has_runs()
    url_state.update_state(**changes)
    if before and _has_runs():
        url_state.redraw_sections(*FRAGMENT_KEYS)
    st.rerun()


def _has_runs() -> bool:
    table = data.load().table
    return table is not None and bool(len(data.select_visible_runs(table, url_state.read_state())[0]))
