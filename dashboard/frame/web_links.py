"""Parses and checks URLs of web pages. No I/O."""

from urllib.parse import urlsplit


def display_host(url: str) -> str:
    """Returns the host of ``url`` without ``www.``; ``url`` itself if it has no host."""
    try:
        name = urlsplit(url).hostname
    except ValueError:
        name = None
    return (name or url).removeprefix("www.")


def is_web_url(url: str) -> bool:
    """True if ``url`` may be linked to: only http and https with a host."""
    try:
        parts = urlsplit(url)
        return parts.scheme.lower() in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False
