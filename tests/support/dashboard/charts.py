"""Parses the charts that a page sends to the browser."""

from typing import Any, NamedTuple

import orjson
from streamlit.testing.v1 import AppTest


class Chart(NamedTuple):
    """A Plotly figure, and the options of its component: key, text alternative, table."""

    options: dict[str, Any]
    figure: dict[str, Any]


def parse_charts(app: AppTest) -> list[Chart]:
    """Parses each chart in the order of the page."""
    payloads = [
        part.proto.bytes
        for part in app.get("bidi_component")
        if part.proto.component_name == "chainproof.plotly_chart"
    ]
    lines = (payload.split(b"\n", 1) for payload in payloads)
    return [Chart(orjson.loads(options), orjson.loads(figure)) for options, figure in lines]
