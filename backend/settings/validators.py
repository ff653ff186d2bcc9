"""Validates and parses addresses, hosts and rates of settings."""

from ipaddress import ip_address
from urllib.parse import urlsplit

REDIS_SCHEMES = ("redis", "rediss", "unix")
DATABASE_SCHEMES = ("postgresql", "postgres", "postgresql+psycopg", "sqlite")


def parse_rate(text: str) -> tuple[int, int]:
    """Parse a rate such as ``600/minute`` or ``20 per 10 seconds`` to requests and seconds."""
    import limits  # imported here: most starts do not need it, and it takes 0.1 s

    try:
        rates = [(item.amount, item.get_expiry()) for item in limits.parse_many(text)]
    except ValueError:
        rates = []
    if len(rates) != 1 or not rates[0][0]:
        raise ValueError(f"must be a rate such as 600/minute, or off; {text[:40]!r} is not one.")
    return rates[0]


def is_redis_address(url: str) -> bool:
    """Whether the Redis client accepts ``url``."""
    try:
        parts = urlsplit(url)
        target = parts.path if parts.scheme == "unix" else parts.hostname
        return parts.scheme in REDIS_SCHEMES and bool(target) and not parts.query and (parts.port or 1) > 0
    except ValueError:  # a port that is not a number
        return False


def to_reachable_host(host: str) -> str:
    """Convert a listening address to a host for URLs on this machine: loopback for "all addresses"."""
    try:
        address = ip_address(host)
    except ValueError:  # a name
        return host
    if address.is_unspecified:
        return "127.0.0.1"
    return f"[{host}]" if address.version == 6 else host


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a listener on ``host``. Of names, only ``localhost`` counts."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def add_driver(url: str) -> str:
    """Add the installed driver to the URL of a PostgreSQL database."""
    for scheme in ("postgresql://", "postgres://"):
        if url.startswith(scheme):
            return "postgresql+psycopg://" + url.removeprefix(scheme)
    return url


def is_database_address(url: str) -> bool:
    """Whether ``url`` names a supported database and its port, if any, is a number."""
    try:
        parts = urlsplit(url)
        return parts.scheme in DATABASE_SCHEMES and "://" in url and (parts.port or 1) > 0
    except ValueError:
        return False


def is_http_address(url: str) -> bool:
    """Whether ``url`` is an http or https URL with a host."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        return False


def normalize_origin(url: str) -> str | None:
    """Return ``url`` as a browser writes an origin; None if it is no http or https address without a path."""
    try:
        parts = urlsplit(url)
        is_valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return None
    if not is_valid or parts.path not in ("", "/") or parts.query or parts.fragment or "@" in parts.netloc:
        return None
    default_port = {"http": ":80", "https": ":443"}[parts.scheme]
    return f"{parts.scheme}://{parts.netloc.lower().removesuffix(default_port)}"
