"""Renders topics and their sources as the bytes of JSON responses. No I/O.

:mod:`backend.topics.schemas` declares the same shapes for the API documentation. Bodies are not built from
those models, so that stored JSON is sent unchanged.
"""

from collections.abc import Sequence
from typing import Any

import orjson

from backend.formats.timestamps import write_instant
from backend.topics.model import Category, Media


def render_topic_list(rows: Sequence[Any], total: int | None = None) -> bytes:
    """Render the envelope of list items. Omit ``total`` for endpoints without a total."""
    total_field = {} if total is None else {"total": total}
    return orjson.dumps(
        {"code": 0, "message": "ok", "data": [_build_item(row) for row in rows], **total_field}
    )


def render_detail(row: Any) -> bytes:
    """Render one topic. ``row`` has the columns of a list item, and also ``terms`` and ``cover_img``."""
    item = _build_item(row)
    item["category"] = Category(row.category).word
    return render_envelope(item | {"terms_concepts": orjson.Fragment(row.terms), "cover_img": row.cover_img})


def render_topic_sources(topic_id: int, items: Sequence[Media]) -> bytes:
    """Render the primary sources, articles and posts of a topic."""
    by_kind: dict[str, list[dict[str, Any]]] = {"primary_source": [], "article": [], "tweet": []}
    for item in items:
        by_kind[item.kind].append(_build_media_item(topic_id, item))
    return render_envelope(
        {
            "primary_sources": by_kind["primary_source"],
            "articles": by_kind["article"],
            "tweets": by_kind["tweet"],
        }
    )


def render_envelope(data: Any) -> bytes:
    return orjson.dumps({"code": 0, "message": "ok", "data": data})


def _build_item(row: Any) -> dict[str, Any]:
    return {
        "id": row.topic_id,
        "title": row.title,
        "subtitle": row.subtitle or None,
        "summary": row.summary or None,
        "summary_bullets": orjson.Fragment(row.bullets),
        "category": row.category,
        "lang": row.language,
        "published_at": write_instant(row.published_at),
        "url": row.url,
    }


def _build_media_item(topic_id: int, item: Media) -> dict[str, Any]:
    ids = {"id": item.id, "topic_id": topic_id}
    published_at = None if item.published_at is None else write_instant(item.published_at)
    if item.kind == "primary_source":
        return {
            **ids,
            "url": item.url,
            "title": item.title or None,
            "summary": item.summary or None,
            "published_at": published_at,
            "site_name": item.site_name or None,
        }
    text_field = "title" if item.kind == "article" else "summary"
    text = item.title if item.kind == "article" else item.summary
    return {**ids, "entry_url": item.url, text_field: text or None, "published_at": published_at}
