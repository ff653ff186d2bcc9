"""Opens the Corrections page without a browser, and reads what the review component receives."""

from typing import Any, NamedTuple

import orjson
from streamlit.testing.v1 import AppTest

from tests.support.dashboard import pages

TEXT = "Etherium rises😀.\n\nMatic Network and 以太访. Etherium again."


class Review(NamedTuple):
    """What the page sends to the review: decisions and view, and the article with its findings."""

    state: dict[str, Any]
    article: dict[str, Any]


def open_corrections(**query: str) -> AppTest:
    return pages.open_page("corrections", **query)


def check_text(content: str = TEXT, *, store: bool = False, title: str = "", **query: str) -> AppTest:
    app = open_corrections(**query)
    app.text_area(key="cr_content").set_value(content)
    app.text_input(key="cr_title").set_value(title)
    app.toggle(key="cr_store").set_value(store)
    app.button(key="cr_check").click().run()
    assert not app.exception
    return app


def read_review(app: AppTest) -> Review:
    """Returns the messages that the review component receives."""
    parts = {part.proto.component_name: part.proto.bytes for part in app.get("bidi_component")}
    state, article = parts["chainproof.review_head"], parts["chainproof.review"].split(b"\n", 1)[1]
    return Review(orjson.loads(state), orjson.loads(article))
