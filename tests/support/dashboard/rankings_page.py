"""Opens the Rankings page and parses what it sends to its table."""

from typing import Any, NamedTuple

import orjson
from streamlit.testing.v1 import AppTest

from tests.support.dashboard import pages


class TablePayloads(NamedTuple):
    """What the page sends to the table: its state (view, coin, comparison), and the columns of its rows."""

    state: dict[str, Any]
    table: dict[str, Any]


def open_rankings(**query: str) -> AppTest:
    return pages.open_page("rankings", **query)


def list_payloads(app: AppTest, component: str) -> list[bytes]:
    """Returns the payload of each instance of a component."""
    name = f"chainproof.{component}"
    return [part.proto.bytes for part in app.get("bidi_component") if part.proto.component_name == name]


def parse_table_payloads(app: AppTest) -> TablePayloads:
    """Parses the payloads of the table, whose versions are equal."""
    (head,), (rows,) = list_payloads(app, "rank_head"), list_payloads(app, "rank_table")
    version, table = rows.split(b"\n", 1)
    state: dict[str, Any] = orjson.loads(head)
    assert state["version"] == version.decode()
    return TablePayloads(state, orjson.loads(table))
