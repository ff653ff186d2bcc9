"""A topic opened: what is told, who tells it, what it means, and the same in other languages."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple

import streamlit as st

from dashboard.app_pages.topics import data, price_chart
from dashboard.app_pages.topics import insight as topics_insight
from dashboard.app_pages.topics import media as topics_media
from dashboard.app_pages.topics import topic_text as reading
from dashboard.app_pages.topics import url_state as desk
from dashboard.app_pages.topics.markup import outlet
from dashboard.app_pages.topics.topic_text import Filters
from dashboard.client import Fetched, Problem, connection, topics
from dashboard.client.topics import Insight, TopicDetail, TopicMedia
from dashboard.components.copy_button import copy_button
from dashboard.components.topic_badge import badge, moment
from dashboard.components.topic_categories import category_of
from dashboard.frame import formats, states
from dashboard.frame.markup import tag, text
from dashboard.i18n import HTML_LANG, LANGUAGE_NAMES, LANGUAGES, Language, t

SKELETON = 420


class Asked(NamedTuple):
    """Everything on one topic."""

    id: int
    texts: Mapping[Language, Fetched[TopicDetail]]
    media: Fetched[TopicMedia]
    insight: Fetched[Insight]

    @property
    def has(self) -> list[Language]:
        return [lang for lang in LANGUAGES if self.texts[lang].data is not None]

    @property
    def unknown(self) -> bool:
        return all(_is_missing(answer.error) for answer in self.texts.values())


def show(filters: Filters) -> None:
    number = reading.number(desk.shown())
    with st.container(key="tp_panel", border=True, gap="small"):
        _bar(number, filters)
        if number is None:
            _unknown()
            return
        with states.loading(SKELETON):
            asked = _ask(number, filters.language)
        if asked.unknown:
            _unknown()
            return
        topic = asked.texts[filters.language].data
        if topic is None:
            _lacking(asked, filters.language)
            return
        states.stale_banner(asked.texts[filters.language], asked.media, asked.insight, key="tp_topic")
        _topic(asked, topic)


def _ask(number: int, lang: Language) -> Asked:
    """Side by side: the slowest alone is waited for."""
    media, insight = (
        connection.start_call(lambda: topics.fetch_media(number, lang)),
        connection.start_call(lambda: topics.fetch_insight(number, lang)),
    )
    texts = {code: connection.start_call(partial(topics.fetch_detail, number, code)) for code in LANGUAGES}
    return Asked(
        number, {code: text.result() for code, text in texts.items()}, media.result(), insight.result()
    )


def _is_missing(problem: Problem | None) -> bool:
    return problem is not None and problem.status == 404


# --- what stands around the topic


def _bar(number: int | None, filters: Filters) -> None:
    before, after = _neighbours(number, filters)
    with st.container(key="tp_bar", horizontal=True, vertical_alignment="center", gap="small"):
        st.button(t("topics.close"), key="tp_close", icon=":material/arrow_back:", on_click=desk.close)
        for key, there, icon in (
            ("previous", before, ":material/keyboard_arrow_up:"),
            ("next", after, ":material/keyboard_arrow_down:"),
        ):
            st.button(
                t(f"topics.{key}"),
                key=f"tp_{key}",
                icon=icon,
                disabled=there is None,
                on_click=desk.open_topic,
                args=there or (0, None),
            )
        st.session_state["tp_beside"] = desk.is_beside()
        st.toggle(
            t("topics.beside"),
            key="tp_beside",
            on_change=lambda: desk.show_beside(bool(st.session_state["tp_beside"])),
        )
        copy_button(t("frame.copy_link"), key="tp_copy")


Place = tuple[int, int]
"""A topic, and the page of the list on which it stands."""


def _neighbours(number: int | None, filters: Filters) -> tuple[Place | None, Place | None]:
    """The topics before and after in the list, on the next page too where this one ends."""
    listing = data.gather(filters)
    ids = [topic["id"] for topic in listing.shown]
    if number is None or number not in ids:
        return None, None
    page = filters.page
    found = reading.neighbours(ids, number)
    before = (found.previous, page) if found.previous is not None else None
    after = (found.next, page) if found.next is not None else None
    if before is None and page > 1:
        there = data.gather(replace(filters, page=page - 1)).shown
        before = (there[-1]["id"], page - 1) if there else None
    if after is None and page < reading.pages(listing.total):
        there = data.gather(replace(filters, page=page + 1)).shown
        after = (there[0]["id"], page + 1) if there else None
    return before, after


def _unknown() -> None:
    states.empty(t("topics.unknown"), action=t("topics.close"), on_click=desk.close, key="tp_topic")


def _lacking(asked: Asked, lang: Language) -> None:
    """The topic is there, but not in this language; or it cannot be had."""
    problem = asked.texts[lang].error
    if problem is not None and not _is_missing(problem):
        states.error(problem, key="tp_topic")
        return
    said = t(
        "topics.lacks",
        language=LANGUAGE_NAMES[lang],
        languages=t("topics.between").join(LANGUAGE_NAMES[code] for code in asked.has),
    )
    st.html(tag("h2", text(said), id=desk.HEADING, tabindex="-1", class_="tp-title tp-lacks"))
    with st.container(horizontal=True, gap="small", key="tp_languages"):
        for code in asked.has:
            st.button(
                t("topics.read_in", language=LANGUAGE_NAMES[code]),
                key=f"tp_read_{code}",
                on_click=desk.choose_language,
                args=(code,),
            )


# --- the topic


def _topic(asked: Asked, topic: TopicDetail) -> None:
    now = datetime.now(UTC)
    if desk.is_beside():
        st.html(_head(topic, now) + _side_by_side(asked))
    else:
        st.html(_head(topic, now) + _told(topic) + _terms(topic))
    named = desk.entities([topic]).get(topic["id"], ())
    topics_media.show(asked.media, topic)
    topics_insight.show(asked.insight, topic["lang"])
    price_chart.show(topic, named, now)


def _head(topic: TopicDetail, now: datetime) -> str:
    instant = datetime.fromisoformat(topic["published_at"])
    age, exact = moment(instant, now)
    local = formats.local_time(instant, st.context.timezone, now).text
    said = local if local.startswith(age) else f"{local} · {age}"
    facts = [
        badge(category_of(topic["category"])),
        tag("time", text(said), datetime=instant.isoformat(), title=exact, class_="cp-note"),
        tag("span", text(outlet(topic["url"])), class_="cp-note tp-outlet"),
    ]
    lang = HTML_LANG[topic["lang"]]
    title = tag("h2", text(topic["title"]), id=desk.HEADING, tabindex="-1", class_="tp-title", lang=lang)
    sub = tag("p", text(topic["subtitle"]), class_="tp-sub", lang=lang) if topic["subtitle"] else ""
    return tag("p", *facts, class_="tp-facts") + title + sub


def _told(topic: TopicDetail) -> str:
    """Summary and bullets; a term is marked where it first stands."""
    lang, known = HTML_LANG[topic["lang"]], set[str]()

    def marked(said: str) -> str:
        return "".join(
            text(piece.text)
            if piece.definition is None
            else tag("abbr", text(piece.text), title=piece.definition, class_="tp-term")
            for piece in reading.explained(said, topic["terms_concepts"], known)
        )

    summary = reading.summary_beside(topic)
    parts = [tag("p", marked(summary))] if summary else []
    parts += [tag("ul", "".join(tag("li", marked(one)) for one in group)) for group in reading.bullets(topic)]
    return tag("div", *parts, class_="tp-told", lang=lang) if parts else ""


def _terms(topic: TopicDetail) -> str:
    if not topic["terms_concepts"]:
        return ""
    entries = "".join(
        tag("dt", text(one["term"])) + tag("dd", text(one["definition"])) for one in topic["terms_concepts"]
    )
    body = tag("dl", entries, lang=HTML_LANG[topic["lang"]])
    return tag("h3", text(t("topics.terms")), class_="cp-subhead") + tag("div", body, class_="tp-terms")


def _side_by_side(asked: Asked) -> str:
    """The texts in every language that there is, each in its own column."""
    columns = []
    for code in asked.has:
        one = asked.texts[code].data
        if one is None:
            continue
        name = tag("p", text(LANGUAGE_NAMES[code]), class_="cp-note", lang=HTML_LANG[code])
        title = tag("h3", text(one["title"]), class_="tp-beside-title", lang=HTML_LANG[code])
        sub = (
            tag("p", text(one["subtitle"]), class_="tp-sub", lang=HTML_LANG[code]) if one["subtitle"] else ""
        )
        columns.append(tag("div", name, title, sub, _told(one), _terms(one), class_="tp-language"))
    lacking = [LANGUAGE_NAMES[code] for code in LANGUAGES if code not in asked.has]
    note = (
        tag(
            "p", text(t("topics.beside_lacks", languages=t("topics.between").join(lacking))), class_="cp-note"
        )
        if lacking
        else ""
    )
    return tag("div", *columns, class_="tp-beside") + note
