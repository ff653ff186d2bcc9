"""Adds the security headers of every response, so that browsers treat a response as plain data."""

from collections.abc import Iterable, Sequence

Header = tuple[bytes, bytes]

SECURITY_HEADERS: Sequence[Header] = (
    (b"x-content-type-options", b"nosniff"),
    # Responses are data: browsers load, run and frame nothing. Pages set their own policy.
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
)
HSTS_HEADER: Header = (b"strict-transport-security", b"max-age=31536000")
"""For services with an https URL: browsers use https alone for one year (RFC 6797)."""


def build_default_headers(mode: str, *, https: bool) -> list[Header]:
    return [(b"x-data-mode", mode.encode()), *SECURITY_HEADERS, *([HSTS_HEADER] if https else [])]


def add_default_headers(headers: Iterable[Header], status: int, defaults: Sequence[Header]) -> list[Header]:
    """Return ``headers`` with each missing header of ``defaults``. Errors get ``no-store``."""
    completed = list(headers)
    present = {name.lower() for name, _ in completed}
    extra = [pair for pair in defaults if pair[0] not in present]
    if status >= 400 and b"cache-control" not in present:
        extra.append((b"cache-control", b"no-store"))
    return [*completed, *extra]
