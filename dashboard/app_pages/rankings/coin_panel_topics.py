"""Renders the topics about a coin in the span of its panel, or the latest before it, and a link to all."""

from datetime import UTC, datetime

import streamlit as st

from dashboard.app_pages.rankings.price_change_context import split_by_span
from dashboard.client import Fetched, topics
from dashboard.client.market_schemas import ChartSpan
from dashboard.client.topics import TopicItem, TopicPage
from dashboard.components.topic_badge import render_badge, render_time
from dashboard.components.topic_categories import parse_category
from dashboard.frame import states
from dashboard.frame.markup import tag, text
from dashboard.frame.url_state import build_link
from dashboard.i18n import HTML_LANG, Language, t

MAX_TOPICS = 3


def fetch_topics(asset_id: str, lang: Language) -> Fetched[TopicPage]:
    return topics.fetch_entity_topics(asset_id, lang, limit=MAX_TOPICS)


def render_topics(asset_id: str, span: ChartSpan, result: Fetched[TopicPage]) -> None:
    """Renders the topics. Call it last, because it waits for the service."""
    page = result.data
    if page is None:
        if result.error is not None:
            states.render_error(result.error, key="rk_topics", live=True)
        return
    now = datetime.now(UTC)
    head = tag("h3", text(t("rankings.topics_in_span", span=t(f"chart.span_{span}"))))
    if not page["topics"]:
        st.html(head + tag("p", text(t("rankings.topics_none")), class_="cp-small-note"))
        return
    recent, earlier = split_by_span(((topic["published_at"], topic) for topic in page["topics"]), span, now)
    if not recent:
        head += tag("p", text(t("rankings.topics_none_in_span")), class_="cp-small-note")
    items = (_build_item(topic, asset_id, now) for topic in recent or earlier)
    all_topics_link = tag(
        "a",
        text(t("rankings.topics_all", n=f"{page['total']:,}")),
        href=build_link("/topics", entity=asset_id),
    )
    st.html(head + tag("ul", *items, class_="rk-topics") + tag("p", all_topics_link, class_="rk-topics-all"))


def _build_item(topic: TopicItem, asset_id: str, now: datetime) -> str:
    href = build_link("/topics", entity=asset_id, topic=str(topic["id"]))
    title = tag("a", text(topic["title"]), href=href, lang=HTML_LANG[topic["lang"]])
    facts = tag(
        "span", render_badge(parse_category(topic["category"])), render_time(topic["published_at"], now)
    )
    return tag("li", title, facts)
