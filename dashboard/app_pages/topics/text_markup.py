"""Builds the texts of an opened topic: title, summary, terms, and its languages side by side."""

from collections.abc import Mapping
from datetime import datetime

import streamlit as st

from dashboard.app_pages.topics import session_state, topic_text
from dashboard.app_pages.topics.markup import name_source, render_source_link
from dashboard.client.topics import TopicDetail
from dashboard.components.topic_badge import format_moment, render_badge
from dashboard.components.topic_categories import is_recent, parse_category
from dashboard.frame import dates, formats
from dashboard.frame.markup import tag, text
from dashboard.i18n import HTML_LANG, LANGUAGE_NAMES, LANGUAGES, Language, language, t


def build_head(topic: TopicDetail, now: datetime, *, with_source: bool) -> str:
    """Build the facts, the title and the subtitle; ``with_source``: with a link to the topic's own page."""
    instant = datetime.fromisoformat(topic["published_at"])
    age, exact = format_moment(instant, now)
    local = instant.astimezone(formats.parse_zone(st.context.timezone))
    time_text = dates.format_date_time(local, language())
    if is_recent(instant, now):
        time_text = f"{time_text} · {age}"
    facts = [
        render_badge(parse_category(topic["category"])),
        tag("time", text(time_text), datetime=instant.isoformat(), title=exact, class_="cp-note"),
    ]
    if with_source:
        link = render_source_link(name_source(topic["url"]), topic["url"])
        facts.append(tag("span", link, class_="cp-note tp-outlet"))
    lang = HTML_LANG[topic["lang"]]
    title = tag(
        "h2", text(topic["title"]), id=session_state.HEADING_ID, tabindex="-1", class_="tp-title", lang=lang
    )
    # The archive's topics have their day as subtitle, which the line above the title already tells.
    subtitle = topic["subtitle"]
    if subtitle == dates.format_date(instant.date(), topic["lang"]):
        subtitle = None
    sub = tag("p", text(subtitle), class_="tp-sub", lang=lang) if subtitle else ""
    return tag("p", *facts, class_="tp-facts") + title + sub


def build_text(topic: TopicDetail) -> str:
    """Build summary and bullets; the first occurrence of each term is marked."""
    lang, seen_terms = HTML_LANG[topic["lang"]], set[str]()

    def mark_terms(content: str) -> str:
        return "".join(
            text(piece.text)
            if piece.definition is None
            else tag("abbr", text(piece.text), title=piece.definition, class_="tp-term")
            for piece in topic_text.split_at_terms(content, topic["terms_concepts"], seen_terms)
        )

    summary = topic_text.select_summary(topic)
    parts = [tag("p", mark_terms(summary))] if summary else []
    parts += [
        tag("ul", "".join(tag("li", mark_terms(bullet)) for bullet in group))
        for group in topic_text.list_bullets(topic)
    ]
    return tag("div", *parts, class_="tp-told", lang=lang) if parts else ""


def build_terms(topic: TopicDetail) -> str:
    if not topic["terms_concepts"]:
        return ""
    entries = "".join(
        tag("dt", text(entry["term"])) + tag("dd", text(entry["definition"]))
        for entry in topic["terms_concepts"]
    )
    body = tag("dl", entries, lang=HTML_LANG[topic["lang"]])
    return tag("h3", text(t("topics.terms")), class_="cp-subhead") + tag("div", body, class_="tp-terms")


def build_side_by_side(topics: Mapping[Language, TopicDetail]) -> str:
    """Build one column per language that the topic has."""
    columns = []
    for code, topic in topics.items():
        name = tag("p", text(LANGUAGE_NAMES[code]), class_="cp-note", lang=HTML_LANG[code])
        title = tag("h3", text(topic["title"]), class_="tp-beside-title", lang=HTML_LANG[code])
        sub = (
            tag("p", text(topic["subtitle"]), class_="tp-sub", lang=HTML_LANG[code])
            if topic["subtitle"]
            else ""
        )
        columns.append(
            tag("div", name, title, sub, build_text(topic), build_terms(topic), class_="tp-language")
        )
    lacking = [LANGUAGE_NAMES[code] for code in LANGUAGES if code not in topics]
    note = (
        tag(
            "p", text(t("topics.beside_lacks", languages=t("topics.between").join(lacking))), class_="cp-note"
        )
        if lacking
        else ""
    )
    return tag("div", *columns, class_="tp-beside") + note
