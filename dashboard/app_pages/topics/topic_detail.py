"""Shows an opened topic: texts, sources, insight, prices, and its other languages."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple

import streamlit as st

from dashboard.app_pages.topics import (
    data,
    filter_params,
    insight,
    media,
    price_chart,
    session_state,
    side_panel,
    text_markup,
    url_state,
)
from dashboard.app_pages.topics.filter_params import Filters
from dashboard.client import Fetched, Problem, connection, topics
from dashboard.client.topics import Insight, TopicDetail, TopicMedia
from dashboard.frame import states
from dashboard.frame.head import set_tab_title
from dashboard.frame.markup import tag, text
from dashboard.frame.widget_state import bind_widget
from dashboard.i18n import LANGUAGE_NAMES, LANGUAGES, Language, t

SKELETON_HEIGHT_PX = 420


class TopicResponses(NamedTuple):
    """The responses of the service on one topic."""

    id: int
    texts: Mapping[Language, Fetched[TopicDetail]]
    media: Fetched[TopicMedia]
    insight: Fetched[Insight]

    @property
    def languages(self) -> list[Language]:
        return [lang for lang in LANGUAGES if self.texts[lang].data is not None]

    @property
    def is_unknown(self) -> bool:
        return all(_is_missing(answer.error) for answer in self.texts.values())


def render(filters: Filters) -> None:
    number = filter_params.parse_number(url_state.read_topic())
    with st.container(key="tp_panel", border=True, gap="small"):
        _render_toolbar(number, filters)
        if number is None:
            _render_unknown()
            return
        with states.show_skeleton(SKELETON_HEIGHT_PX):
            responses = _fetch_topic(number, filters.language)
        if responses.is_unknown:
            _render_unknown()
            return
        topic = responses.texts[filters.language].data
        if topic is None:
            _render_missing_language(responses, filters.language)
            return
        set_tab_title(topic["title"])
        states.render_stale_banner(
            responses.texts[filters.language], responses.media, responses.insight, key="tp_topic"
        )
        _render_topic(responses, topic)


def _fetch_topic(number: int, lang: Language) -> TopicResponses:
    """Fetch all responses in parallel."""
    media, insight = (
        connection.start_call(lambda: topics.fetch_media(number, lang)),
        connection.start_call(lambda: topics.fetch_insight(number, lang)),
    )
    texts = {code: connection.start_call(partial(topics.fetch_detail, number, code)) for code in LANGUAGES}
    return TopicResponses(
        number, {code: text.result() for code, text in texts.items()}, media.result(), insight.result()
    )


def _is_missing(problem: Problem | None) -> bool:
    return problem is not None and problem.status == 404


# --- toolbar and error states


def _render_toolbar(number: int | None, filters: Filters) -> None:
    before, after = _find_neighbours(number, filters)
    with st.container(key="tp_bar", horizontal=True, vertical_alignment="center", gap="small"):
        st.button(
            t("topics.close"), key="tp_close", icon=":material/arrow_back:", on_click=url_state.close_topic
        )
        for key, neighbour, icon in (
            ("previous", before, ":material/keyboard_arrow_up:"),
            ("next", after, ":material/keyboard_arrow_down:"),
        ):
            st.button(
                t(f"topics.{key}"),
                key=f"tp_{key}",
                icon=icon,
                disabled=neighbour is None,
                on_click=url_state.open_topic,
                args=neighbour or (0, None),
            )
        is_side_by_side = url_state.is_side_by_side()
        st.toggle(
            t("topics.beside"),
            is_side_by_side,
            **bind_widget("tp_beside", is_side_by_side, url_state.set_side_by_side),
        )


ListPosition = tuple[int, int]
"""A topic's id, and the page of the list that contains it."""


def _find_neighbours(number: int | None, filters: Filters) -> tuple[ListPosition | None, ListPosition | None]:
    """Find the previous and next topic in the list, also across pages."""
    listing = data.load(filters)
    ids = [topic["id"] for topic in listing.topics]
    if number is None or number not in ids:
        return None, None
    page = filters.page
    neighbours = filter_params.find_neighbours(ids, number)
    before = (neighbours.previous, page) if neighbours.previous is not None else None
    after = (neighbours.next, page) if neighbours.next is not None else None
    if before is None and page > 1:
        neighbour = data.load(replace(filters, page=page - 1)).topics
        before = (neighbour[-1]["id"], page - 1) if neighbour else None
    if after is None and page < filter_params.count_pages(listing.total):
        neighbour = data.load(replace(filters, page=page + 1)).topics
        after = (neighbour[0]["id"], page + 1) if neighbour else None
    return before, after


def _render_unknown() -> None:
    states.render_empty(
        t("topics.unknown"), action=t("topics.close"), on_click=url_state.close_topic, key="tp_topic"
    )


def _render_missing_language(responses: TopicResponses, lang: Language) -> None:
    """Render the languages of a topic that lacks the chosen one, or an error."""
    problem = responses.texts[lang].error
    if problem is not None and not _is_missing(problem):
        states.render_error(problem, key="tp_topic")
        return
    message = t(
        "topics.lacks",
        language=LANGUAGE_NAMES[lang],
        languages=t("topics.between").join(LANGUAGE_NAMES[code] for code in responses.languages),
    )
    st.html(tag("h2", text(message), id=session_state.HEADING_ID, tabindex="-1", class_="tp-title tp-lacks"))
    with st.container(horizontal=True, gap="small", key="tp_languages"):
        for code in responses.languages:
            st.button(
                t("topics.read_in", language=LANGUAGE_NAMES[code]),
                key=f"tp_read_{code}",
                on_click=url_state.set_language,
                args=(code,),
            )


# --- the topic


def _render_topic(responses: TopicResponses, topic: TopicDetail) -> None:
    """Render the text with primary sources, beside it dates and entities, below them everything else."""
    now = datetime.now(UTC)
    sources = responses.media.data
    head = text_markup.build_head(
        topic, now, with_source=sources is not None and not sources["primary_sources"]
    )
    texts = {code: text.data for code, text in responses.texts.items() if text.data is not None}
    if url_state.is_side_by_side():
        st.html(head + text_markup.build_side_by_side(texts))
    others = [text for text in texts.values() if text["lang"] != topic["lang"]]
    entities = session_state.find_entities_in_languages([topic, *others])
    with st.container(key="tp_read"):
        with st.container(key="tp_text", gap="small"):
            if not url_state.is_side_by_side():
                st.html(head + text_markup.build_text(topic) + text_markup.build_terms(topic))
            media.render_primary_sources(responses.media)
        with st.container(key="tp_beside_text"):
            side_panel.render_side_panel(responses.insight.data, entities, topic["lang"], now)
        with st.container(key="tp_below", gap="small"):
            insight.render(responses.insight, topic["lang"])
            media.render_reports(responses.media, topic)
            price_chart.render(topic, responses.media.data, entities, now)
