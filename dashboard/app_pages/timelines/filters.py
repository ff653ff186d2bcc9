"""Shows the filters of the page; each choice is written to the URL."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta

import pyarrow as pa
import streamlit as st

from backend.timelines.columns.run_arrays import instant
from dashboard.app_pages.timelines import data
from dashboard.app_pages.timelines.data import TimelinesData
from dashboard.app_pages.timelines.lazy_sections import reselect
from dashboard.app_pages.timelines.selection import TimelinesState
from dashboard.i18n import t

RECENT_DAYS = ("7", "28", "91")
"""Numbers of days that buttons select, counted back from the newest run."""
DAY = timedelta(days=1)


def render(loaded: TimelinesData, table: pa.Table, state: TimelinesState, drawn: TimelinesState) -> None:
    """Render the filters. ``state`` holds the choices; ``drawn`` adds the default profiles."""
    all_runs = data.select_all_runs(table)
    with st.container(key="tl_filters", horizontal=True, vertical_alignment="center", gap="small"):
        _render_names(
            "profiles",
            _add_missing(sorted({*all_runs.profiles, *loaded.profiles}), state.profiles),
            state,
            drawn,
        )
        _render_names("cases", _add_missing(all_runs.cases, state.cases), state, drawn)
        for field in ("model_vendor", "inference_provider"):
            value = getattr(state, field)
            _render_model_filter(
                field, _add_missing(sorted(all_runs.names(field)[1]), (value,) if value else ()), value
            )
        _render_days(state, int(all_runs.time.max()) if len(all_runs) else None)
        _render_infrastructure_filter(table, drawn)
        if state.is_filtered:
            st.button(
                t("timelines.clear"), key="tl_clear", icon=":material/filter_alt_off:", on_click=clear_filters
            )


def _add_missing(known: Sequence[str], chosen: Sequence[str]) -> list[str]:
    """Add names from the link to the options, even if they are unknown."""
    return [*known, *(name for name in chosen if name not in known)]


def _render_names(field: str, options: list[str], state: TimelinesState, drawn: TimelinesState) -> None:
    key = f"tl_{field}"
    st.session_state[key] = list(getattr(state, field))
    if field == "cases":
        placeholder = t("timelines.all_cases", n=f"{len(options):,}")
    elif len(drawn.profiles) < len(options):
        placeholder = t("timelines.some_profiles", shown=len(drawn.profiles), n=f"{len(options):,}")
    else:
        placeholder = t("timelines.all_profiles", n=f"{len(options):,}")
    st.multiselect(
        t(f"timelines.filter_{field}"),
        options,
        key=key,
        placeholder=placeholder,
        label_visibility="collapsed",
        on_change=_on_names_chosen,
        args=(field,),
    )


def _on_names_chosen(field: str) -> None:
    chosen = tuple(st.session_state[f"tl_{field}"])
    if field == "profiles":
        reselect(profiles=chosen, hidden_profiles=())
    else:
        reselect(cases=chosen)


def _render_model_filter(field: str, options: list[str], value: str | None) -> None:
    key = f"tl_{field}"
    st.session_state[key] = value
    st.selectbox(
        t(f"timelines.filter_{field}"),
        options,
        key=key,
        index=None,
        placeholder=t(f"timelines.any_{field}"),
        label_visibility="collapsed",
        on_change=_on_model_filter_chosen,
        args=(field,),
    )


def _on_model_filter_chosen(field: str) -> None:
    value = st.session_state[f"tl_{field}"]
    if field == "model_vendor":
        reselect(model_vendor=value)
    else:
        reselect(inference_provider=value)


def _render_days(state: TimelinesState, newest: int | None) -> None:
    first, last = _find_day_range(state)
    label = t("timelines.any_day") if not (first or last) else f"{first or ''} – {last or ''}".strip()
    with st.popover(label, icon=":material/date_range:", width="content", key="tl_days"):
        with st.container(horizontal=True, gap="small"):
            for days in RECENT_DAYS:
                st.button(
                    t("timelines.last_days", n=days),
                    key=f"tl_last_{days}",
                    on_click=_on_last_days,
                    args=(newest, int(days)),
                    disabled=newest is None,
                )
        for key, name, day in (
            ("tl_since", t("timelines.since"), first),
            ("tl_until", t("timelines.until"), last),
        ):
            st.session_state[key] = day
            st.date_input(name, key=key, format="YYYY-MM-DD", min_value=_FIRST_DAY, on_change=_on_days_chosen)
        st.caption(t("timelines.days_utc"))
        st.button(
            t("timelines.any_day"), key="tl_days_clear", disabled=not (first or last), on_click=_on_any_day
        )


_FIRST_DAY = date(2000, 1, 1)


def _find_day_range(state: TimelinesState) -> tuple[date | None, date | None]:
    """The first and last day of the range, both inclusive."""
    last = None if state.until is None else (state.until - timedelta(microseconds=1)).date()
    return (state.since.date() if state.since else None), last


def _on_days_chosen() -> None:
    first, last = st.session_state["tl_since"], st.session_state["tl_until"]
    reselect(since=_midnight(first), until=_midnight(last + DAY if last else None))


def _on_last_days(newest: int | None, days: int) -> None:
    """Select the last ``days`` up to the newest run, without an end, so that newer runs are included."""
    if newest is not None:
        reselect(since=_midnight(instant(newest).date() - (days - 1) * DAY), until=None)


def _on_any_day() -> None:
    reselect(since=None, until=None)


def _midnight(day: date | None) -> datetime | None:
    return None if day is None else datetime.combine(day, time(), UTC)


def _render_infrastructure_filter(table: pa.Table, drawn: TimelinesState) -> None:
    count = data.count_infrastructure_errors(table, drawn)
    st.session_state["tl_machinery"] = drawn.exclude_infrastructure_errors
    st.checkbox(
        t("timelines.exclude_failures", n=f"{count:,}"),
        key="tl_machinery",
        help=t("timelines.exclude_failures_help"),
        on_change=_on_infrastructure_filter_chosen,
    )


def _on_infrastructure_filter_chosen() -> None:
    reselect(exclude_infrastructure_errors=st.session_state["tl_machinery"])


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
