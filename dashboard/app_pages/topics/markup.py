"""Pieces that several parts of the Topics page are made of."""

from collections.abc import Mapping
from datetime import datetime

import streamlit as st

from dashboard.app_pages.research import jobs as web
from dashboard.app_pages.topics import topic_text as reading
from dashboard.app_pages.topics.topic_text import Category
from dashboard.client import api
from dashboard.components.live_view import Node, h
from dashboard.frame import formats
from dashboard.frame.markup import tag, text
from dashboard.i18n import language, t

GLYPHS: Mapping[Category, str] = {"breaking": "▲", "important": "◆", "normal": "•"}
TONES: Mapping[Category, str] = {"breaking": "bad", "important": "warn", "normal": "calm"}


def category_name(code: Category) -> str:
    return t(f"topics.category_{code}")


def badge(code: Category) -> str:
    sign = tag("span", text(f"{GLYPHS[code]} "), aria_hidden="true")
    return tag("span", sign, text(category_name(code)), class_=f"cp-badge cp-tone-{TONES[code]}")


def badge_node(code: Category) -> Node:
    sign = h("span", f"{GLYPHS[code]} ", aria_hidden="true")
    return h("span", sign, category_name(code), class_=f"cp-badge cp-tone-{TONES[code]}")


def moment(instant: datetime, now: datetime) -> tuple[str, str]:
    """How long ago, or the day when that is longer ago than a week; and the exact time."""
    local = formats.local_time(instant, st.context.timezone, now)
    if reading.is_drawn(instant, now) or instant > now:
        return formats.age((now - instant).total_seconds(), language()), local.utc
    return local.text[:10], local.utc


def when(sent: str, now: datetime) -> str:
    instant = datetime.fromisoformat(sent)
    said, exact = moment(instant, now)
    return tag("time", text(said), datetime=instant.isoformat(), title=exact, class_="cp-note")


def when_node(sent: str, now: datetime) -> Node:
    instant = datetime.fromisoformat(sent)
    said, exact = moment(instant, now)
    return h("time", said, datetime=instant.isoformat(), title=exact, class_="cp-note")


def outlet(url: str) -> str:
    """Who tells it: a host, or this service's own market figures."""
    own = reading.own_page(url, str(api.client().base_url))
    return t("topics.own_figures") if own is not None else web.host(url)


def link(said: str, url: str, *, lang: str | None = None) -> str:
    """A link to a source in a tab of its own; text alone where the address is none of the web."""
    own = reading.own_page(url, str(api.client().base_url))
    if own is None and not web.is_web(url):
        return tag("span", text(said), lang=lang)
    return tag("a", text(said), href=own or url, target="_blank", rel="noopener noreferrer", lang=lang)
