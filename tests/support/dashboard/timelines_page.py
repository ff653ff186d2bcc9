"""Opens the Timelines page."""

from streamlit.testing.v1 import AppTest

from tests.support.dashboard import pages


def open_timelines(**query: str) -> AppTest:
    return pages.open_page("timelines", **query)
