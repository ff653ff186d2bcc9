"""A part of a page that changes in place: built here as a tree of elements, patched in the browser.

Elements with an ``a[data-open]`` inside open without leaving the session; with a modifier key (or
the middle button) the browser follows their ``href`` as any link.
"""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import streamlit as st

Node: TypeAlias = str | list[Any]
"""A text, or ``[tag, attributes, children]``."""


def h(tag: str, *children: Node | None, **attributes: str | None) -> Node:
    """An element. ``class_`` is written ``class``, other underscores become hyphens; nulls are left out.

    ``key`` names the element among its siblings, so that it keeps its identity when they move.
    """
    named = {
        name.rstrip("_").replace("_", "-"): value for name, value in attributes.items() if value is not None
    }
    return [tag, named, [child for child in children if child is not None]]


def live_view(
    tree: Sequence[Node | None], *, key: str, on_open: Callable[[], None] | None = None
) -> str | None:
    """Draw ``tree``; the ``data-open`` of the link that was just followed, else null.

    ``on_open`` is called first of all when one was, with it in ``st.session_state[key].open``.
    """
    result = _component()(
        key=key,
        data={"tree": [node for node in tree if node is not None]},
        on_open_change=on_open or _nothing,
    )
    opened = result.open
    return opened if isinstance(opened, str) else None


def _nothing() -> None:
    """A trigger is only sent for callbacks that exist; the value is read from the result."""


@cache
def _component() -> Any:
    script = Path(__file__).with_name("live_view.js").read_text(encoding="utf-8")
    return st.components.v2.component("chainproof.live_view", js=script, isolate_styles=False)
