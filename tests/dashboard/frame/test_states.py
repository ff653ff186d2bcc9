"""The banner over old figures."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.support.dashboard.pages import html


def page() -> None:
    from datetime import UTC, datetime, timedelta

    import streamlit as st

    from dashboard.client import Fetched, Problem
    from dashboard.frame import states

    problem = Problem("timeout", "", waiting_seconds=float(st.query_params["waiting"]))
    at = datetime.now(UTC) - timedelta(minutes=2)
    states.render_stale_banner(Fetched({}, at, stale=True, error=problem), key="it", live=True)
    states.render_error(problem, key="it", live=True)


@pytest.mark.parametrize(("waiting", "has_advice"), [("3", False), ("12", True)])
def test_a_slow_service_is_named_with_the_age_of_the_figures_and_soon_with_advice(
    app: AppTest, waiting: str, has_advice: bool
) -> None:
    app.query_params["waiting"] = waiting
    app.run()
    assert not app.exception
    assert "The service is slow. Showing the figures of" in html(app)
    assert "(2 min old)" in html(app)
    assert ("It has not responded for 12 s. Check its load" in html(app)) is has_advice
    assert not app.button, "there is nothing to try again while the request goes on"
