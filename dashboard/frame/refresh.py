"""Live parts of a page: reruns at the reader's interval, and rests after repeated failure."""

import time
from collections.abc import Callable

import streamlit as st

from dashboard.client import Fetched
from dashboard.frame import preferences

REST_AFTER = 3
"""Failures in a row after which a page asks no more than once in :data:`REST_SECONDS`."""
REST_SECONDS = 60.0
FIRST_SECONDS = 2.0
"""The interval while a new installation has no figure yet, whatever the settings say."""
_FAILURES = "_refresh_failures"
_AWAITED = "_refresh_awaited"


def live(render: Callable[[], None], *, key: str) -> None:
    """Draw ``render`` now, and again at the interval of the settings; seldom while the service is gone."""
    st.fragment(render, run_every=_interval(), key=key)()


def look_again(*, key: str) -> None:
    """Run the page again after the interval of the settings: for a fault in a part that is not live."""
    drawn, seconds = time.monotonic(), _interval()

    def look() -> None:
        if seconds is not None and time.monotonic() - drawn >= seconds / 2:  # not while it is being drawn
            st.rerun()

    st.fragment(look, run_every=seconds, key=key)()


def _interval() -> float | None:
    """Seconds; null where the reader wants none."""
    seconds = preferences.current().refresh_seconds
    if st.session_state.get(_AWAITED):
        return FIRST_SECONDS
    return seconds if seconds is None or not resting() else max(seconds, REST_SECONDS)


def note(*answers: Fetched[object]) -> None:
    """Tell what the answers of one refresh were; where the interval turns by it, the page is run again.

    A service that is only busy is no failure: the page goes on and comes back by itself.
    """
    failed = any(answer.error is not None and not answer.error.passes for answer in answers)
    rested = resting()
    st.session_state[_FAILURES] = failures() + 1 if failed else 0
    if resting() != rested:
        st.rerun()


def await_first(known: bool) -> bool:
    """Tell whether any figure is known; true while the first ones are awaited, at a quick pace."""
    if st.session_state.get(_AWAITED, False) == known:  # it has just turned: the interval turns with it
        st.session_state[_AWAITED] = not known
        st.rerun()
    return not known


def failures() -> int:
    count: int = st.session_state.get(_FAILURES, 0)
    return count


def resting() -> bool:
    return failures() >= REST_AFTER


def resume() -> None:
    """Start again from no failures: what a retry button does."""
    st.session_state[_FAILURES] = 0
