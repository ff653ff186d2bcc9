"""Opens the Corrections page without a browser, and reads what the review component receives."""

from typing import Any

import orjson
from streamlit.testing.v1 import AppTest

from tests.support.dashboard import pages

TEXT = "Etherium rises😀.\n\nMatic Network and 以太访. Etherium again."


def open_page(**query: str) -> AppTest:
    return pages.open_page("corrections", **query)


def check_text(content: str = TEXT, *, store: bool = False, title: str = "", **query: str) -> AppTest:
    app = open_page(**query)
    app.text_area(key="cr_content").set_value(content)
    app.text_input(key="cr_title").set_value(title)
    app.toggle(key="cr_store").set_value(store)
    app.button(key="cr_check").click().run()
    assert not app.exception
    return app


def read_review(app: AppTest) -> tuple[dict[str, Any], dict[str, Any]]:
    """The two messages that the review component receives."""
    parts = {part.proto.component_name: part.proto.bytes for part in app.get("bidi_component")}
    return orjson.loads(parts["chainproof.review_head"]), orjson.loads(
        parts["chainproof.review"].split(b"\n", 1)[1]
    )
