"""Synchronises the session state of a page with the query of its URL, in language-independent codes.

The URL wins when it differs from the value last seen there: a link was opened, or the reader went
back or forward. Otherwise the reader's choice on the page wins and is written to the URL. A value
at its default is left out of the URL.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar
from urllib.parse import urlencode

import streamlit as st

_SEEN = "_url_seen"
Code = TypeVar("Code", bound=str)
Valid = Callable[[str], bool]


def bind_choice(key: str, codes: Sequence[Code], default: Code) -> tuple[Code, Callable[[], None]]:
    """Binds ``?key=`` and ``st.session_state[key]``; returns the current code and the ``on_change``.

    Call it before the widget, and give the widget ``key=key`` and no default. A code that is not in
    ``codes`` counts as the default.
    """
    current = bind_text(key, default, valid=lambda text: text in codes)[0]
    return next(code for code in codes if code == current), lambda: _write_widget(key, default)


def bind_text(
    key: str, default: str = "", *, valid: Valid = lambda _: True
) -> tuple[str, Callable[[], None]]:
    """Binds free text (an asset id, a search); text that ``valid`` rejects counts as the default."""
    seen = _load_seen_params()
    raw = st.query_params.get(key)
    if (
        key not in st.session_state
        or (key in seen and raw != seen[key])
        or (key not in seen and raw is not None)
    ):
        st.session_state[key] = raw if raw is not None and valid(raw) else default
    seen[key] = raw
    current = st.session_state[key]
    if not isinstance(current, str) or not valid(current):
        current = default  # the widget was cleared
    return current, lambda: _write_widget(key, default)


def write(key: str, value: str, default: str = "") -> None:
    """Writes ``value`` to the session and the URL, for an event of a component."""
    st.session_state[key] = value
    _write_to_url(key, value, default)


def link(path: str, **query: str) -> str:
    """Builds a link to another page and keeps the ``lang`` of the current URL."""
    params = {**query, "lang": st.query_params.get("lang", "")}
    return f"{path}?{urlencode({name: value for name, value in params.items() if value})}"


def _write_widget(key: str, default: str) -> None:
    value = st.session_state.get(key)
    _write_to_url(key, value if isinstance(value, str) else default, default)


def _write_to_url(key: str, value: str, default: str) -> None:
    if value == default:
        if key in st.query_params:
            del st.query_params[key]
    else:
        st.query_params[key] = value
    _load_seen_params()[key] = st.query_params.get(key)


def _load_seen_params() -> dict[str, str | None]:
    seen: dict[str, str | None] = st.session_state.setdefault(_SEEN, {})
    return seen
