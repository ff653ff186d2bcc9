"""Who tells of a topic: primary sources first, then articles, then posts. Links only, nothing embedded."""

from datetime import UTC, datetime

import streamlit as st

from dashboard.app_pages.topics.markup import link, outlet
from dashboard.client import Fetched
from dashboard.client.topics import TopicDetail, TopicMedia
from dashboard.components.topic_badge import when
from dashboard.frame import states, web_links
from dashboard.frame.markup import detect_html_lang, tag, text
from dashboard.i18n import t


def show(answer: Fetched[TopicMedia], topic: TopicDetail) -> None:
    found = answer.data
    if found is None:
        if answer.error is not None:
            states.error(answer.error, key="tp_media")
        return
    now = datetime.now(UTC)
    primary = [
        _entry(one["url"], one["title"], one["summary"], one["published_at"], one["site_name"], now)
        for one in found["primary_sources"]
    ]
    articles = [
        _entry(one["entry_url"], one["title"], None, one["published_at"], None, now)
        for one in found["articles"]
    ]
    posts = [
        _entry(one["entry_url"], one["summary"], None, one["published_at"], None, now)
        for one in found["tweets"]
    ]
    groups = [
        _group(t("topics.primary"), primary, t("topics.primary_none"), "tp-primary"),
        _group(t("topics.articles"), articles, "", "tp-articles"),
        _group(t("topics.posts"), posts, "", "tp-posts"),
    ]
    st.html(tag("div", *groups, _cover(topic), class_="tp-media"))


def _group(name: str, entries: list[str], none: str, group: str) -> str:
    """A group with nothing in it is left out, unless that itself is worth telling."""
    if not entries and not none:
        return ""
    count = tag("span", text(f" {len(entries):,}"), class_="cp-note") if entries else ""
    head = tag("h3", text(name), count, class_="cp-subhead")
    body = tag("ul", "".join(entries)) if entries else tag("p", text(none), class_="cp-note")
    return tag("section", head, body, class_=group)


def _entry(
    url: str, title: str | None, summary: str | None, published: str | None, site: str | None, now: datetime
) -> str:
    name = outlet(url)
    said = (title or "").strip()
    shown = said if said and not said.startswith("/") else site or name
    facts = [tag("span", text(name), class_="tp-outlet")] if shown != name else []
    if published:
        facts.append(when(published, now))
    below = tag("p", *facts, class_="cp-note tp-entry-facts") if facts else ""
    told = tag("p", text(summary), class_="tp-entry-told", lang=detect_html_lang(summary)) if summary else ""
    return tag("li", link(shown, url, lang=detect_html_lang(shown)), told, below)


def _cover(topic: TopicDetail) -> str:
    """Where the cover is; it is not shown, so that no foreign host learns of the reader."""
    url = topic["cover_img"]
    if not url:
        return ""
    return tag("p", link(t("topics.cover", host=web_links.display_host(url)), url), class_="cp-note")
