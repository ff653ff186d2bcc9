"""Headers that every answer bears, so that no browser makes more of it than it is."""

from collections.abc import Iterable, Sequence

Header = tuple[bytes, bytes]

SAFE: Sequence[Header] = (
    (b"x-content-type-options", b"nosniff"),
    # An answer is data: nothing in it is loaded, run or framed. Pages bring a policy of their own.
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
)
HTTPS_ALONE: Header = (b"strict-transport-security", b"max-age=31536000")
"""Where the service is reached by https: for a year a browser takes no other way (RFC 6797)."""


def always(mode: str, *, https: bool) -> list[Header]:
    return [(b"x-data-mode", mode.encode()), *SAFE, *([HTTPS_ALONE] if https else [])]


def completed(headers: Iterable[Header], status: int, defaults: Sequence[Header]) -> list[Header]:
    """``headers`` with each of ``defaults`` that they lack. Errors are kept by nobody."""
    told = list(headers)
    present = {name.lower() for name, _ in told}
    extra = [pair for pair in defaults if pair[0] not in present]
    if status >= 400 and b"cache-control" not in present:
        extra.append((b"cache-control", b"no-store"))
    return [*told, *extra]
