"""Opens the Timelines page and reads its URL."""

from streamlit.testing.v1 import AppTest

from tests.support.dashboard import pages


def open_timelines(**query: str) -> AppTest:
    return pages.open_page("timelines", **query)


def read_url_params(app: AppTest) -> dict[str, str]:
    """Returns the first value of each parameter of the URL."""
    return {
        name: value if isinstance(value, str) else str(value[0]) for name, value in app.query_params.items()
    }
