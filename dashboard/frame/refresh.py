"""Reruns live parts of a page at the reader's interval and backs off after repeated failures."""

import time
from collections.abc import Callable

import streamlit as st

from dashboard.client import Fetched
from dashboard.client.problems import MAX_PAUSE_SECONDS
from dashboard.frame import preferences

FAILURES_BEFORE_BACKOFF = 3
"""Consecutive failures before a page refreshes only every :data:`BACKOFF_SECONDS`."""
BACKOFF_SECONDS = MAX_PAUSE_SECONDS
WAITING_INTERVAL_SECONDS = 2.0
"""The interval while the first figures or an overdue response are awaited; it overrides the settings."""
_FAILURES = "_refresh_failures"
_AWAITED = "_refresh_awaited"
_OVERDUE = "_refresh_overdue"


def render_live(render: Callable[[], None], *, key: str) -> None:
    """Renders now and at the interval of the settings; less often while the service is down."""
    st.fragment(render, run_every=_compute_interval(), key=key)()


def schedule_rerun(*, key: str, waiting: bool = False) -> None:
    """Reruns the page after the interval of the settings, for an error in a part that is not live.

    ``waiting`` for an overdue response, it reruns after the shorter interval.
    """
    rendered_at, seconds = time.monotonic(), WAITING_INTERVAL_SECONDS if waiting else _compute_interval()

    def rerun_if_due() -> None:
        if seconds is not None and time.monotonic() - rendered_at >= seconds / 2:  # not during the first run
            st.rerun()

    st.fragment(rerun_if_due, run_every=seconds, key=key)()


def _compute_interval() -> float | None:
    """Returns seconds, or ``None`` if the refresh is off."""
    seconds = preferences.current().refresh_seconds
    if st.session_state.get(_AWAITED) or is_overdue():
        return WAITING_INTERVAL_SECONDS
    return seconds if seconds is None or not is_backing_off() else max(seconds, BACKOFF_SECONDS)


def record_results(*results: Fetched[object]) -> None:
    """Counts failures in the results of one refresh; reruns the page if that changes its interval.

    A busy service is no failure: the page keeps its interval and recovers by itself. While a response is
    overdue, the interval is short, because calls do not wait for it and send no further requests.
    """
    errors = [result.error for result in results if result.error is not None]
    before = (is_backing_off(), is_overdue())
    failed = any(not error.is_temporary for error in errors)
    st.session_state[_FAILURES] = count_failures() + 1 if failed else 0
    st.session_state[_OVERDUE] = any(error.is_slow for error in errors)
    if (is_backing_off(), is_overdue()) != before:
        st.rerun()


def track_first_figures(has_data: bool) -> bool:
    """Records whether any figure is known; returns True while the first figures are awaited.

    Until they arrive, the page refreshes at a short interval.
    """
    if st.session_state.get(_AWAITED, False) == has_data:  # it has just changed, and the interval with it
        st.session_state[_AWAITED] = not has_data
        st.rerun()
    return not has_data


def count_failures() -> int:
    count: int = st.session_state.get(_FAILURES, 0)
    return count


def is_backing_off() -> bool:
    return count_failures() >= FAILURES_BEFORE_BACKOFF


def is_overdue() -> bool:
    """True if the last refresh found a response overdue."""
    return bool(st.session_state.get(_OVERDUE, False))


def reset_failures() -> None:
    """Resets the count of failures, for a retry button."""
    st.session_state[_FAILURES] = 0
