"""The filters above the list; each choice goes into the address."""

from collections.abc import Mapping, Sequence

import streamlit as st

from dashboard.i18n import LANGUAGE_NAMES, LANGUAGES, t
from dashboard.services import topics as reading
from dashboard.services.topics import CATEGORIES, Filters
from dashboard.views import topics_state as desk
from dashboard.views.topics_markup import GLYPHS, category_name

ALL = "all"


def show(chosen: Filters, names: Mapping[str, str]) -> None:
    """``names``: the entities that may be chosen, by id."""
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
    options = _options(chosen.entity, names)
    labels = {code: names.get(code, code) for code in options} | {"": t("topics.entity_any")}
    st.session_state["tp_entity"] = chosen.entity
    st.selectbox(
        t("topics.entity"),
        options,
        format_func=lambda code: labels[code],
        key="tp_entity",
        label_visibility="collapsed",
        on_change=lambda: desk.choose(desk.ENTITY, st.session_state["tp_entity"] or ""),
    )


def _options(chosen: str, names: Mapping[str, str]) -> Sequence[str]:
    """Any, then the names in their order; the one that is chosen stays, even when no topic has it now."""
    known = {*names, chosen} - {""}
    return ["", *sorted(known, key=lambda code: names.get(code, code).casefold())]


def _find(chosen: Filters) -> None:
    st.session_state["tp_find"] = chosen.find
    st.text_input(
        t("topics.find"),
        key="tp_find",
        placeholder=t("topics.find"),
        icon=":material/search:",
        max_chars=200,
        label_visibility="collapsed",
        on_change=lambda: desk.choose(desk.FIND, st.session_state["tp_find"] or ""),
    )
