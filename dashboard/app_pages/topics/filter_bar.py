"""Shows the filters above the list; each choice is written to the URL."""

from collections.abc import Mapping
from functools import partial

import streamlit as st

from dashboard.app_pages.topics import entity_names, filter_params, url_state
from dashboard.app_pages.topics.filter_params import Filters
from dashboard.components.topic_badge import GLYPHS, name_category
from dashboard.components.topic_categories import CATEGORIES
from dashboard.frame.widget_state import bind_widget
from dashboard.i18n import LANGUAGE_NAMES, LANGUAGES, language, t

ALL_CODE = "all"


def render(filters: Filters, names: Mapping[str, str]) -> None:
    """Render the filters. ``names`` are the entities of this page's topics, by id."""
    with st.container(key="tp_filters", horizontal=True, vertical_alignment="center", gap="small"):
        _render_language(filters)
        _render_days(filters)
        _render_category(filters)
        _render_entity(filters, names)
        _render_search(filters)


def _render_language(filters: Filters) -> None:
    widget = bind_widget("tp_lang", filters.language, url_state.set_language)
    st.segmented_control(
        t("topics.language"),
        LANGUAGES,
        format_func=lambda code: LANGUAGE_NAMES[code],
        default=filters.language,
        **widget,
        required=True,
        label_visibility="collapsed",
    )


def _render_category(filters: Filters) -> None:
    names = {ALL_CODE: t("topics.category_all")}
    names |= {code: f"{GLYPHS[code]} {name_category(code)}" for code in CATEGORIES}
    chosen = filters.category or ALL_CODE
    widget = bind_widget("tp_category", chosen, _choose_category)
    st.segmented_control(
        t("topics.category"),
        (ALL_CODE, *CATEGORIES),
        format_func=lambda code: names[code],
        default=chosen,
        **widget,
        required=True,
        label_visibility="collapsed",
    )


def _choose_category(code: str) -> None:
    url_state.set_filter(url_state.CATEGORY, "" if code == ALL_CODE else code)


def _render_days(filters: Filters) -> None:
    label = t("topics.days")
    if filters.since or filters.until:
        ends = (
            filters.since.isoformat() if filters.since else "",
            filters.until.isoformat() if filters.until else "",
        )
        label = f"{ends[0]} – {ends[1]}".strip()
    with st.popover(label, icon=":material/date_range:", width="content", key="tp_days"):
        for key, param, name, day in (
            ("tp_since", url_state.SINCE, t("topics.since"), filters.since),
            ("tp_until", url_state.UNTIL, t("topics.until"), filters.until),
        ):
            widget = bind_widget(key, day, partial(url_state.set_day, param))
            st.date_input(
                name,
                day,
                format="YYYY-MM-DD",
                min_value=filter_params.EARLIEST_DAY,
                max_value=filter_params.LATEST_DAY,
                **widget,
            )
        st.caption(t("topics.days_utc"))
        st.button(
            t("topics.days_clear"),
            key="tp_days_clear",
            disabled=not (filters.since or filters.until),
            on_click=url_state.clear_days,
        )


def _render_entity(filters: Filters, names: Mapping[str, str]) -> None:
    labels = _build_entity_labels(filters.entity, names)
    widget = bind_widget(
        "tp_entity", filters.entity, lambda entity: url_state.set_filter(url_state.ENTITY, entity or "")
    )
    st.selectbox(
        t("topics.entity"),
        list(labels),
        list(labels).index(filters.entity),
        format_func=lambda code: labels.get(code, code),
        **widget,
        label_visibility="collapsed",
    )


def _build_entity_labels(chosen: str, names: Mapping[str, str]) -> dict[str, str]:
    """Build the options: any, the entities of this page, then all others, each group sorted by name.

    The chosen entity is always an option, even if it is unknown.
    """
    all_labels = entity_names.load_names(language()).labels
    page_labels = {code: all_labels.get(code, name) for code, name in names.items()}
    sorted_page = dict(sorted(page_labels.items(), key=lambda item: item[1].casefold()))
    labels = {"": t("topics.entity_any"), **sorted_page, **all_labels}
    return labels if chosen in labels else {**labels, chosen: chosen}


def _render_search(filters: Filters) -> None:
    widget = bind_widget(
        "tp_find", filters.search_text, lambda text: url_state.set_filter(url_state.SEARCH, text or "")
    )
    st.text_input(
        t("topics.find"),
        filters.search_text,
        **widget,
        placeholder=t("topics.find"),
        icon=":material/search:",
        max_chars=filter_params.MAX_SEARCH_CHARS,
        label_visibility="collapsed",
    )
