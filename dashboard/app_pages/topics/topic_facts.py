"""Builds the line above a topic's title in a list: importance, time, and marks."""

from dashboard.app_pages.topics import topic_text
from dashboard.client.topics import TopicItem
from dashboard.components.live_view import Node, h
from dashboard.components.topic_badge import build_badge
from dashboard.components.topic_categories import parse_category
from dashboard.i18n import t


def build_facts(topic: TopicItem, time: Node | None) -> Node:
    """Build the line. ``time`` is None where a heading tells the day."""
    return h(
        "span",
        build_badge(parse_category(topic["category"])),
        time,
        h("span", t("topics.by_model"), class_="cp-note", title=topic["subtitle"])
        if topic_text.is_machine_translated(topic)
        else None,
        h("span", "●", class_="tp-new", title=t("topics.unread"), role="img", aria_label=t("topics.unread")),
        class_="tp-facts",
    )
