"""Gives a widget a new key whenever the page changes its value; the browser's old value is then ignored.

See "A browser that is one answer behind" in ``docs/decisions/0012-streamlit-under-asgi.md``.
"""

from collections.abc import Callable
from typing import Any, TypedDict

import streamlit as st

from dashboard.i18n import LANGUAGES, language

WIDGET_NAMES = frozenset(
    [
        "by_entity",
        "by_rule",
        "chart",
        "compare_pick",
        "cr_review_date",
        "mincap",
        "mode",
        "period",
        "pref_colours",
        "pref_currency",
        "pref_language",
        "pref_refresh",
        "pref_theme",
        "rk_compare_span",
        "rk_span",
        "seen",
        "severity",
        "size",
        "span",
        "text_lang",
        "tl_a",
        "tl_b",
        "tl_cases",
        "tl_centred",
        "tl_inference_provider",
        "tl_legend",
        "tl_machinery",
        "tl_model_vendor",
        "tl_profiles",
        "tl_since",
        "tl_split_date",
        "tl_tab",
        "tl_until",
        "tl_window",
        "tlp_run_case",
        "tlp_run_whose",
        "tp_beside",
        "tp_category",
        "tp_entity",
        "tp_find",
        "tp_lang",
        "tp_since",
        "tp_until",
        "view",
    ]
)
"""All names that can be bound; the style sheet needs them."""
_VERSIONS_KEY = "_widget_key_versions"
_MAX_KEY_VERSIONS = 8
"""After so many changes the first key is used again. The browser is never that far behind."""


class WidgetArguments(TypedDict):
    """Arguments of every Streamlit widget."""

    key: str
    on_change: Callable[[], None]


def bind_widget(name: str, value: Any, on_choose: Callable[[Any], object]) -> WidgetArguments:
    """Returns key and change callback of a widget; the caller passes ``value`` as the widget's default.

    ``on_choose`` gets what the reader chooses.

    The key is new whenever the page changes the value; the widget's class in style sheets is not. Under the
    same key, Streamlit would take the browser's old value for the reader's choice.

    This function never sets the value in the session's state. Streamlit would send it with every run, and
    the answer to a run that began before a click would undo the click.
    """
    if name not in WIDGET_NAMES:
        raise ValueError(f"Add {name!r} to WIDGET_NAMES.")
    key = _build_key(name)
    if key in st.session_state and st.session_state[key] != value:
        versions = st.session_state[_VERSIONS_KEY] = {**st.session_state.get(_VERSIONS_KEY, {})}
        versions[name] = (versions.get(name, 0) + 1) % _MAX_KEY_VERSIONS
        key = _build_key(name)

    def on_change() -> None:
        if key == _build_key(name):
            on_choose(st.session_state[key])

    return {"key": key, "on_change": on_change}


def bind_tabs(name: str, value: str, on_choose: Callable[[str], object]) -> WidgetArguments:
    """Binds tabs, whose value it sets in the session's state, unlike :func:`bind_widget`.

    They must not get a default: Streamlit would draw other tabs whenever it changes.
    """
    tabs = bind_widget(name, value, on_choose)
    st.session_state[tabs["key"]] = value
    return tabs


def _build_key(name: str) -> str:
    """Builds the current key; Streamlit leaves the spaces at its end out of the widget's class.

    Each language has its own keys. The browser sends the label of the chosen option. After a change of the
    language it sends the old label, which Streamlit would treat as a new value.
    """
    versions: dict[str, int] = st.session_state.get(_VERSIONS_KEY, {})
    return name + " " * (versions.get(name, 0) * len(LANGUAGES) + LANGUAGES.index(language()))


def build_stale_widget_css() -> str:
    """Builds CSS that hides a widget under its old key while the one under its new key is shown.

    Streamlit shows the old one until the run has ended.
    """
    return "\n".join(
        f'.st-key-{name}[data-stale="false"] ~ .st-key-{name}[data-stale="true"] {{ display: none; }}'
        for name in sorted(WIDGET_NAMES)
    )
