"""Shows the list of topics by day; its first page has the news and market reports of the last 24 hours."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

import streamlit as st

from dashboard.app_pages.topics import (
    data,
    days,
    entity_names,
    filter_params,
    links,
    top_stories,
    topic_text,
    url_state,
)
from dashboard.app_pages.topics.data import TopicListing
from dashboard.app_pages.topics.filter_params import Filters
from dashboard.app_pages.topics.markup import name_source
from dashboard.app_pages.topics.topic_facts import build_facts
from dashboard.client import Fetched, connection, topics
from dashboard.client.topics import Ranking, TopicItem
from dashboard.components.live_view import Node, h, live_view
from dashboard.components.text_marks import NamedEntity
from dashboard.components.topic_badge import build_time
from dashboard.components.topic_categories import is_recent
from dashboard.frame import formats, refresh, states
from dashboard.i18n import HTML_LANG, language, t

MAX_NAMES = 3
_PAGE_LINK_PREFIX = "page="


class _Reader(NamedTuple):
    """The reader's time zone and now, and the names of entities in the reader's language."""

    zone: ZoneInfo
    now: datetime
    names: Mapping[str, str]
    params: Mapping[str, str]
    """The parameters of the page, for links."""

    @property
    def today(self) -> date:
        return self.now.astimezone(self.zone).date()


def render(*, opened: bool) -> None:
    """Render the parts that refresh. ``opened``: beside a topic, where only the list has space."""
    filters = url_state.read_filters()
    lang = filters.language
    is_front = not (opened or filters.page > 1 or filters.is_filtered)
    news = topics.fetch_ranking(lang, "news", top=top_stories.MAX_STORIES) if is_front else None
    reports = topics.fetch_ranking(lang, "report", top=top_stories.MAX_REPORTS) if is_front else None
    listing = data.load(filters)
    answers = (listing.answer, *(ranked for ranked in (news, reports) if ranked is not None))
    refresh.record_results(*answers)
    states.render_stale_banner(*answers, key="tp_list", live=True)
    now = datetime.now(UTC)
    reader = _Reader(
        formats.parse_zone(st.context.timezone),
        now,
        entity_names.load_names(language()).names,
        url_state.read_params(),
    )
    chosen = live_view(
        [
            top_stories.build_top_stories(news.data, lang, now) if news else None,
            _build_list(listing, _list_rows(listing, reports), filters, reader)
            if listing.answer.data is not None
            else None,
            top_stories.build_reports(reports.data, lang, now) if reports else None,
        ],
        key="tp_stream",
    )
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


# --- the list


def _list_rows(listing: TopicListing, reports: Fetched[Ranking] | None) -> list[TopicItem]:
    """List the topics without those of the strip beside the list, unless that would leave none."""
    strip = {topic["id"] for topic in reports.data["topics"]} if reports and reports.data else set[int]()
    return [topic for topic in listing.topics if topic["id"] not in strip] or list(listing.topics)


def _build_list(listing: TopicListing, rows: Sequence[TopicItem], filters: Filters, reader: _Reader) -> Node:
    days_of_topics = days.group_by_day(rows, reader.zone)
    return h(
        "section",
        h(
            "header",
            h("h2", t("topics.matching" if filters.is_filtered else "topics.stream")),
            h("p", t("topics.count", n=f"{listing.total:,}"), class_="cp-note", role="status"),
            class_="cp-panel-head",
            key="head",
        ),
        h("p", t("topics.keys"), class_="cp-note tp-keys", key="keys") if listing.topics else None,
        h(
            "div",
            *(_build_day(day, items, listing, filters, reader) for day, items in days_of_topics),
            class_="tp-list",
            key="rows",
        ),
        _build_pager(listing, filters),
        class_="tp-stream",
        key="stream",
        aria_label=t("topics.matching" if filters.is_filtered else "topics.stream"),
    )


def _build_day(
    day: date, items: list[TopicItem], listing: TopicListing, filters: Filters, reader: _Reader
) -> Node:
    """Build the topics of one day under its heading: Today, Yesterday, or the date."""
    date_text = days.format_day(day, language())
    relative = {reader.today: t("topics.today"), reader.today - timedelta(days=1): t("topics.yesterday")}
    name = relative.get(day)
    heading = (h("span", name), h("span", date_text, class_="cp-note")) if name else (h("span", date_text),)
    rows = [
        _build_row(topic, listing.entities.get(topic["id"], ()), HTML_LANG[filters.language], reader)
        for topic in items
    ]
    return h(
        "section",
        h("h3", *heading, class_="tp-day", key="day"),
        h("ol", *rows, key="rows"),
        key=day.isoformat(),
    )


def _build_row(topic: TopicItem, entities: tuple[NamedEntity, ...], lang: str, reader: _Reader) -> Node:
    number = str(topic["id"])
    told = topic["summary"] or ("" if topic_text.is_machine_translated(topic) else topic["subtitle"]) or ""
    summary = topic_text.omit_title(told, topic["title"])
    names = " · ".join(reader.names.get(entity.id, entity.name) for entity in entities[:MAX_NAMES])
    return h(
        "li",
        h(
            "a",
            build_facts(topic, _build_row_time(topic, reader)),
            h("span", topic["title"], class_="tp-row-title", lang=lang),
            h("span", summary, class_="tp-row-told", lang=lang) if summary else None,
            h(
                "span",
                h("span", name_source(topic["url"]), class_="tp-outlet"),
                h("span", names, class_="tp-names") if names else None,
                class_="tp-row-foot cp-note",
            ),
            id=f"tp-item-{number}",
            href=links.build_url(reader.params, topic=number),
            data_open=number,
            data_topic=number,
            aria_current="true" if number == reader.params[url_state.TOPIC].strip() else None,
        ),
        key=number,
    )


def _build_row_time(topic: TopicItem, reader: _Reader) -> Node | None:
    """Build the age for today, and the time of day within a week. Older topics may have a date alone."""
    instant = datetime.fromisoformat(topic["published_at"])
    local = instant.astimezone(reader.zone)
    if local.date() == reader.today:
        return build_time(topic["published_at"], reader.now)
    if not is_recent(instant, reader.now):
        return None
    exact = formats.local_time(instant, st.context.timezone, reader.now).utc
    return h("time", f"{local:%H:%M}", datetime=instant.isoformat(), title=exact, class_="cp-note")


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
