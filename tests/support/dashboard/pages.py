"""Runs pages of the dashboard in Streamlit's test harness."""

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from dashboard.client import connection
from tests.support.waiting import LIMIT_SECONDS

T = TypeVar("T")
APP = Path(__file__).parents[3] / "dashboard" / "app.py"


def html(app: AppTest) -> str:
    """Return all HTML that the page sent outside components."""
    return "\n".join(str(part.proto.body) for part in app.get("html"))


def component(app: AppTest, name: str) -> Any:
    """Return the message to the only component ``chainproof.<name>``."""
    assert not app.exception
    (part,) = [
        part for part in app.get("bidi_component") if part.proto.component_name == f"chainproof.{name}"
    ]
    return part.proto


def find_bound(widgets: Iterable[T], name: str) -> T:
    """Returns the widget bound to ``name``; its key differs by language and by changes of the page."""
    (found,) = [widget for widget in widgets if str(getattr(widget, "key", "")).rstrip() == name]
    return found


def read_url_params(app: AppTest) -> dict[str, str]:
    """Returns the first value of each parameter of the URL."""
    return {
        name: value if isinstance(value, str) else str(value[0]) for name, value in app.query_params.items()
    }


def read_live_views(app: AppTest) -> str:
    """The content of all live views as JSON, one a line."""
    return "\n".join(
        json.dumps(json.loads(part.proto.json), ensure_ascii=False)
        for part in app.get("bidi_component")
        if part.proto.component_name == "chainproof.live_view"
    )


def markdown(app: AppTest) -> str:
    """Return the page's first Markdown text."""
    assert not app.exception
    return str(app.markdown[0].value)


def open_page(page: str = "", /, **query: str) -> AppTest:
    """Open the application at ``page`` (by default the start page) with query parameters."""
    app = AppTest.from_file(str(APP), default_timeout=LIMIT_SECONDS)
    if page:  # switch_page finds pages by file name, but ours all have the same one
        app._page_hash = calc_hash(page)
    app.query_params.update(query)
    app.run()
    assert not app.exception
    return app


def change_answer(monkeypatch: pytest.MonkeyPatch, path: str, change: Callable[[Any], Any]) -> None:
    """Change the service's responses to the dashboard for paths that start with ``path``."""
    real = connection.get_client().get

    def get(requested: str, *arguments: Any, **options: Any) -> Any:
        fetched = real(requested, *arguments, **options)
        return replace(fetched, data=change(fetched.data)) if requested.startswith(path) else fetched

    monkeypatch.setattr(connection.get_client(), "get", get)
