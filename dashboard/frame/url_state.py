"""Synchronises the session state of a page with the query of its URL, in language-independent codes.

The URL wins when it differs from the value last seen there: a link was opened, or the reader went
back or forward. Otherwise the reader's choice on the page wins and is written to the URL. A value
at its default is left out of the URL.

The browser sends the query with each action, but learns of one that the session wrote only with the
answer. Two quick actions would undo the first one's write, so pages read and write the query here.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar
from urllib.parse import urlencode

import streamlit as st
from streamlit.navigation.page import StreamlitPage
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dashboard.frame.streamlit_internals import get_page_id

_SEEN = "_url_seen"
_WRITES = "_url_writes"
_PAGE = "_url_page"
_LAST_QUERIES = "_url_last_queries"
_MAX_REPLACED_QUERIES = 8
Code = TypeVar("Code", bound=str)
Valid = Callable[[str], bool]


class _Writes(NamedTuple):
    page: str
    latest: Mapping[str, str]
    replaced: tuple[Mapping[str, str], ...]
    """Queries before the latest write, which a late action may still bring."""


def restore_last_query() -> None:
    """Restores the page's last query when the reader returns to it by a link without one.

    Called at the start of every run. A link with a query and the browser's history win.
    """
    page, is_history_navigation = _find_page()
    before, st.session_state[_PAGE] = st.session_state.get(_PAGE, page), page
    if before == page or is_history_navigation:
        return
    query, last = st.query_params.to_dict(), _load_last_queries().get(page)
    if last and not query.keys() - {"lang"}:
        write_query({**last, **query})


def read_query() -> dict[str, str]:
    """Returns the query of the URL; one that this session has replaced since is replaced again."""
    query = _read_latest_query()
    _remember(query)
    return query


def _read_latest_query() -> dict[str, str]:
    query = st.query_params.to_dict()
    writes: _Writes | None = st.session_state.get(_WRITES)
    if writes is None:
        return query
    page, is_history_navigation = _find_page()
    if page == writes.page and query == writes.latest:
        return query
    if page == writes.page and query in writes.replaced and not is_history_navigation:
        st.query_params.from_dict(writes.latest)
        return dict(writes.latest)
    del st.session_state[_WRITES]
    return query


def write_query(query: Mapping[str, str]) -> None:
    """Writes the whole query of the URL. An address bar that has it already gets no history entry."""
    before = read_query()
    if query == before:
        return
    writes: _Writes | None = st.session_state.get(_WRITES)
    replaced = [*(writes.replaced if writes else ()), before]
    st.session_state[_WRITES] = _Writes(
        _find_page()[0],
        dict(query),
        tuple(other for other in replaced if other != query)[-_MAX_REPLACED_QUERIES:],
    )
    st.query_params.from_dict(query)
    _remember(query)


def _remember(query: Mapping[str, str]) -> None:
    last_query = {name: value for name, value in query.items() if name != "lang"}
    _load_last_queries()[_find_page()[0]] = last_query


def _load_last_queries() -> dict[str, dict[str, str]]:
    """Returns the last query of each visited page, without the language, which belongs to the session."""
    queries: dict[str, dict[str, str]] = st.session_state.setdefault(_LAST_QUERIES, {})
    return queries


def write_param(key: str, value: str) -> None:
    """Writes one parameter of the URL; an empty value removes it."""
    query = {name: text for name, text in read_query().items() if name != key}
    write_query({**query, key: value} if value else query)


def _find_page() -> tuple[str, bool]:
    """Returns the page of this run, and whether the reader went back or forward to an earlier query."""
    context = get_script_run_ctx()
    return (context.page_script_hash, context.is_history_navigation) if context else ("", False)


def bind_choice(key: str, codes: Sequence[Code], default: Code) -> tuple[Code, Callable[[], None]]:
    """Binds ``?key=`` and ``st.session_state[key]``; returns the current code and the ``on_change``.

    Call it before the widget, and give the widget ``key=key`` and no default. A code that is not in
    ``codes`` counts as the default. The state is written at every run: a run that is interrupted may not
    reach the browser, whose widget would then show its default.
    """
    current = st.session_state[key] = bind_text(key, default, valid=lambda text: text in codes)[0]
    return next(code for code in codes if code == current), lambda: _write_widget(key, default)


def bind_text(
    key: str, default: str = "", *, valid: Valid = lambda _: True
) -> tuple[str, Callable[[], None]]:
    """Binds free text (an asset id, a search); text that ``valid`` rejects counts as the default."""
    seen = _load_seen_params()
    raw = read_query().get(key)
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
    params = {**query, "lang": read_query().get("lang", "")}
    return f"{path}?{urlencode({name: value for name, value in params.items() if value})}"


def link_page(page: StreamlitPage) -> str:
    """Builds a link to another page in its last view; see :func:`restore_last_query`."""
    return link(f"/{page.url_path}", **_load_last_queries().get(get_page_id(page), {}))


def _write_widget(key: str, default: str) -> None:
    value = st.session_state.get(key)
    _write_to_url(key, value if isinstance(value, str) else default, default)


def _write_to_url(key: str, value: str, default: str) -> None:
    write_param(key, "" if value == default else value)
    _load_seen_params()[key] = read_query().get(key)


def _load_seen_params() -> dict[str, str | None]:
    seen: dict[str, str | None] = st.session_state.setdefault(_SEEN, {})
    return seen
