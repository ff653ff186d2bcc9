"""Holds the focus and the entities of topics in the session."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from backend.articles.schemas import MAX_ARTICLES
from dashboard.app_pages.topics import topic_text
from dashboard.client.article_schemas import Article, build_blank_article
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
    state: PageState = st.session_state.setdefault(_KEY, PageState())
    return state


def find_entities(topics: Sequence[Mapping[str, Any]]) -> dict[int, tuple[NamedEntity, ...]]:
    """Find the entities in each topic's texts, by topic id; topics that cannot be scanned now are omitted."""
    return {
        topic["id"]: found
        for topic, found in zip(topics, _find_in_texts(topics), strict=True)
        if found is not None
    }


def find_entities_in_languages(texts: Sequence[Mapping[str, Any]]) -> tuple[NamedEntity, ...]:
    """Find the entities in the texts of one topic, each once: a name may be found in one language only."""
    return tuple({entity.id: entity for found in _find_in_texts(texts) for entity in found or ()}.values())


def _find_in_texts(texts: Sequence[Mapping[str, Any]]) -> list[tuple[NamedEntity, ...] | None]:
    """Find the entities of each text, from the session or by a scan; None if it cannot be scanned now."""
    state = load_state()
    keys = [(text["id"], text["lang"], text["title"]) for text in texts]
    missing = [text for text, key in zip(texts, keys, strict=True) if key not in state.named]
    for start in range(0, len(missing), MAX_ARTICLES):
        part = missing[start : start + MAX_ARTICLES]
        entities_per_text = _scan(part)
        if entities_per_text is None:
            break
        for text, entities in zip(part, entities_per_text, strict=True):
            state.named[text["id"], text["lang"], text["title"]] = entities
    found = [state.named.get(key) for key in keys]
    while len(state.named) > MAX_CACHED_TOPICS:
        state.named.popitem(last=False)
    return found


def _scan(topics: Sequence[Mapping[str, Any]]) -> list[tuple[NamedEntity, ...]] | None:
    """Find the entities of each topic by the service's rules; None if the service is unavailable."""
    scan_result = scan_entities([_build_article(topic) for topic in topics], ("title", "summary", "content"))
    if scan_result.rules_version:
        load_state().rules_version = scan_result.rules_version
    if scan_result.marks is None:
        return None
    return [tuple(text_marks.list_entities(marks)) for marks in scan_result.marks]


def _build_article(topic: Mapping[str, Any]) -> Article:
    article = build_blank_article()
    article["title"], article["language"] = topic["title"], topic["lang"]
    article["summary"], article["content"] = topic["subtitle"] or "", topic_text.join_content(topic)
    return article
