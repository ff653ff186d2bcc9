"""Uses the Research page as a reader does."""

import json
from typing import Any

import orjson
from streamlit.testing.v1 import AppTest

from tests.support.apps.research_app import Research
from tests.support.dashboard import pages

TRUE = "The SEC approved spot bitcoin exchange-traded products on 10 January 2024."
ALTERED = "Ethereum moved to proof of stake on 15 September 2021."
NOBODY = "11111111-1111-4111-8111-111111111111"


def open_research(**query: str) -> AppTest:
    return pages.open_page("research", **query)


def submit_statement(statement: str = TRUE, **query: str) -> AppTest:
    app = open_research(**query)
    app.text_area(key="rs_statement").set_value(statement)
    return press_button(app, "rs_submit_statement")


def press_button(app: AppTest, key: str) -> AppTest:
    app.button(key=key).click().run()
    assert not app.exception
    return app


def rerun_page(app: AppTest) -> AppTest:
    """Rerun the page, as its refresh does."""
    app.run()
    assert not app.exception
    return app


def read_live_parts(app: AppTest) -> str:
    """Return the content of the page's live parts as JSON text."""
    parts = [part.proto for part in app.get("bidi_component")]
    return "\n".join(
        json.dumps(json.loads(part.json), ensure_ascii=False)
        for part in parts
        if part.component_name == "chainproof.live_view"
    )


def read_message(app: AppTest, name: str) -> Any:
    """Return the message to a component; None if the page does not have it."""
    found = [
        part.proto for part in app.get("bidi_component") if part.proto.component_name == f"chainproof.{name}"
    ]
    if not found:
        return None
    return orjson.loads(found[0].bytes or found[0].json)


def job_of(app: AppTest) -> str:
    found = app.query_params["job"]
    return found if isinstance(found, str) else str(found[0])


def submit_and_finish(service: Research, statement: str = TRUE, **query: str) -> AppTest:
    app = submit_statement(statement, **query)
    service.work()
    return rerun_page(app)
