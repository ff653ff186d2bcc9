"""Opens the Rankings page and parses what it sends to its components."""

from typing import Any

import orjson
from streamlit.testing.v1 import AppTest

from tests.support.dashboard import pages


def open_rankings(**query: str) -> AppTest:
    return pages.open_page("rankings", **query)


def list_payloads(app: AppTest, component: str) -> list[bytes]:
    """Returns the payload of each instance of a component."""
    name = f"chainproof.{component}"
    return [part.proto.bytes for part in app.get("bidi_component") if part.proto.component_name == name]


def parse_table_payloads(app: AppTest) -> tuple[dict[str, Any], dict[str, Any]]:
    """Parses what the page sends to the table: first the head (its state), then the rows."""
    (head,), (rows,) = list_payloads(app, "rank_head"), list_payloads(app, "rank_table")
    version, table = rows.split(b"\n", 1)
    state: dict[str, Any] = orjson.loads(head)
    assert state["version"] == version.decode()
    return state, orjson.loads(table)


def parse_charts(app: AppTest) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Parses each chart: first its options, then its figure."""
    lines = (part.split(b"\n", 1) for part in list_payloads(app, "plotly_chart"))
    return [(orjson.loads(options), orjson.loads(figure)) for options, figure in lines]
