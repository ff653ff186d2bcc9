"""Renders a topic's category and time, as markup or as nodes of a live view."""

from collections.abc import Mapping
from datetime import datetime

import streamlit as st

from dashboard.components.live_view import Node, h
from dashboard.components.topic_categories import Category, is_recent
from dashboard.frame import formats
from dashboard.frame.markup import tag, text
from dashboard.i18n import language, t

GLYPHS: Mapping[Category, str] = {"breaking": "▲", "important": "◆", "normal": "•"}
TONES: Mapping[Category, str] = {"breaking": "bad", "important": "warn", "normal": "calm"}


def name_category(code: Category) -> str:
    return t(f"frame.category_{code}")


def render_badge(code: Category) -> str:
    glyph = tag("span", text(f"{GLYPHS[code]} "), aria_hidden="true")
    return tag("span", glyph, text(name_category(code)), class_=f"cp-badge cp-tone-{TONES[code]}")


def build_badge(code: Category) -> Node:
    glyph = h("span", f"{GLYPHS[code]} ", aria_hidden="true")
    return h("span", glyph, name_category(code), class_=f"cp-badge cp-tone-{TONES[code]}")


def format_moment(instant: datetime, now: datetime) -> tuple[str, str]:
    """Format the age, or the date after a week; returns it with the exact time."""
    local = formats.local_time(instant, st.context.timezone, now)
    if is_recent(instant, now) or instant > now:
        return formats.age((now - instant).total_seconds(), language()), local.utc
    return local.text[:10], local.utc


def render_time(timestamp: str, now: datetime) -> str:
    instant = datetime.fromisoformat(timestamp)
    label, exact = format_moment(instant, now)
    return tag("time", text(label), datetime=instant.isoformat(), title=exact, class_="cp-note")


def build_time(timestamp: str, now: datetime) -> Node:
    instant = datetime.fromisoformat(timestamp)
    label, exact = format_moment(instant, now)
    return h("time", label, datetime=instant.isoformat(), title=exact, class_="cp-note")
