"""Builds links to the Topics page, and finds the pages that show what the service's URLs answer. Pure."""

import re
from collections.abc import Mapping
from urllib.parse import unquote, urlencode, urlsplit

from dashboard.frame.web_links import display_host

MAX_SHOWN_CHARS = 70

_TOPIC_PATH = re.compile(r"/topics/([1-9][0-9]{0,17})/?")
_QUOTES_PATH = re.compile(r"/(?:prices|assets)/([A-Za-z0-9._-]+)(?:/[a-z]+)?")
_PAGES: Mapping[str, str] = {"/crypto/market-overview": "/", "/rankings": "/rankings", "/prices": "/rankings"}


def find_dashboard_page(url: str, service: str) -> str | None:
    """Find the dashboard page that shows the content of a URL of the ``service``; None for other URLs.

    A browser has no API key, so the service would reject a request for its own URL.
    """
    try:
        target, base = urlsplit(url), urlsplit(service)
    except ValueError:
        return None
    prefix = base.path.rstrip("/")
    if (target.scheme, target.netloc) != (base.scheme, base.netloc) or not target.path.startswith(prefix):
        return None
    path = target.path.removeprefix(prefix).rstrip("/")
    if match := _TOPIC_PATH.fullmatch(path):
        return f"/topics?topic={match[1]}"
    if match := _QUOTES_PATH.fullmatch(path):
        return f"/rankings?{urlencode({'coin': match[1]})}"
    return _PAGES.get(path)


def shorten_url(url: str) -> str:
    """Shorten a URL to its host and path, readable and with its middle cut if it is long."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    path = unquote(parts.path)
    shown = f"{display_host(url)}{(path if path.isprintable() else parts.path).rstrip('/')}"
    if len(shown) <= MAX_SHOWN_CHARS:
        return shown
    half = (MAX_SHOWN_CHARS - 1) // 2
    return f"{shown[:half]}…{shown[-half:]}"


def build_url(state: Mapping[str, str], **changes: str) -> str:
    """Build a link to the page from ``state`` and ``changes``; empty values are omitted."""
    params = {name: value for name, value in {**state, **changes}.items() if value}
    return f"/topics?{urlencode(params)}" if params else "/topics"
