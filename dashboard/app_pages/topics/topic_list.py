"""Shows the list of topics and, above it, the top stories of the last 24 hours."""

from datetime import UTC, datetime

import streamlit as st

from dashboard.app_pages.topics import data, filter_params, topic_text, url_state
from dashboard.app_pages.topics.data import TopicListing
from dashboard.app_pages.topics.filter_params import Filters
from dashboard.app_pages.topics.markup import name_source
from dashboard.client import connection, topics
from dashboard.client.topics import Ranking, TopicItem
from dashboard.components.live_view import Node, h, live_view
from dashboard.components.text_marks import NamedEntity
from dashboard.components.topic_badge import build_badge, build_time
from dashboard.components.topic_categories import parse_category
from dashboard.frame import refresh, states
from dashboard.i18n import HTML_LANG, t

MAX_TOP_STORIES = 5
MAX_NAMES = 3
_PAGE_LINK_PREFIX = "page="
_RANKING_BASES = ("posts", "coverage")
"""The ranking bases that have a note."""


def render(*, opened: bool) -> None:
    """Render the parts that refresh. ``opened``: beside a topic, where only the list has space."""
    filters = url_state.read_filters()
    ranked = (
        None if opened or filters.page > 1 else topics.fetch_ranking(filters.language, top=MAX_TOP_STORIES)
    )
    listing = data.load(filters)
    answers = (listing.answer, *([ranked] if ranked else []))
    refresh.record_results(*answers)
    states.render_stale_banner(*answers, key="tp_list")
    now = datetime.now(UTC)
    tree: list[Node | None] = []
    if ranked is not None and not filters.is_filtered:
        tree.append(_build_top_stories(ranked.data, filters, now))
    if listing.answer.data is not None:
        tree.append(_build_list(listing, filters, now))
    chosen = live_view(tree, key="tp_stream")
    if listing.answer.data is None:
        if listing.answer.error is not None:
            states.render_error(listing.answer.error, key="tp_list", live=True)
    elif not listing.topics:
        _render_empty(listing, filters)
    if chosen is not None:
        _on_link_opened(chosen)


def _on_link_opened(chosen: str) -> None:
    if chosen.startswith(_PAGE_LINK_PREFIX):
        url_state.go_to_page(filter_params.parse_number(chosen.removeprefix(_PAGE_LINK_PREFIX)) or 1)
    elif (number := filter_params.parse_number(chosen)) is not None:
        url_state.open_topic(number)
    st.rerun()


def _render_empty(listing: TopicListing, filters: Filters) -> None:
    if filters.page > 1 and listing.total:
        states.render_empty(
            t("topics.past_end", n=filters.page, last=filter_params.count_pages(listing.total)),
            action=t("topics.to_first"),
            on_click=lambda: url_state.go_to_page(1),
            key="tp_list",
        )
    elif filters.is_filtered:
        states.render_empty(
            t("topics.none_found"), action=t("topics.clear"), on_click=url_state.clear_filters, key="tp_list"
        )
    else:
        states.render_empty(
            t("topics.none_yet"), action=t("frame.retry"), on_click=connection.retry_failed, key="tp_list"
        )


# --- top stories


def _build_top_stories(ranking: Ranking | None, filters: Filters, now: datetime) -> Node | None:
    if ranking is None:
        return None
    by = ranking["by"]
    head = h(
        "header",
        h("h2", t("topics.top")),
        h("p", t(f"topics.top_{by}"), class_="cp-note") if by in _RANKING_BASES else None,
        class_="cp-panel-head",
        key="head",
    )
    lang = HTML_LANG[filters.language]
    body = (
        h(
            "ol",
            *(_build_card(topic, lang, now) for topic in ranking["topics"]),
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
            _build_facts(topic, now),
            h("span", topic["title"], class_="tp-card-title", lang=lang),
            h("span", name_source(topic["url"]), class_="cp-note tp-outlet"),
            href=url_state.build_link(topic=number),
            data_open=number,
            data_topic=number,
        ),
        key=number,
    )


def _build_facts(topic: TopicItem, now: datetime) -> Node:
    return h(
        "span",
        build_badge(parse_category(topic["category"])),
        build_time(topic["published_at"], now),
        h("span", t("topics.by_model"), class_="cp-note", title=topic["subtitle"])
        if topic_text.is_machine_translated(topic)
        else None,
        h("span", "●", class_="tp-new", title=t("topics.unread"), role="img", aria_label=t("topics.unread")),
        class_="tp-facts",
    )


# --- the list


def _build_list(listing: TopicListing, filters: Filters, now: datetime) -> Node:
    opened = url_state.read_topic()
    lang = HTML_LANG[filters.language]
    rows = [
        _build_row(topic, listing.entities.get(topic["id"], ()), lang, now, opened)
        for topic in listing.topics
    ]
    return h(
        "section",
        h(
            "header",
            h("h2", t("topics.stream")),
            h("p", t("topics.count", n=f"{listing.total:,}"), class_="cp-note", role="status"),
            class_="cp-panel-head",
            key="head",
        ),
        h("p", t("topics.keys"), class_="cp-note tp-keys", key="keys") if rows else None,
        h("ol", *rows, class_="tp-list", key="rows"),
        _build_pager(listing, filters),
        class_="tp-stream",
        key="stream",
        aria_label=t("topics.stream"),
    )


def _build_row(
    topic: TopicItem, entities: tuple[NamedEntity, ...], lang: str, now: datetime, opened: str
) -> Node:
    number = str(topic["id"])
    summary = topic["summary"] or ("" if topic_text.is_machine_translated(topic) else topic["subtitle"]) or ""
    names = " · ".join(one.name for one in entities[:MAX_NAMES])
    return h(
        "li",
        h(
            "a",
            _build_facts(topic, now),
            h("span", topic["title"], class_="tp-row-title", lang=lang),
            h("span", summary, class_="tp-row-told", lang=lang) if summary else None,
            h(
                "span",
                h("span", name_source(topic["url"]), class_="tp-outlet"),
                h("span", names, class_="tp-names", lang="en") if names else None,
                class_="tp-row-foot cp-note",
            ),
            id=f"tp-item-{number}",
            href=url_state.build_link(topic=number),
            data_open=number,
            data_topic=number,
            aria_current="true" if number == opened else None,
        ),
        key=number,
    )


def _build_pager(listing: TopicListing, filters: Filters) -> Node | None:
    last = filter_params.count_pages(listing.total)
    if last == 1 or not listing.topics:
        return None
    page = filters.page
    return h(
        "div",
        _build_page_link(page - 1, t("topics.newer")) if page > 1 else h("span"),
        h("span", t("topics.page_of", n=f"{page:,}", last=f"{last:,}"), class_="cp-note"),
        _build_page_link(page + 1, t("topics.older")) if page < last else h("span"),
        class_="tp-pager",
        role="navigation",
        aria_label=t("topics.pages"),
        key="pager",
    )


def _build_page_link(page: int, label: str) -> Node:
    return h(
        "a",
        label,
        href=url_state.build_link(page=str(page)),
        data_open=f"{_PAGE_LINK_PREFIX}{page}",
        key=str(page),
    )
