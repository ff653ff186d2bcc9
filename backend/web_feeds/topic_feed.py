"""Builds the feed of topics from rows of the topic list."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

import orjson

from backend.entities.model import Language
from backend.settings import Settings
from backend.topics.model import Category
from backend.web_feeds.model import Entry, Feed

TITLES: dict[Language, str] = {"en": "Topics", "ja": "トピック", "zh": "话题"}


def build_topic_feed(rows: Sequence[Any], *, url: str, language: Language, settings: Settings) -> Feed:
    """Build the feed. ``rows`` have the columns of the topic list; ``url`` is the address of the feed."""
    mode = "" if settings.mode == "live" else f" ({settings.mode})"
    return Feed(
        title=f"Chainproof: {TITLES[language]}{mode}",
        url=url,
        home_url=f"{settings.dashboard_public_origin}/topics",
        language=language,
        entries=[_build_entry(row, settings) for row in rows],
    )


def _build_entry(row: Any, settings: Settings) -> Entry:
    page = {"topic": row.topic_id, "topic_lang": row.language}
    is_own = row.url.startswith(f"{settings.api_url}/")  # a browser has no key for the service
    return Entry(
        id=f"{settings.api_url}/topics/{row.topic_id}?lang={row.language}",
        title=row.title,
        page_url=f"{settings.dashboard_public_origin}/topics?{urlencode(page)}",
        published_at=row.published_at,
        updated_at=max(row.updated_at, row.published_at),
        summary=row.summary or row.subtitle,
        bullets=tuple(bullet for group in orjson.loads(row.bullets) for bullet in group),
        tags=(Category(row.category).word,),
        source_url=None if is_own else row.url,
    )
