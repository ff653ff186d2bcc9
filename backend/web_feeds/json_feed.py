"""Renders a feed as JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/)."""

from typing import Any, Literal

import orjson
from pydantic import AwareDatetime, BaseModel
from pydantic.json_schema import models_json_schema

from backend.formats.field_types import Url, WebUrl
from backend.formats.timestamps import write_instant
from backend.web_feeds.entry_html import build_html
from backend.web_feeds.model import Entry, Feed

CONTENT_TYPE = "application/feed+json"


class JsonFeedAuthor(BaseModel):
    name: str


class JsonFeedItem(BaseModel):
    """``url`` is the topic's or asset's page, ``external_url`` the publisher's page."""

    id: str
    url: Url
    title: str
    summary: str | None = None
    content_html: str
    external_url: WebUrl | None = None
    date_published: AwareDatetime
    date_modified: AwareDatetime
    tags: list[str]


class JsonFeed(BaseModel):
    version: Literal["https://jsonfeed.org/version/1.1"]
    title: str
    home_page_url: Url
    feed_url: Url
    language: str
    authors: list[JsonFeedAuthor]
    items: list[JsonFeedItem]


SCHEMA_REF = {"$ref": "#/components/schemas/JsonFeed"}


def build_components() -> dict[str, Any]:
    """Build the schemas of a feed for the OpenAPI document."""
    _, definitions = models_json_schema(
        [(JsonFeed, "serialization")], ref_template="#/components/schemas/{model}"
    )
    components: dict[str, Any] = definitions["$defs"]
    return components


def render_json_feed(feed: Feed) -> bytes:
    return orjson.dumps(
        {
            "version": "https://jsonfeed.org/version/1.1",
            "title": feed.title,
            "home_page_url": feed.home_url,
            "feed_url": feed.url,
            "language": feed.language,
            "authors": [{"name": "Chainproof"}],
            "items": [_build_item(entry) for entry in feed.entries],
        }
    )


def _build_item(entry: Entry) -> dict[str, Any]:
    # The specification has no null: a member without a value is omitted.
    optional = {"summary": entry.summary or None, "external_url": entry.source_url}
    return {
        "id": entry.id,
        "url": entry.page_url,
        "title": entry.title,
        **{name: value for name, value in optional.items() if value is not None},
        "content_html": build_html(entry),
        "date_published": write_instant(entry.published_at),
        "date_modified": write_instant(entry.updated_at),
        "tags": list(entry.tags),
    }
