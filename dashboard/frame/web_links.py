"""Reads the address of a page on the web. Pure."""

from urllib.parse import urlsplit


def host(url: str) -> str:
    """Who answers for an address, as it is shown; the address itself where it has no host."""
    try:
        name = urlsplit(url).hostname
    except ValueError:
        name = None
    return (name or url).removeprefix("www.")


def is_web(url: str) -> bool:
    """Whether an address may be linked to: nothing but http and https."""
    try:
        parts = urlsplit(url)
        return parts.scheme.lower() in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False
