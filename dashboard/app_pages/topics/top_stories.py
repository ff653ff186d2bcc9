"""Builds the news and the market reports of the last 24 hours, which stand apart on the list's first page."""

from datetime import datetime

from dashboard.app_pages.topics import url_state
from dashboard.app_pages.topics.markup import name_source
from dashboard.app_pages.topics.topic_facts import build_facts
from dashboard.client.topics import Ranking, TopicItem
from dashboard.components.live_view import Node, h
from dashboard.components.topic_badge import build_time
from dashboard.i18n import HTML_LANG, Language, t

MAX_STORIES = 5
MAX_REPORTS = 8
_RANKING_BASES = ("posts", "coverage")
"""The ranking bases that have a note."""


def build_top_stories(ranking: Ranking | None, lang: Language, now: datetime) -> Node | None:
    """Build the cards of the news, or a line if there is none; None if the ranking is unavailable."""
    if ranking is None:
        return None
    by = ranking["by"]
    head = h(
        "header",
        h("h2", t("topics.top")),
        h("p", t(f"topics.top_{by}"), class_="cp-note")
        if by in _RANKING_BASES and ranking["topics"]
        else None,
        class_="cp-panel-head",
        key="head",
    )
    body = (
        h(
            "ol",
            *(_build_card(topic, HTML_LANG[lang], now) for topic in ranking["topics"]),
            class_="tp-cards",
            key="cards",
        )
        if ranking["topics"]
        else h("p", t("topics.top_none"), class_="cp-nothing", key="none")
    )
    return h("section", head, body, class_="tp-top", key="top", aria_label=t("topics.top"))


def _build_card(topic: TopicItem, lang: str, now: datetime) -> Node:
    number = str(topic["id"])
    return h(
        "li",
        h(
            "a",
            build_facts(topic, build_time(topic["published_at"], now)),
            h("span", topic["title"], class_="tp-card-title", lang=lang),
            h("span", name_source(topic["url"]), class_="cp-note tp-outlet"),
            href=url_state.build_link(topic=number),
            data_open=number,
            data_topic=number,
        ),
        key=number,
    )


def build_reports(ranking: Ranking | None, lang: Language, now: datetime) -> Node | None:
    """Build the strip of market reports; None if there is none."""
    if ranking is None or not ranking["topics"]:
        return None
    entries = [_build_report(topic, HTML_LANG[lang], now) for topic in ranking["topics"]]
    return h(
        "section",
        h(
            "header",
            h("h2", t("topics.reports")),
            h("p", t("topics.reports_from"), class_="cp-note"),
            class_="cp-panel-head",
            key="head",
        ),
        h("ol", *entries, class_="tp-report-list", key="reports"),
        class_="tp-reports",
        key="reports",
        aria_label=t("topics.reports"),
    )


def _build_report(topic: TopicItem, lang: str, now: datetime) -> Node:
    number = str(topic["id"])
    return h(
        "li",
        h(
            "a",
            h("span", topic["title"], class_="tp-report-title", lang=lang),
            build_time(topic["published_at"], now),
            id=f"tp-item-{number}",  # the list has no row of it while it is here
            href=url_state.build_link(topic=number),
            data_open=number,
            data_topic=number,
        ),
        key=number,
    )
