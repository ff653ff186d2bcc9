"""What the providers' answers have in common: JSON with rows of results, or a refusal."""

from collections.abc import Mapping
from urllib.parse import urlsplit

import orjson

from backend.sources.providers.protocols import SearchFailed
from backend.upstream import UpstreamResponse

LONGEST_QUERY = 400
"""Characters; the providers refuse or cut longer ones."""
LONGEST_URL = 2_000
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


def addresses(rows: object, *, limit: int, site: str | None) -> list[str]:
    """The addresses on the web that ``rows`` name as ``url``, each once; of ``site`` alone if given."""
    urls = (row.get("url") for row in map(mapping, rows if isinstance(rows, list) else ()))
    return list(dict.fromkeys(url for url in urls if isinstance(url, str) and _is_wanted(url, site)))[:limit]


def mapping(value: object) -> Mapping[str, object]:
    """``value`` if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def _is_wanted(url: str, site: str | None) -> bool:
    """Whether it is on the web, and on the site that was asked for: some providers ignore that."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return False
    on_site = site is None or host == site or host.endswith(f".{site}")
    return parts.scheme in ("http", "https") and bool(host) and len(url) <= LONGEST_URL and on_site
