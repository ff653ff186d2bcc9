"""Uses the Research page as a reader does."""

import json
from typing import Any

import orjson
from streamlit.testing.v1 import AppTest

from tests.support import pages
from tests.support.research_app import Research

TRUE = "The SEC approved spot bitcoin exchange-traded products on 10 January 2024."
ALTERED = "Ethereum moved to proof of stake on 15 September 2021."
NOBODY = "11111111-1111-4111-8111-111111111111"


def opened(**query: str) -> AppTest:
    return pages.opened("research", **query)


def submitted(statement: str = TRUE, **query: str) -> AppTest:
    app = opened(**query)
    app.text_area(key="rs_statement").set_value(statement)
    return pressed(app, "rs_submit_statement")


def pressed(app: AppTest, key: str) -> AppTest:
    app.button(key=key).click().run()
    assert not app.exception
    return app


def again(app: AppTest) -> AppTest:
    """Rerun the page, as its refresh does."""
    app.run()
    assert not app.exception
    return app


def drawn(app: AppTest) -> str:
    """Return the content of the page's live parts as JSON text."""
    parts = [part.proto for part in app.get("bidi_component")]
    return "\n".join(
        json.dumps(json.loads(part.json), ensure_ascii=False)
        for part in parts
        if part.component_name == "chainproof.live_view"
    )


def sent(app: AppTest, name: str) -> Any:
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


def finished(service: Research, statement: str = TRUE, **query: str) -> AppTest:
    app = submitted(statement, **query)
    service.work()
    return again(app)
