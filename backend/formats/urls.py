"""Addresses of web pages that others gave, before anything is done with them."""

from urllib.parse import urlsplit


def names_a_host(url: str) -> bool:
    """Whether the host and the port of an address can be told, as whoever stores or shows it will."""
    try:
        parts = urlsplit(url)
        return bool(parts.hostname) and parts.port != 0
    except ValueError:  # brackets around no IPv6 address, a port that is no number, letters like ℀
        return False
