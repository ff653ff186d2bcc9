"""Holds the focus and the entities of topics in the session."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from backend.articles.schemas import MAX_ARTICLES
from dashboard.app_pages.topics import topic_text
from dashboard.client import articles
from dashboard.client.article_schemas import Article, build_blank_article
from dashboard.client.articles import RuleEntity
from dashboard.components import text_marks
from dashboard.components.text_entities import scan_entities
from dashboard.components.text_marks import NamedEntity

HEADING_ID = "tp-title"
"""Id of the element with the topic's title."""
MAX_CACHED_TOPICS = 2000
_KEY = "topics_state"


@dataclass
class PageState:
    """Each increment of ``focus_request_number`` moves the focus to the element ``focus_target``."""

    focus_request_number: int = 0
    focus_target: str = HEADING_ID
    rules_version: str = ""
    """Version of the rules that the last scan used."""
    named: OrderedDict[tuple[int, str, str], tuple[NamedEntity, ...]] = field(default_factory=OrderedDict)


def load_state() -> PageState:
    found: PageState = st.session_state.setdefault(_KEY, PageState())
    return found


def find_entities(topics: Sequence[Mapping[str, Any]]) -> dict[int, tuple[NamedEntity, ...]]:
    """Find the entities in each topic's texts, by topic id; topics that cannot be scanned now are omitted."""
    state = load_state()
    keys = {topic["id"]: (topic["id"], topic["lang"], topic["title"]) for topic in topics}
    missing = [topic for topic in topics if keys[topic["id"]] not in state.named]
    for start in range(0, len(missing), MAX_ARTICLES):
        part = missing[start : start + MAX_ARTICLES]
        found = _scan(part)
        if found is None:
            break
        for topic, named in zip(part, found, strict=True):
            state.named[keys[topic["id"]]] = named
    known = {number: state.named[key] for number, key in keys.items() if key in state.named}
    while len(state.named) > MAX_CACHED_TOPICS:
        state.named.popitem(last=False)
    return known


def _scan(topics: Sequence[Mapping[str, Any]]) -> list[tuple[NamedEntity, ...]] | None:
    """Find the entities of each topic by the service's rules; null if the service is unavailable."""
    found = scan_entities([_build_article(topic) for topic in topics], ("title", "summary", "content"))
    if found.rules_version:
        load_state().rules_version = found.rules_version
    if found.marks is None:
        return None
    return [tuple(text_marks.list_entities(marks)) for marks in found.marks]


def _build_article(topic: Mapping[str, Any]) -> Article:
    article = build_blank_article()
    article["title"], article["language"] = topic["title"], topic["lang"]
    article["summary"], article["content"] = topic["subtitle"] or "", topic_text.join_content(topic)
    return article


def list_known_entities() -> Sequence[RuleEntity]:
    """List the entities of the catalogue; empty before the first scan or if the service is unavailable."""
    version = load_state().rules_version
    rule_set = articles.fetch_rules(version).data if version else None
    return [one for one in rule_set["entities"] if one["type"] != "term"] if rule_set else ()
