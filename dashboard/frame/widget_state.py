"""Sets the values of widgets that a page can change, such as those that show a parameter of the URL."""

from collections.abc import Callable
from typing import Any, TypedDict

import streamlit as st

_CHANGES = "_widget_changes"
_MAX_CHANGES = 8
"""After so many changes, a widget has its first key again. The browser is never that far behind."""


class WidgetArguments(TypedDict):
    """Arguments of every Streamlit widget."""

    key: str
    on_change: Callable[[], None]


def bind_widget(name: str, value: Any, choose: Callable[[Any], object]) -> WidgetArguments:
    """Sets the value of a widget that is rendered next; ``choose`` gets each value that the reader chooses.

    The key is new whenever the page changes the value; the widget's class in style sheets is not. The browser
    sends the values of all widgets with each action. Until it has received a change, it sends the
    old value, which Streamlit takes for the reader's choice. It comes under the old key and is ignored.

    The value is set even if it is the same, because a run that is interrupted may not reach the browser,
    whose widget would then show its default.
    """
    widget = bind_widget_default(name, value, choose)
    st.session_state[widget["key"]] = value
    return widget


def bind_widget_default(name: str, value: Any, choose: Callable[[Any], object]) -> WidgetArguments:
    """Does the same as :func:`bind_widget` for a widget that gets ``value`` as its default.

    Setting the same value again would empty what the reader types into a multiselect.
    """
    key = _build_key(name)
    if key in st.session_state and st.session_state[key] != value:
        changes = st.session_state[_CHANGES] = {**st.session_state.get(_CHANGES, {})}
        changes[name] = (changes.get(name, 0) + 1) % _MAX_CHANGES
        key = _build_key(name)

    def on_change() -> None:
        if key == _build_key(name):
            choose(st.session_state[key])

    return {"key": key, "on_change": on_change}


def _build_key(name: str) -> str:
    """Builds the current key; Streamlit leaves the spaces at its end out of the widget's class."""
    changes: dict[str, int] = st.session_state.get(_CHANGES, {})
    return name + " " * changes.get(name, 0)
