"""Checks URLs from outside before they are used."""

from urllib.parse import urlsplit


def has_valid_host(url: str) -> bool:
    """Whether ``url`` has a host and a valid port, as code that stores or shows it expects."""
    try:
        parts = urlsplit(url)
        return bool(parts.hostname) and parts.port != 0
    except ValueError:  # brackets around no IPv6 address, a port that is not a number, letters like ℀
        return False


def is_home_page(url: str) -> bool:
    """Whether ``url`` names a site but no page of it."""
    try:
        return not urlsplit(url).path.strip("/")
    except ValueError:
        return False
