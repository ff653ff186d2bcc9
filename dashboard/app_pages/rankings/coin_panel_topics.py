"""What was told of a coin lately, below all else in its panel, with the way to all its topics."""

from datetime import UTC, datetime

import streamlit as st

from dashboard.client import Fetched, topics
from dashboard.client.topics import TopicItem, TopicPage
from dashboard.components.topic_badge import badge, when
from dashboard.components.topic_categories import category_of
from dashboard.frame import states
from dashboard.frame.markup import tag, text
from dashboard.frame.url_state import link
from dashboard.i18n import HTML_LANG, Language, t

MOST = 3


def ask(asset_id: str, lang: Language) -> Fetched[TopicPage]:
    return topics.fetch_entity_topics(asset_id, lang, limit=MOST)


def show(asset_id: str, answer: Fetched[TopicPage]) -> None:
    """Called last: what the reader clicked for is on the screen before this is waited for."""
    found = answer.data
    if found is None:
        if answer.error is not None:
            states.error(answer.error, key="rk_topics", live=True)
        return
    now = datetime.now(UTC)
    head = tag("h3", text(t("rankings.topics")))
    if not found["topics"]:
        st.html(head + tag("p", text(t("rankings.topics_none")), class_="cp-small-note"))
        return
    listed = tag("ul", *(_item(topic, asset_id, now) for topic in found["topics"]), class_="rk-topics")
    every = tag(
        "a", text(t("rankings.topics_all", n=f"{found['total']:,}")), href=link("/topics", entity=asset_id)
    )
    st.html(head + listed + tag("p", every, class_="rk-topics-all"))


def _item(topic: TopicItem, asset_id: str, now: datetime) -> str:
    href = link("/topics", entity=asset_id, topic=str(topic["id"]))
    title = tag("a", text(topic["title"]), href=href, lang=HTML_LANG[topic["lang"]])
    facts = tag("span", badge(category_of(topic["category"])), when(topic["published_at"], now))
    return tag("li", title, facts)
