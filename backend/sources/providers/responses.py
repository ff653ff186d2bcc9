"""Parses the JSON responses of search providers and explains their errors."""

from collections.abc import Mapping
from urllib.parse import urlsplit

import orjson

from backend.sources.providers.protocols import SearchFailed
from backend.upstream import UpstreamResponse

MAX_QUERY_CHARS = 400
"""The providers reject or cut longer queries."""
MAX_URL_CHARS = 2_000
_REASONS: Mapping[int, str] = {
    401: "it does not accept the API key",
    403: "it denies access",
    422: "it rejects the request or the API key",
    429: "its rate limit is reached",
    432: "the plan's quota is used up",
    433: "the plan's spending limit is reached",
}


def parse_object(provider: str, response: UpstreamResponse) -> Mapping[str, object]:
    """Return the JSON object of a response with status 200. Raises :class:`SearchFailed` for any other."""
    if response.status != 200:
        reason = _REASONS.get(response.status, "it answered with an error")
        raise SearchFailed(provider, f"{reason} (status {response.status}).")
    try:
        parsed = orjson.loads(response.body)
    except orjson.JSONDecodeError:
        raise SearchFailed(provider, "its answer is not JSON.") from None
    return as_object(parsed)


def collect_urls(rows: object, *, limit: int, site: str | None) -> list[str]:
    """Return the http(s) URLs of ``rows`` without duplicates; only those of ``site`` if given."""
    urls = (row.get("url") for row in map(as_object, rows if isinstance(rows, list) else ()))
    return list(dict.fromkeys(url for url in urls if isinstance(url, str) and _is_wanted(url, site)))[:limit]


def as_object(value: object) -> Mapping[str, object]:
    """Return ``value`` if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def _is_wanted(url: str, site: str | None) -> bool:
    """Whether ``url`` is http(s) and on ``site``: some providers ignore the requested site."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return False
    on_site = site is None or host == site or host.endswith(f".{site}")
    return parts.scheme in ("http", "https") and bool(host) and len(url) <= MAX_URL_CHARS and on_site
