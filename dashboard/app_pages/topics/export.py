"""A list of topics as a file, with source and as-of in every row. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from dashboard.components.topic_categories import category_of
from dashboard.frame.csv_export import build_csv
from dashboard.frame.web_links import display_host, is_web_url

FIELDS = (
    "id", "published_at", "category", "language", "title", "subtitle", "summary", "url", "source", "as_of",
    "link",
)  # fmt: skip
_MARKS = str.maketrans({sign: f"\\{sign}" for sign in "\\`*_[]<>#|"})


@dataclass(frozen=True, slots=True)
class Listed:
    """Topics as the service sent them, when it did, and the dashboard's address that links begin with."""

    topics: Sequence[Mapping[str, Any]]
    as_of: datetime
    base: str


def record(topic: Mapping[str, Any], listed: Listed) -> dict[str, str]:
    return {
        "id": str(topic["id"]),
        "published_at": topic["published_at"],
        "category": category_of(topic["category"]),
        "language": topic["lang"],
        "title": topic["title"],
        "subtitle": topic["subtitle"] or "",
        "summary": topic["summary"] or "",
        "url": topic["url"],
        "source": display_host(topic["url"]),
        "as_of": f"{listed.as_of.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
        "link": f"{listed.base}/topics?topic={topic['id']}&topic_lang={topic['lang']}",
    }


def to_csv(listed: Listed) -> bytes:
    """UTF-8 with a byte order mark, so that spreadsheets read it; no cell is taken for a formula."""
    return build_csv([record(topic, listed) for topic in listed.topics], FIELDS, FIELDS)


def to_markdown(listed: Listed) -> bytes:
    """One entry a topic; texts are text, whatever signs they hold."""
    parts = []
    for topic in listed.topics:
        row = record(topic, listed)
        source = (
            f"[{_plain(row['source'])}](<{_url(row['url'])}>)" if is_web_url(row["url"]) else row["source"]
        )
        facts = (
            f"{row['published_at']} · {row['category']} · {source} · as of {row['as_of']} · <{row['link']}>"
        )
        told = [f"## {_plain(row['title'])}", facts, _plain(row["subtitle"]), _plain(row["summary"])]
        parts.append("\n\n".join(part for part in told if part))
    return ("\n\n".join(parts) + "\n").encode()


def _plain(text: str) -> str:
    return " ".join(text.split()).translate(_MARKS)


def _url(url: str) -> str:
    return url.replace("<", "%3C").replace(">", "%3E")
