"""Reads and writes the state of a page's view in the query of its URL.

Values are codes that do not depend on the language; those at their default are left out.

Pages read and write the query only here, because an action may still bring a query that the session has
replaced; see "A browser that is one answer behind" in ``docs/decisions/0012-streamlit-under-asgi.md``.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar
from urllib.parse import urlencode

import streamlit as st
from streamlit.navigation.page import StreamlitPage
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dashboard.frame.streamlit_internals import get_page_id
from dashboard.frame.widget_state import WidgetArguments, bind_widget

_WRITES_KEY = "_url_writes"
_PAGE_KEY = "_url_page"
_LAST_QUERIES_KEY = "_url_last_queries"
_MAX_REPLACED_QUERIES = 8
Code = TypeVar("Code", bound=str)
Validator = Callable[[str], bool]


class _RecentWrites(NamedTuple):
    page: str
    latest: Mapping[str, str]
    replaced: tuple[Mapping[str, str], ...]
    """Queries before the latest write, which a late action may still bring."""


def restore_last_query() -> None:
    """Restores the page's last query when the reader returns to it by a link without one.

    Called at the start of every run. A link with a query and the browser's history win.
    """
    page, is_history_navigation = _get_run_context()
    before, st.session_state[_PAGE_KEY] = st.session_state.get(_PAGE_KEY, page), page
    if before == page or is_history_navigation:
        return
    query, last = st.query_params.to_dict(), _get_last_queries().get(page)
    if last and not query.keys() - {"lang"}:
        write_query({**last, **query})


def read_query() -> dict[str, str]:
    """Returns the query of the URL, or the last write if the browser still sends an older query.

    The query is remembered as the page's last one.
    """
    query = _read_latest_query()
    _remember(query)
    return query


def _read_latest_query() -> dict[str, str]:
    query = st.query_params.to_dict()
    writes: _RecentWrites | None = st.session_state.get(_WRITES_KEY)
    if writes is None:
        return query
    page, is_history_navigation = _get_run_context()
    if page == writes.page and query == writes.latest:
        return query
    if page == writes.page and query in writes.replaced and not is_history_navigation:
        st.query_params.from_dict(writes.latest)
        return dict(writes.latest)
    del st.session_state[_WRITES_KEY]
    return query


def write_query(query: Mapping[str, str]) -> None:
    """Replaces the whole query of the URL. The same query adds no entry to the browser's history."""
    before = read_query()
    if query == before:
        return
    writes: _RecentWrites | None = st.session_state.get(_WRITES_KEY)
    replaced = [*(writes.replaced if writes else ()), before]
    st.session_state[_WRITES_KEY] = _RecentWrites(
        _get_run_context()[0],
        dict(query),
        tuple(other for other in replaced if other != query)[-_MAX_REPLACED_QUERIES:],
    )
    st.query_params.from_dict(query)
    _remember(query)


def _remember(query: Mapping[str, str]) -> None:
    last_query = {name: value for name, value in query.items() if name != "lang"}
    _get_last_queries()[_get_run_context()[0]] = last_query


def _get_last_queries() -> dict[str, dict[str, str]]:
    """Returns the last query of each visited page, without the language, which belongs to the session."""
    queries: dict[str, dict[str, str]] = st.session_state.setdefault(_LAST_QUERIES_KEY, {})
    return queries


def write_param(key: str, value: str, default: str = "") -> None:
    """Writes one parameter of the URL, without it if ``value`` is empty or its default."""
    query = {name: text for name, text in read_query().items() if name != key}
    write_query({**query, key: value} if value not in ("", default) else query)


def _get_run_context() -> tuple[str, bool]:
    """Returns the page of this run, and whether the reader went back or forward to an earlier query."""
    context = get_script_run_ctx()
    return (context.page_script_hash, context.is_history_navigation) if context else ("", False)


class Binding(NamedTuple, Generic[Code]):
    """The value of a URL parameter and the arguments of its widget, which gets the value as its default."""

    value: Code
    widget: WidgetArguments


def bind_choice(key: str, codes: Sequence[Code], default: Code) -> Binding[Code]:
    """Binds a choice to ``?key=``; a code that is not in ``codes`` counts as the default."""
    value = read_choice(key, codes, default)
    return Binding(value, _bind_param(key, value, default))


def read_choice(key: str, codes: Sequence[Code], default: Code) -> Code:
    """Reads a choice from the URL; a code that is not in ``codes`` counts as the default."""
    text = read_query().get(key)
    return next((code for code in codes if code == text), default)


def bind_text(key: str) -> Binding[str]:
    """Binds free text to ``?key=``."""
    value = read_param(key)
    return Binding(value, _bind_param(key, value, ""))


def _bind_param(key: str, value: str, default: str) -> WidgetArguments:
    return bind_widget(key, value, lambda chosen: write_param(key, chosen or default, default))


def read_param(key: str, default: str = "", *, valid: Validator = lambda _: True) -> str:
    """Reads one parameter of the URL; text that ``valid`` rejects counts as the default."""
    text = read_query().get(key)
    return text if text is not None and valid(text) else default


def build_link(path: str, **query: str) -> str:
    """Builds a link to another page and keeps the ``lang`` of the current URL."""
    params = {**query, "lang": read_query().get("lang", "")}
    return f"{path}?{urlencode({name: value for name, value in params.items() if value})}"


def build_last_view_link(page: StreamlitPage) -> str:
    """Builds a link to another page in its last view; see :func:`restore_last_query`."""
    return build_link(f"/{page.url_path}", **_get_last_queries().get(get_page_id(page), {}))
