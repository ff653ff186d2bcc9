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
    topic_text,
    url_state,
)
from dashboard.app_pages.topics.filter_params import Filters
from dashboard.app_pages.topics.markup import name_source
from dashboard.client import Fetched, Problem, connection, topics
from dashboard.client.topics import Insight, TopicDetail, TopicMedia
from dashboard.components.copy_button import copy_button
from dashboard.components.topic_badge import format_moment, render_badge
from dashboard.components.topic_categories import parse_category
from dashboard.frame import formats, states
from dashboard.frame.markup import tag, text
from dashboard.i18n import HTML_LANG, LANGUAGE_NAMES, LANGUAGES, Language, t

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
        st.session_state["tp_beside"] = url_state.is_side_by_side()
        st.toggle(
            t("topics.beside"),
            key="tp_beside",
            on_change=lambda: url_state.set_side_by_side(bool(st.session_state["tp_beside"])),
        )
        copy_button(t("frame.copy_link"), key="tp_copy")


ListPosition = tuple[int, int]
"""A topic's id, and the page of the list that contains it."""


def _find_neighbours(number: int | None, filters: Filters) -> tuple[ListPosition | None, ListPosition | None]:
    """Find the previous and next topic in the list, also across pages."""
    listing = data.load(filters)
    ids = [topic["id"] for topic in listing.topics]
    if number is None or number not in ids:
        return None, None
    page = filters.page
    found = filter_params.find_neighbours(ids, number)
    before = (found.previous, page) if found.previous is not None else None
    after = (found.next, page) if found.next is not None else None
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
    now = datetime.now(UTC)
    if url_state.is_side_by_side():
        st.html(_build_head(topic, now) + _build_side_by_side(responses))
    else:
        st.html(_build_head(topic, now) + _build_text(topic) + _build_terms(topic))
    entities = session_state.find_entities([topic]).get(topic["id"], ())
    media.render(responses.media, topic)
    insight.render(responses.insight, topic["lang"])
    price_chart.render(topic, entities, now)


def _build_head(topic: TopicDetail, now: datetime) -> str:
    instant = datetime.fromisoformat(topic["published_at"])
    age, exact = format_moment(instant, now)
    local = formats.local_time(instant, st.context.timezone, now).text
    time_text = local if local.startswith(age) else f"{local} · {age}"
    facts = [
        render_badge(parse_category(topic["category"])),
        tag("time", text(time_text), datetime=instant.isoformat(), title=exact, class_="cp-note"),
        tag("span", text(name_source(topic["url"])), class_="cp-note tp-outlet"),
    ]
    lang = HTML_LANG[topic["lang"]]
    title = tag(
        "h2", text(topic["title"]), id=session_state.HEADING_ID, tabindex="-1", class_="tp-title", lang=lang
    )
    sub = tag("p", text(topic["subtitle"]), class_="tp-sub", lang=lang) if topic["subtitle"] else ""
    return tag("p", *facts, class_="tp-facts") + title + sub


def _build_text(topic: TopicDetail) -> str:
    """Build summary and bullets; the first occurrence of each term is marked."""
    lang, known = HTML_LANG[topic["lang"]], set[str]()

    def mark_terms(content: str) -> str:
        return "".join(
            text(piece.text)
            if piece.definition is None
            else tag("abbr", text(piece.text), title=piece.definition, class_="tp-term")
            for piece in topic_text.split_at_terms(content, topic["terms_concepts"], known)
        )

    summary = topic_text.select_summary(topic)
    parts = [tag("p", mark_terms(summary))] if summary else []
    parts += [
        tag("ul", "".join(tag("li", mark_terms(one)) for one in group))
        for group in topic_text.list_bullets(topic)
    ]
    return tag("div", *parts, class_="tp-told", lang=lang) if parts else ""


def _build_terms(topic: TopicDetail) -> str:
    if not topic["terms_concepts"]:
        return ""
    entries = "".join(
        tag("dt", text(one["term"])) + tag("dd", text(one["definition"])) for one in topic["terms_concepts"]
    )
    body = tag("dl", entries, lang=HTML_LANG[topic["lang"]])
    return tag("h3", text(t("topics.terms")), class_="cp-subhead") + tag("div", body, class_="tp-terms")


def _build_side_by_side(responses: TopicResponses) -> str:
    """Build one column per available language."""
    columns = []
    for code in responses.languages:
        one = responses.texts[code].data
        if one is None:
            continue
        name = tag("p", text(LANGUAGE_NAMES[code]), class_="cp-note", lang=HTML_LANG[code])
        title = tag("h3", text(one["title"]), class_="tp-beside-title", lang=HTML_LANG[code])
        sub = (
            tag("p", text(one["subtitle"]), class_="tp-sub", lang=HTML_LANG[code]) if one["subtitle"] else ""
        )
        columns.append(
            tag("div", name, title, sub, _build_text(one), _build_terms(one), class_="tp-language")
        )
    lacking = [LANGUAGE_NAMES[code] for code in LANGUAGES if code not in responses.languages]
    note = (
        tag(
            "p", text(t("topics.beside_lacks", languages=t("topics.between").join(lacking))), class_="cp-note"
        )
        if lacking
        else ""
    )
    return tag("div", *columns, class_="tp-beside") + note
