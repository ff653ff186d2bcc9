"""Shows a topic's category and when it happened, as markup or as nodes of a live view."""

from collections.abc import Mapping
from datetime import datetime

import streamlit as st

from dashboard.components.live_view import Node, h
from dashboard.components.topic_categories import Category, is_drawn
from dashboard.frame import formats
from dashboard.frame.markup import tag, text
from dashboard.i18n import language, t

GLYPHS: Mapping[Category, str] = {"breaking": "▲", "important": "◆", "normal": "•"}
TONES: Mapping[Category, str] = {"breaking": "bad", "important": "warn", "normal": "calm"}


def category_name(code: Category) -> str:
    return t(f"frame.category_{code}")


def badge(code: Category) -> str:
    sign = tag("span", text(f"{GLYPHS[code]} "), aria_hidden="true")
    return tag("span", sign, text(category_name(code)), class_=f"cp-badge cp-tone-{TONES[code]}")


def badge_node(code: Category) -> Node:
    sign = h("span", f"{GLYPHS[code]} ", aria_hidden="true")
    return h("span", sign, category_name(code), class_=f"cp-badge cp-tone-{TONES[code]}")


def moment(instant: datetime, now: datetime) -> tuple[str, str]:
    """How long ago, or the day when that is longer ago than a week; and the exact time."""
    local = formats.local_time(instant, st.context.timezone, now)
    if is_drawn(instant, now) or instant > now:
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
