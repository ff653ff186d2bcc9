"""What the providers' answers have in common: JSON, or a refusal; and text with markup in it."""

import html
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

import orjson

from backend.http_client import UpstreamResponse
from backend.sources.search.model import Found, SearchFailed

LONGEST_QUERY = 400
"""Characters; the providers refuse or cut longer ones."""
LONGEST_TEXT = 2_000
_READERS: tuple[Callable[[str], datetime], ...] = (datetime.fromisoformat, parsedate_to_datetime)
_TAG = re.compile(r"<[^<>]{0,200}>")
_SPACES = re.compile(r"\s+")
_REASONS: Mapping[int, str] = {
    401: "it does not know the key",
    403: "it refuses us",
    422: "it refuses the request or the key",
    429: "it asks us to wait",
    432: "the plan's quota is used up",
    433: "the plan's spending limit is reached",
}


def payload(provider: str, response: UpstreamResponse) -> Mapping[str, object]:
    """The object in a good answer. Raises :class:`SearchFailed` for any other."""
    if response.status != 200:
        reason = _REASONS.get(response.status, "it answered with an error")
        raise SearchFailed(provider, f"{reason} (status {response.status}).")
    try:
        parsed = orjson.loads(response.body)
    except orjson.JSONDecodeError:
        raise SearchFailed(provider, "its answer is not JSON.") from None
    return mapping(parsed)


def found(rows: object, *, snippet: str, dates: Sequence[str], limit: int, site: str | None) -> list[Found]:
    """The rows that have an address on the web, each address once.

    ``snippet`` and ``dates`` are the names of the fields; the first date that can be read counts.
    """
    results: dict[str, Found] = {}
    for row in map(mapping, rows if isinstance(rows, list) else ()):
        url = row.get("url")
        if not isinstance(url, str) or not _is_wanted(url, site):
            continue
        published = next(filter(None, (instant(row.get(name)) for name in dates)), None)
        results.setdefault(url, Found(url, text(row.get("title")), text(row.get(snippet)), published))
    return list(results.values())[:limit]


def mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def text(value: object) -> str:
    """Plain text out of a title or snippet with markup, cut to a length."""
    if not isinstance(value, str):
        return ""
    return _SPACES.sub(" ", html.unescape(_TAG.sub("", value[: 2 * LONGEST_TEXT]))).strip()[:LONGEST_TEXT]


def instant(value: object) -> datetime | None:
    """An ISO 8601 or RFC 5322 date, in UTC where it names no zone."""
    if not isinstance(value, str):
        return None
    for read in _READERS:
        try:
            moment = read(value.strip())
            return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
        except (ValueError, OverflowError):
            continue
    return None


def _is_wanted(url: str, site: str | None) -> bool:
    """Whether it is on the web, and on the site that was asked for: some providers ignore that."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return False
    on_site = site is None or host == site or host.endswith(f".{site}")
    return parts.scheme in ("http", "https") and bool(host) and len(url) <= LONGEST_TEXT and on_site
