"""Exports a list of topics as CSV or Markdown, with source and as-of in every row. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from dashboard.components.topic_categories import parse_category
from dashboard.frame.csv_export import build_csv
from dashboard.frame.markdown import escape_markdown
from dashboard.frame.web_links import display_host, is_web_url

FIELDS = (
    "id", "published_at", "category", "language", "title", "subtitle", "summary", "url", "source", "as_of",
    "link",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class TopicExport:
    """Topics, the time of the service's response, and the base URL of the dashboard for links."""

    topics: Sequence[Mapping[str, Any]]
    as_of: datetime
    base: str


def build_row(topic: Mapping[str, Any], topic_export: TopicExport) -> dict[str, str]:
    return {
        "id": str(topic["id"]),
        "published_at": topic["published_at"],
        "category": parse_category(topic["category"]),
        "language": topic["lang"],
        "title": topic["title"],
        "subtitle": topic["subtitle"] or "",
        "summary": topic["summary"] or "",
        "url": topic["url"],
        "source": display_host(topic["url"]),
        "as_of": f"{topic_export.as_of.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
        "link": f"{topic_export.base}/topics?topic={topic['id']}&topic_lang={topic['lang']}",
    }


def to_csv(topic_export: TopicExport) -> bytes:
    """Write CSV in UTF-8 with a byte order mark for spreadsheets; cells that start a formula are escaped."""
    return build_csv([build_row(topic, topic_export) for topic in topic_export.topics], FIELDS, FIELDS)


def to_markdown(topic_export: TopicExport) -> bytes:
    """Write one entry per topic; Markdown in texts is escaped."""
    entries = []
    for topic in topic_export.topics:
        row = build_row(topic, topic_export)
        source = (
            f"[{escape_markdown(row['source'])}](<{_escape_url(row['url'])}>)"
            if is_web_url(row["url"])
            else row["source"]
        )
        facts = (
            f"{row['published_at']} · {row['category']} · {source} · as of {row['as_of']} · <{row['link']}>"
        )
        entries = [
            f"## {escape_markdown(row['title'])}",
            facts,
            escape_markdown(row["subtitle"]),
            escape_markdown(row["summary"]),
        ]
        entries.append("\n\n".join(part for part in entries if part))
    return ("\n\n".join(entries) + "\n").encode()


def _escape_url(url: str) -> str:
    return url.replace("<", "%3C").replace(">", "%3E")
