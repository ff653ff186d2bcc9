"""Pages of the dashboard as Streamlit's own test harness runs them."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from dashboard.client import connection
from tests.support.waiting import LIMIT_SECONDS

APP = Path(__file__).parents[2] / "dashboard" / "app.py"


def html(app: AppTest) -> str:
    """All markup that the page sent, but what is inside components."""
    return "\n".join(str(part.proto.body) for part in app.get("html"))


def component(app: AppTest, name: str) -> Any:
    """What the page sent to its one component ``chainproof.<name>``."""
    assert not app.exception
    (part,) = [
        part for part in app.get("bidi_component") if part.proto.component_name == f"chainproof.{name}"
    ]
    return part.proto


def markdown(app: AppTest) -> str:
    """The page's first line of Markdown."""
    assert not app.exception
    return str(app.markdown[0].value)


def opened(page: str = "", /, **query: str) -> AppTest:
    """The application at ``page`` (the start page unless one is named), with what the address says."""
    app = AppTest.from_file(str(APP), default_timeout=LIMIT_SECONDS)
    if page:  # the harness's own switch_page finds a page by its file's name, and here all have the same
        app._page_hash = calc_hash(page)
    app.query_params.update(query)
    app.run()
    assert not app.exception
    return app


def change_answer(monkeypatch: pytest.MonkeyPatch, path: str, change: Callable[[Any], Any]) -> None:
    """Have the dashboard's client change what the service answers at paths that begin with ``path``."""
    real = connection.get_client().get

    def get(asked: str, *rest: Any, **more: Any) -> Any:
        fetched = real(asked, *rest, **more)
        return replace(fetched, data=change(fetched.data)) if asked.startswith(path) else fetched

    monkeypatch.setattr(connection.get_client(), "get", get)
