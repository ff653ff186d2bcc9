"""Live parts of a page: reruns at the reader's interval, and stops after repeated failure."""

from collections.abc import Callable

import streamlit as st

from dashboard import preferences
from dashboard.client import Fetched

GIVE_UP_AFTER = 3
"""Failures in a row; with the client's own timeout, a service that is gone is asked that often."""
_FAILURES = "_refresh_failures"


def live(render: Callable[[], None], *, key: str) -> None:
    """Draw ``render`` now, and again at the interval of the settings while the service answers."""
    seconds = preferences.current().refresh_seconds
    st.fragment(render, run_every=None if stopped() else seconds, key=key)()


def note(*answers: Fetched[object]) -> None:
    """Tell what the answers of one refresh were; the call that reaches the limit reruns the page."""
    failed = any(answer.error is not None for answer in answers)
    before = failures()
    st.session_state[_FAILURES] = before + 1 if failed else 0
    if failed and before + 1 == GIVE_UP_AFTER:
        st.rerun()


def failures() -> int:
    count: int = st.session_state.get(_FAILURES, 0)
    return count


def stopped() -> bool:
    return failures() >= GIVE_UP_AFTER


def resume() -> None:
    """Start again from no failures: what a retry button does."""
    st.session_state[_FAILURES] = 0
