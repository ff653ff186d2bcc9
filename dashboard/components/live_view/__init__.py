"""Draws a part of a page that changes in place: a tree of elements that the browser patches.

A click on ``a[data-open]`` sends its value to the session. With a modifier key or the middle button, the
browser follows its ``href`` like any link.
"""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import streamlit as st

Node: TypeAlias = str | list[Any]
"""A text, or ``[tag, attributes, children]``."""


def h(tag: str, *children: Node | None, **attributes: str | None) -> Node:
    """Build an element. ``class_`` becomes ``class``, other underscores become hyphens; nulls are omitted.

    ``key`` identifies the element among its siblings when they move.
    """
    present = {
        name.rstrip("_").replace("_", "-"): value for name, value in attributes.items() if value is not None
    }
    return [tag, present, [child for child in children if child is not None]]


def live_view(
    tree: Sequence[Node | None], *, key: str, on_open: Callable[[], None] | None = None
) -> str | None:
    """Draw ``tree``; returns the ``data-open`` of a link that was clicked since the last call, else None.

    With ``on_open``, that is called instead, before the page runs, with the value in
    ``st.session_state[key].open``.
    """
    opened_key = f"{key}-opened"

    def remember() -> None:
        """Remember the click. A run that is begun anew before it comes here would lose it."""
        st.session_state[opened_key] = st.session_state[key].open

    _component()(
        key=key,
        data={"tree": [node for node in tree if node is not None]},
        on_open_change=on_open or remember,
    )
    opened = st.session_state.pop(opened_key, None)
    return opened if isinstance(opened, str) else None


@cache
def _component() -> Any:
    script = Path(__file__).with_name("live_view.js").read_text(encoding="utf-8")
    return st.components.v2.component("chainproof.live_view", js=script, isolate_styles=False)
