"""Reads the tree of elements that the Overview sends to its component."""

import json
from collections.abc import Iterator
from typing import Any

from streamlit.testing.v1 import AppTest

from tests.support.dashboard.pages import component


def read_tree(app: AppTest) -> list[Any]:
    """Returns the tree that the Overview sends to its component."""
    sent_tree: list[Any] = json.loads(component(app, "live_view").json)["tree"]
    return sent_tree


def iterate_nodes(node: Any) -> Iterator[Any]:
    if not isinstance(node, str):
        yield node
        for child in node[2]:
            yield from iterate_nodes(child)


def text(node: Any) -> str:
    return node if isinstance(node, str) else "".join(map(text, node[2]))


def find_panel(app: AppTest, name: str) -> Any:
    for part in read_tree(app):
        for node in iterate_nodes(part):
            if f"cp-{name}" in node[1].get("class", "").split():
                return node
    raise AssertionError(f"no panel {name}")


def links(node: Any) -> list[str]:
    return [part[1]["data-open"] for part in iterate_nodes(node) if "data-open" in part[1]]
