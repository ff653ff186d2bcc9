"""From rows to the JSON that is sent; pure. What is stored as JSON is sent as it is stored."""

from collections.abc import Sequence
from typing import Any

import orjson

from backend.formats.timestamps import write_instant
from backend.topics.model import Category, Media


def topic_list(rows: Sequence[Any], total: int | None = None) -> bytes:
    """The envelope of list items; without ``total`` where the interface has none."""
    more = {} if total is None else {"total": total}
    return orjson.dumps({"code": 0, "message": "ok", "data": [_item(row) for row in rows], **more})


def detail(row: Any) -> bytes:
    """``row`` is that of a list item with ``terms`` and ``cover_img``."""
    item = _item(row)
    item["category"] = Category(row.category).word
    return envelope(item | {"terms_concepts": orjson.Fragment(row.terms), "cover_img": row.cover_img})


def media(topic_id: int, items: Sequence[Media]) -> bytes:
    by_kind: dict[str, list[dict[str, Any]]] = {"primary_source": [], "article": [], "tweet": []}
    for item in items:
        by_kind[item.kind].append(_media_item(topic_id, item))
    return envelope(
        {
            "primary_sources": by_kind["primary_source"],
            "articles": by_kind["article"],
            "tweets": by_kind["tweet"],
        }
    )


def envelope(data: Any) -> bytes:
    return orjson.dumps({"code": 0, "message": "ok", "data": data})


def _item(row: Any) -> dict[str, Any]:
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


def _media_item(topic_id: int, item: Media) -> dict[str, Any]:
    known = {"id": item.id, "topic_id": topic_id}
    published_at = None if item.published_at is None else write_instant(item.published_at)
    if item.kind == "primary_source":
        return {
            **known,
            "url": item.url,
            "title": item.title or None,
            "summary": item.summary or None,
            "published_at": published_at,
            "site_name": item.site_name or None,
        }
    word = "title" if item.kind == "article" else "summary"
    told = item.title if item.kind == "article" else item.summary
    return {**known, "entry_url": item.url, word: told or None, "published_at": published_at}
