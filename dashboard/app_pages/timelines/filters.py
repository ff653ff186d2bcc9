"""Shows the filters of the page; each choice is written to the URL."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta

import pyarrow as pa
import streamlit as st

from backend.timelines.columns.run_arrays import instant
from dashboard.app_pages.timelines import data
from dashboard.app_pages.timelines.data import Gathered
from dashboard.app_pages.timelines.lower_sections import reselect
from dashboard.app_pages.timelines.selection import TimelinesState
from dashboard.i18n import t

SPANS = ("7", "28", "91")
"""Buttons for the last days, counted back from the newest run."""
DAY = timedelta(days=1)


def show(seen: Gathered, table: pa.Table, state: TimelinesState, drawn: TimelinesState) -> None:
    """Show the filters. ``state`` holds the choices; ``drawn`` adds the default profiles."""
    every = data.whole(table)
    with st.container(key="tl_filters", horizontal=True, vertical_alignment="center", gap="small"):
        _names("profiles", _with(sorted({*every.profiles, *seen.profiles}), state.profiles), state, drawn)
        _names("cases", _with(every.cases, state.cases), state, drawn)
        for field in ("model_vendor", "inference_provider"):
            said = getattr(state, field)
            _made_with(field, _with(sorted(every.names(field)[1]), (said,) if said else ()), said)
        _days(state, int(every.time.max()) if len(every) else None)
        _machinery(table, drawn)
        if state.narrows:
            st.button(t("timelines.clear"), key="tl_clear", icon=":material/filter_alt_off:", on_click=clear)


def _with(known: Sequence[str], chosen: Sequence[str]) -> list[str]:
    """Add names from the link to the options, even if they are unknown."""
    return [*known, *(name for name in chosen if name not in known)]


def _names(field: str, options: list[str], state: TimelinesState, drawn: TimelinesState) -> None:
    key = f"tl_{field}"
    st.session_state[key] = list(getattr(state, field))
    if field == "cases":
        nothing = t("timelines.all_cases", n=f"{len(options):,}")
    elif len(drawn.profiles) < len(options):
        nothing = t("timelines.some_profiles", shown=len(drawn.profiles), n=f"{len(options):,}")
    else:
        nothing = t("timelines.all_profiles", n=f"{len(options):,}")
    st.multiselect(
        t(f"timelines.filter_{field}"),
        options,
        key=key,
        placeholder=nothing,
        label_visibility="collapsed",
        on_change=_names_chosen,
        args=(field,),
    )


def _names_chosen(field: str) -> None:
    chosen = tuple(st.session_state[f"tl_{field}"])
    if field == "profiles":
        reselect(profiles=chosen, hidden=())
    else:
        reselect(cases=chosen)


def _made_with(field: str, options: list[str], said: str | None) -> None:
    key = f"tl_{field}"
    st.session_state[key] = said
    st.selectbox(
        t(f"timelines.filter_{field}"),
        options,
        key=key,
        index=None,
        placeholder=t(f"timelines.any_{field}"),
        label_visibility="collapsed",
        on_change=_made_with_chosen,
        args=(field,),
    )


def _made_with_chosen(field: str) -> None:
    said = st.session_state[f"tl_{field}"]
    if field == "model_vendor":
        reselect(model_vendor=said)
    else:
        reselect(inference_provider=said)


def _days(state: TimelinesState, newest: int | None) -> None:
    first, last = _ends(state)
    label = t("timelines.any_day") if not (first or last) else f"{first or ''} – {last or ''}".strip()
    with st.popover(label, icon=":material/date_range:", width="content", key="tl_days"):
        with st.container(horizontal=True, gap="small"):
            for span in SPANS:
                st.button(
                    t("timelines.last_days", n=span),
                    key=f"tl_last_{span}",
                    on_click=_last,
                    args=(newest, int(span)),
                    disabled=newest is None,
                )
        for key, name, day in (
            ("tl_since", t("timelines.since"), first),
            ("tl_until", t("timelines.until"), last),
        ):
            st.session_state[key] = day
            st.date_input(name, key=key, format="YYYY-MM-DD", min_value=_EARLIEST, on_change=_days_chosen)
        st.caption(t("timelines.days_utc"))
        st.button(
            t("timelines.any_day"), key="tl_days_clear", disabled=not (first or last), on_click=_any_day
        )


_EARLIEST = date(2000, 1, 1)


def _ends(state: TimelinesState) -> tuple[date | None, date | None]:
    """The first and last day of the range, both inclusive."""
    last = None if state.until is None else (state.until - timedelta(microseconds=1)).date()
    return (state.since.date() if state.since else None), last


def _days_chosen() -> None:
    first, last = st.session_state["tl_since"], st.session_state["tl_until"]
    reselect(since=_midnight(first), until=_midnight(last + DAY if last else None))


def _last(newest: int | None, days: int) -> None:
    """Select the last ``days`` up to the newest run, without an end, so that newer runs are included."""
    if newest is not None:
        reselect(since=_midnight(instant(newest).date() - (days - 1) * DAY), until=None)


def _any_day() -> None:
    reselect(since=None, until=None)


def _midnight(day: date | None) -> datetime | None:
    return None if day is None else datetime.combine(day, time(), UTC)


def _machinery(table: pa.Table, drawn: TimelinesState) -> None:
    count = data.failures(table, drawn)
    st.session_state["tl_machinery"] = drawn.leave_out_machinery
    st.checkbox(
        t("timelines.exclude_failures", n=f"{count:,}"),
        key="tl_machinery",
        help=t("timelines.exclude_failures_help"),
        on_change=_machinery_chosen,
    )


def _machinery_chosen() -> None:
    reselect(leave_out_machinery=st.session_state["tl_machinery"])


def clear() -> None:
    """Clear all filters."""
    reselect(
        profiles=(),
        cases=(),
        model_vendor=None,
        inference_provider=None,
        since=None,
        until=None,
        leave_out_machinery=True,
        hidden=(),
    )
