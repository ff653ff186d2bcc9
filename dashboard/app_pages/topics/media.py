"""Shows the sources of a topic: primary sources, articles, posts. Links only, no embedded content."""

from datetime import UTC, datetime

import streamlit as st

from dashboard.app_pages.topics.markup import name_page, name_source, render_source_link
from dashboard.client import Fetched
from dashboard.client.topics import PrimarySource, TopicDetail, TopicMedia
from dashboard.components.topic_badge import render_time
from dashboard.frame import states, web_links
from dashboard.frame.markup import detect_html_lang, tag, text
from dashboard.i18n import t


def render_primary_sources(response: Fetched[TopicMedia]) -> None:
    """Render title, passage, site and day of each primary source, or the error of the response."""
    content = response.data
    if content is None:
        if response.error is not None:
            states.render_error(response.error, key="tp_media")
        return
    now = datetime.now(UTC)
    quoted_first = sorted(
        content["primary_sources"], key=lambda source: (not source["summary"], not source["title"])
    )
    entries = [_build_primary_source(source, now) for source in quoted_first]
    group = _build_group(t("topics.primary"), entries, t("topics.primary_none"), "tp-primary")
    st.html(tag("div", group, class_="tp-media"))


def render_reports(response: Fetched[TopicMedia], topic: TopicDetail) -> None:
    """Render the articles and posts; nothing without a response, whose error the primary sources show."""
    content = response.data
    if content is None:
        return
    now = datetime.now(UTC)
    articles = [
        _build_entry(article["entry_url"], article["title"], article["published_at"], now)
        for article in content["articles"]
    ]
    posts = [
        _build_entry(post["entry_url"], post["summary"], post["published_at"], now)
        for post in content["tweets"]
    ]
    groups = [
        _build_group(t("topics.articles"), articles, "", "tp-articles"),
        _build_group(t("topics.posts"), posts, "", "tp-posts"),
        _build_cover_link(topic),
    ]
    if any(groups):
        st.html(tag("div", *groups, class_="tp-media"))


def _build_group(name: str, entries: list[str], empty_text: str, group: str) -> str:
    """Build a group. An empty group is omitted if it has no ``empty_text``."""
    if not entries and not empty_text:
        return ""
    count = tag("span", text(f" {len(entries):,}"), class_="cp-note") if entries else ""
    head = tag("h3", text(name), count, class_="cp-subhead")
    body = tag("ul", "".join(entries)) if entries else tag("p", text(empty_text), class_="cp-note")
    return tag("section", head, body, class_=group)


def _build_primary_source(source: PrimarySource, now: datetime) -> str:
    url, host = source["url"], name_source(source["url"])
    title = (source["title"] or "").strip()
    label = title if title and not title.startswith("/") else name_page(url)
    passage = (source["summary"] or "").strip()
    quote = tag("blockquote", text(passage), lang=detect_html_lang(passage)) if passage else ""
    site = (source["site_name"] or "").strip()
    shown = (label, host) if label.startswith(f"{host}/") else (label,)
    names = [name for name in dict.fromkeys((site, host)) if name and name not in shown]
    facts = [tag("span", text(name), class_="tp-outlet") for name in names]
    if source["published_at"]:
        facts.append(render_time(source["published_at"], now))
    link = render_source_link(label, url, lang=detect_html_lang(label))
    return tag("li", link, quote, tag("p", *facts, class_="cp-note tp-entry-facts") if facts else "")


def _build_entry(url: str, title: str | None, published: str | None, now: datetime) -> str:
    name = name_source(url)
    label = (title or "").strip() or name
    facts = [tag("span", text(name), class_="tp-outlet")] if label != name else []
    if published:
        facts.append(render_time(published, now))
    below = tag("p", *facts, class_="cp-note tp-entry-facts") if facts else ""
    return tag("li", render_source_link(label, url, lang=detect_html_lang(label)), below)


def _build_cover_link(topic: TopicDetail) -> str:
    """Build a link to the cover. The image is not loaded, to hide the reader from other hosts."""
    url = topic["cover_img"]
    if not url:
        return ""
    return tag(
        "p", render_source_link(t("topics.cover", host=web_links.display_host(url)), url), class_="cp-note"
    )
