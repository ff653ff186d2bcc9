"""Checks and normalizes URLs from outside before they are used."""

import re
from urllib.parse import quote, urlsplit

_OTHER_SCRIPTS = "\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef" + "".join(
    f"{chr(plane << 16 | (0x1000 if plane == 14 else 0))}-{chr(plane << 16 | 0xFFFD)}"
    for plane in range(1, 15)
)
"""Characters beyond ASCII that an IRI may contain (``ucschar`` of RFC 3987)."""
_WEB_URL = re.compile(
    rf"(?P<start>https?://(?:(?:(?!\s)[a-z0-9._~{_OTHER_SCRIPTS}-])+|\[[0-9a-f:.]+\])(?::[0-9]*)?)"
    r"(?P<address>(?:[/?][^\s#]*)?)(?:#(?P<fragment>\S*))?",
    re.IGNORECASE,
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_NOT_IN_IRI = re.compile(rf"[^A-Za-z0-9._~:/?@!$&'()*+,;=%{_OTHER_SCRIPTS}-]|%(?![0-9A-Fa-f]{{2}})")


def normalize_web_url(text: str) -> str | None:
    """Return an http or https URL as an IRI (RFC 3987); None for other text and for hosts that cannot exist.

    Characters that an IRI cannot contain are percent-encoded behind the host, as browsers encode them.
    """
    match = _WEB_URL.fullmatch(text)
    if match is None or _SURROGATE.search(text) or not _has_valid_host(text):
        return None
    fragment = match["fragment"]
    return match["start"] + _encode(match["address"]) + ("" if fragment is None else f"#{_encode(fragment)}")


def require_web_url(text: str, max_chars: int) -> str:
    """Return the result of :func:`normalize_web_url`.

    Raises :class:`ValueError` with a sentence for other text, and for a URL that is too long once encoded.
    """
    url = normalize_web_url(text)
    if url is None:
        raise ValueError("must be an address that begins with https:// or http://")
    if len(url) > max_chars:
        raise ValueError(f"must be an address of at most {max_chars} characters when it is percent-encoded")
    return url


def _has_valid_host(url: str) -> bool:
    """Whether code that stores or shows ``url`` finds a host, which has a form in ASCII, and a valid port."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
        return bool(host) and port != 0 and (":" in host or host.encode("idna").isascii())
    except (
        ValueError
    ):  # brackets around no IPv6 address, no number as the port, letters like ℀, an empty label
        return False


def _encode(text: str) -> str:
    return _NOT_IN_IRI.sub(lambda found: quote(found[0], safe=""), text)


def is_home_page(url: str) -> bool:
    """Whether ``url`` names a site but no page of it."""
    try:
        return not urlsplit(url).path.strip("/")
    except ValueError:
        return False
