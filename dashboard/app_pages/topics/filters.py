"""The filters above the list; each choice goes into the address."""

from collections.abc import Mapping

import streamlit as st

from dashboard.app_pages.topics import topic_text as reading
from dashboard.app_pages.topics import url_state as desk
from dashboard.app_pages.topics.topic_text import Filters
from dashboard.client.articles import RuleEntity
from dashboard.components.topic_badge import GLYPHS, category_name
from dashboard.components.topic_categories import CATEGORIES
from dashboard.i18n import LANGUAGE_NAMES, LANGUAGES, language, t

ALL = "all"


def show(chosen: Filters, names: Mapping[str, str]) -> None:
    """``names``: whom the topics of this page name, by id."""
    with st.container(key="tp_filters", horizontal=True, vertical_alignment="center", gap="small"):
        _language(chosen)
        _category(chosen)
        _days(chosen)
        _entity(chosen, names)
        _find(chosen)


def _language(chosen: Filters) -> None:
    st.session_state["tp_lang"] = chosen.language
    st.segmented_control(
        t("topics.language"),
        LANGUAGES,
        format_func=lambda code: LANGUAGE_NAMES[code],
        key="tp_lang",
        required=True,
        label_visibility="collapsed",
        on_change=lambda: desk.choose_language(st.session_state["tp_lang"]),
    )


def _category(chosen: Filters) -> None:
    names = {ALL: t("topics.category_all")}
    names |= {code: f"{GLYPHS[code]} {category_name(code)}" for code in CATEGORIES}
    st.session_state["tp_category"] = chosen.category or ALL
    st.segmented_control(
        t("topics.category"),
        (ALL, *CATEGORIES),
        format_func=lambda code: names[code],
        key="tp_category",
        required=True,
        label_visibility="collapsed",
        on_change=_category_chosen,
    )


def _category_chosen() -> None:
    code = st.session_state["tp_category"]
    desk.choose(desk.CATEGORY, "" if code == ALL else code)


def _days(chosen: Filters) -> None:
    label = t("topics.days")
    if chosen.since or chosen.until:
        ends = (
            chosen.since.isoformat() if chosen.since else "",
            chosen.until.isoformat() if chosen.until else "",
        )
        label = f"{ends[0]} – {ends[1]}".strip()
    with st.popover(label, icon=":material/date_range:", width="content", key="tp_days"):
        for key, name, day in (
            ("tp_since", t("topics.since"), chosen.since),
            ("tp_until", t("topics.until"), chosen.until),
        ):
            st.session_state[key] = day
            st.date_input(
                name,
                key=key,
                format="YYYY-MM-DD",
                min_value=reading.EARLIEST,
                max_value=reading.LATEST,
                on_change=_days_chosen,
            )
        st.caption(t("topics.days_utc"))
        st.button(
            t("topics.days_clear"),
            key="tp_days_clear",
            disabled=not (chosen.since or chosen.until),
            on_click=desk.choose_days,
            args=(None, None),
        )


def _days_chosen() -> None:
    desk.choose_days(st.session_state["tp_since"], st.session_state["tp_until"])


def _entity(chosen: Filters, names: Mapping[str, str]) -> None:
    labels = _labels(chosen.entity, names)
    st.session_state["tp_entity"] = chosen.entity
    st.selectbox(
        t("topics.entity"),
        list(labels),
        format_func=lambda code: labels.get(code, code),
        key="tp_entity",
        label_visibility="collapsed",
        on_change=lambda: desk.choose(desk.ENTITY, st.session_state["tp_entity"] or ""),
    )


def _labels(chosen: str, names: Mapping[str, str]) -> dict[str, str]:
    """Any, whom the topics of this page name, then all others; each part by name. Who is chosen stays among
    them, even when nobody knows who that is."""
    every = {one["id"]: _name(one) for one in desk.catalogue()}
    here = {code: every.get(code, name) for code, name in names.items()}
    parts = [
        {"": t("topics.entity_any")},
        *(dict(sorted(part.items(), key=lambda item: item[1].casefold())) for part in (here, every)),
    ]
    found = {code: label for part in parts for code, label in part.items()}
    return found if chosen in found else {**found, chosen: chosen}


def _name(entity: RuleEntity) -> str:
    """In the language of the page, and in English where that is another: readers look for either."""
    names = entity["names"]
    english = names.get("en") or entity["id"]
    own = names.get(language(), english)
    return english if own == english else f"{own} · {english}"


def _find(chosen: Filters) -> None:
    st.session_state["tp_find"] = chosen.find
    st.text_input(
        t("topics.find"),
        key="tp_find",
        placeholder=t("topics.find"),
        icon=":material/search:",
        max_chars=reading.LONGEST_SEARCH,
        label_visibility="collapsed",
        on_change=lambda: desk.choose(desk.FIND, st.session_state["tp_find"] or ""),
    )
