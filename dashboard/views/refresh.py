"""Live parts of a page: reruns at the reader's interval, and stops after repeated failure."""

from collections.abc import Callable

import streamlit as st

from dashboard import preferences
from dashboard.client import Fetched

GIVE_UP_AFTER = 3
"""Failures in a row; with the client's own timeout, a service that is gone is asked that often."""
FIRST_SECONDS = 2.0
"""The interval while a new installation has no figure yet, whatever the settings say."""
_FAILURES = "_refresh_failures"
_AWAITED = "_refresh_awaited"


def live(render: Callable[[], None], *, key: str) -> None:
    """Draw ``render`` now, and again at the interval of the settings while the service answers."""
    seconds = FIRST_SECONDS if st.session_state.get(_AWAITED) else preferences.current().refresh_seconds
    st.fragment(render, run_every=None if stopped() else seconds, key=key)()


def note(*answers: Fetched[object]) -> None:
    """Tell what the answers of one refresh were; the call that reaches the limit reruns the page."""
    failed = any(answer.error is not None for answer in answers)
    before = failures()
    st.session_state[_FAILURES] = before + 1 if failed else 0
    if failed and before + 1 == GIVE_UP_AFTER:
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


def stopped() -> bool:
    return failures() >= GIVE_UP_AFTER


def resume() -> None:
    """Start again from no failures: what a retry button does."""
    st.session_state[_FAILURES] = 0
