"""The list of topics, and above it the top stories of the last 24 hours."""

from datetime import UTC, datetime

import streamlit as st

from dashboard.app_pages.topics import data
from dashboard.app_pages.topics import topic_text as reading
from dashboard.app_pages.topics import url_state as desk
from dashboard.app_pages.topics.data import Listing
from dashboard.app_pages.topics.markup import outlet
from dashboard.app_pages.topics.topic_text import Filters
from dashboard.client import connection, topics
from dashboard.client.topics import Ranking, TopicItem
from dashboard.components.live_view import Node, h, live_view
from dashboard.components.text_marks import Named
from dashboard.components.topic_badge import badge_node, when_node
from dashboard.components.topic_categories import category_of
from dashboard.frame import refresh, states
from dashboard.i18n import HTML_LANG, t

TOP = 5
NAMED = 3
_PAGE_LINK = "page="
_BASES = ("posts", "coverage")
"""What the service says that it ranks topics by."""


def show(*, opened: bool) -> None:
    """The parts that renew themselves; ``opened``: beside a topic, where there is room for the list alone."""
    filters = desk.filters()
    ranked = None if opened or filters.page > 1 else topics.fetch_ranking(filters.language, top=TOP)
    listing = data.gather(filters)
    answers = (listing.answer, *([ranked] if ranked else []))
    refresh.record_results(*answers)
    states.stale_banner(*answers, key="tp_list")
    now = datetime.now(UTC)
    tree: list[Node | None] = []
    if ranked is not None and not filters.narrows:
        tree.append(_top(ranked.data, filters, now))
    if listing.answer.data is not None:
        tree.append(_stream(listing, filters, now))
    chosen = live_view(tree, key="tp_stream")
    if listing.answer.data is None:
        if listing.answer.error is not None:
            states.error(listing.answer.error, key="tp_list", live=True)
    elif not listing.shown:
        _empty(listing, filters)
    if chosen is not None:
        _follow(chosen)


def _follow(chosen: str) -> None:
    if chosen.startswith(_PAGE_LINK):
        desk.turn_to(reading.number(chosen.removeprefix(_PAGE_LINK)) or 1)
    elif (number := reading.number(chosen)) is not None:
        desk.open_topic(number)
    st.rerun()


def _empty(listing: Listing, filters: Filters) -> None:
    if filters.page > 1 and listing.total:
        states.empty(
            t("topics.past_end", n=filters.page, last=reading.pages(listing.total)),
            action=t("topics.to_first"),
            on_click=lambda: desk.turn_to(1),
            key="tp_list",
        )
    elif filters.narrows:
        states.empty(t("topics.none_found"), action=t("topics.clear"), on_click=desk.clear, key="tp_list")
    else:
        states.empty(
            t("topics.none_yet"), action=t("frame.retry"), on_click=connection.retry_failed, key="tp_list"
        )


# --- top stories


def _top(found: Ranking | None, filters: Filters, now: datetime) -> Node | None:
    if found is None:
        return None
    by = found["by"]
    head = h(
        "header",
        h("h2", t("topics.top")),
        h("p", t(f"topics.top_{by}"), class_="cp-note") if by in _BASES else None,
        class_="cp-panel-head",
        key="head",
    )
    lang = HTML_LANG[filters.language]
    body = (
        h("ol", *(_card(topic, lang, now) for topic in found["topics"]), class_="tp-cards", key="cards")
        if found["topics"]
        else h("p", t("topics.top_none"), class_="cp-nothing", key="none")
    )
    return h("section", head, body, class_="tp-top", key="top", aria_label=t("topics.top"))


def _card(topic: TopicItem, lang: str, now: datetime) -> Node:
    number = str(topic["id"])
    return h(
        "li",
        h(
            "a",
            _facts(topic, now),
            h("span", topic["title"], class_="tp-card-title", lang=lang),
            h("span", outlet(topic["url"]), class_="cp-note tp-outlet"),
            href=desk.address(topic=number),
            data_open=number,
            data_topic=number,
        ),
        key=number,
    )


def _facts(topic: TopicItem, now: datetime) -> Node:
    return h(
        "span",
        badge_node(category_of(topic["category"])),
        when_node(topic["published_at"], now),
        h("span", t("topics.by_model"), class_="cp-note", title=topic["subtitle"])
        if reading.is_by_model(topic)
        else None,
        h("span", "●", class_="tp-new", title=t("topics.unread"), role="img", aria_label=t("topics.unread")),
        class_="tp-facts",
    )


# --- the list


def _stream(listing: Listing, filters: Filters, now: datetime) -> Node:
    shown = desk.shown()
    lang = HTML_LANG[filters.language]
    rows = [_row(topic, listing.named.get(topic["id"], ()), lang, now, shown) for topic in listing.shown]
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
        _pager(listing, filters),
        class_="tp-stream",
        key="stream",
        aria_label=t("topics.stream"),
    )


def _row(topic: TopicItem, named: tuple[Named, ...], lang: str, now: datetime, shown: str) -> Node:
    number = str(topic["id"])
    told = topic["summary"] or ("" if reading.is_by_model(topic) else topic["subtitle"]) or ""
    names = " · ".join(one.name for one in named[:NAMED])
    return h(
        "li",
        h(
            "a",
            _facts(topic, now),
            h("span", topic["title"], class_="tp-row-title", lang=lang),
            h("span", told, class_="tp-row-told", lang=lang) if told else None,
            h(
                "span",
                h("span", outlet(topic["url"]), class_="tp-outlet"),
                h("span", names, class_="tp-names", lang="en") if names else None,
                class_="tp-row-foot cp-note",
            ),
            id=f"tp-item-{number}",
            href=desk.address(topic=number),
            data_open=number,
            data_topic=number,
            aria_current="true" if number == shown else None,
        ),
        key=number,
    )


def _pager(listing: Listing, filters: Filters) -> Node | None:
    last = reading.pages(listing.total)
    if last == 1 or not listing.shown:
        return None
    page = filters.page
    return h(
        "div",
        _turn(page - 1, t("topics.newer")) if page > 1 else h("span"),
        h("span", t("topics.page_of", n=f"{page:,}", last=f"{last:,}"), class_="cp-note"),
        _turn(page + 1, t("topics.older")) if page < last else h("span"),
        class_="tp-pager",
        role="navigation",
        aria_label=t("topics.pages"),
        key="pager",
    )


def _turn(page: int, label: str) -> Node:
    return h("a", label, href=desk.address(page=str(page)), data_open=f"{_PAGE_LINK}{page}", key=str(page))
