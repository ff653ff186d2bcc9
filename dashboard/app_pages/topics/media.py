"""Shows the sources of a topic: primary sources, articles, posts. Links only, no embedded content."""

from datetime import UTC, datetime

import streamlit as st

from dashboard.app_pages.topics.markup import name_source, render_source_link
from dashboard.client import Fetched
from dashboard.client.topics import TopicDetail, TopicMedia
from dashboard.components.topic_badge import render_time
from dashboard.frame import states, web_links
from dashboard.frame.markup import detect_html_lang, tag, text
from dashboard.i18n import t


def render(response: Fetched[TopicMedia], topic: TopicDetail) -> None:
    content = response.data
    if content is None:
        if response.error is not None:
            states.render_error(response.error, key="tp_media")
        return
    now = datetime.now(UTC)
    primary = [
        _build_entry(one["url"], one["title"], one["summary"], one["published_at"], one["site_name"], now)
        for one in content["primary_sources"]
    ]
    articles = [
        _build_entry(one["entry_url"], one["title"], None, one["published_at"], None, now)
        for one in content["articles"]
    ]
    posts = [
        _build_entry(one["entry_url"], one["summary"], None, one["published_at"], None, now)
        for one in content["tweets"]
    ]
    groups = [
        _build_group(t("topics.primary"), primary, t("topics.primary_none"), "tp-primary"),
        _build_group(t("topics.articles"), articles, "", "tp-articles"),
        _build_group(t("topics.posts"), posts, "", "tp-posts"),
    ]
    st.html(tag("div", *groups, _build_cover_link(topic), class_="tp-media"))


def _build_group(name: str, entries: list[str], empty_text: str, group: str) -> str:
    """Build a group. An empty group is omitted if it has no ``empty_text``."""
    if not entries and not empty_text:
        return ""
    count = tag("span", text(f" {len(entries):,}"), class_="cp-note") if entries else ""
    head = tag("h3", text(name), count, class_="cp-subhead")
    body = tag("ul", "".join(entries)) if entries else tag("p", text(empty_text), class_="cp-note")
    return tag("section", head, body, class_=group)


def _build_entry(
    url: str, title: str | None, summary: str | None, published: str | None, site: str | None, now: datetime
) -> str:
    name = name_source(url)
    stripped = (title or "").strip()
    shown = stripped if stripped and not stripped.startswith("/") else site or name
    facts = [tag("span", text(name), class_="tp-outlet")] if shown != name else []
    if published:
        facts.append(render_time(published, now))
    below = tag("p", *facts, class_="cp-note tp-entry-facts") if facts else ""
    summary_html = (
        tag("p", text(summary), class_="tp-entry-told", lang=detect_html_lang(summary)) if summary else ""
    )
    return tag("li", render_source_link(shown, url, lang=detect_html_lang(shown)), summary_html, below)


def _build_cover_link(topic: TopicDetail) -> str:
    """Build a link to the cover. The image is not loaded, to hide the reader from other hosts."""
    url = topic["cover_img"]
    if not url:
        return ""
    return tag(
        "p", render_source_link(t("topics.cover", host=web_links.display_host(url)), url), class_="cp-note"
    )
